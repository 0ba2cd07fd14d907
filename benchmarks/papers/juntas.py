"""What the paper on juntas claims (Heidari, Shamir, Szpankowski): Theorem 5 on biased bits, Table 1, and beyond juntas.

The paper has theorems and no experiments. All errors here are exact: over all points of the cube, with their
probabilities, above the least error there is.

``rate``: independent biased bits, score_1, the noise that hides the label best at every n. ``table``: the same rows for
four learners of Table 1. ``means``: Lemma 8, and what it costs that means are estimated. ``beyond``: functions that are
no juntas. Means over draws, with standard errors.

usage: python -m benchmarks.papers.juntas rate|table|means|beyond [--repeats 40]
"""

from __future__ import annotations

import argparse
import time
import warnings
from functools import reduce
from itertools import combinations, product

import numpy as np

from paclearn import DirectSpectrumClassifier, JuntaClassifier, PolynomialL1Classifier
from paclearn.certificates import bias_sample_size, junta_sample_size

D, K = 8, 2
CUBE = np.array(list(product((-1, 1), repeat=D)))


# ---- laws, labels and errors -----------------------------------------------------------------------------------------


class Task:
    """Independent bits with chances of their own, and a label of -1 and +1 that a function tells but for noise."""

    def __init__(self, rng, function, noise, low=0.2):
        self.up = rng.uniform(low, 1 - low, D)
        self.law = np.where(CUBE > 0, self.up, 1 - self.up).prod(axis=1)
        self.truth, self.noise = function(rng)(CUBE), noise

    def rows(self, rng, n):
        place = rng.choice(len(CUBE), n, p=self.law)
        label = self.truth[place] * np.where(rng.random(n) < self.noise, -1, 1)
        return CUBE[place], label

    def excess(self, said):
        """How much worse than the best, which is the truth itself."""
        return (1 - 2 * self.noise) * float(self.law @ (said != self.truth))


def junta(rng):
    """A function of K bits that needs them all."""
    members = rng.choice(D, K, replace=False)
    weights = 1 << np.arange(K)[::-1]
    while True:
        table = rng.choice([-1, 1], 2**K)
        cube = table.reshape((2,) * K)
        if all((np.diff(cube, axis=axis) != 0).any() for axis in range(K)):
            return lambda bits: table[(bits[:, members] > 0) @ weights]


def halfspace(rng):
    weights, bias = rng.normal(size=D), 0.3 * rng.normal()
    return lambda bits: np.where(bits @ weights > bias, 1, -1)


def decision_list(rng):
    order, answers = rng.permutation(D), rng.choice([-1, 1], D + 1)

    def told(bits):
        said = np.full(len(bits), answers[-1])
        for place in reversed(range(D)):
            said = np.where(bits[:, order[place]] > 0, answers[place], said)
        return said

    return told


def small_dnf(rng):
    """Two conjunctions of three, of six different bits."""
    bits_of = rng.permutation(D)[:6].reshape(2, 3)
    return lambda bits: np.where((bits[:, bits_of[0]] > 0).all(1) | (bits[:, bits_of[1]] > 0).all(1), 1, -1)


# ---- learners --------------------------------------------------------------------------------------------------------


def ours(k=K):
    return JuntaClassifier(k=k, measure="product")


class OfCells:
    """The subset of K bits whose cells score best, and the majority of every cell."""

    def fit(self, bits, label):
        best = -np.inf
        for members in combinations(range(D), K):
            cells = (bits[:, members] > 0) @ (1 << np.arange(K)[::-1])
            sums, sizes = (np.bincount(cells, w, minlength=2**K) for w in (label, np.ones(len(label))))
            score = self.score(members, sums, sizes)
            if score > best + 1e-12:
                best, self.members = score, members
                self.table = np.where(np.where(sums == 0, label.sum(), sums) > 0, 1, -1)
        return self

    def predict(self, bits):
        return self.table[(bits[:, self.members] > 0) @ (1 << np.arange(K)[::-1])]


class LeastTrainingError(OfCells):
    """Empirical risk minimisation over all functions of K bits."""

    def score(self, _members, sums, _sizes):
        return np.abs(sums).sum()


class Score1(OfCells):
    """Equation 8 with means that are known, or with those of the rows."""

    def __init__(self, up=None):
        self.up = up

    def fit(self, bits, label):
        self.chances = (bits > 0).mean(axis=0) if self.up is None else self.up
        return super().fit(bits, label)

    def score(self, members, sums, sizes):
        law = reduce(np.multiply.outer, [np.array([1 - p, p]) for p in self.chances[list(members)]]).ravel()
        n, up, down = sizes.sum(), (sizes + sums) / 2, (sizes - sums) / 2
        each = up * np.abs(sums - 1) + down * np.abs(sums + 1)
        return np.divide(each, n * law, out=np.zeros_like(each), where=law > 0).sum() / (n - 1)


def known(up):
    return Score1(up)


TOLD = (known,)  # learners that are told the law
LEARNERS = {
    "score_1, all subsets (ours)": ours,
    "least training error (ERM)": LeastTrainingError,
    "L1 polynomial regression": lambda: PolynomialL1Classifier(degree=K),
    "low-degree algorithm, uniform": lambda: DirectSpectrumClassifier(degree=K, measure="uniform", n_terms=None),
    "low-degree algorithm, product law": lambda: DirectSpectrumClassifier(degree=K, measure="product", n_terms=None),
}


def mean_excess(make, function, noise, n, repeats, low=0.2):
    """Mean and standard error over draws of law, function and rows, and processor seconds a fit."""
    found, started = [], time.process_time()
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        task = Task(rng, function, noise, low)
        bits, label = task.rows(rng, n)
        model = make(task.up) if make in TOLD else make()
        said = np.full(len(CUBE), label[0]) if len(np.unique(label)) < 2 else model.fit(bits, label).predict(CUBE)
        found.append(task.excess(said))
    return np.mean(found), np.std(found) / repeats**0.5, (time.process_time() - started) / repeats


# ---- what is printed -------------------------------------------------------------------------------------------------


def rate(repeats):
    rows = np.array([50, 100, 200, 400, 800, 1600, 3200])
    print("| rows | bits of chance 0.4 to 0.6 | 0.2 to 0.8 | 0.05 to 0.95 |\n| --- | --- | --- | --- |")
    columns = {}
    for low in (0.4, 0.2, 0.05):
        columns[low] = [mean_excess(ours, junta, 0.5 - n**-0.5, n, repeats, low) for n in rows]
    for i, n in enumerate(rows):
        print(f"| {n} | " + " | ".join(f"{100 * c[i][0]:.2f} ± {100 * c[i][1]:.2f}" for c in columns.values()) + " |")
    slopes = [np.polyfit(np.log(rows), np.log([m for m, _, _ in c]), 1)[0] for c in columns.values()]
    print("| slope | " + " | ".join(f"{slope:.2f}" for slope in slopes) + " |")


def table(repeats):
    rows, noise = (25, 50, 100, 200, 400, 800, 1600), 0.3
    print("| learner | " + " | ".join(map(str, rows)) + " | seconds a fit |\n| --- |" + " --- |" * (len(rows) + 1))
    for name, make in LEARNERS.items():
        found = [mean_excess(make, junta, noise, n, repeats) for n in rows]
        print(f"| {name} | " + " | ".join(f"{100 * m:.1f} ± {100 * s:.1f}" for m, s, _ in found), end="")
        print(f" | {found[-1][2]:.3f} |", flush=True)
    print(f"\nTheorem 4 asks for {junta_sample_size(0.05, 0.05, D, K):,} rows (uniform bits; 5 points, 95 %).")


def means(repeats):
    """Lemma 8: so many rows make all means accurate; and what it costs the learner that it has to estimate them."""
    delta, draws = 0.05, 50 * repeats
    print(f"| epsilon | rows, n_0 | largest error of a mean | of a deviation | draws beyond, of {draws:,} |")
    print("| --- | --- | --- | --- | --- |")
    for epsilon in (0.1, 0.05, 0.02):
        rng, n = np.random.default_rng(0), bias_sample_size(epsilon, delta, D)
        up = rng.uniform(0.2, 0.8, (draws, D))
        mu, found = 2 * up - 1, 2 * rng.binomial(n, up) / n - 1
        ratio = np.abs(1 - np.sqrt((1 - mu**2) / (1 - found**2)))
        off = (np.abs(found - mu) > epsilon) | (ratio > 2 * epsilon / (1 - mu**2))
        errors = f"{np.abs(found - mu).max():.4f} | {ratio.max():.4f}"
        print(f"| {epsilon} | {n:,} | {errors} | {off.any(axis=1).sum()} |")
    rows, noise = (25, 50, 100, 200, 400), 0.3
    print("\n| means | " + " | ".join(map(str, rows)) + " |\n| --- |" + " --- |" * len(rows))
    for name, make in {"known": known, "estimated": Score1, "estimated, `JuntaClassifier`": ours}.items():
        cells = [mean_excess(make, junta, noise, n, repeats) for n in rows]
        print(f"| {name} | " + " | ".join(f"{100 * m:.1f} ± {100 * s:.1f}" for m, s, _ in cells) + " |", flush=True)


def beyond(repeats):
    rows, noise = (200, 800, 3200), 0.1
    names = {"halfspace": halfspace, "decision list": decision_list, "DNF, 2 x 3": small_dnf}
    learners = {f"junta of {k}, score_1": lambda k=k: ours(k) for k in (2, 3, 4)}
    learners |= {f"L1, degree {k}": lambda k=k: PolynomialL1Classifier(degree=k) for k in (1, 2, 3)}
    titles = [f"{what}, {n} rows" for what in names for n in rows]
    print("| learner | " + " | ".join(titles) + " |\n| --- |" + " --- |" * len(titles))
    for name, make in learners.items():
        cells = [mean_excess(make, f, noise, n, repeats) for f in names.values() for n in rows]
        print(f"| {name} | " + " | ".join(f"{100 * m:.1f} ± {100 * s:.1f}" for m, s, _ in cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=("rate", "table", "means", "beyond"))
    parser.add_argument("--repeats", type=int, default=40)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    {"rate": rate, "table": table, "means": means, "beyond": beyond}[given.job](given.repeats)


if __name__ == "__main__":
    main()
