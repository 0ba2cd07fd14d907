"""The card of adult on the page about scorecards: fitted, applied to five rows, and written to the page.

The model goes to a file beside the pictures, so that a test can hold the page against it without the table.

usage: PACLEARN_DATA=folder python docs/card.py    (writes docs/guides/export.md and docs/_static/adult_card.json)
"""

import os
import re
from pathlib import Path

import pandas as pd

from paclearn import SpectralClassifier
from paclearn.export import save, to_scorecard

DOCS = Path(__file__).parent
TRAINED_ON = 32_561  # the first rows, which the repository calls adult.data; the others are adult.test
SHOWN = 5


def sentences(card, model, frame, y):
    test, labels = frame[TRAINED_ON:], y[TRAINED_ON:]
    said = model.predict(test), card.predict(test)
    good = [f"{100 * (one == labels).mean():.1f} %" for one in said]
    return (
        f"Of the {len(test):_} test rows the model is right on {good[0]} and the card on {good[1]}; they say the same\n"
        f"of {100 * (said[0] == said[1]).mean():.1f} %. The first five of these rows, by hand:"
    ).replace("_", " ")


def percent(chance):
    return f"{100 * chance:.0f} %" if chance < 0.995 else "over 99 %"


def table(card, model, rows):
    used = [column.name for column in model.model_.columns]
    points = dict(zip(card.model.term_names, card.points.tolist(), strict=True))
    lines = [
        "| " + " | ".join([*used, "points", "the card says", "the model says"]) + " |",
        "|" + " --- |" * (len(used) + 3),
    ]
    for i, row in enumerate(model.explain(rows, most=99)):
        true = sorted(
            (points[part.text] for part in row.parts if part.holds and points[part.text]), key=lambda p: -abs(p)
        )
        total = " ".join([*(f"{p:+d}" for p in true), f"= {sum(true)}"]) if len(true) > 1 else f"{sum(true)}"
        values = ["missing" if pd.isna(rows[name].iloc[i]) else str(rows[name].iloc[i]) for name in used]
        said = [card.predict(rows)[i], model.predict(rows)[i]]
        chance = f"{said[1]}, {percent(model.predict_proba(rows)[i].max())}"
        lines.append("| " + " | ".join([*values, total, said[0], chance]) + " |")
    return "\n".join(lines)


def adult_card():
    """The table, its labels, the model and the card."""
    frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / "adult.parquet")
    y = frame.pop("target")
    model = SpectralClassifier(degree=1, max_terms=10, random_state=0).fit(frame[:TRAINED_ON], y[:TRAINED_ON])
    return frame, y, model, to_scorecard(model, frame[:TRAINED_ON], y[:TRAINED_ON])


def main():
    frame, y, model, card = adult_card()
    save(model, DOCS / "_static" / "adult_card.json")
    rows = frame[TRAINED_ON : TRAINED_ON + SHOWN]
    block = f"```text\n{card}\n```\n\n{sentences(card, model, frame, y)}\n\n{table(card, model, rows)}\n"
    page = DOCS / "guides" / "export.md"
    begin, end = "<!-- the card: docs/card.py -->\n", "<!-- the end of the card -->"
    text = re.sub(f"{begin}.*{end}", lambda _: begin + "\n" + block + "\n" + end, page.read_text(), flags=re.DOTALL)
    page.write_text(text)


if __name__ == "__main__":
    main()
