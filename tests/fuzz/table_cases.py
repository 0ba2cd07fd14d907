"""A random table, its target and the estimator that learns it: all from one seed."""

import datetime as dt
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from sklearn.base import clone

from fuzz.column_values import column_of, some_kind
from fuzz.learners import some_learner

NAMES = ["age", "x", "true", "False", "order", "select", 'a "b"', "it's", "a|b", "<b>", "$x$", "x=1", "x>2", " y"]
NAMES += ["ünï", "0", "rowid", "null", "prediction", "score0", "node", "a;b", "a,b", "a\nb", "x1", "X", "is missing"]
NAMES += [
    "-",
    "%s",
    "{}",
    "🙂",
    "a.b",
    "a[0]",
    "a\tb",
    "\u202eabc",
    "e\u0301",
    "é",
    "n" * 300,
    "=1",
    "\\",
    "row number",
]
NAMES += ["date", "index", "group by", "other", "class", "import", "__init__", "data", "[x]", "`x`", "a\0b", "\ufeffx"]
ROWS = {0: 1, 1: 2, 2: 4, 3: 6, 5: 28, 8: 30, 13: 30, 20: 30, 30: 30, 45: 20, 60: 20, 150: 6, 400: 2, 2000: 0.5}
COLUMNS = {0: 1, 1: 50, 2: 60, 3: 60, 4: 50, 5: 30, 9: 5, 20: 2, 50: 0.5}


@dataclass(frozen=True)
class Case:
    """A table as lists of Python values, what is to be predicted, rows to predict, and who learns."""

    kinds: dict  # of the columns
    columns: dict
    target: list
    weights: list | None
    unseen: dict  # columns of the rows to predict
    estimator: object
    turn: int = 0  # which of the laws that take turns

    @property
    def n(self):
        return len(self.target)

    def learner(self):
        return clone(self.estimator)

    def without(self, name):
        """The same without a column."""
        left = [{k: v for k, v in part.items() if k != name} for part in (self.kinds, self.columns, self.unseen)]
        return replace(self, kinds=left[0], columns=left[1], unseen=left[2])

    def some_rows(self, rows):
        """The same with some of its rows."""
        columns = {name: [values[i] for i in rows] for name, values in self.columns.items()}
        weights = None if self.weights is None else [self.weights[i] for i in rows]
        return replace(self, columns=columns, target=[self.target[i] for i in rows], weights=weights)

    def __str__(self):
        lines = [f"{self.estimator}, turn {self.turn}, weights {self.weights}"]
        lines += [f"  {name!r} ({self.kinds[name]}): {values}" for name, values in self.columns.items()]
        lines += [f"  target: {self.target}", f"  predicted: {self.unseen}"]
        return "\n".join(lines)


def case_of(seed: int) -> Case:
    """The case of a seed."""
    rng = np.random.default_rng(seed)
    n, kinds = _one_of(ROWS, rng), {name: some_kind(rng) for name in _names(_one_of(COLUMNS, rng), rng)}
    columns = {name: _spoiled(column_of(kind, rng, n), rng) for name, kind in kinds.items()}
    unseen = {
        name: _spoiled(_mixed_with(columns[name], column_of(kind, rng, 6), rng), rng) for name, kind in kinds.items()
    }
    target, of_classes = _target(columns, n, rng)
    return Case(kinds, columns, target, _weights(n, rng), unseen, some_learner(of_classes, target, rng), seed)


def _one_of(odds, rng):
    shares = np.array(list(odds.values()), dtype=float)
    return int(rng.choice(list(odds), p=shares / shares.sum()))


def _names(count, rng):
    return rng.choice([*NAMES, *(f"column {i}" for i in range(count))], count, replace=False).tolist()


def _spoiled(values, rng):
    """Some of them missing, in one column of three."""
    if rng.random() < 0.67:
        return values
    return [None if rng.random() < 0.2 else value for value in values]


def _mixed_with(known, new, rng):
    """Values that were seen, and others like them."""
    return [known[int(rng.integers(len(known)))] if known and rng.random() < 0.6 else value for value in new]


# ---- targets and weights ---------------------------------------------------------------------------------------------

LABELS = [["no", "yes", "it's"], [0, 1, 2], [False, True, True], ["a", "A", "🙂"], ["1", "01", "1.0"], [-1, 2**40, 7]]
LABELS += [["", " ", "nan"], ["x", "x", "x"], [1.5, 2.5, -0.0], ["a\0b", "'", '"']]
ODD = [None, float("nan"), float("inf"), Decimal("1.5"), dt.date(2020, 1, 1), "x", [1], True, 10**400]


def _target(columns, n, rng):
    """Classes or numbers, which have to do with the first column in two cases of three; now and then something else."""
    first = next(iter(columns.values()), [None] * n)
    signal = np.array([len(str(v)) % 2 for v in first], dtype=int)
    signal = signal if rng.random() < 0.67 else rng.integers(0, 2, n)
    made, of_classes = _numbers(signal, rng) if rng.random() < 0.45 else _classes(signal, rng)
    if rng.random() < 0.03 and n:
        made[int(rng.integers(n))] = ODD[int(rng.integers(len(ODD)))]
    return made, of_classes


def _numbers(signal, rng):
    n, style = len(signal), int(rng.integers(0, 6))
    if style < 3:
        return (signal + (rng.normal(size=n) * float(rng.choice([0.0, 0.3, 1e100, 1e-200])))).tolist(), False
    if style == 3:
        return [int(v) for v in rng.poisson(1 + 3 * signal)], False
    if style == 4:
        return np.exp(signal + rng.normal(size=n)).tolist(), False
    return [float(v) for v in signal * 2 + rng.integers(0, 2, n)], bool(rng.random() < 0.5)


def _classes(signal, rng):
    labels = LABELS[int(rng.integers(0, len(LABELS)))]
    third = rng.random() < 0.3
    return [labels[int(s) + int(third and rng.random() < 0.3)] for s in signal], True


def _weights(n, rng):
    style = int(rng.integers(0, 40))
    if style < 5:
        return rng.integers(0, 3, n).tolist()
    if style < 10:
        return rng.random(n).tolist()
    odd = {10: 0.0, 11: -1.0, 12: float("nan"), 13: 1e300, 14: 1e-320, 15: float("inf")}
    if style in odd:
        return [odd[style] if rng.random() < 0.7 else 1.0 for _ in range(n)]
    return None
