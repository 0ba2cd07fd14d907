"""The command line, as a user meets it; the way in through a process of its own is tried once."""

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from paclearn import SpectralClassifier
from paclearn.cli import main
from paclearn.cli.fit_command import LEARNERS
from paclearn.datasets import load_tic_tac_toe
from paclearn.export import load, save
from paclearn.kernels import dispatch as native

DIAGONALS = ["top-left", "top-right", "middle-middle", "bottom-left", "bottom-right"]


def paclearn(*arguments, cwd=None):
    """Run a command in this process: starting one takes two seconds, most of them scikit-learn's."""
    out, err = io.StringIO(), io.StringIO()
    argv, folder, code = sys.argv, Path.cwd(), 0
    before = signal.getsignal(signal.SIGINT)  # a command ends deaf to it, and so would be all that is started later
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        sys.argv = ["paclearn", *map(str, arguments)]
        os.chdir(cwd or folder)
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        finally:
            sys.argv = argv
            os.chdir(folder)
            signal.signal(signal.SIGINT, before)
    return SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())


def test_a_process_of_its_own(tmp_path):
    """Its page is written; its JSON can be read from a terminal that knows no Unicode."""
    pd.DataFrame({"年": list("uv") * 20, "t": list("xy") * 20}).to_csv(tmp_path / "t.csv", index=False)
    command = [sys.executable, "-m", "paclearn", "report", "t.csv", "-t", "t", "-o", "page.html", "--json", "--quick"]
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(command, capture_output=True, encoding="latin-1", cwd=tmp_path, env=environment)
    assert done.returncode == 0
    notice = "" if native.instruction_set() != "none" else "paclearn: note: paclearn was installed without its C++ core"
    assert done.stderr.startswith(notice)
    assert bool(done.stderr) == bool(notice)
    assert (tmp_path / "page.html").stat().st_size > 5000
    assert json.loads(done.stdout)["model"]["members"] == ["年"]
    script = Path(sys.executable).parent / "paclearn"
    done = subprocess.run([script, "report", "nope.csv", "-t", "y"], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "paclearn: error: there is no file nope.csv; did you mean 't.csv'?\n"


@pytest.fixture(scope="module")
def boards(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "boards.csv"
    done = paclearn("datasets", "tic-tac-toe", "-o", path)
    assert done.returncode == 0, done.stderr
    assert "958 rows, 10 columns" in done.stderr
    return path


@pytest.fixture(scope="module")
def diagonals(boards):
    """The diagonals, most rows twice: judged by three folds, where 958 rows, or a mere copy of them, take fifteen."""
    path = boards.with_name("diagonals.csv")
    frame = pd.read_csv(boards)[[*DIAGONALS, "x wins"]]
    pd.concat([frame, frame[:-8]]).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def few_boards(diagonals):
    """So few of them that a report is over at once."""
    path = diagonals.with_name("few.csv")
    pd.read_csv(diagonals)[::10].to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def reported(diagonals, made_once, tmp_path_factory):
    """What a quick report of the diagonals says as JSON: made once, as it takes a second."""

    def report():
        folder = tmp_path_factory.mktemp("report")
        done = paclearn("report", diagonals, "--target", "x wins", "--json", "--quick", "--jobs", 1, cwd=folder)
        assert not list(folder.iterdir())
        return done.stdout

    return made_once("diagonals of boards", report)


def without_times(printed):
    """The facts, but for how long searches took."""
    facts = json.loads(printed)
    for ranking in facts["rankings"]:
        ranking.pop("searched")
    return facts


def test_datasets_are_listed_and_written(boards, tmp_path):
    listing = paclearn("datasets")
    assert "tic-tac-toe" in listing.stdout
    assert {entry["name"] for entry in json.loads(paclearn("datasets", "--json").stdout)} >= {"parity", "tribes"}
    frame = pd.read_csv(boards)
    assert frame.shape == (958, 10)
    assert (frame["x wins"] == "yes").sum() == 626
    assert paclearn("datasets", "parity", "-o", tmp_path / "p.parquet").returncode == 0
    assert pd.read_parquet(tmp_path / "p.parquet").shape == (1000, 21)
    assert paclearn("datasets", "junta").stdout.startswith("x0,x1,")


def test_report_writes_a_page_and_says_where(diagonals, tmp_path):
    done = paclearn("report", diagonals, "--target", "x wins", "-o", "page.html", "--quick", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(
        r"accuracy of junta \((top-left, middle-middle, bottom-right|top-right, middle-middle, bottom-left)\)",
        done.stdout,
    )
    assert f"The page: {(tmp_path / 'page.html').resolve()}" in done.stdout
    page = (tmp_path / "page.html").read_text()
    assert "What decides “x wins”?" in page
    assert "http" not in page.replace("http-equiv", "")


def test_json_has_the_same_facts(reported, diagonals):
    facts, wins = json.loads(reported), pd.read_csv(diagonals)["x wins"] == "yes"
    assert "middle-middle" in facts["model"]["members"]
    assert [r["k"] for r in facts["rankings"]] == [1, 2, 3]
    assert facts["target"]["classes"][1] == {"label": "yes", "rows": wins.sum(), "share": wins.mean()}
    names = [row["name"].split()[0] for row in facts["comparison"]]
    assert names == ["spectral", "small", "junta", "logistic", "gradient", "majority"]
    assert facts["about"]["command"] == "paclearn report diagonals.csv --target 'x wins' --seed 0 --quick"


def test_the_same_seed_gives_the_same_bytes(reported, diagonals):
    done = paclearn("report", diagonals, "-t", "x wins", "--json", "--jobs", 2, "--quick")
    assert without_times(done.stdout) == without_times(reported)


def test_regression_report(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.choice(list("xyz"), 200), "b": rng.choice(list("uv"), 200), "c": rng.normal(size=200).round()}
    )
    frame["price"] = 5.0 * (frame["a"] == "x") * (frame["b"] == "u") + rng.normal(0, 0.5, 200)
    frame.loc[:4, "price"] = np.nan
    frame.to_parquet(tmp_path / "t.parquet")
    done = paclearn("report", tmp_path / "t.parquet", "-t", "price", "-o", tmp_path / "p.html", "--json", "--quick")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["target"]["task"] == "regression"
    assert facts["target"]["missing"] == 5
    assert facts["model"]["members"][:2] == ["a", "b"]
    assert "ridge regression" in (tmp_path / "p.html").read_text()


def test_version_and_help():
    assert paclearn("--version").stdout.startswith("paclearn 0.")
    text = paclearn("report", "--help").stdout
    assert "paclearn report churn.csv --target churn -o churn.html" in text
    assert paclearn("--help").returncode == 0


# ---- bad input: one line, exit code 2, no traceback, nothing written ----


def write(tmp_path, name, frame):
    frame.to_csv(tmp_path / name, index=False)
    return tmp_path / name


BAD = {
    "no such file": (lambda p: p / "nope.csv", ["-t", "y"], "there is no file"),
    "not a table": (lambda p: (p / "x.csv").write_text("hello\n") and p / "x.csv", ["-t", "y"], "has one column only"),
    "empty file": (lambda p: (p / "e.csv").write_text("") or p / "e.csv", ["-t", "y"], "is empty"),
    "no such target": (
        lambda p: write(p, "t.csv", pd.DataFrame({"age": [1, 2], "churn": [0, 1]})),
        ["-t", "chrun"],
        "there is no column 'chrun'; did you mean 'churn'?",
    ),
    "one class": (
        lambda p: write(p, "t.csv", pd.DataFrame({"a": range(9), "y": ["same"] * 9})),
        ["-t", "y"],
        "the target 'y' has one class only ('same' in all 9 rows)",
    ),
    "target all missing": (
        lambda p: write(p, "t.csv", pd.DataFrame({"a": range(9), "y": [None] * 9})),
        ["-t", "y"],
        "the target 'y' is missing in every row",
    ),
    "all constant": (
        lambda p: write(p, "t.csv", pd.DataFrame({"a": [1] * 9, "b": ["x"] * 9, "y": [0, 1, 1] * 3})),
        ["-t", "y"],
        "no column varies",
    ),
    "infinite": (
        lambda p: write(p, "t.csv", pd.DataFrame({"a": [1.0, np.inf, 2.0] * 3, "y": [0, 1, 1] * 3})),
        ["-t", "y"],
        "infinite value(s) (inf)",
    ),
    "too many cells": (
        lambda p: write(
            p,
            "t.csv",
            pd.DataFrame(np.random.default_rng(0).integers(0, 16, (400, 12)))
            .astype(str)
            .add_prefix("c")
            .replace("1", "l1")
            .assign(y=[0, 1] * 200),
        ),
        ["-t", "y", "--max-k", "12", "--time-limit", "60"],
        "would fit",
    ),
    "text for regression": (
        lambda p: write(p, "t.csv", pd.DataFrame({"a": range(9), "y": list("abcabcabc")})),
        ["-t", "y", "--task", "regression"],
        "regression needs numbers",
    ),
    "unknown task": (
        lambda p: write(p, "t.csv", pd.DataFrame({"a": range(9), "y": list("abcabcabc")})),
        ["-t", "y", "--task", "clustering"],
        "task='clustering' is not known",
    ),
    "no folder to write to": (
        lambda p: write(p, "t.csv", pd.DataFrame({"a": range(40), "b": [0, 1] * 20, "y": list("ab") * 20})),
        ["-t", "y", "-o", "nowhere/page.html"],
        "there is no folder",
    ),
    "not enough rows": (
        lambda p: write(p, "t.csv", pd.DataFrame({"a": list("uvwu"), "y": list("abab")})),
        ["-t", "y"],
        "too few rows (4) to keep a share of 0.25 aside",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case, tmp_path):
    make, arguments, message = BAD[case]
    path = make(tmp_path)
    before = sorted(tmp_path.iterdir())
    done = paclearn("report", path, *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("paclearn: error: ")
    assert done.stdout == ""
    assert sorted(tmp_path.iterdir()) == before


def test_a_date_column_can_be_dropped(tmp_path):
    frame = pd.DataFrame(
        {"when": pd.date_range("2024-01-01", periods=90), "a": list("uvw") * 30, "y": list("ppq") * 30}
    )
    path = write(tmp_path, "t.csv", frame)
    assert paclearn("report", path, "-t", "y", "--drop", "when", "--json").returncode == 0


def test_usage_errors_are_code_2():
    assert paclearn("report").returncode == 2
    assert paclearn("frobnicate").returncode == 2
    done = paclearn("datasets", "nonsense")
    assert done.returncode == 2
    assert "there is no embedded dataset 'nonsense'" in done.stderr


def test_hostile_names_are_text_on_the_page(tmp_path):
    evil = "<script>alert(1)</script>"
    boards = load_tic_tac_toe(as_frame=True)
    frame = boards.data[["top-left", "middle-middle", "bottom-right"]].rename(columns={"middle-middle": evil})
    frame = frame.replace("x", "\"'><img src=x onerror=alert(1)>").assign(**{"y & <y>": boards.target})[::5]
    path = write(tmp_path, "t.csv", frame)
    done = paclearn("report", path, "-t", "y & <y>", "-o", tmp_path / "p.html", "--quick")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "p.html").read_text()
    assert page.count("<script") == 2  # the model of the panel, and the panel
    assert page.count("</script>") == 2
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


@pytest.mark.usefixtures("all_trees")
def test_the_numpy_engine_gives_the_same_facts_and_a_notice(few_boards, tmp_path):
    few_boards = write(tmp_path, "t.csv", pd.read_csv(few_boards)[::3])
    code = (
        "import sys; sys.modules['paclearn.kernels._core'] = None\n"
        f"sys.argv = ['paclearn', 'report', {str(few_boards)!r}, '-t', 'x wins', '--json', '-j', '1', '--quick']\n"
        "from paclearn.cli import main; main()"
    )
    slow = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert slow.stderr.count("paclearn: note: paclearn was installed without its C++ core") == 1, slow.stderr
    fast = paclearn("report", few_boards, "-t", "x wins", "--json", "-j", "1", "--quick")
    assert without_times(slow.stdout) == without_times(fast.stdout)


# ---- discover --------------------------------------------------------------------------------------------------------


def test_discover_says_what_it_found(boards):
    done = paclearn("discover", boards, "--target", "x wins")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Tested 9 main effects, 36 pairs on 958 rows;")
    assert "x wins = yes is less frequent by" in done.stdout
    assert "where middle-middle is o than elsewhere" in done.stdout


@pytest.mark.parametrize("ending", ["json", "md", "csv", "svg"])
def test_discover_writes_files(boards, tmp_path, ending):
    page = tmp_path / f"found.{ending}"
    done = paclearn("discover", boards, "--target", "x wins", "-o", page, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["target"] == "x wins"
    assert page.stat().st_size > 500


def test_discover_with_rows_that_have_no_target(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 2, 200), "b": rng.integers(0, 2, 200)})
    frame["y"] = np.where(rng.random(200) < 0.1, None, np.where(frame["a"] ^ frame["b"], "p", "q"))
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = paclearn("discover", tmp_path / "t.csv", "-t", "y", "--permutations", 30, "--order", 2)
    assert done.returncode == 0, done.stderr
    assert "where a is 1 and b is 1" in done.stdout
    done = paclearn("discover", tmp_path / "t.csv", "-t", "y", "--task", "regression")
    assert done.returncode == 2
    assert "holds text such as" in done.stderr


def test_discover_refuses_what_it_cannot_write(boards, tmp_path):
    done = paclearn("discover", boards, "--target", "x wins", "-o", tmp_path / "found.doc")
    assert done.returncode == 2
    assert "must end in .json, .md, .csv, .svg, .png or .pdf" in done.stderr
    assert not (tmp_path / "found.doc").exists()


def test_discover_prints_what_it_cannot_draw(tmp_path):
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.integers(0, 2, (60, 3)), columns=list("aby")).to_csv(tmp_path / "t.csv", index=False)
    done = paclearn("discover", tmp_path / "t.csv", "-t", "y", "-o", tmp_path / "net.svg")
    assert done.returncode == 2
    assert done.stdout.startswith("Tested 2 main effects")
    assert "no interaction to draw" in done.stderr


# ---- models ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(diagonals, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "boards.json"
    done = paclearn("fit", diagonals, "-t", "x wins", "--max-terms", 8, "-o", path)
    assert done.returncode == 0, done.stderr
    assert " and " in done.stdout
    assert str(path) in done.stdout
    return path


def test_fit_then_predict_is_what_the_library_says(boards, diagonals, saved, tmp_path):
    frame = pd.read_csv(diagonals)
    y = frame.pop("x wins").to_numpy(dtype=object)
    model = SpectralClassifier(max_terms=8, random_state=0).fit(frame, y)
    frame = pd.read_csv(boards)[frame.columns]
    for ending, read in (("csv", pd.read_csv), ("parquet", pd.read_parquet), ("arrow", pd.read_feather)):
        out = tmp_path / f"said.{ending}"
        done = paclearn("predict", saved, boards, "-o", out, "-p", "--keep", "top-left")
        assert done.returncode == 0, done.stderr
        assert "958 rows" in done.stderr
        found = read(out)
        assert found.columns.tolist() == ["top-left", "prediction", "probability of no", "probability of yes"]
        assert found["prediction"].tolist() == model.predict(frame).tolist()
        np.testing.assert_allclose(found["probability of yes"], model.predict_proba(frame)[:, 1])


def test_predict_reads_all_kinds_of_files_and_pipes(boards, saved, tmp_path, monkeypatch):
    frame = pd.read_csv(boards)
    frame.to_parquet(tmp_path / "boards.parquet")
    frame.to_feather(tmp_path / "boards.arrow")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(boards.read_bytes())))
    piped = paclearn("predict", saved, "-", "-o", tmp_path / "piped.csv")
    assert piped.returncode == 0, piped.stderr
    wanted = (tmp_path / "piped.csv").read_text()
    assert wanted.count("\n") == 959
    for name in ("boards.parquet", "boards.arrow"):
        out = tmp_path / "out.csv"
        assert paclearn("predict", saved, tmp_path / name, "-o", out).returncode == 0
        assert out.read_text() == wanted


def test_a_pipe_that_is_closed_early_is_no_error(boards, saved):
    script = Path(sys.executable).parent / "paclearn"
    done = subprocess.run(
        f"'{script}' predict '{saved}' - < '{boards}' | head -2", shell=True, capture_output=True, text=True
    )
    assert done.stdout.startswith('"prediction"\n')
    assert done.stderr == ""


def test_predictions_are_streamed(boards, saved, tmp_path, monkeypatch):
    """More rows than a batch; the columns may come in any order, and others may be there."""
    frame = pd.read_csv(boards)
    many = pd.concat([frame] * 3, ignore_index=True)[list(frame.columns)[::-1]].assign(extra=range(3 * len(frame)))
    many.to_parquet(tmp_path / "many.parquet")
    monkeypatch.setattr("paclearn.tables.batches._ROWS", 500)
    done = paclearn("predict", saved, tmp_path / "many.parquet", "-o", tmp_path / "out.parquet", "--keep", "extra")
    assert done.returncode == 0, done.stderr
    found = pd.read_parquet(tmp_path / "out.parquet")
    assert found["extra"].tolist() == list(range(len(many)))
    third = len(frame)
    assert found["prediction"][:third].tolist() == found["prediction"][third : 2 * third].tolist()


def test_flags_gaps_and_numbers_of_a_csv_file(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"f": rng.choice(["true", "false"], 400), "n": rng.integers(0, 50, 400), "t": rng.choice(["a", ""], 400)}
    )
    frame["y"] = np.where((frame["f"] == "true") ^ (frame["t"] == "a"), "p", "q")
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert (
        paclearn("fit", tmp_path / "t.csv", "-t", "y", "-o", tmp_path / "m.json", "-m", "junta", "-k", 2).returncode
        == 0
    )
    assert paclearn("predict", tmp_path / "m.json", tmp_path / "t.csv", "-o", tmp_path / "p.csv").returncode == 0
    assert pd.read_csv(tmp_path / "p.csv")["prediction"].tolist() == frame["y"].tolist()


def test_explain(boards, saved):
    done = paclearn("explain", saved, boards, "--row", 2, "--row", 1, "--json", "--most", 3)
    facts = json.loads(done.stdout)
    assert [f["row"] for f in facts] == [2, 1]
    frame = pd.read_csv(boards)[[*DIAGONALS]]
    first, second = (explanation.to_dict() for explanation in load(saved).explain(frame[:2], most=3))
    for found, wanted in zip(facts, (second, first), strict=True):
        assert {key: found[key] for key in wanted} == wanted
        score = found["start"]["yes"] + sum(part["contribution"]["yes"] for part in found["parts"])
        assert score == pytest.approx(np.log(found["probabilities"]["yes"] / found["probabilities"]["no"]))
        assert found["parts"][-1]["part"].endswith("others)")
    assert "Row 1:" in paclearn("explain", saved, boards).stdout
    assert "there is no row 2000" in paclearn("explain", saved, boards, "-r", 2000).stderr


@pytest.mark.parametrize("model", LEARNERS)
def test_fit_takes_every_learner(model, tmp_path):
    """A model of classes, or of a number where that is all it learns: saved, it predicts and explains."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice(list("uvw"), 120), "b": rng.integers(0, 2, 120), "c": rng.normal(size=120)})
    number = 2.0 * (frame["a"] == "u") + frame["b"] + rng.normal(0, 0.1, 120)
    classify = LEARNERS[model].classes is not None
    frame["y"] = np.where(number > 1.5, "high", "low") if classify else number
    frame.to_csv(tmp_path / "t.csv", index=False)
    few = ["--set", "n_estimators=5"] if model == "ensemble" else []
    done = paclearn("fit", tmp_path / "t.csv", "-t", "y", "-m", model, "-o", tmp_path / "m.json", *few)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "m.json") in done.stdout
    assert paclearn("predict", tmp_path / "m.json", tmp_path / "t.csv", "-o", tmp_path / "p.csv").returncode == 0
    said = pd.read_csv(tmp_path / "p.csv")["prediction"]
    assert np.corrcoef(*((said == "high", frame["y"] == "high") if classify else (said, frame["y"])))[0, 1] > 0.5
    facts = json.loads(paclearn("explain", tmp_path / "m.json", tmp_path / "t.csv", "--json").stdout)
    assert facts[0]["prediction"] == said[0]


def test_what_is_told_of_a_small_table(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice(list("uvw"), 80), "b": rng.integers(0, 2, 80)})
    path, model = tmp_path / "t.csv", tmp_path / "m.json"
    frame.assign(y=np.where(rng.random(80) < np.where(frame["b"] == 1, 0.95, 0.3), "yes", "no")).to_csv(
        path, index=False
    )
    asked = ("fit", path, "-t", "y", "-o", model)
    told = paclearn(*asked).stdout
    assert "vacuous" in told
    assert "--holdout 0.2 keeps a fifth of the rows aside" in told
    assert "--holdout 0.2" not in paclearn(*asked, "--holdout", 0.2).stdout
    told = paclearn("rules", path, "-t", "y").stdout
    assert "b = 1" in told
    assert "beyond the rules above" not in told  # there are none above the first


def test_fit_sets_any_parameter(boards, tmp_path):
    path = tmp_path / "m.json"
    settings = ("--set", "k=[1, 2]", "--set", "search=greedy", "--set", "n-jobs=1")
    done = paclearn("fit", boards, "-t", "x wins", "-m", "junta", *settings, "-o", path)
    assert done.returncode == 0, done.stderr
    assert "greedy" in done.stdout


def test_fit_learns_few_effects_that_keep_their_signs(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a=b": rng.normal(size=80), "c": rng.normal(size=80)})
    frame.assign(y=frame["a=b"] - frame["c"] ** 2).to_csv(tmp_path / "t.csv", index=False)
    asked = ("--max-effects", 1, "--monotone", "a=b=+1", "--monotone", "c=-1")
    done = paclearn("fit", tmp_path / "t.csv", "-t", "y", *asked, "-o", tmp_path / "m.json")
    assert done.returncode == 0, done.stderr
    (effect,) = json.loads((tmp_path / "m.json").read_text())["model"]["effects"]
    sign = 1 if "a=b" in done.stdout else -1
    assert (sign * np.diff(np.ravel(effect["cells"])[: len(effect["cells"]) - 1]) >= 0).all()


def test_fit_learns_rules(boards, tmp_path):
    path = tmp_path / "m.json"
    done = paclearn("fit", boards, "-t", "x wins", "-m", "rules", "--max-rules", 1, "--max-conditions", 1, "-o", path)
    assert done.returncode == 0, done.stderr
    assert "if this applies:\n  middle-middle " in done.stdout
    assert 'CASE\n    WHEN (CAST("middle-middle" AS VARCHAR) ' in paclearn("export", path, "--to", "sql").stdout


@pytest.mark.parametrize("way", ["sql", "python", "markdown", "json"])
def test_export(saved, way, tmp_path):
    printed = paclearn("export", saved, "--to", way)
    assert printed.returncode == 0, printed.stderr
    written = paclearn("export", saved, "--to", way, "-o", tmp_path / "out")
    assert (written.returncode, written.stdout) == (0, "")
    assert (tmp_path / "out").read_text() == printed.stdout
    if way == "json":
        assert printed.stdout == saved.read_text()


def test_export_scorecard(saved, boards):
    done = paclearn("export", saved, "--to", "scorecard", "--data", boards)
    assert done.stdout.startswith("| if true | points |")
    assert "Accuracy on the rows given" in done.stdout
    assert "needs rows" in paclearn("export", saved, "--to", "scorecard").stderr


def test_a_scorecard_needs_the_columns_that_are_read(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (300, 3)), columns=["a", "b", "c"]).assign(d=rng.normal(size=300))
    model = SpectralClassifier(max_terms=1, random_state=0).fit(frame, frame["b"].to_numpy())  # labels are numbers
    save(model, tmp_path / "m.json", "y")
    given = frame.assign(y=frame["b"])
    for ending, write in (("csv", partial(given[["y", "b"]].to_csv, index=False)), ("parquet", given.to_parquet)):
        write(tmp_path / f"t.{ending}")
        done = paclearn("export", tmp_path / "m.json", "--to", "scorecard", "--data", tmp_path / f"t.{ending}")
        assert "Accuracy on the rows given: 100.0 %" in done.stdout, done.stderr
    given[["y", "a"]].to_csv(tmp_path / "t.csv", index=False)
    done = paclearn("export", tmp_path / "m.json", "--to", "scorecard", "--data", tmp_path / "t.csv")
    assert "there is no column 'b', which the model reads" in done.stderr


def test_select(boards, tmp_path):
    done = paclearn("select", boards, "-t", "x wins", "-n", 3, "--json", "-o", tmp_path / "s.parquet")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["selected"]) == 3
    assert pd.read_parquet(tmp_path / "s.parquet").columns.tolist() == [*found["selected"], "x wins"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fit", "{boards}", "-t", "x wins", "-m", "oak"), "model='oak' is not known; there are 'spectral', 'junta'"),
        (("fit", "{boards}", "-t", "x wins", "-m", "spectrum"), "not known; did you mean 'spectral'?"),
        (("fit", "{boards}", "-t", "x wins", "-m", "correlation"), "learns numbers, and 'x wins' holds classes"),
        (("fit", "{boards}", "-t", "x wins", "--set", "max_term=3"), "a SpectralClassifier; did you mean"),
        (("fit", "{boards}", "-t", "x wins", "--set", "max_terms"), "say which parameter is to be what"),
        (("fit", "{boards}", "-t", "x wins", "-m", "junta", "--max-terms", "3"), "--max-terms is no setting"),
        (("fit", "{boards}", "-t", "x wins", "--monotone", "top-left=up"), "say which column rises or falls"),
        (("predict", "{boards}", "{boards}"), "not a model file"),
        (("predict", "{saved}", "nope.csv"), "there is no file nope.csv"),
        (("predict", "{saved}", "{boards}", "--keep", "topleft"), "no column 'topleft' to keep; did you mean"),
        (("predict", "{saved}", "{boards}", "-o", "out.xlsx"), "must end in .csv, .parquet or .arrow"),
        (("explain", "{saved}", "{boards}", "-r", "0"), "rows are counted from 1"),
        (("export", "{saved}", "--to", "cobol"), "to='cobol' is not known"),
    ],
)  # fmt: skip
def test_what_the_user_can_mend_is_one_line(arguments, message, boards, saved, tmp_path):
    done = paclearn(*(str(a).format(boards=boards, saved=saved) for a in arguments), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_predicted_as_it_was_fitted(tmp_path):
    """What the names of folders say is a column of their files, for fit as for predict and explain."""
    for year, region in ((2019, "north"), (2019, "south"), (2020, "north")):
        place = tmp_path / f"sales/year={year}/region={region}"
        place.mkdir(parents=True)
        rows = pd.DataFrame({"id": range(30), "a": list("uv") * 15})
        rows["y"] = np.where((rows["a"] == "u") == (region == "north"), "p", "q")
        rows.to_csv(place / "part.csv", index=False)
    assert paclearn("fit", "sales", "-t", "y", "-m", "junta", "-k", "2", "-o", "m.json", cwd=tmp_path).returncode == 0
    done = paclearn("predict", "m.json", "sales", "--keep", "year", "--keep", "y", "-o", "p.csv", cwd=tmp_path)
    assert done.returncode == 0
    found = pd.read_csv(tmp_path / "p.csv")
    assert found["year"].tolist() == [2019] * 60 + [2020] * 30
    assert found["prediction"].tolist() == found["y"].tolist()
    assert "region = south" in paclearn("explain", "m.json", "sales", "--row", "31", cwd=tmp_path).stdout
    one = paclearn("predict", "m.json", "sales/year=2019/region=north/part.csv", cwd=tmp_path)
    assert "there is no column 'region', which the model reads" in one.stderr
