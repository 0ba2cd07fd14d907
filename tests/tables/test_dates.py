"""What dates say is what Python's calendar says, whatever library holds them; and nothing is lost on the way."""

import datetime as dt
import pickle
import re
import sqlite3

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from paclearn import (
    BooleanEncoder,
    FourierSelector,
    JuntaClassifier,
    RegressionGraphClassifier,
    RegressionGraphRegressor,
    SpectralClassifier,
)
from paclearn.encoding import BinColumn, LevelColumn
from paclearn.encoding.conditions import condition
from paclearn.encoding.date_columns import WEEKDAYS, DatePart, parts_of_table
from paclearn.exceptions import ColumnError, InputError, ModelFileError
from paclearn.export import from_json, to_json, to_python, to_sql
from paclearn.tables.raw import Labels
from paclearn.tables.table import KnownColumns, as_table
from paclearn.views.effect_pictures import effect_facts


def moments(n=400, seed=0):
    rng = np.random.default_rng(seed)
    seconds = rng.integers(-5_000_000_000, 5_000_000_000, n)
    found = [dt.datetime(1970, 1, 1) + dt.timedelta(seconds=int(s)) for s in seconds]
    found[:4] = [dt.datetime(2000, 2, 29), dt.datetime(1900, 2, 28, 23, 59, 59), dt.datetime(2024, 12, 31), None]
    return found


def naive(part, one, other=None):
    """By Python's calendar."""
    if one is None or (part == "days between" and other is None):
        return None
    if part == "days between":
        return (other - one).total_seconds() / 86400
    return WEEKDAYS[one.weekday()] if part == "weekday" else float(getattr(one, part))


def values(raw):
    if isinstance(raw, Labels):
        return [None if code < 0 else raw.labels[code] for code in raw.codes]
    return [None if np.isnan(v) else float(v) for v in raw.values]  # noqa: PD011


LIBRARIES = {
    "pandas": lambda c: pd.DataFrame({n: pd.Series(v, dtype="datetime64[us]") for n, v in c.items()}),
    "pandas, objects": lambda c: pd.DataFrame({n: pd.Series(v, dtype=object) for n, v in c.items()}),
    "pandas, a zone": lambda c: LIBRARIES["pandas"](c).apply(lambda s: s.dt.tz_localize("Etc/GMT-3")),
    "polars": pl.DataFrame,
    "polars, a zone": lambda c: pl.DataFrame(c).with_columns(pl.all().dt.replace_time_zone("Etc/GMT-3")),
    "pyarrow": pa.table,
    "numpy": lambda c: np.array([*c.values()], dtype="datetime64[s]").T,
}  # fmt: skip


@pytest.mark.parametrize("library", LIBRARIES)
def test_parts_are_those_of_pythons_calendar(library):
    columns = {"x0": moments(), "x1": moments(seed=1)}
    table = as_table(KnownColumns(0, None), LIBRARIES[library](columns), reset=True)
    found = {name: values(raw) for name, raw in parts_of_table(table)}
    for part in ("year", "month", "weekday", "hour"):
        assert found[f"{part} of x0"] == [naive(part, m) for m in columns["x0"]]
    first = min(m for m in columns["x0"] if m is not None).date()
    midnight = dt.datetime.combine(first, dt.time())
    since = [None if m is None else (m - midnight).total_seconds() / 86400 for m in columns["x0"]]
    assert found["x0"] == pytest.approx(since, abs=1e-12)
    (name,) = [name for name in found if name in {"days from x0 to x1", "days from x1 to x0"}]
    order = ["x0", "x1"] if name.startswith("days from x0") else ["x1", "x0"]
    pairs = zip(*(columns[n] for n in order), strict=True)
    assert found[name] == pytest.approx([naive("days between", a, b) for a, b in pairs], abs=1e-12)


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    n = 1001  # judged by three folds: fewer rows take fifteen
    joined = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 1000, n), unit="D")
    seen = pd.Series(joined + pd.to_timedelta(rng.integers(0, 300, n), unit="D"))
    seen[rng.random(n) < 0.1] = pd.NaT
    return pd.DataFrame({"joined": joined, "plan": rng.choice(["a", "b"], n), "seen": seen})


def target(frame):
    soon = (frame["seen"] - frame["joined"]).dt.days < 100
    return np.where(soon ^ (frame["plan"] == "a"), "left", "stayed")


def test_a_model_names_the_days_between_two_dates(frame):
    model = SpectralClassifier(max_terms=6, random_state=0).fit(frame, target(frame))
    assert "days from joined to seen" in model.to_text()
    assert model.score(frame, target(frame)) > 0.97
    assert pickle.loads(pickle.dumps(model)).score(frame, target(frame)) == model.score(frame, target(frame))
    assert model.feature_names_in_.tolist() == ["joined", "plan", "seen"]
    assert model.n_features_in_ == 3
    (reason,) = model.explain(frame[:1])
    assert any("days from joined to seen" in part.text for part in reason.parts)


def test_dates_as_text_and_no_dates_at_all_at_prediction(frame):
    model = RegressionGraphClassifier(max_leaves=4, random_state=0).fit(frame, target(frame))
    text = frame.assign(joined=frame["joined"].dt.strftime("%Y-%m-%d"))
    np.testing.assert_array_equal(model.predict(text), model.predict(frame))
    assert len(model.predict(frame.assign(seen=None, joined=None))) == len(frame)
    with pytest.raises(ColumnError, match="column 'joined' held dates in fit and now holds text such as 'soon'"):
        model.predict(frame.assign(joined="soon"))
    with pytest.raises(ColumnError, match="column 'joined' held dates in fit and now holds numbers"):
        model.predict(frame.assign(joined=3.5))


def test_importances_and_selections_are_those_of_the_columns_of_the_table(frame):
    graph = RegressionGraphClassifier(random_state=0).fit(frame, target(frame))
    assert graph.feature_importances_.shape == (3,)
    assert graph.feature_importances_.sum() == pytest.approx(1)
    assert graph.feature_importances_[0] > 0.1
    assert len(graph.effect("days from joined to seen", frame)) > 1
    with pytest.raises(InputError, match=r"there is no column 'year of join'; did you mean 'year of joined'"):
        graph.effect("year of join", frame)
    chosen = FourierSelector(2, random_state=0).fit(frame, target(frame))
    assert set(chosen.selected_) == {"plan", "days from joined to seen"}
    assert chosen.get_support().tolist() == [True, True, True]


def test_names_that_are_taken_and_dates_that_say_nothing(frame):
    odd = frame.assign(**{"year of joined": "x", "never": pd.NaT, "always": pd.Timestamp("2020-05-05")})
    odd.loc[::2, "year of joined"] = "y"
    domain = BooleanEncoder().fit(odd).domain_
    assert "year of joined (2)" in domain.column_names
    assert len({c.position for c in domain.columns}) == len(domain.columns)
    assert dict(domain.dropped)["never"] == "every value is missing"
    assert "always" in dict(domain.dropped)


def test_only_dates(frame):
    model = JuntaClassifier(k=1).fit(frame[["joined"]], np.where(frame["joined"].dt.month > 6, 1, 0))
    assert model.subset_ == ("month of joined",)
    assert model.score(frame[["joined"]], np.where(frame["joined"].dt.month > 6, 1, 0)) == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [("part", "moon"), ("of", ["plan"]), ("of", []), ("features", [7]), ("first", "soon"), ("first", "2020-02-31")],
)
def test_a_damaged_source_is_refused(frame, key, value):
    import hashlib
    import json

    model = JuntaClassifier(k=1).fit(frame[["joined", "plan"]], np.where(frame["joined"].dt.month > 6, 1, 0))
    content = json.loads(to_json(model))
    content["columns"][0]["source"][key] = value
    del content["checksum"]
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    content["checksum"] = hashlib.sha256(plain.encode()).hexdigest()
    with pytest.raises(ModelFileError, match=r"columns\[0\]\.source"):
        from_json(json.dumps(content))


def test_a_part_says_what_it_is():
    assert DatePart("month", ("joined",), (0,)).name == "month of joined"
    since = DatePart("days since", ("joined",), (0,), "2021-01-02")
    assert (since.name, since.own_name) == ("joined", "days from 2021-01-02 to joined")


def test_months_are_dates_in_every_view():
    """Text such as 2022-05 is the first of May for the model, for its SQL and for its Python."""
    rng = np.random.default_rng(0)
    months = [f"{y}-{m:02d}" for y, m in zip(rng.integers(2019, 2025, 300), rng.integers(1, 13, 300), strict=True)]
    frame = pd.DataFrame({"month": months, "plan": rng.choice(["a", "b"], 300)})
    y = np.where((frame["month"] > "2022-02") ^ (frame["plan"] == "a"), "left", "stayed")
    model = SpectralClassifier(random_state=0).fit(frame.assign(month=pd.to_datetime(frame["month"])), y)
    names = model.domain_.column_names
    assert "month of month" in names
    assert "weekday of month" not in names  # of the first of a month it says nothing
    assert model.score(frame, y) == 1
    said = model.predict(frame)
    base = sqlite3.connect(":memory:")
    frame.assign(row=np.arange(300)).to_sql("data", base, index=False)
    answers = dict(base.execute(to_sql(model, keys="row")).fetchall())
    assert [answers[i] for i in range(300)] == said.tolist()
    namespace = {"__name__": "scoring"}
    exec(to_python(model), namespace)
    assert [namespace["predict"](row) for row in frame.to_dict("records")] == said.tolist()


def test_a_date_reads_as_a_date(frame):
    """A threshold on a column of dates is a date in words, in bits and in rules, and the date holds what it says."""
    late = frame["joined"] > pd.Timestamp("2022-03-14")
    model = SpectralClassifier(max_terms=1, random_state=0).fit(frame, np.where(late, "late", "early"))
    cut = re.search(r"joined (<=|>) (\d{4}-\d\d-\d\d)\b", model.to_text())
    assert "days from 2" not in model.to_text()
    np.testing.assert_array_equal(np.where(frame["joined"] > cut[2], "late", "early"), model.predict(frame))
    assert any(bit.name == f"joined>{cut[2]}" for bit in model.domain_.bits)
    effect = SpectralClassifier(max_effects=1, random_state=0).fit(frame, np.where(late, "late", "early"))
    assert re.search(r"“joined” up to 2022-03-\d\d takes .* above 2022-03-\d\d adds", str(effect_facts_of(effect)))
    assert len(effect.effect("joined")) > 1
    graph = RegressionGraphClassifier(max_leaves=2, random_state=0).fit(frame, np.where(late, "late", "early"))
    assert re.search(r"joined <= \d{4}-\d\d-\d\d", graph.to_text())


def effect_facts_of(model):
    return [effect_facts(model.model_, effect)["sentence"] for effect in model.model_.effects().effects]


def test_the_time_of_day_is_said_where_there_is_one():
    part = DatePart("days since", ("seen",), (0,), "2024-02-28")
    days = BinColumn("seen", 3, False, (0.0, 1.5, 366.0), source=part)
    assert days.cuts == ("2024-02-28 00:00", "2024-02-29 12:00", "2025-02-28 00:00")
    assert BinColumn("seen", 3, False, (1.0, 2.0), source=part).cuts == ("2024-02-29", "2024-03-01")
    assert BinColumn("days from 2024-02-28 to seen", 3, False, (1.0,), source=part).cuts == ("1",)  # an older file
    levels = LevelColumn("seen", 3, True, ("2", "0"), numeric=True, source=part)
    assert levels.code_names == ("2024-03-01", "2024-02-28", "missing")
    assert condition(levels, 0, [0]).name == "seen = 2024-03-01"
    assert condition(days, 0, [1, 2]).name == "2024-02-28 00:00 < seen <= 2025-02-28 00:00"


def test_a_date_may_be_the_key_of_a_query(frame):
    """In SQL the days since a first date have a name of their own, so that the date itself may be kept."""
    y = np.where(frame["joined"] > pd.Timestamp("2022-03-14"), "late", "early")
    model = SpectralClassifier(max_terms=3, random_state=0).fit(frame, y)
    with sqlite3.connect(":memory:") as base:
        frame.assign(joined=frame["joined"].astype(str), seen=None).to_sql("rows", base, index=False)
        query = to_sql(model, "rows", keys="joined")
        found = dict(base.execute(f"SELECT joined, prediction FROM ({query})").fetchall())
    assert found == dict(zip(frame["joined"].astype(str), model.predict(frame.assign(seen=pd.NaT)), strict=True))


def test_pictures_of_dates_name_dates(frame):
    pytest.importorskip("matplotlib").use("Agg")
    model = SpectralClassifier(max_effects=2, random_state=0).fit(
        frame, np.where(frame["joined"] > pd.Timestamp("2022-03-14"), "late", "early")
    )
    for ax in (model.plot_effect("joined").ax_, graph_picture(frame)):
        texts = [label.get_text() for label in ax.get_xticklabels()]
        assert texts
        assert all(re.fullmatch(r"20\d\d-\d\d-\d\d", text) for text in texts)


def graph_picture(frame):
    y = frame["joined"].dt.year * 12 + frame["joined"].dt.month
    model = RegressionGraphRegressor(random_state=0).fit(frame, y.astype(float))
    return model.plot_effect("joined", frame).ax_
