"""The page in a real browser: its panel says what the model says, and hostile names stay text."""

import json
import shutil
import warnings
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from test_report import COLUMNS, HOSTILE, as_table, facts_of, mixed

from paclearn.report import ReportOptions, to_html
from paclearn.report.model_facts import fit_some, maker
from paclearn.report.report_options import Limits

BACK = {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 23, 29)"}
FLAGS = ["--no-sandbox", "--disable-gpu"]


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
    frame = mixed(200, 0)
    frame["two"] = np.where(frame["class"] == "p", "p", "not p")
    return frame


@pytest.fixture(scope="module")
def facts(table):
    """Of one report a target."""
    return {target: facts_of(table[[*COLUMNS, target]], target) for target in ("two", "class", "price")}


@pytest.fixture(scope="module")
def pages(facts):
    return {target: to_html(each) for target, each in facts.items()}


@pytest.mark.parametrize("target", ["two", "class", "price"])
def test_the_panel_says_what_the_model_says(visit, table, pages, target):
    """200 rows of other draws: with holes, and with levels that the fit never saw."""
    classify = target != "price"
    options = ReportOptions(quick=True, n_jobs=1)
    limits = Limits.of(len(table), len(COLUMNS), table[target].nunique() if target == "class" else 1, quick=True)
    y = table[target].to_numpy(dtype=object if classify else float)
    model = fit_some(maker(options, limits, classify=classify, short=False), as_table(table[COLUMNS]), y, limits.fit, 0)
    page = visit(pages[target])
    fresh = mixed(200, 1)[COLUMNS]
    assert fresh.isna().any().any()
    assert (fresh["colour"] == "rare1").any()
    said = np.array([page.evaluate(FILL, [plain(v) for v in row]) for row in fresh.itertuples(index=False)])
    if classify:
        np.testing.assert_allclose(said, model.predict_proba(as_table(fresh)), atol=1e-6)
        assert np.ptp(said[:, 0]) > 0.5
    else:
        np.testing.assert_allclose(said[:, 0], model.predict(as_table(fresh)), atol=1e-5)
        assert np.ptp(said) > 1


def test_the_panel_decides_by_scores(visit, facts):
    """Where probabilities are equal, a score above nought still means the second class, as it does to the model."""
    facts = deepcopy(facts["two"])
    file = facts["what_if"]["model"]
    file["model"]["weights"] = [[0.0] for _ in file["model"]["terms"]]
    for score, place in ((1e-20, 1), (0.0, 0), (-1e-20, 0)):
        file["model"]["intercept"] = [score]
        answer = visit(to_html(facts)).locator("output").inner_text()
        assert answer == f"{file['classes'][place]}, 50.0 %"


def test_the_panel_by_keyboard(visit, pages):
    page = visit(pages["two"])
    first = page.locator("output").inner_text()
    assert page.locator("output").get_attribute("aria-live") == "polite"
    page.get_by_label("colour").focus()
    before = page.locator("#what-if").get_attribute("data-prediction")
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    after = page.locator("#what-if").get_attribute("data-prediction")
    assert before != after
    page.get_by_label("age").fill("23.5")
    assert page.locator("#what-if").get_attribute("data-prediction") != after
    page.get_by_role("button", name="Back to a typical row").press("Enter")
    assert page.locator("output").inner_text() == first
    assert page.locator(".parts tbody tr").count() > 3


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_sticks_out(visit, pages, width, scheme):
    page = visit(pages["class"], viewport={"width": width, "height": 900}, color_scheme=scheme)
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
    assert set(file["model"]["classes"]) == {HOSTILE[1], HOSTILE[2], HOSTILE[5]}
    assert any("x" * 10_000 in column["name"] for column in file["model"]["columns"])
    probabilities = json.loads(page.locator("#what-if").get_attribute("data-prediction"))
    assert sum(probabilities) == pytest.approx(1)
