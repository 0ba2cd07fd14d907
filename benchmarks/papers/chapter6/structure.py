"""Figures 6-20 to 6-24: few rows and the wrong structure, as claims and as one picture."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.papers.chapter6.claims import Claim, mean_and_error, pairs
from benchmarks.papers.chapter6.learners import Setting

FEW = (100, 200, 500, 1000, 2000, 5000)
UNIFORM, PRODUCT, GRID = ("algorithm 3, uniform", "algorithm 3, product", "algorithm 3, grid")


def grid_setting(**changes):
    base = Setting("tribes 4x6", "grid", 2.0, 100, (UNIFORM, PRODUCT, GRID), sizes=(10, 25, 50, 100, 200), share=2.5)
    return replace(base, **changes)


def structures(run, name):
    """The settings of figures 6-20 to 6-24."""
    if name == "6-20":
        base = grid_setting(law="product", alpha=5.0, sources=(UNIFORM, PRODUCT))
        return run.many(base, "N = {n}", n=FEW)
    if name == "6-22":
        return run.many(grid_setting(n=2000, share=1.5), "α = {alpha}", alpha=(0.5, 1.0, 2.0, 5.0, 20.0))
    if name == "6-23":
        return run.many(grid_setting(learners=("RBF SVM",), sizes=(10, 50, 200), share=0.5), "N = {n}", n=FEW[:-1])
    if name == "6-24":
        sources = tuple(s.replace("3", "2") for s in (UNIFORM, PRODUCT, GRID))
        return run.many(
            grid_setting(learners=("forest",), sources=sources, sizes=(10, 50, 200), share=0.5), "N = {n}", n=FEW[:-1]
        )
    return run.many(grid_setting(), "N = {n}", n=FEW)


def first_ten(found, a, b, learner="linear"):
    return {"10 features": (found.at(10, a, learner), found.at(10, b, learner))}


def figure_6_20(run):
    found = structures(run, "6-20")
    settings = pairs(found, UNIFORM, PRODUCT)
    few, many = ({w: settings[w] for w in chosen} for chosen in (["N = 100"], ["N = 2000", "N = 5000"]))
    turned = {where: (b, a) for where, (a, b) in many.items()}
    return [
        Claim(
            "at N = 100 the uniform measure is better than the true one (product)",
            few | first_ten(found["N = 100"], UNIFORM, PRODUCT),
        ),
        Claim("with many rows the true one is no worse", turned, "no worse"),
    ]


def three_structures(run, name, learner):
    settings = structures(run, name)
    first, last = list(settings)[0], list(settings)[-1]  # noqa: RUF015
    few, many = ({w: settings[w] for w in chosen} for chosen in ([first], [last]))
    middle = {w: f for w, f in settings.items() if w not in {first, last}}
    return [
        Claim(
            "fewest rows: uniform is better than product",
            pairs(few, UNIFORM, PRODUCT, learner) | first_ten(settings[first], UNIFORM, PRODUCT, learner),
        ),
        Claim(
            "fewest rows: product is better than grid (true)",
            pairs(few, PRODUCT, GRID, learner) | first_ten(settings[first], PRODUCT, GRID, learner),
        ),
        Claim("in between: product is better than uniform", pairs(middle, PRODUCT, UNIFORM, learner)),
        Claim("most rows: grid is better than product", pairs(many, GRID, PRODUCT, learner)),
    ]


def figure_6_21(run):
    return three_structures(run, "6-21", "linear")


def figure_6_22(run):
    settings = structures(run, "6-22")
    gap = {w: f.best(GRID) - f.best(PRODUCT) for w, f in settings.items()}
    larger = {f"{a} and {b}": (gap[a], gap[b]) for a, b in zip(list(gap)[:-1], list(gap)[1:], strict=True)}
    return [
        Claim("grid (true) is better than product", pairs(settings, GRID, PRODUCT)),
        Claim("the lead of the true structure grows as α falls", larger),
    ]


def figure_6_23(run):
    return three_structures(run, "6-23", "RBF SVM")


def figure_6_24(run):
    settings = structures(run, "6-24")
    return [Claim("forest, algorithm 2: product is better than grid (true)",
                  pairs(settings, PRODUCT.replace("3", "2"), GRID.replace("3", "2"), "forest"))]  # fmt: skip


# ---- the picture -----------------------------------------------------------------------------------------------------

COLOURS = {"uniform": "#e08214", "product": "#b2182b", "grid": "#1b7837"}
TITLES = {
    "6-20": ("6-20: independent bits, logistic regression", "linear"),
    "6-21": ("6-21: a grid, logistic regression", "linear"),
    "6-23": ("6-23: a grid, SVM with RBF kernel", "RBF SVM"),
    "6-24": ("6-24: a grid, forest on algorithm 2", "forest"),
}


def draw_figures(run, output):
    """Accuracy against rows for 6-20, 6-21, 6-23 and 6-24, against α for 6-22."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(13, 7.5), layout="constrained")
    for ax, (name, (title, learner)) in zip(axes.flat, TITLES.items(), strict=False):
        draw_lines(ax, structures(run, name), learner)
        ax.set(title=title, xlabel="rows", ylabel="accuracy, %", xscale="log")
    few = {where: lambda source, f=f: f.at(10, source) for where, f in structures(run, "6-21").items()}
    draw_leads(axes[1, 1], few, "rows", "6-21 with 10 features: lead on uniform")
    best = {where: f.best for where, f in structures(run, "6-22").items()}
    draw_leads(axes[1, 2], best, "α", "6-22: a grid, 2000 rows: lead on uniform")
    axes[0, 1].legend()
    figure.savefig(output)


def draw_lines(ax, settings, learner):
    """The best accuracy under every measure."""
    across = [float(where.split("= ")[1]) for where in settings]
    for source in next(iter(settings.values())).setting.sources:
        found = [mean_and_error(f.best(source, learner)) for f in settings.values()]
        heights, errors = zip(*found, strict=True)
        measure = source.split(", ")[1]
        ax.errorbar(across, heights, errors, marker="o", markersize=4, color=COLOURS[measure], label=measure)


def draw_leads(ax, settings, label, title):
    """How much better than under the uniform measure, draw by draw."""
    across = [float(where.split("= ")[1]) for where in settings]
    for source in (PRODUCT, GRID):
        found = [mean_and_error(scores(source) - scores(UNIFORM)) for scores in settings.values()]
        heights, errors = zip(*found, strict=True)
        ax.errorbar(across, heights, errors, marker="o", markersize=4, color=COLOURS[source.split(", ")[1]])
    ax.axhline(0, color=COLOURS["uniform"], linewidth=1)
    ax.set(title=title, xlabel=label, ylabel="points of accuracy", xscale="log")
