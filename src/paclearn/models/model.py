"""A fitted model: frozen, and without a memory of how it was found. Views read models and nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from paclearn.encoding.column_pass import encode_each
from paclearn.models.column_data import column_from, column_to_dict, read_dialect
from paclearn.tables.table import KnownColumns, as_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.cell_grids import CellGrid
    from paclearn.models.checked import Part
    from paclearn.models.effects import Effects
    from paclearn.models.explanation import Explanation
    from paclearn.tables.dialect import Dialect
    from paclearn.tables.table import Table

__all__ = ["About", "Model", "columns_of"]

_DEEPEST = 4  # objects and lists within each other, of a certificate


@dataclass(frozen=True)
class About:
    """What every model says of itself.

    Parameters
    ----------
    classes : tuple or None
        The class labels; None for a number.
    target : str or None
        The name of what is predicted.
    n_features : int
        Columns of the table of ``fit``.
    feature_names : tuple of str or None
        Their names, where they had names.
    certificate : dict or None
        The bound on its error, as plain data.
    learner : str
        The class of the estimator that found it.
    reading : Dialect or None, default=None
        How the file of the table was read, if it was one: the next file is read so too.
    asked : int, default=1
        Of two classes, the one that words speak of, see `asked_class`; scores are of the second all the same.
    """

    classes: tuple[Any, ...] | None
    target: str | None
    n_features: int
    feature_names: tuple[str, ...] | None
    certificate: dict[str, Any] | None
    learner: str
    reading: Dialect | None = None
    asked: int = 1

    @classmethod
    def read(cls, part: Part) -> About:
        """From a file.

        Parameters
        ----------
        part : checked.Part
            The content of the file.
        """
        classify = part["task"].one_of("classification", "regression") == "classification"
        labels = part["classes"].labels() if classify else None
        n = part["n_features"].whole(1, 2**31)
        names = part["feature_names"]
        known = None if names.value is None else names.each(lambda p: p.text())
        names.need(known is None or len(set(known)) == len(known) == n, f"{n} different names, or null")
        target, promise = part["target"], part["certificate"]
        asked = part.get("asked")
        asked.need(asked.value is None or len(labels or ()) == 2, "of two classes, or be left out")
        promise.need(promise.value is None or isinstance(promise.value, dict), "an object or null")
        promise.need(_depth(promise.value) <= _DEEPEST, "an object of plain values")
        if promise.get("sentence").value is not None:
            promise["sentence"].text()
        return cls(
            labels,
            None if target.value is None else target.text(),
            n,
            known,
            promise.value,
            part["learner"].text(),
            read_dialect(part["reading"]) if part.value.get("reading") is not None else None,
            1 if asked.value is None else asked.whole(0, 2),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "learner": self.learner,
            "task": "regression" if self.classes is None else "classification",
            "target": self.target,
            "classes": None if self.classes is None else list(self.classes),
            "n_features": self.n_features,
            "feature_names": None if self.feature_names is None else list(self.feature_names),
            "certificate": self.certificate,
            **({} if self.reading is None else {"reading": self.reading.to_dict()}),
            **({} if self.asked == 1 else {"asked": self.asked}),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Model(ABC):
    """It answers four questions: `scores`, `explain`, `effects`, `payload`. The rest follows.

    Parameters
    ----------
    about : About
        Target, classes and columns of the table it was learned from.
    columns : tuple of Column
        The columns that it reads.
    """

    kind: ClassVar[str]
    column_kinds: ClassVar[tuple[str, ...]] = ("levels", "bins")  # that it can read, by their names in files

    about: About
    columns: tuple[Column, ...]

    # ---- the four questions ----

    @abstractmethod
    def scores(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """One score a row and output, from the codes of the columns.

        Parameters
        ----------
        codes : sequence of ndarray
            One array a column of the model, see `encode`.
        """

    @abstractmethod
    def explain(self, codes: Sequence[NDArray[Any]]) -> list[Explanation]:
        """For every row, parts that add up to its scores.

        Parameters
        ----------
        codes : sequence of ndarray
            See `scores`.
        """

    @abstractmethod
    def effects(self) -> Effects:
        """The same scores as a sum of functions of few columns; refused where that would be no sum at all."""

    @abstractmethod
    def payload(self) -> dict[str, Any]:
        """What is in a model file beside `about` and the columns: plain data that `read` takes."""

    @classmethod
    @abstractmethod
    def read(cls, about: About, columns: tuple[Column, ...], part: Part) -> Self:
        """From a file, every value checked.

        Parameters
        ----------
        about, columns : About, tuple of Column
            What the file says of the model and its columns.
        part : checked.Part
            Its payload.
        """

    # ---- what follows ----

    def __repr__(self) -> str:
        what = self.about.target or ("a number" if self.about.classes is None else f"{self.n_outputs} classes")
        return f"{type(self).__name__}({what} from {', '.join(c.name for c in self.columns) or 'no column'})"

    def predictions(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """Probabilities of the classes, or one column of numbers.

        Parameters
        ----------
        codes : sequence of ndarray
            See `scores`.
        """
        return self.from_scores(self.scores(codes))

    def from_scores(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Predictions from scores: the same, unless a model has a link between them.

        Parameters
        ----------
        scores : ndarray of shape (n_rows, n_scores)
            What `scores` gave.
        """
        return scores

    def error_scale(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        """In what an error of a predicted number is measured: in ones, unless errors grow with what is predicted.

        Parameters
        ----------
        means : ndarray of shape (n_rows,)
            Predicted numbers.
        """
        return np.ones_like(means)

    def choices(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        """The number of the class of every row, from its scores; the first of equals.

        Parameters
        ----------
        scores : ndarray of shape (n_rows, n_scores)
            What `scores` gave.
        """
        if scores.shape[1] == 1:
            return self.from_scores(scores).argmax(axis=1)
        return scores.argmax(axis=1)

    @property
    def output_names(self) -> tuple[str, ...]:
        """What the scores are of: the target, the second of two classes, or every class."""
        if self.about.classes is None:
            return (self.about.target or "value",)
        names = tuple(str(c) for c in self.about.classes)
        return names[1:] if self.n_scores == 1 else names

    @property
    def n_scores(self) -> int:
        """Scores a row: one for a number and for two classes, otherwise one a class."""
        return 1 if self.about.classes is None or len(self.about.classes) == 2 else len(self.about.classes)

    @property
    def n_outputs(self) -> int:
        """Probabilities or numbers a row."""
        return 1 if self.about.classes is None else len(self.about.classes)

    @property
    def labels(self) -> NDArray[Any]:
        """Class labels as they were: numbers as numbers, text as objects."""
        classes = self.about.classes or ()
        if all(isinstance(c, bool) for c in classes):
            return np.array(classes, dtype=bool)
        if all(isinstance(c, int | float) and not isinstance(c, bool) for c in classes):
            return np.array(classes)
        return np.array(classes, dtype=object)

    def table(self, X: Any) -> Table:
        """Whatever a user has as a table, held to the columns of the table of ``fit``.

        Parameters
        ----------
        X : table-like
            Rows.
        """
        return as_table(KnownColumns(self.about.n_features, self.about.feature_names), X, reset=False)

    def encode(self, table: Table) -> list[NDArray[Any]]:
        """Codes of the columns; of a model that reads none, noughts, so that rows are still counted.

        Parameters
        ----------
        table : Table
            Rows.
        """
        return list(encode_each(self.columns, table)) or [np.zeros(table.n_rows, dtype=np.uint8)]

    def fitted_to(
        self,
        codes: Sequence[NDArray[Any]],  # noqa: ARG002
        counts: NDArray[np.float64] | None,  # noqa: ARG002
        covariance: NDArray[np.float64] | None = None,  # noqa: ARG002
    ) -> Self:
        """The same model, knowing the rows that it was fitted to; most kinds have no use for them.

        Parameters
        ----------
        codes : sequence of ndarray
            The rows: codes of the columns of the model.
        counts : ndarray or None
            How often each row counts; None for once.
        covariance : ndarray of shape (n_scores, n_weights, n_weights), default=None
            Of the weights of the model, where it is known.
        """
        return self

    def fitted_in(
        self,
        counted: Callable[[Sequence[CellGrid]], Sequence[NDArray[np.float64]]],  # noqa: ARG002
        covariance: NDArray[np.float64] | None = None,  # noqa: ARG002
    ) -> Self:
        """The same, where rows are not here: somebody says how many of them are in each cell of some grids.

        Parameters
        ----------
        counted : callable
            Takes grids over the columns of the model.
        covariance : ndarray, default=None
            As of `fitted_to`.
        """
        return self

    def named(self, target: str | None) -> Self:
        """The same model, with a name for what it predicts.

        Parameters
        ----------
        target : str or None
            The name.
        """
        return self if target is None else replace(self, about=replace(self.about, target=target))

    def read_by(self, dialect: Dialect) -> Self:
        """The same model, with how the file of its table was read.

        Parameters
        ----------
        dialect : Dialect
            What was decided of the file.
        """
        return replace(self, about=replace(self.about, reading=dialect))

    def certified(self, certificate: dict[str, Any] | None) -> Self:
        """The same model, with a bound on its error.

        Parameters
        ----------
        certificate : dict or None
            The bound, as plain data.
        """
        return replace(self, about=replace(self.about, certificate=certificate))

    def to_dict(self) -> dict[str, Any]:
        """Plain data: kind, what it is about, columns and payload."""
        columns = [column_to_dict(c) for c in self.columns]
        return {"kind": self.kind, **self.about.to_dict(), "columns": columns, "model": self.payload()}


def _depth(value: Any) -> int:
    """How many objects and lists are within each other, counted up to one too many."""
    inside, depth = [value], 0
    while depth <= _DEEPEST and (inside := [v for v in inside if isinstance(v, dict | list)]):
        inside = [entry for v in inside for entry in (v.values() if isinstance(v, dict) else v)]
        depth += 1
    return depth


def columns_of(part: Part, about: About, kinds: tuple[str, ...]) -> tuple[Column, ...]:
    """All columns of a file."""
    return part.each(lambda p: column_from(p, about.n_features, about.feature_names, kinds))
