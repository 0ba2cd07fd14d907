"""Bugs that somebody might write, planted one at a time: do the tests of their room find them?

usage: python tests/planted_bugs.py [--only WORD ...] [--build FOLDER] [--none]

Each bug is a change of one place in a copy of the package; its tests are run against the copy and must fail. Those in
C++ are compiled first, each time into the same folder, so that only what has changed is compiled. A place that is not
there any more, exactly once, is an error: a bug that cannot be planted finds nothing. The exit status is 1 where a bug
lives. With ``--none`` the copies are as they should be, and no test may fail: what fails anyway finds no bug.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "paclearn"


@dataclass(frozen=True)
class Bug:
    """What stands where instead of what, and the tests that should find it."""

    name: str
    file: str
    right: str
    wrong: str
    tests: str

    @property
    def is_compiled(self) -> bool:
        return self.file.endswith((".cpp", ".hpp"))


BUGS = (
    # a bound, a rate, a rank
    Bug("bound: both tails", "certificates/heldout.py", "betaincinv(errors + 1,", "betaincinv(errors,", "certificates"),
    Bug(
        "bound: classes",
        "certificates/occam.py",
        "n_cells * log(n_classes)",
        "n_cells * log(2)",
        "certificates learners/juntas",
    ),
    Bug(
        "conformal: one rank low",
        "certificates/conformal.py",
        "ceil((len(misfits) + 1) * confidence)",
        "ceil(len(misfits) * confidence)",
        "learners/test_prediction_sets.py",
    ),
    Bug(
        "shuffles: the table itself",
        "search/permutation.py",
        "(1 + reached) / (1 + len(self.shuffled))",
        "reached / len(self.shuffled)",
        "search/test_permutation.py",
    ),
    Bug(
        "false discoveries: untested",
        "certificates/fdr.py",
        "tested = ~np.isnan(p_values)",
        "tested = np.ones(len(p_values), dtype=bool)",
        "certificates learners/selection",
    ),
    # tables
    Bug(
        "target: fractions are classes",
        "tables/target.py",
        "bool((present == np.floor(present)).all()) and",
        "bool((present == np.floor(present)).any()) and",
        "tables/test_targets.py",
    ),
    Bug("dates: a day off", "encoding/date_columns.py", "(days + 3) % 7", "(days + 4) % 7", "tables/test_dates.py"),
    Bug(
        "weights: nought is a row",
        "tables/target.py",
        "np.flatnonzero(self.weights)",
        "np.arange(len(self.weights))",
        "tables/test_targets.py test_broken.py",
    ),
    Bug(
        "weights: nought is a step",
        "learners/fitting.py",
        "self.take(np.flatnonzero(self.weights))",
        "self.take(np.arange(self.n))",
        "learners/halfspaces/test_halfspaces.py",
    ),
    Bug(
        "folds: weights left whole",
        "encoding/folds.py",
        "self.weights[kinds] * (some / self.counts[kinds])",
        "self.weights[kinds]",
        "encoding/test_folds.py",
    ),
    # models
    Bug(
        "effects: importance ascends",
        "models/purification.py",
        "key=lambda effect: -effect.importance",
        "key=lambda effect: effect.importance",
        "models/test_effects.py",
    ),
    Bug(
        "effects: law of the rows lost",
        "models/purification.py",
        "return cls(grids, masses_of(grids, codes, counts))",
        "return cls(grids, masses_of(grids, codes, None))",
        "models/test_effects.py learners/spectral/test_few_effects.py",
    ),
    Bug(
        "standalone: the edge of a bin",
        "views/standalone.py",
        "sum(threshold < number for",
        "sum(threshold <= number for",
        "views/test_export.py",
    ),
    # views and files
    Bug("SQL: quotes", "views/sql_words.py", """value.replace("'", "''")""", "value", "views/test_export.py"),
    Bug(
        "SQL: the edge of a bin",
        "views/graph_sql.py",
        'f"{name} <= {words.number(column.thresholds[int(cut) - 1])}"',
        'f"{name} < {words.number(column.thresholds[int(cut) - 1])}"',
        "views/test_export.py",
    ),
    Bug(
        "words: an open end",
        "encoding/conditions.py",
        'return f"{column.name} <= {uppers[last]}"',
        'return f"{column.name} < {uppers[last]}"',
        "encoding/test_conditions.py",
    ),
    Bug("page: no escape", "report/page.py", "autoescape=True", "autoescape=False", "report/test_report.py"),
    Bug(
        "files: a changed one",
        "views/model_file.py",
        'if content.pop("checksum", None) != _checksum(content):',
        'if content.pop("checksum", None) is None:',
        "views/test_export.py test_broken.py",
    ),
    Bug(
        "discovery: the best of many classes",
        "learners/selection/discovery.py",
        'picked["log_p"] + np.log(len(labels))',
        'picked["log_p"]',
        "learners/selection",
    ),
    # the core
    Bug(
        "core: a cell of too many rows",
        "kernels/cells.cpp",
        "child[w] = parent[w] & plane[w];",
        "child[w] = plane[w];",
        "counting/test_counting.py",
    ),
    Bug(
        "core: the rest of a unit",
        "kernels/subset_scan.cpp",
        "units_.inverse[unit][implied]",
        "units_.inverse[unit][0]",
        "search counting/test_counting.py",
    ),
    Bug(
        "core: the bar of sums",
        "kernels/sum_scores.cpp",
        "const double bar = best_.bar() - kSlack;",
        "const double bar = best_.bar() + 1e-3;",
        "counting/test_sums.py",
    ),
    Bug(
        "core: the fewest rows of a side",
        "kernels/graphs.cpp",
        "rest < least_",
        "rest <= least_",
        "kernels learners/graphs",
    ),
    Bug(
        "core: columns of any length",
        "kernels/bind_counting.cpp",
        "expect(column.shape(0) == packer.n_rows(),",
        "expect(true,",
        "kernels/test_kernels.py counting/test_counting.py",
    ),
    Bug(
        "core: a pair counted from the wrong word",
        "kernels/pair_counts.cpp",
        "std::copy_n(all, b_.n, rest);",
        "std::copy_n(all, b_.n - 1, rest);",
        "counting/test_counting.py search",
    ),
)


def planted(bug: Bug, folder: Path) -> Path:
    """A copy of the package with the bug in it; returns what is to be on Python's path."""
    source = folder / "src" / "paclearn"
    shutil.copytree(PACKAGE, source, dirs_exist_ok=True)
    core = find_spec("paclearn.kernels._core")
    if core and core.origin and not bug.is_compiled:
        shutil.copy(core.origin, source / "kernels")  # tests that miss the core would fail without any bug
    text = (source / bug.file).read_text(encoding="utf-8")
    found = text.count(bug.right)
    if found != 1:
        sys.exit(f"{bug.name}: {bug.file} has the place {found} times, not once: {bug.right!r}")
    (source / bug.file).write_text(text.replace(bug.right, bug.wrong), encoding="utf-8")
    return folder / "src"


def compiled(folder: Path, build: Path) -> Path:
    """The copy with a core of its own."""
    for name in ("CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    target = folder / "installed"
    options = ("--quiet", "--no-deps", "--target", str(target), "-C", f"build-dir={build}")
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(folder)], check=True)
    return target


def is_found(bug: Bug, path: Path) -> bool:
    """Whether a test of its rooms fails."""
    tests = [str(ROOT / "tests" / name) for name in bug.tests.split()]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not alone", *tests]
    environment = {**os.environ, "PYTHONPATH": str(path), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{bug.name}: the tests did not run\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode == 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], help="bugs whose names hold one of these words")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "planted", help="where C++ is compiled")
    parser.add_argument("--none", action="store_true", help="plant nothing, to see that nothing is found then")
    asked = parser.parse_args()
    bugs = [bug for bug in BUGS if any(word in bug.name for word in asked.only)]
    bugs = [replace(bug, wrong=bug.right) for bug in bugs] if asked.none else bugs
    alive = []
    for bug in bugs:
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            path = planted(bug, Path(folder))
            path = compiled(Path(folder), asked.build) if bug.is_compiled else path
            found = is_found(bug, path)
        print(f"{'found' if found else 'LIVES':6} {time.monotonic() - begin:5.0f} s  {bug.name}", flush=True)
        alive += [] if found else [bug.name]
    print(f"{len(bugs) - len(alive)} of {len(bugs)} bugs were found")
    sys.exit(len(alive) < len(bugs) if asked.none else bool(alive))


if __name__ == "__main__":
    main()
