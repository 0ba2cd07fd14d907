"""Values of a random column, as Python has them: one maker a kind."""

import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np

WORDS = ["a", "b", "A", "red", "green", "", " ", "a ", "007", "7", "07", "7.0", "1e3", "1000", "1000.0", "True", "true"]
WORDS += ["False", "1", "0", "-0", "nan", "None", "inf", "it's", 'say "hi"', "other", "missing", "(other)", "🙂", "ß"]
WORDS += ["a\0b", "%", "--", "1_000", "0x10", "９", "2020-01-31", "<b>", "x" * 300]
WORDS += [
    "e\u0301",
    "é",
    "\u202eabc",
    "\ufeff",
    "a\u00a0b",
    "\\",
    "\\n",
    "a\r\nb",
    "{0}",
    "${x}",
    "'; --",
    "NULL",
    "]]>",
]
WORDS += ["12:30", "1,5", "50%", "1/2", "+1", "1e400", "-inf", "１２", "i", "İ", "ı", "ﬁ", "=1+1", "@x", "a;b", "x=1"]


def _few_words(rng, n):
    words = rng.choice(WORDS, int(rng.integers(1, 6)), replace=False).tolist()
    return [words[i] for i in rng.integers(0, len(words), n)]


def _many_words(rng, n):
    return [WORDS[i] for i in rng.integers(0, len(WORDS), n)]


def _crowd(rng, n):
    """Hundreds of levels, some of them far more frequent than others."""
    return [f"level {int(300 * u**3)}" for u in rng.random(n)]


def _keys(rng, n):
    return [f"u{i}" for i in rng.permutation(n)]


def _small_integers(rng, n):
    return (rng.integers(0, int(rng.integers(1, 9)), n) + int(rng.choice([0, 0, -3, 250, 10**6]))).tolist()


def _bytes_of_numbers(rng, n):
    return rng.choice([-128, -1, 0, 1, 127], n).tolist()


def _large_integers(rng, n):
    return [int(i) + 2**53 + int(rng.choice([0, 1, -(2**54)])) for i in rng.integers(0, 4, n)]


def _unsigned(rng, n):
    return [int(i) + [0, 2**63, 2**64 - 9][int(rng.integers(3))] for i in rng.integers(0, 4, n)]


def _floats(rng, n):
    scale = float(rng.choice([1.0, 1.0, 1.0, 1e-300, 1e100, 1e-5]))
    return (rng.normal(size=n) * scale).tolist()


def _single_floats(rng, n):
    return rng.normal(size=n).astype(np.float32).tolist()


def _half_floats(rng, n):
    return rng.normal(size=n).astype(np.float16).tolist()


def _whole_floats(rng, n):
    return [float(v) for v in rng.choice([-0.0, 0.0, 1.0, 3.0, 1e16, 1e22, -5.0], n)]


def _endless_floats(rng, n):
    return [float(v) for v in rng.choice([np.inf, -np.inf, np.nan, 1.0, 2.0, 5e-324, 1.7e308, -1.7e308], n)]


def _decimals(rng, n):
    return [Decimal(int(i)).scaleb(-2) for i in rng.integers(-300, 300, n)]


def _flags(rng, n):
    return rng.choice([True, False], n).tolist()


def _dates(rng, n):
    return [dt.datetime(1969, 12, 31) + dt.timedelta(hours=int(h)) for h in rng.integers(0, 400_000, n)]


def _fine_dates(rng, n):
    return [dt.datetime(1969, 12, 31, 23) + dt.timedelta(microseconds=int(h)) for h in rng.integers(0, 10**10, n)]


def _zoned_dates(rng, n):
    return [moment.replace(tzinfo=dt.UTC) for moment in _dates(rng, n)]


def _summer_times(rng, n):
    """Hours of the two nights in which clocks are turned."""
    nights = [dt.datetime(2024, 3, 31, tzinfo=dt.UTC), dt.datetime(2024, 10, 27, tzinfo=dt.UTC)]
    moments = [nights[int(rng.integers(2))] + dt.timedelta(minutes=int(m)) for m in rng.integers(0, 240, n)]
    return [moment.astimezone(ZoneInfo("Europe/Berlin")) for moment in moments]


def _days(rng, n):
    return [
        dt.date(1, 1, 1) + dt.timedelta(days=int(d)) for d in rng.choice([0, 693_594, 738_000, 738_001, 3_652_058], n)
    ]


def _times(rng, n):
    return [dt.time(int(h), int(h) * 2, int(h)) for h in rng.integers(0, 24, n)]


def _durations(rng, n):
    return [dt.timedelta(seconds=int(s)) for s in rng.integers(-5, 5, n)]


def _written_numbers(rng, n):
    return [str(v) for v in rng.choice(["1", "2.5", "-3", "1e2", "0.1", "4", "5", "6", "7"], n)]


def _constant(rng, n):
    return [WORDS[int(rng.integers(len(WORDS)))]] * n


def _nothing(rng, n):
    return [None] * n


def _lists(rng, n):
    return [[int(i)] for i in rng.integers(0, 3, n)]


def _binary(rng, n):
    return [bytes([int(i)]) for i in rng.integers(0, 256, n)]


ANYTHING = [
    "007",
    7,
    7.0,
    "7",
    True,
    "True",
    1,
    "1",
    1000,
    "1e3",
    1e3,
    2**53 + 1,
    0.5,
    "0.5",
    Decimal("0.50"),
    "a",
    False,
]


def _anything(rng, n):
    """A column of objects: what a value is must not depend on its neighbours."""
    some = [ANYTHING[i] for i in rng.choice(len(ANYTHING), int(rng.integers(2, 6)), replace=False)]
    return [some[i] for i in rng.integers(0, len(some), n)]


# how often each is taken, and who makes it
KINDS = {
    "words": (6, _few_words),
    "many words": (2, _many_words),
    "crowd": (1, _crowd),
    "categories": (3, _few_words),
    "more categories": (1, _few_words),
    "ordered categories": (1, _few_words),
    "keys": (1, _keys),
    "integers": (4, _small_integers),
    "bytes of numbers": (1, _bytes_of_numbers),
    "large integers": (2, _large_integers),
    "unsigned": (1, _unsigned),
    "floats": (4, _floats),
    "single floats": (1, _single_floats),
    "half floats": (0.5, _half_floats),
    "whole floats": (2, _whole_floats),
    "endless floats": (1, _endless_floats),
    "decimals": (1, _decimals),
    "flags": (3, _flags),
    "dates": (1, _dates),
    "fine dates": (0.5, _fine_dates),
    "zoned dates": (0.5, _zoned_dates),
    "summer times": (0.3, _summer_times),
    "days": (0.7, _days),
    "times": (0.5, _times),
    "durations": (0.2, _durations),
    "written numbers": (1, _written_numbers),
    "constant": (1, _constant),
    "nothing": (1, _nothing),
    "lists": (0.1, _lists),
    "binary": (0.1, _binary),
    "objects": (3, _anything),
}
_ODDS = np.array([often for often, _ in KINDS.values()], dtype=float)


def some_kind(rng) -> str:
    """The name of a kind."""
    return str(rng.choice(list(KINDS), p=_ODDS / _ODDS.sum()))


def column_of(kind: str, rng, n: int) -> list:
    """Values of a kind."""
    return KINDS[kind][1](rng, n)
