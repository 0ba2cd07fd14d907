"""A case made smaller as long as it goes wrong in the same way: fewer columns, fewer rows, fewer rows to predict."""

from dataclasses import replace

from fuzz.pool import DisagreementError
from fuzz.table_cases import case_of
from fuzz.table_laws import judge


def smaller_table(seed: int) -> str:
    """The smallest table found that shows what the table of a seed shows, as text. Not for crashes of the process."""
    case = case_of(seed)
    wrong = _wrong(case)
    if wrong is None:
        return "it goes wrong in a process of its own only"
    shrunk = True
    while shrunk:
        shrunk = False
        for fewer in _fewer(case):
            if _wrong(fewer) == wrong:
                case, shrunk = fewer, True
                break
    return f"{wrong}\n{case}"


def _wrong(case):
    """What kind of error a case ends with; None if it is fine."""
    try:
        judge(case)
    except DisagreementError as found:
        return f"Disagreement: {str(found).split(' says ')[0]}"
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {str(error).strip().splitlines()[0][:60] if str(error).strip() else ''}"
    return None


def _fewer(case):
    """All that is a little smaller, the boldest first."""
    for name in case.columns if len(case.columns) > 1 else ():
        yield case.without(name)
    if case.weights is not None:
        yield replace(case, weights=None)
    for step in (case.n // 2, case.n // 4, 1):
        for start in range(0, case.n, step) if step and case.n > 1 else ():
            rows = [i for i in range(case.n) if not start <= i < start + step]
            if rows:
                yield case.some_rows(rows)
    n = len(next(iter(case.unseen.values())))
    for i in range(n) if n > 1 else ():
        yield replace(case, unseen={name: values[:i] + values[i + 1 :] for name, values in case.unseen.items()})
