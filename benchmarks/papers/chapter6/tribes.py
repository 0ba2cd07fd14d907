"""Figures 6-2 to 6-19: which algorithm, beside raw bits and general selectors, mostly on Tribes."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from benchmarks.papers.chapter6.claims import Claim, better_of, pairs
from benchmarks.papers.chapter6.learners import LEARNERS, OTHERS, TREES, Setting

LAWS = ("product", "chain", "hmm", "hidden", "grid")
PROPOSED = (("algorithm 2",), ("algorithm 3",))
THREE = ("algorithm 1", "algorithm 2", "algorithm 3")
RAW = ("raw", "naive", "algorithm 3")
TRIBES = Setting("tribes 4x6", "product", 5.0, 1000, RAW)
SELECTORS = ("p-value", "LASSO", "pursuit")


# ---- section 6.1: three algorithms -----------------------------------------------------------------------------------


def three_algorithms(settings):
    return [Claim(f"{name} is better than algorithm 1", pairs(settings, name, "algorithm 1")) for name in THREE[1:]]


def figure_6_2(run):
    base = Setting("tribes 3x5", "product", 5.0, 500, THREE, sizes=(5, 10, 20, 40, 80, 120))
    return three_algorithms(run.many(base, "α = {alpha}, N = {n}", alpha=(1.0, 2.0, 5.0), n=(200, 500, 2000)))


def figure_6_3(run):
    base = Setting("tribes 3x5", "chain", 5.0, 500, THREE, sizes=(5, 10, 20, 40, 80, 120))
    return three_algorithms(run.many(base, "{law}, N = {n}", law=LAWS[1:], n=(500, 2000)))


def figure_6_4(run):
    base = Setting("polynomial 15", "product", 5.0, 500, THREE, sizes=(5, 10, 20, 40, 80, 120))
    settings = run.many(base, "{law}, N = {n}", law=LAWS, n=(200, 500, 2000))
    gap = {f: s.best("algorithm 2") - s.best("algorithm 1") for f, s in settings.items()}
    shrinks = {law: (gap[f"{law}, N = 200"], gap[f"{law}, N = 2000"]) for law in LAWS}
    return [*three_algorithms(settings), Claim("the lead of algorithm 2 is larger at N = 200 than at 2000", shrinks)]


def figure_6_5(run):
    if "PACLEARN_DATA" not in os.environ:
        return []
    base = Setting("votes", "product", 0.0, 435, THREE, sizes=(5, 10, 20, 40, 80, 160), share=2.0)
    return three_algorithms(run.many(base, "votes, N = {n}", n=(100, 200, 435)))


# ---- section 6.2.1.2: raw bits ---------------------------------------------------------------------------------------


def figure_6_7(run):
    settings = run.many(TRIBES, "{law}, N = {n}", law=LAWS, n=(200, 500, 2000))
    return [
        Claim("all pairs are better than raw bits", pairs(settings, "naive", "raw")),
        Claim("algorithm 3 is better than raw bits", pairs(settings, "algorithm 3", "raw")),
        Claim("algorithm 3 is no worse than all pairs", pairs(settings, "algorithm 3", "naive"), "no worse"),
    ]


def figure_6_8(run):
    base = replace(TRIBES, law="chain", sources=RAW[1:], sizes=(50, 100, 200, 300, 1000), share=0.5)
    two = run.many(base, "N = {n}", n=(500, 2000, 5000))
    three = run.many(replace(base, degree=3), "N = {n}", n=(500, 2000, 5000))
    gap = lambda found: found.best("algorithm 3") - found.best("naive")  # noqa: E731
    wider = {where: (gap(three[where]), gap(two[where])) for where in two}
    gain = {where: three[where].best("algorithm 3") - two[where].best("algorithm 3") for where in two}
    return [
        Claim("the lead of algorithm 3 on all terms is larger at degree 3 than at 2", wider),
        Claim("degree 3 gains more at N = 5000 than at 500", {"chain": (gain["N = 5000"], gain["N = 500"])}),
    ]


def figure_6_9(run):
    base = replace(TRIBES, task="tribes 4x10", sizes=(25, 50, 100, 200, 400))
    settings = run.many(base, "α = {alpha}", alpha=(0.5, 1.0, 2.0, 5.0, 20.0))
    best = {where: found.best("algorithm 3") for where, found in settings.items()}
    easier = {f"{a} and {b}": (best[a], best[b]) for a, b in zip(list(best)[:-1], list(best)[1:], strict=True)}
    return [
        Claim("all pairs are better than raw bits", pairs(settings, "naive", "raw")),
        Claim("algorithm 3 is better than raw bits", pairs(settings, "algorithm 3", "raw")),
        Claim("the smaller α, the better algorithm 3 is", easier),
    ]


def figure_6_10(run):
    sizes = (25, 75, 300)
    base = Setting("tribes 4x6", "product", 5.0, 2000, ("raw", "algorithm 2"), tuple(LEARNERS), sizes, share=1 / 3)
    found = run.found(base)
    gains = {name: (found.best("algorithm 2", name), found.best("raw", name)) for name in LEARNERS}
    ahead = {name: (found.best("raw", name), found.best("raw")) for name in (*TREES, "MLP")}
    closer = {name: (a - found.best("raw"), found.best("algorithm 2", name) - gains["linear"][0])
              for name, (a, _) in ahead.items()}  # fmt: skip
    robust = {name: (found.at(300, "algorithm 2", name) - found.best("algorithm 2", name),
                     found.at(300, "algorithm 2", "RBF SVM") - found.best("algorithm 2", "RBF SVM"))
              for name in ("linear", "boosting")}  # fmt: skip
    return [
        Claim("every learner gains by algorithm 2", gains),
        Claim("on raw bits logistic regression is worse than these", ahead),
        Claim("with algorithm 2 it is less far behind them", closer),
        Claim("all 300 features cost it and boosting less than an SVM", robust),
    ]


# ---- section 6.2.1.3: general selectors ------------------------------------------------------------------------------


def figure_6_11(run):
    sources = ("algorithm 2", "algorithm 3", "elimination", *SELECTORS)
    base = Setting("tribes 4x6", "product", 2.0, 1000, sources, share=0.5)
    settings = run.many(base, "N = {n}", n=(500, 1000, 2000))
    proposed = {where: better_of(found, *PROPOSED) for where, found in settings.items()}
    small = {}
    for where, found in settings.items():
        gap = {k: found.at(k, "algorithm 3") - found.at(k, "p-value") for k in (10, 100)}
        small[where] = gap[10], gap[100]
    against = {name: {w: (proposed[w], f.best(name)) for w, f in settings.items()} for name in sources[2:]}
    return [
        Claim("the proposed are better than p-values", against.pop("p-value")),
        Claim("their lead is larger with 10 features than with 100", small),
        *(Claim(f"{name} is like the proposed", both, "alike") for name, both in against.items()),
    ]


def figure_6_12(run):
    base = Setting("tribes 4x6", "product", 2.0, 1000, ("algorithm 3", "p-value", "pursuit"))
    settings = run.many(base, "α = {alpha}", alpha=(1.0, 2.0, 5.0, 20.0))
    gap = {w: {k: f.at(k, "algorithm 3") - f.at(k, "p-value") for k in (10, 25, 50)} for w, f in settings.items()}
    near, far = gap["α = 20.0"], gap["α = 1.0"]
    larger = {f"{k} features, α = 1 and 20": (far[k], near[k]) for k in near}
    return [Claim("the lead on p-values is larger for smaller α", larger)]


def figure_6_13(run):
    found = run.found(
        Setting("tribes 4x6", "product", 2.0, 200, ("raw", "algorithm 3", *SELECTORS), sizes=(10, 25, 50))
    )
    others = {name: (found.best("algorithm 3"), found.best(name)) for name in SELECTORS}
    raw = {"raw bits": (found.best("raw"), found.best("algorithm 3"))}
    return [
        Claim("N = 200: no selector stands out", others, kind="alike"),
        Claim('N = 200: the proposed are "probably not a good idea"', raw),
    ]  # fmt: skip


def selected(run, n):
    sources = ("algorithm 2", "algorithm 3", *SELECTORS)
    return run.found(Setting("tribes 4x6", "product", 2.0, n, sources, tuple(LEARNERS), (25, 100), share=1 / 3))


def figure_6_14(run):
    found = selected(run, 1000)
    proposed = {name: better_of(found, ("algorithm 2", name), ("algorithm 3", name)) for name in LEARNERS}
    first = {name: max((found.at(25, a, name) for a in THREE[1:]), key=np.mean) for name in LEARNERS}
    few = {name: (first[name], found.at(25, "p-value", name)) for name in LEARNERS}
    rest = {f"{name}, {s}": (proposed[name], found.best(s, name)) for name in OTHERS for s in SELECTORS[1:]}
    trees = {f"{name}, {s}": (proposed[name], found.best(s, name)) for name in TREES for s in SELECTORS}
    return [
        Claim("better than p-values, 25 features", few),
        Claim("not trees: LASSO and pursuit are like the proposed", rest, kind="alike"),
        Claim("trees: the proposed are better than every selector", trees),
    ]


def figure_6_15(run):
    found = selected(run, 1000)
    second = {f"{n}, {s}": (found.best("algorithm 2", n), found.best(s, n)) for n in TREES for s in SELECTORS}
    third = {f"{n}, {s}": (found.best("algorithm 3", n), found.best(s, n)) for n in TREES for s in SELECTORS}
    return [
        Claim("trees: algorithm 2 is better than every selector", second),
        Claim("trees: algorithm 3 is like the selectors", third, kind="alike"),
    ]


# ---- section 6.2.1.4: algorithm 2 or 3 -------------------------------------------------------------------------------


def two_and_three(settings, fewest, most):
    small, *_, large = settings.values()
    lead = [f.best("algorithm 3") - f.best("algorithm 2") for f in (small, large)]
    at = lambda k, a, b: {w: (f.at(k, a), f.at(k, b)) for w, f in settings.items()}  # noqa: E731
    return [
        Claim("algorithm 3 is better at the smallest N", dict([next(iter(pairs(settings, *THREE[:0:-1]).items()))])),
        Claim("its lead shrinks with N", {"smallest and largest": tuple(lead)}),
        Claim(f"algorithm 3 is better with {most} features", at(most, "algorithm 3", "algorithm 2")),
        Claim(f"algorithm 2 is better with {fewest} features", at(fewest, "algorithm 2", "algorithm 3")),
    ]


def figure_6_16(run):
    base = Setting("tribes 4x10", "product", 2.0, 500, THREE[1:], sizes=(5, 10, 40, 150, 400))
    return two_and_three(run.many(base, "N = {n}", n=(200, 500, 1000, 5000)), 5, 400)


def figure_6_17(run):
    base = Setting("tribes 4x6", "chain", 2.0, 500, THREE[1:], sizes=(5, 10, 40, 150, 300))
    settings = run.many(base, "N = {n}", n=(200, 500, 1000, 5000))
    return [Claim("algorithm 2 never takes over: 3 is no worse", pairs(settings, *THREE[:0:-1]), "no worse")]


def figure_6_18(run):
    base = Setting("tribes 4x6", "product", 5.0, 500, THREE[1:], sizes=(10, 25, 50, 100, 200, 300), share=2.0)
    settings = run.many(base, "N = {n}", n=(200, 500, 2000))
    won = {}
    for where, found in settings.items():
        third, second = (found.scores[name, "linear"].max(axis=1) for name in ("algorithm 3", "algorithm 2"))
        won[where] = 100.0 * (third > second), 100.0 * (third < second)
    return [Claim("single draws: algorithm 3 is the better one more often (percent of draws)", won)]


def figure_6_19(run):
    small, large = selected(run, 200), selected(run, 1000)
    settings = {"N = 200": small, "N = 1000": large}
    trees = {
        f"{n}, {w}": (f.best("algorithm 2", n), f.best("algorithm 3", n)) for n in TREES for w, f in settings.items()
    }
    rest = {n: (small.best("algorithm 3", n), small.best("algorithm 2", n)) for n in OTHERS}
    catches = {n: (small.best("algorithm 3", n) - small.best("algorithm 2", n),
                   large.best("algorithm 3", n) - large.best("algorithm 2", n)) for n in OTHERS}  # fmt: skip
    loss = {
        w: tuple(f.at(100, a, "polynomial SVM") for a in ("algorithm 3", "algorithm 2")) for w, f in settings.items()
    }
    return [
        Claim("trees: algorithm 2 is better than 3", trees),
        Claim("not trees, N = 200: algorithm 3 is better than 2", rest),
        Claim("not trees: its lead shrinks from N = 200 to 1000", catches),
        Claim("polynomial SVM, 100 features: algorithm 2 overfits", loss),
    ]
