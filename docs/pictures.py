"""The pictures at the front of the documentation: the page of a report, three effects and a card, in a browser.

usage: PACLEARN_DATA=folder python docs/pictures.py    (needs playwright and chromium; writes docs/_static/*.png)
"""

import os
import shutil
import tempfile
from pathlib import Path

import pandas as pd
from card import adult_card
from PIL import Image
from playwright.sync_api import sync_playwright

from paclearn import Report

STATIC = Path(__file__).parent / "_static"
WIDE = 1000
SHOWN = 3


def page_of_adult(folder):
    frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / "adult.parquet").rename(columns={"target": "income"})
    path = Path(folder) / "adult.html"
    Report(frame, "income", name="adult").save(path)
    return path


def part(page, first, last):
    """Where a part of the page begins and ends."""
    top, bottom = (page.locator(at).first.bounding_box() for at in (first, last))
    return {"x": 0, "y": top["y"] - 8, "width": WIDE, "height": bottom["y"] - top["y"]}


def shrink(path):
    """Few colours are enough, and a third of the bytes."""
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)


def draw(page, path):
    page.goto(path.as_uri())
    page.screenshot(path=STATIC / "page.png", full_page=True, clip=part(page, "#model", "#what-if-title"))
    hide = "most => document.querySelectorAll('.effects figure').forEach((f, i) => { f.hidden = i >= most; })"
    page.evaluate(hide, SHOWN)
    page.locator(".effects").first.screenshot(path=STATIC / "effects.png")


def draw_card(page):
    """As a notebook shows it."""
    *_, card = adult_card()
    page.set_content(f'<body style="font: 15px system-ui, sans-serif; margin: 8px">{card._repr_html_()}</body>')
    page.locator(".paclearn-card").screenshot(path=STATIC / "card.png")


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = page_of_adult(folder)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        draw(browser.new_page(viewport={"width": WIDE, "height": 900}), path)
        draw_card(browser.new_page(viewport={"width": WIDE, "height": 600}))
        browser.close()
    for name in ("page.png", "effects.png", "card.png"):
        shrink(STATIC / name)


if __name__ == "__main__":
    main()
