"""Errors that nobody understood, and what was left lying about: each of these failed once."""

import datetime as dt
import json
import os
import re
import signal
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import typer
from registry import ESTIMATORS
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_regressor
from typer.testing import CliRunner

import paclearn.cli
from paclearn import (
    BooleanEncoder,
    CorrelationBoostingRegressor,
    JuntaClassifier,
    JuntaRegressor,
    OrderlyCorrelator,
    RedundancyFilter,
    SpectralClassifier,
    SpectralFeatures,
)
from paclearn._compat import need
from paclearn.cli import main
from paclearn.cli.app import app
from paclearn.cli.interrupts import end_at_once
from paclearn.counting import BitTable, NumpyEngine
from paclearn.exceptions import (
    CheckpointError,
    ColumnError,
    EmptyTableError,
    InputError,
    InputTypeError,
    MissingDependencyError,
    ModelFileError,
    PaclearnError,
    SearchTooLongError,
    TargetError,
)
from paclearn.export import from_json, to_json, to_python, to_sql
from paclearn.search import ZeroOneScore, beam, exhaustive, greedy, swaps
from paclearn.tables.arrow_tables import reading
from paclearn.views.model_file import _checksum

N = 40


def column_of(*values):
    column = np.empty(N, dtype=object)
    column[:] = [values[i % len(values)] for i in range(N)]
    return column


# ---- tables ----------------------------------------------------------------------------------------------------------


def test_a_sparse_target():
    with pytest.raises(TargetError, match=r"the target y is a sparse matrix of shape \(3, 1\).*y\.toarray\(\)"):
        JuntaClassifier().fit([[0], [1], [1]], csr_matrix([[0], [1], [1]]))


def test_frames_for_anybodys_regressor():
    """It gets them as they are: but nothing that is yet to be computed, nor two columns of one name."""
    frame, y = pd.DataFrame({"a": np.arange(N) / 2}), np.arange(N) / 2
    plain = CorrelationBoostingRegressor().fit(frame, y)
    lazy = CorrelationBoostingRegressor().fit(pl.from_pandas(frame).lazy(), y)
    np.testing.assert_array_equal(lazy.predict(pl.from_pandas(frame).lazy()), plain.predict(frame))
    with pytest.raises(InputError, match="column names must be unique; found more than once: 'a'"):
        CorrelationBoostingRegressor().fit(pd.concat([frame, frame], axis=1), y)
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([N // 2, N]), pa.array([1, 2]))
    with pytest.raises(PaclearnError, match="the weak regressor LinearRegression cannot learn from these rows"):
        CorrelationBoostingRegressor().fit(pa.table({"a": runs}), y)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_a_table_of_one_id_column(estimator):
    X = pd.DataFrame({"id": [f"u{i}" for i in range(N)]})
    y = np.arange(N) * 1.5 if is_regressor(estimator) else np.array(["a", "b"] * (N // 2))
    try:
        clone(estimator).fit(X, y)
    except EmptyTableError as error:
        assert "an id or key" in str(error)  # noqa: PT017
    except (InputError, InputTypeError) as error:  # those of chapter 3 take numbers only
        assert "turn words and dates into numbers first" in str(error)  # noqa: PT017


NO_VALUES = {
    "interval": pa.array([pa.MonthDayNano([1, i, 0]) for i in range(N)]),
    "map": pa.array([[("k", 1)], [("k", 2)]] * (N // 2), pa.map_(pa.string(), pa.int64())),
    "union": pa.UnionArray.from_sparse(
        pa.array([0, 1] * (N // 2), pa.int8()), [pa.array(["x"] * N), pa.array([1] * N)]
    ),
    "fixed bytes": pa.array([b"ab", b"cd"] * (N // 2), pa.binary(2)),
    "bytes": column_of(b"a", b"b"),
    "dictionaries": column_of({"a": 1}, {"a": 2}),
    "lists": column_of([1], [2]),
    "tuples": column_of((1,), (2,)),
    "complex numbers": column_of(1 + 2j, 3),
    "objects": column_of(object(), object()),
    "arrays": column_of(np.arange(2), np.arange(3)),
    "categories that are tuples": pd.Categorical([(1, 2), (3, 4)] * (N // 2)),
}


@pytest.mark.parametrize("kind", NO_VALUES)
def test_what_is_no_single_value_is_refused(kind):
    values = NO_VALUES[kind]
    frame = pa.table({"x": values}) if isinstance(values, pa.Array) else pd.DataFrame({"x": values})
    with pytest.raises(ColumnError, match="column 'x' holds .*; paclearn reads numbers, text, categories and booleans"):
        BooleanEncoder().fit(frame)


def test_a_number_of_five_thousand_digits():
    with pytest.raises(ColumnError, match="column 'x' holds a whole number of more than 4000 digits"):
        BooleanEncoder().fit(pd.DataFrame({"x": column_of(10**5000, 3)}))
    with pytest.raises(TargetError, match="the target 'y' holds a whole number of more than 4000 digits"):
        JuntaRegressor(k=1).fit([[i % 2] for i in range(N)], column_of(10**5000, 3))


@pytest.mark.parametrize("learner", [JuntaClassifier(k=1), JuntaRegressor(k=1)])
def test_a_target_with_a_signalling_nan(learner):
    with pytest.raises(TargetError, match="contains NaN or None in 20 of 40 rows"):
        learner.fit([[i % 2] for i in range(N)], column_of(Decimal("sNaN"), Decimal(1)))


def test_integers_of_128_bits():
    frame = pl.DataFrame({"x": pl.Series([2**100, 3] * (N // 2), dtype=pl.Int128)})
    (found,) = BooleanEncoder().fit(frame).domain_.columns
    assert set(found.code_names) == {"3", str(2**100)}
    target = pl.Series([2**100, 3] * (N // 2), dtype=pl.Int128)
    assert JuntaRegressor(k=1).fit(frame, target).predict(frame)[0] == pytest.approx(2.0**100)


@pytest.mark.parametrize("y", [3, "y", {0, 1}, (i for i in range(N)), pl.LazyFrame({"y": [0] * N})], ids=type)
def test_one_object_for_a_target(y):
    with pytest.raises(TargetError, match=f"should be a 1d array; found one object, of type {type(y).__name__}"):
        JuntaClassifier(k=1).fit([[i % 2] for i in range(N)], y)


@pytest.mark.parametrize(
    ("weights", "said"), [("w", "could not convert string"), (["w"] * N, "could not"), (np.ones(N) * 1j, "Complex")]
)
def test_weights_that_are_no_numbers(weights, said):
    with pytest.raises(InputError, match=rf"^sample_weight must be numbers: {said}"):
        JuntaClassifier(k=1).fit([[i % 2] for i in range(N)], [0, 1] * (N // 2), sample_weight=weights)


def test_mixed_targets():
    with pytest.raises(TargetError, match=r"holds 1 \(int\); classes are text, whole numbers or booleans"):
        JuntaClassifier(k=1).fit([[i % 2] for i in range(N)], column_of("a", 1))


def test_python_says_which_number_is_none():
    space = {}
    exec(
        to_python(JuntaClassifier(k=1, n_bins=3).fit([[i * 0.5] for i in range(N)], [i > 20 for i in range(N)])), space
    )
    with pytest.raises(ValueError, match="column 'x0' holds 'tall', which is no finite number"):
        space["predict"]({"x0": "tall"})


# ---- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [10, 334, 900])
def test_certificates_within_certificates(depth):
    content = json.loads(to_json(JuntaClassifier(k=1).fit([[i % 2] for i in range(N)], ["a", "b"] * (N // 2))))
    del content["checksum"]
    nested = {}
    for _ in range(depth):
        nested = {"a": nested}
    content["certificate"] = nested
    with pytest.raises(ModelFileError, match="certificate must be an object of plain values"):
        from_json(json.dumps({**content, "checksum": _checksum(content)}))


def test_a_file_of_nothing_but_brackets():
    text = '{"format": "paclearn model", "version": 1, "x": ' + "[" * 980 + "]" * 980 + ', "checksum": ""}'
    with pytest.raises(ModelFileError, match="not a model file|checksum does not fit"):
        from_json(text)


@pytest.mark.parametrize("ending", ["tsv", "csv"])
def test_a_line_break_in_a_name_is_read_by_all_commands(tmp_path, ending):
    mark = "\t" if ending == "tsv" else ","
    rows = "".join(f"{i % 3}{mark}{i % 2}{mark}{'pq'[i % 3 == 1]}\n" for i in range(60))
    (tmp_path / f"t.{ending}").write_text(f'"a\nb"{mark}c{mark}y\n{rows}')
    run, table, model = CliRunner().invoke, f"{tmp_path}/t.{ending}", f"{tmp_path}/m.json"
    assert run(app, ["fit", table, "--target", "y", "-o", model]).exit_code == 0
    assert run(app, ["predict", model, table, "-o", f"{tmp_path}/p.csv"]).exit_code == 0


def table_of_bits():
    rng = np.random.default_rng(0)
    return BitTable.pack(rng.integers(0, 2, (8, 100)).astype(np.uint8), [2] * 8, rng.integers(0, 2, 100), 2)


def of_a_search():
    table = table_of_bits()
    return lambda path: exhaustive(NumpyEngine(table), ZeroOneScore(2), 2, n_best=5, checkpoint=path)


@pytest.mark.parametrize(
    "change",
    [
        {"done": -5},
        {"done": 10**6},
        {"done": 3},
        {"subsets": [[1, 1]] * 5},
        {"subsets": [[0, 1]] * 5},
        {"subsets": [[0, 99]] * 5},
        {"subsets": [[1, 0], [0, 2], [0, 3], [0, 4], [0, 5]]},
        {"subsets": [[0, 1, 2]] * 5},
        {"scores": ["nan"] * 5},
    ],
)
def test_checkpoints_that_no_search_has_written(tmp_path, change):
    search, path = of_a_search(), tmp_path / "checkpoint"
    search(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(CheckpointError, match="holds what no search has found; name another file"):
        search(path)


@pytest.mark.parametrize("part", ["format", "search", "done", "subsets", "scores"])
def test_checkpoints_that_lack_something(tmp_path, part):
    search, path = of_a_search(), tmp_path / "checkpoint"
    search(path)
    state = json.loads(path.read_text())
    del state[part]
    path.write_text(json.dumps(state))
    with pytest.raises(CheckpointError, match="is no checkpoint of a search"):
        search(path)


# ---- commands and limits ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [r"$\href{http://x}{y}$", "a$b$c", r"$\frac{1$"])
def test_dollars_in_names_are_no_formulas(name, tmp_path):
    frame = pd.DataFrame({name: [0, 1] * 60, "z": [0, 0, 1, 1] * 30, "y": ["p", "q", "q", "p"] * 30})
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = CliRunner().invoke(app, ["discover", f"{tmp_path}/t.csv", "--target", "y", "-o", f"{tmp_path}/x.svg"])
    plt.close("all")
    assert done.exit_code == 0, done.exception
    assert (tmp_path / "x.svg").stat().st_size > 0


SLOW_WRITER = """
import pathlib, signal, sys, time
from paclearn.cli import app as commands
from paclearn.tables.files import writing
from typer import Typer

def slow(path: str):
    with writing(pathlib.Path(path)) as file:
        file.write(b"half")
        print("begun", flush=True)
        while True:
            time.sleep(0.01)  # a signal in the moment before a sleep is heard after it

signal.signal(getattr(signal, "SIGHUP", signal.SIGTERM), signal.SIG_DFL)  # the tests may have been begun by nohup
commands.app = Typer()
commands.app.command()(slow)
commands.run()
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_command_that_is_terminated_leaves_nothing_behind(name, tmp_path):
    number = getattr(signal, name, signal.SIGTERM)  # some systems have no terminals that hang up
    command = [sys.executable, "-c", SLOW_WRITER, str(tmp_path / "out.csv")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(number)
        assert process.wait(timeout=30) == 128 + number
    assert list(tmp_path.iterdir()) == []


def test_a_search_that_cannot_be_done_in_time_is_refused_at_once():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 250, (2000, 12)).astype(str).astype(object)
    started = time.process_time()
    with pytest.raises(SearchTooLongError, match="would take more than"):
        JuntaClassifier(k=6, time_limit=2).fit(X, rng.integers(0, 2, 2000))
    assert time.process_time() - started < 2


@pytest.mark.parametrize("search", [greedy, beam, swaps])
def test_searches_that_look_at_a_few_subsets_mind_their_time_limit(search):
    engine, score = NumpyEngine(table_of_bits()), ZeroOneScore(2)
    with pytest.raises(SearchTooLongError, match="subsets of size 1 were still to be looked at, and none of size 3"):
        search(engine, score, 3, time_limit=1e-9)
    in_time = search(engine, score, 3, time_limit=60)
    np.testing.assert_array_equal(in_time.subsets, search(engine, score, 3).subsets)
    assert in_time.stopped is None


def test_a_library_that_cannot_be_loaded_is_not_called_missing(tmp_path, monkeypatch):
    (tmp_path / "broken_library.py").write_text("raise ImportError('cannot allocate memory')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingDependencyError, match="which cannot be loaded: cannot allocate memory"):
        need("broken_library", "io", "reading")
    with pytest.raises(MissingDependencyError, match="which is not installed"):
        need("no_such_library", "io", "reading")


class Failing:
    """A module that is there and cannot be loaded: from wherever it is imported, this is raised."""

    def __init__(self, name, error):
        self.name, self.error = name, error

    def find_spec(self, name, path=None, target=None):
        if name == self.name:
            raise self.error


@pytest.fixture
def interrupts_as_before():
    """A command that starts in this process takes them to itself."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ImportError("failed to map segment", name="_random"), "_random cannot be loaded: failed to map segment"),
        (MemoryError(), "there is not enough memory"),
        (ModuleNotFoundError("No module named 'typer'", name="typer"), r"needs typer; `pip install 'paclearn\[cli\]'"),
    ],
)
def test_a_command_says_why_it_cannot_start(error, said, monkeypatch, interrupts_as_before):
    monkeypatch.delitem(sys.modules, "paclearn.cli.app")
    monkeypatch.delattr("paclearn.cli.app")
    monkeypatch.setattr(sys, "meta_path", [Failing("paclearn.cli.app", error), *sys.meta_path])
    with pytest.raises(SystemExit, match=said):
        main()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not say what a process takes")
def test_a_limit_of_addresses_that_leaves_the_libraries_no_room(monkeypatch, interrupts_as_before):
    """OpenBLAS asked for its buffers again and again, for ever."""
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGESIZE")
    monkeypatch.setattr("resource.getrlimit", lambda _: (taken + 50_000_000, -1))
    monkeypatch.setattr(sys, "argv", ["paclearn", "--version"])
    with pytest.raises(SystemExit, match=r"leaves \d\d MB of addresses, .* take 1000 MB .*; raise it \(ulimit -v\)"):
        main()


INTERRUPTED_AT_ONCE = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
from paclearn.cli import main
main()
"""
INTERRUPTED_BEFORE_ITS_COMMAND = """
import os, signal
import paclearn.cli.app as commands
from paclearn.cli import main
commands.app = lambda **_: os.kill(os.getpid(), signal.SIGINT)
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there a signal ends a process")
@pytest.mark.parametrize("moment", [INTERRUPTED_AT_ONCE, INTERRUPTED_BEFORE_ITS_COMMAND])
def test_an_interrupt_before_there_is_a_command_is_one_line(moment):
    done = subprocess.run([sys.executable, "-c", moment], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "paclearn: error: interrupted; nothing was written\n")


COMMANDS_THAT_WRITE = {
    "fit": ("fit", "--model", "junta", "-o", "written.json"),
    "report": ("report", "--quick", "-o", "written.html"),
    "discover": ("discover", "-o", "written.csv"),
    "rules": ("rules", "-o", "written.csv"),
    "select": ("select", "-o", "written.csv"),
}


@pytest.fixture
def csv_of_bits(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bits = np.random.default_rng(0).integers(0, 2, (60, 3))
    pd.DataFrame(bits, columns=list("abc")).assign(y=bits[:, 0] ^ bits[:, 1]).to_csv("t.csv", index=False)


@pytest.mark.skipif(sys.platform == "win32", reason="there a signal ends a process")
@pytest.mark.parametrize("name", COMMANDS_THAT_WRITE)
def test_an_interrupt_behind_the_file_is_too_late(name, csv_of_bits, monkeypatch, interrupts_as_before, capsys):
    """A command whose reader had stopped said that nothing was written, and the file was there."""
    command, *options = COMMANDS_THAT_WRITE[name]
    said = typer.echo

    def interrupted(*words, **how):
        os.kill(os.getpid(), signal.SIGINT)
        said(*words, **how)

    monkeypatch.setattr(typer, "echo", interrupted)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    end_at_once()
    app([command, "t.csv", "--target", "y", *options], standalone_mode=False)
    assert Path(options[-1]).exists()
    assert options[-1] in capsys.readouterr().out


@pytest.mark.parametrize("name", COMMANDS_THAT_WRITE)
def test_a_file_is_written_though_nobody_reads_the_words(name, csv_of_bits, monkeypatch):
    command, *options = COMMANDS_THAT_WRITE[name]
    monkeypatch.setattr(typer, "echo", lambda *_, **__: (_ for _ in ()).throw(BrokenPipeError))
    with pytest.raises(BrokenPipeError):
        app([command, "t.csv", "--target", "y", *options], standalone_mode=False)
    assert Path(options[-1]).exists()


@pytest.mark.skipif(sys.platform != "linux", reason="others do not mind the limit")
@pytest.mark.parametrize("megabytes", [30, 150, 500, 900])
def test_a_limit_of_addresses_too_low_to_import_anything(megabytes):
    """It is looked at before numpy is, which ended with forty lines, or with a line of OpenBLAS."""
    limited = f"ulimit -v {megabytes}000; exec {sys.executable} -m paclearn --version"
    done = subprocess.run(["sh", "-c", limited], capture_output=True, text=True)
    assert re.fullmatch(r"paclearn: error: the limit of the process leaves \d+ MB of addresses, .*\n", done.stderr)
    assert done.returncode == 1


def test_fewer_threads_where_addresses_are_few(monkeypatch):
    monkeypatch.setattr(paclearn.cli, "_addresses_left", lambda: 1_300_000_000)
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "5")
    paclearn.cli._limit_threads()
    assert os.environ.pop("OMP_NUM_THREADS") == "3"
    assert os.environ["OPENBLAS_NUM_THREADS"] == "5"


def test_threads_that_cannot_be_started_say_nothing_of_the_file(tmp_path):
    said = "Unknown error: Failed to launch worker thread: Resource temporarily unavailable"
    with pytest.raises(InputError, match=r"t\.csv cannot be read: .*OMP_NUM_THREADS=1"), reading(tmp_path / "t.csv"):
        raise pa.ArrowException(said)


def test_memory_that_is_short_while_a_file_is_read_says_nothing_of_the_file(tmp_path):
    with pytest.raises(MemoryError), reading(tmp_path / "t.csv"):
        raise pa.ArrowMemoryError("malloc of size 131072 failed")


def test_dates_among_other_things():
    with pytest.raises(PaclearnError, match="not all of them dates"):
        BooleanEncoder().fit(pd.DataFrame({"x": column_of(dt.date(2020, 1, 1), "x")}))


def test_too_many_classes_and_threads():
    codes, y = [np.zeros(10, dtype=np.uint8)] * 2, np.zeros(10, dtype=np.int64)
    with pytest.raises((InputError, ValueError), match="n_classes"):
        BitTable.pack(codes, [2, 2], y, 2**62)


def test_a_line_break_in_a_level_makes_no_second_line():
    with pytest.raises(PaclearnError) as caught:
        JuntaClassifier().fit(pd.DataFrame({"x\n": ["a\r\nb"] * N}), ["a", "b"] * (N // 2))
    assert str(caught.value).count("a\\r\\nb") == 1
    assert len(str(caught.value).splitlines()) == 1


def test_sql_has_no_words_for_a_class_with_a_nul():
    model = JuntaClassifier(k=1).fit(pd.DataFrame({"x": ["u", "v"] * 20}), ["a\0b", "c"] * 20)
    with pytest.raises(InputError, match="holds a NUL character, which SQL has no words for"):
        to_sql(model)


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (["a", "b"], "could not convert string to float"),
        (pd.to_datetime(["2020-01-01", "2021-01-01"]).tolist(), "could not be promoted"),
    ],
)
def test_weak_regressors_that_read_no_words(column, said):
    learner = CorrelationBoostingRegressor()
    with pytest.raises(
        PaclearnError, match=rf"LinearRegression cannot learn from these rows: .*{said}.*BooleanEncoder"
    ):
        learner.fit(pd.DataFrame({"x": column * 20, "z": range(40)}), np.arange(40) % 2)


@pytest.mark.parametrize("words", [np.array([["u", "1"]] * 20), [["u", "1"]] * 20, [{"a": 1}] * 20])
def test_arrays_of_words_for_a_learner_of_numbers(words):
    with pytest.raises(PaclearnError, match=r"^the table cannot be read as an array of numbers: .*\(BooleanEncoder\)$"):
        OrderlyCorrelator().fit(words, np.arange(20.0))


@pytest.mark.parametrize("learner", [JuntaClassifier(), BooleanEncoder()])
def test_rows_of_several_lengths(learner):
    with pytest.raises(InputError, match="its rows must all hold as many values, and no lists"):
        learner.fit([[1, 2], [3]] * 20, [0, 1] * 20)


@pytest.mark.filterwarnings("error")
def test_plans_of_polars_are_computed_without_a_word():
    plan = pl.LazyFrame({"a": [i % 3 for i in range(N)], "b": [i % 5 for i in range(N)]})
    learner = OrderlyCorrelator().fit(plan, np.arange(N))
    np.testing.assert_array_equal(learner.predict(plan), learner.predict(plan.collect()))


def test_arrays_of_words_that_a_weak_regressor_cannot_read():
    words = np.array([["a\0b", "1"], ["c", "2"]], dtype=object)
    learner = CorrelationBoostingRegressor().fit(np.arange(40).reshape(20, 2), np.arange(20) % 2)
    with pytest.raises(InputError, match=r"cannot be read as an array of numbers: could not convert.*BooleanEncoder"):
        learner.predict(words)


def test_halves_of_letters_are_told_by_their_number():
    frame = pd.DataFrame({"x": pd.Series(["\ud800", "\ud801"] * 30, dtype=object)})
    model = SpectralClassifier(degree=1, max_terms=2, random_state=0).fit(frame, [1, 0] * 30)
    assert all("\\ud80" in term for term in model.terms_["term"])
    assert len(model.terms_)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("values", [[5e-324, 0.0], [1e-200, -1e-200]])
def test_numbers_too_near_to_square(values):
    frame, y = pd.DataFrame({"x": values * 20, "z": [0, 1, 2, 3] * 10}), [0, 1] * 20
    with pytest.raises(ColumnError, match=r"column 'x' runs over .*, too little to square; rescale it"):
        RedundancyFilter().fit(frame, y)
    tiny, plain = np.array([1e-200, -1e-200] * 20), np.array([1.0, 0.0] * 20)
    features = [SpectralFeatures(n_terms=2).fit_transform(frame[["z"]], target) for target in (tiny, plain)]
    np.testing.assert_array_equal(*features)


def test_rows_that_a_weak_regressor_cannot_read():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    learner = CorrelationBoostingRegressor().fit(X, X[:, 0] > 0)
    with pytest.raises(InputTypeError, match="the regressors that are asked cannot read these rows"):
        learner.predict(np.full((3, 2), "2020-01-01", dtype="datetime64[D]"))


@pytest.mark.parametrize(
    "missing", [pd.array([None, *[True, False] * 20], dtype="boolean"), pd.array([None, *[1, 0] * 20])]
)
def test_targets_of_pandas_that_know_missing_values(missing):
    frame = pd.DataFrame({"x": ["u", *["u", "v"] * 20]})
    with pytest.raises(TargetError, match="contains NaN or None in 1 of 41 rows"):
        JuntaClassifier(k=1).fit(frame, missing)
    assert JuntaClassifier(k=1).fit(frame[1:], missing[1:]).score(frame[1:], missing[1:].to_numpy(dtype=int)) == 1


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_targets_of_sixteen_bits_and_of_text_of_any_length():
    frame = pd.DataFrame({"x": ["u", "v"] * 20})
    assert JuntaClassifier(k=1).fit(frame, np.array([0, 1] * 20, dtype=np.float16)).classes_.tolist() == [0, 1]
    with pytest.raises(TargetError, match=r"Unknown label type: .* holds 0.5"):
        JuntaClassifier(k=1).fit(frame, np.array([0.5, 1] * 20, dtype=np.float16))
    words = np.array(["p", "q"] * 20, dtype=np.dtypes.StringDType())
    assert JuntaClassifier(k=1).fit(frame, words).predict(frame).tolist() == words.tolist()


def test_targets_of_more_than_64_bits_have_model_files():
    frame = pd.DataFrame({"x": ["u", "v"] * 20})
    model = JuntaClassifier(k=1).fit(frame, np.array([2, 3] * 20, dtype=np.longdouble))
    assert from_json(to_json(model)).predict(frame).tolist() == [2.0, 3.0] * 20


class Silent:
    """An object of anybody's that cannot say what it is."""

    def __str__(self):
        raise RuntimeError("no words")


def test_objects_that_have_no_text():
    with pytest.raises(ColumnError, match="a value of type Silent has no text: no words"):
        JuntaClassifier(k=1).fit(pd.DataFrame({"x": column_of(Silent(), Silent())}), [0, 1] * (N // 2))


def test_dates_to_a_millionth_of_a_millionth_of_a_second():
    moments = np.arange(N).astype("datetime64[as]")[:, None]
    with pytest.raises(EmptyTableError, match="x0: constant .1970"):
        JuntaClassifier(k=1).fit(moments, [0, 1] * (N // 2))


def test_numbers_too_large_for_a_weak_regressor():
    with pytest.raises(InputError, match="LinearRegression cannot learn from these rows: int too large to convert"):
        CorrelationBoostingRegressor().fit(pd.DataFrame({"x": column_of(10**400, 1)}), np.arange(N) / 2)
    with pytest.raises(InputError, match="int too large to convert to float"):
        CorrelationBoostingRegressor().fit(column_of(10**400, 1)[:, None], np.arange(N) / 2)


TIDIES = """
import signal, time
from paclearn.cli.interrupts import end_at_once, raised_here
class Tidy:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
end_at_once()
try:
    with raised_here():
        Tidy()
        time.sleep(5)
        print("lost")
except KeyboardInterrupt:
    print("heard")
"""


def test_an_interrupt_while_python_tidies_up_is_not_lost():
    """What is raised there is ignored, with a traceback on the screen, and the command would go on to its end."""
    done = subprocess.run([sys.executable, "-c", TIDIES], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("heard\n", "")
