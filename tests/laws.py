"""Measures to try laws on."""

from itertools import product

import numpy as np

from paclearn.measures import Network


def cube(d):
    return np.array(list(product((-1, 1), repeat=d)))


def random_network(rng, d, rate=0.4):
    """Any acyclic graph, its bits numbered against its order."""
    order = rng.permutation(d)
    parents = [()] * d
    for place, i in enumerate(order):
        earlier = order[:place]
        parents[i] = tuple(int(p) for p in earlier[rng.random(place) < rate])
    tables = tuple(rng.uniform(0.1, 0.9, (2,) * len(p)) for p in parents)
    return Network(tuple(parents), tables, tuple(int(i) for i in order))


def symmetric_forest(rng, d):
    """Every bit copies or turns round its parent, if it has one, as often either way."""
    parents, tables = [], []
    for i in range(d):
        root = i == 0 or rng.random() < 0.3
        flip = rng.uniform(0.1, 0.9)
        parents.append(() if root else (int(rng.integers(i)),))
        tables.append(np.array(flip) if root else np.array([flip, 1 - flip]))
    return Network(tuple(parents), tuple(tables), tuple(range(d)))


def product_network(d, up):
    return Network(((),) * d, tuple(np.array(u) for u in np.broadcast_to(up, d)), tuple(range(d)))


def symmetric_chain(d, flip):
    parents = ((), *((i - 1,) for i in range(1, d)))
    tables = (np.array(0.5), *(np.array([flip, 1 - flip]) for _ in range(1, d)))
    return Network(parents, tables, tuple(range(d)))
