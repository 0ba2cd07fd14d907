"""What a figure says comes out ahead, and whether it does: differences over draws with their standard errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from benchmarks.papers.chapter6.learners import Found

MOST_SHOWN = 4  # settings in a cell
ALIKE = 1.0  # points: the thesis's "very similar" on a picture of bars


@dataclass(frozen=True)
class Claim:
    """An ordering, and two scores a draw for every setting it is looked at in."""

    text: str
    pairs: dict[str, tuple[np.ndarray, np.ndarray]]
    kind: str = "better"  # or "alike", or "no worse"

    def verdicts(self):
        return {where: verdict(a - b, self.kind) for where, (a, b) in self.pairs.items()}

    def cells(self):
        """Every setting, or of many the ends of the range; and where it holds."""
        lines = {where: describe(a, b) for where, (a, b) in self.pairs.items()}
        order = sorted(lines, key=lambda where: np.mean(np.subtract(*self.pairs[where])))
        shown = (
            lines
            if len(lines) <= MOST_SHOWN
            else {f"from {order[0]}": lines[order[0]], f"to {order[-1]}": lines[order[-1]]}
        )
        return "; ".join(f"{where}: {line}" for where, line in shown.items()), told(self.verdicts())


def told(verdicts):
    """How often it holds, and where not."""
    if len(set(verdicts.values())) == 1:
        return next(iter(verdicts.values())) + (f", all {len(verdicts)}" if len(verdicts) > 1 else "")
    parts = []
    for word in ("yes", "within noise", "no"):
        where = [name for name, found in verdicts.items() if found == word]
        if where:
            parts.append(f"{word} {len(where)}" + ("" if word == "yes" else f" ({'; '.join(where)})"))
    return ", ".join(parts)


def describe(a, b):
    difference, error = mean_and_error(a - b)
    return f"{a.mean():.1f} and {b.mean():.1f}, {difference:+.1f} ± {error:.1f}"


def mean_and_error(values):
    return values.mean(), values.std(ddof=1) / np.sqrt(len(values))


def verdict(difference, kind):
    mean, error = mean_and_error(difference)
    if kind == "alike":
        return "yes" if abs(mean) + 2 * error <= ALIKE else "no" if abs(mean) > ALIKE + 2 * error else "within noise"
    enough = 0.0 if kind == "no worse" else 2 * error
    return "yes" if mean > enough else "no" if mean < -2 * error else "within noise"


class Runner:
    """Runs settings once each."""

    def __init__(self, repeats, jobs):
        self.found = cache(lambda setting: Found(setting, repeats, jobs))

    def many(self, base, label, **lists):
        """One setting for every value in the lists, by label."""
        (first, values), *rest = lists.items()
        if not rest:
            return {label.format(**{first: v}): self.found(replace(base, **{first: v})) for v in values}
        rest = dict(rest)
        parts = [
            self.many(replace(base, **{first: v}), label.replace("{" + first + "}", str(v)), **rest) for v in values
        ]
        return {key: found for part in parts for key, found in part.items()}


def pairs(settings, a, b, learner="linear"):
    """The best scores of two sources in all settings."""
    return {where: (f.best(a, learner), f.best(b, learner)) for where, f in settings.items()}


def better_of(found, *keys):
    """The thesis's "proposed": the better of two algorithms on average."""
    return max((found.best(*key) for key in keys), key=np.mean)
