"""A truth table as a model: a prediction for every cell of a few columns or bits."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from paclearn.models.effects import Effect, Effects
from paclearn.models.explanation import Explanation, Part
from paclearn.models.model import Model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models import checked
    from paclearn.models.model import About
    from paclearn.models.truth_table import TruthTable

__all__ = ["Member", "TableModel"]

Member = tuple[int, tuple[int, ...] | None]  # a column, and the codes that mean yes where it is a bit


@dataclass(frozen=True, eq=False, repr=False)
class TableModel(Model):
    """Codes of the members are looked up; every axis has a last place for codes that were never seen.

    Empty and tied cells were decided when the table was made, so a prediction is one look-up.

    Parameters
    ----------
    about, columns : About, tuple of Column
        What is predicted from which table, and the columns that are read.
    members : tuple of tuple
        For every axis its column, and, where it is a bit, the codes that mean yes.
    cells : ndarray, one axis a member, then outputs
        Probabilities of the classes, or the mean of the target.
    counted : TruthTable or None
        What was counted in the cells, where that is known: a model file does not say.
    """

    kind: ClassVar[str] = "table"

    members: tuple[Member, ...]
    cells: NDArray[np.float64]
    counted: TruthTable | None = None

    # ---- the four questions ----

    def scores(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        return np.asarray(self.cells[self._places(codes)])

    def explain(self, codes: Sequence[NDArray[Any]]) -> list[Explanation]:
        """Members become known one after another; what each changes is its part."""
        places = np.stack(self._places(codes), axis=1)
        names = [(*known, "never seen") for known in self.code_names]
        return [self._explained(tuple(place.tolist()), names) for place in places]

    def _explained(self, place: tuple[int, ...], names: Sequence[Sequence[str]]) -> Explanation:
        known = [self.cells[(*place[:k], *self._unknown[k:])] for k in range(len(place) + 1)]
        parts = [
            Part(f"{name} = {words[code]}", tuple((after - before).tolist()))
            for name, words, code, before, after in zip(
                self.member_names, names, place, known[:-1], known[1:], strict=True
            )
        ]
        return Explanation.of(self.output_names, known[0], parts)

    def effects(self) -> Effects:
        """One effect of all members."""
        groups = tuple(self._axis(member) for member in self.members)
        columns = tuple(column for column, _ in self.members)
        return Effects(np.zeros(self.n_scores), (Effect(columns, groups, self.cells),))

    def payload(self) -> dict[str, Any]:
        members = [{"column": c, "yes": None if yes is None else list(yes)} for c, yes in self.members]
        return {"members": members, "predictions": self.cells.reshape(-1, self.n_outputs).tolist()}

    @classmethod
    def read(cls, about: About, columns: tuple[Column, ...], part: checked.Part) -> Self:
        members = part["members"].each(lambda p: _member(p, columns))
        part["members"].need(bool(members), "one or more columns or bits")
        sizes, outputs = _sizes(columns, members), 1 if about.classes is None else len(about.classes)
        said = part["predictions"]
        flat = (said.addends if about.classes is None else said.probabilities)(prod(sizes), outputs)
        return cls(about, columns, members, flat.reshape(*sizes, outputs))

    # ---- what follows ----

    @property
    def n_scores(self) -> int:
        """Probabilities of all classes, or one number."""
        return self.n_outputs

    @property
    def sizes(self) -> list[int]:
        """Places of every axis, the unseen one included."""
        return _sizes(self.columns, self.members)

    @property
    def member_names(self) -> list[str]:
        """Columns, or what is asked of them."""
        return [self.columns[c].name + _asked(self.columns[c], yes) for c, yes in self.members]

    @property
    def code_names(self) -> list[tuple[str, ...]]:
        """The places of every axis by name, but for the unseen one."""
        return [self.columns[c].code_names if yes is None else ("no", "yes") for c, yes in self.members]

    def places(self) -> list[tuple[tuple[int, ...], list[str]]]:
        """Every cell of seen codes, and their names."""
        names = self.code_names
        spans = [range(len(n)) for n in names]
        return [(place, [n[i] for n, i in zip(names, place, strict=True)]) for place in product(*spans)]

    def said(self, place: tuple[int, ...]) -> Any:
        """What is predicted in a cell.

        Parameters
        ----------
        place : tuple of int
            One code a member.
        """
        found = self.cells[place]
        return float(found[0]) if self.about.classes is None else self.about.classes[int(found.argmax())]

    @property
    def _unknown(self) -> tuple[int, ...]:
        return tuple(size - 1 for size in self.sizes)

    def _axis(self, member: Member) -> NDArray[np.intp]:
        """The place of every code of a member's column."""
        column, yes = member
        codes = np.arange(self.columns[column].n_codes + 1)
        return codes if yes is None else np.isin(codes, yes).astype(np.intp)

    def _places(self, codes: Sequence[NDArray[Any]]) -> tuple[NDArray[np.intp], ...]:
        return tuple(self._axis(member)[codes[member[0]]] for member in self.members)


def _sizes(columns: Sequence[Column], members: Sequence[Member]) -> list[int]:
    return [columns[c].n_codes + 1 if yes is None else 3 for c, yes in members]


def _asked(column: Column, yes: tuple[int, ...] | None) -> str:
    return "" if yes is None else " in {" + ", ".join(column.code_names[i] for i in yes) + "}"


def _member(part: checked.Part, columns: tuple[Column, ...]) -> Member:
    column = part["column"].whole(0, len(columns))
    yes = part["yes"]
    codes = None if yes.value is None else yes.each(lambda p: p.whole(0, columns[column].n_codes))
    return column, codes
