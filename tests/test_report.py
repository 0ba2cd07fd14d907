"""The page: its facts, its text, what hostile names do to it, and how large it is."""

import json
import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_predict

from paclearn.exceptions import InputError, TargetError
from paclearn.report import ReportOptions, command_line, figures, summarise, to_html
from paclearn.report.calibration import calibration_of_classes, calibration_of_numbers
from paclearn.report.compare import Folds, cross_validate, judge, sklearn_contenders
from paclearn.report.model_facts import short_is_good_enough
from paclearn.report.page import embedded_json
from paclearn.report.report_options import Limits
from paclearn.tables.files import FrameTable
from paclearn.tables.files import nw as narwhals

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "\"'><img src=x onerror=alert(3)>",
    "<!-- <script> ]]> &amp; &#60;",
    "🦄 \u2028 \u2029 \x0b",
    "\u202eעברית العربية",
    "{{ 7 * 7 }} {% raw %} ${7}",
    "x" * 10_000,
]


def as_table(frame):
    return FrameTable.of(narwhals.from_native(frame, eager_only=True))


def facts_of(frame, target, **options):
    settings = {"quick": True, "n_jobs": 1} | options
    return summarise(
        as_table(frame.drop(columns=target)), as_table(frame[[target]]).column(0), target, ReportOptions(**settings)
    )


def mixed(n, seed):
    """Levels with rare ones, numbers with holes, few numbers; unseen levels in other seeds."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue", f"rare{seed}"], n, p=[0.4, 0.3, 0.28, 0.02]),
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(40, 12, n).round(1)),
            "rooms": rng.integers(1, 6, n),
            "flag": rng.choice(["yes", "no"], n),
        }
    )
    frame.loc[rng.random(n) < 0.05, "colour"] = None
    signal = (
        2.0 * (frame["colour"] == "red")
        - 0.05 * frame["age"].fillna(40)
        + (frame["flag"] == "yes") * (frame["rooms"] > 2)
    )
    frame["price"] = signal + rng.normal(0, 0.5, n)
    frame["class"] = np.where(signal + rng.normal(0, 0.5, n) > -1, "p", np.where(rng.random(n) < 0.5, "q", "r"))
    return frame


COLUMNS = ["colour", "age", "rooms", "flag"]


def test_baselines_answer_as_scikit_learn_does_on_the_same_folds():
    frame = mixed(400, 0)
    folds = Folds.draw(as_table(frame[COLUMNS]), frame["class"].to_numpy(dtype=object), 10_000, 5, 0, classify=True)
    assert sorted(np.bincount(folds.fold)) == [80] * 5
    for label in "pqr":  # every fold has its share
        assert np.ptp(np.bincount(folds.fold[folds.y == label], minlength=5)) <= 1
    answers = cross_validate(folds, sklearn_contenders(folds, 0))
    from sklearn.dummy import DummyClassifier

    dummy = cross_val_predict(DummyClassifier(), np.zeros((400, 1)), folds.y.astype(str), cv=list(folds.splits()))
    said = [vars(a)["values"] for a in answers]
    assert (said[2] == dummy).all()
    accuracies = [judge(values, folds.y, classify=True)["value"] for values in said]
    assert min(accuracies[:2]) > accuracies[2] + 0.1


def test_few_rows_take_part_where_there_are_many():
    frame = mixed(500, 0)
    folds = Folds.draw(as_table(frame[COLUMNS]), frame["price"].to_numpy(), 100, 3, 0, classify=False)
    assert folds.table.n_rows == len(folds.y) == 100
    rows = Limits.of(10**6, 100, 1, quick=False)
    assert (rows.fit, rows.folds_rows, rows.n_folds) == (200_000, 6000, 3)


def test_r2_and_its_interval():
    truth = np.array([0.0, 1.0, 2.0, 3.0])
    assert judge(truth, truth, classify=False)["value"] == 1
    assert judge(np.full(4, 1.5), truth, classify=False)["value"] == 0
    assert judge(truth, np.ones(4), classify=False)["value"] == 0  # nothing to explain


def test_calibration_of_a_model_that_tells_the_truth_and_of_one_that_boasts():
    rng = np.random.default_rng(0)
    p = rng.random(20_000)
    y = np.where(rng.random(20_000) < p, "b", "a")
    honest = calibration_of_classes(np.column_stack([1 - p, p]), y, np.array(["a", "b"]))
    assert honest["ece"] < 0.02
    assert honest["brier"] == pytest.approx(1 / 6, abs=0.01)
    assert honest["brier_without_model"] == pytest.approx(0.25, abs=0.01)
    boast = (p > 0.5).astype(float)
    assert calibration_of_classes(np.column_stack([1 - boast, boast]), y, np.array(["a", "b"]))["ece"] > 0.2
    numbers = calibration_of_numbers(p, p + rng.normal(0, 0.1, len(p)))
    assert numbers["off"] < 0.02
    assert [b["rows"] for b in numbers["bins"]] == [2000] * 10


def test_the_short_model_is_taken_where_it_is_as_good():
    long = {"value": 0.9, "low": 0.88, "high": 0.92}
    assert short_is_good_enough({"value": 0.895}, long)
    assert not short_is_good_enough({"value": 0.88}, long)
    assert short_is_good_enough({"value": 0.86}, {"value": 0.9, "low": 0.5, "high": 1.0})  # few rows


def test_sections_stand_in_their_order():
    page = to_html(facts_of(mixed(120, 0)[["colour", "flag", "class"]], "class", quick=False))
    titles = re.findall(r"<h2 id=\"(\w+)\"", page)
    assert titles == ["found", "good", "model", "columns", "redundant", "table", "again"]
    assert page.count("<p>", page.index('class="headline"'), page.index('id="good"')) == 5


def test_quick_leaves_out_what_it_did_not_look_for():
    page = to_html(facts_of(mixed(120, 0)[["colour", "flag", "class"]], "class"))
    assert 'id="redundant"' not in page
    assert "combinations were not tested" in page


def test_the_command_can_be_typed():
    options = ReportOptions("regression", 2, seed=7, quick=True)
    command = command_line("my data.csv", "a & b", options, ["id"], ["-"])
    assert command == (
        "paclearn report 'my data.csv' --target 'a & b' --seed 7 --task regression --max-k 2 "
        "--drop id --missing - --quick"
    )


# ---- tables of all kinds ----


def few(n=60):
    return mixed(n, 0)


KINDS = {
    "one column": lambda: few()[["colour", "class"]].rename(columns={"class": "y"}),
    "one numeric column": lambda: few()[["age", "class"]].rename(columns={"class": "y"}),
    "numbers": lambda: few()[["age", "rooms", "price"]].rename(columns={"price": "y"}),
    "a class of one row": lambda: few()[COLUMNS].assign(y=["a"] * 30 + ["b"] * 28 + ["c"] * 2),
    "twelve classes": lambda: mixed(192, 0)[["colour", "rooms"]].assign(y=[f"class {i % 12}" for i in range(192)]),
    "all columns missing somewhere": lambda: (
        few()[COLUMNS].mask(np.random.default_rng(0).random((60, 4)) < 0.4).assign(y=list("ab") * 30)
    ),
    "few rows": lambda: few(16)[COLUMNS].assign(y=list("ab") * 8),
    "no signal": lambda: pd.DataFrame(np.random.default_rng(0).integers(0, 2, (80, 3)), columns=list("abc")).assign(
        y=list("uv") * 40
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_tables_of_all_kinds(kind):
    facts = facts_of(KINDS[kind](), "y", quick=kind not in {"numbers", "one column"})
    json.dumps(facts, allow_nan=False)
    page = to_html(facts)
    assert len(facts["sentences"]) == 5
    assert "None" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert "nan" not in re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)


def test_what_cannot_be_explained_is_one_line():
    with pytest.raises(TargetError, match="one class only"):
        facts_of(few()[COLUMNS].assign(y="same"), "y")
    with pytest.raises(TargetError, match="the target 'y' is 3.5 in all 60 rows; there is nothing to explain"):
        facts_of(few()[COLUMNS].assign(y=3.5), "y", task="regression")
    with pytest.raises(InputError, match="delta"):
        ReportOptions(delta=2)


# ---- hostile names ----


def hostile(n=120, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {name: rng.choice([f"{name} a", f"{name} b", HOSTILE[i - 1]], n) for i, name in enumerate(HOSTILE)}
    )
    frame["number " + HOSTILE[1]] = rng.normal(size=n)
    target = "target " + HOSTILE[0] + HOSTILE[1]
    frame[target] = np.where(
        frame[HOSTILE[0]] == HOSTILE[-1], HOSTILE[1], np.where(rng.random(n) < 0.5, HOSTILE[2], HOSTILE[5])
    )
    return frame, target


def test_hostile_names_are_text(hostile_page):
    assert hostile_page.count("<script") == 2  # the model, and the program that runs it
    assert hostile_page.count("</script>") == 2
    assert "<img" not in hostile_page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in hostile_page
    assert "x" * 1000 not in re.sub(r"<script.*?</script>", "", hostile_page, flags=re.DOTALL)  # shown cut
    assert "{{ 7 * 7 }}" in hostile_page


def test_hostile_names_in_pictures():
    links = [{"members": [a, b], "strength": 3.0} for a, b in pairwise(HOSTILE)]
    tree = {
        "questions": HOSTILE[:2],
        "children": [[1, 2], [2, 3]],
        "edge_rows": [[5, 5], [2, 3]],
        "values": [0.5, 0.4, 0.1, 0.9],
        "rows": [10, 5, 7, 3],
        "n_leaves": 2,
    }
    pictures = [
        figures.network(links, {HOSTILE[0]: 2.0}),
        figures.heat_map(links),
        figures.graph(tree, classify=True),
    ]
    for picture in pictures:
        ET.fromstring(picture.replace("\x0b", ""))  # well-formed; XML knows no vertical tab, HTML does
        assert "<script" not in picture
        assert "<img" not in picture
        assert len(picture) < 40_000


def test_nothing_ends_the_element_that_holds_the_model():
    text = embedded_json({"</script>": ["<!--", "&amp;", "\u2028\u2029", "]]>"]})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"</script>": ["<!--", "&amp;", "\u2028\u2029", "]]>"]}


def test_only_the_pages_own_program_may_run(hostile_page):
    import base64
    import hashlib

    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', hostile_page)[1].replace("&#39;", "'")
    program = re.findall(r"<script>(.*?)</script>", hostile_page, flags=re.DOTALL)
    assert len(program) == 1
    digest = base64.b64encode(hashlib.sha256(program[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert " style=" not in hostile_page
    assert not re.search(
        r"\son\w+=",
        re.sub(r"<script>.*?</script>", "", hostile_page, flags=re.DOTALL).replace("&lt;", "").split("<main>")[0],
    )


def test_a_page_of_a_hundred_columns_is_small():
    rng = np.random.default_rng(0)
    levels = [f"level number {i}" for i in range(30)]
    frame = pd.DataFrame({f"a rather long column name {i}": rng.choice(levels, 200) for i in range(50)})
    frame = frame.assign(**{f"number {i}": rng.normal(size=200) for i in range(50)})
    frame["y"] = np.where(frame["number 0"] > 0, "up", "down")
    page = to_html(facts_of(frame, "y", max_k=1))
    assert len(page.encode()) < 2_000_000
    assert "http://" not in page
    assert "https://" not in page
