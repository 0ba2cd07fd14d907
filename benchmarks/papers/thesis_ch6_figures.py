"""Figures 6-2 to 6-31 of the thesis, drawn small: what it says comes out ahead, and what does here.

Every draw has a law, a function and rows of its own. A comparison is a mean difference over draws with its standard
error, in points of accuracy (figures of numbers: of the variance explained); it holds beyond two standard errors, and
two are alike within a point. The table is printed as Markdown.

usage: python -m benchmarks.papers.thesis_ch6_figures [--figures 6-2 ...] [--repeats 6] [--jobs 1]
       [--output docs/_static/few_rows.svg]      figure 6-5 needs the folder of tables in PACLEARN_DATA
"""

from __future__ import annotations

import argparse
import time

from benchmarks.papers.chapter6 import others, structure, tribes
from benchmarks.papers.chapter6.claims import Runner

FIGURES = {
    name.removeprefix("figure_").replace("_", "-"): function
    for module in (tribes, structure, others)
    for name, function in vars(module).items()
    if name.startswith("figure_6")
}


def report(name, run):
    """The rows of one figure."""
    start = time.process_time()
    claims = FIGURES[name](run)
    for claim in claims:
        ours, told = claim.cells()
        print(f"| {name} | {claim.text} | {ours} | {told} |", flush=True)
    print(f"<!-- {name}: {time.process_time() - start:.0f} s -->", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--figures", nargs="+", default=list(FIGURES), choices=list(FIGURES))
    arguments.add_argument("--repeats", type=int, default=6)
    arguments.add_argument("--jobs", type=int, default=1)
    arguments.add_argument("--output", help="a picture of figures 6-20 to 6-24")
    asked = arguments.parse_args()
    run = Runner(asked.repeats, asked.jobs)
    print("| figure | the thesis | ours | holds |\n| --- | --- | --- | --- |")
    for name in asked.figures:
        report(name, run)
    if asked.output:
        structure.draw_figures(run, asked.output)


if __name__ == "__main__":
    main()
