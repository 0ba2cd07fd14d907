"""What a learner found, and what that says of the rows it was learned from: of all at once, or a block at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.remote_columns import RemoteClasses
from paclearn.models.cell_grids import masses_of
from paclearn.tables.weights import multiples, summable_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Domain
    from paclearn.encoding.encoded_rows import EncodedBlock, EncodedRows
    from paclearn.learners.fitting import Rows
    from paclearn.models.cell_grids import CellGrid
    from paclearn.models.model import Model

    # of scores and targets of rows: a number a row
    Losses = Callable[[NDArray[np.float64], NDArray[Any]], NDArray[np.float64]]

__all__ = ["Judged", "JudgedInPasses", "Learned", "LearnedInPasses"]


@dataclass(frozen=True, eq=False)
class Learned:
    """A model, and the codes that its columns have in the rows it was learned from, so that nothing is read twice.

    Where equal rows were merged, ``codes`` are those of the different ones, and ``kind`` says which of them a row is.
    Where the covariance of a model's weights is known, it comes along.
    """

    model: Model
    codes: Sequence[NDArray[Any]]
    kind: NDArray[np.intp] | None = None
    covariance: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        model: Model,
        domain: Domain,
        codes: Sequence[NDArray[Any]] | NDArray[Any],
        n_rows: int,
        covariance: NDArray[np.float64] | None = None,
    ) -> Learned:
        """The codes of the model's columns, among those of all columns of a domain."""
        found = [codes[i] for i in _places(model, domain)]
        return cls(model, found or [np.zeros(n_rows, dtype=np.uint8)], covariance=covariance)

    def knowing(self, rows: Rows) -> Model:
        """The model, with what it wants to remember of the rows it was learned from."""
        counts = rows.weights if self.kind is None else np.bincount(self.kind, rows.weights).astype(np.float64)
        return self.model.fitted_to(self.codes, counts, self.covariance)

    def judged(self, model: Model, rows: Rows) -> Judged:
        """What that model says of the rows."""
        return Judged(model, rows, self.codes, self.kind)


def _places(model: Model, domain: Domain) -> tuple[int, ...]:
    place = {column.position: i for i, column in enumerate(domain.columns)}
    return tuple(place[column.position] for column in model.columns)


@dataclass(frozen=True, eq=False)
class Judged:
    """Rows beside what the model says of them, once somebody asks."""

    model: Model
    rows: Rows
    codes: Sequence[NDArray[Any]]
    kind: NDArray[np.intp] | None = None

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """One score a row and output."""
        found = self.model.scores(self.codes)
        return found if self.kind is None else found[self.kind]

    @property
    def n(self) -> int:
        """How many independent draws the rows are: groups where there are any, otherwise rows."""
        return self.rows.n_independent

    @cached_property
    def wrong(self) -> NDArray[np.bool_]:
        """Whether the class of a row is another one."""
        return np.asarray(self.model.choices(self.scores) != self.rows.targets)

    @property
    def missed(self) -> float:
        """Rows whose class is another one; of groups, the shares of their rows, added up."""
        return self.rows.total(self.wrong)

    @property
    def trivial(self) -> float:
        """The error of always naming the most frequent class."""
        return 1 - max(self.rows.mean(self.rows.targets == k) for k in np.unique(self.rows.targets))

    @cached_property
    def squared_error(self) -> float:
        """Mean squared error of a number."""
        return self.rows.mean((self.model.from_scores(self.scores)[:, 0] - self.rows.targets) ** 2)

    def mean_of(self, losses: Losses) -> float:
        """The mean over rows, or over groups of the mean of each, of what is made of scores and targets."""
        return self.rows.mean(losses(self.scores, self.rows.targets))


# ---- a block at a time -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LearnedInPasses(Learned):
    """A model, and all rows, which are looked at again a block at a time."""

    rows: EncodedRows = field(kw_only=True)
    places: tuple[int, ...] = field(kw_only=True)

    @classmethod
    def of_rows(
        cls, model: Model, domain: Domain, rows: EncodedRows, covariance: NDArray[np.float64] | None = None
    ) -> LearnedInPasses:
        """The rows that a model was learned from, by the codes of all columns of a domain."""
        return cls(model, [], covariance=covariance, rows=rows, places=_places(model, domain))

    def knowing(self, rows: Rows) -> Model:  # noqa: ARG002 - which it knows
        return self.model.fitted_in(self._masses, self.covariance)

    def judged(self, model: Model, rows: Rows) -> Judged:
        return JudgedInPasses(model, rows, [], encoded=self.rows, places=self.places)

    def _masses(self, grids: Sequence[CellGrid]) -> list[NDArray[np.float64]]:
        return self.rows.summed(_Masses(tuple(grids), self.places), _add_masses) if grids else []


@dataclass(frozen=True, eq=False)
class JudgedInPasses(Judged):
    """Rows of which nothing is kept."""

    encoded: EncodedRows = field(kw_only=True)
    places: tuple[int, ...] = field(kw_only=True)

    @cached_property
    def missed(self) -> float:
        if self.rows.groups is None:
            return float(self._summed(_CountWrong()))
        return self.rows.total(self._listed(_Wrong()))

    @cached_property
    def trivial(self) -> float:
        targets: Any = self.rows.targets
        if isinstance(targets, RemoteClasses):
            return 1 - float(targets.counts.max()) / len(targets)
        return super().trivial

    def mean_of(self, losses: Losses) -> float:
        if self.rows.groups is not None:
            return self.rows.mean(self._listed(_OfModel(losses)))
        step = summable_steps(self._summed(_Sizes(losses)))
        return float(self._summed(_Multiples(losses, step))) / self.rows.n

    def _summed(self, what: Any) -> Any:
        return self.encoded.summed(_Asked(self.model, self.places, what), add)

    def _listed(self, what: Any) -> NDArray[Any]:
        return np.concatenate(self.encoded.summed(_Listed(self.model, self.places, what), add))


@dataclass(frozen=True, eq=False)
class _Masses:
    """How much the rows weigh in the cells of grids over the columns of a model."""

    grids: tuple[CellGrid, ...]
    places: tuple[int, ...]  # of these columns, among all

    def __call__(self, block: EncodedBlock) -> list[NDArray[np.float64]]:
        codes = [block.codes[i] for i in self.places]
        return list(masses_of(self.grids, codes, block.weights))


def _add_masses(one: list[NDArray[np.float64]], other: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    return [a + b for a, b in zip(one, other, strict=True)]


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is made of a model, of its scores of some rows, and of their targets."""

    model: Model
    places: tuple[int, ...]
    what: Any

    def __call__(self, block: EncodedBlock) -> Any:
        if block.n == 0:
            return 0
        codes = [block.codes[i] for i in self.places] or [np.zeros(block.n, dtype=np.uint8)]
        return self.what(self.model, self.model.scores(codes), block.targets)


@dataclass(frozen=True, eq=False)
class _Listed(_Asked):
    """The same as a list of blocks."""

    def __call__(self, block: EncodedBlock) -> Any:
        return [super().__call__(block)]


@dataclass(frozen=True)
class _Wrong:
    """Whether the class of a row is another one."""

    def __call__(self, model: Model, scores: NDArray[np.float64], targets: NDArray[Any]) -> Any:
        return model.choices(scores) != targets


@dataclass(frozen=True)
class _CountWrong(_Wrong):
    """In how many rows it is."""

    def __call__(self, model: Model, scores: NDArray[np.float64], targets: NDArray[Any]) -> Any:
        return int(super().__call__(model, scores, targets).sum())


@dataclass(frozen=True)
class _OfModel:
    """A loss of every row."""

    losses: Losses

    def __call__(self, model: Model, scores: NDArray[np.float64], targets: NDArray[Any]) -> Any:  # noqa: ARG002
        return np.asarray(self.losses(scores, targets), dtype=np.float64)


@dataclass(frozen=True)
class _Sizes(_OfModel):
    """The sum of their sizes."""

    def __call__(self, model: Model, scores: NDArray[np.float64], targets: NDArray[Any]) -> Any:
        return np.abs(super().__call__(model, scores, targets)).sum()


@dataclass(frozen=True)
class _Multiples(_OfModel):
    """Their sum, each rounded to a multiple of a step."""

    losses: Losses
    step: Any

    def __call__(self, model: Model, scores: NDArray[np.float64], targets: NDArray[Any]) -> Any:
        return multiples(super().__call__(model, scores, targets), self.step).sum()
