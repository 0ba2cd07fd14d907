"""
A few effects, each as simple as it can be
==========================================

What a flat costs: more for each square metre, less with the distance but only beyond a ring road, and four districts of
which two cost alike. A model of at most five effects finds the line, the step, and the districts that go together. The
last picture keeps its price rising with the area, whatever noise says.
"""

import numpy as np
import pandas as pd

from paclearn import SpectralRegressor

rng = np.random.RandomState(0)
n = 1500
table = pd.DataFrame(
    {
        "area": rng.gamma(9, 9, n).round(),
        "distance": rng.gamma(2, 3, n).round(1),
        "district": rng.choice(["harbour", "hill", "old town", "station"], n),
        "balcony": rng.choice(["yes", "no"], n),
    }
)
worth = table["district"].map({"harbour": 90, "old town": 90, "hill": 40, "station": 0})
price = 4.0 * table["area"] - 60 * (table["distance"] > 8) + worth + rng.normal(0, 40, n)

model = SpectralRegressor(max_effects=5, random_state=0).fit(table, price)
print(model.to_text())

# %%
# One row an effect; each of them is a table that says what it adds, and they add up to the prediction exactly.

print(model.effects_)
print(model.effect("district"))

# %%
# The same as pictures.

model.plot_effects(most=3)

# %%
# A column that the price must rise with.

rising = SpectralRegressor(max_effects=5, monotone={"area": +1}, random_state=0).fit(table, price)
rising.plot_effect("area")
