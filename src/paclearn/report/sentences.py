"""What was found, in five sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paclearn._text import shorten

if TYPE_CHECKING:
    from paclearn.report.facts import Facts

__all__ = ["five_sentences", "shorten"]


def five_sentences(facts: Facts) -> list[str]:
    """The table, how good the model is, the columns, their combinations, and the promise."""
    return [_the_table(facts), _how_good(facts), _columns(facts), _combinations(facts), _promise(facts)]


def _the_table(facts: Facts) -> str:
    target, source = facts["target"], facts["source"]
    size = f"{source['rows']:,} rows and {_many(source['columns'], 'column')}"
    if target["task"] == "regression":
        detail = f"which is {target['mean']:.4g} on average, from {target['low']:.4g} to {target['high']:.4g}"
    else:
        top = max(target["classes"], key=lambda c: c["rows"])
        most = f"“{shorten(top['label'])}” in {_percent(top['share'])} of the rows"
        detail = f"which has {len(target['classes'])} classes and is {most}"
    repeated = 0 if facts["redundancy"] is None else len(facts["redundancy"]["columns"])
    return f"{size} were looked at to explain “{shorten(target['name'])}”, {detail}{_repeats(repeated)}."


def _repeats(n: int) -> str:
    if not n:
        return ""
    return "; one column only repeats what others say" if n == 1 else f"; {n} columns only repeat what others say"


def _how_good(facts: Facts) -> str:
    rows = {row["role"]: row for row in facts["comparison"]}
    ours, none, rival = rows["model"], rows["none"], rows["boosting"]
    interval = f"95 % interval {_percent(ours['low'])} to {_percent(ours['high'])}"
    if facts["target"]["task"] == "regression":
        return (
            f"The model explains {_percent(ours['value'])} of the differences between rows that it has not seen "
            f"({interval}); gradient boosting, which nobody can read, explains {_percent(rival['value'])}."
        )
    return (
        f"The model is right on {_percent(ours['value'])} of the rows that it has not seen ({interval}); always saying "
        f"the most frequent class is right on {_percent(none['value'])}, and gradient boosting, which nobody can read, "
        f"on {_percent(rival['value'])}."
    )


def _columns(facts: Facts) -> str:
    members = [f"“{shorten(m)}”" for m in facts["model"]["members"]]
    row = next(r for r in facts["comparison"] if r["role"] == "junta")
    what = f"{_percent(row['value'])} of the {'rows' if row['metric'] == 'accuracy' else 'differences'}"
    if len(members) == 1:
        return f"The column that says most is {members[0]}: alone it decides {what}, by a table that fits on this page."
    return f"A few columns say most: {_and(members)} together decide {what}, by a table that fits on this page."


def _combinations(facts: Facts) -> str:
    found = facts["discovery"]
    if found is None:
        return "There are too few rows to test which columns matter."
    alone = f"{_many(found['n_singles'], 'column')} go{'es' if found['n_singles'] == 1 else ''} along with it"
    if not found["pairs_tested"]:
        return f"Tested one by one, {alone} more clearly than chance explains; combinations were not tested."
    if not found["n_pairs"]:
        return (
            f"Tested one by one, {alone} more clearly than chance explains; no two columns do more together than alone."
        )
    first = " and ".join(f"“{shorten(m)}”" for m in found["pairs"][0]["members"])
    many = "one pair says" if found["n_pairs"] == 1 else f"{found['n_pairs']:,} pairs say"
    tail = f": {first}" if found["n_pairs"] == 1 else f", {first} most clearly"
    return (
        f"Tested one by one, {alone} more clearly than chance explains, and {many} more than their two columns add up "
        f"to{tail}."
    )


def _promise(facts: Facts) -> str:
    promise = facts["certificate"]
    sure = f"{100 * (1 - promise['delta']):g} %"
    if promise["vacuous"]:
        return f"No useful bound on the error could be proved from {promise['n_rows']:,} rows."
    size = _percent(promise["bound"]) if promise["quantity"] == "error" else f"{promise['bound']:.4g}"
    what = f"the {promise['quantity']} of the {shorten(promise['of'], 120)}"
    return f"With probability at least {sure}, {what} on new rows like these is at most {size}."


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _many(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _and(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
