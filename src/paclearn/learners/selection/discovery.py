"""discover(): every main effect, pair and triple with an effect size, a p-value and a q-value."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from paclearn._parameters import Between, Cores, OneOf, Rule, Whole, check_values
from paclearn._progress import progress
from paclearn.certificates import q_values
from paclearn.counting import engine_for
from paclearn.counting.bits import bit_columns
from paclearn.encoding import EncodingRules, learn_and_encode
from paclearn.encoding.remote_columns import RemoteColumns, remote_target
from paclearn.learners.footprints import check_room
from paclearn.learners.selection.contrasts import Tests, cell_means, examine
from paclearn.learners.selection.echoes import Echoes
from paclearn.learners.selection.findings import Discovery, Finding
from paclearn.learners.selection.selection_target import centred, table_to_count
from paclearn.learners.selection.shuffles import of_shuffles
from paclearn.search import subsets_between
from paclearn.search.limits import block_length, check_cells
from paclearn.search.subsets import subsets_at
from paclearn.tables.lazy_columns import columns_of
from paclearn.tables.remote import is_remote
from paclearn.tables.table import as_table
from paclearn.tables.target import Target, read_target
from paclearn.tables.weights import row_weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.counting import BitTable, CodeTable, Counts, Engine
    from paclearn.encoding import Domain
    from paclearn.tables.table import Table

__all__ = ["discover"]

_MOST_KEPT = 20_000


def discover(
    X: Any,
    y: Any,
    order: int = 2,
    fdr: float = 0.1,
    *,
    unit: str = "column",
    task: str = "auto",
    method: str = "fdr",
    n_permutations: int = 200,
    n_bins: int = 4,
    min_count: float = 0.01,
    max_levels: int = 8,
    min_cell: float = 5,
    sample_weight: Any = None,
    target_name: str = "target",
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Discovery:
    """Find the columns, and the combinations of columns, that the target depends on, and say how sure that is.

    Every subset of up to ``order`` columns is tested for what its cells explain **beyond all its proper subsets**, so a
    pair is not found because one of its members is strong. The test compares means of the target (frequencies of a
    class), so it is valid whatever the joint distribution of the columns and however strong smaller effects are.

    Parameters
    ----------
    X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
        The table.
    y : array-like of shape (n_rows,)
        The target: classes or numbers. Of more than two classes each is tested against the rest, and the p-value of
        the clearest one is multiplied by their number.
    order : int, default=2
        1 for main effects, 2 for pairs as well, 3 for triples, 4 for subsets of four.
    fdr : float, default=0.1
        The share of false reports that is allowed on average.
    unit : {"column", "bit"}, default="column"
        Combinations of columns with all their levels, or of single questions about them.
    task : {"auto", "classification", "regression"}, default="auto"
        What the target is; auto takes fractions, and more than 20 different whole numbers, for numbers.
    method : {"fdr", "permutation"}, default="fdr"
        Benjamini and Hochberg's q-values, or the probability that anything at all would look as clear if the target had
        nothing to do with the columns, from shuffled targets.
    n_permutations : int, default=200
        Shuffles for ``method="permutation"``.
    n_bins, min_count, max_levels : int
        See `BooleanEncoder`; few levels with many rows each make clear tests.
    min_cell : float, default=5
        Cells with fewer rows take no part; for numbers, whose variance is to be estimated as well, it takes twice as
        many.
    sample_weight : array-like of shape (n_rows,), default=None
        How many times each row counts, if all are whole numbers; otherwise relative weights.
    target_name : str, default="target"
        What to call the target in sentences.
    n_jobs : int, default=None
        Cores to use at once; -1 is all of them, None is one. The result does not depend on it.
    random_state : int, RandomState instance or None, default=0
        Draws simulations for small cells, and shuffles.

    Returns
    -------
    Discovery
        Ranked findings: ``to_frame()``, ``to_json()``, ``to_markdown()``, ``plot()``.

    Examples
    --------
    >>> from paclearn import discover
    >>> from paclearn.datasets import make_parity
    >>> data = make_parity(n_rows=500, n_columns=8, k=2, random_state=0)
    >>> found = discover(data.data, data.target)
    >>> [finding.members for finding in found] == [tuple(f"x{j}" for j in data.relevant)]
    True
    """
    check_values(locals(), _PARAMETERS)
    table, target = _read(X, y, task, sample_weight)
    target, mean = centred(target)
    domain, codes = learn_and_encode(table, EncodingRules(n_bins, min_count, max_levels), target.weights)
    rng = check_random_state(random_state)
    search = _Search(domain, columns_of(codes), target, unit, order, min_cell, n_jobs)
    p, tests = search.run(rng)
    q = search.q_values(p) if method == "fdr" else search.adjusted(p, n_permutations, rng)
    return search.discovery(p, tests, q, fdr, method, target_name, mean)


def _read(X: Any, y: Any, task: str, sample_weight: Any) -> tuple[Table, Target]:
    """The rows that have a target, here or on a cluster."""
    if is_remote(X):
        return remote_target(X, y, task, sample_weight)
    table = as_table(_Reader(), X, reset=True)
    check_room("discover", table)
    target = read_target(y, table.n_rows, task, row_weights(sample_weight, table))
    return target.rows_of(table), target


class _Reader(BaseEstimator):
    """Somebody has to remember the names of the columns while the table is read."""


_PARAMETERS: dict[str, Rule] = {
    "order": Whole(1, 4),
    "fdr": Between(0, 1),
    "unit": OneOf("column", "bit"),
    "method": OneOf("fdr", "permutation"),
    "n_permutations": Whole(1),
    "min_cell": Between(1, np.inf, closed=True),
    "n_jobs": Cores(),
}


@dataclass(frozen=True, eq=False)
class _SomeTests:
    """Tests of some subsets, by their places among all of all sizes."""

    place: NDArray[np.int64]
    effect: NDArray[np.float64]
    se: NDArray[np.float64]
    p: NDArray[np.float64]
    log_p: NDArray[np.float64]
    cell: NDArray[np.int64]
    shift: NDArray[np.float64]
    simulated: NDArray[np.bool_]
    label: NDArray[np.int16]  # the class it is about

    def take(self, rows: NDArray[np.intp]) -> _SomeTests:
        """Some of them."""
        return _SomeTests(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    @classmethod
    def joined(cls, parts: Sequence[_SomeTests]) -> _SomeTests:
        """All of several, one after another."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__dataclass_fields__))

    def clearest(self, q: NDArray[np.float64] | None = None) -> _SomeTests:
        """The clearest of them, as many as findings are ever made of; of one size, what is clearer has no larger q."""
        sharpness = np.abs(self.effect / np.maximum(self.se, 1e-300))
        keys = (-sharpness, self.log_p) if q is None else (-sharpness, self.log_p, q)
        return self.take(np.lexsort(keys)[:_MOST_KEPT])


class _Clearest:
    """Of tests that come block after block: their p-values, and all else of the clearest of one size."""

    def __init__(self) -> None:
        self._parts: list[_SomeTests] = []

    def add(self, block: _SomeTests) -> None:
        """One more block."""
        self._parts.append(block)
        if sum(len(part.p) for part in self._parts) > 4 * _MOST_KEPT:
            self._parts = [self.kept]

    @property
    def kept(self) -> _SomeTests:
        return _SomeTests.joined(self._parts).clearest()


class _Search:
    def __init__(
        self,
        domain: Domain,
        codes: Sequence[NDArray[np.unsignedinteger[Any]]],
        target: Target,
        unit: str,
        order: int,
        min_cell: float,
        n_jobs: int | None,
    ) -> None:
        self.domain, self.target, self.unit, self.min_cell, self.n_jobs = domain, target, unit, min_cell, n_jobs
        if unit == "bit":
            self.names, self.sizes = domain.bit_names, (2,) * len(domain.bits)
            codes = bit_columns(codes, domain.bits, domain.sizes)
        else:
            self.names, self.sizes = domain.column_names, domain.sizes
        self.codes = codes
        self.orders = range(1, min(order, len(self.names)) + 1)
        self.starts = np.concatenate([[0], np.cumsum([comb(len(self.names), k) for k in self.orders])])
        for k in self.orders:
            check_cells(self.sizes, k, 5 * target.n_classes)

    # ---- testing ----

    @cached_property
    def engine(self) -> Engine:
        return engine_for(table_to_count(self.target, self.codes, self.sizes), self.n_jobs)

    def run(self, rng: np.random.RandomState) -> tuple[NDArray[np.float64], _SomeTests]:
        """The p-values of all subsets, and all about the clearest of each size."""
        p, found = np.full(int(self.starts[-1]), np.nan), []
        with progress(f"{len(p):,} subsets", len(p)) as advance:
            for k in self.orders:
                clearest = _Clearest()
                for block in self._blocks(self.engine, k, rng):
                    p[block.place] = block.p
                    clearest.add(block)
                    advance(len(block.p))
                found.append(clearest.kept)
        return p, _SomeTests.joined(found)

    def _blocks(self, engine: Engine, k: int, rng: np.random.RandomState | None) -> Iterator[_SomeTests]:
        total, first = comb(len(self.names), k), int(self.starts[k - 1])
        step = block_length(engine.sizes, k, engine.n_channels)
        for begin in range(0, total, step):
            subsets = subsets_between(len(self.names), k, begin, min(begin + step, total))
            yield self._test_block(engine.counts(subsets), first + begin, rng)

    def _test_block(self, counts: Counts, first: int, rng: np.random.RandomState | None) -> _SomeTests:
        m = len(counts)
        place = np.arange(first, first + m, dtype=np.int64)
        nothing = {name: np.full(m, np.nan) for name in ("effect", "se", "p", "log_p", "shift")}
        cell, simulated = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=bool)
        result = _SomeTests(place, **nothing, cell=cell, simulated=simulated, label=np.zeros(m, dtype=np.int16))
        shapes, group = np.unique(counts.sizes, axis=0, return_inverse=True)
        for shape in range(len(shapes)):
            mine = np.flatnonzero(group.ravel() == shape)
            same_shape = type(counts)(counts.subsets[mine], counts.sizes[mine], counts.values[mine])
            tests, label = self._clearest_class(same_shape, rng)
            for name in Tests.__dataclass_fields__:
                getattr(result, name)[mine] = getattr(tests, name)
            result.label[mine] = label
        return result

    def _clearest_class(self, counts: Counts, rng: np.random.RandomState | None) -> tuple[Tests, NDArray[np.int16]]:
        labels = self._labels()
        each = [examine(cell_means(counts, self.target, label, self.min_cell), rng) for label in labels]
        if len(each) == 1:
            return each[0], np.full(len(counts), labels[0], dtype=np.int16)
        log_p = np.stack([tests.log_p for tests in each])
        best = np.where(np.isnan(log_p), np.inf, log_p).argmin(axis=0)
        every = np.arange(len(counts))
        picked = {n: np.stack([getattr(t, n) for t in each])[best, every] for n in Tests.__dataclass_fields__}
        picked["log_p"] = np.minimum(picked["log_p"] + np.log(len(labels)), 0.0)
        picked["p"] = np.exp(picked["log_p"])
        return Tests(**picked), np.asarray(labels, dtype=np.int16)[best]

    def _labels(self) -> list[int]:
        """Classes to test against the rest; for two of them one will do, and numbers have none."""
        if self.target.n_classes <= 2:
            return [self.target.n_classes - 1]
        return list(range(self.target.n_classes))

    def q_values(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """Each size of subsets by itself, and the rate shared among them: a strong column must not license triples."""
        parts = [q_values(p[a:b]) * len(self.orders) for a, b in pairwise(self.starts)]
        return np.minimum(np.concatenate(parts), 1.0)

    # ---- shuffled targets ----

    def adjusted(self, p: NDArray[np.float64], n_permutations: int, rng: np.random.RandomState) -> NDArray[np.float64]:
        """The share of shuffles whose smallest p-value is as small, the observed one counted in."""
        seeds = rng.randint(2**31 - 1, size=n_permutations).tolist()
        smallest = np.sort(of_shuffles(self._without_rows().smallest, self.target, self.codes, self.sizes, seeds))
        reached = np.searchsorted(smallest, p, side="right")
        return np.where(np.isnan(p), np.nan, (1 + reached) / (1 + n_permutations))

    def _without_rows(self) -> _Search:
        """The same, to be sent to workers: it knows the classes and not the rows."""
        found = copy(self)
        vars(found).pop("engine", None)
        found.n_jobs = None if isinstance(self.codes, RemoteColumns) else self.n_jobs  # which have a task a core
        found.codes, found.target = [], Target(np.empty(0), self.target.classes)
        return found

    def smallest(self, table: BitTable | CodeTable) -> float:
        """The smallest p-value of all subsets in a table."""
        engine = engine_for(table, self.n_jobs)
        blocks = chain.from_iterable(self._blocks(engine, k, None) for k in self.orders)
        return float(min(np.nanmin(block.p, initial=1.0) for block in blocks))

    # ---- results ----

    def discovery(
        self,
        p: NDArray[np.float64],
        tests: _SomeTests,
        q: NDArray[np.float64],
        fdr: float,
        method: str,
        target_name: str,
        mean: float | None,
    ) -> Discovery:
        findings = self._findings(tests.clearest(q[tests.place]), q)
        findings = Echoes(self.engine, self.target, self.names, self.min_cell).mark(findings, fdr)
        if method == "fdr":  # echoes must not license others, either
            others = p.copy()
            others[[i for i, f in findings.items() if f.echo_of is not None]] = 1.0
            again = self.q_values(others)
            changed = {i: float(again[i]) for i, f in findings.items() if f.echo_of is None and again[i] != f.q}
            findings |= {i: replace(findings[i], q=q) for i, q in changed.items() if not np.isnan(q)}
        tested = {
            k: (int((~np.isnan(p[a:b])).sum()), int(b - a))
            for k, (a, b) in zip(self.orders, pairwise(self.starts), strict=True)
        }
        ranked = sorted(findings.values(), key=lambda f: (np.isnan(f.q), f.q))  # stable: by p among equals
        return Discovery(tuple(ranked), tested, float(fdr), method, target_name, len(self.target.values), mean)

    def _findings(self, tests: _SomeTests, q: NDArray[np.float64]) -> dict[int, Finding]:
        """Findings by their places among all tests, in the order given."""
        orders = np.searchsorted(self.starts, tests.place, side="right")
        found: dict[int, Finding] = {}
        for k in self.orders:
            mine = np.flatnonzero(orders == k)
            subsets = subsets_at(len(self.names), k, tests.place[mine] - self.starts[k - 1])
            for i, subset in zip(mine.tolist(), subsets.tolist(), strict=True):
                found[i] = self._finding(i, subset, tests, float(q[tests.place[i]]))
        return {place: found[i] for i, place in enumerate(tests.place.tolist())}

    def _finding(self, i: int, subset: list[int], tests: _SomeTests, q: float) -> Finding:
        codes = np.unravel_index(int(tests.cell[i]), [self.sizes[u] for u in subset])
        classes = self.target.classes
        return Finding(
            members=tuple(self.names[u] for u in subset),
            effect=float(tests.effect[i]),
            se=float(tests.se[i]),
            p=float(tests.p[i]),
            q=q,
            levels=tuple(self._level(u, int(c)) for u, c in zip(subset, codes, strict=True)),
            label=None if classes is None else str(classes.tolist()[int(tests.label[i])]),
            bits=all(self.sizes[u] == 2 for u in subset),
            shift=float(tests.shift[i]),
            simulated=bool(tests.simulated[i]),
        )

    def _level(self, unit: int, code: int) -> str:
        return ("no", "yes")[code] if self.unit == "bit" else self.domain.columns[unit].code_names[code]
