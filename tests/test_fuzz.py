"""The fuzzer catches what it is there to catch, and finds nothing in a few cases of every kind."""

import os
import signal
import sys
import time
from math import inf

import pandas as pd
import pytest

if sys.platform == "win32":
    pytest.skip("needs fork", allow_module_level=True)

from fuzz import databases, pool, shrinking
from fuzz.call_cases import try_calls
from fuzz.command_cases import try_commands
from fuzz.file_cases import try_files
from fuzz.pool import DisagreementError
from fuzz.table_cases import case_of
from fuzz.table_laws import try_table

from paclearn import DirectSpectrumClassifier
from paclearn.export import to_sql
from paclearn.kernels import dispatch


def odd_case(seed):
    """Fine, but for a crash, endless work, a hang, an error and a disagreement."""
    if seed == 2:
        os.kill(os.getpid(), signal.SIGTERM)
    while seed == 3:
        pass
    if seed == 4:
        time.sleep(60)
    if seed == 5:
        raise KeyError("a")
    if seed == 6:
        raise DisagreementError("SQLite says no")
    return 10


def test_crashes_and_hangs_are_named_by_their_seeds(monkeypatch):
    monkeypatch.setattr(pool, "LONGEST", 0)
    reports = list(pool.run("odd", odd_case, range(4), inf, time.monotonic))
    monkeypatch.setattr(pool, "ASLEEP", 1)
    reports += pool.run("odd", odd_case, range(4, 8), inf, time.monotonic)
    assert sum(report for report in reports if isinstance(report, int)) == 30
    found = {report.seed: report.what for report in reports if not isinstance(report, int)}
    assert "SIGTERM" in found[2]
    assert found[3] == "took more than 0 s"
    assert found[4] == "did nothing for 1 s"
    assert found[5].startswith("unclear error: KeyError: 'a' (test_fuzz.py")
    assert found[6] == "SQLite says no"
    assert list(found) == [2, 3, 4, 5, 6]


def slow_case(seed):
    """At work for more than a second by the clock."""
    end = time.monotonic() + 1.2
    while time.monotonic() < end:
        pass
    return seed


def test_who_is_at_work_is_waited_for(monkeypatch):
    monkeypatch.setattr(pool, "ASLEEP", 0.5)
    assert list(pool.run("slow", slow_case, range(1, 2), inf, time.monotonic)) == [1]


def test_a_case_is_its_seed():
    assert str(case_of(7)) == str(case_of(7)) != str(case_of(8))


def test_what_goes_wrong_is_made_small(monkeypatch):
    seed = next(s for s in range(100) if len(case_of(s).columns) > 2 and case_of(s).n > 10)
    name = list(case_of(seed).columns)[1]

    def judge(case):
        if name in case.columns and case.n > 2:
            raise DisagreementError("the model file says no")

    monkeypatch.setattr(shrinking, "judge", judge)
    said = shrinking.smaller_table(seed)
    assert said.startswith("Disagreement: the model file\n")
    assert said.count("\n  ") == 3  # one column, the target and what is predicted
    assert f"  {name!r} (" in said


@pytest.mark.parametrize("seed", range(8))
def test_a_few_tables(seed):
    assert try_table(seed) == 1


def test_long_queries_say_the_same_to_sqlite_in_steps(monkeypatch):
    """As the guide of exports has it; written out into each other, seven thousand terms over dates took 70 seconds."""
    columns = {"d": ["2020-01-31", "1999-05-05", None, "2020-02-01"] * 5, "x": [1, 2, 3, 4] * 5}
    rows = pd.DataFrame({"d": pd.to_datetime(columns["d"]), "x": columns["x"]})
    learner = DirectSpectrumClassifier(degree=2, n_bins=4)
    query = to_sql(learner.fit(rows, ["a", "b", "c", "b"] * 5), "data", keys=databases.key_of(columns))
    whole = databases.by_sqlite(query, columns)
    monkeypatch.setattr(databases, "LONG", 0)
    assert databases.by_sqlite(query, columns) == whole == learner.predict(rows).tolist()


def test_a_few_files_and_commands():
    assert try_files(0) > 0
    assert try_commands(1) > 0


@pytest.mark.skipif(dispatch._core is None, reason="needs the compiled core")
def test_a_few_calls():
    assert try_calls(0) > 0
