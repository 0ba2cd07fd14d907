"""Settings that must be there before numpy and scipy are imported, and work that several files share."""

import contextlib
import gc
import json
import os
import signal
import sys
from functools import cache
from pathlib import Path

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # or scikit-learn's array API checks would be skipped
if "PYTEST_XDIST_WORKER" in os.environ:  # a process a core: threads of BLAS and of OpenMP would wait for each other
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # so a shell starts what it runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)  # or commands that tests interrupt would never hear of it

import pytest
from hypothesis import HealthCheck, settings

# how long an example takes says something about who else is using the machine
settings.register_profile("paclearn", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("paclearn")


def pytest_collection_finish():
    """What was imported stays: the collector of garbage need not look through it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _close_figures():
    """Whatever a test drew: matplotlib warns of the twenty-first figure, in whichever test that is."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session", autouse=True)
def _few_trees():
    """Every page holds its models against scikit-learn's boosting, half of its time where tables are small."""
    from paclearn.report import baselines

    baselines._TREES = 10


@pytest.fixture(scope="session", autouse=True)
def _commands_are_put_together_once():
    """A process does so once; here hundreds of commands run in one."""
    with contextlib.suppress(ImportError):
        import typer.main
        import typer.testing

        typer.main.get_command = typer.testing._get_command = cache(typer.main.get_command)


LOOKERS = {"report", "test_estimators.py"}


@pytest.fixture(scope="module", autouse=True)
def _one_set_of_folds(request):
    """Some hundreds of rows are judged by fifteen folds; five do where a test looks at a model, however it was chosen.

    What folds choose is tested with those who choose, by all fifteen: `encoding`, `learners` and whatever else is not
    named here.
    """
    with pytest.MonkeyPatch.context() as patch:
        if request.path.relative_to(Path(__file__).parent).parts[0] in LOOKERS:
            patch.setattr("paclearn.encoding.folds._REPEATS", 1)
        yield


@pytest.fixture
def all_trees(monkeypatch):
    """For tests that look at what boosting says."""
    monkeypatch.setattr("paclearn.report.baselines._TREES", 100)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory):
    """``made_once(name, make)``: plain data that takes long to make, made by one process and read by the others."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def known(name, make):
        path = shared / f"{name}.json"
        if not path.exists():
            draft = own / f"draft of {path.name}"
            draft.write_text(json.dumps(make()))
            draft.replace(path)
        return json.loads(path.read_text())

    return known


@pytest.fixture(scope="session")
def found_by(made_once):
    """``found_by(isa)``: what an instruction set counts and sums."""
    from instruction_sets import ask

    return lambda isa: made_once(f"found by {isa}", lambda: ask(isa))


@pytest.fixture(scope="session")
def hostile_page(made_once):
    """A report of a table whose names are attacks: looked at as text, and in a browser."""
    from report.test_report import facts_of, hostile

    from paclearn.report import to_html

    frame, target = hostile()
    return to_html(made_once("hostile facts", lambda: facts_of(frame, target, max_k=2)))
