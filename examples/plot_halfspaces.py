"""
A halfspace with bad labels on one side
=======================================

Rows lie on a sphere in ten dimensions. Their labels are those of a halfspace, but nine in ten are wrong far out on one
side. Logistic regression follows them: each is wrong by a large margin, and so costs it a lot. What does the margin
error of its halfspace look like beside that of the true one, and where does HalfspaceClassifier come out?
"""

import warnings

import matplotlib.pyplot as plt
from sklearn.linear_model import LogisticRegression

from paclearn import HalfspaceClassifier
from paclearn.datasets import make_halfspace
from paclearn.exceptions import ProjectedRowsWarning
from paclearn.halfspaces import margin_error_curve
from paclearn.inspection import MarginCurveDisplay

data = make_halfspace(6000, random_state=2)
train, test = slice(0, 1000), slice(1000, None)
logistic = LogisticRegression().fit(data.data[train], data.target[train])
ours = HalfspaceClassifier(random_state=0).fit(data.data[train], data.target[train])

# %%
# The margin error counts rows that are wrong or within the margin. The guarantee of HalfspaceClassifier is to come near
# the lowest such curve of all halfspaces, in its own coordinates: rows are standardised, and a bias makes margins
# smaller.

warnings.simplefilter("ignore", ProjectedRowsWarning)  # some new rows are a little larger than all it has seen
halfspaces = {"the true halfspace": data.normal, "logistic regression": logistic}
curves = {
    name: margin_error_curve(halfspace, data.data[test], data.target[test], model=ours)
    for name, halfspace in halfspaces.items()
}
lines = {name: (curve.margins, curve.errors) for name, curve in curves.items()}
error = 1 - ours.score(data.data[test], data.target[test])
MarginCurveDisplay(lines, {"HalfspaceClassifier": error}).plot()
plt.show()

# %%
# The labels that rows have along the normal vector, and what the two models make of them.

across = data.data[test] @ data.normal
figure, axes = plt.subplots(1, 3, figsize=(11, 3), layout="constrained", sharey=True)
shown = {
    "labels": data.target[test],
    "logistic regression": logistic.predict_proba(data.data[test])[:, 1],
    "HalfspaceClassifier": ours.predict_proba(data.data[test])[:, 1],
}
for ax, (title, values) in zip(axes, shown.items(), strict=True):
    ax.hexbin(across, values, gridsize=30, bins="log", cmap="Blues")
    ax.axvline(0, color="#b2182b", linewidth=0.8)
    ax.set(title=title, xlabel="along the normal vector")
axes[0].set(ylabel="label or chance")
plt.show()

# %%
# How near is the fit to the best function of its ball? Proved, not guessed:

print(f"nu = {ours.nu_:g}, B = {ours.B_:g}: {ours.n_iter_} steps, gap at most {ours.gap_:.1e}")
print(ours.certificate_)
