"""Selectors on pandas frames whose columns Arrow holds."""

import numpy as np
import pandas as pd
import pytest

from paclearn import FourierSelector, RedundancyFilter
from paclearn.exceptions import InputError


@pytest.mark.parametrize("Selector", [FourierSelector, RedundancyFilter])
def test_words_beside_numbers_are_given_back_as_they_are(Selector):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"number": rng.normal(size=200), "word": rng.choice(list("xyz"), 200)})
    target = np.where(frame["number"] + (frame["word"] == "x") > 0, "yes", "no")
    arrow = frame.convert_dtypes(dtype_backend="pyarrow")
    selector = Selector().fit(arrow, target)
    found, plain = selector.transform(arrow), selector.transform(frame)
    assert found.tolist() == plain.tolist()
    with pytest.raises((InputError, ValueError), match="other"):
        selector.transform(arrow.rename(columns={"word": "other"}))
