"""Rules where there is little to tell, where columns share their numbers, and where there are very many of them."""

import numpy as np
import pandas as pd
import pytest

from paclearn import BooleanEncoder, RuleClassifier
from paclearn.encoding import (
    BinColumn,
    Domain,
    EncodingRules,
    LevelColumn,
    learn_and_encode,
    learn_and_encode_compared,
)
from paclearn.learners.rules.column_screen import telling_columns
from paclearn.tables.table import as_table


def test_without_rules_the_most_frequent_class_is_said():
    """Of two classes that are almost as frequent, and of which nothing tells anything."""
    frame = pd.DataFrame({"a": ["u", "v"] * 200, "b": ["u", "u", "v", "v"] * 100})
    target = np.where(np.arange(400) // 4 % 100 < 51, "yes", "no")
    model = RuleClassifier(random_state=0).fit(frame, target)
    assert model.model_.rules == ()
    assert model.to_text().startswith("always yes (400 rows, 51 % of them)")


def test_numbers_that_two_columns_share_are_compared():
    """Ranks of cards: eleven of them do not fit into eight bins, and are levels all the same."""
    rng = np.random.default_rng(0)
    cards = pd.DataFrame(rng.integers(1, 12, (600, 3)), columns=["first", "second", "third"]).assign(
        many=rng.integers(0, 60, 600), heap=np.where(rng.random(600) < 0.6, 0, rng.integers(1, 12, 600))
    )
    pair = np.where(cards["first"] == cards["second"], "pair", "none")
    model = RuleClassifier(random_state=0).fit(cards, pair)
    assert model.model_.rule_names == ["first = second"]
    assert model.score(cards.astype(float), pair) == 1
    kinds = {column.name: type(column) for column in model.domain_.columns}
    assert kinds == dict.fromkeys(["first", "second", "third"], LevelColumn) | dict.fromkeys(
        ["many", "heap"], BinColumn
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_that_no_other_column_shares_are_cut_as_ever(weighted):
    rng = np.random.default_rng(0)
    some = {f"x{i}": rng.integers(20 * i, 20 * i + 12, 300).astype(float) for i in range(3)}
    some["x1"][rng.random(300) < 0.1] = np.nan
    some["halves"] = rng.integers(0, 12, 300) / 2
    table = as_table(BooleanEncoder(), pd.DataFrame(some), reset=True)
    weights = rng.integers(1, 4, 300).astype(float) if weighted else None
    domain, codes = learn_and_encode_compared(table, EncodingRules(8, 5, 16), weights)
    usual, usual_codes = learn_and_encode(table, EncodingRules(8, 5, 16), weights)
    assert domain == usual
    for ours, theirs in zip(codes, usual_codes, strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype


def test_of_very_many_columns_those_stay_that_tell_something_alone_or_together():
    rng = np.random.default_rng(0)
    codes = [rng.integers(0, 2, 300).astype(np.uint8) for _ in range(400)]
    domain = Domain(tuple(LevelColumn(f"x{i}", i, False, ("0", "1")) for i in range(400)))
    odd, weights = (codes[17] ^ codes[301]) == 1, np.ones(300)
    assert telling_columns(domain, codes, odd, weights, 800) == list(range(400))
    assert {17, 301} <= set(telling_columns(domain, codes, odd, weights, 40))
    assert len(telling_columns(domain, codes, codes[5] == 1, weights, 40)) == 20
    assert 5 in telling_columns(domain, codes, codes[5] == 1, weights * 0.5, 40)
    assert telling_columns(domain, codes, codes[5] == 1, weights, 1) == [5]


def test_conditions_that_were_not_looked_at_are_named(monkeypatch):
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (100, 60))
    monkeypatch.setattr("paclearn.learners.rules.rule_rows.most_conditions", lambda n_rows: 30)
    model = RuleClassifier(random_state=0).fit(table, table[:, 3] & table[:, 50])
    assert model.model_.rule_names == ["x3 = 1 and x50 = 1"]
    assert str(model.optimality_).endswith("Not looked at: 45 columns that say less.")


def test_the_effort_says_how_many_rows_are_looked_at():
    model = RuleClassifier(effort=1)
    model.domain_ = Domain((LevelColumn("a", 0, False, ("u", "v")),))
    assert model._most_rows() == 60_000
    model.effort = 100
    assert model._most_rows() == 600_000
