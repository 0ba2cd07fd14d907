"""Parameters, declared once and checked in one voice: ``name=value must be ...``.

An estimator says what each parameter may be in ``_parameters``; `check_parameters` holds it to that::

    _parameters = {"k": Whole(1), "holdout": Between(0, 1) | Nothing(), "stop": OneOf("theorem", "validation")}
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from paclearn.exceptions import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "Between",
    "Cores",
    "Flag",
    "Listed",
    "Nothing",
    "OneOf",
    "Or",
    "Rule",
    "Seed",
    "Such",
    "Whole",
    "check",
    "check_between",
    "check_choice",
    "check_jobs",
    "check_parameters",
    "check_values",
    "hint",
    "is_whole",
]


class Rule(ABC):
    """What a parameter may be."""

    @abstractmethod
    def allows(self, value: Any) -> bool:
        """Whether a value will do."""

    @property
    @abstractmethod
    def wish(self) -> str:
        """What would do, to be read after "must be"."""

    def complaint(self, name: str, value: Any) -> str:
        """What is wrong with a value."""
        return f"{name}={value!r} must be {self.wish}"

    def __or__(self, other: Rule) -> Rule:
        return Or(self, other)


@dataclass(frozen=True)
class Or(Rule):
    """Either of two rules."""

    first: Rule
    second: Rule

    def allows(self, value: Any) -> bool:
        return self.first.allows(value) or self.second.allows(value)

    @property
    def wish(self) -> str:
        return f"{self.first.wish}, or {self.second.wish}"


@dataclass(frozen=True)
class Whole(Rule):
    """A whole number, True and False excepted."""

    least: int
    most: float = inf

    def allows(self, value: Any) -> bool:
        return is_whole(value) and self.least <= value <= self.most

    @property
    def wish(self) -> str:
        return (
            f"a whole number >= {self.least}"
            if self.most == inf
            else f"a whole number from {self.least} to {self.most}"
        )


@dataclass(frozen=True)
class Between(Rule):
    """A number between two others, which it may not be, but for the lower one where that is said."""

    low: float
    high: float
    closed: bool = False

    def allows(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            return False
        return bool((self.low <= value if self.closed else self.low < value) and value < self.high)

    @property
    def wish(self) -> str:
        if self.closed and self.high == inf:
            return f"a number >= {self.low:g}"
        if self.closed:
            return f"a number from {self.low:g} to below {self.high:g}"
        return f"a number between {self.low:g} and {self.high:g}"


@dataclass(frozen=True, init=False)
class OneOf(Rule):
    """One of some words."""

    words: tuple[str, ...]

    def __init__(self, *words: str) -> None:
        object.__setattr__(self, "words", words)

    def allows(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.words

    @property
    def wish(self) -> str:
        shown = ", ".join(map(repr, self.words))
        return shown if len(self.words) == 1 else f"one of {shown}"

    def complaint(self, name: str, value: Any) -> str:
        return f"{name}={value!r} is not known; it can be {', '.join(map(repr, self.words))}"


@dataclass(frozen=True)
class Nothing(Rule):
    """None."""

    wish = "None"

    def allows(self, value: Any) -> bool:
        return value is None


@dataclass(frozen=True)
class Flag(Rule):
    """True or False."""

    wish = "True or False"

    def allows(self, value: Any) -> bool:
        return isinstance(value, bool | np.bool_)


@dataclass(frozen=True)
class Cores(Rule):
    """How many are used at once; -1 is all of them, None one.

    Counting runs in threads of the compiled core; graphs, grown in Python, take a process each.
    """

    wish = "a number of cores, or -1 for all of them"

    def allows(self, value: Any) -> bool:
        return value is None or (is_whole(value) and value != 0)


@dataclass(frozen=True)
class Seed(Rule):
    """Whatever scikit-learn takes for a source of random numbers."""

    wish = "a whole number >= 0, a RandomState, or None"

    def allows(self, value: Any) -> bool:
        try:
            check_random_state(value)
        except ValueError:
            return False
        return True


@dataclass(frozen=True)
class Such(Rule):
    """Whatever a function says yes to."""

    test: Callable[[Any], bool]
    words: str

    def allows(self, value: Any) -> bool:
        return self.test(value)

    @property
    def wish(self) -> str:
        return self.words


@dataclass(frozen=True)
class Listed(Rule):
    """A list of something, or whatever else can be gone through one by one; no text."""

    members: str

    def allows(self, value: Any) -> bool:
        return isinstance(value, Iterable) and not isinstance(value, str | bytes)

    @property
    def wish(self) -> str:
        return f"a list of {self.members}"


def check_parameters(estimator: Any, rules: Mapping[str, Rule]) -> None:
    """Refuse the first parameter of an estimator that is not as its rule says."""
    check_values({name: getattr(estimator, name) for name in rules}, rules)


def check_values(values: Mapping[str, Any], rules: Mapping[str, Rule]) -> None:
    """Refuse the first of some named values that is not as its rule says."""
    for name, rule in rules.items():
        check(name, values[name], rule)


def check(name: str, value: Any, rule: Rule) -> None:
    """Refuse a value that is not as its rule says."""
    if not rule.allows(value):
        raise InputError(rule.complaint(name, value))


def check_between(name: str, value: Any, low: float, high: float) -> None:
    """Refuse a value that is not a number strictly between two others."""
    check(name, value, Between(low, high))


def check_choice(parameter: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse a value that is none of the named choices."""
    rule = OneOf(*choices)
    if not rule.allows(value):
        raise InputError(rule.complaint(parameter, value))


def check_jobs(n_jobs: Any) -> None:
    """Refuse what is no number of cores."""
    check("n_jobs", n_jobs, Cores())


def is_whole(value: Any) -> bool:
    """Whether a parameter is a whole number; True and False are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def hint(word: str, words: Iterable[str]) -> str:
    """``'; did you mean ...?'`` with the closest word, or a list of a few."""
    words = [str(w) for w in words]
    folded = {w.casefold(): w for w in words}
    close = get_close_matches(word.casefold(), folded, n=1)
    if close:
        return f"; did you mean {folded[close[0]]!r}?"
    shown = ", ".join(map(repr, words[:10]))
    return f"; there are {shown}" + (f" and {len(words) - 10} more" if len(words) > 10 else "")
