"""Whole fits of tables that are small, in processor seconds: four shapes on which fits once took half a minute.

Tables are made up, of the shapes and kinds of known ones: 649 pupils with 30 answers and a mark; 226 cases with 69
findings and 24 causes of most uneven frequency, 30 terms; 3,700 messages with 57 shares of words, mostly nought;
8,000 letters with 16 small integers. Seconds differ between machines and between tables of a shape; beside them stands
what was asked for.

usage: python -m benchmarks.speed.small_tables [--shapes ...] [--seeds 1]
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd

from paclearn import SpectralClassifier, SpectralRegressor


def pupils(rng, n=649):
    """Answers of two to five levels and marks from one to five; the target is a whole number from 0 to 20."""
    levels = rng.integers(2, 6, 17)
    words = {f"c{j}": np.array(list("abcde"))[rng.integers(0, k, n)] for j, k in enumerate(levels)}
    marks = {f"n{j}": rng.integers(1, 6, n) for j in range(13)}
    frame = pd.DataFrame({**words, **marks})
    score = 0.6 * frame.n0 - 0.5 * frame.n1 + 1.2 * (frame.c0 == "a") + 0.8 * ((frame.c1 == "a") & (frame.n2 > 3))
    return frame, np.clip(np.round(11 + score + rng.normal(0, 2.5, n)), 0, 20)


def findings(rng, n=226):
    """Mostly absent findings, each likelier with some causes."""
    share = 1 / np.arange(1, 25) ** 1.1
    cause = rng.choice(24, n, p=share / share.sum())
    cause[:48] = np.repeat(np.arange(24), 2)
    likely = rng.random((24, 69)) ** 6
    frame = pd.DataFrame((rng.random((n, 69)) < likely[cause]).astype(int), columns=[f"f{j}" for j in range(69)])
    return frame.replace({0: "no", 1: "yes"}), np.array([f"cause {k}" for k in cause], dtype=object)


def messages(rng, n=3700):
    """Shares of words, most of them nought, skewed; one message in twenty is filed wrongly."""
    spam = rng.random(n) < 0.4
    often = np.where(spam[:, None], rng.random(57) ** 2, rng.random(57) ** 2)
    size = np.exp(rng.normal(-1 + 0.5 * spam[:, None] * rng.random(57), 1.0))
    shares = np.where(rng.random((n, 57)) < often, size, 0.0).round(2)
    return pd.DataFrame(shares, columns=[f"w{j}" for j in range(57)]), np.where(
        spam ^ (rng.random(n) < 0.05), "spam", "ham"
    )


def letters(rng, n=8000):
    """Small integers about the centre of a letter's."""
    letter = rng.integers(0, 26, n)
    centres = rng.normal(7, 2.2, (26, 16))
    numbers = np.clip(np.round(centres[letter] + rng.normal(0, 1.8, (n, 16))), 0, 15).astype(int)
    return pd.DataFrame(numbers, columns=[f"m{j}" for j in range(16)]), np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))[
        letter
    ]


SHAPES = {
    "pupils": (pupils, SpectralRegressor(random_state=0), 2),
    "findings": (findings, SpectralClassifier(max_terms=30, random_state=0), 3),
    "messages": (messages, SpectralClassifier(random_state=0), 10),
    "letters": (letters, SpectralClassifier(random_state=0), 15),
}


def seconds(shape, seed):
    make, learner, _ = SHAPES[shape]
    rng = np.random.default_rng(seed)
    frame, y = make(rng)
    begin = time.process_time()
    learner.fit(frame, y)
    return time.process_time() - begin, frame.shape


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", choices=list(SHAPES), default=list(SHAPES))
    parser.add_argument("--seeds", type=int, default=1)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # classes with fewer rows than folds
    for shape in asked.shapes:
        for seed in range(asked.seeds):
            took, (rows, columns) = seconds(shape, seed)
            print(f"{shape} {rows} x {columns}: {took:.1f} s of {SHAPES[shape][2]}", flush=True)


if __name__ == "__main__":
    main()
