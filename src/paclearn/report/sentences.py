"""What was found, in five sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paclearn._text import figures, shorten
from paclearn.report.first_look import about_classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.report.facts import Facts
    from paclearn.report.facts_of_models import RuleFacts, RulesFacts

__all__ = [
    "about_rows",
    "five_sentences",
    "in_one",
    "lead_rules",
    "nothing_found",
    "nothing_promised",
    "rules_begin",
    "shorten",
    "told",
]

_FEW_RULES, _ALL_RULES = 5, 12
_NAMED = 4


def five_sentences(facts: Facts) -> list[str]:
    """The table, how good the model is, the columns, their combinations, and the promise; before them the rules."""
    five = [_the_table(facts), _how_good(facts), _columns(facts), _combinations(facts), _promise(facts)]
    return five if facts["rules"] is None else [_the_rules(facts["rules"], facts["target"]["name"]), *five]


def about_rows(facts: Facts) -> list[str]:
    """What is to be known of the rows: what may belong together, what was kept together, time and weights."""
    source, drift, target = facts["source"], facts["drift"], facts["target"]
    classes = [one["label"] for one in target["classes"]] if target["task"] == "classification" else []
    found = [*about_classes(target["name"], classes), *(one["sentence"] for one in facts["likeness"])]
    if source["group"] is not None:
        name, groups = f"“{shorten(source['group'])}”", (facts["validation"]["groups"] or 0) + facts["exam"]["groups"]
        found.append(
            f"All rows of one {name} were kept together ({groups:,} of them): how good models are, and what is "
            f"promised, is about rows of a {name} that they have not seen. Tests of columns and error bars of effects "
            "still count rows one by one."
        )
    if source["weight"] is not None:
        found.append(f"Rows count by “{shorten(source['weight'])}”; certificates and calibration count each once.")
    return found if drift is None else [*found, drift["sentence"]]


def _the_rules(rules: RulesFacts, target: str) -> str:
    return f"{rules_begin(rules, target)} {'; '.join(told(rule) for rule in lead_rules(rules))}."


def lead_rules(rules: RulesFacts) -> list[RuleFacts]:
    """All rules, where they are the page's model and few; otherwise those that say most, of every class one or more."""
    every = rules["rules"]
    if len(every) <= (_ALL_RULES if rules["leads"] else _FEW_RULES):
        return every
    surplus = sorted(every, key=lambda rule: -rule["rows"] * (2 * (rule["share"] or 0.0) - 1))
    return surplus[:_FEW_RULES]


def rules_begin(rules: RulesFacts, target: str) -> str:
    """What comes before the rules that say most."""
    every, shown, name = rules["rules"], lead_rules(rules), f"“{shorten(target)}”"
    labels = {rule["label"] for rule in every}
    if len(labels) == 1 and len(shown) == len(every):
        when = "if this rule applies" if len(every) == 1 else f"if any of {len(every)} rules applies"
        rest = f"otherwise it is “{shorten(rules['otherwise']['label'])}”{_exceptions(rules)}"
        return f"{name} is “{shorten(every[0]['label'])}” {when}, {rest}:"
    of = f", of {len(every)}," if len(shown) < len(every) else ""
    return f"The rules that say most of {name}{of} are:"


def _exceptions(rules: RulesFacts) -> str:
    if not rules["errors"]:
        return f", without an exception in {rules['rows']:,} rows"
    return f", with {rules['errors']:,} exceptions in {rules['rows']:,} rows"


def told(rule: RuleFacts) -> str:
    """A rule, what it says, and the rows that it says it of."""
    share = rule["share"] or 0.0
    many = "all of them" if share == 1 else f"{min(100 * share, 99.9):.1f} % of them"
    return f"{shorten(rule['text'], 200)} → “{shorten(rule['label'])}” ({_many(int(rule['rows']), 'row')}, {many})"


def _the_table(facts: Facts) -> str:
    target, source = facts["target"], facts["source"]
    size = f"{source['rows']:,} rows and {_many(source['columns'], 'column')}"
    if target["task"] == "regression":
        mean, low, high = (figures(number, 4) for number in (target["mean"], target["low"], target["high"]))
        detail = f"which is {mean} on average, from {low} to {high}"
    else:
        top = max(target["classes"], key=lambda c: c["rows"])
        most = f"“{shorten(top['label'])}” in {_percent(top['share'])} of the rows"
        detail = f"which has {len(target['classes'])} classes and is {most}"
    repeated = 0 if facts["redundancy"] is None else len(facts["redundancy"]["columns"])
    aside = _aside([column["name"] for column in facts["dropped"]])
    return f"{size} were looked at to explain “{shorten(target['name'])}”, {detail}{_repeats(repeated)}{aside}."


def _aside(names: list[str]) -> str:
    """Columns that no model uses; why, the table of columns says."""
    if not names:
        return ""
    shown = [f"“{shorten(name)}”" for name in names[:_NAMED]]
    shown += [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return f"; {in_one(shown)} {'was' if len(names) == 1 else 'were'} set aside"


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
            f"{_no_better(facts)}"
        )
    who = "rules are" if facts["rules"] is not None and facts["rules"]["leads"] else "model is"
    unseen = f"of the rows that {'they have' if who == 'rules are' else 'it has'} not seen ({interval})"
    return (
        f"The {who} right on {_percent(ours['value'])} {unseen}; always saying "
        f"the most frequent class is right on {_percent(none['value'])}, and gradient boosting, which nobody can read, "
        f"on {_percent(rival['value'])}.{_no_better(facts)}"
    )


def _no_better(facts: Facts) -> str:
    found = nothing_found(facts)
    return "" if found is None else f" {found}"


def nothing_found(facts: Facts) -> str | None:
    """Where nobody does clearly better than without any column, that; a rare class is another matter."""
    without = next(row["value"] for row in facts["comparison"] if row["role"] == "none")
    if facts["rare"] is not None or any(row["low"] > without for row in facts["comparison"] if row["role"] != "none"):
        return None
    always = "the mean" if facts["target"]["task"] == "regression" else "the most frequent class"
    name = shorten(facts["target"]["name"])
    if facts["discovery"] is not None and facts["discovery"]["n_singles"]:
        beside = f"though some columns go along with “{name}” more clearly than chance explains"
        return f"So no model here is clearly better than always saying {always}, {beside}."
    return f"So nothing was found in these columns that tells “{name}” clearly better than always saying {always}."


def _columns(facts: Facts) -> str:
    if not facts["model"]["tells"]:
        return _no_columns(facts)
    members = [f"“{shorten(m)}”" for m in facts["model"]["members"]]
    row = next(r for r in facts["comparison"] if r["role"] == "junta")
    what = f"{_percent(row['value'])} of the {'rows' if row['metric'] == 'accuracy' else 'differences'}"
    if len(members) == 1:
        return f"The column that says most is {members[0]}: alone it decides {what}, by a table that fits on this page."
    if not _says_most(facts):
        return f"The best small table is of {in_one(members)}; it decides {what}, much less than the model."
    return f"A few columns say most: {in_one(members)} together decide {what}, by a table that fits on this page."


def _says_most(facts: Facts) -> bool:
    """Whether the small table has at least half of what the model has, beyond what no columns have."""
    value = {row["role"]: row["value"] for row in facts["comparison"]}
    return 2 * (value["junta"] - value["none"]) >= value["model"] - value["none"]


def _no_columns(facts: Facts) -> str:
    """Where a small table of votes is no better than none: columns that say where a rare class is, if any do."""
    risk = facts["model"]["risk"]
    if risk is None:
        always = "the mean" if facts["target"]["task"] == "regression" else "the most frequent class"
        return f"No small table of a few columns tells more than always saying {always}."
    members = in_one([f"“{shorten(member)}”" for member in risk["members"]])
    say = "says" if len(risk["members"]) == 1 else "say"
    shares = f"from {_percent(risk['lowest'])} to {_percent(risk['cells'][0]['share'])}"
    return (
        f"Where “{shorten(risk['label'])}” is to be found, {members} {say} best in a small table: its share of the "
        f"rows of a cell goes {shares}."
    )


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
        return nothing_promised(facts) + _no_exam(facts)
    if "held-out" in promise["kind"] and facts["exam"]["rows"] and promise["of"] in {"model", "rules"}:
        return _examined(facts, sure)
    size = _percent(promise["bound"]) if promise["quantity"] == "error" else figures(promise["bound"], 4)
    what = f"the {promise['quantity']} of the {shorten(promise['of'], 120)}"
    new = "new rows like these" if promise["unit"] == "rows" else "rows of new groups, averaged over groups,"
    return f"With probability at least {sure}, {what} on {new} is at most {size}.{_no_exam(facts)}"


def nothing_promised(facts: Facts) -> str:
    """A bound that is no better than what holds without any model says nothing."""
    if facts["target"]["task"] == "regression":
        return "No bound on the error could be proved that is better than that of always saying the same number."
    top = max(facts["target"]["classes"], key=lambda c: c["rows"])
    always = f"always saying “{shorten(top['label'])}”, which is wrong on {_percent(1 - top['share'])} of the rows"
    return f"No bound on the error could be proved that is better than {always}."


def _no_exam(facts: Facts) -> str:
    why = facts["exam"]["why"]
    return "" if why is None else f" No rows were kept for a final exam: {why}."


def _examined(facts: Facts, sure: str) -> str:
    promise, rows = facts["certificate"], f"{facts['exam']['rows']:,}"
    before = f"In a final exam on {rows} rows that no model of this page has seen"
    if facts["target"]["task"] == "regression":
        return (
            f"{before}, nine of ten numbers of the model are off by at most {figures(promise['observed'], 4)}; for new "
            f"rows like these it is at most {figures(promise['bound'], 4)}, with probability at least {sure}."
        )
    are = "rules are" if promise["of"] == "rules" else "model is"
    new = "new rows like these" if promise["unit"] == "rows" else "rows of new groups, on average over groups"
    wrong, most = _percent(promise["observed"]), _percent(promise["bound"])
    return f"{before}, the {are} wrong on {wrong}; with probability at least {sure}, on at most {most} of {new}."


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _many(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def in_one(parts: Sequence[str]) -> str:
    """Names one after the other, the last after an and."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
