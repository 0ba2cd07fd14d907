"""
How fast a junta is learned
===========================

The universal learning theorem promises that the error of the best junta on n rows comes down to the best error there
is, at a rate just below n to the power -1/2, whatever the labels. Here the label is a random function of two of eight
columns, flipped with probability 0.3 or 0.4; or, for each n anew, with the probability that hides it best.
"""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np

from paclearn import JuntaClassifier
from paclearn.datasets import make_junta

rows = np.array([30, 60, 120, 240, 480, 960])
repetitions = 100
cube = np.array(list(product((-1, 1), repeat=8)))  # every row there can be


def excess_error(n, noise, seed):
    """How much worse than the best the junta fitted on n rows is, exactly: over the whole cube."""
    data = make_junta(n, 8, 2, noise=noise, random_state=seed)
    best = data.truth_table[(cube[:, list(data.relevant)] > 0) @ [2, 1]]
    model = JuntaClassifier(k=2).fit(data.data, data.target)
    return (1 - 2 * noise) * (model.predict(cube) != best).mean()


figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
noises = {"30 % noise": 0.3, "40 % noise": 0.4, "the worst noise for n": 0.5 - rows**-0.5}
for label, noise in noises.items():
    settings = list(zip(rows, np.broadcast_to(noise, rows.shape), strict=True))
    excess = [np.mean([excess_error(n, p, seed) for seed in range(repetitions)]) for n, p in settings]
    axes.loglog(rows, np.maximum(excess, 1e-4), "o-", label=label)
axes.loglog(rows, 1.3 * rows**-0.5, "k:", label="slope -1/2")
axes.set(xlabel="rows", ylabel="error above the best possible", title="Juntas converge as fast as promised")
axes.legend()
plt.show()

# %%
# The theorem's rate is for the worst of all labellings, and the worst there is for n rows, a signal of the size of the
# sampling error, keeps to it. A fixed function is easier: once there are rows enough to name the right columns and to
# fill their four cells, the error falls off a cliff.
