"""Whether probabilities come true, and whether predicted numbers are right on average."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.certificates import clopper_pearson_interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from paclearn.report.facts_of_models import BinFacts, CalibrationOfClasses, CalibrationOfNumbers

__all__ = ["calibration_of_classes", "calibration_of_numbers"]

_BINS = 10
_FEWEST_ROWS = 40


def calibration_of_classes(
    shares: NDArray[np.float64], truth: NDArray[Any], classes: NDArray[Any], asked: str | None = None
) -> CalibrationOfClasses | None:
    """Reliability of held-out probabilities: of the second class of two, of the predicted class of more."""
    if len(truth) < _FEWEST_ROWS:
        return None
    hits = truth[:, None] == classes[None, :]
    if len(classes) == 2:
        place = 0 if asked == str(classes[0]) else 1
        said, came, about = shares[:, place], hits[:, place], str(classes[place])
    else:
        best = shares.argmax(axis=1)
        said, came, about = shares.max(axis=1), hits[np.arange(len(truth)), best], None
    bins = _bins(said, came, np.minimum((said * _BINS).astype(np.intp), _BINS - 1), _interval_of_share)
    return {
        "about": about,
        "bins": bins,
        "ece": _mean_distance(bins),
        "brier": _brier(shares, hits),
        "brier_without_model": _brier(np.broadcast_to(hits.mean(axis=0), hits.shape), hits),
    }


def _brier(shares: NDArray[np.float64], hits: NDArray[np.bool_]) -> float:
    """Mean squared distance of probabilities from what came; of two classes, of one of them."""
    squares = ((shares - hits) ** 2).sum(axis=1).mean()
    return float(squares / 2 if hits.shape[1] == 2 else squares)


def calibration_of_numbers(values: NDArray[np.float64], truth: NDArray[np.float64]) -> CalibrationOfNumbers | None:
    """Means of held-out predictions and of what came, in tenths of the rows from the lowest prediction up."""
    if len(truth) < _FEWEST_ROWS:
        return None
    place = np.empty(len(truth), dtype=np.intp)
    place[np.argsort(values, kind="stable")] = np.arange(len(truth)) * _BINS // len(truth)
    bins = _bins(values, truth, place, _interval_of_mean)
    return {"about": None, "bins": bins, "off": _mean_distance(bins)}


def _interval_of_share(came: NDArray[Any]) -> tuple[float, float]:
    return clopper_pearson_interval(int(came.sum()), len(came))


def _interval_of_mean(came: NDArray[Any]) -> tuple[float, float]:
    half = 1.96 * float(came.std()) / np.sqrt(len(came))
    return float(came.mean()) - half, float(came.mean()) + half


def _bins(
    said: NDArray[Any],
    came: NDArray[Any],
    place: NDArray[np.intp],
    interval: Callable[[NDArray[Any]], tuple[float, float]],
) -> list[BinFacts]:
    return [_bin(said[place == k], came[place == k], interval(came[place == k])) for k in np.unique(place)]


def _bin(said: NDArray[Any], came: NDArray[Any], ends: tuple[float, float]) -> BinFacts:
    return {
        "said": float(said.mean()),
        "seen": float(came.mean()),
        "rows": len(said),
        "low": ends[0],
        "high": ends[1],
    }


def _mean_distance(bins: list[BinFacts]) -> float:
    """Of what was said from what came, over all rows."""
    return sum(b["rows"] * abs(b["said"] - b["seen"]) for b in bins) / sum(b["rows"] for b in bins)
