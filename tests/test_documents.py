"""What is written about the code: examples run, public names say what they take, and imports shown exist."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest
from numpydoc.validate import validate

import paclearn

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
CHECKS = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["numpydoc_validation"]["checks"])


def examples():
    """Docstrings with examples, of every module."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    for module in pkgutil.walk_packages(paclearn.__path__, "paclearn."):
        if not module.name.endswith(("__main__", "_core")):
            yield from (t for t in finder.find(importlib.import_module(module.name)) if t.examples)


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example.name)
def test_examples_in_docstrings_say_what_they_print(example):
    assert doctest.DocTestRunner(optionflags=OPTIONS).run(example).failed == 0


@pytest.mark.parametrize("page", [p for p in PAGES if ">>> " in p.read_text()], ids=lambda page: page.stem)
def test_examples_on_pages_say_what_they_print(page):
    assert doctest.testfile(str(page), module_relative=False, optionflags=OPTIONS).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_import_what_there_is(page):
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
        if ">>> " not in block:
            for node in ast.parse(block).body:
                if isinstance(node, ast.Import | ast.ImportFrom):
                    exec(ast.unparse(node))


# ---- the names on the page of the API: what is there is public -------------------------------------------------------


def public_names():
    module = "paclearn"
    for line in (ROOT / "docs/api/index.md").read_text().splitlines():
        if told := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = told[1]
        elif told := re.match(r"\.\. automodule:: (\S+)", line):
            yield from (f"{told[1]}.{name}" for name in importlib.import_module(told[1]).__all__)
        elif told := re.match(r" {3}(\w[\w.]*)$", line):
            yield f"{module}.{told[1]}"


def loaded(name):
    return pkgutil.resolve_name(name)


def members(name):
    """Public methods and properties of a class, of whoever declared them first, unless that was scikit-learn."""
    found = loaded(name)
    for attribute in dir(found) if inspect.isclass(found) else ():
        owner = [kind for kind in found.__mro__ if attribute in vars(kind)][-1]
        what = vars(owner)[attribute]
        ours = owner.__module__.startswith("paclearn") and not attribute.startswith("_")
        if ours and (inspect.isfunction(what) or isinstance(what, property | classmethod | staticmethod)):
            yield f"{owner.__module__}.{owner.__qualname__}.{attribute}"


@pytest.mark.parametrize("name", list(dict.fromkeys(public_names())))
def test_public_names_are_documented(name):
    """By the rules of numpydoc that `pyproject.toml` lists."""
    wrong = {
        f"{each}: {code} {message}"
        for each in (name, *members(name))
        for code, message in validate(each)["errors"]
        if code in CHECKS
    }
    assert not wrong
