"""The readable linear model: fitted, chosen long or short, and described term by term."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from paclearn.encoding.date_columns import read_dates
from paclearn.encoding.domain import LevelColumn
from paclearn.learners.spectral import SpectralClassifier, SpectralRegressor
from paclearn.models.asked_class import of_asked_class
from paclearn.models.column_data import column_to_dict
from paclearn.models.points import PointsModel
from paclearn.views.effect_displays import are_log_odds, what_is_added_to
from paclearn.views.effect_pictures import effect_facts
from paclearn.views.score_words import ladder_in_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models import LinearModel
    from paclearn.report.facts_of_models import (
        CertificateFacts,
        DateFacts,
        EffectsFacts,
        ScoreFacts,
        TermFacts,
        TermsFacts,
        WhatIfFacts,
    )
    from paclearn.report.subject import Subject
    from paclearn.tables.table import Table
    from paclearn.views.effect_pictures import EffectFacts

__all__ = [
    "MOST_TERMS",
    "describe_effects",
    "describe_terms",
    "fit_linear",
    "is_long",
    "linear_model",
    "short_is_good_enough",
    "what_if",
]

MOST_TERMS = 30  # of a model that a person can read
_SHOWN_OF_LONG = 20
_A_POINT = 0.01
_NEARLY_ALL = 0.95  # of the variance of the scores
_LEAST_PICTURES, _MOST_PICTURES = 3, 9
_ROOM = 1380  # pixels for them on the screen of a telephone, where they stand one below the other: two screens in all
_FRAME, _BAR, _CURVE = 60, 25, 7  # of a picture there: its title and margins; a bar; bars that are as high as a curve
_WORDS, _LETTERS = 20, 48  # a line of its sentence, and how much of that is in a line

Spectral: TypeAlias = SpectralClassifier | SpectralRegressor


def linear_model(subject: Subject, *, short: bool) -> Spectral:
    """An unfitted one: all the terms that pay, or a few."""
    limits, options = subject.limits, subject.options
    settings: dict[str, Any] = {
        "degree": "auto" if limits.interactions else 1,
        "max_terms": MOST_TERMS if short else None,
        "n_bins": limits.n_bins,
        "max_levels": limits.max_levels,
        "delta": options.delta,
        "random_state": options.seed,
    }
    if subject.classify:
        return SpectralClassifier(ordered=options.ordered, **settings)
    return SpectralRegressor(**settings)


def fit_linear(subject: Subject, *, short: bool) -> LinearModel:
    """The model of all rows, or of as many as there is time for, of the class that is asked about."""
    fitted = subject.fit(linear_model(subject, short=short), subject.limits.rows_of_linear(short=short))
    model, about = cast("LinearModel", fitted.model_), fitted.model_.about  # without a limit of effects
    if subject.asked is None:
        return model
    return of_asked_class(replace(model, about=replace(about, asked=list(about.classes or ()).index(subject.asked))))


def is_long(model: LinearModel) -> bool:
    """Whether it has more terms than a person reads."""
    return len(model.terms) > MOST_TERMS


def short_is_good_enough(short: ScoreFacts, long: ScoreFacts) -> bool:
    """Within a point of the long one, or within half a standard error (the interval is four of them wide)."""
    error = (long["high"] - long["low"]) / 4
    return bool(short["value"] >= long["value"] - max(_A_POINT, error / 2))


def describe_terms(model: LinearModel, subject: Subject, *, short: bool) -> TermsFacts:
    """The weightiest terms with their standard errors, one weight an output."""
    shown = _SHOWN_OF_LONG if is_long(model) else MOST_TERMS
    errors = np.full_like(model.weights, np.nan) if model.errors is None else model.errors
    return {
        "kind": model.about.learner,
        "short": short,
        "points": isinstance(model, PointsModel),
        "n_terms": len(model.terms),
        "degree": model.degree,
        "rows": min(subject.table.n_rows, subject.limits.rows_of_linear(short=short)),
        "outputs": [] if model.about.classes is None else list(model.output_names),
        "intercept": model.intercept.tolist(),
        "terms": [
            _describe_term(model.term_names[i], model.true_weights[i], errors[i]) for i in model.weightiest[:shown]
        ],
        "certificate": cast("CertificateFacts | None", model.about.certificate),
        "interactions": subject.limits.interactions,
    }


def _describe_term(name: str, weights: NDArray[np.float64], errors: NDArray[np.float64]) -> TermFacts:
    return {"name": name, "weights": weights.tolist(), "errors": errors.tolist(), "best": int(np.abs(weights).argmax())}


def describe_effects(model: LinearModel) -> EffectsFacts:
    """The same model as a start and effects, which add up to it."""
    effects = model.effects()
    found = [effect_facts(model, effect) for effect in effects.effects]
    shown = _worth_a_look([effect["importance"] for effect in found])
    return {
        "start": effects.start.tolist(),
        "outputs": list(model.output_names),
        "log_odds": are_log_odds(model),
        "logarithm": model.link == "log",
        "rungs": ladder_in_words(model),
        "added_to": [what_is_added_to(model, k) for k in range(model.n_scores)],
        "shown": shown,
        "shown_small": min(shown, _with_room(found)),
        "effects": found,
    }


def _worth_a_look(importances: list[float]) -> int:
    """How many of the first effects are nearly all there is to see; squares add up, see Parseval."""
    squares = np.cumsum(np.square(importances))
    enough = int(np.searchsorted(squares, _NEARLY_ALL * squares[-1])) + 1 if len(squares) else 0
    return min(max(enough, _LEAST_PICTURES), _MOST_PICTURES, len(importances))


def _with_room(effects: list[EffectFacts]) -> int:
    """How many of the first have room on two small screens; the others are a click away."""
    heights = np.cumsum([_height(effect) for effect in effects])
    return max(_LEAST_PICTURES, int((heights <= _ROOM).sum()))


def _height(effect: EffectFacts) -> int:
    several = len(effect["values"][0]) > 1 if effect["values"] else False
    bars = {
        "steps": _CURVE,
        "bars": len(effect["bars"]) + 2 * several,  # names of classes stand above
        "map": len(effect["labels"][0]) + 2 if effect["labels"] else 0,
    }
    return _FRAME + _BAR * bars[effect["kind"]] + _WORDS * -(-len(effect["sentence"]) // _LETTERS)


def what_if(model: LinearModel, subject: Subject, margin: float | None) -> WhatIfFacts:
    """The model to run in the page beside its effects, where to start, and its columns by how much they matter."""
    return {
        "columns": [column_to_dict(column) for column in model.columns],
        "classes": None if model.about.classes is None else list(model.about.classes),
        "link": model.link,
        "ladder": None if model.ladder is None else model.ladder.payload(),
        "limits": None if model.limits is None else list(model.limits),
        "start": [_typical(column, subject.table) for column in model.columns],
        "dates": _dates(model, subject.table),
        "order": _by_importance(model),
        "margin": margin,
    }


def _dates(model: LinearModel, table: Table) -> list[DateFacts]:
    """The columns of dates behind columns of the model: those have one control each."""
    positions = sorted({i for column in model.columns if column.source is not None for i in column.features})
    return [_date(position, read_dates(table, position).values) for position in positions]


def _date(position: int, moments: NDArray[np.datetime64]) -> DateFacts:
    present = np.sort(moments[~np.isnat(moments)])
    start, first, last = (str(present[i]) for i in ((len(present) - 1) // 2, 0, -1))
    clock = bool((present != present.astype("datetime64[D]")).any())
    return {"position": position, "start": start, "first": first, "last": last, "clock": clock}


def _typical(column: Column, table: Table) -> float | None:
    """The most frequent code of a column of levels; the middle value of a column of numbers."""
    raw = column.read(table)
    if isinstance(column, LevelColumn):
        return int(np.bincount(column.encode(raw), minlength=1).argmax())
    values = np.asarray(cast("Any", raw).values, dtype=np.float64)
    present = values[~np.isnan(values)]
    return float(np.quantile(present, 0.5, method="lower")) if len(present) else None


def _by_importance(model: LinearModel) -> list[int]:
    total = np.zeros(len(model.columns))
    for effect in model.effects().effects:
        total[list(effect.columns)] += effect.importance
    return [int(i) for i in np.argsort(-total, kind="stable")]
