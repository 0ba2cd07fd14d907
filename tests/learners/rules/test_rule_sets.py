"""Rules: every conjunction that matters is looked at, the set of them is the best, and the model says what it says."""

import json
import sqlite3
from itertools import product
from math import comb, lgamma, log

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paclearn import RuleClassifier
from paclearn.datasets import load_tic_tac_toe, make_tribes
from paclearn.encoding import BinColumn, Domain, LevelColumn
from paclearn.encoding.comparisons import comparisons
from paclearn.encoding.conditions import condition
from paclearn.exceptions import EmptyTableError, InputError, ModelFileError, TargetError
from paclearn.export import from_json, to_json, to_python, to_scorecard, to_sql
from paclearn.learners.rules.rule_enumeration import n_conjunctions, rules_of_few_errors, undominated
from paclearn.learners.rules.rule_length import rules_log_size
from paclearn.learners.rules.rule_pool import Pool, literals_of
from paclearn.learners.rules.rule_program import cheapest_of_few_errors, solve
from paclearn.learners.rules.rule_search import best_conjunctions_of
from paclearn.learners.rules.rule_set import Budget, Candidates, RuleSet, best_set
from paclearn.learners.rules.rule_work import Work
from paclearn.learners.rules.triple_scan import _operations, _telling, best_triples
from paclearn.models import About, RuleModel
from paclearn.models.checked import Part

LINES = {(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)}
MONKS = {
    "head_shape": ("round", "square", "octagon"),
    "body_shape": ("round", "square", "octagon"),
    "is_smiling": ("yes", "no"),
    "holding": ("sword", "balloon", "flag"),
    "jacket_color": ("red", "yellow", "green", "blue"),
    "has_tie": ("yes", "no"),
}


def some_pool(rng, n_columns=3, n_levels=3, n_rows=60):
    """Conditions ``=`` and ``!=`` of a few columns of random levels."""
    columns = tuple(LevelColumn(f"c{i}", i, False, tuple("abc"[:n_levels])) for i in range(n_columns))
    codes = [rng.integers(0, n_levels, n_rows) for _ in columns]
    asked = [condition(c, i, [code]) for i, c in enumerate(columns) for code in range(n_levels)]
    asked += [condition(c, i, set(range(n_levels)) - {code}) for i, c in enumerate(columns) for code in range(n_levels)]
    return Pool.of(Domain(columns), [(bit, bit.answers(n_levels)[codes[bit.column]]) for bit in asked], n_rows)


def some_rows(rng, pool, noise=0.1):
    """Rows that should be covered by two conjunctions drawn at random, but for some noise; weights among them."""
    rules = naive.conjunctions_of(pool.apart, 3)
    truth = pool.covers([rules[i] for i in rng.integers(0, len(rules), 2)]).any(axis=0)
    truth ^= rng.random(len(truth)) < noise
    return np.where(truth, 1.0, -1.0) * rng.choice([1.0, 2.0, 0.5], len(truth))


# ---- candidates ------------------------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.sampled_from([1, 2, 3]))
@settings(max_examples=15)
def test_the_best_conjunctions_are_those_of_brute_force(seed, most):
    rng = np.random.default_rng(seed)
    pool = some_pool(rng)
    signed, price = some_rows(rng, pool), 0.25
    every = naive.conjunctions_of(pool.apart, most)
    gains = {rule: float(pool.covers([rule])[0] @ signed - price * pool.prices[list(rule)].sum()) for rule in every}
    found = set(best_conjunctions_of(pool, signed, most, 10, price, Work(1.0)))
    for length in range(1, most + 1):
        of_length = sorted((gain for rule, gain in gains.items() if len(rule) == length), reverse=True)
        kept = sorted((gains[rule] for rule in found if len(rule) == length), reverse=True)
        np.testing.assert_allclose(kept[:10], of_length[: len(kept[:10])], atol=1e-4)


@given(st.integers(0, 10**6), st.sampled_from([1.0, 3.0, 30.0]))
@settings(max_examples=10)
def test_the_scan_of_triples_finds_the_best_of_every_trade(seed, trade):
    rng = np.random.default_rng(seed)
    pool = some_pool(rng)
    signed = some_rows(rng, pool)
    worth = np.where(signed < 0, trade, 1.0) * signed
    every = [rule for rule in naive.conjunctions_of(pool.apart, 3) if len(rule) == 3]
    found = best_triples(pool, signed, [trade], 5, Work(1.0))
    assert found <= set(every)
    best = max(every, key=lambda rule: pool.covers([rule])[0] @ worth)
    shorter = naive.conjunctions_of(pool.apart, 2)
    others = max(0.0, *(pool.covers(shorter) @ worth))  # no pair does as well, nor a rule that holds nowhere
    if pool.covers([best])[0] @ worth > others + 1e-9:
        assert max(pool.covers(sorted(found)) @ worth) == pytest.approx(pool.covers([best])[0] @ worth)


@given(st.integers(0, 10**6))
@settings(max_examples=10)
def test_no_rule_of_use_is_left_out_of_those_of_few_errors(seed):
    rng = np.random.default_rng(seed)
    pool = some_pool(rng, n_columns=3, n_levels=2, n_rows=40)
    signed = some_rows(rng, pool)
    every = naive.conjunctions_of(pool.apart, 3)
    assert n_conjunctions(pool, 3) == len(every)
    errors = 3.0
    found = rules_of_few_errors(pool, signed, 3, errors)
    covers, prices = pool.covers(every), np.array([1 + pool.prices[list(rule)].sum() for rule in every])
    for cover, price in zip(covers, prices, strict=True):
        if signed[cover].max(initial=-1) > 0 and -signed[cover & (signed < 0)].sum() <= errors:
            good = (found.covers[:, cover & (signed > 0)] > 0).all(axis=1)
            no_worse = (found.covers[:, ~cover & (signed < 0)] == 0).all(axis=1)
            assert (good & no_worse & (found.prices <= price + 1e-9)).any()


def test_a_literal_is_what_a_person_reads():
    age, town = BinColumn("age", 0, True, (1.0, 2.0, 3.0)), LevelColumn("town", 1, False, tuple("abcde"))
    domain = Domain((age, town, LevelColumn("other", 2, False, tuple("abcde"))))
    wanted = {(0, (0,)): 1, (0, (0, 1)): 1, (0, (1, 2)): 2, (0, (4,)): 1, (0, (0, 4)): 2, (1, (2,)): 1}
    wanted |= {(1, (0, 1, 2, 3)): 1, (1, (0, 3)): 2, (1, (0, 1, 3)): 2}
    for (place, codes), literals in wanted.items():
        assert literals_of(condition(domain.columns[place], place, codes), domain) == literals
    assert [literals_of(c, domain) for c in comparisons(domain, 1, 2)] == [1, 1]


# ---- the set of them -------------------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.sampled_from([0.25, 1.0, 3.0]))
@settings(max_examples=15)
def test_the_program_finds_the_best_set(seed, price):
    rng = np.random.default_rng(seed)
    pool = some_pool(rng)
    signed, rules = some_rows(rng, pool), naive.conjunctions_of(pool.apart, 2)
    candidates = Candidates.of(pool, [rules[i] for i in sorted(rng.choice(len(rules), 9, replace=False))])
    weighed, least = (
        candidates.weigh(signed),
        naive.best_rule_set(candidates.covers > 0, signed, candidates.prices, price),
    )
    quick = best_set(weighed, price, Budget())
    assert quick.cost >= least - 1e-9
    solved = solve(weighed, price, Budget(), RuleSet((), weighed.cost((), price)), Work(10.0))
    assert solved.rules.cost == pytest.approx(least)
    assert solved.optimal
    few = undominated(candidates, signed)
    assert naive.best_rule_set(few.covers > 0, signed, few.prices, price) == pytest.approx(least)
    cheapest = cheapest_of_few_errors(weighed, Budget(), quick, Work(10.0))
    errors = weighed.errors(quick.chosen)
    assert cheapest.rules.cost == pytest.approx(
        naive.cheapest_rule_set(candidates.covers > 0, signed, candidates.prices, errors)
    )
    assert weighed.errors(cheapest.rules.chosen) <= errors + 1e-6


@pytest.mark.parametrize("work", [Work(1e-9), Work(10.0, 1e-9)])
def test_without_work_or_time_the_set_that_is_known_stays(work):
    rng = np.random.default_rng(0)
    pool = some_pool(rng)
    signed = some_rows(rng, pool)
    weighed = Candidates.of(pool, naive.conjunctions_of(pool.apart, 2)).weigh(signed)
    known = best_set(weighed, 0.5, Budget())
    solved = solve(weighed, 0.5, Budget(), known, work)
    assert solved.rules == known
    assert solved.gap == 1
    assert not solved.optimal


@pytest.mark.parametrize("limits", [{"max_rules": 1}, {"max_rules": 3}, {"max_literals": 4}, {"max_conditions": 1}])
def test_rules_stay_within_their_limits(limits):
    frame, _, third = monks()
    target = third ^ (np.random.default_rng(5).random(len(third)) < 0.1)
    model = RuleClassifier(**limits, effort=1, random_state=0).fit(frame[::3], target[::3]).model_
    assert len(model.rules) <= limits.get("max_rules", 99)
    assert model.n_conditions <= limits.get("max_literals", 99)
    assert max(map(len, model.rules), default=0) <= limits.get("max_conditions", 3)


# ---- known answers ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def boards():
    return load_tic_tac_toe(as_frame=True)


@pytest.fixture(scope="module")
def eight_lines(boards):
    return RuleClassifier(random_state=0).fit(boards.data, boards.target)


def test_tic_tac_toe_is_eight_lines(eight_lines, boards):
    model = eight_lines.model_
    names = list(boards.data.columns)
    assert all(asked.name.endswith(" = x") for asked in model.conditions)
    found = {tuple(sorted(names.index(model.conditions[c].name[:-4]) for c in rule)) for rule in model.rules}
    assert found == LINES
    assert eight_lines.score(boards.data, boards.target) == 1
    assert eight_lines.optimality_.proved
    assert "proved, over all" in eight_lines.to_text()
    assert eight_lines.certificate_.bound < 0.1
    assert eight_lines.rules_["rows"].tolist() == [90, 90] + [78] * 6


def test_the_length_of_eight_lines(eight_lines):
    """About eighty nats: eight rules of three over nine columns of six conditions, in any order."""
    found = rules_log_size(eight_lines.model_, eight_lines.domain_, 3)
    a_rule = log(3) + log(comb(9, 3)) + 3 * log(6)
    assert found == pytest.approx(8 * a_rule - lgamma(9) + log(9 * 10) + 5 * log(2) + 2 * log(2))
    assert 75 < found < 90


def monks():
    frame = pd.DataFrame(list(product(*MONKS.values())), columns=list(MONKS))
    first = (frame.head_shape == frame.body_shape) | (frame.jacket_color == "red")
    third = ((frame.jacket_color == "green") & (frame.holding == "sword")) | (
        (frame.jacket_color != "blue") & (frame.body_shape != "octagon")
    )
    return frame, first.to_numpy(), third.to_numpy()


def test_the_first_monks_problem_compares_two_columns():
    frame, truth, _ = monks()
    some = np.random.default_rng(1).choice(len(frame), 124, replace=False)
    model = RuleClassifier(random_state=0).fit(frame.iloc[some], truth[some])
    assert set(model.model_.rule_names) == {"head_shape = body_shape", "jacket_color = red"}
    assert model.score(frame, truth) == 1


def test_the_third_monks_problem_in_spite_of_noise():
    frame, _, truth = monks()
    model = RuleClassifier(random_state=0).fit(frame, truth ^ (np.random.default_rng(0).random(len(truth)) < 0.05))
    assert set(model.model_.rule_names) == {
        "holding = sword and jacket_color = green",
        "body_shape != octagon and jacket_color != blue",
    }
    assert model.score(frame, truth) == 1


def test_the_tribes_are_found():
    data = make_tribes(600, n_tribes=3, tribe_size=3, n_extra=3, random_state=0)
    model = RuleClassifier(random_state=0).fit(data.data, data.target)
    wanted = {" and ".join(f"x{3 * tribe + i} = 1" for i in range(3)) for tribe in range(3)}
    assert set(model.model_.rule_names) == wanted


def test_several_classes_are_asked_for_one_after_the_other():
    frame, first, third = monks()
    target = np.where(first, "first", np.where(third, "third", "neither"))
    model = RuleClassifier(random_state=0).fit(frame, target)
    assert model.score(frame, target) == 1
    assert model.to_text().count("otherwise") == 2
    assert set(model.rules_["class"]) < {"first", "third", "neither"}


# ---- what the model says ---------------------------------------------------------------------------------------------


def test_probabilities_are_those_of_cells_and_agree_with_the_class():
    frame, _, truth = (part[::2] for part in monks())
    noisy = truth ^ (np.random.default_rng(3).random(len(truth)) < 0.2)
    model = RuleClassifier(random_state=0).fit(frame, noisy)
    shares = model.predict_proba(frame)
    assert (model.classes_[shares.argmax(axis=1)] == model.predict(frame)).all()
    first = model.model_.first(model.model_.applies(model.model_.encode(model.model_.table(frame))))
    for cell in np.unique(first):
        rows = noisy[first == cell]
        assert shares[first == cell][0, 1] == pytest.approx((rows.sum() + 1) / (len(rows) + 2))


def test_comparisons_say_the_same_everywhere():
    rng = np.random.default_rng(0)
    levels = ["it's", 'a "b"', "c", None]
    frame = pd.DataFrame({name: rng.choice(np.array(levels, dtype=object), 400) for name in ("one", "other", "third")})
    same = (frame.one == frame.other) & frame.one.notna()
    model = RuleClassifier(random_state=0).fit(frame, np.where(same, "same", "not"))
    assert model.model_.rule_names == ["one = other"]
    assert model.score(frame, np.where(same, "same", "not")) == 1
    fresh = pd.concat([frame, pd.DataFrame({"one": ["new", "c"], "other": ["new", "new"], "third": ["c", "c"]})])
    space = {}
    exec(to_python(model), space)
    said = [space["predict"](row) for row in fresh.to_dict("records")]
    assert said == model.predict(fresh).tolist()
    assert said[-2:] == ["not", "not"]  # neither was ever seen
    connection = sqlite3.connect(":memory:")
    fresh.assign(row=np.arange(len(fresh))).to_sql("data", connection, index=False)
    found = dict(connection.execute(to_sql(model, keys="row")).fetchall())
    assert [found[i] for i in range(len(fresh))] == said
    assert "CASE" in to_sql(model)
    again = from_json(to_json(model))
    assert again.predict(fresh).tolist() == said
    assert again.to_text().startswith("same, if this applies:\n  one = other")


def test_an_explanation_names_the_rules_that_apply(eight_lines, boards):
    for row, found in zip(boards.data[:50].to_numpy(), eight_lines.explain(boards.data[:50]), strict=True):
        held = {part.text for part in found.parts if part.holds}
        lines = {line for line in LINES if all(row[i] == "x" for i in line)}
        assert len(held) == len(lines)
        assert sum(any(part.contribution) for part in found.parts) == bool(lines)


def test_rules_can_be_drawn(eight_lines):
    display = eight_lines.plot_rules(most=5)
    assert len(display.ax_.patches) == 5


def test_a_scorecard_of_rules_is_refused(eight_lines, boards):
    with pytest.raises(InputError, match="a scorecard needs"):
        to_scorecard(eight_lines, boards.data, boards.target)


def test_files_of_rules_are_checked():
    about = About(("no", "yes"), None, 1, ("c",), None, "RuleClassifier")
    columns = (LevelColumn("c", 0, False, ("a", "b")),)
    model = RuleModel(about, columns, (condition(columns[0], 0, [1]),), ((0,),), np.eye(2)[[1, 0]], np.eye(2))
    plain = json.dumps(model.payload())
    assert RuleModel.read(about, columns, Part(json.loads(plain), "model")).payload() == model.payload()
    for old, new, message in [
        ('"columns": [0]', '"columns": []', "one column, or two"),
        ('"columns": [0]', '"columns": [0, 0]', "two different"),
        ('"cells": [[1]]', '"cells": [[2]]', "a whole number from 0 to 1"),
        ('"cells": [[1]]', '"cells": [[0, 1]]', "a list of 1 code"),
        ('"rules": [[0]]', '"rules": [[]]', "one or more different conditions"),
        ('"rules": [[0]]', '"rules": [[0], [0]]', "3 x 2 finite numbers"),
    ]:
        with pytest.raises(ModelFileError, match=message):
            RuleModel.read(about, columns, Part(json.loads(plain.replace(old, new)), "model"))
    number = About(None, None, 1, ("c",), None, "RuleClassifier")
    with pytest.raises(ModelFileError, match="classes and not numbers"):
        RuleModel.read(number, columns, Part(json.loads(plain), "model"))


# ---- bad input -------------------------------------------------------------------------------------------------------


def test_bad_input_is_refused_in_one_voice():
    frame, truth, _ = monks()
    for wrong, message in [
        ({"max_conditions": 0}, "max_conditions=0 must be a whole number >= 1"),
        ({"max_rules": 0}, "max_rules=0 must be a whole number >= 1, or None"),
        ({"max_literals": 1.5}, "max_literals=1.5 must be a whole number"),
        ({"time_limit": 0}, "time_limit=0 must be a number between 0 and inf"),
        ({"effort": 0}, "effort=0 must be a number between 0 and inf"),
    ]:
        with pytest.raises(InputError, match=message):
            RuleClassifier(**wrong).fit(frame, truth)
    with pytest.raises(TargetError, match="class"):
        RuleClassifier().fit(frame, np.zeros(len(frame)))
    with pytest.raises(EmptyTableError):
        RuleClassifier().fit(pd.DataFrame({"a": ["x"] * 20}), [0, 1] * 10)


def test_more_conditions_than_columns_are_no_harm():
    frame, truth, _ = monks()
    model = RuleClassifier(max_conditions=50, random_state=0).fit(frame[["head_shape", "body_shape"]], truth)
    assert 0.5 < model.score(frame[["head_shape", "body_shape"]], truth) < 1


def test_noise_has_no_rules():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.choice(["a", "b", "c"], (200, 4)), columns=list("wxyz"))
    model = RuleClassifier(random_state=0).fit(frame, np.where(rng.random(200) < 0.7, "often", "rarely"))
    assert len(model.model_.rules) <= 1
    if not model.model_.rules:
        assert model.to_text().startswith("always often")


@pytest.mark.parametrize("limit", [{"effort": 0.01}, {"time_limit": 0.01}])
def test_little_work_or_time_gives_an_honest_answer(boards, limit):
    model = RuleClassifier(**limit, random_state=0).fit(boards.data, boards.target)
    assert model.choice_.folds < model.choice_.of_folds
    assert not model.optimality_.proved
    assert "too much work" in model.to_text()
    assert model.score(boards.data, boards.target) > 0.9


def test_the_clock_says_nothing_of_the_rules_unless_asked_to(monkeypatch):
    frame, _, third = monks()
    target = third ^ (np.random.default_rng(5).random(len(third)) < 0.1)
    first = RuleClassifier(effort=1, random_state=0).fit(frame[::2], target[::2])
    hours = iter(range(0, 10**9, 3600))
    monkeypatch.setattr("paclearn.learners.rules.rule_work.monotonic", lambda: float(next(hours)))
    monkeypatch.setattr("time.monotonic", lambda: float(next(hours)))
    slow = RuleClassifier(effort=1, random_state=0).fit(frame[::2], target[::2])
    assert (slow.model_.payload(), slow.choice_, slow.optimality_) == (
        first.model_.payload(), first.choice_, first.optimality_
    )  # fmt: skip
    assert RuleClassifier(time_limit=60, random_state=0).fit(frame[::2], target[::2]).choice_.folds == 1


def test_of_too_many_triples_those_of_the_most_telling_conditions_are_looked_at():
    rng = np.random.default_rng(0)
    pool = some_pool(rng)
    signed, n = some_rows(rng, pool), len(pool.conditions)
    assert _telling(pool, signed, np.inf).tolist() == list(range(n))
    few = _telling(pool, signed, _operations(n / 2, np.count_nonzero(signed)))
    assert n / 3 < len(few) <= n / 2
    up, down = signed > 0, signed < 0
    told = np.abs(pool.answers @ (signed * up / signed[up].sum() + signed * down / -signed[down].sum()))
    assert told[few].min() >= np.delete(told, few).max() - 1e-12
    work = Work(1.0)
    best_triples(pool, signed, [1.0], 5, work)
    assert 0 < work.done < 4e9
