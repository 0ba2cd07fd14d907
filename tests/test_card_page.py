"""The card of adult in the documentation, applied to the five rows on the page as a reader would, by hand."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from paclearn.export import load

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "guides" / "export.md").read_text()
CARD, REST = re.search(
    r"<!-- the card: docs/card.py -->\n\n```text\n(.*?)```\n(.*?)<!-- the end", PAGE, re.DOTALL
).groups()
LINES = [(name, int(points)) for name, points in re.findall(r"^(.*\S) {2,}([+-]\d+)$", CARD, re.MULTILINE)]
HEAD, _, *ROWS = [[c.strip() for c in line.strip("| ").split(" | ")] for line in REST.splitlines() if line[:1] == "|"]


def is_true(condition, row):
    """One condition, read as it stands."""
    if listed := re.fullmatch(r"(.+?) (not )?in \{(.*)\}", condition):
        known = row[listed[1]] != "missing"  # and what is missing answers no
        return known and (row[listed[1]] in listed[3].split(", ")) != bool(listed[2])
    if between := re.fullmatch(r"(\S+) < (.+) <= (\S+)", condition):
        return float(between[1]) < float(row[between[2]]) <= float(between[3])
    name, sign, value = re.fullmatch(r"(.+) (>|<=|=|!=) (.+)", condition).groups()
    if sign in {"=", "!="}:
        return (row[name] == value) == (sign == "=")
    return (float(row[name]) > float(value)) == (sign == ">")


def test_the_card_is_short():
    assert 5 <= len(LINES) <= 10
    assert len(ROWS) == 5


@pytest.mark.parametrize("cells", ROWS, ids=lambda cells: " ".join(cells[:3]))
def test_the_card_says_by_hand_what_the_page_and_the_model_say(cells):
    row = dict(zip(HEAD, cells, strict=True))
    true = [points for line, points in LINES if is_true(line, row)]
    shown = row["points"].split(" = ")
    assert sum(true) == int(shown[-1])
    if len(shown) > 1:
        assert sorted(map(int, shown[0].split())) == sorted(true)
    least, high, low = re.search(r"Add up the points: (-?\d+) or more mean (\S+), fewer mean (\S+)\.", CARD).groups()
    assert row["the card says"] == (high if sum(true) >= int(least) else low)

    model = load(DOCS / "_static" / "adult_card.json")
    known = {c.name for c in model.model_.columns}
    values = {n: [np.nan if v == "missing" else float(v) if v.isdigit() else v] for n, v in row.items() if n in known}
    label, chance = row["the model says"].split(", ")
    met = pd.DataFrame(values, columns=model.feature_names_in_)  # other columns are of no account
    assert model.predict(met)[0] == label == row["the card says"]
    sure = 100 * model.predict_proba(met).max()
    assert chance == ("over 99 %" if sure >= 99.5 else f"{sure:.0f} %")


def test_the_lines_are_those_of_the_model():
    model = load(DOCS / "_static" / "adult_card.json").model_
    assert {line for line, _ in LINES} <= set(model.term_names)
