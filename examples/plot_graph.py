"""
A graph that adds up
====================

Whether a machine fails depends on a score: heat, load and age each add to it, and behind the score is a link that
nobody told us. A regression graph finds that out: ways with the same score meet in the same leaf.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from paclearn import RegressionGraphEnsembleRegressor, RegressionGraphRegressor

rng = np.random.RandomState(0)
n = 20_000
table = pd.DataFrame(
    {
        "heat": rng.normal(60, 12, n).round(),
        "load": rng.choice(["low", "medium", "high"], n, p=[0.5, 0.3, 0.2]),
        "age": rng.gamma(3, 2, n).round(1),
        "colour": rng.choice(["red", "blue"], n),
    }
)
score = (table["heat"] > 65) * 1.0 + table["load"].map({"low": 0, "medium": 1, "high": 2}) + (table["age"] > 8)
fails = (rng.random_sample(n) < 0.02 + 0.9 * (score / 4) ** 2).astype(float)

model = RegressionGraphRegressor(max_splits=14).fit(table, fails)
print(model.to_text())

# %%
# The score takes five values, and five kinds of machines is what comes out, whatever way they took. Colour, which
# says nothing, is not asked for.

model.graph_.plot(value_name="share that fails")
plt.show()

# %%
# What the answers of one machine add up to, and the whole graph for a database:

print(model.explain(table.head(1))[0])
print(model.graph_.to_sql("machines", keys=["serial_number"]))

# %%
# Many graphs draw finer lines, and how much they differ says how far to trust them.

many = RegressionGraphEnsembleRegressor(20, method="bagging", random_state=0).fit(table.head(3000), fails[:3000])
figure, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
many.plot_effect("heat", table, ax=axes[0])
many.plot_effect("load", table, ax=axes[1])
plt.show()
