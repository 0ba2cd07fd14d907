"""Models of all single bits that grow: interactions are added where they explain most of what is left."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from paclearn.learners.spectral.cell_scan import CellScan
from paclearn.learners.spectral.cell_terms import CellTerms, cell_tables
from paclearn.learners.spectral.descent import LinearFit
from paclearn.learners.spectral.fitted_terms import FittedTerms
from paclearn.learners.spectral.level_scales import scales_by_few
from paclearn.learners.spectral.losses import SquaredLoss
from paclearn.learners.spectral.odd_phrases import odd_phrases
from paclearn.learners.spectral.phrase_scan import PhraseScan
from paclearn.learners.spectral.ridge import RidgeProblem
from paclearn.learners.spectral.sparse_rows import SparseScan, SparseTerms, true_bits
from paclearn.learners.spectral.stochastic import fit_by_steps
from paclearn.learners.spectral.term_matrix import TermMatrix
from paclearn.learners.spectral.term_scan import Scan, Standardised
from paclearn.learners.spectral.tuning import TUNING
from paclearn.models.terms import members_of, product_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.folds import Part
    from paclearn.learners.spectral.cell_terms import CellTable
    from paclearn.learners.spectral.losses import Loss
    from paclearn.learners.spectral.phrases import CodedRows, Phrase, Vocabulary
    from paclearn.learners.spectral.smooth import Root
    from paclearn.models.terms import Term

__all__ = ["Design", "grow_at_once", "grow_rich", "grown", "ranked", "triples_say_something"]

_T = TypeVar("_T")

_KEPT_RANKINGS = 4  # of the same rows
_KEPT_TABLES = 16  # sets of terms: as many as are grown side by side
_LARGE_MATRIX = 2**25  # cells, four bytes each: beyond, it is not written down
_MANY_SIGNS, _MANY_BITS = 2**20, 4  # rows times bits, and bits a column, from which sums over codes are faster
_MANY_PAIRS = 2**20  # and rows times pairs of bits of two columns: for fewer, it is faster to multiply them out


@dataclass(frozen=True, eq=False)
class Design:
    """Rows with targets, and all that is needed to make terms of them."""

    signs: NDArray[np.int8]
    basis: NDArray[np.float32] | Standardised  # functions of single bits by which interactions are ranked
    values: NDArray[Any]  # functions of single bits of which terms are made
    columns: NDArray[np.intp]
    targets: NDArray[np.float64]
    counts: NDArray[np.float64]
    loss: Loss
    degree: int = 2
    by_residual: bool = True  # otherwise by the coefficients of the target itself, once
    scale: float = 0.5  # of interactions: they are held back four times as much as single bits
    roots: tuple[tuple[Root, ...], ...] = ((),)  # what may be believed of the weights of thresholds: first, nothing
    belief: int = 0  # which of these is to be used, in models that contain all single bits
    bit_scales: tuple[NDArray[np.float32] | None, ...] = (None,)  # of single bits, one for each belief; None: ones
    own_scales: bool = False  # whether the same beliefs, numbered behind them, may be tried with scales of columns' own
    scales_of: Design | None = None  # rows whose scales these are, if not their own
    vocabulary: Vocabulary | None = None  # what the codes of the columns are, for terms in words
    in_phrases: bool = False  # whether terms are such phrases, 0 or 1, and not products of bits
    groups: NDArray[np.intp] | None = None  # of rows that belong together
    few_true: bool | None = None  # whether sums over true bits pay; None: to be seen from the bits
    frequent: Any = None  # and then groups of levels of many rows, bits x groups
    shared: dict[str, Any] = field(default_factory=dict)  # what is known of these rows, whatever is fitted to them
    tables: dict[tuple[Term, ...], tuple[CellTable, ...]] = field(default_factory=dict)  # of terms, for any rows

    def rows(self, part: Part) -> Design:
        """Some rows, with the weights that they have there."""
        chosen = part.kinds
        signs = self.signs[chosen]
        return replace(
            self,
            signs=signs,
            basis=self.basis if isinstance(self.basis, Standardised) else self.basis[chosen],
            values=signs if self.values is self.signs else self.values[chosen],
            targets=self.targets[chosen],
            counts=part.weights,
            groups=part.groups,
            few_true=self.has_true_bits,
            shared={},
        )

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Weights of the rows; they add up to one."""
        return self.counts / self.counts.sum()

    @cached_property
    def varying(self) -> NDArray[np.intp]:
        """Bits that are not the same in all rows."""
        return np.flatnonzero(self.signs.min(axis=0) < self.signs.max(axis=0))

    @cached_property
    def _columns_of_values(self) -> NDArray[np.float32]:
        """Bits x rows."""
        return np.ascontiguousarray(self.values.T, dtype=np.float32)

    def products(self, terms: Sequence[Term]) -> NDArray[np.float32]:
        """Rows x terms, as they are; for many terms at a time."""
        if self.in_phrases:
            return self.words.truth(terms, self.codes)
        return product_columns(self._columns_of_values, members_of(terms)).T

    def matrix(self, terms: Sequence[Term]) -> TermMatrix:
        """The terms of all rows."""
        if self.in_phrases:
            return self._matrix_of_phrases(terms)
        scale = np.array([1.0 if len(term) == 1 else self.scale for term in terms], dtype=np.float32)
        all_bits, roots = len(terms) >= self.signs.shape[1], self.roots[self.belief % len(self.roots)]
        known = self._scales_of_bits if all_bits else None
        if known is not None:
            scale[: len(known)] = known
        few = self.true_bits if all_bits and self.degree < 3 and not roots else None
        sparse = None if few is None else SparseTerms(few, terms, scale, self.frequent)
        return TermMatrix(self.values, tuple(terms), scale, roots, sparse, self._cells_of(tuple(terms), scale, roots))

    @property
    def _scales_of_bits(self) -> NDArray[np.float32] | None:
        if self.belief < len(self.roots):
            return self.bit_scales[min(self.belief, len(self.bit_scales) - 1)]
        return (self.scales_of or self).scales_under(self.belief)

    def scales_under(self, belief: int) -> NDArray[np.float32] | None:
        """Scales of single bits by what these rows say of each column."""
        return self._once(f"scales {belief}", lambda: scales_by_few(replace(self, belief=belief)))

    def scaled(self, scales: NDArray[np.float32]) -> Design:
        """The same with some scales of single bits."""
        roots = self.roots[self.belief % len(self.roots)]
        return replace(self, belief=0, roots=(roots,), bit_scales=(scales,), own_scales=False, tables={})

    def _cells_of(
        self, terms: tuple[Term, ...], scale: NDArray[np.float32], roots: tuple[Root, ...]
    ) -> CellTerms | None:
        """The terms by the codes of the rows, where those are many and that is faster or saves much room."""
        if not self._by_cells or not terms:
            return None
        found = self._in_cells(terms, scale, roots)
        large = len(self.signs) * len(terms) > _LARGE_MATRIX
        return found if large or found.sums_are_cheap(self.targets.shape[1]) else None

    def _in_cells(self, terms: tuple[Term, ...], scale: NDArray[np.float32], roots: tuple[Root, ...] = ()) -> CellTerms:
        return CellTerms(self.codes.columns, self._tables_of(terms), scale, roots)

    def _tables_of(self, terms: tuple[Term, ...]) -> tuple[CellTable, ...]:
        """Which are the same for all rows: a fold and what is judged by it, and every penalty, ask for the same."""
        if terms not in self.tables:
            while len(self.tables) >= _KEPT_TABLES:
                self.tables.pop(next(iter(self.tables)))
            self.tables[terms] = cell_tables(self.words.domain.columns, self.words.bits, terms)
        return self.tables[terms]

    @property
    def _by_cells(self) -> bool:
        """Whether rows are so many, of bits that are not too many, that it pays to look at their codes."""
        if self.vocabulary is None or self.values is not self.signs or self.signs.size < _MANY_SIGNS:
            return False
        bits = self.signs.shape[1] / len(self.words.domain.columns)
        return bits >= _MANY_BITS and len(self.signs) * bits**2 >= _MANY_PAIRS and not self.has_true_bits

    def _matrix_of_phrases(self, terms: Sequence[Term]) -> TermMatrix:
        """Between true and false lies twice a weight, as it does where terms are products of signs."""
        scale = [2.0 if len(self.words.phrase(term)) == 1 else 4 * self.scale for term in terms]
        places = tuple((i,) for i in range(len(terms)))
        return TermMatrix(self.products(terms), places, np.array(scale, dtype=np.float32))

    @property
    def words(self) -> Vocabulary:
        """What the columns are."""
        assert self.vocabulary is not None  # noqa: S101 - given to whoever asks for phrases
        return self.vocabulary

    @property
    def codes(self) -> CodedRows:
        """The codes of all columns."""
        return self._once("codes", lambda: self.words.codes(self.signs))

    def rows_where_true(self, terms: Sequence[Term]) -> tuple[NDArray[np.float64], float]:
        """In how many rows phrases are true, and of how many; of other terms nobody asks."""
        asked = bool(terms) and self.in_phrases
        rows = self.counts @ self.words.truth(terms, self.codes) if asked else np.empty(0)
        return rows, float(self.counts.sum())

    @property
    def phrase_scan(self) -> PhraseScan:
        """For models of few phrases."""
        known = self.words, self.signs, self.codes, self.counts, self._least_rows
        return self._once("phrases", lambda: PhraseScan(*known))

    @cached_property
    def odd_phrases(self) -> list[Phrase]:
        """Parities that are there beyond doubt."""
        return odd_phrases(self)

    def problem(self, terms: Sequence[Term]) -> RidgeProblem:
        """To be fitted."""
        return RidgeProblem(self.matrix(terms), self.targets, self.shares, self.loss, float(self.counts.sum()))

    @property
    def _least_rows(self) -> float:
        """How many rows every cell of a pair must have; what two of thousands of levels say together is held back."""
        if self.has_true_bits:
            return 2.0
        return min(5.0, max(2.0, self.counts.sum() / 100))

    @property
    def scan(self) -> Scan:
        """For models that contain all single bits: the measure's functions have nothing in common with those."""
        if isinstance(self.basis, Standardised) and self._by_cells and self.degree < 3:
            return self._once("cells", self._cell_scan)
        if isinstance(self.basis, Standardised) and self.true_bits is not None:
            return self._once("basis", lambda: self._sparse_scan(self.signs, 1.0, self.basis))
        return self._once("basis", lambda: self._new_scan(self._functions, 1.0))

    @property
    def parity_scan(self) -> Scan:
        """For models that contain few terms: terms as they are."""
        return self._once("values", lambda: self._new_scan(self.values.astype(np.float32, copy=False), 0.01))

    def parity_scan_of(self, bits: NDArray[np.intp]) -> Scan:
        """The same of some bits, numbered in their order."""
        values, signs = self.values[:, bits].astype(np.float32), self.signs[:, bits]
        return Scan(values, signs, self.columns[bits], self.counts.astype(np.float32), self._least_rows, 0.01)

    @property
    def _functions(self) -> NDArray[np.float32]:
        return self.basis.of(self.signs) if isinstance(self.basis, Standardised) else self.basis

    def _once(self, name: str, make: Callable[[], _T]) -> _T:
        """What is known of these rows, whatever is fitted to them: made when it is asked for first."""
        if name not in self.shared:
            self.shared[name] = make()
        found: _T = self.shared[name]
        return found

    def _new_scan(self, functions: NDArray[np.float32], least_variance: float) -> Scan:
        if self.true_bits is not None:
            return self._sparse_scan(functions, least_variance)
        counts = self.counts.astype(np.float32)
        return Scan(functions, self.signs, self.columns, counts, self._least_rows, least_variance)

    def _sparse_scan(self, functions: NDArray[Any], least_variance: float, standard: Any = None) -> SparseScan:
        counts = self.counts.astype(np.float32)
        known = functions, self.signs, self.columns, counts, self._least_rows, least_variance
        return SparseScan(*known, self.true_bits, standard)

    def _cell_scan(self) -> Scan:
        ones = np.ones(self.signs.shape[1], dtype=np.float32)
        signs = self._in_cells(tuple((i,) for i in range(len(ones))), ones)
        assert isinstance(self.basis, Standardised)  # noqa: S101 - or nobody would ask
        counts = self.counts.astype(np.float32)
        return CellScan(self.signs, self.signs, self.columns, counts, self._least_rows, 1.0, signs, self.basis)

    @property
    def has_true_bits(self) -> bool:
        """Whether bits are so many, and so few of them true, that sums over what is true pay."""
        return self.true_bits is not None

    @property
    def true_bits(self) -> Any:
        """Where bits are true, if they are so many and so few of them are true that it pays."""
        return self._once("true", lambda: true_bits(self.signs, self.values, sure=self.few_true))

    def residual(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the scores leave unexplained."""
        return self.loss.residuals(scores, self.targets)

    @property
    def labels(self) -> NDArray[np.float64]:
        """Classes as -1 and +1, numbers less their mean: what coefficients are of."""
        return 2 * self.targets - 1 if self.loss.saturates else self.targets - self.shares @ self.targets

    def distilled_from(self, model: FittedTerms) -> Design:
        """The same rows with what a model says of them in place of the targets, which hold noise besides.

        Scores are what a shorter model can come near by least squares; beyond some size they all mean "surely".
        """
        scores = model.fit.scores(model.problem.matrix)
        if self.loss.saturates:
            middle = scores.mean(axis=1, keepdims=True) if scores.shape[1] > 1 else 0.0
            scores = np.clip(scores - middle, -TUNING.sure, TUNING.sure)
        return replace(self, targets=scores, loss=SquaredLoss())

    def losses_of(self, fit: LinearFit, terms: Sequence[Term]) -> NDArray[np.float64]:
        """The loss of every row under a model."""
        return self.loss.of_rows(self.scores(fit, terms), self.targets)

    def scores(self, fit: LinearFit, terms: Sequence[Term]) -> NDArray[np.float64]:
        """What a model says of every row."""
        if not terms:
            return np.tile(fit.intercept, (len(self.signs), 1))
        return fit.scores(self.matrix(terms))


def grow_rich(design: Design, penalty: float, steps: Sequence[int]) -> Iterator[FittedTerms]:
    """All single bits, then so many interactions, in rounds of growing size."""
    terms: tuple[Term, ...] = tuple((i,) for i in range(design.signs.shape[1]))
    singles = len(terms)
    model = grown(design, terms, penalty, None)
    for step in steps:
        before = model.n_terms
        while model.n_terms - singles < step:
            extra = model.n_terms - singles
            wanted = min(step - extra, max(TUNING.first_round, extra))
            new = _interactions(design, model, wanted)
            if not new:
                break
            model = grown(design, (*model.terms, *new), penalty, model)
        if step and model.n_terms == before:
            return
        yield model


def grow_at_once(design: Design, penalty: float, size: int, rng: np.random.RandomState) -> FittedTerms:
    """All single bits and very many interactions, ranked once."""
    singles: tuple[Term, ...] = tuple((i,) for i in range(design.signs.shape[1]))
    first = grown(design, singles, penalty, None)
    terms = (*singles, *_interactions(design, first, size))
    problem = design.problem(terms)
    return FittedTerms(terms, problem, fit_by_steps(problem, penalty, rng))


def grown(
    design: Design, terms: tuple[Term, ...], penalty: float, before: FittedTerms | None, *, on_the_way: bool = False
) -> FittedTerms:
    """A model that begins with the terms of another, fitted from there."""
    problem = design.problem(terms)
    start = None
    if before is not None:
        problem.learn_from(before.problem)
        more = np.zeros((len(terms) - before.n_terms, before.fit.weights.shape[1]))
        start = LinearFit(np.concatenate([before.fit.weights, more]), before.fit.intercept)
    return FittedTerms(terms, problem, problem.solve(penalty, start, on_the_way=on_the_way))


def _interactions(design: Design, model: FittedTerms, wanted: int) -> list[Term]:
    """The best new ones that are not near copies of each other; or, by coefficients, simply the largest."""
    if not design.by_residual:
        found = design.scan.largest_coefficients(design.labels, design.degree, model.n_terms + wanted)
        return [term for term in found if term not in set(model.terms)][:wanted]
    residual = design.residual(model.fit.scores(model.problem.matrix))
    known, scan = set(model.terms), design.scan
    chosen: list[Term] = []
    taken: dict[tuple[int, ...], NDArray[np.bool_]] = {}  # by columns: the places of what is chosen, and of its likes
    for _, term in ranked(scan, residual, design.degree, 40 * wanted + 100):
        columns, places = zip(*(scan.places[i] for i in term), strict=True)
        here = taken.get(columns)
        if term in known or (here is not None and here[places]):
            continue
        if scan.has_copies:
            alike = scan.alike(term)
            taken[columns] = alike if here is None else here | alike
        chosen.append(term)
        if len(chosen) == wanted:
            break
    return chosen


def ranked(scan: Scan, residual: NDArray[np.float64], degree: int, most: int) -> list[tuple[float, Term]]:
    """Pairs and triples by what they explain beyond chance; kept, for several families begin with the same residual."""
    key = hash(residual.tobytes()), degree, most
    if key not in scan.known:
        while len(scan.known) >= _KEPT_RANKINGS:
            scan.known.pop(next(iter(scan.known)))
        scan.known[key] = _ranked(scan, residual, degree, most)
    return scan.known[key]


def _ranked(scan: Scan, residual: NDArray[np.float64], degree: int, most: int) -> list[tuple[float, Term]]:
    found: list[tuple[float, Term]] = []  # the smaller the better, so that equal ones stand in the order of their terms
    if degree >= 2 and scan.n_pairs:
        price = float(2 * np.log(scan.n_pairs))
        found += [(price - score, term) for score, term in scan.best_pairs(residual, most)]
    if degree >= 3:
        price = _price_of_triples(scan)
        found += [(price - score, term) for score, term in scan.triples(residual, most)]
    return [(-lacking, term) for lacking, term in sorted(found)]


def triples_say_something(design: Design) -> bool:
    """Whether a triple explains more of what single bits leave than the best of as many would by chance."""
    singles = grown(design, tuple((i,) for i in range(design.signs.shape[1])), TUNING.largest_growth, None)
    residual = design.residual(singles.fit.scores(singles.problem.matrix))
    return any(score > _price_of_triples(design.scan) for score, _ in design.scan.triples(residual, 1))


def _price_of_triples(scan: Scan) -> float:
    return float(2 * np.log(max(scan.n_pairs * scan.d / 3, 1)))
