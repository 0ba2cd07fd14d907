"""What selectors of columns have in common: tables of anything, and what scikit-learn may know of that."""

from __future__ import annotations

from typing import Any

__all__ = ["ColumnSelector"]


class ColumnSelector:
    """A selector that reads whatever columns there are."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        return tags
