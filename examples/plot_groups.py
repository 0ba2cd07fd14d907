"""
New patients
============

Four hundred patients come again and again. A model that may learn them by heart looks good on shuffled visits, and is
not on visits of patients whom it has not met.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GroupKFold, KFold, cross_val_predict

from paclearn import RegressionGraphClassifier
from paclearn.datasets import make_visits

visits = make_visits(400, 5, as_frame=True, random_state=0)
print(visits.data.head(), "\n")

# %%
# Shuffled visits; visits in folds of whole patients; and new patients, drawn for the occasion.

model = RegressionGraphClassifier(stop="validation", max_leaves=20, random_state=0)
X, patient = visits.data.drop(columns="patient"), visits.groups
shuffled = cross_val_predict(model, X, visits.target, cv=KFold(3, shuffle=True, random_state=0))
apart = cross_val_predict(model, X, visits.target, cv=GroupKFold(3), groups=patient)
new = make_visits(as_frame=True, random_state=1)
by_groups = model.fit(X, visits.target, groups=patient).predict(new.data.drop(columns="patient"))
right = {
    "shuffled visits": np.mean(shuffled == visits.target),
    "whole patients": np.mean(apart == visits.target),
    "new patients,\nchosen by groups": np.mean(by_groups == new.target),
}
print({name.replace("\n", " "): round(float(value), 3) for name, value in right.items()})
plt.bar(list(right), list(right.values()))
plt.ylabel("accuracy")
plt.show()

# %%
# With groups the model chooses its size on patients left out, and its certificate counts patients: the error is bounded
# in a new patient, averaged over patients.

model = RegressionGraphClassifier(stop="validation", max_leaves=20, holdout=0.5, random_state=0)
print(model.fit(X, visits.target, groups=patient).certificate_)
