"""Tables of Dask: learned from where the rows are, with the bytes of a fit in memory, whatever becomes of a worker."""

import os
import signal
import threading
import time
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from paclearn import FourierSelector, JuntaClassifier, JuntaRegressor, SpectralClassifier, discover
from paclearn.counting import BitTable
from paclearn.counting.remote_engine import joined
from paclearn.distributed import using
from paclearn.exceptions import InputError, InputTypeError, TargetError
from paclearn.export import to_json


def test_shards_join_to_the_bits_of_all_rows():
    rng = np.random.default_rng(0)
    sizes, classes = [2, 5, 3, 2], rng.integers(0, 3, 1500).astype(np.int32)
    codes = [rng.integers(0, size, 1500).astype(np.uint8) for size in sizes]
    edges = [0, 7, 7, 600, 601, 1500]
    shards = [
        BitTable.pack([c[a:b] for c in codes], sizes, classes[a:b], 3) if b > a else None for a, b in pairwise(edges)
    ]
    found, wanted = joined(shards), BitTable.pack(codes, sizes, classes, 3)
    for name in ("words", "sizes", "class_starts", "class_rows"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))


distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")


@pytest.fixture(scope="module")
def client():
    """Two processes on this machine."""
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
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


LEARNERS = {
    "juntas": lambda X, y: to_json(JuntaClassifier(k=range(1, 4)).fit(X, y).model_, "y"),
    "juntas of bits": lambda X, y: to_json(JuntaClassifier(k=2, unit="bit", measure="product").fit(X, y).model_, "y"),
    "selection": lambda X, y: FourierSelector(3, redundancy=False, numeric="bins").fit(X, y).subsets_.to_json(),
    "discovery": lambda X, y: discover(X, y).to_json(),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_parts_on_workers_give_the_same_bytes(client, name):
    frame, label = frame_and_label()
    assert LEARNERS[name](*parts_of(frame, label)) == LEARNERS[name](frame, label)


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
    for learner in (SpectralClassifier(), JuntaRegressor()):
        with pytest.raises(InputTypeError, match="X is a lazy dask object; .*discover learn where the rows are"):
            learner.fit(X, y)
    with pytest.raises(InputError, match="holdout looks at single rows"):
        JuntaClassifier(holdout=0.2).fit(X, y)
    with pytest.raises(InputError, match="redundancy looks at single rows"):
        FourierSelector().fit(X, y)
    with pytest.raises(TargetError, match="y has 4 partitions and X 5"):
        JuntaClassifier().fit(X, y[:-1])
    with pytest.raises(InputError, match="a partition of X has (700|0) rows and that of y (0|700)"):
        JuntaClassifier().fit(X, [y[1], y[0], *y[2:]])
    numbers = da.from_array(np.arange(100), chunks=50)
    with pytest.raises(TargetError, match="the target 'y' is a number"):
        discover(numbers[:, None], numbers)


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
