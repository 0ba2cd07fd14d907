"""A watch for rows that belong together: a column whose rows are alike in the target and in other columns.

Where a patient comes ten times, shuffled folds put some of the visits among the rows to learn from, and a model that
knows patients by heart looks good until it meets a new one. Whether new ones will be met only a person knows; the page
says what a model is worth on them, and how to say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._text import percent
from paclearn.encoding import EncodingRules, learn_and_encode
from paclearn.exceptions import EmptyTableError
from paclearn.report.baselines import BoostingBaseline, constant_baseline
from paclearn.report.compare import Contender, Said, cross_validate, judge, mean_and_error
from paclearn.report.sentences import shorten
from paclearn.report.shared_folds import Folds
from paclearn.tables.raw import Dates, Labels, read_any
from paclearn.tables.row_roles import RowRoles
from paclearn.tables.table import ColumnSubset, RowSubset

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.report.facts import LikenessFacts
    from paclearn.report.shared_folds import Fold
    from paclearn.report.subject import Subject
    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table

__all__ = ["find_likeness"]

_ROWS, _TRIED = 20_000, 3000  # to look at, and to try a model on
_NUMBERS = 100_000  # rows x columns of such a trial
_FEWEST, _FEWEST_VALUES = 60, 10
_LEAST_SIZE = 2.5  # rows of a value on average: with fewer, most of them stand alone
_MOST_SHARE = 0.2  # of all rows that one value may have
_ALIKE = 0.3  # agreement beyond chance of two rows of one value, for a column to be alike
_ALIKE_IN_TARGET = 0.1
_COLUMNS = 2  # that must be alike
_NEIGHBOURS = 4  # numbers that follow each other: of names, a quarter of the pairs are of one
_GAP, _CLEARLY = 0.05, 3.0  # by how much new values are worse, and in standard errors
_MOST_TRIED = 2
_PROPERTY = 0.9  # agreement from which a column is a property of what another one names
_FOLDS = 3


def find_likeness(subject: Subject) -> list[LikenessFacts]:
    """Columns that look like groups where none was named, with what a model is worth on new ones; clearest first."""
    table, y, roles = subject.some(_ROWS)
    if subject.names.group is not None or len(y) < _FEWEST:
        return []
    try:
        found = sorted(candidates(table, _target_codes(y, classify=subject.classify)), key=lambda c: -c.alike)
    except EmptyTableError:  # no column varies: something else will say so
        return []
    kept: list[Candidate] = []
    for one in found:
        if len(kept) < _MOST_TRIED and all(agreement(other.numbers, one.numbers) < _PROPERTY for other in kept):
            kept.append(one)
    tried = (_tried(one, table, y, RowRoles(weights=roles.weights), subject) for one in kept)
    return [facts for facts in tried if facts is not None]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A column whose rows are alike in so many others."""

    name: str
    numbers: NDArray[np.intp]  # the value of every row
    alike: float  # mean agreement of the other columns, beyond chance


def candidates(table: Table, target: NDArray[np.intp]) -> Iterator[Candidate]:
    """Columns that name things, of which each has several rows that are alike in the target and in other columns."""
    domain, codes = learn_and_encode(table, EncodingRules(16, 2, 500))
    position = [column.features[-1] for column in domain.columns]
    for i, name in enumerate(table.names):
        raw = read_any(table, i)
        numbers = _names_of(raw)
        if numbers is None or agreement(numbers, target) < _ALIKE_IN_TARGET:
            continue
        if not isinstance(raw, Labels) and _is_a_quantity(numbers, target):
            continue
        others = [agreement(numbers, code) for code, place in zip(codes, position, strict=True) if place != i]
        if sum(one >= _ALIKE for one in others) >= _COLUMNS:
            yield Candidate(name, numbers, float(np.mean(others)))


def _names_of(raw: RawColumn | Dates) -> NDArray[np.intp] | None:
    """The number of the value of every row, where values could be names: text or whole numbers, many, each of few."""
    if isinstance(raw, Dates) or raw.missing.any():
        return None
    values: NDArray[Any] = raw.codes if isinstance(raw, Labels) else raw.values
    if not isinstance(raw, Labels) and (values != np.floor(values)).any():
        return None
    present, numbers, rows = np.unique(values, return_inverse=True, return_counts=True)
    few = len(present) < _FEWEST_VALUES or rows.max() > _MOST_SHARE * len(values)
    return None if few or len(values) < _LEAST_SIZE * len(present) else numbers.astype(np.intp)


def _is_a_quantity(numbers: NDArray[np.intp], target: NDArray[np.intp]) -> bool:
    """Whether rows of neighbouring numbers are alike too, as they are for heights and not for patients."""
    return agreement(numbers // _NEIGHBOURS, target) > agreement(numbers, target) / 2


def _target_codes(y: NDArray[Any], *, classify: bool) -> NDArray[np.intp]:
    if classify:
        return np.unique(y, return_inverse=True)[1]
    return np.searchsorted(np.quantile(y, np.arange(1, 8) / 8), y)


def agreement(groups: NDArray[np.intp], codes: NDArray[Any]) -> float:
    """How much more often two rows of a group have the same code than any two: 0 by chance, 1 always (Cohen, 1960)."""
    n_codes = int(codes.max()) + 1
    cells = np.unique(groups * n_codes + codes.astype(np.intp), return_counts=True)[1]
    together = float((cells * (cells - 1)).sum())
    sizes = np.bincount(groups)
    pairs = float((sizes * (sizes - 1)).sum())
    rows = np.bincount(codes.astype(np.intp))
    chance = float((rows * (rows - 1)).sum()) / (len(codes) * (len(codes) - 1))
    return (together / pairs - chance) / (1 - chance) if pairs and chance < 1 else 0.0


def _tried(one: Candidate, table: Table, y: NDArray[Any], roles: RowRoles, subject: Subject) -> LikenessFacts | None:
    """What a model is worth on shuffled rows and on rows of values that it has not seen, if much less."""
    seed, most = subject.options.seed, min(_TRIED, _NUMBERS // len(table.names))
    rows = _whole_groups(one.numbers, most, seed)
    table, y, groups, roles = RowSubset(table, rows), y[rows], one.numbers[rows], roles.take(rows)
    if subject.classify and len(np.unique(y)) < 2:
        return None
    rest = tuple(i for i, name in enumerate(table.names) if name != one.name)
    apart = RowRoles(groups=groups, weights=roles.weights)
    places: list[tuple[Table, RowRoles]] = [(table, roles), (ColumnSubset(table, rest), apart)]
    said = [_answers(place, y, known, groups, subject) for place, known in places]
    answers = [max(ways, key=lambda v: judge(v, y, classify=subject.classify, roles=apart)["value"]) for ways in said]
    scores = [judge(values, y, classify=subject.classify, roles=apart)["value"] for values in answers]
    losses = [_losses(values, y, classify=subject.classify) for values in answers]
    unit = 1.0 if subject.classify else float(np.var(y)) or 1.0
    error = mean_and_error(losses[1] - losses[0], apart)[1] / unit
    if scores[0] - scores[1] < max(_GAP, _CLEARLY * error):
        return None
    return _facts(one, scores, subject)


def _whole_groups(numbers: NDArray[np.intp], most: int, seed: int) -> NDArray[np.intp]:
    """Rows of values drawn at random, until there are enough."""
    sizes = np.bincount(numbers)
    order = np.random.RandomState(seed).permutation(len(sizes))
    enough = order[: max(_FEWEST_VALUES, int(np.searchsorted(np.cumsum(sizes[order]), most)) + 1)]
    return np.flatnonzero(np.isin(numbers, enough))


def _answers(
    table: Table, y: NDArray[Any], roles: RowRoles, groups: NDArray[np.intp], subject: Subject
) -> list[NDArray[Any]]:
    """Of gradient boosting, and of who knows nothing but the other rows of the same value."""
    seed = subject.options.seed
    folds = Folds(table, y, np.zeros(len(y), dtype=np.intp), subject.classify, roles)
    folds = folds.shared_out(_FOLDS, np.random.RandomState(seed).permutation(len(y)), seed)
    boost = BoostingBaseline(table, classify=subject.classify, seed=seed)
    contenders = {
        "boosting": Contender("boosting", "", lambda fold: Said(boost(fold))),
        "by heart": Contender("by heart", "", lambda fold: Said(_by_heart(fold, groups))),
    }
    return [answers.values for answers in cross_validate(folds, contenders).values()]


def _by_heart(fold: Fold, groups: NDArray[np.intp]) -> NDArray[Any]:
    """The most frequent class, or the mean, of the rows of the same value; of all, where there are none."""
    said, known = constant_baseline(fold), groups[fold.train]
    rows = np.bincount(known, minlength=int(groups.max()) + 1)
    if not fold.folds.classify:
        means = np.bincount(known, fold.y, len(rows)) / np.maximum(rows, 1)
        return np.where(rows[groups[fold.test]] > 0, means[groups[fold.test]], said)
    classes, number = np.unique(fold.y, return_inverse=True)
    counts = np.bincount(known * len(classes) + number, minlength=len(rows) * len(classes)).reshape(-1, len(classes))
    return np.where(rows[groups[fold.test]] > 0, classes[counts.argmax(axis=1)][groups[fold.test]], said)


def _losses(said: NDArray[Any], y: NDArray[Any], *, classify: bool) -> NDArray[np.float64]:
    return np.asarray(said != y if classify else (said - y) ** 2, dtype=np.float64)


def _facts(one: Candidate, scores: Sequence[float], subject: Subject) -> LikenessFacts:
    told = "is right on" if subject.classify else "explains"
    name, values = f"“{shorten(one.name)}”", len(np.unique(one.numbers))
    sentence = (
        f"Rows that share a {name} are alike ({values:,} different ones): a quick model {told} {percent(scores[0])} "
        f"where rows are shuffled, and {percent(max(scores[1], 0))} on rows of a {name} that it has not seen. If the "
        f"model is to meet new ones, say so, and the page will be about them: --group {quote(one.name)}"
    )
    return {
        "column": one.name,
        "values": values,
        "shuffled": float(scores[0]),
        "apart": float(scores[1]),
        "sentence": sentence,
    }
