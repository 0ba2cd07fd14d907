"""Figures 4-1 and 4-3 to 4-5 of the thesis: low degree survives a change of measure, and uniform is the hardest.

The thesis averages over drawn functions. With standard normal coefficients every new coefficient is normal, and its
variance is the squared norm of its row in the matrix of the change, so expectations are exact here (4-3 to 4-5).

usage: python -m benchmarks.papers.thesis_ch4 [--output docs/_static/thesis_ch4.svg]
"""

from __future__ import annotations

import argparse

import numpy as np

from paclearn.measures import Network
from paclearn.spectra import change_of_measure

LAWS = 12
ALPHAS = (0.3, 1.0, 3.0, 10.0, 30.0)
COLOURS = {1: "#2166ac", 2: "#b2182b", 3: "#1b7837"}


def independent(rng, d, alpha):
    """Bits with probabilities from a Beta law, away from 0 and 1."""
    return Network(((),) * d, tuple(np.array(p) for p in _beta(rng, alpha, d)), tuple(range(d)))


def chain(rng, d, alpha, *, symmetric):
    """Every bit depends on the one before: turned round as often either way, or with two probabilities of its own."""
    parents = ((), *((i - 1,) for i in range(1, d)))
    edges = [_beta(rng, alpha, 2) for _ in range(1, d)]
    tables = (np.array(0.5), *(np.array([e[0], 1 - e[0]]) if symmetric else e for e in edges))
    return Network(parents, tables, tuple(range(d)))


def sparse_graph(rng, d, mean_parents=1.0):
    """The thesis's way to draw a law: a Poisson number of parents for every bit, probabilities from a Beta law."""
    parents = [
        tuple(int(p) for p in rng.choice(i, min(i, rng.poisson(mean_parents)), replace=False)) if i else ()
        for i in range(d)
    ]
    return Network(tuple(parents), tuple(_beta(rng, 1.0, (2,) * len(p)) for p in parents), tuple(range(d)))


def _beta(rng, alpha, shape):
    return np.clip(rng.beta(alpha, alpha, shape), 1e-3, 1 - 1e-3)


def sizes(d):
    return np.array([code.bit_count() for code in range(2**d)])


def degree_weights(network, degree, rng, n_functions=1000):
    """Figure 4-1: the mean share of the weight of every degree, for functions of low degree under the uniform law."""
    subsets, matrix = change_of_measure(network, degree)
    coefficients = matrix @ rng.normal(size=(len(subsets), n_functions))
    share = coefficients**2 / (coefficients**2).sum(axis=0)
    return np.bincount(sizes(network.d), weights=share.mean(axis=1))


def ratios(network, degree):
    """Expected norm and expected weighted cardinality beside those under the uniform law."""
    subsets, matrix = change_of_measure(network, degree)
    variance = (matrix**2).sum(axis=1)
    return np.sqrt(variance).sum() / len(subsets), sizes(network.d) @ variance / sum(map(len, subsets))


def entropy(network):
    """Bits of entropy a variable."""
    p = network.probabilities()
    return float(-(p * np.log2(p)).sum() / network.d)


def draw_weights(axes, rng):
    kept = []
    for ax in axes:
        network = sparse_graph(rng, 8)
        for degree, colour in COLOURS.items():
            weights = degree_weights(network, degree, rng)
            kept.append(weights[: degree + 1].sum())
            ax.plot(weights, color=colour, label=f"degree {degree}")
        ax.set(title="4-1: any sparse law, d = 8", xlabel="size of subsets", ylabel="share of the weight")
    axes[0].legend()
    print(f"4-1: {np.mean(kept):.1%} of the weight stays at or below the degree (least {min(kept):.1%})")


def draw_ratios(ax, title, laws, degree, rng):
    points = []
    for alpha in ALPHAS:
        for _ in range(LAWS):
            network = laws(rng, alpha)
            points.append((entropy(network), *ratios(network, degree)))
    across, norm, cardinality = np.array(points).T
    ax.scatter(across, norm, s=9, color="#e08214", label="spectral norm")
    ax.scatter(across, cardinality, s=9, color="#1b7837", label="weighted cardinality")
    ax.axhline(1, color="#444444", linewidth=0.8)
    ax.set(title=title, xlabel="entropy a variable, bits", ylabel="ratio to uniform", ylim=(0, 1.3))
    print(f"{title}: norm at most {norm.max():.3f}, weighted cardinality at most {cardinality.max():.3f} of uniform")


def main():
    import matplotlib.pyplot as plt

    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--output", default="thesis_ch4.svg")
    output = arguments.parse_args().output
    rng = np.random.default_rng(0)
    figure, axes = plt.subplots(4, 3, figsize=(13, 14), layout="constrained")
    draw_weights(axes[0], rng)
    for degree, ax in zip(COLOURS, axes[1], strict=True):
        draw_ratios(ax, f"4-3: independent, d = 12, degree {degree}", lambda r, a: independent(r, 12, a), degree, rng)
    for (degree, symmetric), ax in zip(((2, True), (3, True), (2, False)), axes[2], strict=True):
        title = f"4-4: {'symmetric' if symmetric else 'any'} chain, d = 12, degree {degree}"
        draw_ratios(ax, title, lambda r, a, s=symmetric: chain(r, 12, a, symmetric=s), degree, rng)
    for d, ax in zip((6, 9, 13), axes[3], strict=True):
        draw_ratios(ax, f"4-5: independent, d = {d}, degree 2", lambda r, a, d=d: independent(r, d, a), 2, rng)
    axes[1, 0].legend()
    figure.savefig(output)


if __name__ == "__main__":
    main()
