"""Runs a paclearn model without any library. ``predict(row)`` takes a dict of column names and values.

None and NaN are missing values. Dates are Python's, or text such as 2025-01-31 08:30.
Columns that the model does not read may be left out or be there.
"""

from datetime import datetime
from math import exp, isfinite

MODEL = {}
FLAGS = {"True": "1", "False": "0"}
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def predict(row):
    """The class, or the number, that the model predicts for a row."""
    if MODEL["classes"] is None:
        return _values(row)[0]
    scores = _rungs(_scores(row))
    if len(scores) == 1:
        return MODEL["classes"][scores[0] > (0 if MODEL["kind"] in ("linear", "points", "additive") else 0.5)]
    return MODEL["classes"][scores.index(max(scores))]


def predict_proba(row):
    """A dict of classes and their probabilities."""
    if MODEL["classes"] is None:
        raise ValueError("this model predicts a number, not a class; use predict")
    return dict(zip(MODEL["classes"], _values(row)))


def _values(row):
    kinds = {"linear": _linear, "table": _table, "graph": _graph, "graph mean": _graph, "kernel": _kernel}
    return {**kinds, "points": _linear, "additive": _linear, "rules": _rules}[MODEL["kind"]](row)


def _scores(row):
    kinds = {"linear": _sums, "table": _table, "graph": _shares, "graph mean": _shares, "kernel": _kernel_scores}
    return {**kinds, "points": _points, "additive": _effects, "rules": _rules}[MODEL["kind"]](row)


# ---- the kinds of models ----


def _sums(row):
    model = MODEL["model"]
    codes = _codes(row)
    signs = [1 if codes[bit["column"]] in bit["codes"] else -1 for bit in model["bits"]]
    scores = list(model["intercept"])
    for term, weights in zip(model["terms"], model["weights"]):
        product = 1
        for bit in term:
            product *= signs[bit]
        scores = [score + product * weight for score, weight in zip(scores, weights)]
    return scores


def _points(row):
    """The weights of all terms that are true: all of their bits, or an odd number of them."""
    model = MODEL["model"]
    codes = _codes(row)
    answers = [codes[bit["column"]] in bit["codes"] for bit in model["bits"]]
    scores = list(model["intercept"])
    for term, join, weights in zip(model["terms"], model["joins"], model["weights"]):
        held = sum(answers[bit] for bit in term)
        if held == len(term) if join == "and" else held % 2:
            scores = [score + weight for score, weight in zip(scores, weights)]
    return scores


def _effects(row):
    codes, scores = _codes(row), list(MODEL["model"]["start"])
    for effect in MODEL["model"]["effects"]:
        place = 0
        for column, groups in zip(effect["columns"], effect["groups"]):
            place = place * (max(groups) + 1) + groups[codes[column]]
        scores = [score + value for score, value in zip(scores, effect["cells"][place])]
    return scores


def _rungs(scores):
    """Of ordered classes, a score each from the one of the row."""
    ladder = MODEL["model"].get("ladder")
    if ladder is None:
        return scores
    return [start + rank * scores[0] for start, rank in zip(ladder["starts"], ladder["ranks"])]


def _linear(row):
    link, scores = MODEL["model"]["link"], _rungs(_scores(row))
    if link in ("identity", "log"):
        mean = exp(min(max(scores[0], -700.0), 700.0)) if link == "log" else scores[0]
        low, high = MODEL["model"]["limits"] or (mean, mean)
        return [min(max(mean, low), high)]
    if link == "logit":
        up = 1 / (1 + exp(-scores[0])) if scores[0] >= 0 else exp(scores[0]) / (1 + exp(scores[0]))
        return [1 - up, up]
    if link in ("sign", "largest"):
        best = int(scores[0] > 0) if link == "sign" else scores.index(max(scores))
        return [float(i == best) for i in range(len(MODEL["classes"]))]
    powers = [exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def _table(row):
    codes, place = _codes(row), 0
    for member in MODEL["model"]["members"]:
        column, yes = member["column"], member["yes"]
        size = _size(MODEL["columns"][column]) + 1 if yes is None else 3
        place = place * size + (codes[column] if yes is None else int(codes[column] in yes))
    return MODEL["model"]["predictions"][place]


def _rules(row):
    codes, model = _codes(row), MODEL["model"]
    holds = [[codes[c] for c in asked["columns"]] in asked["cells"] for asked in model["conditions"]]
    for rule, shares in zip(model["rules"], model["predictions"]):
        if all(holds[i] for i in rule):
            return shares
    return model["predictions"][-1]


def _graph(row):
    shares = _shares(row)
    if MODEL["classes"] is None:
        return shares
    if len(shares) == 1:
        return [1 - shares[0], shares[0]]
    total = sum(shares)
    return [share / total if total > 0 else 1 / len(shares) for share in shares]


def _shares(row):
    """What the graph of every output says, or the sum of its graphs, kept within its limits."""
    codes, model = _codes(row), MODEL["model"]
    if "graphs" in model:
        return [_walk(graph, codes) for graph in model["graphs"]]
    shares = []
    for total in model["sums"]:
        share = total["base"]
        for graph in total["graphs"]:
            share += total["share"] * _walk(graph, codes)
        low, high = total["limits"]
        shares.append(min(max(share, low), high))
    return shares


def _walk(graph, codes):
    node = 0
    while node < len(graph["asks"]):
        is_low = codes[graph["asks"][node]] in graph["low"][node]
        node = graph["children"][node][0 if is_low else 1]
    return graph["values"][node]


def _kernel(row):
    scores = _kernel_scores(row)
    if len(scores) == 1:
        up = min(max(scores[0], 0.0), 1.0)
        return [1 - up, up]
    total, excess = 0.0, 0.0
    for k, score in enumerate(sorted(scores, reverse=True)):  # the nearest probabilities: take the same off all
        total += score
        if score > (total - 1) / (k + 1):
            excess = (total - 1) / (k + 1)
    return [max(score - excess, 0.0) for score in scores]


def _kernel_scores(row):
    model, x = MODEL["model"], _coordinates(row)
    square = _base(x, x) / model["scale"]
    back = square**-0.5 if square > 1 + 1e-9 else 1.0
    half = 0.5 if model["bias"] else 1.0
    slope, offset = model["nu"] * half / model["scale"], 1 - model["nu"] * (1 - half)
    values = [1 / (offset - slope * back * _base(x, anchor)) for anchor in model["anchors"]]
    return [sum(v * w[k] for v, w in zip(values, model["weights"])) for k in range(len(model["weights"][0]))]


def _base(x, z):
    base = MODEL["model"]["base"]
    if base["name"] == "rbf":
        return exp(-base["gamma"] * sum((a - b) ** 2 for a, b in zip(x, z)))
    product = sum(a * b for a, b in zip(x, z))
    return product if base["name"] == "linear" else (base["gamma"] * product + base["coef0"]) ** base["degree"]


def _coordinates(row):
    """Numbers so far away that they have no square are pulled back to where they have one."""
    found, base = [], MODEL["model"]["base"]
    far = 1e140 ** (1 / base["degree"]) if base["name"] == "poly" else 1e150
    for column, code in zip(MODEL["columns"], _codes(row)):
        if column["kind"] == "levels":
            found += [float(i == code) for i in range(_size(column))]
        else:
            number = column["mean"] if code is None else code
            place = (number - column["centre"]) / column["scale"]
            found += [min(max(place, -far), far)] + [float(code is None)] * column["missing"]
    return found


# ---- codes of values ----


def _codes(row):
    values = {str(name): value for name, value in row.items()}
    for column in MODEL["columns"]:
        for name in column["source"]["of"] if "source" in column else [column["name"]]:
            if name not in values:
                raise KeyError(f"the row has no column {name!r}, which the model reads")
    return [_code(column, _value(column, values)) for column in MODEL["columns"]]


def _value(column, values):
    """The value of a column, or what its dates say."""
    if "source" not in column:
        return values[column["name"]]
    part, moments = column["source"]["part"], [_moment(name, values[name]) for name in column["source"]["of"]]
    if None in moments:
        return None
    if part == "days between":
        return _days(moments[1] - moments[0])
    if part == "days since":
        return _days(moments[0] - datetime.fromisoformat(column["source"]["first"]))
    return WEEKDAYS[moments[0].weekday()] if part == "weekday" else getattr(moments[0], part)


def _moment(name, value):
    """A date by the clock on the wall, in whole seconds: of Python, of numpy, or as ISO 8601 writes it."""
    if _is_missing(value) or str(value) in ("NaT", ""):
        return None
    text = value.isoformat() if hasattr(value, "isoformat") else str(value)
    text = text.strip().replace(" ", "T").partition(".")[0]
    text = f"{text}-01" if len(text) == 7 else text
    try:
        return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=None, microsecond=0)
    except ValueError:
        raise ValueError(f"column {name!r} holds {value!r}, which is no date like 2025-01-31") from None


def _days(span):
    return (span.days * 86400 + span.seconds) / 86400


def _size(column):
    codes = len(column["thresholds"]) + 1 if column["kind"] == "bins" else len(column["levels"]) + column["other"]
    return codes + column["missing"]


def _code(column, value):
    if column["kind"] == "numbers":
        return None if _is_missing(value) else _finite(column, value)
    if _is_missing(value):
        return _size(column) - 1 if column["missing"] else _size(column)
    if column["kind"] == "bins":
        number = _finite(column, value)
        return sum(threshold < number for threshold in column["thresholds"])
    levels = column["levels"]
    if column["numeric"]:
        numbers, found = [float(level) for level in levels], _number(value)
        return numbers.index(found) if found in numbers else _unseen(column)
    word = _word(value)
    if word in levels:
        return levels.index(word)
    ways = [word in _ways(column, level) for level in levels]
    return ways.index(True) if True in ways else _unseen(column)


def _unseen(column):
    return len(column["levels"]) if column["other"] else _size(column)


def _is_missing(value):
    # pandas' NA and signalling NaNs answer no question; every other NaN differs from itself
    return value is None or type(value).__name__ == "NAType" or _signals(value) or bool(value != value)


def _signals(value):
    return not isinstance(value, str) and repr(value)[-6:-2] == "sNaN"


def _finite(column, value):
    number = _number(value)
    if number is None or not isfinite(number):
        raise ValueError(f"column {column['name']!r} holds {value!r}, which is no finite number")
    return number


def _number(value):
    """The number of a value, or of its text; True and False are 1 and 0."""
    try:
        return float(FLAGS.get(str(value), value))
    except (TypeError, ValueError, OverflowError):
        return None


def _word(value):
    """What a value is called: a number as shortly as it can be, 3 and not 3.0."""
    if isinstance(value, str) or str(value) in FLAGS:
        return str(value)
    try:
        number, is_whole = float(value), value == int(value)
    except (TypeError, ValueError, OverflowError):  # no number, infinite, or an integer beyond all floats
        return str(value)
    is_short = abs(number) < 2.0**64 or hasattr(value, "__index__")
    return str(int(value)) if is_whole and is_short else repr(number)


def _ways(column, level):
    """How databases may write a level: True as 1, 3 as 3.0, 1e+16 as 1.0e+16."""
    if set(column["levels"]) <= set(FLAGS) and not column["other"]:
        return (level.lower(), FLAGS[level], FLAGS[level] + ".0")
    double = repr(_number(level))
    mantissa, mark, exponent = level.partition("e")
    is_short = double == level and mark and "." not in mantissa
    return (double,) if double == level + ".0" else (f"{mantissa}.0e{exponent}",) if is_short else ()
