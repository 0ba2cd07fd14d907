"""What people write around numbers: currencies, percent signs, units, brackets and bars for a minus."""

from __future__ import annotations

import re
from typing import Any

from paclearn._compat import need

__all__ = ["CURRENCY", "GLUE", "bare_numbers", "unit_of", "without_unit"]

GLUE = "[ \u00a0\u202f\u2007\u2009'’]"  # between thousands, where it is no point and no comma
CURRENCY = (
    r"[$€£¥₹₽₩₺฿]|(?:US|A|C|R)\$|"
    r"\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|ZAR|Fr\.|kr\.?|zł)"
)
_UNITS = re.compile(
    "kg|m?g|t|d|lbs?|oz|[kcm]?m|mi|ft|h|hrs?|hours|min(?:ute)?s?|s|sec|ms|[mc]?l|k?W|[kM]Wh|m?V|mA|[kMG]?Hz|[kKMGT]B|"
    "[kK]|Mio\\.?|Mrd\\.?|mn|bn|Tsd\\.?|°[NESW]|°?[CF]|bpm|mmHg|years?|yrs|months|days?|weeks|pcs|m[²2]|km/h|mph|hp|px|"
    "/ ?(?:5|10|20|100)"
)
_COUNTED = re.compile(rf"(?!(?:[ap]\.?m\b|{CURRENCY}))(?:[^\W\d_]|°)[^\d()]{{0,24}}", re.IGNORECASE)  # behind a blank
_BEGUN = rf"^[+-]?\s*(?:{CURRENCY})?\s*\d(?:[\d.,]|{GLUE}\d)*"
_INFLECTED = 3  # letters, from which on a unit may have some more: year and years, Jahr and Jahren


def _compute() -> Any:
    return need("pyarrow.compute", "io", "reading tables")


def bare_numbers(words: Any) -> Any:
    """Without currency, percent sign and the brackets that some have for a minus."""
    compute = _compute()
    bare = compute.replace_substring_regex(words, r"^[−–]\s*", "-")
    bare = compute.replace_substring_regex(bare, rf"^([+-]?)\s*(?:{CURRENCY})\s*|\s*(?:{CURRENCY}|%)$", r"\1")
    bare = compute.replace_substring_regex(bare, rf"^\((?:{CURRENCY})?\s*(.*)\)$|^(\d(?:[\d.,]|{GLUE}\d)*)-$", r"-\1\2")
    return compute.utf8_trim_whitespace(compute.replace_substring_regex(bare, r"^−", "-"))


def unit_of(words: Any) -> str:
    """What stands behind all numbers: one unit of measurement, or one thing that is counted if a blank parts them."""
    compute = _compute()
    begun = compute.match_substring_regex(words, _BEGUN)
    ends = compute.unique(compute.replace_substring_regex(words.filter(begun), _BEGUN, "")).to_pylist()
    unit = min((end.strip() for end in ends), key=len, default="")
    told = _UNITS.fullmatch(unit) or (all(end[:1].isspace() for end in ends) and _COUNTED.fullmatch(unit))
    return unit if told and all(re.fullmatch(_with_endings(unit), end) for end in ends) else ""


def _with_endings(unit: str) -> str:
    """A unit as it may stand behind a number, in the plural perhaps."""
    plural = r"[^\W\d_]{0,2}" if len(unit) >= _INFLECTED and unit[-1].isalpha() else ""
    return rf"\s*{re.escape(unit)}{plural}"


def without_unit(words: Any, unit: str) -> Any:
    """Numbers alone."""
    return _compute().replace_substring_regex(words, rf"{_with_endings(unit)}$", "") if unit else words
