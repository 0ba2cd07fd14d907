"""The map from the papers to the code: it has all rows, none is empty, and whatever it names exists."""

import pkgutil
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/papers.md").read_text()


def numbered(kind, last):
    return [f"{kind} {i}" for i in range(1, last + 1)]


WORKS = {  # what each work holds
    "Juntas": [
        *(
            "Definition 1",
            "Proposition 2",
            "Definition 3",
            "Theorem 4",
            "Theorem 5",
            "Definition 6",
            "Algorithm 1",
            "Table 1",
        ),
        *numbered("Lemma", 14),
        *numbered("Fact", 4),
    ],
    "Selection": [
        *("Proposition 1", "Example 1", "Remark 1", "Lemma 1", "Lemma D.1", "Theorem 1", "Theorem 2"),
        *("Procedure 1", "Algorithm 1"),
        *numbered("Table", 3),
        *numbered("Figure", 2),
    ],
    "Spectra": [
        *numbered("Definition", 12),
        *numbered("Proposition", 31),
        *numbered("Theorem", 2),
        *numbered("Algorithm", 3),
        *numbered("Example", 4),
        *(
            "Figure 2-1",
            "Figure 3-1",
            *(f"Figure 4-{i}" for i in range(1, 6)),
            *(f"Figure 6-{i}" for i in range(1, 39)),
        ),
        *("Table 3.1", "Table 3.2", "Table 4.1", *(f"Table 6.{i}" for i in range(1, 11))),
    ],
    "Graphs": [
        *numbered("Theorem", 4),
        *numbered("Lemma", 12),
        *numbered("Definition", 2),
        *numbered("Observation", 3),
        *numbered("Figure", 6),
    ],
    "Halfspaces": [
        *numbered("Theorem", 4),
        *numbered("Lemma", 9),
        *numbered("Corollary", 3),
        *("Algorithm 1", "Figure 1"),
    ],
}


def rows(work):
    section = re.search(rf"^## {work}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)[1]
    lines = [line for line in section.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


@pytest.mark.parametrize("work", WORKS)
def test_every_item_of_a_work_has_one_row_and_no_row_is_empty(work):
    found = rows(work)
    assert all(len(row) == 4 and all(row) for row in found)
    items = [row[0] for row in found]
    assert len(set(items)) == len(items)
    assert set(WORKS[work]) <= set(items)
    assert {item for item in items if not item.startswith("Equation")} <= set(WORKS[work])


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(paclearn\.[\w.]+)`", PAGE))))
def test_code_named_on_the_page_exists(name):
    pkgutil.resolve_name(name)


def test_tests_scripts_and_pages_named_on_the_page_exist():
    for file, test in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE):
        assert re.search(rf"^def {test}\(", (ROOT / file).read_text(), re.MULTILINE), (file, test)
    for script in re.findall(r"`((?:benchmarks|examples)/[\w/.]+)`", PAGE):
        assert (ROOT / script).is_file(), script
    for page in re.findall(r"\]\(([\w/]+\.md)\)", PAGE):
        assert (ROOT / "docs" / page).is_file(), page


def test_what_is_neither_code_nor_test_nor_reason_is_not_there():
    """Every row names code or says why there is none; every check is a test, a page, a script or nothing to check."""
    for work in WORKS:
        for item, _, where, check in rows(work):
            assert "`" in where or "not there: " in where, item
            assert "`tests/" in check or ".md)" in check or check == "nothing to check" or "example" in check, item
            assert check != "nothing to check" or "not there: " in where, item
