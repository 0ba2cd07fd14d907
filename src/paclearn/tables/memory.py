"""How much memory may be used: what is asked for, what there is, and numbers of bytes in words."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from paclearn.exceptions import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BYTES_OF_A_PROCESS", "allowed_bytes", "at_most", "bytes_of", "columns_at_once", "in_words"]
__all__ += ["room_for_counting", "room_for_scratch"]

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)
_SETTING = "PACLEARN_MEMORY"
_CGROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
BYTES_OF_A_PROCESS = 3e8  # Python, numpy, scikit-learn, pyarrow, the blocks that are being read, some columns at once
_USUAL_ROOM = 2**26  # of codes that are kept in memory, where nobody says how much there may be,
_SHARE = 1 / 8  # and the share of what may be used otherwise
_BYTES_A_COLUMN = 2**22  # of a column that is learned: a page or two of its file, and what is known of its numbers
_FEWEST_COLUMNS, _MOST_COLUMNS = 8, 64
_LEAST_SPARE = 2**23  # of a small table nothing goes to disk, whatever there is


def bytes_of(size: str | int) -> int:
    """The bytes of a size such as ``8GB``, ``500 MB`` or ``2GiB``."""
    found = _SIZE.fullmatch(str(size))
    if found is None or float(found[1]) == 0:
        raise InputError(f"memory={size!r} is no size; write it as 8GB, 500MB or 2GiB")
    number, unit, binary = found[1], found[2].lower(), found[3]
    return int(float(number) * (_BINARY if binary else _UNITS)[unit])


def in_words(n_bytes: float) -> str:
    """The shortest text of a number of bytes: ``1.5 GB``."""
    for unit in ("B", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:,.3g} TB"


@contextmanager
def at_most(size: str | int | None) -> Iterator[None]:
    """Within it no more memory than this is to be used; it holds for processes that are started there, too."""
    if size is None:
        yield
        return
    before = os.environ.get(_SETTING)
    os.environ[_SETTING] = str(bytes_of(size))
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SETTING]
        else:
            os.environ[_SETTING] = before


def allowed_bytes() -> int:
    """What may be used: as ``PACLEARN_MEMORY`` says, otherwise what the machine, or its container, has."""
    setting = os.environ.get(_SETTING)
    if setting is not None:
        return bytes_of(setting)
    return _there_is()


def room_for_scratch() -> int:
    """Bytes that may be kept in memory of what could as well lie on disk."""
    return int(min(_USUAL_ROOM, _spare_bytes() * _SHARE))


def room_for_counting() -> int:
    """Bytes that may be kept in memory of what is scanned again and again."""
    return _spare_bytes() // 2


def columns_at_once() -> int:
    """Columns of a table in blocks that are read together: readers keep pages of each."""
    return int(min(max(_spare_bytes() * _SHARE // _BYTES_A_COLUMN, _FEWEST_COLUMNS), _MOST_COLUMNS))


def _spare_bytes() -> int:
    """What may be used beside what every fit takes."""
    return max(int(allowed_bytes() - BYTES_OF_A_PROCESS), _LEAST_SPARE)


@cache
def _there_is() -> int:
    """Looked up once: whoever packs a table asks, and a small one is packed in less time than files take."""
    return min([_physical(), *_of_containers()])


def _physical() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # no such question on this system
        return 2**63


def _of_containers() -> list[int]:
    found = (Path(name) for name in _CGROUPS)
    texts = [path.read_text().strip() for path in found if path.is_file()]
    return [int(text) for text in texts if text.isdigit()]
