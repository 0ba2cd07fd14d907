"""Runs a paclearn model without any library. ``predict(row)`` takes a dict of column names and values.

None and NaN are missing values. Columns that the model does not read may be left out or be there.
"""

from math import exp, isnan

MODEL = {}


def predict(row):
    """The class, or the number, that the model predicts for a row."""
    values = _values(row)
    if MODEL["classes"] is None:
        return values[0]
    if MODEL["model"].get("link") == "logit":
        return MODEL["classes"][_scores(row)[0] > 0]
    scores = _scores(row) if MODEL["kind"] == "linear" else values
    return MODEL["classes"][scores.index(max(scores))]


def predict_proba(row):
    """A dict of classes and their probabilities."""
    if MODEL["classes"] is None:
        raise ValueError("this model predicts a number, not a class; use predict")
    return dict(zip(MODEL["classes"], _values(row)))


def _values(row):
    return {"linear": _linear, "table": _table, "graph": _graph}[MODEL["kind"]](row)


# ---- the kinds of models ----


def _scores(row):
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


def _linear(row):
    link, scores = MODEL["model"]["link"], _scores(row)
    if link == "identity":
        low, high = MODEL["model"]["limits"] or (scores[0], scores[0])
        return [min(max(scores[0], low), high)]
    if link == "logit":
        up = 1 / (1 + exp(-scores[0])) if scores[0] >= 0 else exp(scores[0]) / (1 + exp(scores[0]))
        return [1 - up, up]
    powers = [exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def _table(row):
    codes, place = _codes(row), 0
    for member in MODEL["model"]["members"]:
        column, yes = member["column"], member["yes"]
        size = _size(MODEL["columns"][column]) + 1 if yes is None else 3
        place = place * size + (codes[column] if yes is None else int(codes[column] in yes))
    return MODEL["model"]["predictions"][place]


def _graph(row):
    codes = _codes(row)
    shares = [_walk(graph, codes) for graph in MODEL["model"]["graphs"]]
    if MODEL["classes"] is None:
        return shares
    if len(shares) == 1:
        return [1 - shares[0], shares[0]]
    total = sum(shares)
    return [share / total if total > 0 else 1 / len(shares) for share in shares]


def _walk(graph, codes):
    node = 0
    while node < len(graph["asks"]):
        is_low = codes[graph["asks"][node]] in graph["low"][node]
        node = graph["children"][node][0 if is_low else 1]
    return graph["values"][node]


# ---- codes of values ----


def _codes(row):
    return [_code(column, row.get(column["name"])) for column in MODEL["columns"]]


def _size(column):
    codes = len(column["thresholds"]) + 1 if column["kind"] == "bins" else len(column["levels"]) + column["other"]
    return codes + column["missing"]


def _code(column, value):
    if value is None or (isinstance(value, float) and isnan(value)):
        return _size(column) - 1 if column["missing"] else _size(column)
    if column["kind"] == "bins":
        return sum(threshold < float(value) for threshold in column["thresholds"])
    for code, level in enumerate(column["levels"]):
        if _is_level(column, level, value):
            return code
    return len(column["levels"]) if column["other"] else _size(column)


def _is_level(column, level, value):
    if not column["numeric"]:
        return level == str(value)
    try:
        return float(level) == float(value)
    except ValueError:
        return False
