"""A setting that must be there before scipy is imported, and work that several files share."""

import os
import sys

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # or scikit-learn's array API checks would be skipped

import pytest
from hypothesis import HealthCheck, settings

# how long an example takes says something about who else is using the machine
settings.register_profile("paclearn", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("paclearn")


@pytest.fixture(autouse=True)
def _close_figures():
    """Whatever a test drew: matplotlib warns of the twenty-first figure, in whichever test that is."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def hostile_page():
    """A report of a table whose names are attacks: looked at as text, and in a browser."""
    from test_report import facts_of, hostile

    from paclearn.report import to_html

    frame, target = hostile()
    return to_html(facts_of(frame, target, max_k=2))
