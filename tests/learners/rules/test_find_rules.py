"""find_rules: planted rules are found, noise is not, and what is said of a rule is true."""

import json
from math import comb

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from typer.testing import CliRunner

from paclearn import find_rules
from paclearn.certificates.random_subsets import log_tail_of_count, log_tail_of_sum
from paclearn.cli import main  # noqa: F401 - says so where the command line is not installed
from paclearn.cli.app import app
from paclearn.datasets import load_tic_tac_toe
from paclearn.exceptions import IncompleteSearchWarning, InputError
from paclearn.learners.rules.found_rule import describe
from paclearn.learners.rules.rule_evidence import Aim

COLUMNS = ["rule", "class", "rows", "share", "lift", "effect", "low", "high", "p", "q", "beyond"]


def people(n, seed):
    """Levels, two columns that share them, numbers, rare levels, missing values."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "head": rng.choice(["round", "square", "octagon"], n),
            "body": rng.choice(["round", "square", "octagon"], n),
            "age": rng.normal(40, 10, n).round(1),
            "town": rng.choice(list("ABCDEFG"), n, p=[0.3, 0.3, 0.2, 0.1, 0.05, 0.03, 0.02]),
            "pet": rng.choice(["cat", "dog", None], n),
            **{f"x{i}": rng.integers(0, 2, n) for i in range(4)},
        }
    )
    return frame, rng


PLANTED = {
    "x1 = 1": lambda t: t["x1"] == 1,  # of numbers, the same may be told of the other half
    "pet is missing": lambda t: t["pet"].isna(),
    "head = body": lambda t: t["head"] == t["body"],
    "pet = cat and x1 = 1": lambda t: (t["pet"] == "cat") & (t["x1"] == 1),
    "x2 = 0 and head = body": lambda t: (t["x2"] == 0) & (t["head"] == t["body"]),
    "pet = cat and x1 = 1 and x3 = 0": lambda t: (t["pet"] == "cat") & (t["x1"] == 1) & (t["x3"] == 0),
}


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("rule", PLANTED)
def test_planted_rules_are_found(rule, numbers):
    n = 900 if numbers else 1500
    frame, rng = people(n, seed=1)
    inside = PLANTED[rule](frame).to_numpy()
    y = rng.normal(size=n) + 2.5 * inside if numbers else rng.random(n) < np.where(inside, 0.85, 0.25)
    found = find_rules(frame, y, max_conditions=3 if rule.count("=") == 3 else 2)
    if list(found["rule"]) == ["x1 = 0"] and numbers:
        rule, inside, y = "x1 = 0", ~inside, -y
        found["mean"], found["effect"] = -found["mean"], -found["effect"]
        found["low"], found["high"] = -found["high"], -found["low"]
    assert list(found["rule"]) == [rule]
    assert found["rows"][0] == inside.sum() == found["beyond"][0]
    assert found["mean" if numbers else "share"][0] == pytest.approx(y[inside].mean())
    assert found["effect"][0] == pytest.approx(y[inside].mean() - y[~inside].mean())
    assert found["low"][0] < found["effect"][0] < found["high"][0]
    assert found["p"][0] < found["q"][0] < 0.1


def test_a_rule_of_four_conditions_is_found_where_four_are_asked_for():
    frame, rng = people(1500, seed=1)
    some = frame[["pet", "x0", "x1", "x2", "x3"]]
    inside = (frame["pet"] == "cat") & (frame[["x1", "x2", "x3"]] == 1).all(axis=1)
    y = rng.random(1500) < np.where(inside, 0.95, 0.25)
    assert list(find_rules(some, y, max_conditions=4)["rule"]) == ["pet = cat and x1 = 1 and x2 = 1 and x3 = 1"]
    assert "and x1 = 1 and x2 = 1 and x3 = 1" not in "".join(find_rules(some, y, max_conditions=3)["rule"])


def test_small_numbers_are_found_too():
    frame, rng = people(800, seed=2)
    y = rng.normal(size=800) - 3.0 * (frame["pet"] == "cat")
    found = find_rules(frame, y, max_conditions=2)
    assert list(found["rule"]) == ["pet = cat"]
    assert list(found.columns) == ["rule", "rows", "mean", "effect", "low", "high", "p", "q", "beyond"]
    assert found["effect"][0] == pytest.approx(-3, abs=0.3)
    assert found["low"][0] < found["effect"][0] < found["high"][0]


def test_several_rules_and_classes():
    frame, rng = people(3000, seed=3)
    first, second = PLANTED["pet = cat and x1 = 1"](frame), (frame["town"] == "C") & (frame["x2"] == 1)
    kind = np.where(
        first & (rng.random(3000) < 0.9), "walk", np.where(second & (rng.random(3000) < 0.9), "ride", "stay")
    )
    found = find_rules(frame, kind)
    told = dict(zip(found["rule"], found["class"], strict=True))
    assert told["pet = cat and x1 = 1"] == "walk"
    assert told["town = C and x2 = 1"] == "ride"


def test_an_exception_to_a_rule_is_no_echo_of_it():
    """Cards that differ often make no pair; those that are the same always do, and that is to be told, too."""
    rng = np.random.default_rng(0)
    cards = pd.DataFrame(rng.integers(1, 12, (1500, 4)), columns=list("abcd"))
    pair = np.where(cards.nunique(axis=1) < 4, "pair", "none")
    found = find_rules(cards, pair, max_conditions=2)
    assert found["class"][0] == "none"
    told = found["rule"][(found["class"] == "pair") & (found["share"] == 1)]
    assert len(told) >= 4
    assert set(told) <= {"a = b", "a = c", "a = d", "b = c", "b = d", "c = d"}


@pytest.mark.parametrize("seed", range(3))
def test_every_rule_for_numbers_has_rows_of_its_own(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(1500, 4)), columns=list("abcd")).assign(kind=rng.choice(list("uvw"), 1500))
    y = 3.0 * ((frame["a"] > 0) & (frame["kind"] == "u")) - 2 * (frame["b"] > 0.5) + rng.normal(size=1500)
    found = find_rules(frame, y)
    assert len(found) >= 3
    assert (found["beyond"] > 0).all()


def noise(seed):
    """Dependent columns, rare levels, missing values; a target of unequal classes or heavy tails, apart from them."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([100, 400]))
    z = rng.normal(size=(n, 2))
    level = np.array(list("abcdef"))[np.minimum(rng.geometric(0.5, n) - 1, 5)]
    frame = pd.DataFrame(
        {
            **{f"b{i}": z[:, i % 2] + 0.5 * rng.normal(size=n) > rng.uniform(-1, 2) for i in range(4)},
            "level": level,
            "copy": np.where(rng.random(n) < 0.9, level, "a"),
            "number": np.where(rng.random(n) < 0.1, np.nan, z[:, 0]),
        }
    )
    kind = (0.5, 0.05, None)[seed % 3]
    y = rng.standard_t(2, n) if kind is None else (rng.random(n) < kind).astype(int)
    if kind is not None:
        y[:2] = (0, 1)
    return frame, y


def test_noise_is_not_reported():
    """At most a tenth of the tables may have any; with 15 of them, five or more would have a chance of one in 80."""
    assert sum(len(find_rules(*noise(seed), max_conditions=2)) > 0 for seed in range(15)) <= 4


@pytest.mark.parametrize("quality", ["chi_square", "wracc", "precision", "lift", "shift"])
def test_every_quality_finds_the_rule(quality):
    frame, rng = people(1000, seed=4)
    inside = PLANTED["pet = cat and x1 = 1"](frame)
    y = rng.random(1000) < np.where(inside, 0.95, 0.2)
    found = find_rules(frame, y, quality=quality, min_rows=50, max_conditions=2)
    assert found["rule"][0] == "pet = cat and x1 = 1"


def test_weights_are_rows():
    frame, rng = people(600, seed=5)
    y = rng.random(600) < np.where(PLANTED["pet = cat and x1 = 1"](frame), 0.9, 0.2)
    weights = rng.integers(1, 4, 600)
    often = np.repeat(np.arange(600), weights)
    by_weight = find_rules(frame, y, max_conditions=2, sample_weight=weights)
    repeated = find_rules(frame.iloc[often].reset_index(drop=True), y[often], max_conditions=2)
    pd.testing.assert_frame_equal(by_weight, repeated)
    relative = find_rules(frame, y, max_conditions=2, sample_weight=weights * 0.37)
    assert relative["rule"][0] == by_weight["rule"][0]
    assert relative["share"][0] == pytest.approx(by_weight["share"][0])
    assert relative["q"][0] > by_weight["q"][0]  # fewer rows than that say so


def test_threads_and_frames_are_of_no_account():
    frame, rng = people(500, seed=6)
    y = rng.random(500) < np.where(frame["x1"] == 1, 0.8, 0.2)
    found = find_rules(frame, y, max_conditions=2)
    pd.testing.assert_frame_equal(found, find_rules(frame, y, max_conditions=2, n_jobs=3))
    pd.testing.assert_frame_equal(found, find_rules(pl.from_pandas(frame), pl.Series(y), max_conditions=2))


def test_lines_of_tic_tac_toe():
    """Without an o in a diagonal whose middle is taken up, x has won: who finds that has looked at everything."""
    boards = load_tic_tac_toe(as_frame=True)
    found = find_rules(boards.data, boards.target, n_rules=4)
    assert (found["share"] == 1).all()
    assert min(found["rule"]) == "top-left != o and middle-middle != o and bottom-right != o"


# ---- bad input, and little of it -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_conditions": 0}, "max_conditions=0 must be a whole number from 1 to 4"),
        ({"max_conditions": 5}, "max_conditions=5 must be a whole number from 1 to 4"),
        ({"n_rules": 0}, "n_rules=0 must be"),
        ({"fdr": 1.5}, "fdr=1.5 must be"),
        ({"min_rows": 0}, "min_rows=0 must be"),
        ({"min_rows": 500}, "min_rows=500 is more than half of the 100 rows"),
        ({"quality": "gini"}, "quality='gini' is not known"),
        ({"quality": "lift", "task": "regression"}, "quality='lift' is one of classes"),
        ({"time_limit": 0}, "time_limit=0 must be"),
        ({"y": np.ones(100)}, "class"),
        ({"X": pd.DataFrame({"a": ["same"] * 100})}, "constant"),
    ],
)
def test_bad_arguments(options, message):
    frame, rng = people(100, seed=0)
    given = {"X": frame, "y": rng.integers(0, 2, 100), **options}
    with pytest.raises(InputError, match=message):
        find_rules(**given)


def test_more_conditions_than_columns():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 1))
    assert list(find_rules(X, X[:, 0])["rule"]) == ["x0 = 1"]


def test_nothing_found_is_an_empty_frame():
    rng = np.random.default_rng(0)
    found = find_rules(rng.integers(0, 2, (50, 3)), rng.integers(0, 2, 50))
    assert list(found.columns) == COLUMNS
    assert len(found) == 0


def test_a_time_limit_gives_what_was_found():
    frame, rng = people(2000, seed=7)
    y = rng.random(2000) < np.where(frame["x1"] == 1, 0.9, 0.2)
    with pytest.warns(IncompleteSearchWarning, match="time limit"):
        found = find_rules(frame, y, time_limit=1e-3)
    assert set(found.columns) == set(COLUMNS)


# ---- tests and intervals ---------------------------------------------------------------------------------------------


def test_counts_follow_the_hypergeometric_law():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(2, 120))
        positive, drawn = rng.integers(0, n + 1, 2)
        found = rng.integers(max(0, drawn + positive - n), min(drawn, positive) + 1)
        expected = stats.hypergeom.sf(found - 1, n, positive, drawn)
        assert np.exp(log_tail_of_count(found, drawn, positive, n)) == pytest.approx(expected, rel=1e-8, abs=1e-14)
    assert log_tail_of_count(3000, 3000, 3000, 9000) < -5000  # far below any float


def test_bounds_hold_for_every_draw():
    """Every subset of twelve numbers: the chance of a sum as large is never more than the bound says."""
    values = np.append(np.random.default_rng(1).standard_t(1.5, 10), [8.0, 0.0])
    subsets = np.array([[(i >> b) & 1 for b in range(12)] for i in range(2**12)], dtype=bool)
    for size in (1, 3, 6, 11):
        some = subsets[subsets.sum(axis=1) == size]
        sums = some @ values
        bounds = [np.exp(log_tail_of_sum(values, drawn)) for drawn in some]
        chances = [(sums >= s - 1e-12).sum() / comb(12, size) for s in sums]
        assert (np.array(bounds) >= np.array(chances) - 1e-12).all()


def test_a_bound_of_numbers_is_near_the_law_where_there_are_many():
    rng = np.random.default_rng(2)
    values = rng.normal(size=4000)
    drawn = rng.random(4000) < 0.3
    values[drawn] += 0.2
    gap = values[drawn].mean() - values[~drawn].mean()
    normal = stats.norm.logsf(gap / np.sqrt(values.var() * (1 / drawn.sum() + 1 / (~drawn).sum())))
    assert normal <= log_tail_of_sum(values, drawn) <= 0.6 * normal


def test_intervals_cover():
    """Differences of shares and of means lie in their intervals of 95 %."""
    rng = np.random.default_rng(3)
    rows = np.arange(200) < 40
    for values in (
        lambda: (rng.random(200) < np.where(rows, 0.9, 0.6)).astype(int),
        lambda: rng.normal(size=200) + rows,
    ):
        truth = 1.0 if values().dtype.kind == "f" else 0.3
        facts = [describe(Aim(values(), None, "a"), rows, "r", (0.0, 0.0), rows) for _ in range(400)]
        assert 0.9 <= np.mean([f.low <= truth <= f.high for f in facts]) <= 0.99


# ---- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def table(tmp_path):
    frame, rng = people(500, seed=8)
    frame["goes"] = np.where(rng.random(500) < np.where(frame["x1"] == 1, 0.9, 0.2), "yes", "no")
    frame["weighs"] = rng.normal(size=500) + 3 * (frame["x1"] == 1)
    frame.to_csv(tmp_path / "people.csv", index=False)
    return str(tmp_path / "people.csv")


def run(*arguments):
    return CliRunner().invoke(app, ["rules", *arguments])


def test_the_command_tells_rules(table, tmp_path):
    done = run(table, "--target", "goes", "--drop", "weighs", "-o", str(tmp_path / "rules.csv"))
    assert done.exit_code == 0, done.output
    assert "goes is yes in" in done.output
    assert pd.read_csv(tmp_path / "rules.csv")["rule"][0] == "x1 = 1"


def test_the_command_as_json(table):
    done = run(table, "--target", "weighs", "--drop", "goes", "--json", "--conditions", "1")
    facts = json.loads(done.output)
    assert facts["rules"][0]["rule"] in {"x1 = 1", "x1 = 0"}
    assert facts["complete"]
    assert facts["rows"] == 500


def test_a_file_of_no_known_kind_is_refused_first(table):
    assert "must end in .json or .csv" in str(run(table, "--target", "goes", "-o", "rules.txt").exception)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.floats(-30, -0.1))
def test_what_is_seen_at_once_of_a_sum_is_so(seed, wanted):
    """Nothing is set aside that a bound in full would have kept."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    values = rng.choice([rng.normal(size=n), rng.exponential(size=n), rng.integers(0, 2, n).astype(float)])
    drawn = rng.random(n) < rng.random()
    whole, quick = log_tail_of_sum(values, drawn), log_tail_of_sum(values, drawn, wanted)
    assert quick == whole or (quick == 0.0 and whole > wanted)
