"""The page: its facts, its text, what hostile names do to it, and how large it is."""

import json
import re
from dataclasses import replace
from html import unescape
from itertools import pairwise
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict
from xml.etree import ElementTree as ET

import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import cross_val_predict

from paclearn import Report, open_table
from paclearn.datasets import load_tic_tac_toe
from paclearn.exceptions import InputError, TableFileError, TargetError
from paclearn.export import to_scorecard
from paclearn.report import ReportOptions, command_line, figures, to_html
from paclearn.report.calibration import calibration_of_classes, calibration_of_numbers
from paclearn.report.card_facts import describe_card
from paclearn.report.compare import cross_validate, judge, sklearn_contenders
from paclearn.report.facts import Facts
from paclearn.report.graph_facts import describe_graph, small_graph
from paclearn.report.halfspace_facts import halfspace_contender
from paclearn.report.model_facts import fit_linear, short_is_good_enough
from paclearn.report.page import embedded_json
from paclearn.report.report_options import Limits
from paclearn.report.rule_facts import describe_rules, fit_rules
from paclearn.report.sentences import five_sentences, lead_rules, nothing_promised
from paclearn.report.shared_folds import Folds
from paclearn.report.subject import Subject
from paclearn.report.table_facts import describe_columns
from paclearn.tables.table import FrameTable

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
    return Report(frame, target, **({"quick": True, "n_jobs": 1} | options)).facts


def subject_of(frame, y, *, quick=False, **limits):
    """The columns of a frame, and a target that is not among them."""
    classify = y.dtype == object
    some = Limits.of(len(y), frame.shape[1], len(np.unique(y)) if classify else 2, quick=quick)
    options = ReportOptions(quick=quick, n_jobs=1)
    return Subject(as_table(frame), y, "y", classify, options, replace(some, **limits))


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


@pytest.mark.usefixtures("all_trees")
def test_baselines_answer_as_scikit_learn_does_on_the_same_folds():
    frame = mixed(400, 0)
    folds = Folds.draw(subject_of(frame[COLUMNS], frame["class"].to_numpy(dtype=object), n_folds=5))
    assert sorted(np.bincount(folds.number)) == [80] * 5
    for label in "pqr":  # every fold has its share
        assert np.ptp(np.bincount(folds.number[folds.y == label], minlength=5)) <= 1
    answers = cross_validate(folds, sklearn_contenders(folds, 0))
    from sklearn.dummy import DummyClassifier

    splits = [(fold.train, fold.test) for fold in folds]
    dummy = cross_val_predict(DummyClassifier(), np.zeros((400, 1)), folds.y.astype(str), cv=splits)
    assert (answers["none"].values == dummy).all()  # noqa: PD011 - no data frame
    accuracies = {role: judge(vars(a)["values"], folds.y, classify=True)["value"] for role, a in answers.items()}
    assert min(accuracies["linear"], accuracies["boosting"]) > accuracies["none"] + 0.1


def test_halfspaces_are_a_row_of_the_comparison():
    frame = mixed(120, 0)
    subject = subject_of(frame[COLUMNS], frame["class"].to_numpy(dtype=object), n_folds=3)
    folds = Folds.draw(subject)
    halfspaces = halfspace_contender(subject, 5000, 3)
    assert halfspaces.note.endswith("not for reading; at most 333 rows a fold")
    answers = cross_validate(folds, {"halfspaces": halfspaces, **sklearn_contenders(folds, 0)})
    assert answers["halfspaces"].has_shares
    right = {role: np.mean(vars(a)["values"] == folds.y) for role, a in answers.items()}
    assert right["halfspaces"] > right["none"]


def test_few_rows_take_part_where_there_are_many():
    frame = mixed(500, 0)
    folds = Folds.draw(subject_of(frame[COLUMNS], frame["price"].to_numpy(), folds_rows=100))
    assert folds.table.n_rows == len(folds.y) == 100
    rows = Limits.of(10**6, 1500, 1, quick=False)
    assert (rows.fit, rows.folds_rows, rows.n_folds) == (26_666, 2666, 2)


def test_one_split_does_where_rows_are_very_many():
    rows = Limits.of(10**6, 20, 2, quick=False)
    assert rows.interactions  # which are chosen by some of the rows, however many there are
    assert not Limits.of(10**6, 100, 2, quick=False).interactions
    assert (rows.fit, rows.short, rows.folds_rows, rows.n_folds) == (10**6, 10**6, 500_000, 1)
    assert Limits.of(10**6, 20, 2, quick=True).n_folds == 3
    assert Limits.of(17_000, 20, 2, quick=False).n_folds == 3
    frame = mixed(600, 0)
    folds = Folds.draw(subject_of(frame[COLUMNS], frame["class"].to_numpy(dtype=object), n_folds=1, folds_rows=300))
    (fold,) = folds
    assert (len(fold.train), len(fold.test), len(folds.asked)) == (200, 100, 100)
    for label in "pqr":
        assert np.isclose(np.mean(folds.y[fold.test] == label), np.mean(folds.y == label), atol=0.02)


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


def test_a_short_model_has_a_card():
    """Whole points, what their total means, and what rounding costs, as `to_scorecard` says."""
    frame = mixed(190, 0)
    y = np.where((frame["flag"] == "yes") & (frame["rooms"] > 2) | (frame["colour"] == "red"), "<b>", "a").astype(
        object
    )
    subject = subject_of(frame[COLUMNS], y)
    model = fit_linear(subject, short=True)
    card = describe_card(model, subject)
    wanted = to_scorecard(model, frame[COLUMNS], y)
    assert card["lines"] == wanted.lines()
    facts = facts_of(frame[COLUMNS].assign(y=y), "y")
    page = to_html(facts | {"card": card})
    begin = page.index("to be added up with a pencil")
    part = page[begin : page.index("What if?", begin)]
    shown = unescape(part)
    assert all(name in shown for name, _ in card["lines"])
    assert card["verdict"] in shown
    assert card["cost"] in shown
    assert "<b>" not in part.replace("<p><b>", "")
    assert describe_card(fit_linear(subject, short=False), subject) is None
    three = subject_of(frame[COLUMNS][:60], frame["class"][:60].to_numpy(object))
    model = fit_linear(three, short=True)
    assert model.weights.any()
    assert describe_card(model, three) is None


def test_a_page_speaks_of_one_class_throughout():
    """The one that is called yes, rarer, named, or the highest: the model, the graph, and what comes true."""
    rng = np.random.default_rng(0)
    frame = mixed(600, 0)[COLUMNS]
    odd = (frame["flag"] == "yes") & (rng.random(600) < 0.8)
    subject = subject_of(frame, np.where(odd, "bad", "good").astype(object))
    assert subject.asked == "bad"
    assert fit_linear(subject, short=True).output_names == ("bad",)
    graph = subject.fit(small_graph(subject), 600).model_
    turned, plain = describe_graph(graph, "bad"), describe_graph(graph, None)
    assert (turned["about"], plain["about"]) == ("bad", "good")
    np.testing.assert_allclose(np.add(turned["values"], plain["values"]), 1)
    p = rng.random(2000)
    shares, truth = np.column_stack([p, 1 - p]), np.where(rng.random(2000) < p, "bad", "good")
    found = calibration_of_classes(shares, truth, np.array(["bad", "good"]), "bad")
    assert found["about"] == "bad"
    assert all(abs(b["said"] - b["seen"]) < 0.15 for b in found["bins"])
    named = replace(subject, options=replace(subject.options, positive="good"))
    assert named.asked == "good"
    assert replace(subject, options=replace(subject.options, ordered=("bad", "good"))).asked == "good"
    assert subject_of(frame, mixed(600, 0)["class"].to_numpy(object)).asked is None
    assert subject_of(frame, rng.random(600)).asked is None


def test_sections_stand_in_their_order():
    page = to_html(facts_of(mixed(120, 0)[["colour", "flag", "class"]], "class", quick=False))
    titles = re.findall(r"<h2 id=\"(\w+)\"", page)
    assert titles == ["found", "good", "rules", "model", "columns", "redundant", "table", "again"]
    assert page.count("<p>", page.index('class="headline"'), page.index('id="good"')) == 6


def test_the_page_tells_rules_first():
    boards = load_tic_tac_toe(as_frame=True)
    frame = boards.data.assign(**{"x wins": boards.target})
    facts = facts_of(frame[::5], "x wins")  # what the page says of other models takes longer than the rules
    subject = subject_of(boards.data, boards.target.astype(object), rules=True)
    facts["rules"] = describe_rules(fit_rules(subject), subject, leads=True)
    first, *_, how_good, _, _, _ = five_sentences(facts)
    assert first.startswith(
        "“x wins” is “yes” if any of 8 rules applies, otherwise it is “no”, without an exception in 958"
    )
    assert first.count(" = x and ") == 16
    assert "bottom-left = x and bottom-middle = x and bottom-right = x → “yes” (78 rows, all of them)" in first
    assert how_good.startswith("The rules are right on")
    facts["rules"]["leads"] = False
    assert five_sentences(facts)[0].startswith("The rules that say most of “x wins”, of 8, are:")
    assert len(lead_rules(facts["rules"])) == 5


def test_quick_leaves_out_what_it_did_not_look_for():
    page = to_html(facts_of(mixed(120, 0)[["colour", "flag", "class"]], "class"))
    assert 'id="redundant"' not in page
    assert 'id="rules"' not in page
    assert "combinations were not tested" in page


def test_rows_that_repeat_are_dropped_once_for_all(tmp_path):
    frame = mixed(40, 0)[["colour", "flag", "class"]]
    kept = len(frame.drop_duplicates())
    frame.to_csv(tmp_path / "t.csv", index=False)
    facts = facts_of(tmp_path / "t.csv", "class", drop_repeats=True)
    assert facts["source"]["rows"] == kept < 40
    assert facts["about"]["command"].endswith("--quick --drop-repeats")


def test_the_command_can_be_typed():
    options = ReportOptions("regression", 2, seed=7, quick=True)
    command = command_line("my data.csv", "a & b", options, ["id"], ["-"])
    assert command == (
        "paclearn report 'my data.csv' --target 'a & b' --seed 7 --task regression --max-k 2 "
        "--drop id --missing - --quick"
    )


# ---- the object ----


@pytest.fixture(scope="module")
def small():
    frame = mixed(60, 0)[["rooms", "flag", "price"]]
    return frame.assign(note=frame["flag"].mask(frame["rooms"] == 1), **{"class": frame.pop("price") > -1.5})


@pytest.fixture(scope="module")
def report(small):
    return Report(small, "class", quick=True, n_jobs=1, name="small.csv")


def test_whatever_holds_the_table_the_facts_are_the_same(small, report, tmp_path):
    small.to_csv(tmp_path / "small.csv", index=False)
    plain = small.astype(object).where(small.notna(), None)
    tables = {
        "polars": pl.from_pandas(small),
        "arrow": pa.Table.from_pandas(small),
        "path": tmp_path / "small.csv",
        "text of a path": str(tmp_path / "small.csv"),
        "table": open_table(tmp_path / "small.csv"),
        "objects": plain,
    }
    for kind, table in tables.items():
        facts = Report(table, "class", quick=True, n_jobs=1, name="small.csv").facts
        facts = facts | {"about": report.facts["about"]}
        facts["source"]["reading"] = None  # of a file it is said how it was read
        assert facts == report.facts, kind


def test_the_model_is_of_single_columns_or_of_several_as_it_is(report):
    """Effects as they are, and with those of one size alone."""
    effects = report.facts["effects"]["effects"]
    of_one, of_two = ([e | {"columns": e["columns"][:1] * k} for e in effects] for k in (1, 2))
    for listed, said in (
        (of_one, "of single columns"),
        (of_two, "of columns together"),
        ([*of_one[:1], *of_two], "of single columns and of columns together"),
    ):
        html = to_html(report.facts | {"effects": report.facts["effects"] | {"effects": listed}})
        assert re.search(rf"The model adds up \d+ effects?, {said}[;.]", " ".join(html.split()))


def test_a_slow_machine_makes_the_same_page(small, report, monkeypatch):
    hours = iter(range(0, 10**9, 3600))
    monkeypatch.setattr("time.monotonic", lambda: float(next(hours)))
    slow = Report(small, "class", quick=True, n_jobs=1, name="small.csv")
    assert slow.facts == report.facts
    assert slow.to_html() == report.to_html()


def test_of_too_many_subsets_the_larger_are_left_out_whatever_the_clock_says(small, monkeypatch):
    monkeypatch.setattr("paclearn.report.junta_facts._MOST_COUNTED", 2e4)
    facts = Report(small, "class", quick=True, n_jobs=1).facts
    assert [ranking["k"] for ranking in facts["rankings"]] == [1]
    assert [told.split(" are more")[0] for told in facts["skipped"]] == [
        "3 subsets of size 2 of 3 columns",
        "1 subsets of size 3 of 3 columns",
    ]


def test_an_array_has_numbered_columns(small):
    report = Report(small.to_numpy(dtype=object), "x3", quick=True, n_jobs=1)
    assert [c["name"] for c in report.facts["columns"]] == ["x0", "x1", "x2"]
    assert "What decides “x3”?" in report.to_html()


def test_the_report_says_how_to_do_it_again(small, report, tmp_path):
    assert report.facts["about"]["command"] == ("paclearn.Report(table, target='class', quick=True, random_state=0)")
    again = eval(report.facts["about"]["command"], {"paclearn": __import__("paclearn"), "table": small})
    assert again.facts["terms"] == report.facts["terms"]
    small.to_csv(tmp_path / "small.csv", index=False)
    from_file = Report(tmp_path / "small.csv", "class", quick=True, drop=["flag"], max_k=1, n_jobs=1)
    assert from_file.facts["about"]["command"] == (
        "paclearn report small.csv --target class --seed 0 --max-k 1 --drop flag --quick"
    )


def test_a_report_shows_itself_in_a_frame(report):
    shown = report._repr_html_()
    frame = ET.fromstring(re.sub(r'srcdoc="[^"]*"', "", shown))
    assert frame.tag == "iframe"
    assert frame.get("sandbox") == "allow-scripts"
    inside = unescape(re.search(r'srcdoc="([^"]*)"', shown)[1])
    assert inside.replace('<base href="about:srcdoc">\n', "") == report.to_html()
    assert repr(report) == "<Report on 'class' in 'small.csv': 60 rows and 3 columns>"
    assert "accuracy of spectral model" in report.to_text()


def test_a_page_is_saved_whole_or_not_at_all(report, tmp_path):
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report.to_html()
    with pytest.raises(TableFileError, match="there is no folder"):
        report.save(tmp_path / "nowhere" / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "clas"}, "there is no column 'clas'; did you mean 'class'"),
        ({"drop": ["class"]}, "the target 'class' cannot be dropped"),
        ({"max_k": 0}, "max_k=0 must be a whole number >= 1"),
        ({"random_state": -1}, "seed=-1 must be a whole number from 0"),
        ({"task": "clustering"}, "task='clustering' is not known"),
        ({"n_jobs": 0}, "n_jobs=0 must be a number of cores"),
    ],
)
def test_what_a_report_refuses(small, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Report(small, **({"target": "class", "quick": True} | options))


def fits(value, kind):
    """Whether plain data is what a type says; of typed dicts, to the key."""
    if is_typeddict(kind):
        hints = get_type_hints(kind)
        return isinstance(value, dict) and value.keys() == hints.keys() and all(fits(value[k], hints[k]) for k in hints)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in {list, dict}:
        parts = value.values() if isinstance(value, dict) else value
        return isinstance(value, origin) and all(fits(v, inner[-1]) for v in parts)
    if origin is not None:
        return value in inner if origin is Literal else any(fits(value, one) for one in inner)
    numbers = isinstance(value, float | int) and not isinstance(value, bool)
    return {Any: True, float: numbers, NoneType: value is None}.get(kind, type(value) is kind)


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
    assert [key for key, known in get_type_hints(Facts).items() if not fits(facts[key], known)] == []
    assert fits(facts, Facts)
    page = to_html(facts)
    assert len(facts["sentences"]) == 5 + (facts["rules"] is not None) + len(facts["leaks"])
    assert "None" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert "XOR" not in page
    assert ("RegressionGraphEnsembleRegressor" in page) == (facts["target"]["task"] == "regression")
    assert not re.search(r"\bnan\b", re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL))


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
    frame = pd.DataFrame({f"a rather long column name {i}": rng.choice(levels, 100) for i in range(50)})
    frame = frame.assign(**{f"number {i}": rng.normal(size=100) for i in range(50)})
    frame["y"] = np.where(frame["number 0"] > 0, "up", "down")
    page = to_html(facts_of(frame, "y", max_k=1))
    assert len(page.encode()) < 2_000_000
    assert "http://" not in page
    assert "https://" not in page


def test_where_nothing_is_found_the_page_and_the_terminal_say_so():
    """Once the bound of a truth table of some useless column was printed, vacuous as it was."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.integers(0, 3, 400), "b": rng.integers(0, 4, 400), "y": rng.choice(["no", "yes"], 400)}
    )
    report = Report(frame, "y", quick=True, n_jobs=1)
    nothing = "So nothing was found in these columns that tells “y” clearly better than always saying the most frequent"
    assert nothing in report.to_text()
    assert nothing in report.facts["sentences"][1]
    share = max((frame["y"] == label).mean() for label in ("no", "yes"))
    always = f"which is wrong on {100 * (1 - share):.1f} % of the rows"
    assert re.search(
        rf"No bound on the error could be proved that is better than always .*, {always}", report.to_text()
    )
    assert f"Not certified:</span> {nothing_promised(report.facts)}" in to_html(report.facts)
    assert "truth table of" not in report.to_text()


def test_columns_that_only_shift_chances_are_not_said_to_tell_nothing():
    rng = np.random.default_rng(0)
    plan = rng.choice(["a", "b"], 600)
    frame = pd.DataFrame(
        {"plan": plan, "y": np.where(rng.random(600) < np.where(plan == "a", 0.15, 0.45), "yes", "no")}
    )
    said = Report(frame, "y", quick=True, n_jobs=1).to_text()
    assert "So nothing was found" not in said
    assert "though some columns go along with “y” more clearly than chance explains" in said


def test_a_small_table_that_says_little_is_not_said_to_say_most():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"x{i}": rng.integers(0, 2, 400) for i in range(9)})
    frame["y"] = frame.sum(axis=1) + frame["x0"] / 2 + frame["x1"] / 2 + rng.normal(0, 0.1, 400)
    found = Report(frame, "y", quick=True, n_jobs=1).facts["sentences"]
    assert not any("A few columns say most" in sentence for sentence in found)
    assert any("much less than the model" in sentence for sentence in found)


def test_columns_are_drawn_by_how_many_rows_have_each_value():
    """Ten parts of a range, or the most frequent levels; numbers beyond all ranges, and none at all, do no harm."""
    days = pd.to_datetime(["2020-01-01"] * 3 + ["2020-01-11"] * 1)
    frame = pd.DataFrame(
        {
            "level": ["b", "a", "a", None],
            "number": [0.0, 1.0, 10.0, np.nan],
            "day": days,
            "huge": [-1.7e308, 0, 1.7e308, 1.7e308],
            "same": [3.0] * 4,
            "nothing": [np.nan] * 4,
        }
    )
    found = {one["name"]: one["heights"] for one in describe_columns(FrameTable.of(narwhals.from_native(frame)))}
    assert found["level"] == [1, 0.5]
    assert found["number"] == [1, 1, 0, 0, 0, 0, 0, 0, 0, 1]
    assert found["day"] == [1, *[0] * 8, 0.333]
    assert found["huge"] == [0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 1]
    assert found["same"] == [1]
    assert found["nothing"] == [0]
    assert figures.heights(found["day"], "<day>").count("<rect") == 2
    assert "<day>" not in figures.heights(found["day"], "<day>")
