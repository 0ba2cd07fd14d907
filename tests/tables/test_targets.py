"""One rule for targets: whoever has to guess takes a column for the same thing, and refuses it in the same words.

Doors that guess: `discover`, `FourierSelector`, `SpectralFeatures` (handed y), reports and the commands fit, report,
discover and select (a column of a table). Classifiers and regressors do not guess; among themselves they agree too.
"""

import datetime as dt
import enum
import json
from dataclasses import dataclass
from decimal import Decimal
from itertools import cycle, islice
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from registry import ESTIMATORS
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.multioutput import MultiOutputClassifier
from typer.testing import CliRunner

from paclearn import (
    FourierSelector,
    JuntaClassifier,
    JuntaRegressor,
    Report,
    SpectralClassifier,
    SpectralFeatures,
    SpectralRegressor,
    discover,
)
from paclearn.cli.app import app
from paclearn.exceptions import InputError, TargetError
from paclearn.tables.table import FrameTable
from paclearn.tables.target import MOST_CLASSES, class_target, numeric_target, read_target, read_target_column

N = 63
CLASSES, NUMBERS = "classification", "regression"
Colour = enum.Enum("Colour", ["RED", "BLUE"])


def around(*values):
    return list(islice(cycle(values), N))


def objects(*values):
    """An array of objects, whatever they are."""
    array = np.empty(N, dtype=object)
    array[:] = around(*values)
    return array


TARGETS = {
    # name: the target, and what it is or why it is refused
    "booleans": (np.array(around(True, False)), CLASSES),
    "nullable booleans": (pd.Series(around(True, False), dtype="boolean"), CLASSES),
    "flags as objects": (objects(True, False), CLASSES),
    "text": (around("no", "yes"), CLASSES),
    "fixed-width text": (np.array(around("a", "b", "c")), CLASSES),
    "bytes": (np.array(around(b"a", b"b")), CLASSES),
    "text of whole numbers": (objects("1", "2"), CLASSES),
    "text of fractions": (objects("0.1", "0.25", "0.7"), CLASSES),
    "text of many numbers": (objects(*map(str, range(25))), CLASSES),
    "0.0 and 1.0": (np.array(around(0.0, 1.0)), CLASSES),
    "minus nought": (np.array(around(-0.0, 0.0, 1.0)), CLASSES),
    "bytes of numbers": (np.array(around(1, 2, 3), dtype=np.uint8), CLASSES),
    "nullable integers": (pd.Series(around(1, 2, 3), dtype="Int64"), CLASSES),
    "integers as objects": (objects(0, 1, 2), CLASSES),
    "twenty whole numbers": (np.array(around(*range(MOST_CLASSES))), CLASSES),
    "twenty-one whole numbers": (np.array(around(*range(MOST_CLASSES + 1))), NUMBERS),
    "twenty-one whole floats": (np.array(around(*range(MOST_CLASSES + 1)), dtype=float), NUMBERS),
    "two fractions": (np.array(around(1.5, 2.5)), NUMBERS),
    "three fractions": (np.array(around(0.1, 0.25, 0.7)), NUMBERS),
    "one fraction among whole numbers": (np.array(around(1.0, 2.0, 2.5)), NUMBERS),
    "nearly whole": (np.array(around(1.0, 2.0, 3.0 + 1e-13)), NUMBERS),
    "single precision": (pl.Series("y", around(0.1, 0.25, 0.7), dtype=pl.Float32), NUMBERS),
    "whole decimals": (objects(Decimal(1), Decimal(2)), CLASSES),
    "decimals": (pa.chunked_array([pa.array(around(*map(Decimal, ("1.5", "2.5", "3.0"))))]), NUMBERS),
    "categories of numbers": (pd.Series(pd.Categorical(around(3, 1, 2))), CLASSES),
    "categories of fractions": (pd.Series(pd.Categorical(around(0.1, 0.25, 0.7))), CLASSES),
    "many categories": (pd.Series(pd.Categorical(around(*range(25)))), CLASSES),
    "polars categories": (pl.Series("y", around("x", "y"), dtype=pl.Categorical), CLASSES),
    "arrow dictionary": (pa.chunked_array([pa.array(around("x", "y")).dictionary_encode()]), CLASSES),
    "two large integers": (np.array(around(2**60, 2**60 + 1)), CLASSES),
    "many large integers": (np.array([2**60 + 2**40 * i for i in range(N)]), NUMBERS),
    "two integers beyond 64 bits": (objects(10**30, 10**30 + 1), CLASSES),
    "many integers beyond 64 bits": (objects(*(10**30 + 10**28 * i for i in range(N))), NUMBERS),
    "numbers and text": (objects("a", 1), CLASSES),
    "members of an enumeration": (objects(Colour.RED, Colour.BLUE), CLASSES),
    "dates": (pd.Series(pd.date_range("2020-01-01", periods=N)), r"the target 'y' holds dates or times"),
    "dates as objects": (objects(dt.date(2020, 1, 1), dt.date(2020, 1, 2)), "the target 'y' holds dates or times"),
    "durations": (np.array(around(1, 2), dtype="m8[s]"), "the target 'y' holds dates or times"),
    "complex": (np.array(around(1 + 1j, 2)), "Complex data not supported: the target 'y' holds complex numbers"),
    "infinities": (
        np.array(around(1.5, 2.0, np.inf)),
        r"the target 'y' holds 21 infinite value.* first in row 2",
    ),
    "one class": (np.ones(N), r"the target 'y' has one class only \('1' in all 63 rows\); at least two"),
    "one number": (np.full(N, 1.5), "the target 'y' is 1.5 in all 63 rows; there is nothing to explain"),
    "too large to square": (np.arange(N) * 1e200, r"the target 'y' goes up to 6.2e\+201, too far to square"),
    "many integers beyond floats": (objects(*(10**400 + i for i in range(N))), "or too large for float64"),
}
MISSING = {
    "numbers": (np.array(around(0.0, 1.0, np.nan)), CLASSES),
    "fractions": (np.array(around(0.5, 1.0, np.nan)), NUMBERS),
    "nullable booleans": (pd.Series(around(True, False, None), dtype="boolean"), CLASSES),
    "flags as objects": (objects(True, False, None), CLASSES),
    "text": (objects("a", "b", None), CLASSES),
    "nullable integers": (pl.Series("y", around(1, 2, None)), CLASSES),
    "many integers": (pd.Series([None if i % 3 == 2 else i for i in range(N)], dtype="Int64"), NUMBERS),
    "large integers": (pd.Series(around(2**60, 2**60 + 1, None), dtype="Int64"), CLASSES),
}
NOT_IN_A_FILE = {  # that keeps what they are
    "bytes", "numbers and text", "members of an enumeration", "complex", "flags as objects", "integers as objects",
    "two integers beyond 64 bits", "many integers beyond 64 bits", "many integers beyond floats",
}  # fmt: skip


@pytest.fixture(scope="module")
def table():
    """The place of a row among three, six and nine: whatever goes around can be explained, and nothing is constant."""
    rows = np.arange(N)
    return pd.DataFrame({"three": rows % 3, "six": rows % 6, "noise": np.random.default_rng(0).integers(0, 2, N)})


class Reached(Exception):  # noqa: N818 - no error
    """The first model was about to be fitted."""


@pytest.fixture
def first_fit(monkeypatch):
    """Models say what they are asked for instead of being fitted."""

    def stop(model, X, y):
        raise Reached(CLASSES if is_classifier(model) else NUMBERS)

    for kind in (JuntaClassifier, SpectralClassifier, JuntaRegressor, SpectralRegressor):
        monkeypatch.setattr(kind, "fit", stop)


# ---- doors: each returns the task, or raises ----


def by_discover(table, y):
    return NUMBERS if discover(table, y).mean is not None else CLASSES


def by_selector(table, y):
    """A selector does not say what it took its target for: hold it against those that were told."""
    asked = FourierSelector(2, redundancy=False, random_state=0)
    guessed = list(asked.fit(table, y).subsets_["score"])
    told = {}
    for task in (CLASSES, NUMBERS):
        try:
            told[task] = list(clone(asked).set_params(task=task).fit(table, y).subsets_["score"])
        except TargetError:
            told[task] = None
    assert told[CLASSES] != told[NUMBERS]
    return next(task for task, scores in told.items() if scores == guessed)


def by_features(table, y):
    return CLASSES if hasattr(SpectralFeatures(degree=1).fit(table, y), "classes_") else NUMBERS


def as_column(y):
    """A column as a table hands it out."""
    series = nw.from_native(y, pass_through=True, allow_series=True)
    return series if isinstance(series, nw.Series) else np.asarray(y)


@dataclass(frozen=True)
class Beside:
    """A table and one more column, whatever holds it."""

    table: FrameTable
    last: Any

    names = property(lambda self: (*self.table.names, "y"))
    n_rows = property(lambda self: self.table.n_rows)

    def column(self, position):
        return self.last if position == len(self.table.names) else self.table.column(position)


def by_report(table, y):
    with pytest.raises(Reached) as task:
        Report(Beside(FrameTable.of(nw.from_native(table)), as_column(y)), "y", quick=True)
    return str(task.value)


GIVEN = {"discover": by_discover, "FourierSelector": by_selector, "SpectralFeatures": by_features}


@pytest.mark.parametrize("door", GIVEN)
@pytest.mark.parametrize("name", TARGETS)
def test_doors_that_are_handed_a_target(table, door, name):
    y, expected = TARGETS[name]
    if expected in {CLASSES, NUMBERS}:
        assert GIVEN[door](table, y) == expected
    else:
        with pytest.raises(TargetError, match=expected):
            GIVEN[door](table, y)


@pytest.mark.parametrize("name", TARGETS)
def test_reports(table, first_fit, name):
    y, expected = TARGETS[name]
    if expected in {CLASSES, NUMBERS}:
        assert by_report(table, y) == expected
    else:
        with pytest.raises(TargetError, match=expected):
            by_report(table, y)


@pytest.mark.parametrize("door", GIVEN)
@pytest.mark.parametrize("name", MISSING)
def test_rows_without_a_target_are_refused_where_it_is_handed_over(table, door, name):
    with pytest.raises(TargetError, match=r"the target 'y' contains NaN or None in 21 of 63 rows \(first: row 2\)"):
        GIVEN[door](table, MISSING[name][0])


@pytest.mark.parametrize("name", MISSING)
def test_rows_without_a_target_are_left_out_of_reports(table, first_fit, name):
    y, expected = MISSING[name]
    assert by_report(table, y) == expected
    target = read_target_column(as_column(y), "y")
    assert (target.n_missing, len(target.y), target.task) == (21, 42, expected)
    np.testing.assert_array_equal(target.rows, [i for i in range(N) if i % 3 != 2])
    empty = np.full(N, np.nan)
    with pytest.raises(TargetError, match="the target 'y' is missing in every row"):
        by_report(table, empty)


# ---- the command line ----


def file_of(table, y, path):
    column = y if isinstance(y, pa.ChunkedArray) else y.to_arrow() if isinstance(y, pl.Series) else pa.array(y)
    columns = pa.Table.from_pandas(table).append_column("y", column)
    with pa.ipc.new_file(path, columns.schema) as file:
        file.write_table(columns)
    return path


def command(*arguments):
    """What a command prints, or the error it ends with."""
    done = CliRunner().invoke(app, [*map(str, arguments)])
    if done.exception is not None:
        raise done.exception
    return done.stdout


def in_files(targets):
    return [name for name in targets if name not in NOT_IN_A_FILE]


@pytest.mark.parametrize("name", in_files(TARGETS))
def test_commands(table, first_fit, tmp_path, name):
    y, expected = TARGETS[name]
    path = file_of(table, y, tmp_path / "t.arrow")
    for door in (("fit", "-o", tmp_path / "m.json"), ("report", "--json", "--quick"), ("select",), ("discover",)):
        asked = (door[0], path, "-t", "y", *door[1:])
        if expected not in {CLASSES, NUMBERS}:
            with pytest.raises(TargetError, match=expected):
                command(*asked)
        elif door[0] in {"fit", "report"}:
            with pytest.raises(Reached, match=expected):
                command(*asked)
        else:
            assert command(*asked, "--json") == command(*asked, "--json", "--task", expected)


def test_commands_say_how_the_target_was_read(table, tmp_path):
    for y, task in ((around(0.5, 1.5, 4.5), NUMBERS), (around(1, 2, None), CLASSES)):
        path = file_of(table, y, tmp_path / "t.arrow")
        command("fit", path, "-t", "y", "-m", "junta", "-o", tmp_path / "m.json")
        assert json.loads((tmp_path / "m.json").read_text())["task"] == task
        found = json.loads(command("discover", path, "-t", "y", "--json"))["findings"]
        assert all((finding["label"] is None) == (task == NUMBERS) for finding in found)


@pytest.mark.parametrize(
    ("values", "task"), [(("0.1", "0.25", "0.7"), NUMBERS), (("1", "2"), CLASSES), (("1", "b"), CLASSES)]
)
def test_text_of_numbers_in_a_csv_file_is_numbers(tmp_path, values, task):
    """A CSV file has no types: what looks like numbers is read as numbers, and then the rule holds."""
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "".join(f"{i % 3},{i % 5},{v}\n" for i, v in enumerate(around(*values))))
    command("fit", path, "-t", "y", "-m", "junta", "-o", tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text())["task"] == task


def test_an_unknown_task(table):
    y = around(0, 1)
    for door in (lambda: read_target(y, N, "guess"), lambda: FourierSelector(task="guess").fit(table, y)):
        with pytest.raises(InputError, match="task='guess' is not known"):
            door()


# ---- a task that is asked for ----


def test_fractions_are_classes_where_that_is_asked_for(table, first_fit):
    y = TARGETS["three fractions"][0]
    assert read_target(y, N, CLASSES).n_classes == 3
    assert read_target_column(y, "y", CLASSES).y.tolist()[:3] == ["0.1", "0.25", "0.7"]
    assert discover(table, y, task=CLASSES).mean is None


@pytest.mark.parametrize(
    ("y", "numbers"),
    [
        (around(True, False), [1, 0]),
        (objects("1", "2.5"), [1, 2.5]),
        (objects(Decimal("1.5"), 2), [1.5, 2]),
        (pd.Series(pd.Categorical(around(3, 1))), [3, 1]),
        (np.array(around(2**60, 2**61)), [2.0**60, 2.0**61]),
    ],
)
def test_numbers_where_they_are_asked_for(table, y, numbers):
    expected = around(*numbers)
    np.testing.assert_array_equal(numeric_target(y, N), expected)
    np.testing.assert_array_equal(read_target(y, N, NUMBERS).values, expected)
    np.testing.assert_array_equal(read_target_column(as_column(y), "y", NUMBERS).values, expected)


@pytest.mark.parametrize("y", [around("a", "1"), around("nan", "1"), objects("a", 1), np.array(around(b"a", b"1"))])
def test_text_that_is_no_number_is_refused_in_the_same_words(y):
    message = "the target 'y' holds text such as '(a|nan)'; regression needs numbers"
    doors = (
        lambda: numeric_target(y, N),
        lambda: read_target(y, N, NUMBERS),
        lambda: read_target_column(np.asarray(y), "y", NUMBERS),
    )
    for door in doors:
        with pytest.raises(TargetError, match=message):
            door()


# ---- classifiers and regressors ----

QUICK = {type(model): model for model in reversed(ESTIMATORS)}.values()


def outcome(model, X, y):
    """Whether it was fitted, or the error."""
    try:
        clone(model).fit(X, y)
    except ValueError as error:
        return str(error)
    return "fitted"


@pytest.mark.parametrize("model", [m for m in QUICK if is_classifier(m)], ids=lambda m: type(m).__name__)
def test_classifiers_agree(table, model):
    messages = {
        "three fractions": "Unknown label type: the target 'y' holds 0.1 (float); classes are text, whole numbers or "
        "booleans: turn it into text, or use a regressor",
        "numbers and text": "Unknown label type: the target 'y' holds 1 (int); classes are text, whole numbers or "
        "booleans: turn it into text, or make it an array of numbers or booleans",
        "one class": "the target 'y' has one class only ('1' in all 63 rows); at least two classes are needed",
        "text": "fitted",
        "0.0 and 1.0": "fitted",
        "categories of numbers": "fitted",
    }
    for name, message in messages.items():
        assert outcome(model, table, TARGETS[name][0]) == message
    for name in ("dates", "durations", "dates as objects", "complex"):
        with pytest.raises(TargetError, match=TARGETS[name][1]):
            clone(model).fit(table, TARGETS[name][0])
    for y, _ in MISSING.values():
        assert "the target 'y' contains NaN or None in 21 of 63 rows" in outcome(model, table, y)


@pytest.mark.parametrize("model", [m for m in QUICK if is_regressor(m)], ids=lambda m: type(m).__name__)
def test_regressors_agree(table, model):
    for name in ("two fractions", "booleans", "text of fractions"):
        assert outcome(model, table, TARGETS[name][0]) == "fitted"
    assert (
        outcome(model, table, TARGETS["text"][0]) == "the target 'y' holds text such as 'no'; regression needs numbers"
    )
    for name in ("dates", "durations", "infinities", "complex", "many integers beyond floats"):
        with pytest.raises(TargetError, match=TARGETS[name][1]):
            clone(model).fit(table, TARGETS[name][0])
    for y, _ in MISSING.values():
        assert "the target 'y' contains NaN or None in 21 of 63 rows" in outcome(model, table, y)


def test_labels_stay_what_they_are():
    kinds = {
        "booleans": bool, "0.0 and 1.0": float, "bytes of numbers": np.uint8, "categories of numbers": int,
        "two large integers": int,
    }  # fmt: skip
    for name, kind in kinds.items():
        classes, numbers = class_target(TARGETS[name][0], N)
        assert classes.dtype == kind
        np.testing.assert_array_equal(classes[numbers], np.asarray(TARGETS[name][0]))
    classes, _ = class_target(np.array(around("long", "a")), N)
    assert classes.dtype == np.dtype("<U4")


# ---- what a target can do ----


def test_rows_of_weight_nought_are_no_rows():
    weights = np.array(around(0.0, 1.0, 2.0))
    target = read_target(around("a", "b", "c"), N, weights=weights)
    assert target.classes.tolist() == ["b", "c"]
    assert target.y.tolist() == [label for label in around("a", "b", "c") if label != "a"]
    np.testing.assert_array_equal(target.rows, np.flatnonzero(weights))
    np.testing.assert_array_equal(target.take(np.array([3, 0])).rows, target.rows[[3, 0]])
    assert read_target([0.5, 1.5, 2.5], 3, weights=np.array([0.0, 1.0, 1.0])).y.tolist() == [1.5, 2.5]
    with pytest.raises(TargetError, match=r"one class only \('b' in all 21 rows\)"):
        read_target(around("a", "b", "c"), N, weights=np.array(around(0.0, 1.0, 0.0)))


def test_no_target():
    for door in (class_target, numeric_target, read_target):
        with pytest.raises(TargetError, match="requires y to be passed, but the target y is None"):
            door(None, 3)
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            door([0, 1], 3)


def test_several_targets_are_for_scikit_learn_to_share_out():
    rows = np.random.default_rng(0).choice([-1, 1], (200, 4))
    both = np.column_stack([rows[:, 0] * rows[:, 1], rows[:, 2]])
    with pytest.raises(
        TargetError, match=r"found 2 targets of 200 rows.* DirectSpectrumClassifier, .* sklearn.multioutput"
    ):
        JuntaClassifier().fit(rows, both)
    fitted = MultiOutputClassifier(JuntaClassifier(k=2)).fit(rows, both)
    np.testing.assert_array_equal(fitted.predict(rows), both)


def test_labels_and_numbers_are_those_of_numpy():
    from paclearn.tables.single_values import labels_and_numbers

    rng = np.random.default_rng(0)
    for values in (rng.choice(["b", "a", "cc"], 50).astype(object), rng.choice(["b", "a"], 9), rng.integers(0, 4, 30)):
        labels, numbers = labels_and_numbers(values)
        expected, places = np.unique(values, return_inverse=True)
        assert labels.tolist() == expected.tolist()
        assert numbers.tolist() == places.tolist()
        assert labels.dtype == expected.dtype
