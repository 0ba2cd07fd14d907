"""The page in a real browser: its panel says what the model says, and hostile names stay text."""

import json
import re
import shutil
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from report.test_report import COLUMNS, HOSTILE, facts_of, mixed, subject_of

from paclearn.export import portable
from paclearn.report import to_html
from paclearn.report.kept_aside import keep_aside
from paclearn.report.model_facts import fit_linear
from paclearn.report.page import framed
from paclearn.report.rule_facts import describe_rules, fit_rules
from paclearn.report.sentences import five_sentences, lead_rules

BACK = {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 23, 29)"}
FLAGS = ["--no-sandbox", "--disable-gpu"]
CONTROLS_OF_DATES, WITH_CLOCK = ["date", "datetime-local"], "%Y-%m-%dT%H:%M"


def no_browser(why):
    """Skip, and say so where nobody can miss it."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(f"THE PAGE WAS NOT TRIED IN A BROWSER: {why}", stacklevel=1)
    pytest.skip(why)


@pytest.fixture(scope="module")
def browser():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        no_browser("the package playwright is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        no_browser("there is no chromium; install it (Debian: apt install chromium)")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser, tmp_path):
    """Open a page from the file system; afterwards nothing may have been asked of the network or complained about."""
    contexts, complaints, requests = [], [], []

    def open_page(html, **options):
        path = tmp_path / "report.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
    assert len([url for url in requests if url.startswith("file:")]) == len(contexts)


FILL = """row => {
  for (const control of document.querySelectorAll("[data-position]")) {
    const value = row[control.dataset.position];
    if (control.tagName === "INPUT") control.value = value === null ? "" : String(value);
    else {
      const wanted = value === null ? "(missing)" : String(value);
      const options = [...control.options];
      const found = options.find(o => o.textContent === wanted) || options.find(o => o.textContent === "(any other)");
      control.selectedIndex = found.index;
    }
  }
  document.querySelector("form").dispatchEvent(new Event("input"));
  return JSON.parse(document.getElementById("what-if").dataset.prediction);
}"""


def plain(value):
    """As JSON has it: None for missing, and no number of numpy's own kind."""
    if pd.isna(value):
        return None
    return value if isinstance(value, str) else float(value)


@pytest.fixture(scope="module")
def table():
    frame = mixed(190, 0)  # up to 200 rows are judged by five folds, more of them by fifteen
    frame["two"] = np.where(frame["class"] == "p", "p", "not p")
    return frame


@pytest.fixture(scope="module")
def facts(table, made_once):
    """By target; read anew each time, for some tests change them."""
    return lambda target: made_once(f"facts of {target}", lambda: facts_of(table[[*COLUMNS, target]], target))


@pytest.fixture(scope="module")
def pages(facts):
    """By target."""
    return cache(lambda target: to_html(facts(target)))


@pytest.mark.parametrize("target", ["two", "class", "price"])
def test_the_panel_says_what_the_model_says(visit, table, pages, target):
    """200 rows of other draws: with holes, and with levels that the fit never saw."""
    classify = target != "price"
    y = table[target].to_numpy(dtype=object if classify else float)
    learned = keep_aside(subject_of(table[COLUMNS], y, quick=True)).learned
    model = portable(fit_linear(learned, short=False))
    page = visit(pages(target))
    fresh = mixed(200, 1)[COLUMNS]
    assert fresh.isna().any().any()
    assert (fresh["colour"] == "rare1").any()
    said = np.array([page.evaluate(FILL, [plain(v) for v in row]) for row in fresh.itertuples(index=False)])
    if classify:
        np.testing.assert_allclose(said, model.predict_proba(fresh), atol=1e-6)
        assert np.ptp(said[:, 0]) > 0.5
    else:
        np.testing.assert_allclose(said[:, 0], model.predict(fresh), atol=1e-5)
        assert np.ptp(said) > 1


def test_the_panel_knows_percents_and_ordered_classes(visit, table):
    """Logarithms are turned back, and one score becomes a probability of every class."""
    fresh, table = mixed(40, 1)[COLUMNS], table[:120]
    frames = {"cost": table[COLUMNS].assign(cost=np.exp(table["price"])), "class": table[[*COLUMNS, "class"]]}
    for target, options in (("cost", {}), ("class", {"ordered": ["q", "r", "p"]})):
        y = frames[target][target].to_numpy(dtype=float if target == "cost" else object)
        subject = subject_of(table[COLUMNS], y, quick=True)
        subject = replace(subject, options=replace(subject.options, ordered=options.get("ordered")))
        model = portable(fit_linear(subject, short=False))
        assert model.model_.link == ("log" if target == "cost" else "ordered")
        page = visit(to_html(facts_of(frames[target], target, **options)))
        said = np.array([page.evaluate(FILL, [plain(v) for v in row]) for row in fresh.itertuples(index=False)])
        wanted = model.predict(fresh)[:, None] if target == "cost" else model.predict_proba(fresh)
        np.testing.assert_allclose(said, wanted, rtol=1e-6)
        words = page.locator("#what-if").inner_text()
        assert " %" in words if target == "cost" else "for a higher (+) and for a lower (−) class" in words


@pytest.mark.parametrize("target", ["two", "class"])
def test_the_panel_says_which_rules_apply(visit, table, facts, target):
    """Rows of other draws, with holes and with levels that the fit never saw."""
    facts = facts(target)
    subject = subject_of(table[COLUMNS], table[target].to_numpy(dtype=object), rules=True)
    model = fit_rules(subject)
    facts["rules"] = describe_rules(model, subject, leads=True)
    facts["sentences"] = five_sentences(facts)
    page = visit(to_html(facts))
    fresh = mixed(100, 1)[COLUMNS]
    for row, said in zip(fresh.itertuples(index=False), model.predict_proba(fresh), strict=True):
        page.evaluate(FILL, [plain(v) for v in row])
        found = json.loads(page.locator("#what-if").get_attribute("data-rules"))
        np.testing.assert_allclose(found["shares"], said, atol=1e-9)
    page.get_by_role("button", name="Back to a typical row").press("Enter")
    assert page.locator(".rule-answer li").count() >= 1
    assert page.locator(".headline li").count() == len(lead_rules(facts["rules"]))


@pytest.fixture(scope="module")
def dated():
    """Two columns of dates, one with a clock; what the model makes of them depends on several of their parts."""
    rng = np.random.default_rng(5)
    joined = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, 400), unit="D")
    seen = joined + pd.to_timedelta(rng.integers(0, 300 * 24, 400), unit="h")
    frame = pd.DataFrame({"plan": rng.choice(["a", "b"], 400), "joined": joined, "seen": seen})
    frame.loc[::9, "seen"] = pd.NaT
    late, soon = frame["joined"] > "2024-03-01", (frame["seen"] - frame["joined"]).dt.days < 90
    frame["left"] = np.where(late & (frame["plan"] == "a") | soon, "yes", "no")
    return frame


def test_a_date_has_one_control(visit, dated):
    """Month, weekday, the date itself and the days to another date follow it, for the model and for the rules."""
    X, y = dated[["plan", "joined", "seen"]], dated["left"].to_numpy(dtype=object)
    facts, subject = facts_of(dated, "left"), subject_of(X, y, quick=True, rules=True)
    model, rules = portable(fit_linear(keep_aside(subject).learned, short=False)), fit_rules(subject)
    facts["rules"] = describe_rules(rules, subject, leads=True)
    facts["sentences"] = five_sentences(facts)
    page = visit(to_html(facts))
    assert page.evaluate("[...document.querySelectorAll('#what-if input')].map(c => c.type)") == CONTROLS_OF_DATES
    fresh = X.assign(seen=X["joined"].sample(frac=1, random_state=0).to_numpy() + pd.Timedelta("90D 7h"))[:60]
    typed = fresh.assign(joined=fresh["joined"].dt.strftime("%Y-%m-%d"), seen=fresh["seen"].dt.strftime(WITH_CLOCK))
    nothing = fresh[:1].assign(joined=pd.NaT, seen=pd.NaT)
    rows = [*typed.itertuples(index=False), (nothing["plan"].iloc[0], None, None)]
    fresh = pd.concat([fresh, nothing])
    said, by_rules = [], []
    for row in rows:
        said.append(page.evaluate(FILL, list(row)))
        by_rules.append(json.loads(page.locator("#what-if").get_attribute("data-rules"))["shares"])
    np.testing.assert_allclose(said, model.predict_proba(fresh), atol=1e-9)
    np.testing.assert_allclose(by_rules, rules.predict_proba(fresh), atol=1e-9)
    assert np.ptp(np.array(said)[:, 0]) > 0.5


def test_the_smallest_change_of_a_date_turns_the_decision(visit, dated):
    """What the sentence says is tried: with these values in the controls the other class is predicted."""
    page = visit(to_html(facts_of(dated[["plan", "joined", "left"]], "left")))
    tried = 0
    for day in ("2023-05-05", "2024-02-20", "2024-09-09"):
        page.evaluate(FILL, ["a", day, None])
        before = page.locator("output.answer").first.inner_text().split(",")[0]
        changes = re.findall(r"“(\w+)” were ([\w-]+) instead of", page.locator(".turning").inner_text())
        row = {"plan": "a", "joined": day} | dict(changes)
        page.evaluate(FILL, [row["plan"], row["joined"], None])
        assert page.locator("output.answer").first.inner_text().split(",")[0] != before
        tried += any(name == "joined" for name, _ in changes)
    assert tried


def test_the_panel_decides_by_scores(visit, facts):
    """Where probabilities are equal, a score above nought still means the second class, as it does to the model."""
    facts = facts("two")
    for effect in facts["effects"]["effects"]:
        effect["values"] = [[0.0] for _ in effect["values"]]
    for score, place in ((1e-20, 1), (0.0, 0), (-1e-20, 0)):
        facts["effects"]["start"] = [score]
        answer = visit(to_html(facts)).locator("output").inner_text()
        assert answer == f"{facts['what_if']['classes'][place]}, 50.0 %"


def test_the_panel_says_what_holds_in_90_of_100_rows(visit, facts):
    """The classes within the margin, the likeliest always; an interval; and nothing where there was no exam."""
    shown = "document.querySelector('.sure').textContent"
    facts_of_two, facts_of_price = facts("two"), facts("price")
    for effect in (*facts_of_two["effects"]["effects"], *facts_of_price["effects"]["effects"]):
        effect["values"] = [[0.0] for _ in effect["values"]]
    facts_of_two["effects"]["start"], facts_of_two["what_if"]["classes"] = [1.0], ["no", "yes"]  # 73 % yes
    holds = "An answer like this holds in 90 of 100 new rows: it is "  # the row itself is "yes" in 73 of 100
    for margin, said in ((0.3, "“yes”."), (0.1, "“yes”."), (0.8, "one of: “no”, “yes”.")):
        facts_of_two["what_if"]["margin"] = margin
        assert visit(to_html(facts_of_two)).evaluate(shown) == holds + said
    facts_of_two["what_if"]["margin"] = None
    assert visit(to_html(facts_of_two)).evaluate(shown) == ""
    facts_of_price["effects"]["start"], facts_of_price["what_if"]["limits"] = [2.0], None
    facts_of_price["what_if"] |= {"margin": 0.5, "link": "identity"}
    assert visit(to_html(facts_of_price)).evaluate(shown) == "In 90 of 100 such rows it is between 1.5 and 2.5."
    facts_of_price["what_if"] |= {"link": "log"}
    page = visit(to_html(facts_of_price))
    assert page.locator("output").inner_text() == f"{np.exp(2):.4f}"
    assert (
        page.evaluate(shown) == f"In 90 of 100 such rows it is between {np.exp(2) / 2:.4f} and {1.5 * np.exp(2):.3f}."
    )


@pytest.mark.parametrize("target", ["two", "class", "price"])
def test_marks_show_where_the_row_stands(visit, table, pages, target):
    """One mark a picture, or one a class, and another one after the value has changed."""
    page = visit(pages(target))
    marks = "[...document.querySelectorAll('[data-effect] .here')].map(m => m.closest('figure').dataset.effect)"
    assert len(set(page.evaluate(marks))) > 1
    age = "[...document.querySelectorAll('figure')].find(f => f.querySelector('h3')?.textContent.startsWith('age'))"
    here = f"[...{age}.querySelectorAll('.here')].map(m => m.dataset.cells)"
    page.get_by_label("age", exact=True).fill("-5")
    assert page.evaluate(here)[0] == "0"
    page.get_by_label("age", exact=True).fill("500")
    assert page.evaluate(here)[0] != "0"


def test_the_smallest_change_turns_the_decision(visit, pages):
    """Do as the sentence says, and the answer is another one."""
    page = visit(pages("two"))
    for age in ("25", "60"):
        page.get_by_label("age", exact=True).fill(age)
        before = page.locator("output").inner_text().split(",")[0]
        said = page.locator(".turning").inner_text()
        change = re.search(r"if “(\w+)” were (.+) instead of .+, it would be “(.+)”", said)
        if change is None:
            assert said.startswith("No change of one value was found")
            continue
        if " and “" in said:  # several values at once
            continue
        column, value, after = change.groups()
        control = page.get_by_label(column, exact=True)
        if column == "age":
            numbers = [float(word) for word in re.findall(r"[-\d.]+", value)]
            control.fill(str(numbers[0] - 0.01 if value.startswith("up to") else numbers[0] + 0.01))
        else:
            control.select_option(label=value)
        assert page.locator("output").inner_text().split(",")[0] == after != before
        page.get_by_role("button", name="Back to a typical row").click()


def test_what_two_values_do_only_together_turns_the_decision(visit):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.choice(["no", "yes"], (200, 3)), columns=["wet", "cold", "dark"])
    frame["ice"] = np.where((frame["wet"] == "yes") & (frame["cold"] == "yes"), "ice", "none")
    page = visit(to_html(facts_of(frame, "ice")))
    for name in ("wet", "cold", "dark"):
        page.get_by_label(name, exact=True).select_option(label="no")
    assert page.locator("output").inner_text().startswith("none")
    said = page.locator(".turning").inner_text()
    assert re.findall(r"“(\w+)” were (\w+) instead of no", said) in (
        [("wet", "yes"), ("cold", "yes")],
        [("cold", "yes"), ("wet", "yes")],
    )
    assert said.endswith("it would be “ice”.")


def test_the_panel_by_keyboard(visit, pages):
    page = visit(pages("two"))
    first = page.locator("output").inner_text()
    assert page.locator("output").get_attribute("aria-live") == "polite"
    page.get_by_label("colour", exact=True).focus()
    before = page.locator("#what-if").get_attribute("data-prediction")
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    after = page.locator("#what-if").get_attribute("data-prediction")
    assert before != after
    page.get_by_label("age", exact=True).fill("23.5")
    assert page.locator("#what-if").get_attribute("data-prediction") != after
    page.get_by_role("button", name="Back to a typical row").press("Enter")
    assert page.locator("output").inner_text() == first
    assert page.locator(".parts tbody tr").count() > 3


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_sticks_out(visit, pages, width, scheme):
    page = visit(pages("class"), viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("[...document.querySelectorAll('svg')].every(s => s.getAttribute('aria-label'))")
    unlabelled = "[...document.querySelectorAll('select, input')].filter(c => !c.labels.length).length"
    assert page.evaluate(unlabelled) == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == BACK[scheme]
    assert len(page.pdf()) > 10_000  # it prints


def test_hostile_names_in_the_browser(visit, hostile_page):
    page = visit(hostile_page, viewport={"width": 390, "height": 900})
    assert page.evaluate("document.scripts.length") == 2
    assert page.evaluate("document.images.length") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert HOSTILE[0] in page.locator("h1").inner_text()
    assert page.locator("section").count() == 6
    labels = page.evaluate("[...document.querySelectorAll('#what-if label')].map(l => l.textContent)")
    assert HOSTILE[1] in labels
    assert "x" * 79 + "…" in labels
    file = json.loads(page.locator("#what-if-model").text_content())
    assert set(file["classes"]) == {HOSTILE[1], HOSTILE[2], HOSTILE[5]}
    assert any("x" * 10_000 in column["name"] for column in file["columns"])
    probabilities = json.loads(page.locator("#what-if").get_attribute("data-prediction"))
    assert sum(probabilities) == pytest.approx(1)


def test_the_page_in_a_notebook(visit, facts):
    """The frame keeps its style to itself, its links lead to its own sections, and its panel works."""
    shown = framed(facts("two"))  # what a report shows of itself there
    page = visit(
        f"<!doctype html><meta charset='utf-8'><title>n</title><style>h1 {{color: red}}</style><h1>n</h1>{shown}"
    )
    frame = page.frames[1]
    colours = [f.evaluate("getComputedStyle(document.querySelector('h1')).color") for f in page.frames]
    assert colours[0] == "rgb(255, 0, 0)"
    assert colours[1] != colours[0]
    assert page.evaluate("document.querySelector('iframe').clientHeight") > 400
    frame.get_by_role("link", name="The table").click()
    frame.wait_for_function("window.scrollY > 100")
    assert frame.url == "about:srcdoc#table"
    before = frame.locator("#what-if").get_attribute("data-prediction")
    frame.get_by_label("age", exact=True).fill("23.5")
    assert frame.locator("#what-if").get_attribute("data-prediction") != before
