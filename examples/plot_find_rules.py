"""
Who leaves?
===========

Who leaves, and who stays? Every conjunction of up to three conditions is looked at, and the few that say most are told.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from paclearn import find_rules

rng = np.random.default_rng(0)
n = 2000
customers = pd.DataFrame(
    {
        "age": rng.normal(45, 12, n).round(),
        "contract": rng.choice(["monthly", "yearly", "two years"], n, p=[0.5, 0.3, 0.2]),
        "last_contract": rng.choice(["monthly", "yearly", "two years"], n, p=[0.5, 0.3, 0.2]),
        "town": rng.choice(["Bonn", "Graz", "Jena", "Kiel", "Rome", "Ulm"], n),
        "calls": rng.poisson(2, n),
    }
)
leaves = 0.1 + 0.6 * ((customers["contract"] == "monthly") & (customers["calls"] > 2))
leaves += 0.3 * ((customers["contract"] != "monthly") & customers["town"].isin(["Kiel", "Ulm"]))
left = np.where(rng.random(n) < leaves, "left", "stayed")

rules = find_rules(customers, left)
rules

# %%
# How much more often customers leave (or stay) among the rows of each rule than elsewhere, with intervals of 95 %:

told = [f"{rule}: {label}" for rule, label in zip(rules["rule"], rules["class"], strict=True)]
error = [rules["effect"] - rules["low"], rules["high"] - rules["effect"]]
figure, axes = plt.subplots(figsize=(7, 0.6 + 0.5 * len(rules)), layout="constrained")
axes.barh(told, rules["effect"], xerr=error, color="#4477aa")
axes.invert_yaxis()
axes.set_xlabel("difference of shares")
plt.show()
