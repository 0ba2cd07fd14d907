"""The letters of a text file as UTF-8: unpacked, and decoded from whatever it was saved in."""

from __future__ import annotations

import codecs
import lzma
import re
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paclearn._compat import need
from paclearn.exceptions import TableFileError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SLIPS", "Letters", "head_of", "letters_of", "odd_letters"]

SLIPS = "utf-8/cp1252"  # what is no UTF-8 is Windows' letters
_HEAD, _TAIL = 2**17, 2**15  # bytes that are looked at
_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
    b"\xfd7zXZ": "xz",
    b"PK\x03\x04": "zip",
}
_BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_UNKNOWN_TO_WINDOWS = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_BEYOND_ASCII, _WORDS_BEYOND = re.compile(rb"[\x80-\xff]"), re.compile(rb"[\x80-\xff]{3,}")
_FEW_SLIPS = 8  # letters beyond ASCII that are UTF-8, for one that is not
_MOST_IN_WORDS = 0.5  # of all letters beyond ASCII, those that stand three and more in a row: not in Western words


@dataclass(frozen=True)
class Letters:
    """The text of a file as UTF-8 (an Arrow buffer), how it was stored, and what looks wrong."""

    text: Any
    encoding: str
    notes: tuple[str, ...] = ()


def letters_of(path: Path, *, whole: bool = False) -> Letters:
    """The letters of a file; a plain file of UTF-8 is mapped, not read.

    ``whole`` looks at all of its letters, and not at both ends only.
    """
    raw = _bytes_of(path)
    encoding = _encoding_of(raw, whole=whole)
    if encoding == "utf-8":
        return Letters(raw.slice(3) if head_of(raw, 3) == b"\xef\xbb\xbf" else raw, encoding)
    content = raw.to_pybytes()
    text = need("pyarrow", "io", "reading CSV").py_buffer(_decoded(content, encoding, path).encode("utf-8"))
    return Letters(text, encoding, odd_letters(content[:_HEAD], encoding))


def head_of(raw: Any, n: int) -> bytes:
    """The first bytes of a buffer."""
    return bytes(raw.slice(0, min(n, raw.size)).to_pybytes())


def odd_letters(part: bytes, encoding: str) -> tuple[str, ...]:
    """A remark where letters that were taken for Western ones form no Western words."""
    beyond = len(_BEYOND_ASCII.findall(part))
    in_words = sum(map(len, _WORDS_BEYOND.findall(part)))
    if encoding == "latin-1" or (encoding == "cp1252" and in_words > _MOST_IN_WORDS * beyond):
        return ("its letters may be others; if words look wrong, save it as UTF-8",)
    return ()


# ---- packed files ----------------------------------------------------------------------------------------------------


def _bytes_of(path: Path) -> Any:
    with path.open("rb") as file:
        magic = file.read(6)
    packed = next((name for mark, name in _MAGIC.items() if magic.startswith(mark)), None)
    if packed is None:
        return need("pyarrow", "io", "reading CSV").memory_map(str(path)).read_buffer()
    try:
        return _UNPACK.get(packed, _by_arrow)(path, packed)
    except (OSError, EOFError, lzma.LZMAError, zipfile.BadZipFile) as error:
        raise TableFileError(f"{path} is a damaged {packed} file; copy or download it again") from error


def _by_arrow(path: Path, packed: str) -> Any:
    arrow = need("pyarrow", "io", "reading CSV")
    with arrow.input_stream(str(path), compression=packed) as stream:
        return arrow.py_buffer(stream.read())


def _by_lzma(path: Path, packed: str) -> Any:  # noqa: ARG001 - as the others
    with lzma.open(path) as file:
        return need("pyarrow", "io", "reading CSV").py_buffer(file.read())


def _only_member(path: Path, packed: str) -> Any:  # noqa: ARG001 - as the others
    """What a zip file holds, where that is one file."""
    with zipfile.ZipFile(path) as archive:
        if "[Content_Types].xml" in archive.namelist():
            raise TableFileError(f"{path} is a workbook, whatever its name says; call it .xlsx")
        files = [each for each in archive.infolist() if not each.is_dir() and "__MACOSX" not in each.filename]
        if len(files) != 1 or files[0].flag_bits & 1:
            found = "is locked by a password" if len(files) == 1 else f"holds {len(files)} files"
            raise TableFileError(f"{path} {found}; unpack it, and name the table in it")
        return need("pyarrow", "io", "reading CSV").py_buffer(archive.read(files[0]))


_UNPACK = {"xz": _by_lzma, "zip": _only_member}


# ---- encodings -------------------------------------------------------------------------------------------------------


def _western_letters(error: UnicodeError) -> tuple[str, int]:
    """What is no UTF-8, as Windows' letters."""
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 - it is only asked when decoding
    part = error.object[error.start : error.end]
    return part.decode(_western(part)), error.end


codecs.register_error("paclearn.western", _western_letters)


def _decoded(content: bytes, encoding: str, path: Path) -> str:
    if encoding == SLIPS:
        return content.decode("utf-8", "paclearn.western").removeprefix("\ufeff")
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise TableFileError(f"{path} is not a table: its letters are neither UTF-8 nor UTF-16 nor Latin-1") from error


def _encoding_of(raw: Any, *, whole: bool) -> str:
    """By a byte order mark, by the noughts of UTF-16, or by whether both ends of the file are UTF-8."""
    head = head_of(raw, _HEAD)
    mark = next((name for mark, name in _BYTE_ORDER_MARKS.items() if head.startswith(mark)), None)
    if mark == "utf-16":
        return mark
    if b"\0" in head[:1000]:
        return _of_noughts(head[:1000])
    if whole or len(head) == raw.size:
        return _of_letters(raw.to_pybytes())
    tail = raw.slice(raw.size - _TAIL).to_pybytes()
    return _of_letters(head[: head.rfind(b"\n") + 1] + tail[tail.find(b"\n") + 1 :])  # no letter is cut through


def _of_noughts(head: bytes) -> str:
    even, odd = head[::2].count(0), head[1::2].count(0)
    if odd > 4 * even:
        return "utf-16-le"
    return "utf-16-be" if even > 4 * odd else "utf-8"  # which will fail, and say so


def _of_letters(part: bytes) -> str:
    """UTF-8, with few slips perhaps; else Windows' letters, or where there are bytes that it does not know, Latin-1."""
    try:
        part.decode("utf-8")
    except UnicodeDecodeError:
        letters = part.decode("utf-8", "replace")
        slips = letters.count("\ufffd")
        beyond = sum(letter > "\x7f" for letter in letters) - slips
        return SLIPS if beyond >= _FEW_SLIPS * slips else _western(part)
    return "utf-8"


def _western(part: bytes) -> str:
    return "latin-1" if _UNKNOWN_TO_WINDOWS.search(part) else "cp1252"
