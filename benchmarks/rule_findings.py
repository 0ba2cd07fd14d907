"""How often `find_rules` reports what is not there, and how often it finds what is.

Tables of noise have dependent columns, rare levels, missing values and a number, and a target apart from them: classes
of a half, of a twentieth, or three of unequal size, or numbers of heavy tails. At most a share `fdr` of them may have
any finding. Planted rules of one, two and three conditions stand among 20 columns of two, three and six levels, with a
class of 80 % where the rule holds and of 30 % elsewhere; they count as found where they are told in the very words.

usage: python -m benchmarks.rule_findings [--null 200] [--planted 40] [--seed 0]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pandas as pd
from scipy import stats

from paclearn import find_rules

PLANTED = {  # rows that suffice, and the rule
    300: {"b0": "1"},
    800: {"b0": "1", "t0": "a"},
    2000: {"b0": "1", "t0": "a", "b1": "0"},
}


def noise(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([100, 300, 1000]))
    z = rng.normal(size=(n, 3))
    level = np.array(list("abcdefgh"))[np.minimum(rng.geometric(0.5, n) - 1, 7)]
    frame = pd.DataFrame(
        {
            **{f"b{i}": z[:, i % 3] + 0.5 * rng.normal(size=n) > rng.uniform(-1, 2) for i in range(8)},
            "level": level,
            "copy": np.where(rng.random(n) < 0.9, level, "a"),
            "number": np.where(rng.random(n) < 0.1, np.nan, z[:, 0]),
        }
    )
    law = (lambda: rng.random(n) < 0.5, lambda: rng.random(n) < 0.05, lambda: rng.choice(3, n, p=[0.7, 0.2, 0.1]),
           lambda: rng.standard_t(2, n))[seed % 4]  # fmt: skip
    y = law().astype(float) if seed % 4 == 3 else law().astype(int)
    y[:2] = (0, 1)
    return frame, y


def planted(n, rule, seed):
    """A table with a rule in it, and the rule in words."""
    rng = np.random.default_rng(seed)
    columns = {f"b{i}": rng.choice(["0", "1"], n) for i in range(10)}
    columns |= {f"t{i}": rng.choice(list("abc"), n) for i in range(6)}
    columns |= {f"s{i}": rng.choice(list("abcdef"), n) for i in range(4)}
    inside = np.all([columns[name] == level for name, level in rule.items()], axis=0)
    y = np.where(rng.random(n) < np.where(inside, 0.8, 0.3), "yes", "no")
    frame = pd.DataFrame(columns)[sorted(columns)]
    return frame, y, {f"{name} = {level}" for name, level in rule.items()}


def report_noise(n_tables, seed, fdr=0.1):
    with_any = sum(len(find_rules(*noise(seed + i), fdr=fdr)) > 0 for i in range(n_tables))
    chance = stats.binom.sf(with_any - 1, n_tables, fdr) if with_any else 1.0
    print(f"noise: {with_any} of {n_tables} tables have any rule; at most {fdr:.0%} may (p = {chance:.2g})", flush=True)


def report_planted(n_tables, seed):
    for n, rule in PLANTED.items():
        found = 0
        for i in range(n_tables):
            frame, y, words = planted(n, rule, seed + i)
            told = find_rules(frame, y)
            found += any(
                set(text.split(" and ")) == words and c == "yes"
                for text, c in told[["rule", "class"]].itertuples(index=False)
            )
        print(f"planted: a rule of {len(rule)} in {n:,} rows is found in {found} of {n_tables} tables", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--null", type=int, default=200)
    parser.add_argument("--planted", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    started = time.process_time()
    report_noise(options.null, options.seed)
    report_planted(options.planted, options.seed)
    print(f"{time.process_time() - started:.0f} s of one processor")


if __name__ == "__main__":
    main()
