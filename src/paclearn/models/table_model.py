"""Truth tables: a prediction for every cell of a few columns or bits."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paclearn._text import markdown_table
from paclearn.models.model import About, PortableModel
from paclearn.views import sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.checked import Part

__all__ = ["Member", "TableModel"]

Member = tuple[int, tuple[int, ...] | None]  # a column, and the codes that mean yes where it is a bit


class TableModel(PortableModel):
    """Codes of the members are looked up; every axis has a last place for codes that were never seen."""

    kind: ClassVar[str] = "table"

    def __init__(
        self,
        about: About,
        columns: tuple[Column, ...],
        members: tuple[Member, ...],
        predictions: NDArray[np.float64],
    ) -> None:
        super().__init__(about, columns)
        self.members = members
        self.predictions = predictions

    @classmethod
    def of(cls, model: Any, target: str | None) -> TableModel:
        """From a junta."""
        units, domain = model.units_, model.domain_
        bits = None if units.kind == "column" else [domain.bits[i] for i in model.members_]
        wanted = model.members_ if bits is None else [bit.column for bit in bits]
        kept = sorted(set(wanted))
        place = {old: new for new, old in enumerate(kept)}
        codes = [None] * len(wanted) if bits is None else [bit.codes for bit in bits]
        members = tuple((place[column], yes) for column, yes in zip(wanted, codes, strict=True))
        columns = tuple(domain.columns[i] for i in kept)
        return cls(About.of(model, target), columns, members, model.truth_table_.predictions)

    @property
    def sizes(self) -> list[int]:
        """Places of every axis, the unseen one included."""
        return _sizes(self.columns, self.members)

    def _places(self, codes: Sequence[NDArray[Any]]) -> tuple[NDArray[np.intp], ...]:
        return tuple(
            np.asarray(codes[c], dtype=np.intp) if yes is None else np.isin(codes[c], yes).astype(np.intp)
            for c, yes in self.members
        )

    def values(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        return np.asarray(self.predictions[self._places(codes)])

    # ---- plain data ----

    def payload(self) -> dict[str, Any]:
        members = [{"column": c, "yes": None if yes is None else list(yes)} for c, yes in self.members]
        return {"members": members, "predictions": self.predictions.reshape(-1, self.n_outputs).tolist()}

    @classmethod
    def read(cls, about: About, columns: tuple[Column, ...], part: Part) -> TableModel:
        members = part["members"].each(lambda p: _member(p, columns))
        part["members"].need(bool(members), "one or more columns or bits")
        sizes, outputs = _sizes(columns, members), 1 if about.classes is None else len(about.classes)
        flat = part["predictions"].numbers(prod(sizes), outputs)
        return cls(about, columns, members, flat.reshape(*sizes, outputs))

    # ---- to be read ----

    @property
    def member_names(self) -> list[str]:
        """Columns, or what is asked of them."""
        return [self.columns[c].name + _asked(self.columns[c], yes) for c, yes in self.members]

    def places(self) -> list[tuple[tuple[int, ...], list[str]]]:
        """Every cell of seen codes, and their names."""
        names = [self.columns[c].code_names if yes is None else ("no", "yes") for c, yes in self.members]
        spans = [range(len(n)) for n in names]
        return [(place, [n[i] for n, i in zip(names, place, strict=True)]) for place in product(*spans)]

    def said(self, place: tuple[int, ...]) -> Any:
        """What is predicted in a cell."""
        found = self.predictions[place]
        return float(found[0]) if self.about.classes is None else self.about.classes[int(found.argmax())]

    def markdown(self) -> str:
        rows = [[*names, _shown(self.said(place))] for place, names in self.places()]
        return markdown_table([*self.member_names, "prediction"], rows)

    def because(self, X: Any, most: int = 10) -> list[dict[str, Any]]:
        codes = [c[:1] for c in self.codes(X)]
        names = [
            (*self.columns[c].code_names, "(never seen)") if yes is None else ("no", "yes") for c, yes in self.members
        ]
        places = [int(place[0]) for place in self._places(codes)]
        rows = zip(self.member_names, names, places, strict=True)
        return [{"member": member, "is": known[place]} for member, known, place in rows][:most]

    def query(self, table: str, keys: Sequence[str], name: str) -> str:
        return sql.table_query(self, table, keys, name)


def _sizes(columns: Sequence[Column], members: Sequence[Member]) -> list[int]:
    return [columns[c].n_codes + 1 if yes is None else 3 for c, yes in members]


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _asked(column: Column, yes: tuple[int, ...] | None) -> str:
    return "" if yes is None else " in {" + ", ".join(column.code_names[i] for i in yes) + "}"


def _member(part: Part, columns: tuple[Column, ...]) -> Member:
    column = part["column"].whole(0, len(columns))
    yes = part["yes"]
    codes = None if yes.value is None else yes.each(lambda p: p.whole(0, columns[column].n_codes))
    return column, codes
