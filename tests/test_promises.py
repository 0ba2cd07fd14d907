"""What the page of promises says is there to be seen, and data are never lost.

A command that is killed the moment before its file is in place leaves the old one as it was.
"""

import os
import re
import signal
import sys
import traceback
from pathlib import Path

import pandas as pd
import pytest

from paclearn import JuntaClassifier
from paclearn.cli.app import app
from paclearn.export import save

if sys.platform == "win32":
    pytest.skip("needs fork", allow_module_level=True)

OLD = "what was there before"
TESTS = Path(__file__).parent


def test_the_page_names_tests_that_exist():
    page = (TESTS.parent / "docs" / "promises.md").read_text(encoding="utf-8")
    named = re.findall(r"`tests/([\w/]+\.py)(?:::(\w+))?`", page)
    assert len(named) > 20
    for file, test in named:
        assert f"def {test}" in (TESTS / file).read_text(encoding="utf-8"), (file, test)


@pytest.fixture
def folder(tmp_path):
    frame = pd.DataFrame({"a": ["u", "v", "w"] * 20, "b": [0, 1] * 30})
    frame.assign(y=(frame["a"] == "u") ^ (frame["b"] == 1)).to_csv(tmp_path / "t.csv", index=False)
    save(JuntaClassifier(k=1).fit(frame, frame["a"]), tmp_path / "m.json")
    (tmp_path / "out.html").write_text(OLD)
    return tmp_path


def killed(*arguments):
    """Run a command in a process that is killed (-9) when all is written and the file is about to take its place."""
    child = os.fork()
    if child == 0:
        try:
            os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
            app(list(arguments), standalone_mode=False)
        except BaseException:  # noqa: BLE001 - the parent must not meet itself
            traceback.print_exc()
        os._exit(1)
    return os.WTERMSIG(os.waitpid(child, 0)[1])


@pytest.mark.parametrize(
    "command",
    [
        ("fit", "t.csv", "--target", "y"),
        ("report", "t.csv", "--target", "y"),
        ("export", "m.json", "--to", "python"),
        ("predict", "m.json", "t.csv"),
        ("discover", "t.csv", "--target", "y"),
        ("datasets", "tic-tac-toe"),
    ],
    ids=lambda command: command[0],
)
def test_a_command_killed_at_the_last_moment_leaves_the_old_file(folder, command, monkeypatch):
    monkeypatch.chdir(folder)
    out = {"predict": "out.csv", "datasets": "out.csv", "discover": "out.svg"}.get(command[0], "out.html")
    (folder / out).write_text(OLD)
    assert killed(*command, "-o", out) == signal.SIGKILL
    assert (folder / out).read_text() == OLD
