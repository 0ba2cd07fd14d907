"""The command `fit`, and the learners that it knows."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Optional

import typer

from paclearn._parameters import hint
from paclearn.cli.cluster import OnWorkers, Scheduler, opened_here_or_there
from paclearn.cli.interrupts import too_late
from paclearn.cli.opening import CleanTableChoice
from paclearn.cli.shared_options import OneTarget, Seed, TableFile, to_file
from paclearn.encoding.set_aside import columns_set_aside
from paclearn.exceptions import InputError
from paclearn.export import to_json
from paclearn.tables.files import check_writable, write_atomically

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paclearn.cli.opening import Opened
    from paclearn.learners.predicting import ModelEstimator
    from paclearn.models import Model

__all__ = ["LEARNERS", "fit"]


_ON_WORKERS = "junta", "spectral", "graph"
_FEWEST_TO_HOLD = 50  # rows, of which a fifth would bound an error by a quarter, were there none


class Learners(NamedTuple):
    """Names of the public estimators of one kind: of classes and of numbers."""

    classes: str | None
    numbers: str | None


LEARNERS: dict[str, Learners] = {
    "spectral": Learners("SpectralClassifier", "SpectralRegressor"),
    "junta": Learners("JuntaClassifier", "JuntaRegressor"),
    "rules": Learners("RuleClassifier", None),
    "graph": Learners("RegressionGraphClassifier", "RegressionGraphRegressor"),
    "ensemble": Learners("RegressionGraphEnsembleClassifier", "RegressionGraphEnsembleRegressor"),
    "correlation": Learners(None, "CorrelationBoostingRegressor"),
    "halfspace": Learners("HalfspaceClassifier", None),
    "direct": Learners("DirectSpectrumClassifier", "DirectSpectrumRegressor"),
    "polynomial-l1": Learners("PolynomialL1Classifier", None),
    "polynomial-l2": Learners("PolynomialL2Classifier", None),
}


@dataclass(frozen=True)
class LearnerChoice:
    """Parameters of learners that have an option of their own, and any others."""

    max_terms: Annotated[Optional[int], typer.Option(min=1, help="spectral: at most this many terms.")] = None
    max_effects: Annotated[
        Optional[int], typer.Option(min=1, help="spectral: at most this many effects, of a column or of several.")
    ] = None
    monotone: Annotated[
        Optional[list[str]],
        typer.Option(help="spectral: effects of a number never fall (+1) or rise (-1) with it, as in age=+1; repeat."),
    ] = None
    degree: Annotated[Optional[int], typer.Option(min=1, max=3, help="spectral: bits a term may have.")] = None
    k: Annotated[Optional[int], typer.Option("--columns", "-k", min=1, help="junta: how many columns.")] = None
    max_rules: Annotated[Optional[int], typer.Option(min=1, help="rules: at most this many.")] = None
    max_conditions: Annotated[Optional[int], typer.Option(min=1, help="rules: conditions of a rule.")] = None
    max_leaves: Annotated[Optional[int], typer.Option(min=2, help="graph: at most this many leaves.")] = None
    holdout: Annotated[
        Optional[str], typer.Option(help="Keep this share of the rows aside to bound the error; auto: a fifth.")
    ] = None
    more: Annotated[
        Optional[list[str]],
        typer.Option("--set", help="Any other parameter, as in --set n_estimators=50; may be repeated."),
    ] = None

    def settings(self) -> dict[str, Any]:
        """What was asked for, by the name of the parameter."""
        named = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "more"}
        named["holdout"] = None if self.holdout is None else _value(self.holdout)
        named["monotone"] = dict(map(_sign, self.monotone)) if self.monotone else None
        return {name: value for name, value in named.items() if value is not None} | _settings(self.more or [])


def fit(
    table: TableFile,
    target: OneTarget,
    output: Annotated[Optional[Path], to_file("The model file to write.", "model.json")] = None,
    model: Annotated[str, typer.Option("--model", "-m", help=f"One of {', '.join(LEARNERS)}.")] = "spectral",
    *,
    learner: LearnerChoice,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the model file instead of the model in words.")
    ] = False,
    choice: CleanTableChoice,
    scheduler: Scheduler = None,
    seed: Seed = 0,
) -> None:
    """Learn a readable model of a column and save it.

    Examples:

        paclearn fit churn.csv --target churn --max-terms 10 -o churn.json

        paclearn fit churn.csv --target churn --max-effects 8 --monotone tenure=-1

        paclearn fit boards.csv --target "x wins" --model rules

        paclearn fit boards.csv --target "x wins" --model junta --columns 3

        paclearn fit sales.parquet --target revenue --model ensemble --set n_estimators=50

        paclearn fit visits.csv --target flare --group patient --holdout 0.3

        paclearn fit loans.csv --target risk --ordered 'low < mid < high'

        paclearn fit sales/ --target returned --scheduler tcp://host:8786
    """
    path = output or (None if as_json else Path("model.json"))
    if path is not None:
        check_writable(path)
    settings = learner.settings() | ({} if choice.order is None else {"ordered": choice.order})
    _check_model(model, scheduler)
    with opened_here_or_there(choice, table, target, scheduler) as source:
        classify = source.classify if isinstance(source, OnWorkers) else source.target.classify
        estimator = _made(_unfitted(model, target, classify=classify), settings, seed)
        learned, notes = _fitted(estimator, source, choice.time, seed)
        warned = [] if isinstance(source, OnWorkers) else _warnings(source, target, seed)
    learned.model_ = learned.model_.named(target).read_by(source.how.dialect)
    text = to_json(learned.model_)
    if not as_json:
        notes += _how_to_promise_more(learned.model_, settings)
        words = [*warned, *([""] if warned else []), learned.to_text(), "", *notes]
    if path is not None:
        write_atomically(path, text)
        too_late()
    if as_json:
        typer.echo("\n".join(warned), err=True, nl=bool(warned))
        typer.echo(text.rstrip())
    else:
        typer.echo("\n".join([*words, f"The model: {path.resolve() if path else ''}"]))


def _warnings(source: Opened, target: str, seed: int) -> list[str]:
    """Rows and classes that are odd, and columns that may give the answer away; those of groups are another matter."""
    from paclearn.report.first_look import about_classes
    from paclearn.report.leaks import find_leaks
    from paclearn.report.likeness import find_likeness
    from paclearn.report.subject import Subject

    subject = Subject.to_watch(source.rows, source.target, target, source.roles, seed)
    leaks = find_leaks(subject)
    alike = {one["column"] for one in find_likeness(subject)} if leaks else set()
    named = [leak["sentence"] for leak in leaks if leak["column"] not in alike]
    n_missing, classes = source.target.n_missing, source.target.classes
    left_out = [f"{n_missing:,} row{'s' * (n_missing > 1)} without a target left out"] if n_missing else []
    return [*left_out, *about_classes(target, [] if classes is None else map(str, classes)), *named]


def _how_to_promise_more(model: Model, settings: dict[str, Any]) -> list[str]:
    """Where a certificate promises nothing, what would: of few rows, nothing does."""
    certificate = model.about.certificate
    if certificate is None or not certificate.get("vacuous") or "holdout" in settings:
        return []
    if certificate["n_rows"] < _FEWEST_TO_HOLD:
        return []
    return ["For a bound that says more: --holdout 0.2 keeps a fifth of the rows aside and counts its errors there"]


def _fitted(
    estimator: ModelEstimator, source: Opened | OnWorkers, time: str | None, seed: int
) -> tuple[Any, list[str]]:
    """The estimator, fitted, and what else there is to say."""
    if isinstance(source, OnWorkers):
        learned = estimator.fit(source.columns, source.target, source.weights)
        return learned, [f"Set aside: {name} ({why})" for name, why in learned.domain_.dropped]
    exam = [] if time is None else [_exam(estimator, source, time, seed)]
    learned = estimator.fit(source.rows, source.target.y, **source.roles.fit_arguments())
    return learned, [*exam, *(f"Set aside: {name} ({why})" for name, why in columns_set_aside(source.columns))]


def _sign(word: str) -> tuple[str, int]:
    """``column=+1`` or ``column=-1``; the name may have an = of its own."""
    name, _, sign = word.rpartition("=")
    if not name or sign.strip() not in {"+1", "1", "-1"}:
        raise InputError(f"--monotone {word}: say which column rises or falls, as in --monotone age=+1 or price=-1")
    return name, int(sign)


def _check_model(name: str, scheduler: str | None) -> None:
    if name not in LEARNERS:
        raise InputError(f"model={name!r} is not known{hint(name, LEARNERS)}")
    if scheduler is not None and name not in _ON_WORKERS:
        raise InputError(
            f"--model {name} learns in memory, and --scheduler leaves rows on the workers; there learn --model "
            f"{', --model '.join(_ON_WORKERS)}, and so do `paclearn discover` and `paclearn rules`"
        )


def _settings(words: list[str]) -> dict[str, Any]:
    """``name=value`` as a parameter; a value that is no JSON is text."""
    found: dict[str, Any] = {}
    for word in words:
        name, is_there, value = word.partition("=")
        if not is_there:
            raise InputError(f"--set {word}: say which parameter is to be what, as in --set n_estimators=50")
        found[name.strip().replace("-", "_")] = _value(value)
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _exam(estimator: ModelEstimator, source: Opened, time: str, seed: int) -> str:
    """How a model of the past does on what came last; the model that is saved has seen all rows."""
    from sklearn.base import clone

    from paclearn.report.drift import drift_of

    drift = drift_of(time, source.rows, source.target, source.roles, lambda: clone(estimator), seed)
    return f"{drift['sentence']} The model that is saved has learned from all rows.\n"


def _made(estimator: ModelEstimator, settings: Mapping[str, Any], seed: int) -> ModelEstimator:
    """A learner as it was asked for."""
    known = estimator.get_params(deep=False)
    for name in settings:
        if name not in known:
            kind = type(estimator).__name__
            raise InputError(f"--{name.replace('_', '-')} is no setting of a {kind}{hint(name, known)}")
    seeded = {"random_state": seed} if "random_state" in known else {}
    return estimator.set_params(**{**seeded, **settings})


def _unfitted(model: str, target: str, *, classify: bool) -> ModelEstimator:
    place, what, other = (0, "classes", "a number") if classify else (1, "numbers", "a class")
    name = LEARNERS[model][place]
    if name is None:
        able = ", ".join(known for known, kinds in LEARNERS.items() if kinds[place])
        raise InputError(
            f"--model {model} learns {'numbers' if classify else 'classes'}, and {target!r} holds {what}; take one of "
            f"{able}, or say --task {'regression' if classify else 'classification'} if it is {other}"
        )
    estimator = getattr(import_module("paclearn"), name)()
    if name == "CorrelationBoostingRegressor":  # of graphs: with any other weak regressor it could not be saved
        estimator.set_params(
            estimator=_unfitted("graph", target, classify=False).set_params(stop="theorem", max_leaves=2)
        )
    return estimator
