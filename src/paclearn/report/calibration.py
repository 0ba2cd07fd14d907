"""Whether probabilities come true, and whether predicted numbers are right on average."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.certificates import clopper_pearson_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["calibration_of_classes", "calibration_of_numbers"]

_BINS = 10
_FEWEST_ROWS = 40


def calibration_of_classes(
    shares: NDArray[np.float64], truth: NDArray[Any], classes: NDArray[Any]
) -> dict[str, Any] | None:
    """Reliability of held-out probabilities: of the second class of two, of the predicted class of more."""
    if len(truth) < _FEWEST_ROWS:
        return None
    hits = truth[:, None] == classes[None, :]
    if len(classes) == 2:
        said, came, about = shares[:, 1], hits[:, 1], str(classes[1])
    else:
        best = shares.argmax(axis=1)
        said, came, about = shares.max(axis=1), hits[np.arange(len(truth)), best], None
    bins = _bins(said, came, np.minimum((said * _BINS).astype(np.intp), _BINS - 1))
    for b in bins:
        low, high = clopper_pearson_interval(round(b["seen"] * b["rows"]), b["rows"])
        b |= {"low": low, "high": high}
    return {
        "about": about,
        "bins": bins,
        "ece": sum(b["rows"] * abs(b["said"] - b["seen"]) for b in bins) / len(truth),
        "brier": _brier(shares, hits),
        "brier_without_model": _brier(np.broadcast_to(hits.mean(axis=0), hits.shape), hits),
    }


def _brier(shares: NDArray[np.float64], hits: NDArray[np.bool_]) -> float:
    """Mean squared distance of probabilities from what came; of two classes, of one of them."""
    squares = ((shares - hits) ** 2).sum(axis=1).mean()
    return float(squares / 2 if hits.shape[1] == 2 else squares)


def calibration_of_numbers(values: NDArray[np.float64], truth: NDArray[np.float64]) -> dict[str, Any] | None:
    """Means of held-out predictions and of what came, in tenths of the rows from the lowest prediction up."""
    if len(truth) < _FEWEST_ROWS:
        return None
    place = np.empty(len(truth), dtype=np.intp)
    place[np.argsort(values, kind="stable")] = np.arange(len(truth)) * _BINS // len(truth)
    bins = _bins(values, truth, place)
    for b, k in zip(bins, np.unique(place), strict=True):
        mine = truth[place == k]
        half = 1.96 * float(mine.std()) / np.sqrt(len(mine))
        b |= {"low": b["seen"] - half, "high": b["seen"] + half}
    off = sum(b["rows"] * abs(b["said"] - b["seen"]) for b in bins) / len(truth)
    return {"about": None, "bins": bins, "off": off}


def _bins(said: NDArray[Any], came: NDArray[Any], place: NDArray[np.intp]) -> list[dict[str, Any]]:
    return [
        {
            "said": float(said[place == k].mean()),
            "seen": float(came[place == k].mean()),
            "rows": int((place == k).sum()),
        }
        for k in np.unique(place)
    ]
