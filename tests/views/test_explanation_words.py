"""Explanations of numbers on the scale of logarithms are told in percent, and the product is what is predicted."""

import numpy as np
import pandas as pd

from paclearn import SpectralRegressor
from paclearn.views.explanation_words import explanation_in_words


def told(loss):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"garden": rng.choice(["yes", "no"], 300), "rooms": rng.integers(1, 5, 300)})
    price = np.exp(5 + 0.5 * (frame.garden == "yes") + 0.3 * frame.rooms + rng.normal(0, 0.05, 300))
    model = SpectralRegressor(max_terms=4, loss=loss, random_state=0).fit(frame, price)
    (why,) = model.explain(frame.iloc[[0]])
    return model.predict(frame.iloc[[0]])[0], explanation_in_words(model.model_, why).splitlines(), str(why)


def test_parts_multiply():
    predicted, lines, _ = told("log")
    assert lines[-1].startswith("(product)")
    assert float(lines[-1].split()[-1].replace(",", "")) == float(f"{predicted:.4g}")
    assert any(line.endswith(" %") for line in lines[2:-1])


def test_parts_add_up():
    _, lines, plain = told("squared")
    assert "\n".join(lines) == plain
