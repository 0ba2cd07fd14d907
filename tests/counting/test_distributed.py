"""Tables of Dask: learned from where the rows are, with the bytes of a fit in memory, whatever becomes of a worker."""

import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paclearn import (
    FourierSelector,
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
)
from paclearn.counting import BitTable, remote_engine, worker_tables
from paclearn.counting.remote_engine import joined
from paclearn.distributed import using
from paclearn.exceptions import (
    EmptyTableError,
    IncompleteSearchWarning,
    InputError,
    InputTypeError,
    TargetError,
    TooLargeError,
)
from paclearn.export import to_json
from paclearn.learners.spectral import spectral_base
from paclearn.learners.spectral.tuning import TUNING
from paclearn.search import ZeroOneScore
from paclearn.tables import remote_files


@given(st.integers(0, 10**6), st.integers(1, 1500), st.integers(1, 9), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_shards_join_to_the_bits_of_all_rows(seed, n, n_shards, n_classes):
    """Wherever they end, in the middle of a word as well; some are empty, and some lack a class."""
    rng = np.random.default_rng(seed)
    sizes, classes = [2, 5, 3, 2], np.sort(rng.integers(0, 3, n)).astype(np.int32) % n_classes
    codes = [rng.integers(0, size, n).astype(np.uint8) for size in sizes]
    edges = [0, *sorted(rng.integers(0, n + 1, n_shards - 1).tolist()), n]
    shards = [
        BitTable.pack([c[a:b] for c in codes], sizes, classes[a:b], n_classes) if b > a else None
        for a, b in pairwise(edges)
    ]
    found, wanted = joined(shards), BitTable.pack(codes, sizes, classes, n_classes)
    for name in ("words", "sizes", "class_starts", "class_rows"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))


def test_workers_forget_a_table_that_nobody_asks_for():
    codes = [np.arange(90, dtype=np.uint8) % 2] * 3
    table = BitTable.pack(codes, [2] * 3, np.arange(90) % 2, 2)
    fused = ZeroOneScore(2).fused(90.0)
    assert worker_tables.scan_at_hand(table, fused) is worker_tables.scan_at_hand(table, fused)
    before = len(worker_tables._AT_HAND)
    del table
    gc.collect()
    assert len(worker_tables._AT_HAND) == before - 1


distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")


@pytest.fixture(scope="module")
def client():
    """Two processes on this machine."""
    with (
        distributed.LocalCluster(n_workers=2, **remote_files.LOCAL) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def frame_and_label(n=3000):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({f"c{i}": rng.choice(["a", "b", "c", None], n) for i in range(8)})
    frame["number"], frame["day"] = (
        rng.normal(size=n),
        pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), "D"),
    )
    label = np.where((frame["c3"] == "a") ^ (frame["number"] > 0), "yes", "no")
    label[:700] = "no"  # parts of one class
    return frame, pd.Series(label, name="y")


def parts_of(frame, label):
    """Delayed parts, one of them empty."""
    edges = [0, 700, 700, 1500, 2900, 3000]
    cut = [(frame.iloc[a:b], label.iloc[a:b]) for a, b in pairwise(edges)]
    return [dask.delayed(x) for x, _ in cut], [dask.delayed(y) for _, y in cut]


def select(X, y, **more):
    return FourierSelector(3, redundancy=False, numeric="bins").fit(X, y, **more).subsets_.to_json()


def select_closely(X, y, **more):
    found = FourierSelector(3, n_candidates=4, random_state=0).fit(X, y, **more)
    return str([found.selected_, found.redundant_, found.threshold_, found.subsets_.to_dict()])


def select_of_some(X, y, **more):
    """What is not counted is looked at in some hundred rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("paclearn.learners.selection.closer_look._MOST_ROWS", 500)
        patch.setattr("paclearn.learners.selection.closer_look._FEWEST_ROWS", 500)
        bins = FourierSelector(3, numeric="bins", norm="l2", n_bootstrap=2, random_state=0).fit(X, y, **more)
        return select_closely(X, y, **more) + str([bins.selected_, bins.stability_, bins.subsets_.to_dict()])


def spectral(learner, X, y, **more):
    """Terms are chosen by some hundred rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spectral_base, "TUNING", replace(TUNING, enough_rows=600, enough_for_few=300))
        return to_json(learner.fit(X, y, **more).model_, "y")


LEARNERS = {
    "juntas": lambda X, y, **w: to_json(JuntaClassifier(k=range(1, 4)).fit(X, y, **w).model_, "y"),
    "juntas of bits": lambda X, y, **w: to_json(
        JuntaClassifier(k=2, unit="bit", measure="product").fit(X, y, **w).model_, "y"
    ),
    "spectral": lambda X, y, **w: spectral(SpectralClassifier(degree=2, n_terms=8, random_state=0), X, y, **w),
    "spectral in points": lambda X, y, **w: spectral(SpectralClassifier(max_terms=3, random_state=0), X, y, **w),
    "spectral of numbers": lambda X, y, **w: spectral(SpectralRegressor(degree=1, random_state=0), X, y, **w),
    "graphs": lambda X, y, **w: to_json(RegressionGraphClassifier(max_splits=6).fit(X, y, **w).model_, "y"),
    "graphs of numbers": lambda X, y, **w: to_json(RegressionGraphRegressor(max_splits=6).fit(X, y, **w).model_, "y"),
    "rules": lambda X, y, **w: str(find_rules(X, y, max_conditions=2, **w).to_dict()),
    "rules for numbers": lambda X, y, **w: str(find_rules(X, y, max_conditions=1, **w).to_dict()),
    "selection": select,
    "close selection": select_closely,
    "selection of some rows": select_of_some,
    "discovery": lambda X, y, **w: discover(X, y, **w).to_json(),
    "shuffles": lambda X, y, **w: discover(X, y, method="permutation", n_permutations=9, **w).to_json(),
    "juntas of numbers": lambda X, y, **w: to_json(JuntaRegressor(k=range(1, 3)).fit(X, y, **w).model_, "y"),
    "selection for numbers": select,
    "close selection for numbers": select_closely,
    "discovery for numbers": lambda X, y, **w: discover(X, y, **w).to_json(),
}


WEIGHTED = [
    ("juntas", "whole"),
    ("juntas of numbers", "relative"),
    ("spectral", "relative"),
    ("graphs of numbers", "whole"),
    ("spectral of numbers", "whole"),
    ("selection for numbers", "whole"),
    ("close selection for numbers", "whole"),
    ("selection of some rows", "relative"),
    ("discovery", "relative"),
    ("shuffles", "whole"),
    ("discovery for numbers", "whole"),
]


@pytest.mark.parametrize(("name", "weights"), [*((name, "none") for name in LEARNERS), *WEIGHTED])
def test_parts_on_workers_give_the_same_bytes(client, name, weights):
    """Of classes and of numbers; rows of weight nought are gone, and with them one of the parts."""
    frame, label = frame_and_label()
    rng = np.random.default_rng(3)
    if "numbers" in name:
        label = pd.Series((label == "yes") * 3.3 + rng.normal(size=len(label)), name="y")
    if weights == "none":
        assert LEARNERS[name](*parts_of(frame, label)) == LEARNERS[name](frame, label)
        return
    weight = pd.Series(rng.integers(0, 4, len(label)) * (1.0 if weights == "whole" else 0.1), name="w")
    weight[2900:] = 0.0
    if name == "discovery for numbers":  # asks the workers again for every pair that could echo another
        frame = frame[["c3", "c4", "c7", "number", "day"]]
    (X, y), (_, w) = parts_of(frame, label), parts_of(frame, weight)
    assert LEARNERS[name](X, y, sample_weight=w) == LEARNERS[name](frame, label, sample_weight=weight)


@pytest.mark.parametrize("name", ["juntas", "selection", "juntas of numbers", "discovery"])
def test_counts_are_added_where_no_worker_has_the_room_for_all_bits(client, name, monkeypatch):
    monkeypatch.setattr(remote_engine, "room_on_workers", lambda _: 0)
    frame, label = frame_and_label()
    frame = frame[["c1", "c3", "c4", "number"]]
    if "numbers" in name:
        label = pd.Series((label == "yes") * 3.3 + np.random.default_rng(3).normal(size=len(label)), name="y")
    assert LEARNERS[name](*parts_of(frame, label)) == LEARNERS[name](frame, label)


@pytest.mark.parametrize("n_parts", [1, 2, 7, 64])
def test_sums_of_parts_in_any_number_and_order(client, n_parts):
    frame, label = frame_and_label(600)
    number = pd.Series(1e5 + (label == "yes") * 3.3 + np.random.default_rng(4).normal(size=600), name="y")
    cut = list(pairwise(np.linspace(0, 600, n_parts + 1).astype(int)))
    cut = [cut[i] for i in np.random.default_rng(n_parts).permutation(n_parts)]
    X, y = ([dask.delayed(data.iloc[a:b]) for a, b in cut] for data in (frame.iloc[:, 3:], number))
    wanted = to_json(JuntaRegressor(k=2).fit(frame.iloc[:, 3:], number).model_, "y")
    assert to_json(JuntaRegressor(k=2).fit(X, y).model_, "y") == wanted


def test_redundant_columns_of_parts(client):
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(rng.normal(size=(1000, 4)), columns=list("abcd")).assign(word=rng.choice(["x", "y"], 1000))
    frame = frame.assign(e=frame["a"] - 2 * frame["c"], copy=frame["word"].map({"x": "p", "y": "q"}), same=1)
    parts = [dask.delayed(frame.iloc[a:b]) for a, b in ((600, 1000), (0, 0), (0, 600))]
    found, wanted = RedundancyFilter(depth=1).fit(parts), RedundancyFilter(depth=1).fit(frame)
    assert found.redundancies_.to_dict() == wanted.redundancies_.to_dict()
    assert list(found.redundancies_["feature"]) == ["same", "e", "copy"]
    assert found.get_feature_names_out().tolist() == [*"abcd", "word"]


@pytest.mark.parametrize("learner", [JuntaClassifier(), JuntaRegressor(), RedundancyFilter()], ids=str)
def test_a_table_without_rows(client, learner):
    frame, label = frame_and_label()
    rows = [dask.delayed(frame.iloc[:0])] * 2
    with pytest.raises(EmptyTableError, match="the table has no rows"):
        learner.fit(rows, [dask.delayed(label.iloc[:0])] * 2)


def test_columns_of_arrays_are_selected_as_in_memory(client):
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.normal(size=(800, 3)), rng.integers(0, 3, (800, 3))])
    y = (X[:, 1] > 0) ^ (X[:, 4] > 1)
    assert select_closely(da.from_array(X, chunks=(300, 2)), da.from_array(y, chunks=300)) == select_closely(X, y)


def test_shuffles_need_all_rows_on_a_worker(client, monkeypatch):
    monkeypatch.setattr("paclearn.learners.selection.shuffles.room_on_workers", lambda _: 1e3)
    with pytest.raises(TooLargeError, match=r"take about [\d.]+ kB, and the smallest has room for 1 kB; take larger"):
        LEARNERS["shuffles"](*parts_of(*frame_and_label()))


def test_arrays_of_dask(client):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, (2000, 12))
    y = (X[:, 2] > 0) ^ (X[:, 7] > 1)
    found = JuntaClassifier(k=2).fit(da.from_array(X, chunks=(300, 5)), da.from_array(y, chunks=300))
    assert to_json(found.model_, "y") == to_json(JuntaClassifier(k=2).fit(X, y).model_, "y")
    np.testing.assert_array_equal(found.predict(X), JuntaClassifier(k=2).fit(X, y).predict(X))


def test_a_worker_that_is_killed_costs_its_shards(client):
    """The fit goes on, and ends with the same bytes."""
    frame, label = frame_and_label()
    wanted = to_json(JuntaClassifier(k=2).fit(frame, label).model_, "y")
    X, y = parts_of(frame, label)
    slow = [dask.delayed(slowly)(x) for x in X]
    before = set(client.run(os.getpid).values())
    threading.Timer(0.7, os.kill, (min(before), signal.SIGKILL)).start()
    assert to_json(JuntaClassifier(k=2).fit(slow, y).model_, "y") == wanted
    assert set(client.run(os.getpid).values()) != before


def slowly(part):
    time.sleep(0.4)
    return part


def test_what_looks_at_single_rows_is_refused(client):
    frame, label = frame_and_label()
    X, y = parts_of(frame, label)
    with pytest.raises(InputTypeError, match="X is a lazy dask object; .*find_rules learn where the rows are"):
        RuleClassifier().fit(X, y)
    with pytest.raises(InputError, match="n_bins=None looks at single rows"):
        RegressionGraphClassifier(n_bins=None).fit(X, y)
    with pytest.raises(InputError, match="graphs learn from rows that count whole times"):
        RegressionGraphClassifier().fit(
            X, y, [dask.delayed(np.linspace)(0.1, 0.3, n) for n in (700, 0, 800, 1400, 100)]
        )
    with pytest.raises(InputError, match="a model of effects looks at single rows"):
        SpectralClassifier(max_effects=3).fit(X, y)
    with pytest.raises(InputError, match="a model of other bases, or of so many terms, looks at single rows"):
        spectral(SpectralClassifier(basis="orthonormal"), X, y)
    with pytest.raises(InputError, match="holdout looks at single rows"):
        JuntaClassifier(holdout=0.2).fit(X, y)
    with pytest.raises(TargetError, match="y has 4 partitions and X 5"):
        JuntaClassifier().fit(X, y[:-1])
    with pytest.raises(InputError, match="a partition of X has (700|0) rows and that of y (0|700)"):
        JuntaClassifier().fit(X, [y[1], y[0], *y[2:]])
    with pytest.raises(InputTypeError, match="X lies on a Dask cluster and sample_weight does not"):
        JuntaClassifier().fit(X, y, np.ones(len(frame)))
    with pytest.raises(InputError, match="sample_weight is zero everywhere"):
        JuntaClassifier().fit(X, y, [dask.delayed(np.zeros)(n) for n in (700, 0, 800, 1400, 100)])
    constant = da.full(100, 0.5, chunks=50)
    with pytest.raises(TargetError, match="the target 'y' is 0.5 in all 100 rows"):
        discover(constant[:, None], constant)


def test_a_search_that_was_stopped_goes_on_from_its_file(client, tmp_path, monkeypatch):
    """On workers, or in memory: the bits are the same ones."""
    frame, label = frame_and_label()
    wanted = to_json(JuntaClassifier(k=3).fit(frame, label).model_, "y")
    checkpoint, calls = tmp_path / "state", []
    best = remote_engine.RemoteScan.best

    def interrupted(self, *arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return best(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("paclearn.search.traversal._FIRST_BITS", 0)
        patch.setattr("paclearn.search.traversal._FIRST_STRETCH", 5)
        patch.setattr("paclearn.search.traversal.FusedWalk.seconds_a_stretch", 0.0)
        patch.setattr(remote_engine.RemoteScan, "best", interrupted)
        with pytest.warns(IncompleteSearchWarning, match="an interrupt"):
            JuntaClassifier(k=3, checkpoint=checkpoint).fit(*parts_of(frame, label))
    assert len(calls) == 3
    for rows in (parts_of(frame, label), (frame, label)):
        copy = tmp_path / f"copy{len(rows[0])}"
        (tmp_path / f"{copy.name}.k3").write_bytes((tmp_path / "state.k3").read_bytes())
        assert to_json(JuntaClassifier(k=3, checkpoint=copy).fit(*rows).model_, "y") == wanted


def test_another_client(client):
    rng = np.random.default_rng(6)
    X = rng.integers(0, 2, (400, 5))
    with using(client) as given:
        assert given is client
        found = JuntaClassifier(k=1).fit(da.from_array(X, chunks=100), da.from_array(X[:, 2], chunks=100))
    assert found.subset_ == ("x2",)


def test_no_client():
    array = da.zeros((10, 2), chunks=5)
    if distributed.client._get_global_client() is None:
        with pytest.raises(InputError, match="no client is active; make one with"):
            JuntaClassifier().fit(array, array[:, 0])


# ---- on the command line -------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """Three Parquet files of several row groups, with rows that lack a target and a type that differs."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    frame, label = frame_and_label()
    rows = np.arange(len(frame))
    whole = pa.Table.from_pandas(frame.assign(count=rows % 7, size=rows % 3, y=label.where(label.index % 50 > 0)))
    whole = whole.drop_columns([name for name in whole.column_names if name.startswith("__index")])
    (tmp_path / "parts").mkdir()
    for i, (a, b) in enumerate([(0, 1000), (1000, 2500), (2500, 3000)]):
        (tmp_path / "parts" / f"year={2020 + i}").mkdir()
        part = whole.slice(a, b - a)
        place = part.column_names.index("count")
        part = part.set_column(place, "count", part["count"].cast(pa.int32() if i == 1 else pa.int64()))
        pq.write_table(part, tmp_path / "parts" / f"year={2020 + i}" / "part.parquet", row_group_size=400)
    return tmp_path


def command(*words):
    from typer.testing import CliRunner

    from paclearn.cli.app import app

    return CliRunner().invoke(app, [str(word) for word in words])


def test_commands_on_a_scheduler_write_the_same_bytes(client, folder):
    address = client.scheduler.address
    common = ["fit", folder / "parts", "-t", "y", "--max-terms", 3, "--drop", "c1"]
    here, there = folder / "here.json", folder / "there.json"
    for path, more in ((here, []), (there, ["--scheduler", address])):
        done = command(*common, "-o", path, *more)
        assert done.exit_code == 0, done.output
    assert here.read_bytes() == there.read_bytes()
    asked = (["discover", "y"], ["discover", "count", "--weight", "size"], ["discover", "number"], ["rules", "y"])
    asked += (["select", "y", "-n", 3],)
    for name, target, *more in asked:
        words = [name, folder / "parts", "-t", target, "--json", *more]
        found = [command(*words, *place) for place in ([], ["--scheduler", address])]
        assert found[0].exit_code == 0, found[0].output
        assert found[0].output == found[1].output != "", words


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "rules"], "--model rules learns in memory, and --scheduler leaves rows on the workers"),
        (["-m", "junta", "--group", "c1"], "--group looks at single rows"),
        (["-m", "junta", "--weight", "y"], "the target 'y' cannot be the weight as well"),
        (["-m", "junta", "--drop", "c99"], "has no column 'c99'"),
    ],
)
def test_what_workers_cannot_do_is_refused(client, folder, words, message):
    done = command("fit", folder / "parts", "-t", "y", *words, "--scheduler", client.scheduler.address)
    assert isinstance(done.exception, InputError)
    assert message in str(done.exception)


def test_rows_on_workers_are_not_written(client, folder):
    words = ["select", folder / "parts", "-t", "y", "-o", folder / "s.csv", "--scheduler", client.scheduler.address]
    with pytest.raises(InputError, match="--output writes rows, which --scheduler leaves on the workers; leave out"):
        raise command(*words).exception
    assert not (folder / "s.csv").exists()


def test_tables_that_are_no_parquet_and_addresses_that_are_none(client, folder, monkeypatch):
    monkeypatch.setattr("paclearn.tables.remote_files._SECONDS", 0.5)
    frame_and_label()[0].to_csv(folder / "t.csv", index=False)
    for source, address, message in (
        ("t.csv", client.scheduler.address, "workers read Parquet files"),
        ("parts", "somewhere", "is no address; write tcp://host:port"),
        ("parts", "local:0", "is no address"),
        ("parts", "tcp://127.0.0.1:9", "no Dask scheduler answers at tcp://127.0.0.1:9"),
    ):
        done = command("fit", folder / source, "-t", "c0", "-m", "junta", "--scheduler", address)
        assert isinstance(done.exception, InputError)
        assert message in str(done.exception)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no signals that are held back")
def test_an_interrupt_while_workers_start_ends_them():
    class Cluster(contextlib.nullcontext):
        def __init__(self, **_):
            super().__init__()
            os.kill(os.getpid(), signal.SIGINT)
            child = [sys.executable, "-c", "import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, []))"]
            self.held_back = subprocess.run(child, capture_output=True, text=True, check=True).stdout

        def __exit__(self, *_):
            ended.append(self.held_back)

    ended, before = [], signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), remote_files._workers(SimpleNamespace(LocalCluster=Cluster), 2):
        pytest.fail("it was interrupted")
    assert "SIGINT" in ended[0]
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no process groups")
def test_an_interrupt_ends_a_local_cluster_with_one_line(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(0)
    columns = {f"c{i}": rng.choice(list("abcd"), 20_000) for i in range(120)}
    pq.write_table(pa.table(columns | {"y": rng.choice(["n", "p"], 20_000)}), tmp_path / "wide.parquet")
    words = ["fit", "wide.parquet", "-t", "y", "-m", "junta", "-k", "4", "-o", "m.json", "--scheduler", "local:1"]
    (tmp_path / "scratch").mkdir()
    running = subprocess.Popen(
        [sys.executable, "-m", "paclearn", *words],
        cwd=tmp_path,
        env=os.environ | {"TMPDIR": str(tmp_path / "scratch")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    import psutil  # which distributed needs

    process = psutil.Process(running.pid)
    while sum("spawn" in " ".join(child.cmdline()) for child in process.children(recursive=True)) < 1:
        time.sleep(0.1)
    time.sleep(2)  # nobody has scanned all sets of four by then; wherever it is, it ends alike
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)
    if running.returncode == 0:  # it was in the search, which then ends with the best so far, and says so
        assert json.loads((tmp_path / "m.json").read_text())
        assert [line.startswith("paclearn: note: ") for line in said.splitlines()] == [True]
        assert "an interrupt" in said
    else:
        assert (running.returncode, said) == (130, "paclearn: error: interrupted; nothing was written\n")
        assert not (tmp_path / "m.json").exists()
    assert not list((tmp_path / "scratch").iterdir())
    for _ in range(50):  # its workers are gone with it, or nearly
        try:
            os.killpg(running.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("a worker is left")
