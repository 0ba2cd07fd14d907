"""Figures 6-25 to 6-31: polynomials, their signs, and boards of tic-tac-toe."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.papers.chapter6.claims import Claim, better_of
from benchmarks.papers.chapter6.learners import LEARNERS, OTHERS, TREES, Setting
from benchmarks.papers.chapter6.tribes import PROPOSED, SELECTORS

POLYNOMIAL = Setting("polynomial 24", "grid", 2.0, 1000, ("raw", "naive"), share=1 / 3)
THRESHOLD = replace(POLYNOMIAL, task="threshold 30", law="chain")
BOARDS = replace(POLYNOMIAL, task="boards", law="hmm", sizes=(10, 25, 50, 100))
SIZES = (50, 170)


def compared(run, base, n):
    """Raw, naive and proposed features, the latter as the thesis found best.

    That is algorithm 3 under the true law, and for trees algorithm 2 under independence.
    """
    plain = replace(base, n=n, sizes=SIZES)
    rest = run.found(replace(plain, sources=("raw", "naive", "algorithm 3"), learners=OTHERS))
    trees = run.found(replace(plain, sources=("raw", "naive", "algorithm 2, product"), learners=TREES))
    found = dict.fromkeys(OTHERS, rest) | dict.fromkeys(TREES, trees)
    kinds = dict.fromkeys(OTHERS, "algorithm 3") | dict.fromkeys(TREES, "algorithm 2, product")
    return found, {name: found[name].best(kinds[name], name) for name in LEARNERS}


def features_compared(run, base, small, large):
    claims = []
    for n in (small, large):
        found, proposed = compared(run, base, n)
        raw = {name: (proposed[name], found[name].best("raw", name)) for name in LEARNERS}
        naive = {name: (proposed[name], found[name].best("naive", name)) for name in LEARNERS}
        rivals = {name: (proposed["linear"], proposed[name]) for name in LEARNERS if name != "linear"}
        claims += [
            Claim(f"N = {n}: the proposed are better than raw bits", raw),
            Claim(f"N = {n}: the proposed are better than all pairs", naive),
            Claim(f"N = {n}: with them a linear model is no worse than these", rivals, "no worse"),
        ]
    return claims


def selectors_compared(run, base, few, many):
    found = run.found(replace(base, n=1000, sources=("algorithm 2", "algorithm 3", *SELECTORS), share=1.0))
    proposed = better_of(found, *PROPOSED)
    some = {f"{k} features": (found.at(k, "algorithm 3"), found.at(k, "p-value")) for k in (few, 50, many)}
    start = {f"{few} features": (found.at(few, "pursuit"), found.at(few, "algorithm 3"))}
    return [
        Claim("algorithm 3 is better than p-values", some),
        Claim("pursuit is better with very few features", start),
        Claim("LASSO and pursuit are like the proposed",
              {name: (proposed, found.best(name)) for name in SELECTORS[1:]}, kind="alike"),
    ]  # fmt: skip


def figure_6_25(run):
    return features_compared(run, POLYNOMIAL, 200, 500)


def figure_6_26(run):
    return selectors_compared(run, POLYNOMIAL, 10, 100)


def figure_6_27(run):
    return features_compared(run, THRESHOLD, 200, 1000)


def figure_6_28(run):
    return selectors_compared(run, THRESHOLD, 10, 100)


def figure_6_30(run):
    found = features_compared(run, BOARDS, 200, 1000)
    return [claim for claim in found if "linear" not in claim.text]


def figure_6_31(run):
    found = run.found(replace(BOARDS, sources=("algorithm 3", *SELECTORS), share=1.0))
    few = {name: {f"{k} features": (found.at(k, "algorithm 3"), found.at(k, name)) for k in (10, 25, 50, 100)}
           for name in SELECTORS}  # fmt: skip
    return [Claim(f"{name} is like algorithm 3", both, "alike") for name, both in few.items()]
