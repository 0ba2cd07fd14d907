"""What stands on the pages of the reproductions is what their scripts print from the runs that are kept."""

import json
import re
import sys
from importlib import import_module
from pathlib import Path
from statistics import mean

import pandas as pd
import pytest

ROOT = Path(__file__).parents[1]
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.\d+")


def page(name):
    return (ROOT / f"docs/reproductions/{name}.md").read_text(encoding="utf-8")


def script(name, monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    for known in [m for m in sys.modules if m == "benchmarks" or m.startswith("benchmarks.")]:
        monkeypatch.delitem(sys.modules, known)
    return import_module(f"benchmarks.papers.{name}")


def runs(name):
    return [json.loads(line) for line in (ROOT / f"benchmarks/results/{name}.jsonl").read_text().splitlines()]


def rows(text):
    """The cells of every row of a table."""
    lines = (line for line in text.splitlines() if line.startswith("|") and not re.match(r"^\|[\s|:-]*$", line))
    return [[cell.strip().replace("**", "") for cell in line.strip().strip("|").split("|")] for line in lines]


def numbers(row):
    return tuple(number for cell in row for number in NUMBER.findall(cell))


def is_within(few, many):
    rest = iter(many)
    return all(number in rest for number in few)


def printed_by(part, module, capsys):
    """What the report of a script says of its kept runs."""
    if part == "thesis_tables":
        module.summarise(ROOT / "benchmarks/results/thesis_tables.jsonl")
    else:
        module.report(runs(part))
    return capsys.readouterr().out


@pytest.mark.parametrize("part", ["digit_learners", "known_grids", "mnist", "thesis_tables", "thesis_hepatitis"])
def test_every_row_that_is_printed_stands_on_the_page(part, monkeypatch, capsys):
    printed = printed_by(part, script(part, monkeypatch), capsys)
    told = [numbers(row) for row in rows(page("thesis_ch6"))]
    asked = [row for row in rows(printed) if numbers(row)]
    assert asked
    for row in asked:
        assert any(is_within(numbers(row), one) for one in told), row


@pytest.mark.parametrize("part", ["drawn", "depths", "figure"])
def test_tables_of_the_selection_page_are_printed(part, monkeypatch, capsys):
    module = script("sffs_variants", monkeypatch)
    lines = [{**run["task"], **run} for run in runs("sffs_variants") if run["task"]["part"] == part]
    module.PARTS[part][2](pd.DataFrame(lines).drop(columns="task"))
    told = [numbers(row) for row in rows(page("sffs"))]
    for row in rows(capsys.readouterr().out)[1:]:
        assert not numbers(row) or numbers(row) in told, row


# ---- the selector as it comes, beside the first table of its page ----------------------------------------------------


@pytest.fixture(scope="module")
def selection_tables():
    """Cells by data and number of columns: those of all methods, and those beside the selector as it comes."""
    text = page("sffs")
    begin, end = (text.index(heading) for heading in ("## As it comes", "## Drawn data"))
    found = []
    for part in (text[:begin], text[begin:end]):
        cells, data = {}, ""
        for row in rows(part):
            if len(row) == 8 and row[1].isdigit():
                data = row[0] or data
                cells[data, int(row[1])] = row[2:]
        found.append(cells)
    return found


def percent(cell):
    return float(cell.split()[0])


def places(scores):
    """Ranks, 1 for the best; equals share theirs."""
    return pd.Series(scores).rank(ascending=False).tolist()


def test_the_selector_as_it_comes_is_told_as_it_was_run(selection_tables, monkeypatch, capsys):
    methods, told = selection_tables
    module = script("sffs", monkeypatch)
    module.report_defaults(list(module.REAL), 0, 1, ROOT / "benchmarks/results/sffs_defaults.jsonl")
    printed = {(row[0], int(row[1])): row[2:4] for row in rows(capsys.readouterr().out)[1:]}
    variants = {(r["task"].get("data"), r["task"].get("variant"), r["task"]["fold"]): r["scores"]
                for r in runs("sffs_variants") if r["task"]["part"] == "variants"}  # fmt: skip
    assert set(printed) == set(told) == set(methods)
    for (data, k), (score, thresholds, tuned, plain, filtered, best) in told.items():
        place = module.REAL[data][2].index(k)
        assert [score, thresholds] == printed[data, k]
        assert tuned == methods[data, k][1].split()[0]
        assert percent(best) == max(map(percent, methods[data, k][2:5]))
        for cell, variant in ((plain, "2-norm"), (filtered, "2-norm, filter of 0.6")):
            assert float(cell) == pytest.approx(
                mean(100 * variants[data, variant, f][place] for f in range(5)), abs=0.06
            )


def test_ranks_on_the_selection_page_are_those_of_its_tables(selection_tables):
    methods, told = selection_tables
    text = page("sffs")
    peers = {place: list(map(percent, cells[2:5])) for place, cells in methods.items()}

    def ranks(own):
        return [mean(column) for column in zip(*(places([own[p], *peers[p]]) for p in peers), strict=True)]

    default = {place: percent(cells[0]) for place, cells in told.items()}
    tuned = [{place: percent(cells[t]) for place, cells in methods.items()} for t in (0, 1)]
    ours, mutual, relieff, mrmr = ranks(default)
    assert f"as it comes {ours:.2f}, mRMR {mrmr:.2f}, ReliefF {relieff:.2f}, MI {mutual:.2f}" in text
    assert ours <= min(mutual, relieff, mrmr)
    lead = mean(default[p] - tuned[1][p] for p in default)
    assert f"({lead:.2f} points above)" in text
    best = {p: max(own[p] for own in tuned) for p in peers}
    for name, rank in zip(("SFFS (best of 1, 2)", "MI", "ReliefF", "mRMR"), ranks(best), strict=True):
        assert f"| {name} | {rank:.2f} |" in text


def test_columns_that_are_not_redundant_are_told_as_they_were_counted(monkeypatch):
    module = script("sffs_variants", monkeypatch)
    told = {row[0]: row[2:] for row in rows(page("sffs").partition("## Columns that are not redundant")[2])[1:]}
    tasks = ((run["task"], run["kept"]) for run in runs("sffs_variants") if run["task"]["part"] == "counted")
    counts = {(task["data"], task["threshold"], task["correct"]): kept for task, kept in tasks}
    assert set(told) == set(module.REAL)
    for data, (published, *cells) in told.items():
        assert int(published) == module.REAL[data][3]
        assert [int(cell) for cell in cells] == [counts[data, *setting] for setting in module.SETTINGS]


def test_what_the_published_code_is_behind_by_is_told_as_it_is_printed(monkeypatch, capsys):
    module = script("sffs_variants", monkeypatch)
    lines = [{**run["task"], **run} for run in runs("sffs_variants") if run["task"]["part"] == "variants"]
    module.report_variants(pd.DataFrame(lines).drop(columns="task"))
    printed = re.findall(
        r"as it comes less (.*): \+([\d.]+) points on average, ahead in (\d+)", capsys.readouterr().out
    )
    assert [name for name, *_ in printed] == ["2-norm", "2-norm, labels as numbers", "2-norm, filter of 0.6"]
    plain, labels, filtered = ((points, ahead) for _, points, ahead in printed)
    text = page("sffs")
    assert f"{plain[0]} points above that on average (ahead in {plain[1]} of 36 lines)" in text
    assert f"{filtered[0]} where that has our filter ({filtered[1]} of 36)" in text
    assert f"{labels[0]} where labels are" in text
    assert f"({labels[1]} of 36)" in text
