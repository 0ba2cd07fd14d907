"""
Eight lines
===========

On which boards has x won a game of tic-tac-toe? A rule set finds the eight lines, and proves that fewer rules would
not do.
"""

import matplotlib.pyplot as plt

from paclearn import RuleClassifier
from paclearn.datasets import load_tic_tac_toe
from paclearn.export import to_sql

boards = load_tic_tac_toe(as_frame=True)
model = RuleClassifier(random_state=0).fit(boards.data, boards.target)
print(model.to_text())

# %%
# Every rule with the boards that it applies to. Two lines may be full at once, so they add up to more than there are.

model.plot_rules()
plt.show()

# %%
# Which rules apply to one board, and all of them for a database:

print(model.explain(boards.data[-1:])[0])
print(to_sql(model, "boards"))
