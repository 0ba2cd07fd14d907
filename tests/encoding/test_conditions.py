"""Sets of codes in words: every set has words of its own, and they say what the set holds."""

from itertools import chain, combinations

import pytest

from paclearn.encoding.conditions import condition, in_words, runs
from paclearn.encoding.domain import BinColumn, LevelColumn

COLOUR = LevelColumn("colour", 0, False, ("blue", "green", "red", "white"))
TOWN = LevelColumn("town", 0, True, ("Bonn", "Ulm"), other=True)
SIZE = LevelColumn("size", 0, False, ("1", "2", "3", "10"), numeric=True)
AGE = BinColumn("age", 0, True, (24.0, 41.5, 60.0))


@pytest.mark.parametrize(
    ("column", "codes", "words"),
    [
        (COLOUR, {2}, "colour = red"),
        (COLOUR, {0, 1, 3}, "colour != red"),
        (COLOUR, {0, 2}, "colour in {blue, red}"),
        (TOWN, {0}, "town = Bonn"),
        (TOWN, {0, 3}, "town = Bonn or town is missing"),
        (TOWN, {2}, "town = other"),
        (TOWN, {3}, "town is missing"),
        (TOWN, {0, 1, 2}, "town is not missing"),
        (SIZE, {0, 1}, "size <= 2"),
        (SIZE, {1, 2}, "1 < size <= 3"),
        (SIZE, {3}, "size = 10"),
        (SIZE, {0, 3}, "size = 1 or size = 10"),
        (SIZE, {0, 2, 3}, "size != 2"),
        (SIZE, {1, 2, 3}, "size > 1"),
        (AGE, {0}, "age <= 24"),
        (AGE, {2, 3}, "age > 41.5"),
        (AGE, {1, 2}, "24 < age <= 60"),
        (AGE, {0, 2}, "age <= 24 or 41.5 < age <= 60"),
        (AGE, {4}, "age is missing"),
        (AGE, {3, 4}, "age > 60 or age is missing"),
    ],
)
def test_words_of_a_set_of_codes(column, codes, words):
    assert in_words(column, codes) == words
    bit = condition(column, 3, codes)
    assert (bit.name, bit.column, bit.codes) == (words, 3, tuple(sorted(codes)))


@pytest.mark.parametrize("column", [COLOUR, TOWN, SIZE, AGE], ids=lambda column: column.name)
def test_every_set_has_words_of_its_own(column):
    codes = range(column.n_codes)
    every = list(chain.from_iterable(combinations(codes, size) for size in range(column.n_codes + 1)))
    assert len({in_words(column, some) for some in every}) == len(every) == 2**column.n_codes


def test_numbers_in_runs():
    assert runs([5, 1, 2, 7, 6]) == [(1, 2), (5, 7)]
    assert runs([]) == []
