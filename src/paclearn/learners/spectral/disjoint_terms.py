"""Conditions on one column that exclude each other, in place of some that overlap: the same sum, a line a case.

``age > 39: +3, age > 48: +2`` says of somebody of 50 that both lines count. ``39 < age <= 48: +3, age > 48: +5`` says
it in one, and takes no more lines. The same goes for conjunctions that differ in the codes of one column only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.phrases import Phrase, Vocabulary
    from paclearn.learners.spectral.weighted_terms import Terms

__all__ = ["exclusive"]

_Codes = tuple[int, ...]
_DIGITS = 6


@dataclass(frozen=True, eq=False)
class _Line:
    """A phrase, what its weight is of the weights that were found, and of how many rows it is true."""

    phrase: Phrase
    shares: NDArray[np.float64]
    rows: float


def exclusive(
    found: Terms, words: Vocabulary, rows: NDArray[np.float64], n_rows: float
) -> tuple[Terms, NDArray[np.float64]]:
    """Terms of which no two ask the same of all columns but one, where no more lines are needed to say it so."""
    units = np.eye(len(found.terms))
    phrases = [words.phrase(term) for term in found.terms]
    lines = [_Line(*parts) for parts in zip(phrases, units, rows.tolist(), strict=True)]
    start = np.zeros(len(lines))
    for rest, column in _shared(phrases):
        here = [line for line in lines if _is_of(line.phrase, rest, column)]
        new = _apart(here, column, words, None if len(rest) else n_rows) if len(here) > 1 else None
        if new is not None:
            lines = [line for line in lines if line not in here] + new[0]
            start = start + new[1]
    if not lines:
        return found, rows
    return _recombined(found, words, lines, start), np.array([line.rows for line in lines])


def _recombined(found: Terms, words: Vocabulary, lines: Sequence[_Line], start: NDArray[np.float64]) -> Terms:
    shares = np.stack([line.shares for line in lines])
    covariance = None if found.covariance is None else shares @ found.covariance @ shares.T
    errors = None if covariance is None else np.sqrt(np.maximum(np.diagonal(covariance, axis1=1, axis2=2), 0)).T
    return replace(
        found,
        terms=tuple(words.term(line.phrase) for line in lines),
        weights=shares @ found.weights,
        intercept=found.intercept + start @ found.weights,
        errors=errors,
        covariance=covariance,
    )


def _shared(phrases: Sequence[Phrase]) -> list[tuple[Phrase, int]]:
    """What several phrases ask alike beside one column: single conditions first, then whatever most have in common."""
    found: dict[tuple[Phrase, int], int] = {}
    for phrase in phrases:
        if phrase.join == "and":
            for column in phrase.columns:
                key = phrase.without(column), column
                found[key] = found.get(key, 0) + 1
    return sorted((key for key in found if found[key] > 1), key=lambda key: (len(key[0]), -found[key]))


def _is_of(phrase: Phrase, rest: Phrase, column: int) -> bool:
    return phrase.join == "and" and column in phrase.columns and phrase.without(column) == rest


def _apart(
    lines: Sequence[_Line], column: int, words: Vocabulary, n_rows: float | None
) -> tuple[list[_Line], NDArray[np.float64]] | None:
    """Lines for the cases of one column and what the start gains, unless they exclude each other or would be more.

    Where every row is one of the cases, one of them needs no line: the others say what they have more.
    """
    asked = [dict(line.phrase.conditions)[column] for line in lines]
    if sum(map(len, asked)) == len({code for codes in asked for code in codes}):
        return None
    free = n_rows is not None and not words.domain.columns[column].missing
    cases = _cases(asked, words.present(column) if free else ())
    holds = np.array([[case[0] in codes for case in cases] for codes in asked], dtype=np.float64)
    known = np.vstack([holds, np.ones(len(cases))]) if free else holds
    if len(cases) > len(lines) + free or np.linalg.matrix_rank(known) < len(cases):
        return None
    rows = _rows_of_cases(known, [*(line.rows for line in lines), *([n_rows] if free else [])])
    shares = holds.T @ np.stack([line.shares for line in lines])
    plain = np.array([words.is_plain(column, case) for case in cases])
    usual = _usual(plain, rows, holds) if free else None
    start = np.zeros(shares.shape[1]) if usual is None else shares[usual]
    said = [i for i in range(len(cases)) if i != usual]
    if not plain[said].all():
        return None
    rest = lines[0].phrase.without(column)
    new = ((rest.with_condition((column, cases[i])), shares[i] - start, float(rows[i])) for i in said)
    return [_Line(phrase, *other) for phrase, *other in new if phrase is not None], start


def _rows_of_cases(holds: NDArray[np.float64], rows: Sequence[float | None]) -> NDArray[np.float64]:
    """From how many rows conditions are true of, how many each case has; whole where they are."""
    found = np.linalg.lstsq(holds, np.array(rows, dtype=np.float64))[0]
    return np.asarray(found, dtype=np.float64).round(_DIGITS)


def _usual(plain: NDArray[np.bool_], rows: NDArray[np.float64], holds: NDArray[np.float64]) -> int:
    """The case without a line: what is not easily said; or where no condition holds, unless another is most rows'."""
    if not plain.all():
        return int(plain.argmin())
    nothing = np.flatnonzero(holds.sum(axis=0) == 0)
    most = int(rows.argmax())
    return most if not len(nothing) or rows[most] > rows.sum() / 2 else int(nothing[0])


def _cases(asked: Sequence[_Codes], present: _Codes) -> list[_Codes]:
    """Codes by the conditions that they meet; those that meet none are a case where they are present."""
    found: dict[_Codes, list[int]] = {}
    for code in sorted({code for codes in asked for code in codes} | set(present)):
        met = tuple(i for i, codes in enumerate(asked) if code in codes)
        found.setdefault(met, []).append(code)
    return [tuple(codes) for codes in found.values()]
