"""The final exam: what rows held out promise holds as often as it says, and the page keeps such rows and says so."""

import numpy as np
import pandas as pd
import pytest
from registry import ESTIMATORS
from sklearn.base import clone, is_classifier, is_regressor

from paclearn import Report
from paclearn.certificates import calibration_exam, clopper_pearson, error_interval
from paclearn.datasets import make_junta
from paclearn.report.kept_aside import _drawn, keep_aside
from paclearn.report.report_options import Limits, ReportOptions
from paclearn.report.subject import Subject
from paclearn.tables.row_roles import RowRoles
from paclearn.tables.table import KnownColumns, as_table

HOLDING_OUT = [model for model in ESTIMATORS if "holdout" in model.get_params()]


def named(model):
    return type(model).__name__


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_intervals_for_an_error_hold_it_as_often_as_they_say(share):
    """Errors are even in [0, 1], so that the error that a share of rows stays below is the share itself."""
    rng = np.random.default_rng(0)
    found = [error_interval(rng.random(60), share, 0.1) for _ in range(2000)]
    missed = np.mean([not one.low <= share <= one.high for one in found])
    assert missed <= 0.1 + 3 * np.sqrt(0.09 / 2000)
    assert missed > 0.03  # and they are no wider than they must be
    assert error_interval(rng.random(3), 0.9, 0.05).high == np.inf
    assert "too few" in str(error_interval(rng.random(3), 0.9, 0.05))


def test_the_calibration_bound_holds_as_often_as_it_says():
    rng, failed = np.random.default_rng(0), 0
    for _ in range(400):
        said = rng.choice([0.05, 0.15, 0.45, 0.7, 0.95], 150)
        true = np.clip(said + 0.1 * (said > 0.5), 0, 1)  # somewhat too low above a half
        found = calibration_exam(said, rng.random(150) < true, 0.2)
        failed += found.bound < np.abs(said - true).mean()
        assert found.observed <= found.bound
    assert failed / 400 <= 0.2


@pytest.mark.parametrize("model", HOLDING_OUT, ids=named)
def test_estimators_tell_how_their_exam_went(model):
    data = make_junta(160, n_columns=4, k=2, random_state=0)
    fitted = clone(model).set_params(holdout=0.25)
    if is_classifier(model):
        (found,) = fitted.fit(data.data, data.target).exam_
        assert (found.quantity, found.n_rows) == ("calibration error", 40)
        assert "%" in str(found)
    elif is_regressor(model):
        half, most = fitted.fit(data.data, data.target.astype(float)).exam_
        errors = np.abs(fitted.predict(data.data) - data.target)[fitted.heldout_rows_]
        assert half.observed == pytest.approx(np.median(errors))
        assert (half.share, most.share) == (0.5, 0.9)
        assert half.high <= most.high
    assert fitted.set_params(holdout=None).fit(data.data, data.target.astype(float)).exam_ == ()


# ---- of the page ----


def table_of(n, noise, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 3, (n, 4)), columns=list("abcd"))
    wrong = rng.random(n) < noise
    return frame, np.where((frame["a"] == frame["b"]) ^ wrong, "yes", "no").astype(object)


def subject_of(n, roles=None):
    frame, y = table_of(n, 0.1)
    table = as_table(KnownColumns(0, None), frame, reset=True)
    return Subject(table, y, "y", True, ReportOptions(), Limits.of(n, 4, 2, quick=True), roles or RowRoles())


def test_a_fifth_is_kept_and_nothing_learns_from_it():
    exam = keep_aside(subject_of(1000))
    assert (exam.kept.table.n_rows, exam.learned.table.n_rows) == (200, 800)
    groups = np.arange(1000) // 10
    of_groups = keep_aside(subject_of(1000, RowRoles(groups=groups)))
    assert not set(of_groups.kept.roles.groups) & set(of_groups.learned.roles.groups)
    assert len(set(of_groups.kept.roles.groups)) == 20


def test_a_fifth_of_every_class_is_kept():
    """Of 78 frauds in 6000 rows an exam by chance alone once had 24."""
    rng = np.random.default_rng(0)
    frame, y = table_of(6000, 0.1)
    y[rng.permutation(6000)[:78]] = "fraud"
    table = as_table(KnownColumns(0, None), frame, reset=True)
    limits = Limits.of(6000, 4, 3, quick=True)
    for seed in range(10):
        options = ReportOptions(seed=seed)
        exam = keep_aside(Subject(table, y, "y", True, options, limits, RowRoles()))
        assert exam.kept.table.n_rows == 1200
        for kind in np.unique(y):
            assert abs((exam.kept.y == kind).sum() - (y == kind).sum() / 5) < 1
        groups = RowRoles(groups=np.arange(6000) // 4)
        exam = keep_aside(Subject(table, y, "y", True, options, limits, groups))
        rare = [len(np.unique(part.roles.groups[part.y == "fraud"])) for part in (exam.kept, exam.learned)]
        assert abs(rare[0] - sum(rare) / 5) < 1


def test_each_row_is_kept_as_often_as_any_other_and_the_promise_holds():
    """Classes that a model follows are as frequent in its exam as where it learned; the bound keeps its word."""
    rng, times, missed = np.random.default_rng(0), np.zeros(60), 0
    for seed in range(1000):
        y = (rng.random(60) < 0.5).astype(np.intp)
        kept = np.zeros(60, dtype=bool)
        kept[_drawn(y, np.random.RandomState(seed))] = True
        times += kept
        said = int(y[~kept].mean() > 0.5)  # the more frequent class: wrong half of the time
        missed += clopper_pearson((y[kept] != said).sum(), 12, 0.1).bound < 0.5
    assert np.abs(times - 200).max() < 60
    assert missed / 1000 < 0.1


@pytest.mark.parametrize(
    ("n", "roles", "why"),
    [
        (199, None, "199 rows are too few"),
        (300, RowRoles(times=np.arange(300.0)), "follow each other in time"),
        (300, RowRoles(groups=np.arange(300) // 100), "3 groups are too few"),
    ],
)
def test_where_nothing_is_kept_it_says_why(n, roles, why):
    exam = keep_aside(subject_of(n, roles))
    assert exam.kept is None
    assert why in exam.why
    assert exam.learned.table.n_rows == n


def test_the_page_promises_what_its_exam_says():
    frame, y = table_of(1000, 0.05)
    report = Report(frame.assign(y=y), "y", quick=True, n_jobs=1)
    facts, page = report.facts, report.to_html()
    promise, exam = facts["certificate"], facts["exam"]
    assert (exam["rows"], exam["learned"], promise["n_rows"]) == (200, 800, 200)
    wrong = round(promise["observed"] * 200)
    assert promise["bound"] == pytest.approx(clopper_pearson(wrong, 200, 0.045).bound)
    assert promise["bound"] < 0.12
    assert f"wrong on {wrong} of them" in exam["sentences"][1]
    assert facts["sentences"][-1].startswith("In a final exam on 200 rows that no model of this page has seen")
    assert "learned from the other 800" in page
    assert 0 <= exam["calibration"]["observed"] <= exam["calibration"]["bound"] < 0.3
    assert 0 < facts["what_if"]["margin"] < 1


def test_the_page_promises_how_far_numbers_are_off():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, (500, 3)), columns=list("abc")).astype(float)
    frame["y"] = frame["a"] + 2 * frame["b"] + rng.uniform(-0.5, 0.5, 500)
    facts = Report(frame, "y", quick=True, n_jobs=1).facts
    promise = facts["certificate"]
    assert promise["quantity"] == "absolute error of nine rows in ten"
    assert 0.4 < promise["observed"] < promise["bound"] < 0.6
    assert "Half of them are off by at most" in facts["exam"]["sentences"][1]
    assert "nine of ten numbers" in facts["sentences"][-1]


def test_a_page_of_few_rows_says_that_there_was_no_exam():
    frame, y = table_of(150, 0.05)
    report = Report(frame.assign(y=y), "y", quick=True, n_jobs=1)
    assert report.facts["exam"]["rows"] == 0
    assert report.facts["what_if"]["margin"] is None
    assert "No final exam:</strong> 150 rows are too few" in report.to_html()
    assert "No rows were kept for a final exam" in report.facts["sentences"][-1]
