"""What is to be seen in a table before anything is learned from it, and what is set aside."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from paclearn import BooleanEncoder, Report
from paclearn.cli.app import app
from paclearn.datasets import make_customers
from paclearn.encoding.set_aside import why_set_aside
from paclearn.export import load
from paclearn.report.first_look import first_look
from paclearn.tables.raw import Numbers, read_raw
from paclearn.tables.repeats import row_hashes, without_repeats_of
from paclearn.tables.table import KnownColumns, as_table


def clean(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": 6.0 * rng.integers(3, 15, n),
            "plan": rng.choice(["basic", "plus"], n),
            "fee": rng.normal(10, 2, n).round(0) * 2.5,
            "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
        }
    )


def put(frame, name, value, every=20):
    frame.loc[frame.index[::every], name] = value
    return frame


LONG_AGO = pd.Timestamp("1900-01-01")
DIRT = {
    "nothing": (lambda f: f, None, None),
    "repeats": (lambda f: pd.concat([f, f[:30]]), "30 rows (9.1 %) repeat an earlier row", "--drop-repeats"),
    "repeats with ids": (
        lambda f: pd.concat([f.assign(id=range(1, 301)), f.assign(id=range(1, 301))[:30]]),
        "30 rows (9.1 %) repeat an earlier row in every column, the target",
        "--drop-repeats",
    ),
    "repeats under new ids": (
        lambda f: pd.concat([f, f[:30]]).assign(id=range(1, 331)),
        "30 rows (9.1 %) repeat an earlier row in every column but those set aside",
        None,
    ),
    "gaps": (lambda f: put(put(f, "age", None), "fee", None, 30), "2 columns have gaps: 'age' 5.0 %", None),
    "gaps together": (lambda f: put(put(f, "age", None), "fee", None), "'age' and 'fee' are missing in the same", None),
    "999": (lambda f: put(f, "age", 999), "'age' is 999 in 15 rows (5.0 %)", "--missing age=999"),
    "-1": (lambda f: put(f, "age", -1), "'age' is -1 in 15 rows", "--missing age=-1"),
    "1900": (lambda f: put(f, "joined", LONG_AGO), "'joined' is 1900-01-01", "--missing joined=1900-01-01"),
    "a word": (lambda f: put(f, "plan", "Unknown"), "'plan' is Unknown in 15", "--missing plan=Unknown"),
    "the same": (lambda f: f.assign(code=f["plan"].map(len)), "'code' says the same as 'plan'", "--drop code"),
    "spelling": (lambda f: put(f, "plan", " Basic"), "capitals or blanks only", "--tidy"),
}  # fmt: skip


def test_columns_of_which_every_row_has_its_own_value_are_not_the_same_for_that():
    """An amount is no copy of a date because no two rows share either; what comes in the same order is."""
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.permutation(200), unit="D")
    amount = rng.normal(size=200)
    frame = pd.DataFrame({"day": days, "amount": amount, "paid": days + pd.Timedelta(days=2), "owed": 5 - 2 * amount})
    found = [one["sentence"] for one in first_look(as_table(KnownColumns(0, None), frame, reset=True), np.zeros(200))]
    assert found == [
        "'paid' says the same as 'day' in every row",
        "'owed' says the same as 'amount' in every row",
    ]


def test_few_repeats_among_columns_of_few_values_are_chance():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.integers(0, 60, 1200), "b": rng.integers(0, 60, 1200), "c": rng.integers(0, 9, 1200)}
    )
    assert frame.duplicated().sum() > 5
    assert first_look(as_table(KnownColumns(0, None), frame, reset=True), np.zeros(1200)) == []


@pytest.mark.parametrize("kind", DIRT)
def test_each_kind_of_dirt_is_seen_and_nothing_else(kind):
    make, sentence, fix = DIRT[kind]
    frame = make(clean())
    found = first_look(as_table(KnownColumns(0, None), frame, reset=True), np.zeros(len(frame)))
    if sentence is None:
        assert found == []
        return
    assert any(sentence in one["sentence"] and one["fix"] == fix for one in found), found
    assert len([one for one in found if "gaps" not in one["sentence"]]) <= 1


def test_classes_that_are_spelt_in_several_ways_are_told_first(tmp_path, monkeypatch):
    """By the page, in the terminal and by ``fit``; and the option makes one of them."""
    monkeypatch.chdir(tmp_path)
    frame = clean(170)
    frame["left"] = [("Yes", "YES ", "no", "No")[2 * (p == "plus") + i % 2] for i, p in enumerate(frame["plan"])]
    put(frame, "left", None, 50).to_csv("t.csv", index=False)
    told = (
        "“left” has classes that differ by capitals or blanks only ('No', 'no'; 'YES', 'Yes'), and each counts as one "
        "of its own: --tidy makes them one."
    )
    report = Report("t.csv", "left", quick=True)
    assert report.facts["rows"][0] == told
    assert told in report.to_text()
    learned = CliRunner().invoke(app, ["fit", "t.csv", "-t", "left", "--model", "junta", "-o", "m.json"])
    assert learned.stdout.startswith(f"4 rows without a target left out\n{told}\n")
    mended = Report("t.csv", "left", quick=True, tidy=True)
    assert [one["label"] for one in mended.facts["target"]["classes"]] == ["no", "yes"]
    assert mended.facts["rows"] == []


def test_the_options_mend_what_is_seen(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = put(put(put(clean(170), "age", 999, 11), "plan", " Basic", 7), "joined", pd.Timestamp("1900-01-01"), 13)
    frame = pd.concat([frame, frame[:20]]).assign(copy=lambda f: "plan " + f["plan"].str.strip())
    frame["left"] = np.where(frame["plan"].str.strip().str.lower() == "basic", "Yes", "no")
    frame.to_csv("t.csv", index=False)
    seen = Report("t.csv", "left", quick=True).facts["seen"]
    fixes = " ".join(one["fix"] for one in seen if one["fix"]).split()
    assert set(fixes) >= {"--tidy", "--drop-repeats", "age=999", "joined=1900-01-01", "copy"}
    learned = CliRunner().invoke(app, ["fit", "t.csv", "-t", "left", "--model", "graph", "-o", "m.json", *fixes])
    assert learned.exit_code == 0, learned.stderr
    model = load("m.json")
    assert {column.name for column in model.columns} == {"plan"}
    assert model.columns[0].levels == ("basic", "plus")
    pd.DataFrame({"age": ["999", "40"], "plan": ["BASIC ", "plus"]}).to_csv("next.csv", index=False)
    said = CliRunner().invoke(app, ["predict", "m.json", "next.csv"])
    assert said.stdout.split() == ['"prediction"', '"yes"', '"no"']


@pytest.mark.parametrize(("value", "seen"), [("{}/{}", True), ("{} x {}", True), ("{}-{}", False), ("{}", False)])
def test_two_numbers_in_one_value_are_said(value, seen):
    rng = np.random.default_rng(0)
    pressure = [value.format(a, b) for a, b in rng.integers(60, 180, (200, 2))]
    table = as_table(KnownColumns(0, None), pd.DataFrame({"pressure": pressure, "x": rng.random(200)}), reset=True)
    found = [one["sentence"] for one in first_look(table, np.zeros(200)) if "two numbers" in one["sentence"]]
    assert len(found) == seen
    if seen:
        assert found[0].startswith("'pressure' holds two numbers in one value ('")


def test_equal_rows_have_equal_hashes_and_others_do_not():
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 3, (2000, 6))
    hashes = row_hashes([read_raw(column, "x") for column in matrix.T])
    assert len(np.unique(hashes)) == len(np.unique(matrix, axis=0))
    table = as_table(KnownColumns(0, None), pd.DataFrame(matrix), reset=True)
    assert without_repeats_of(table).n_rows == len(np.unique(matrix, axis=0))


# ---- what is set aside ----

N = 200
ASIDE = {
    "customer_id": (np.random.default_rng(0).permutation(N) * 13, "an id or key: 200 different whole numbers"),
    "orderNr": (np.random.default_rng(0).permutation(N) * 13, "an id or key"),
    "row": (np.arange(N) + 1000, "an id or key"),
    "uuid": ([f"{i * 7919:08x}" for i in range(N)], "an id or key: 200 different ones in 200 rows"),
    "notes": ([f"said {i} was fine, again" for i in range(N)], "free text: 200 different ones"),
    "when": ([f"2024-01-{i % 28 + 1:02d} 10:{i // 28:02d}" for i in range(N)], "dates as text ('2024-01-01 10:00')"),
    "salary": (np.random.default_rng(1).permutation(60_000)[:N], None),
    "income": (np.random.default_rng(1).normal(size=N), None),
    "week": (np.arange(N), None),
    "plan": (["a", "b"] * (N // 2), None),
    "group_id": (np.arange(N) // 4, None),
    "town": ([f"town {i % 30}" for i in range(N)], None),
}


@pytest.mark.parametrize("name", ASIDE)
def test_what_only_tells_rows_apart_is_set_aside(name):
    values, why = ASIDE[name]
    frame = pd.DataFrame({name: values, "other": [0, 1] * (N // 2)})
    domain = BooleanEncoder().fit(frame).domain_
    assert (name in domain.column_names) == (why is None)
    assert why is None or dict(domain.dropped)[name].startswith(why)


def test_numbers_without_names_are_taken_as_they_are():
    assert BooleanEncoder().fit(np.arange(400).reshape(200, 2)).domain_.dropped == ()
    assert why_set_aside(Numbers(np.arange(200.0)), None) is None


@pytest.mark.usefixtures("all_trees")
def test_the_customers_page_names_what_was_planted(tmp_path):
    """Without an option: the interaction and the dates are named, ids and notes are set aside."""
    made = make_customers(2000, random_state=0, as_frame=True)
    made.data.assign(churn=made.target).to_csv(tmp_path / "churn.csv", index=False)
    facts = Report(tmp_path / "churn.csv", "churn", quick=True).facts
    assert {column["name"] for column in facts["dropped"]} == {"customer_id", "notes"}
    terms = " ".join(term["name"] for term in facts["terms"]["terms"])
    assert "plan=basic XOR support_calls>2" in terms or "support_calls>2 XOR plan=basic" in terms
    assert "days from signup_date to last_login" in terms
    score = {row["role"]: row["value"] for row in facts["comparison"]}
    assert score["model"] >= max(score["boosting"], score["linear"]) - 0.01
    assert "“customer_id” and “notes” were set aside" in facts["sentences"][0]
