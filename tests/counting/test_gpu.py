"""The graphics card, as far as a machine without one can tell: its text compiles, nothing is lost, engines are chosen.

What the card itself counts is compared with the processor by ``python -m benchmarks.speed.gpu``.
"""

import ctypes
import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paclearn.counting import BitTable, NativeEngine, NumpyEngine, engine_for
from paclearn.counting import gpu_engine as engines
from paclearn.exceptions import InputError, SlowEngineWarning
from paclearn.kernels import dispatch, gpu_card, gpu_triples
from paclearn.kernels.gpu_fours import GpuFours
from paclearn.kernels.gpu_lists import unpacked
from paclearn.kernels.gpu_planes import PlaneSubsets
from paclearn.kernels.gpu_triples import GpuTriples
from paclearn.search import exhaustive
from paclearn.search.scores import ZeroOneScore

ROOM = 12  # triples on the list
needs_core = pytest.mark.skipif(not dispatch.available(), reason="cards stand beside the compiled core")


class ByHand:
    """Does what the kernels do, in numpy; the list has room for few."""

    k, n_bits = 3, 21

    @property
    def _bits(self):
        rows = np.unpackbits(self.words.view(np.uint8), axis=1, bitorder="little").astype(bool)
        starts = 64 * self.class_starts
        return [rows[:, starts[c] : starts[c] + self.class_rows[c]] for c in (0, 1)]

    def tiles_of(self, begin, end):
        return None

    def some_of(self, tiles):
        return tiles

    def numbers_of(self, members):
        return unpacked(members, self.n_bits, self.k)

    def launch(self, tiles, begin, end, least, *, probe):
        subsets = [s for s in combinations(range(len(self.words)), self.k) if begin <= s[0] < end]
        places = 2 ** (self.n_bits * np.arange(self.k - 1, -1, -1, dtype=np.uint64))
        members = np.array(subsets, dtype=np.uint64).reshape(-1, self.k) @ places
        rows = self._cells(members)
        sums = np.abs(rows[..., 1] - rows[..., 0]).sum(axis=1)
        if probe:
            own = np.arange(len(sums)) % 7  # threads, each of which leaves its best
            kept = [max(np.flatnonzero(own == t), key=lambda i: sums[i], default=-1) for t in range(7)]
            return np.array([sums[i] if i >= 0 else -1 for i in kept]), None, 7
        passed = np.flatnonzero(sums >= least)
        return sums[passed[:ROOM]], members[passed[:ROOM]], len(passed)


class TriplesByHand(ByHand, GpuTriples):
    def _cells(self, members):
        counts = np.empty((len(members), 2, 7), dtype=np.int64)
        for row, (i, j, k) in enumerate(self.numbers_of(members)):
            for c, bits in enumerate(self._bits):
                x, y, z = bits[i], bits[j], bits[k]
                counts[row, c] = [v.sum() for v in (x, y, z, x & y, x & z, y & z, x & y & z)]
        return gpu_triples._cells_of(counts, self.class_rows)


class FoursByHand(ByHand, GpuFours):
    k, n_bits = 4, 16


@dataclass(frozen=True, eq=False)
class BatchByHand:
    """Some subsets with their scores, in an order of the card's own."""

    members: np.ndarray
    scores: np.ndarray

    def score(self, floor, *, probe):
        if probe:
            return np.array([block.max() for block in np.array_split(self.scores, 5) if len(block)]), None, 5
        passed = np.flatnonzero(self.scores >= floor)[::-1]
        return self.scores[passed[:ROOM]], self.members[passed[:ROOM]], len(passed)


@dataclass(frozen=True, eq=False)
class PlanesByHand:
    """Does what the kernels do, in numpy; a first member is a batch."""

    table: BitTable
    score: ZeroOneScore

    def batches(self, k, begin, end):
        yield from (
            self._batch(k, firsts) for firsts in ([range(begin, end)] if k == 2 else np.arange(begin, end)[:, None])
        )

    def _batch(self, k, firsts):
        subsets = np.array([s for s in combinations(range(self.table.n_units), k) if s[0] in firsts], dtype=np.int32)
        subsets = subsets.reshape(-1, k)
        scores = self.score(NumpyEngine(self.table).counts(subsets)) if len(subsets) else np.empty(0)
        first = subsets[:, 0] + 1 if k == 3 else 0
        members = (np.uint64(2**42) * np.uint64(first)) + subsets[:, -2:].astype(np.uint64) @ np.uint64([2**21, 1])
        return BatchByHand(members, scores)


class PlaneEngine(NumpyEngine):
    def scan(self, fused):
        planes = PlanesByHand(self.table, ZeroOneScore(self.table.n_channels))
        lists = {k: PlaneSubsets(planes, k) for k in (2, 3)}
        return engines.CardScan(SimpleNamespace(best=by_numpy(self.table)), lists)


class HandEngine(NumpyEngine):
    def scan(self, fused):
        table = self.table
        parts = (table.words, table.class_starts, table.class_rows, fused.scale)
        lists = {3: TriplesByHand(*parts), 4: FoursByHand(*parts, lambda subsets: self.counts(subsets).values)}
        return engines.CardScan(SimpleNamespace(best=by_numpy(table)), lists)


def by_numpy(table):
    """Where the list runs over: all of them."""

    def best(k, begin, end, n_best, floor):
        found = np.array([t for t in combinations(range(table.n_units), k) if begin <= t[0] < end], dtype=np.int32)
        return found, ZeroOneScore(table.n_channels)(NumpyEngine(table).counts(found))

    return best


def table_of(seed, n, d):
    rng = np.random.default_rng(seed)
    bits = (rng.random((d, n)) < rng.uniform(0.1, 0.9, (d, 1))).astype(np.uint8)
    return BitTable.pack(list(bits), [2] * d, (bits[0] ^ (rng.random(n) < 0.3)).astype(int), 2)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 90), st.integers(4, 7), st.integers(1, 9), st.sampled_from([3, 4]))
def test_nothing_is_lost_between_the_sum_and_the_score(seed, n, d, n_best, k):
    table = table_of(seed, n, d)
    ours = exhaustive(HandEngine(table), ZeroOneScore(2), k, n_best)
    truth = exhaustive(NumpyEngine(table), ZeroOneScore(2), k, n_best)
    np.testing.assert_array_equal(ours.subsets, truth.subsets)
    np.testing.assert_array_equal(ours.scores, truth.scores)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 90), st.integers(3, 6), st.integers(1, 9), st.sampled_from([2, 3]))
def test_columns_of_levels_in_classes_are_listed_in_order(seed, n, d, n_best, k):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, d).tolist()
    codes = [rng.integers(0, size, n).astype(np.uint8) for size in sizes]
    table = BitTable.pack(codes, sizes, rng.integers(0, 3, n), 3)
    ours = exhaustive(PlaneEngine(table), ZeroOneScore(3), k, n_best)
    truth = exhaustive(NumpyEngine(table), ZeroOneScore(3), k, n_best)
    np.testing.assert_array_equal(ours.subsets, truth.subsets)
    np.testing.assert_array_equal(ours.scores, truth.scores)


@given(st.integers(0, 10**6), st.integers(1, 90), st.sampled_from([3, 4]))
def test_the_score_is_within_the_number_of_cells_of_the_sum(seed, n, k):
    table = table_of(seed, n, k)
    rows = NumpyEngine(table).counts([range(k)])
    total = np.abs(rows.values[..., 1] - rows.values[..., 0]).sum()
    assert abs(ZeroOneScore(2)(rows)[0] * max(n - 1, 1) - total) <= 2**k


@needs_core
class TestChoice:
    @pytest.fixture(autouse=True)
    def _forgets(self):
        engines._said_why_not.cache_clear()
        yield
        engines._said_why_not.cache_clear()

    def test_large_work_goes_to_a_card_that_is_there(self, monkeypatch):
        table = table_of(0, 500, 30)
        monkeypatch.setattr(engines, "find_spec", lambda name: name)
        monkeypatch.setattr(engines, "why_no_card", lambda: "")
        assert type(engine_for(table)) is NativeEngine
        monkeypatch.setattr(engines, "_LEAST_WORK", 1e6)
        assert type(engine_for(table)) is engines.GpuEngine
        monkeypatch.setenv("PACLEARN_ENGINE", "native")
        assert type(engine_for(table)) is NativeEngine

    def test_what_a_card_scans(self, monkeypatch):
        runtime, pool = SimpleNamespace(memGetInfo=lambda: (10**11, 10**11)), SimpleNamespace(free_bytes=lambda: 0)
        cupy = SimpleNamespace(cuda=SimpleNamespace(runtime=runtime), get_default_memory_pool=lambda: pool)
        monkeypatch.setattr(engines, "is_for_hopper", lambda n_words: True)
        monkeypatch.setattr(engines, "card", lambda: cupy)
        table = table_of(0, 200, 5)
        empirical, product = ZeroOneScore(2).fused(200), ZeroOneScore(2, np.full((5, 2), 0.5)).fused(200)

        def scanned(table, fused):
            scan = engines.GpuEngine(table).scan(fused)
            return {k: type(how) for k, how in scan.lists.items()} if isinstance(scan, engines.CardScan) else {}

        of_planes = {2: PlaneSubsets, 3: PlaneSubsets}
        assert scanned(table, empirical) == {2: PlaneSubsets, 3: GpuTriples, 4: GpuFours}
        assert scanned(table, product) == of_planes
        levels = BitTable.pack([np.arange(9, dtype=np.uint8) % 3] * 3, [3] * 3, np.arange(9) % 2, 2)
        assert scanned(levels, empirical) == of_planes
        classes = BitTable.pack([np.arange(9, dtype=np.uint8) % 2] * 3, [2] * 3, np.arange(9) % 3, 3)
        assert scanned(classes, ZeroOneScore(3).fused(9)) == of_planes
        monkeypatch.setattr(engines, "is_for_hopper", lambda n_words: False)
        assert scanned(table, empirical) == {2: PlaneSubsets, 3: GpuTriples}
        monkeypatch.setattr(runtime, "memGetInfo", lambda: (1000, 1000))
        assert scanned(table, empirical) == {}
        pairs = engines.CardScan(NativeEngine(table).scan(empirical), {}).best(2, 0, 4, 3)
        np.testing.assert_array_equal(pairs[0], NativeEngine(table).scan(empirical).best(2, 0, 4, 3)[0])

    def test_without_a_card_it_is_said_once_and_the_processor_counts(self, monkeypatch):
        monkeypatch.setenv("PACLEARN_ENGINE", "gpu")
        monkeypatch.setattr(engines, "why_no_card", lambda: "no card was found")
        with pytest.warns(SlowEngineWarning, match="no card was found; the processor counts"):
            assert type(engine_for(table_of(0, 20, 3))) is NativeEngine
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            engine_for(table_of(0, 20, 3))


@pytest.mark.parametrize(
    ("capability", "counts", "why"),
    [("90", 1, ""), ("75", 1, "7.5"), ("100", 1, "10.0"), ("80", 0, "no card was found")],
)
def test_cards_that_cannot_are_told_from_those_that_can(monkeypatch, capability, counts, why):
    runtime = SimpleNamespace(getDeviceCount=lambda: counts)
    device = SimpleNamespace(compute_capability=capability)
    cupy = SimpleNamespace(cuda=SimpleNamespace(runtime=runtime, Device=lambda: device))
    monkeypatch.setattr(gpu_card, "find_spec", lambda name: name)
    monkeypatch.setattr(gpu_card, "import_module", lambda name: cupy)
    said = gpu_card.why_no_card.__wrapped__()
    assert (why in said) if why else not said


def test_an_unknown_engine_is_refused(monkeypatch):
    monkeypatch.setenv("PACLEARN_ENGINE", "tpu")
    with pytest.raises(InputError, match="'numpy', 'native', 'gpu'"):
        engine_for(table_of(0, 20, 3))


@pytest.mark.skipif(find_spec("nvidia") is None, reason="NVIDIA's compiler comes for Linux and Windows only")
@pytest.mark.parametrize(
    ("name", "architecture"),
    [
        ("triples.cu", "sm_80"),
        ("triples.cu", "sm_90"),
        ("triples_hopper.cu", "compute_90a"),  # its assembly is that of the next one, which is translated to the end
        ("fours_hopper.cu", "sm_90a"),
        ("planes.cu", "sm_80"),
        ("sums.cu", "sm_80"),
    ],
)
def test_the_cuda_text_compiles(name, architecture):
    (folder,) = find_spec("nvidia.cuda_nvrtc").submodule_search_locations
    compiler = ctypes.CDLL(str(next(Path(folder).glob("lib/libnvrtc.so.*"))))
    program, text = ctypes.c_void_p(), gpu_card.cuda_text(name).encode()
    assert compiler.nvrtcCreateProgram(ctypes.byref(program), text, name.encode(), 0, None, None) == 0
    words = [b"--std=c++17", f"--gpu-architecture={architecture}".encode()]
    failed = compiler.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words))
    size = ctypes.c_size_t()
    compiler.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    compiler.nvrtcGetProgramLog(program, log)
    assert not failed, log.value.decode()
