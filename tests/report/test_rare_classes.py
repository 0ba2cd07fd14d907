"""A class of one row in a hundred: the page leads with where it is to be found."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from paclearn import Report
from paclearn.cli.report_command import _costs
from paclearn.exceptions import InputError
from paclearn.report.rare_classes import positive_class
from paclearn.report.summarise import _certificate


def frauds(n=8000, seed=0):
    """One row in a hundred or so; twenty times the risk in one group."""
    rng = np.random.default_rng(seed)
    region, hour, amount = (
        rng.choice(["north", "south", "west"], n),
        rng.integers(0, 24, n),
        50 * rng.gamma(2, 1, n).round(),
    )
    group = (region == "north") & (hour >= 20)
    fraud = rng.random(n) < np.where(group, 0.12, 0.006)
    return pd.DataFrame({"region": region, "hour": hour, "amount": amount, "fraud": np.where(fraud, "yes", "no")})


@pytest.fixture(scope="module")
def report():
    return Report(frauds(), target="fraud", quick=True, cost=(10, 1))


def test_the_page_leads_with_the_planted_group_and_the_lift(report):
    first, second, *_ = report.facts["sentences"]
    assert "region = north" in first
    assert "hour > " in first
    assert "times the" in first
    assert "The riskiest 5 % of the rows" in second
    assert "AUC" in second
    page = report.to_html()
    assert page.index("riskiest 5 %") < page.index("is right on")
    told = report.to_text()
    assert told.index("region = north") < told.index("riskiest 5 %") < told.index("accuracy of")


def test_a_table_of_votes_that_says_nothing_gives_way_to_one_of_shares(report):
    table, page = report.facts["model"], report.to_html()
    assert not table["tells"]  # no cell votes for a class of 12 %
    assert set(table["risk"]["members"]) == {"region", "hour"}
    shares = [cell["share"] for cell in table["risk"]["cells"]]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.08
    assert table["risk"]["lowest"] < 0.02
    assert "north" in table["risk"]["cells"][0]["codes"]
    said = " ".join(report.facts["sentences"])
    assert "decide" not in said
    assert "“region” and “hour” say best" in said or "“hour” and “region” say best" in said
    assert "The truth table," not in page
    assert "In a small table" in page
    assert "accuracy of junta\n" in report.to_text()
    assert report.facts["rankings"][1]["best"][0]["members"] in (["region", "hour"], ["hour", "region"])


def test_a_table_no_better_than_none_promises_nothing():
    known = {"bound": 0.04, "vacuous": False, "kind": "held-out"}
    junta = SimpleNamespace(certificate_=SimpleNamespace(to_dict=lambda: dict(known)), subset_=("a", "b"))
    for tells in (True, False):
        exam = SimpleNamespace(certificate=lambda *_: None)
        compared = SimpleNamespace(junta_tells=tells, by_rules=False)
        found = SimpleNamespace(exam=exam, compared=compared, rules=None, model=None)
        said = _certificate(found, junta)
        assert said["vacuous"] is not tells
        assert said["of"] == "truth table of a, b"


def test_numbers_of_a_rare_class(report):
    rare = report.facts["rare"]
    assert rare["label"] == "yes"
    assert rare["share"] == pytest.approx((frauds()["fraud"] == "yes").mean(), abs=0.01)
    assert 0.6 < rare["auc"] < 1
    assert rare["average_precision"] > 3 * rare["share"]
    assert rare["log_loss"] < rare["log_loss_without_model"]
    assert all(top["lift"] == pytest.approx(top["holds"] / top["part"], rel=0.05) for top in rare["tops"])
    assert rare["groups"][0]["lift"] > 5


def test_the_lift_of_a_group_is_that_of_the_shares_beside_it(report):
    told = report.facts["sentences"][0]
    found = re.search(r", ([0-9.]+) % of [0-9,]+ rows are .*: ([0-9.]+) times the ([0-9.]+) %", told)
    share, lift, base = map(float, found.groups())
    assert lift == pytest.approx(share / base, rel=0.02)


def test_costs_choose_the_threshold(report):
    decision = report.facts["rare"]["decision"]
    assert decision["threshold"] == pytest.approx(1 / 11)
    assert decision["cost"] < decision["cost_without_model"]
    assert "--cost" not in report.facts["about"]["command"]  # a table in memory: a call
    assert "cost=(10, 1)" in report.facts["about"]["command"]


def test_which_class_is_looked_for():
    y = np.array(["a"] * 95 + ["b"] * 5)
    assert positive_class(y, None) == "b"
    assert positive_class(y, "a") == "a"
    assert positive_class(np.array(["a", "b"] * 20), None) is None
    assert positive_class(np.array(["a", "b", "c"] * 20), None) is None
    with pytest.raises(InputError, match="positive='z' is no class of the target; it has 'a', 'b'"):
        positive_class(y, "z")


def test_costs_in_words():
    assert _costs("miss=10, alarm=1") == _costs("alarm=1,miss=10") == (10, 1)
    assert _costs(None) is None
    with pytest.raises(InputError, match="--cost 'ten' cannot be read"):
        _costs("ten")
    with pytest.raises(InputError, match="cost of a miss"):
        Report(frauds(200), target="fraud", cost=(0, 1))
