"""Effects in sentences: what adds most, what takes off most, and what that does to the odds."""

from __future__ import annotations

from dataclasses import replace
from math import exp
from typing import TYPE_CHECKING

import numpy as np

from paclearn._text import figures, shorten
from paclearn.encoding.conditions import level_in_words, runs
from paclearn.encoding.domain import BinColumn
from paclearn.views.effect_displays import are_log_odds, what_is_added_to
from paclearn.views.effect_pieces import number_order, pieces_of
from paclearn.views.score_words import is_in_percent, percent_change

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.encoding import Column
    from paclearn.models.effects import Effect
    from paclearn.models.model import Model
    from paclearn.views.effect_pieces import Piece

__all__ = ["condition_in_words", "effect_sentence", "odds_in_words"]

_TOLERANCE = 1 / 40  # what the eye does not tell apart
_FEWEST = 0.01  # share of the rows that something worth a sentence has
_NAMED = 3
_LONGEST = 40
_TIMES = ("", "", "twice", "three times", "four times", "five times", "six times", "seven times", "eight times")
_PARTS = ("", "", "half", "a third of", "a quarter of", "a fifth of", "a sixth of", "a seventh of", "an eighth of")


def effect_sentence(model: Model, effect: Effect, output: int) -> str:
    """For example: “marital-status” being married adds 1.4 to the log-odds, about four times the odds."""
    told = _extremes(model, effect, output)
    if not told:
        return ""
    columns = [model.columns[c] for c in effect.columns]
    if is_in_percent(model) and len(columns) == 1 and len(told) == 2 and _with_rows(model, effect) == 2:
        return _instead(model, columns[0], told, output)
    first, *rest = (_clause(model, columns, piece, output, whole=i == 0) for i, piece in enumerate(told))
    return "; ".join([f"{first[:1].upper()}{first[1:]}", *rest]) + "."


def _extremes(model: Model, effect: Effect, output: int) -> list[Piece]:
    """What is furthest above and below, among what is not rare; of several columns the one cell that weighs most."""
    pieces = [piece for piece in pieces_of(model, effect, _TOLERANCE) if piece.values[output]]
    total = sum(piece.rows or 0.0 for piece in pieces)
    common = [piece for piece in pieces if piece.rows is None or piece.rows >= _FEWEST * total] or pieces
    if len(effect.columns) > 1:
        weights = [abs(p.values[output]) * (1.0 if p.rows is None else np.sqrt(p.rows)) for p in common]
        return [common[int(np.argmax(weights))]] if common else []
    ranked = sorted(common, key=lambda piece: piece.values[output])
    both = ranked[:1] + ranked[-1:] if len(ranked) > 1 else ranked
    return [_with_alike(pieces, piece, output) for piece in sorted(both, key=lambda p: -abs(p.values[output]))]


def _with_alike(pieces: Sequence[Piece], told: Piece, output: int) -> Piece:
    """A piece with those elsewhere that add the same: what is missing is told apart from numbers, and may act alike."""
    near = _TOLERANCE * max(abs(piece.values[output]) for piece in pieces)
    alike = [piece for piece in pieces if abs(piece.values[output] - told.values[output]) <= near]
    codes = tuple(sorted({code for piece in alike for code in piece.codes[0]}))
    return replace(told, codes=(codes,))


def _with_rows(model: Model, effect: Effect) -> int:
    return sum(piece.rows is None or piece.rows > 0 for piece in pieces_of(model, effect, _TOLERANCE))


def _instead(model: Model, column: Column, told: Sequence[Piece], output: int) -> str:
    """Of two groups, what one has more than the other."""
    high, low = sorted(told, key=lambda piece: -piece.values[output])
    more = percent_change(float(high.values[output] - low.values[output]), f"“{shorten(model.output_names[0])}”")
    so, instead = (condition_in_words(column, piece.codes[0]) for piece in (high, low))
    return f"“{shorten(column.name, _LONGEST)}” {so} instead of {instead.removeprefix('being ')} {more}."


def _clause(model: Model, columns: Sequence[Column], piece: Piece, output: int, *, whole: bool) -> str:
    value = float(piece.values[output])
    so = " with ".join(
        f"“{shorten(column.name, _LONGEST)}” {condition_in_words(column, codes)}"
        if whole
        else condition_in_words(column, codes)
        for column, codes in zip(columns, piece.codes, strict=True)
    )
    beyond = " beyond what each adds alone" if whole and len(columns) > 1 else ""
    if is_in_percent(model):
        return f"{so} {percent_change(value, f'“{shorten(model.output_names[0])}”' if whole else '')}{beyond}"
    size = figures(abs(value), 2)
    to = f" {'to' if value > 0 else 'from'} {what_is_added_to(model, output)}" if whole else ""
    odds = f", {odds_in_words(value)}" if are_log_odds(model) else ""
    return (
        f"{so} {'adds' if value > 0 else 'takes'} {size}{' off' if value <= 0 and not whole else ''}{to}{beyond}{odds}"
    )


def condition_in_words(column: Column, codes: Sequence[int], named: int = _NAMED) -> str:
    """Codes of a column as one says them: above 41, up to 24, being red or blue, being missing."""
    known = [code for code in codes if code < column.n_codes]
    absent = [code for code in known if column.missing and code == column.n_codes - 1]
    present = [code for code in known if code not in absent]
    said = _numbers(column, present) if number_order(column) is not None else _levels(column, present, named)
    parts = [*said, *(["being missing"] if absent or not known else [])]
    return " or ".join(parts)


def _numbers(column: Column, codes: Sequence[int]) -> list[str]:
    order = number_order(column) or []
    place = {code: i for i, code in enumerate(order)}
    uppers = list(column.cuts) if isinstance(column, BinColumn) else [column.code_names[code] for code in order]
    found = []
    for first, last in runs(place[code] for code in codes):
        low, high = uppers[first - 1] if first else None, uppers[last] if last < len(order) - 1 else None
        if not isinstance(column, BinColumn) and first == last:
            found.append(f"being {uppers[first]}")
        elif low is None:
            found.append(f"up to {high}" if high is not None else "being known")
        else:
            found.append(f"above {low}" if high is None else f"above {low} and up to {high}")
    return found


def _levels(column: Column, codes: Sequence[int], named: int) -> list[str]:
    names = [level_in_words(shorten(column.code_names[code], _LONGEST)) for code in codes]
    if not names:
        return []
    others = [code for code in range(column.n_codes - column.missing) if code not in codes]
    if len(names) > _NAMED and 0 < len(others) <= _NAMED:
        return [
            f"other than {_listed([level_in_words(shorten(column.code_names[code], _LONGEST)) for code in others])}"
        ]
    if len(names) > named:
        return [f"being one of {len(names)} levels such as {names[0]} and {names[1]}"]
    return [f"being {_listed(names)}"]


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])}{' or ' if len(names) > 1 else ''}{names[-1]}"


def odds_in_words(value: float) -> str:
    """What adding to the logarithm of the odds does to the odds."""
    factor = exp(min(abs(value), 20.0))
    if factor > 1000:
        return "more than a thousand times the odds" if value > 0 else "less than a thousandth of the odds"
    whole = round(factor)
    if factor < 1.05:
        return "hardly a change of the odds"
    if abs(factor - whole) > 0.15 * whole or whole < 2:
        return f"about {factor:.1f} times the odds" if value > 0 else f"about {100 / factor:.0f} % of the odds"
    if whole < len(_TIMES):
        return f"about {_TIMES[whole] if value > 0 else _PARTS[whole]} the odds"
    return f"about {whole} times the odds" if value > 0 else f"about 1/{whole} of the odds"
