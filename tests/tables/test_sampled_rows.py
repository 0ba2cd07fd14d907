"""Some of very many rows: the same ones in whatever blocks and order they come, equal ones in proportion."""

from functools import reduce
from itertools import pairwise

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from paclearn import RedundancyFilter
from paclearn.tables.remote import part_table
from paclearn.tables.sampled_rows import FirstByHash


def drawn(frame, numbers, most, ends):
    """What is drawn from blocks of a frame, some of them empty, as rows of text."""
    look, edges = FirstByHash(most), [0, *sorted(ends), len(frame)]
    blocks = [slice(a, b) for a, b in pairwise(edges)]
    found = reduce(look.add, (look(part_table(frame.iloc[block]), [numbers[block]]) for block in blocks)).drawn(most)
    words, values = found.columns[:2]
    return [
        (words.labels[code], value, beside)
        for code, value, beside in zip(words.codes, values.values, found.beside()[0], strict=True)
    ]


@given(st.integers(0, 10**6), st.integers(1, 300), st.integers(1, 60), st.lists(st.floats(0, 1), max_size=6))
def test_rows_are_the_same_in_any_blocks_and_order(seed, n, most, cuts):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"word": rng.choice(["a", "b", "c"], n), "number": rng.integers(0, 4, n) / 2})
    numbers, order = rng.integers(0, 2, n).astype(float), rng.permutation(n)
    found = drawn(frame, numbers, most, [])
    assert drawn(frame.iloc[order], numbers[order], most, [int(cut * n) for cut in cuts]) == found
    assert len(found) == min(n, most)
    rows = list(zip(frame["word"], frame["number"], numbers, strict=True))
    if len(set(rows)) <= most:  # all kinds are known: each is there in proportion
        assert all(abs(found.count(kind) - rows.count(kind) * len(found) / n) < 1 for kind in set(rows))


def test_few_rows_that_come_again_and_again_are_all_looked_at(monkeypatch):
    monkeypatch.setattr("paclearn.learners.selection.redundancy_filter._MOST_ROWS", 2000)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (9000, 3)), columns=list("abc"))
    frame["either"] = frame["a"] ^ frame["c"]
    assert list(RedundancyFilter().fit(frame).redundancies_["feature"]) == ["either"]
