"""Tables in blocks: the same domain, codes and models as of the same rows in one piece."""

import datetime as dt
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import feather
from registry import ESTIMATORS
from sklearn.base import clone
from typer.testing import CliRunner

from paclearn import (
    BooleanEncoder,
    FourierSelector,
    HalfspaceClassifier,
    JuntaClassifier,
    JuntaRegressor,
    RedundancyFilter,
    RegressionGraphClassifier,
    RegressionGraphRegressor,
    RuleClassifier,
    SpectralClassifier,
    SpectralRegressor,
    discover,
    find_rules,
    open_table,
)
from paclearn.cli.app import app
from paclearn.encoding import EncodingRules, learn_and_encode, quantile_slots, summaries
from paclearn.exceptions import ColumnError, InputError, ScratchError, TableFileError, TooLargeError
from paclearn.export import to_json
from paclearn.learners.footprints import FOOTPRINTS
from paclearn.learners.spectral.tuning import TUNING
from paclearn.tables import memory, scratch
from paclearn.tables.arrow_tables import ArrowTable
from paclearn.tables.blocks import blocks_of, comes_in_blocks
from paclearn.tables.files import row_blocks, split_target
from paclearn.tables.folders import JoinedTable
from paclearn.tables.table import ColumnSubset, FrameTable, RowSubset
from paclearn.tables.weights import counts_or_shares

RULES = (EncodingRules(4, 5, 16), EncodingRules(8, 0.01, 64), EncodingRules(3, 1, 4))


def in_memory(table):
    return FrameTable.of(nw.from_native(table, eager_only=True))


def in_blocks(table, ends):
    """The rows of a table in parts that end where it is said; some may be empty."""
    edges = [0, *sorted(ends), table.num_rows]
    parts = [in_memory(table.slice(a, b - a)) for a, b in pairwise(edges)]
    return JoinedTable([ArrowTable(p.columns, p.names) for p in parts], [f"part {i}" for i in range(len(parts))])


def same(one, other):
    """Domains and codes of two ways to read a table."""
    (domain, codes), (wanted, right) = one, other
    assert domain == wanted
    for found, expected in zip(codes, right, strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def all_kinds(rng, n):
    """A column of every kind that a file may hold, with heaps, gaps, keys and moments."""
    words = rng.choice(["red", "green", "blue", None], n, p=[0.5, 0.3, 0.15, 0.05])
    skewed = np.where(rng.random(n) < 0.7, 0.0, np.round(rng.exponential(50, n), 1))
    days = rng.integers(0, 500, n)
    start = np.datetime64("2021-03-14T00:00:00", "s") + days * np.timedelta64(86400, "s")
    end = start + rng.integers(-10, 90, n) * np.timedelta64(3600, "s")
    large = np.where(rng.random(n) < 0.01, 2**60 + 1, rng.integers(0, 5, n))
    small = rng.integers(-3, 9, n).astype(object)
    small[rng.random(n) < 0.1] = None
    return pa.table(
        {
            "word": pa.array(words.tolist()),
            "rare": pa.array([f"w{i}" for i in rng.geometric(0.2, n)]),
            "flag": pa.array(rng.random(n) < 0.3),
            "normal": pa.array(rng.normal(size=n)),
            "skewed": pa.array(skewed),
            "small": pa.array(small.tolist()),
            "wide": pa.array(rng.integers(-1000, 1000, n)),
            "large": pa.array(large.tolist()),
            "key": pa.array(rng.permutation(10 * n)[:n]),
            "row": pa.array(np.arange(n)),
            "name": pa.array([f"id {i}" for i in rng.permutation(n)]),
            "start": pa.array(start),
            "end": pa.array(end),
            "constant": pa.array([1.5] * n),
            "nothing": pa.array([None] * n, pa.float64()),
        }
    )


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.integers(8, 400), st.lists(st.floats(0, 1), max_size=8), st.sampled_from(RULES))
def test_blocks_of_any_number_say_what_one_table_says(seed, n, cuts, rules):
    table = all_kinds(np.random.default_rng(seed), n)
    ends = [int(cut * n) for cut in cuts]
    same(learn_and_encode(in_blocks(table, ends), rules), learn_and_encode(in_memory(table), rules))


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6), st.integers(8, 300), st.lists(st.floats(0, 1), max_size=8), st.booleans(), st.booleans())
def test_weighted_rows_in_blocks_say_what_one_table_says(seed, n, cuts, whole, few):
    """Whole and relative weights, and numbers that are counted between some of them."""
    rng = np.random.default_rng(seed)
    table, ends = all_kinds(rng, n).drop_columns("row"), [int(cut * n) for cut in cuts]
    weights = counts_or_shares(rng.integers(1, 6, n) * (1.0 if whole else 0.1))
    with pytest.MonkeyPatch.context() as patch:
        if few:
            patch.setattr(summaries, "MOST_NUMBERS", 16)
        found, wanted = (learn_and_encode(t, RULES[0], weights) for t in (in_blocks(table, ends), in_memory(table)))
    same(found, wanted)


@pytest.mark.parametrize("n_blocks", [1, 2, 7, 64])
def test_numbers_that_are_too_many_to_keep(monkeypatch, n_blocks):
    """Cuts are exact in a few passes, and keys are told from measurements, however few numbers are kept."""
    rng = np.random.default_rng(n_blocks)
    n = 5000
    table = pa.table(
        {
            "normal": rng.normal(size=n),
            "heap": np.where(rng.random(n) < 0.6, -1.0, rng.normal(size=n)),
            "hidden heap": np.where(rng.random(n) < 0.97, 0.3333, rng.normal(size=n)),
            "two heaps": np.where(rng.random(n) < 0.5, rng.choice([0.25, 0.75], n), rng.random(n)),
            "whole": rng.integers(0, 3000, n),
            "customer id": rng.permutation(10 * n)[:n],
            "days": np.datetime64("2020-01-01T00:00:00", "s") + rng.integers(0, 10**8, n).astype("timedelta64[s]"),
        }
    )
    ends = np.linspace(0, n, n_blocks + 1).astype(int)[1:-1].tolist()
    for most, rules in ((16, EncodingRules(4, 5, 16)), (300, EncodingRules(15, 5, 16))):
        monkeypatch.setattr(summaries, "MOST_NUMBERS", most)
        same(learn_and_encode(in_blocks(table, ends), rules), learn_and_encode(in_memory(table), rules))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(-50, 50), min_size=40, max_size=300), st.integers(2, 12), st.integers(0, 5))
def test_slots_find_the_cuts_of_all_numbers(numbers, n_bins, every):
    from paclearn.encoding.learning import cut_places, cuts_between

    values = np.array(numbers, dtype=float)
    known, counts = np.unique(values, return_counts=True)
    if len(known) <= n_bins:
        return
    some = np.unique(np.concatenate([known[:: every + 2], [values.min(), values.max()]]))
    slots = quantile_slots.Slots(some, quantile_slots.count_slots(values, some))
    while len(gaps := slots.to_open(n_bins)):
        slots = slots.opened(gaps, *quantile_slots.numbers_in_gaps(values, slots.numbers, gaps))
    assert slots.counts.sum() == len(values)
    places = cut_places(counts.astype(float), n_bins)
    assert slots.cuts(n_bins) == cuts_between(known[places], known[places + 1])


def test_words_beyond_the_cap_are_set_aside_either_way(monkeypatch):
    monkeypatch.setattr(summaries, "MOST_WORDS", 40)
    from paclearn.encoding import set_aside

    monkeypatch.setattr(set_aside, "MOST_WORDS", 40)
    rng = np.random.default_rng(0)
    table = pa.table({"many": [f"w{i}" for i in rng.integers(0, 60, 900)], "few": rng.integers(0, 3, 900)})
    found = learn_and_encode(in_blocks(table, [100, 300]), RULES[0])
    same(found, learn_and_encode(in_memory(table), RULES[0]))
    assert found[0].dropped == (("many", "an id, a key or free text: more than 40 different ones"),)


def test_some_rows_and_columns_of_blocks():
    rng = np.random.default_rng(3)
    table = all_kinds(rng, 400)
    blocks, whole = in_blocks(table, [0, 57, 57, 300]), in_memory(table)
    rows = np.sort(rng.choice(400, 250))
    some = [RowSubset(ColumnSubset(t, (3, 0, 11, 12)), rows) for t in (blocks, whole)]
    assert comes_in_blocks(some[0])
    assert not comes_in_blocks(some[1])
    same(*(learn_and_encode(t, RULES[0]) for t in some))
    assert [block.start for block in blocks_of(blocks)] == [0, 57, 300]


def test_codes_beyond_the_room_lie_on_disk(monkeypatch, tmp_path):
    table = all_kinds(np.random.default_rng(5), 900)
    wanted = learn_and_encode(in_memory(table), RULES[0])
    monkeypatch.setenv("PACLEARN_MEMORY", "1kB")
    monkeypatch.setattr(memory, "_LEAST_SPARE", 0)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(scratch.tempfile, "tempdir", None)
    found = learn_and_encode(in_blocks(table, [100, 650]), RULES[0])
    assert found[1]._file is not None
    assert not list(tmp_path.iterdir()), "a file without a name leaves nothing behind"
    same(found, wanted)


def test_no_room_on_disk(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scratch.os, "posix_fallocate", full)
    with pytest.raises(ScratchError, match=r"a scratch file of 3 kB does not fit in .*No space left.*set TMPDIR"):
        scratch.scratch_file(3000)


@pytest.mark.parametrize(("text", "size"), [("8GB", 8e9), ("500 mb", 5e8), ("2GiB", 2**31), ("1.5g", 1.5e9)])
def test_sizes(text, size):
    assert memory.bytes_of(text) == size


def test_no_size():
    with pytest.raises(InputError, match="memory='much' is no size; write it as 8GB"):
        memory.bytes_of("much")


# ---- files -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """Five files of one table, and the table."""
    rng = np.random.default_rng(11)
    whole = all_kinds(rng, 1000).append_column("y", pa.array(rng.choice(["no", "yes"], 1000)))
    for i, (a, b) in enumerate([(0, 300), (300, 301), (301, 301), (301, 800), (800, 1000)]):
        pq.write_table(whole.slice(a, b - a), tmp_path / f"part-{i}.parquet", row_group_size=128)
    (tmp_path / "_SUCCESS").write_text("")
    return tmp_path, whole


@pytest.mark.parametrize("how", ["folder", "pattern", "list", "text"])
def test_files_are_one_table(folder, how):
    path, whole = folder
    places = {
        "folder": path,
        "pattern": str(path / "*.parquet"),
        "list": sorted(path.glob("*.parquet")),
        "text": str(path),
    }
    table = open_table(places[how])
    assert table.names == tuple(whole.column_names)
    assert table.n_rows == 1000
    same(learn_and_encode(table, RULES[0]), learn_and_encode(in_memory(whole), RULES[0]))


def test_a_model_of_files_is_the_model_of_their_rows(folder):
    path, whole = folder
    X, y = split_target(open_table(path), "y")
    wanted = JuntaClassifier(k=2, holdout=0.25, random_state=1).fit(whole.drop_columns("y"), whole["y"])
    found = JuntaClassifier(k=2, holdout=0.25, random_state=1).fit(X, y)
    assert to_json(found.model_, "y") == to_json(wanted.model_, "y")


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_long_file_comes_in_blocks(tmp_path, monkeypatch, ending):
    whole = all_kinds(np.random.default_rng(4), 9000)
    path = tmp_path / f"long.{ending}"
    if ending == "parquet":
        pq.write_table(whole, path, row_group_size=5000)
    else:
        feather.write_feather(whole, path, chunksize=5000)
    assert not comes_in_blocks(open_table(path))
    monkeypatch.setattr("paclearn.tables.blocks._MOST_CELLS", 1000)
    monkeypatch.setattr("paclearn.tables.blocks._MOST_ROWS", 4096)
    table = open_table(path)
    assert comes_in_blocks(table)
    assert [block.n_rows for block in blocks_of(table)][:2] == [4096, 4096] or ending == "parquet"
    same(learn_and_encode(table, RULES[0]), learn_and_encode(in_memory(whole), RULES[0]))


class Asked:
    """A table in blocks that notes how many columns are read together."""

    open_bytes, is_long = 0, True

    def __init__(self, table):
        self.table, self.names, self.n_rows, self.most = table, table.names, table.n_rows, 0

    def column(self, position):
        return self.table.column(position)

    def blocks(self, positions):
        self.most = max(self.most, len(positions))
        return self.table.blocks(positions)


@pytest.mark.parametrize("at_once", [1, 4])
def test_some_columns_are_read_at_a_time(monkeypatch, at_once):
    """Pages of every column that is read lie in memory, so they are few; what is learned is the same."""
    monkeypatch.setattr("paclearn.encoding.block_passes.columns_at_once", lambda: at_once)
    monkeypatch.setattr(summaries, "MOST_NUMBERS", 50)
    whole = all_kinds(np.random.default_rng(at_once), 400).drop_columns(["start", "end"])
    table = Asked(in_blocks(whole, [100, 100, 250]))
    same(learn_and_encode(table, RULES[0]), learn_and_encode(in_memory(whole), RULES[0]))
    assert table.most == at_once
    with_dates = all_kinds(np.random.default_rng(at_once), 400)  # of which two are looked at together
    same(learn_and_encode(in_blocks(with_dates, [200]), RULES[0]), learn_and_encode(in_memory(with_dates), RULES[0]))


def test_columns_at_once_are_as_many_as_there_is_room_for():
    with memory.at_most("300MB"):
        assert memory.columns_at_once() == 8
        assert (memory.room_for_counting(), memory.room_for_scratch()) == (2**22, 2**20)
    with memory.at_most("1GB"):
        assert 8 < memory.columns_at_once() < 64
    with memory.at_most("1TB"):
        assert memory.columns_at_once() == 64


def test_a_wide_file_is_asked_for_its_columns_once(tmp_path, monkeypatch):
    """What pyarrow calls the schema of a file is made anew whenever it is asked for."""
    pq.write_table(pa.table({f"c{i}": [i, 1] for i in range(50)}), tmp_path / "wide.parquet")
    asked = []
    schema = pq.ParquetFile.schema_arrow
    monkeypatch.setattr(pq.ParquetFile, "schema_arrow", property(lambda file: asked.append(1) or schema.fget(file)))
    table = open_table(tmp_path / "wide.parquet")
    assert len(table.types) == 50
    assert len(asked) == 1


def test_other_files_of_a_table_are_named(tmp_path):
    first = pa.table({"a": [1, 2], "b": ["x", "y"]})
    others = {
        "has no column 'b', which": pa.table({"a": [1]}),
        "has a column 'c', which": pa.table({"a": [1], "b": ["x"], "c": [1]}),
        "column 'a' holds text in": pa.table({"a": ["x"], "b": ["x"]}),
        "column 'b' holds dates in": pa.table({"a": [1], "b": [dt.date(2025, 1, 1)]}),
    }
    pq.write_table(first, tmp_path / "a.parquet")
    for message, other in others.items():
        pq.write_table(other, tmp_path / "b.parquet")
        with pytest.raises(TableFileError, match=message):
            open_table(tmp_path)


def test_numbers_of_other_widths_and_empty_columns_are_one_kind(tmp_path):
    pq.write_table(pa.table({"a": pa.array([1, 2], pa.int32()), "b": ["x", "y"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"b": pa.array([None, None]), "a": [0.5, None]}), tmp_path / "b.parquet")
    table = open_table(tmp_path)
    assert table.column(0).to_list() == [1.0, 2.0, 0.5, None]
    assert table.column(1).to_list() == ["x", "y", None, None]


def test_a_file_cut_short_is_named(folder):
    path, _ = folder
    cut = path / "part-3.parquet"
    cut.write_bytes(cut.read_bytes()[:-500])
    with pytest.raises(TableFileError, match=r"part-3\.parquet is not a Parquet file"):
        open_table(path)


def test_a_file_damaged_in_the_middle_is_named(folder):
    path, _ = folder
    table = open_table(path)
    damaged = path / "part-3.parquet"
    content = bytearray(damaged.read_bytes())
    content[4:4000] = bytes(3996)
    damaged.write_bytes(content)
    with pytest.raises(TableFileError, match=r"part-3\.parquet is damaged"):
        learn_and_encode(table, RULES[0])


def test_numbers_that_are_no_longer_what_was_written(tmp_path):
    """Pages may come with a checksum, without which other bytes are other numbers."""
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.normal(size=4000), "y": rng.choice(["no", "yes"], 4000)})
    path = tmp_path / "t.parquet"
    pq.write_table(table, path, use_dictionary=["y"], compression="none", write_page_checksum=True)
    JuntaClassifier(k=1).fit(*split_target(open_table(path), "y"))
    data = bytearray(path.read_bytes())
    data[9000:9008] = bytes(8)
    path.write_bytes(data)
    with pytest.raises(TableFileError, match=r"t.parquet is damaged: .*checksum"):
        JuntaClassifier(k=1).fit(*split_target(open_table(path), "y"))


def test_nothing_there(tmp_path):
    with pytest.raises(TableFileError, match="holds no files"):
        open_table(tmp_path)
    with pytest.raises(TableFileError, match="no file is called"):
        open_table(tmp_path / "*.parquet")
    with pytest.raises(TableFileError, match="no files were named"):
        open_table([])
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "b.txt").write_text("a,b\n1,2\n")
    with pytest.raises(TableFileError, match=r"several kinds \(\.csv, \.txt\)"):
        open_table(tmp_path)


def test_folders_that_say_what_a_column_holds(tmp_path):
    """As Spark, Dask and Arrow write them; a column that a file has itself is not taken from its folder."""
    rows = pa.table({"x": np.arange(12.0), "inner": ["a", "b"] * 6})
    names = ["year=2020/kind=a%20b/inner=1", "year=2020/kind=c/inner=1", "year=2021/kind=__HIVE_DEFAULT_PARTITION__"]
    for i, name in enumerate(names):
        (tmp_path / "all=1" / name).mkdir(parents=True)
        pq.write_table(rows.slice(4 * i, 4), tmp_path / "all=1" / name / "part-0.parquet")
    table = open_table(tmp_path / "all=1")
    assert table.names == ("x", "inner", "year", "kind")
    wanted = {"inner": ["a", "b"] * 6, "year": [2020] * 8 + [2021] * 4, "kind": ["a b"] * 4 + ["c"] * 4 + [None] * 4}
    for positions in ([0, 1, 2, 3], [3, 1], [2, 3]):
        found = {name: [] for name in table.names}
        for block in blocks_of(table, positions):
            for i in positions:
                found[table.names[i]] += block.column(i).to_list()
        for name in (table.names[i] for i in positions):
            whole = table.column(table.names.index(name)).to_list()
            assert whole == found[name] == wanted.get(name, list(range(12))), name
    (tmp_path / "all=1" / "kind=d").mkdir()
    pq.write_table(rows, tmp_path / "all=1" / "kind=d" / "part-0.parquet")
    with pytest.raises(TableFileError, match="has a column 'year', which .* has not"):
        open_table(tmp_path / "all=1")


def test_text_files_are_one_table(tmp_path):
    for i in range(3):
        rows = "".join(f"{j},{'a' if j % 3 else 'b'},{j / 7:.2f}\n" for j in range(40 * i, 40 * i + 40))
        (tmp_path / f"{i}.csv").write_text("n,word,share\n" + rows)
    table = open_table(tmp_path / "*.csv")
    assert table.n_rows == 120
    whole = "n,word,share\n" + "".join((tmp_path / f"{i}.csv").read_text().partition("\n")[2] for i in range(3))
    (tmp_path / "all.txt").write_text(whole)
    same(learn_and_encode(table, RULES[0]), learn_and_encode(open_table(tmp_path / "all.txt"), RULES[0]))


def test_a_large_text_file_is_read_in_blocks(tmp_path, monkeypatch):
    rng = np.random.default_rng(2)
    rows = "".join(
        f"{rng.normal():.3f};{rng.choice(['x', 'y'])};2025-01-{rng.integers(1, 28):02d}\n" for _ in range(2000)
    )
    path = tmp_path / "large.csv"
    path.write_text("number;word;day\n" + rows)
    wanted = learn_and_encode(open_table(path), RULES[0])
    monkeypatch.setattr("paclearn.tables.files.large_text", lambda: 1000)
    monkeypatch.setattr("paclearn.tables.blocks._LONGEST_COLUMN", 100)
    table = open_table(path)
    assert comes_in_blocks(table)
    same(learn_and_encode(table, RULES[0]), wanted)


def test_a_row_of_a_block_is_named_by_its_number_in_the_table():
    table = pa.table({"a": [1.0] * 50 + [float("inf")], "b": [0, 1, 2] * 17})
    with pytest.raises(ColumnError, match="the first in row 50"):
        learn_and_encode(in_blocks(table, [20, 45]), RULES[0])


# ---- learners --------------------------------------------------------------------------------------------------------


def fitted(learner, target):
    return lambda X, y: to_json(learner.fit(X, y).model_, target)


def selected(X, y, **settings):
    found = FourierSelector(n_features=3, random_state=0, **settings).fit(X, y)
    subsets = found.subsets_.to_dict() if hasattr(found.subsets_, "to_dict") else found.subsets_
    return str([found.selected_, found.redundant_, found.threshold_, getattr(found, "stability_", 0), subsets])


BY_CELLS = {"redundancy": False, "numeric": "bins"}


LEARNERS = {
    "JuntaClassifier": ("label", fitted(JuntaClassifier(k=range(1, 3)), "label")),
    "JuntaClassifier of bits": ("label", fitted(JuntaClassifier(k=2, unit="bit", measure="product"), "label")),
    "JuntaRegressor": ("number", fitted(JuntaRegressor(k=2), "number")),
    "FourierSelector": ("label", selected),
    "FourierSelector for numbers": ("number", selected),
    "FourierSelector by cells": ("label", lambda X, y: selected(X, y, **BY_CELLS)),
    "FourierSelector by cells, for numbers": ("number", lambda X, y: selected(X, y, **BY_CELLS)),
    "FourierSelector of bins": ("label", lambda X, y: selected(X, y, numeric="bins", norm="l2")),
    "FourierSelector of bits": ("label", lambda X, y: selected(X, y, unit="bit", n_bootstrap=3)),
    "discover": ("label", lambda X, y: discover(X, y).to_json()),
    "discover numbers": ("number", lambda X, y: discover(X, y, unit="bit").to_json()),
    "SpectralClassifier": ("label", fitted(SpectralClassifier(degree=2, n_terms=8, random_state=0), "label")),
    "SpectralClassifier of few terms": ("label", fitted(SpectralClassifier(max_terms=3, random_state=0), "label")),
    "SpectralRegressor": ("number", fitted(SpectralRegressor(degree=1, random_state=0), "number")),
    "RegressionGraphClassifier": ("label", fitted(RegressionGraphClassifier(), "label")),
    "RegressionGraphRegressor": ("number", fitted(RegressionGraphRegressor(), "number")),
    "RedundancyFilter": ("label", lambda X, y: str(RedundancyFilter(depth=1).fit(X).redundancies_.to_dict())),
    "find_rules": ("label", lambda X, y: str(find_rules(X, y, max_conditions=2).to_dict())),
    "find_rules for numbers": ("number", lambda X, y: str(find_rules(X, y, max_conditions=1).to_dict())),
}


@pytest.fixture(scope="module")
def table_with_targets():
    """With blocks of one class only: the label depends on the row's place as well."""
    rng = np.random.default_rng(8)
    n = 500
    table = all_kinds(rng, n).drop_columns(["large", "row", "nothing", "rare"])
    signal = (table["normal"].to_numpy() > 0) ^ (table["flag"].to_numpy(zero_copy_only=False))
    label = np.where(np.arange(n) < 100, "no", np.where(signal, "yes", rng.choice(["no", "maybe"], n)))
    number = 10 * signal + rng.normal(size=n)
    table = table.append_column("twice", pa.array(2 * table["normal"].to_numpy() - table["skewed"].to_numpy()))
    return table.append_column("label", pa.array(label)).append_column("number", pa.array(number))


@pytest.mark.parametrize("name", LEARNERS)
def test_models_of_blocks_have_the_same_bytes(table_with_targets, name, monkeypatch):
    target, learn = LEARNERS[name]
    small = replace(TUNING, enough_rows=200, enough_for_few=100)  # to choose by: the others are fitted to
    monkeypatch.setattr("paclearn.learners.spectral.spectral_base.TUNING", small)
    for module in ("redundancy_filter", "closer_look"):
        monkeypatch.setattr(f"paclearn.learners.selection.{module}._FEWEST_ROWS", 100)
        monkeypatch.setattr(f"paclearn.learners.selection.{module}._MOST_CELLS", 1000)
    table = table_with_targets.drop_columns([{"label": "number", "number": "label"}[target]])
    wanted = learn(table.drop_columns(target), table[target])
    for n_blocks in (1, 2, 7, 64):
        edges = np.linspace(0, len(table), n_blocks + 1).astype(int)
        parts = [table.slice(a, b - a) for a, b in pairwise(edges)]
        order = np.random.default_rng(n_blocks).permutation(n_blocks)
        shuffled = pa.concat_tables([parts[i] for i in order])
        sizes = np.cumsum([len(parts[i]) for i in order])
        X, y = split_target(in_blocks(shuffled, [0, *sizes[:-1].tolist()]), target)
        if n_blocks == 7:
            monkeypatch.setattr("paclearn.tables.scratch.room_for_scratch", lambda: 0)  # everything on disk
            monkeypatch.setattr("paclearn.counting.bits.room_for_counting", lambda: 0)
            monkeypatch.setattr("paclearn.encoding.block_passes.room_for_scratch", lambda: 0)
        assert learn(X, y) == wanted, n_blocks


def test_shuffled_targets_of_blocks(table_with_targets):
    """Rows are shuffled by their numbers, so blocks come in the order of the table."""
    table, target = table_with_targets.drop_columns("number"), "label"
    X, y = split_target(in_blocks(table, [0, 90, 300]), target)
    whole = table.drop_columns(target)
    settings = {"method": "permutation", "n_permutations": 5}
    assert discover(X, y, **settings).to_json() == discover(whole, table[target], **settings).to_json()
    model = JuntaClassifier(k=1).fit(whole, table[target])
    found, wanted = (model.permutation_test(rows, table[target], 9, 0) for rows in (X, whole))
    np.testing.assert_array_equal(found.shuffled, wanted.shuffled)


def test_halfspaces_take_steps_block_after_block(tmp_path):
    """Which is what `partial_fit` of the same rows in the same blocks does."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    label = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    table = pa.table({f"x{i}": X[:, i] for i in range(3)} | {"y": label})
    for i, (a, b) in enumerate([(0, 250), (250, 250), (250, 400), (400, 600)]):
        pq.write_table(table.slice(a, b - a), tmp_path / f"{i}.parquet")
    settings = {"solver": "online", "nu": 0.5, "B": 10.0, "random_state": 0}
    model, twin = HalfspaceClassifier(**settings), HalfspaceClassifier(**settings)
    sizes = []
    for rows, y in row_blocks(open_table(tmp_path), "y"):
        model.partial_fit(rows, y, classes=["no", "yes"])
        sizes.append(rows.n_rows)
    for a, b in [(0, 250), (250, 400), (400, 600)]:
        twin.partial_fit(table.slice(a, b - a).drop_columns("y"), label[a:b], classes=["no", "yes"])
    assert sizes == [250, 150, 200]
    rows = table.drop_columns("y")
    np.testing.assert_array_equal(model.predict_proba(rows), twin.predict_proba(rows))
    assert (model.predict(rows) == label).mean() > 0.9
    ((whole, y),) = row_blocks(in_memory(table), "y")
    assert (whole.n_rows, len(y)) == (600, 600)


# ---- memory ----------------------------------------------------------------------------------------------------------


def test_a_fit_that_does_not_fit_is_refused_with_a_number(table_with_targets):
    X, y = table_with_targets.drop_columns(["label", "number"]), table_with_targets["label"]
    with memory.at_most("300.5MB"):
        JuntaClassifier().fit(X, y)
        with pytest.raises(TooLargeError, match="RuleClassifier would take about 301 MB for 500 rows"):
            RuleClassifier().fit(X, y)
    with memory.at_most("100MB"), pytest.raises(TooLargeError, match="100 MB may be used; allow more"):
        discover(X, y)
    assert "PACLEARN_MEMORY" not in memory.os.environ


def test_what_is_known_of_a_file_counts(tmp_path):
    """Of every column in every group of rows; a fit that has no room for it is refused, and not killed."""
    rng = np.random.default_rng(0)
    table = pa.table({f"c{i}": rng.integers(0, 2, 400) for i in range(200)} | {"y": rng.choice(["a", "b"], 400)})
    pq.write_table(table, tmp_path / "few.parquet")
    pq.write_table(table, tmp_path / "many.parquet", row_group_size=2)
    (tmp_path / "year=2020").mkdir()
    pq.write_table(table, tmp_path / "year=2020" / "many.parquet", row_group_size=2)
    with memory.at_most("310MB"):
        JuntaClassifier().fit(*split_target(open_table(tmp_path / "few.parquet"), "y"))
        for place in ("many.parquet", "*.parquet", "year=*"):
            with pytest.raises(TooLargeError, match="would take about 348 MB for 400 rows|348 MB for 800 rows"):
                JuntaClassifier().fit(*split_target(open_table(tmp_path / place), "y"))


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if not isinstance(e, BooleanEncoder)], ids=str)
def test_every_estimator_refuses_what_does_not_fit(estimator):
    """With a number; the encoder keeps nothing of a table but its domain."""
    X = np.arange(40).reshape(10, 4) % 3
    with (
        memory.at_most("200MB"),
        pytest.raises(TooLargeError, match=r"would take about 3\d\d MB for 10 rows and 4 col"),
    ):
        clone(estimator).fit(X, X[:, 0])


def test_memory_on_the_command_line(tmp_path, table_with_targets):
    pq.write_table(table_with_targets, tmp_path / "t.parquet")
    common = [str(tmp_path / "t.parquet"), "-t", "label", "--drop", "number", "-o", str(tmp_path / "m.json")]
    done = CliRunner().invoke(app, ["fit", *common, "-m", "junta", "--memory", "1GB"])
    assert done.exit_code == 0, done.output
    refused = CliRunner().invoke(app, ["fit", *common, "--memory", "200MB"])
    assert isinstance(refused.exception, TooLargeError)
    folder = CliRunner().invoke(app, ["fit", str(tmp_path / "*.parquet"), *common[1:], "-m", "junta"])
    assert folder.exit_code == 0, folder.output


def test_the_guide_says_who_scales():
    guide = Path(__file__).parents[2] / "docs" / "guides" / "scale.md"
    if not guide.exists():
        pytest.skip("no guide beside an installed package")
    rows = [line for line in guide.read_text().splitlines() if line.startswith("| `")]
    said = {cells[1].strip().strip("`"): cells[2].strip() for cells in (line.split("|") for line in rows)}
    assert said == {name: found.how for name, found in FOOTPRINTS.items()}
