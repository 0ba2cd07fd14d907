"""Groups, times and weights of a table: on the page, in the terminal, and where they cannot be used, one clear line."""

import json

import numpy as np
import pandas as pd
import pytest
from cli.test_cli import paclearn
from report.test_report import facts_of, subject_of

from paclearn import Report, SpectralClassifier
from paclearn.datasets import make_visits
from paclearn.report.compare import judge, mean_and_error
from paclearn.report.drift import drift_of
from paclearn.report.likeness import agreement, find_likeness
from paclearn.report.shared_folds import Folds
from paclearn.tables.row_roles import RoleNames, RowRoles, read_roles
from paclearn.tables.table import KnownColumns, as_table
from paclearn.tables.target import read_target_column


@pytest.fixture(scope="module")
def visits():
    bunch = make_visits(100, 6, as_frame=True, random_state=0)
    return bunch.data.assign(flare=bunch.target)


# ---- groups ----

FEW = ["smoker", "blood", "weekday"]  # of which pages are quickly made


def test_the_page_of_groups_is_about_new_ones(visits):
    report = Report(visits[[*FEW, "patient", "flare"]], "flare", group="patient", max_k=1, quick=True, n_jobs=1)
    facts = report.facts
    model = facts["comparison"][0]
    new = make_visits(400, 6, as_frame=True, random_state=1)
    truly = SpectralClassifier(random_state=0).fit(visits[FEW], visits.flare, groups=visits.patient)
    right = float((truly.predict(new.data[FEW]) == new.target).mean())
    assert 0.6 < model["value"] < 0.8
    assert abs(model["value"] - right) < 0.15  # a hundred patients: a standard error of five points
    assert model["high"] - model["low"] > 0.1  # a hundred patients, and not six hundred visits
    assert (facts["validation"]["groups"], facts["exam"]["groups"]) == (80, 20)
    assert "(100 of them)" in facts["rows"][0]
    assert facts["certificate"]["unit"] == "groups"
    assert "patient" not in {column["name"] for column in facts["columns"]}
    assert "group='patient'" in facts["about"]["command"]
    assert facts["likeness"] == []
    assert any("100 of them" in sentence for sentence in facts["sentences"])
    assert "kept together" in report.to_text()
    assert "All rows of one" in report.to_html()


def test_without_a_group_the_page_warns(visits):
    (found,) = find_likeness(subject_of(visits.drop(columns="flare"), visits.flare.to_numpy(dtype=object)))
    assert found["column"] == "patient"
    assert found["shuffled"] > 0.85
    assert found["apart"] < 0.75
    assert found["sentence"].endswith("--group patient")


def test_the_page_says_groups_and_not_leak(visits):
    """A name that tells nearly everything is no column that was filled in afterwards."""
    report = Report(visits[[*FEW, "patient", "flare"]], "flare", max_k=1, quick=True, n_jobs=1)
    assert [one["column"] for one in report.facts["likeness"]] == ["patient"]
    assert report.facts["leaks"] == []
    assert report.facts["comparison"][0]["value"] > 0.85
    assert "--group patient" in report.to_text()
    assert "--group patient" in report.to_html()


QUIET = {
    "the id is gone": lambda f, rng: f.drop(columns="patient"),
    "every row its own": lambda f, rng: f.assign(patient=[f"p{i}" for i in range(len(f))]),
    "names at random": lambda f, rng: f.assign(patient=rng.permutation(f.patient.to_numpy())),
    "few values": lambda f, rng: f.assign(patient=f.smoker),
}


@pytest.mark.parametrize("how", QUIET)
def test_columns_that_are_no_groups_are_not_named(how, visits):
    frame = QUIET[how](visits[["patient", "pulse", *FEW]], np.random.default_rng(0))
    assert find_likeness(subject_of(frame, visits.flare.to_numpy(dtype=object))) == []


def test_a_quantity_is_no_group():
    """Rows of one elevation are alike, and so are those of the next one."""
    rng = np.random.default_rng(0)
    height = rng.integers(0, 80, 1500)
    frame = pd.DataFrame(
        {"height": height, "trees": height // 20, "snow": (height > 55) * 1, "x": rng.normal(size=1500)}
    )
    y = np.array(["a", "b", "c"], dtype=object)[np.clip((height + rng.normal(0, 4, 1500)) // 27, 0, 2).astype(int)]
    assert find_likeness(subject_of(frame, y)) == []


def test_agreement_is_nought_by_chance_and_one_where_all_agree():
    rng = np.random.default_rng(0)
    groups, codes = np.repeat(np.arange(400), 5), rng.integers(0, 4, 2000)
    assert abs(agreement(groups, codes)) < 0.05
    assert agreement(groups, rng.integers(0, 4, 400)[groups]) == pytest.approx(1.0)


def test_the_interval_of_groups_counts_groups():
    rng = np.random.default_rng(0)
    groups, truth = np.repeat(np.arange(50), 20), np.zeros(1000)
    said = np.repeat(rng.random(50) < 0.3, 20).astype(float)
    by_rows, by_groups = (judge(said, truth, classify=True, roles=RowRoles(groups=g)) for g in (None, groups))
    assert by_groups["value"] == by_rows["value"]
    assert by_groups["high"] - by_groups["low"] > 3 * (by_rows["high"] - by_rows["low"])
    once = mean_and_error(said[::20], RowRoles())
    np.testing.assert_allclose(mean_and_error(said, RowRoles(groups=groups)), (once[0], once[1] * np.sqrt(50 / 49)))


# ---- time ----


def changing(n, *, changes, seed=0):
    """What x means turns round after three quarters of the time, or does not."""
    rng = np.random.default_rng(seed)
    day = np.sort(rng.integers(0, 700, n))
    x, b = rng.choice(["p", "q"], n), rng.integers(-1, 2, n)
    sign = np.where(changes & (day > 525), -1, 1)
    y = np.where(sign * np.where(x == "p", 2.0, -2.0) + b + rng.logistic(size=n) > 0, "yes", "no").astype(object)
    dates = pd.to_datetime("2023-01-01") + pd.to_timedelta(day, unit="D")
    return pd.DataFrame({"day": dates, "x": x, "b": b, "y": y}).sample(frac=1, random_state=seed, ignore_index=True)


@pytest.mark.parametrize("changes", [True, False])
def test_drift_is_seen_where_there_is_some(changes):
    frame = changing(1500, changes=changes)
    table = as_table(KnownColumns(0, None), frame, reset=True)
    target, roles = read_roles(table, RoleNames(time="day"), read_target_column(table.column(3), "y"))
    columns = as_table(KnownColumns(0, None), frame[["x", "b"]], reset=True)
    drift = drift_of("day", columns, target, roles, lambda: SpectralClassifier(degree=1, n_bins=4, random_state=0), 0)
    assert drift["clearly"] == changes
    assert drift["since"].startswith("2024-0")
    assert 350 < drift["rows"] < 400
    assert (drift["worse"] > 0.2) == changes
    assert ("changes with time" in drift["sentence"]) == changes


def test_the_page_of_a_time_is_about_the_last_rows():
    facts = facts_of(changing(600, changes=True), "y", time="day", max_k=1)
    assert facts["drift"]["clearly"]
    assert facts["comparison"][0]["value"] == facts["drift"]["past"] < 0.5
    assert facts["comparison"][0]["rows"] == facts["drift"]["rows"] == facts["validation"]["asked"]
    assert facts["drift"]["sentence"] in facts["sentences"]
    assert {column["name"] for column in facts["columns"]} == {"x", "b"}


def test_rows_of_a_moment_and_of_a_group_are_on_one_side():
    times, groups = np.array([1.0, 1, 2, 3, 3, 3, 4, 4]), np.array([0, 1, 1, 2, 3, 2, 3, 0])
    rows = {"table": None, "y": np.zeros(8), "number": np.zeros(8, dtype=np.intp), "classify": False}
    assert Folds(**rows, roles=RowRoles(times=times)).by_time(0.4).asked.tolist() == [3, 4, 5, 6, 7]
    by_group = Folds(**rows, roles=RowRoles(groups, times)).by_time(0.4)
    assert set(groups[by_group.asked]) & set(groups[by_group.number < 0]) == set()
    with pytest.raises(ValueError, match="every group has rows of the last moment"):
        Folds(**rows, roles=RowRoles(groups, np.full(8, 2.0) + 0 * times)).by_time(0.4)


# ---- weights ----


def test_a_row_of_weight_three_is_three_rows_on_the_page():
    frame = changing(200, changes=False).drop(columns="day").assign(w=np.random.default_rng(0).integers(0, 4, 200))
    weighted = facts_of(frame, "y", weight="w", max_k=1)
    repeated = facts_of(frame.loc[np.repeat(frame.index, frame.w)].drop(columns="w"), "y", max_k=1)
    assert weighted["source"]["rows"] == int((frame.w > 0).sum())
    for one, other in zip(weighted["terms"]["terms"][:2], repeated["terms"]["terms"][:2], strict=True):
        assert one["name"] == other["name"]
    assert abs(weighted["comparison"][-1]["value"] - repeated["comparison"][-1]["value"]) < 0.02
    assert any("Rows count by “w”" in sentence for sentence in weighted["sentences"])


# ---- the command line, and what is refused ----


@pytest.fixture
def file(tmp_path):
    frame = changing(160, changes=False)
    rng = np.random.default_rng(0)
    some = rng.random(160) < 0.1
    frame = frame.assign(who=rng.integers(0, 20, 160), w=rng.integers(1, 3, 160), one="same", minus=-1)
    frame = frame.assign(gap=np.where(some, np.nan, 1), two=np.where(frame.x == "p", "a", "b"))
    frame["word"] = [f"w{i % 7}" for i in range(160)]
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_fit_keeps_groups_together_and_examines_by_time(file, tmp_path):
    roles = ("--group", "who", "--time", "day", "--weight", "w")
    asked = ("--model", "junta", "-k", 1, "--holdout", 0.3, "--drop", "gap", "-o", "m.json")
    done = paclearn("fit", file, "-t", "y", *roles, *asked, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "rows of new groups, averaged over groups" in done.stdout
    assert "The model that is saved has learned from all rows" in done.stdout
    written = json.loads((tmp_path / "m.json").read_text())
    assert written["certificate"]["unit"] == "groups"
    assert not {"who", "day", "w"} & set(written["feature_names"])


@pytest.mark.parametrize("command", ["discover", "rules", "select"])
def test_other_commands_take_weights(command, tmp_path):
    """A row of weight nought is not there, whatever it says."""
    frame = changing(160, changes=False).drop(columns="day").assign(w=1)
    frame.drop(columns="w").to_csv(tmp_path / "plain.csv", index=False)
    pd.concat([frame, frame.assign(y=frame.y.map({"yes": "no", "no": "yes"}), w=0)]).to_csv(
        tmp_path / "weighted.csv", index=False
    )
    plain, weighted = (
        paclearn(command, tmp_path / f"{name}.csv", "-t", "y", "--json", *more)
        for name, more in (("plain", ()), ("weighted", ("--weight", "w")))
    )
    assert plain.returncode == weighted.returncode == 0, weighted.stderr
    assert [line for line in plain.stdout.splitlines() if '"q"' not in line] == [
        line for line in weighted.stdout.splitlines() if '"q"' not in line
    ]


REFUSED = {
    ("--group", "whom"): "there is no column 'whom'; did you mean 'who'?",
    ("--group", "one"): "the group 'one' holds one group only (same in all 160 rows)",
    ("--group", "gap"): "the group 'gap' is missing in",
    ("--group", "two"): "the group 'two' has 2 different values; a page needs 3",
    ("--group", "y"): "the target 'y' cannot be the group as well",
    ("--weight", "minus"): "the weight 'minus' is negative in 160 of 160 rows (first: row 0)",
    ("--weight", "gap"): "the weight 'gap' is missing in",
    ("--weight", "x"): "the weight 'x' holds text; weights are numbers, 0 or more",
    ("--time", "word"): "the time 'word' holds text such as 'w0', which is neither a date nor a number",
    ("--time", "minus"): "the time 'minus' is the same in all 160 rows; there is no past to learn from",
    ("--time", "gap"): "the time 'gap' is missing in",
}


@pytest.mark.parametrize("asked", REFUSED)
def test_what_cannot_be_a_role_is_refused(asked, file):
    done = paclearn("report", file, "-t", "y", *asked, "--quick")
    assert done.returncode == 2
    assert REFUSED[asked] in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2  # one for how the file was read


def test_text_of_a_data_frame_may_be_dates():
    frame = pd.DataFrame({"t": ["2024-01-03", "2024-02-01", "2023-12-31"], "y": ["a", "b", "a"]})
    table = as_table(KnownColumns(0, None), frame, reset=True)
    _, roles = read_roles(table, RoleNames(time="t"), read_target_column(table.column(1), "y"))
    assert np.argsort(roles.times).tolist() == [2, 0, 1]
    assert roles.time_in_words(roles.times[0]) == "2024-01-03"
