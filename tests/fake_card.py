"""A graphics card of numpy: arrays are numpy's, and kernels do, from the same arguments, what their CUDA text says."""

from types import SimpleNamespace

import numpy as np

from paclearn.counting import gpu_engine
from paclearn.kernels import gpu_card, gpu_columns, gpu_planes, gpu_rows, gpu_sums

ROOM = 40  # subsets on a list


def use(monkeypatch, memory=10**11):
    """Put it in the place of the real one, with so many bytes of memory; what blocks were sent is counted."""
    pool = SimpleNamespace(free_bytes=lambda: 0)
    cuda = SimpleNamespace(runtime=SimpleNamespace(memGetInfo=lambda: (memory, memory)))
    cupy = SimpleNamespace(
        asarray=np.array,
        zeros=np.zeros,
        empty=np.empty,
        asnumpy=np.array,
        cuda=cuda,
        get_default_memory_pool=lambda: pool,
    )
    kernels = {"plane_pairs": Adds(), "plane_sums": Adds(), "columns": Scores(_scores), "bounds": Scores(_bounds)}
    for module in (gpu_engine, gpu_columns, gpu_planes, gpu_rows, gpu_sums):
        monkeypatch.setattr(module, "card", lambda: cupy, raising=False)
    monkeypatch.setattr(gpu_columns, "compiled_for", lambda *_: SimpleNamespace(get_function=kernels.__getitem__))
    monkeypatch.setattr(gpu_columns, "capability", lambda: 80)
    monkeypatch.setattr(gpu_columns, "ROOM", ROOM)
    monkeypatch.setattr(gpu_engine, "is_for_hopper", lambda n_words: False)
    monkeypatch.setattr(gpu_engine.GpuEngine, "_of_bits", lambda *_: {})  # signed counts are tried elsewhere
    monkeypatch.setattr(gpu_engine, "why_no_card", lambda: "")
    monkeypatch.setattr(gpu_card, "why_no_card", lambda: "")
    return kernels


class Adds:
    """Sums of rows that two planes share, tile by tile and step by step."""

    def __init__(self):
        self.calls = []  # words of the blocks

    def __call__(self, grid, block, arguments, shared_mem):
        bits, words, n_planes, plan, n_steps, n_layers, tiles, sums = arguments
        assert (bits.shape[1], len(plan), sums.shape[1]) == (words, n_steps, n_layers)
        assert grid == (len(tiles),)
        self.calls.append(int(words))
        rows = (
            np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little").astype(np.int64).reshape(len(bits), -1, 1024)
        )
        some = np.flatnonzero(rows[:n_planes].any(axis=(1, 2)))  # all others sum to nought
        for first, top, left, result in tiles:
            i, j = (some[(some >= at) & (some < at + gpu_rows.SIDE)] for at in (top, left))
            self._add_tile(rows, plan, first, (i, j), sums[result])

    def _add_tile(self, rows, plan, first, where, sums):
        i, j = where
        found = np.zeros((len(i), len(j)), dtype=np.int64)
        for stage, place, factor, layer in plan:
            narrow = (rows[first, stage] if first >= 0 else 1) * (rows[place, stage] if place >= 0 else 1)
            found += (rows[i, stage] * narrow) @ rows[j, stage].T
            assert np.abs(found).max(initial=0) < 2**31
            if layer >= 0:
                sums[layer][np.ix_(i, j)] += found * factor
            found *= 1 if factor == 0 else 0 if layer >= 0 else factor


class Scores:
    """Scores of pairs behind first columns, from those sums."""

    def __init__(self, of_cells):
        self.of_cells = of_cells

    def __call__(self, grid, block, arguments):
        pairs, behind, _, totals, _, firsts, starts, n_columns, begin, *how = arguments
        *how, floor, probe, listed, room, scores, members = how
        found = np.full((grid[2], grid[1], n_columns), -1e300)
        for z, (head, result) in enumerate(firsts):
            for u in range(max(begin, head + 1), min(begin + grid[1], n_columns)):
                for v in range(u + 1, n_columns):
                    rows = Rows(pairs[0], behind[result:], totals, starts, head)
                    found[z, u - begin, v] = self.of_cells(rows.cells(u, v), (head, u, v), *how)
        z, y, v = (axis.ravel() for axis in np.indices(found.shape))
        who = (firsts[z, 0].astype(np.uint64) + np.uint64(1) << np.uint64(42)) + (
            np.uint64(begin) + y.astype(np.uint64) << np.uint64(21)
        )
        who += v.astype(np.uint64)
        if probe:
            _leave(found, who.reshape(found.shape), scores, members)
            return
        passed = np.flatnonzero((found.ravel() >= floor) & (found.ravel() > -1e300))[::-1]
        listed[0] = len(passed)
        n = min(len(passed), int(room))
        scores[:n], members[:n] = found.ravel()[passed[:n]], who[passed[:n]]


def _leave(found, who, scores, members):
    best = found.argmax(axis=2)[..., None]
    scores[:] = np.take_along_axis(found, best, 2).ravel()
    members[:] = np.take_along_axis(who, best, 2).ravel()


class Rows:
    """Sums of all layers in the cells of two columns, for every code of a first one."""

    def __init__(self, pairs, behind, totals, starts, head):
        self.pairs, self.behind, self.totals, self.starts = pairs, behind, totals, starts
        self.firsts = range(starts[head], starts[head + 1]) if head >= 0 else range(0)

    def cells(self, u, v):
        """[first code][layer][code of u][code of v]."""
        planes = [list(range(self.starts[c], self.starts[c + 1])) for c in (u, v)]
        parts = [self._part(number, planes) for number in range(len(self.firsts))]
        rest = self._table(self.pairs, lambda p: self.pairs[:, p, p], self.totals, planes) - sum(parts)
        return np.array([rest, *parts])

    def _part(self, number, planes):
        first = self.firsts[number]
        return self._table(self.behind[number], lambda p: self.pairs[:, first, p], self.pairs[:, first, first], planes)

    def _table(self, both, one, every, planes):
        of_u, of_v = planes
        table = np.empty((len(every), 1 + len(of_u), 1 + len(of_v)), dtype=np.int64)
        table[:, 1:, 1:] = both[:, of_u][:, :, of_v]
        table[:, 1:, 0] = np.array([one(p) for p in of_u]).reshape(len(of_u), len(every)).T - table[:, 1:, 1:].sum(
            axis=2
        )
        table[:, 0, 1:] = np.array([one(p) for p in of_v]).reshape(len(of_v), len(every)).T - table[:, 1:, 1:].sum(
            axis=1
        )
        table[:, 0, 0] = every - table[:, 1:].sum(axis=(1, 2)) - table[:, 0, 1:].sum(axis=1)
        return table


def _scores(cells, members, inverse, n_codes, kind, scale):
    assert kind == 0  # M_n, which has no weights
    assert np.ndim(inverse) == 0
    rows = np.moveaxis(cells, 1, -1).reshape(-1, cells.shape[1]).astype(float)
    n = rows.sum(axis=1, keepdims=True)
    sign = np.abs(2 * rows - n)[:, 1 if rows.shape[1] == 2 else 0 :]
    return scale * np.where(sign == 0, np.minimum(n, 1), sign - sign / np.maximum(n, 1)).sum()


def _bounds(cells, members, rounding, n_channels, kind, scale):
    steps, errors, (own, peak) = np.split(rounding, [n_channels, 2 * n_channels])
    layers = np.moveaxis(cells, 1, -1).reshape(-1, cells.shape[1] // (n_channels + 1), n_channels + 1).astype(float)
    sums, n = layers[..., :-1] * steps, layers[..., -1]
    off = n[..., None] * errors
    bound = (_squares, _weighted, _votes)[kind]
    return scale * sum(bound(s, o, m, own, peak) for s, o, m in zip(sums, off, n, strict=True))


def _squares(sums, off, n, own, peak):
    (s, q), (e, f), n = sums[0], off[0], n[0]
    return 0.0 if n < 2 else ((abs(s) + e) ** 2 - max(q - f, 0.0)) / (n - 1)


def _weighted(sums, off, n, own, peak):
    (w, s, q), (d, e, f) = sums[0], off[0]
    if n[0] == 0:
        return 0.0
    most, least, squares = w + d, w - d - own, (abs(s) + e) ** 2 - max(q - f, 0.0)
    if least < 1e-6 * most:
        return peak * most
    return squares / most if squares <= 0 else min(squares / least, peak * most)


def _votes(sums, off, n, own, peak):
    n_classes, weight, e = len(sums), sums[:, 0].sum(), off.sum(axis=0)
    if n.sum() == 0:
        return 0.0
    bound = 0.0
    for y in range(1 if n_classes == 2 else 0, n_classes):
        s, more = 2 * sums[y, 0] - weight, own
        if abs(s) > e[0] and weight - e[0] > 1e-6 * weight:
            more = 0.0
            if sums.shape[1] == 2:
                top = np.sign(-s) * (2 * sums[y, 1] - sums[:, 1].sum()) + e[1]
                more = min(top / (weight - e[0] if top > 0 else weight + e[0]), own)
        bound += max(abs(s) + e[0] + more, 0.0)
    return bound
