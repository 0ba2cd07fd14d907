"""Columns that give the answer away are named; columns that are merely good are not."""

from types import SimpleNamespace

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from paclearn.cli.app import app
from paclearn.cli.fit_command import _how_to_promise_more
from paclearn.report.leaks import find_leaks
from paclearn.report.report_options import Limits, ReportOptions
from paclearn.report.subject import Subject
from paclearn.tables.table import FrameTable


def customers(n, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"plan": rng.choice(["a", "b", "c"], n), "calls": rng.integers(0, 9, n), "fee": rng.gamma(2, 9, n)}
    )
    risk = -2 + 0.4 * frame.calls + (frame.plan == "a")
    return frame, np.where(rng.random(n) < 1 / (1 + np.exp(-risk)), "left", "stayed"), rng


def leaks_of(frame, y, *, classify=True):
    table = FrameTable.of(nw.from_native(frame))
    subject = Subject(table, np.asarray(y), "churn", classify, ReportOptions(), Limits.of(len(y), 4, 2, quick=True))
    return find_leaks(subject)


def test_no_leak_no_alarm():
    frame, y, _ = customers(800)
    assert leaks_of(frame, y) == []


@pytest.mark.parametrize("how", ["code", "gaps", "noisy", "number"])
def test_a_planted_leak_is_named(how):
    frame, y, rng = customers(800)
    left = y == "left"
    planted = {
        "code": np.where(left, rng.choice(["C1", "C2"], 800), "none"),
        "gaps": np.where(left, rng.choice([f"2024-{m:02}" for m in range(1, 13)], 800), None),
        "noisy": np.where(rng.random(800) < 0.02, ~left, left),
        "number": left * 5.0 + rng.uniform(0, 1, 800),
    }[how]
    (leak,) = leaks_of(frame.assign(cancel_code=planted), y)
    assert leak["column"] == "cancel_code"
    assert leak["alone"] > 0.95 > leak["without"]
    assert "--drop cancel_code" in leak["sentence"]
    assert leak["by_gaps"] == (how == "gaps")


def test_who_brings_a_single_column_asks_what_it_says():
    rng = np.random.default_rng(0)
    x = rng.random(400)
    y = np.where((x > 0.6) ^ (rng.random(400) < 0.02), "a", "b")
    assert leaks_of(pd.DataFrame({"x": x, "constant": "c"}), y) == []
    assert len(leaks_of(pd.DataFrame({"x": x, "noise": rng.random(400)}), y)) == 1


def test_of_two_leaks_both_are_left_out_for_what_the_others_say():
    frame, y, _ = customers(600)
    found = leaks_of(frame.assign(state=np.where(y == "left", 2, 1), code=np.where(y == "left", "L", "S")), y)
    assert {leak["column"] for leak in found} == {"state", "code"}
    assert all("without “state” and “code” a model of the others is right on" in leak["sentence"] for leak in found)


def test_a_rare_class_has_leaks_too():
    rng = np.random.default_rng(0)
    fraud = rng.random(4000) < 0.015
    frame = pd.DataFrame({"amount": rng.gamma(2, 50, 4000), "blocked": np.where(fraud, "yes", "no")})
    (leak,) = leaks_of(frame, np.where(fraud, "fraud", "fine"))
    assert leak["column"] == "blocked"


def test_numbers_have_leaks_too():
    frame, _, rng = customers(1000)
    price = 3.0 * frame.fee + rng.normal(0, 60, 1000)
    (leak,) = leaks_of(frame.assign(invoice=price * 1.19), price.to_numpy(), classify=False)
    assert leak["column"] == "invoice"
    assert leaks_of(frame, price.to_numpy(), classify=False) == []


def test_a_column_that_others_replace_is_no_leak():
    """What is as good without it was not given away by it."""
    frame, y, rng = customers(800)
    left = y == "left"
    frame["smell"] = np.where(rng.random(800) < 0.03, ~left, left)
    frame["spores"] = np.where(rng.random(800) < 0.01, ~left, left)
    frame["gills"] = np.where(rng.random(800) < 0.04, ~left, left)
    assert {leak["column"] for leak in leaks_of(frame, y)} <= {"smell", "spores", "gills"}
    frame["all"] = left
    assert "all" in {leak["column"] for leak in leaks_of(frame, y)}


def test_few_rows_and_a_single_column():
    frame, y, _ = customers(30)
    assert leaks_of(frame, y) == []
    frame, y, _ = customers(200)
    (leak,) = leaks_of(pd.DataFrame({"churned": y == "left"}), y)
    assert leak["column"] == "churned"
    assert "without" not in leak["sentence"]


def test_fit_warns_as_the_page_does(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, y, _ = customers(300)
    frame.assign(**{"cancel code": np.where(y == "left", "C7", None), "churn": y}).to_csv("t.csv", index=False)
    order = ["fit", "t.csv", "--target", "churn", "--model", "junta", "-k", "1"]
    told = CliRunner().invoke(app, order).stdout.splitlines()[0]
    assert told.startswith("“cancel code” alone, by whether it is filled in, answers nearly everything (100.0 %)")
    assert told.endswith("drop it: --drop 'cancel code'")
    as_json = CliRunner().invoke(app, [*order, "--json"])
    assert told in as_json.stderr
    assert told not in as_json.stdout
    assert "nearly everything" not in CliRunner().invoke(app, [*order, "--drop", "cancel code"]).output


@pytest.mark.parametrize(("rows", "hinted"), [(9, False), (80, True)])
def test_rows_aside_are_not_advised_where_there_are_few(rows, hinted):
    about = SimpleNamespace(certificate={"vacuous": True, "n_rows": rows})
    assert bool(_how_to_promise_more(SimpleNamespace(about=about), {})) is hinted
