"""
Which columns matter together?
==============================

Twelve columns, one of them a copy of another in nine rows of ten. The label is likely where exactly one of two columns
is set, whatever the others are, and one more column has an effect of its own.
"""

import numpy as np
import pandas as pd

from paclearn import RedundancyFilter, discover

rng = np.random.default_rng(0)
table = pd.DataFrame(rng.integers(0, 2, (3000, 10)), columns=[f"c{i}" for i in range(10)])
table["shadow"] = np.where(rng.random(3000) < 0.9, table["c3"], rng.integers(0, 2, 3000))
table["either"] = table["c1"] | table["c2"]
chance = 0.2 + 0.4 * (table["c3"] ^ table["c7"]) + 0.3 * table["c5"]
label = np.where(rng.random(3000) < chance, "yes", "no")

# %%
# One column is a function of two others, and the filter says which:
print(RedundancyFilter().fit(table).redundancies_.to_string())

# %%
# Neither ``c3`` nor ``c7`` says anything alone; together they do. The shadow's part in that is an echo.
found = discover(table, label, target_name="label")
print(found)
print([echo.note() for echo in found.echoes])

# %%
# The same as a picture:
found.plot()
