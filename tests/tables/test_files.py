"""Table files, and writing all or nothing."""

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from paclearn import BooleanEncoder, JuntaClassifier, open_table
from paclearn.datasets import load_tic_tac_toe
from paclearn.exceptions import InputError, TableFileError
from paclearn.tables import files


@pytest.fixture
def frame():
    boards = load_tic_tac_toe(as_frame=True)
    return boards.data.assign(won=boards.target)


@pytest.fixture(params=["csv", "tsv", "parquet"])
def path(request, frame, tmp_path):
    path = tmp_path / f"boards.{request.param}"
    if request.param == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if request.param == "tsv" else ",")
    return path


def test_a_file_is_a_table_like_any_other(path, frame):
    table = open_table(path)
    assert table.names == tuple(frame.columns)
    assert table.n_rows == 958
    columns, target = files.split_target(table, "won", drop=["top-left"])
    assert columns.names == tuple(frame.columns[1:-1])
    model = JuntaClassifier(k=2).fit(columns, target)
    reference = JuntaClassifier(k=2).fit(frame[list(columns.names)], frame["won"])
    assert model.subset_ == reference.subset_
    np.testing.assert_array_equal(model.predict(columns), reference.predict(frame[list(columns.names)]))
    with pytest.raises(InputError, match=r"feature names should match.* unexpected columns: 'top-left'"):
        model.predict(files.split_target(table, "won")[0])
    with pytest.raises(InputError, match="missing columns: 'top-middle'"):
        model.predict(files.split_target(table, "won", drop=["top-left", "top-middle"])[0])


def test_reordered_file_columns_are_refused(frame, tmp_path):
    frame.to_parquet(tmp_path / "a.parquet")
    frame[frame.columns[::-1]].to_parquet(tmp_path / "b.parquet")
    encoder = BooleanEncoder().fit(open_table(tmp_path / "a.parquet"))
    with pytest.raises(InputError, match="same order"):
        encoder.transform(open_table(tmp_path / "b.parquet"))


def test_missing_words(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a,b,c\n1,?,x\n2,NA,-\n,3,"y, z"\n')
    table = open_table(path)
    assert [table.column(i).null_count() for i in range(3)] == [1, 2, 0]
    table = open_table(path, missing=["-"])
    assert [table.column(i).null_count() for i in range(3)] == [0, 0, 1]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "empty.csv is empty"),
        ("header.csv", b"a,b\n", r"has a header \(2 columns\) but no rows"),
        ("prose.csv", b"just a line of prose\nand another\n", "has one column only"),
        (
            "ragged.csv",
            b"a,b\n1,2\n1,2,3\n",
            "the line '1,2,3' has 3 cells, and the header 2; mend it",
        ),
        ("binary.csv", bytes(range(256)) * 4, "binary.csv is not a table"),
        ("text.parquet", b"a,b\n1,2\n", "text.parquet is not a Parquet file"),
        ("short.parquet", b"PAR1", "short.parquet is not a Parquet file"),
    ],
)
def test_files_that_are_no_tables(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        open_table(tmp_path / name)


def test_no_such_file_hints_at_the_closest(tmp_path):
    (tmp_path / "churn.csv").write_text("a,b\n1,2\n")
    with pytest.raises(TableFileError, match=r"there is no file .*chrun.csv; did you mean 'churn.csv'"):
        open_table(tmp_path / "chrun.csv")
    with pytest.raises(TableFileError, match="is not a file"):
        open_table("/dev/null")


def test_the_target_is_found_or_hinted_at(path):
    table = open_table(path)
    with pytest.raises(InputError, match="there is no column 'Won'; did you mean 'won'"):
        files.split_target(table, "Won")
    with pytest.raises(InputError, match="there is no column 'zzz'; there are 'top-left', "):
        files.split_target(table, "zzz")
    with pytest.raises(InputError, match="cannot be dropped"):
        files.split_target(table, "won", drop=["won"])
    with pytest.raises(InputError, match="no column is left"):
        files.split_target(table, "won", drop=table.names[:-1])


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    files.write_atomically(path, "old")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        files.write_atomically(path, "new and longer")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    monkeypatch.undo()
    files.write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o444


def test_a_full_disk_is_told_with_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left") as caught:
        files.write_atomically(tmp_path / "page.html", "x")
    assert caught.value.filename == str(tmp_path / "page.html")

    def gone(name, *_):
        raise FileNotFoundError(2, "No such file or directory", str(name))

    monkeypatch.setattr(os, "open", gone)
    with pytest.raises(OSError, match="No such file") as caught:
        files.write_atomically(tmp_path / "page.html", "x")
    assert caught.value.filename == str(tmp_path / "page.html")


def test_a_file_that_is_written_anew_is_as_secret_as_it_was(tmp_path):
    path = tmp_path / ("n" * 250)  # as long as a name may be
    files.write_atomically(path, "old")
    path.chmod(0o600)
    files.write_atomically(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name != "posix", reason="needs a mask")
def test_a_new_file_is_as_open_as_the_system_says_and_the_mask_is_left_alone(tmp_path, monkeypatch):
    """The mask was set to 0 to be read: of two threads that wrote at once, one gave that back to all."""
    before = os.umask(0o027)
    try:
        monkeypatch.setattr(os, "umask", lambda _: pytest.fail("the mask belongs to all threads"))
        files.write_atomically(tmp_path / "page.html", "x")
    finally:
        monkeypatch.undo()
        os.umask(before)
    assert (tmp_path / "page.html").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(os.name != "posix", reason="needs links, and folders that may go")
def test_writing_to_nowhere(tmp_path, monkeypatch):
    (tmp_path / "loop.json").symlink_to("loop.json")
    with pytest.raises(TableFileError, match="loop.json is a link that leads back to itself"):
        files.check_writable(tmp_path / "loop.json")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here").rmdir()
    with pytest.raises(TableFileError, match="the folder to write page.html into is gone"):
        files.check_writable(Path("page.html"))


def test_writing_into_no_folder(tmp_path):
    with pytest.raises(TableFileError, match="there is no folder"):
        files.write_atomically(tmp_path / "nowhere" / "page.html", "x")


@pytest.mark.parametrize(("room", "reads"), [(1, 5), (40, 3), (10**6, 1)])
def test_parquet_is_read_a_few_columns_at_a_time(tmp_path, monkeypatch, room, reads):
    pq.write_table(pa.table({f"c{i}": [i, i + 1] for i in range(5)}), tmp_path / "t.parquet")
    monkeypatch.setattr("paclearn.tables.arrow_tables._BLOCK_BYTES", room)
    read = []
    original = pq.ParquetFile.read
    monkeypatch.setattr(
        pq.ParquetFile, "read", lambda self, columns: read.append(columns) or original(self, columns=columns)
    )
    table = open_table(tmp_path / "t.parquet")
    assert [table.column(i).to_list() for i in range(5)] == [[i, i + 1] for i in range(5)]
    assert len(read) == reads


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_million_rows_from_parquet_to_the_best_pair(tmp_path):
    """Peak memory of a process of its own stays under three times the packed size plus 500 MB."""
    import subprocess

    rng = np.random.default_rng(0)
    columns = {f"level{i}": pa.array(rng.integers(0, 5, 1_000_000).astype(np.int8)) for i in range(8)}
    columns |= {f"number{i}": pa.array(rng.normal(size=1_000_000)) for i in range(8)}
    label = (columns["level3"].to_numpy() > 2) ^ (columns["number7"].to_numpy() > 0)
    pq.write_table(pa.table({**columns, "y": label}), tmp_path / "big.parquet")
    del columns
    code = f"""
from pathlib import Path
from paclearn import JuntaClassifier, open_table
from paclearn.tables.files import split_target
X, y = split_target(open_table({str(tmp_path / "big.parquet")!r}), "y")
model = JuntaClassifier(k=2, n_bins=8).fit(X, y)
bits = sum(size - 1 for size in model.domain_.sizes)
# not ru_maxrss, which a new process inherits from the one that started it
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(*model.subset_, bits * 1_000_000 // 8, int(peak.split()[1]) * 1024)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    first, second, packed, peak = done.stdout.split()
    assert {first, second} == {"level3", "number7"}
    assert int(peak) < 3 * int(packed) + 500e6, (int(peak) / 1e6, int(packed) / 1e6)


def test_pandas_round_trip_gives_the_same_domain(tmp_path):
    data = pd.DataFrame({"a": ["x", None, "y"] * 10, "b": [1.5, 2.5, None] * 10, "c": [True, False, None] * 10})
    data.to_parquet(tmp_path / "t.parquet")
    assert BooleanEncoder().fit(open_table(tmp_path / "t.parquet")).domain_ == BooleanEncoder().fit(data).domain_
