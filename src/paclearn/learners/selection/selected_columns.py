"""What a selector gives back: the columns that it selected, whatever they hold."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import narwhals as nw
import numpy as np
from numpy.exceptions import DTypePromotionError
from sklearn.feature_selection import SelectorMixin

from paclearn.tables.table import as_table

__all__ = ["SelectsColumns"]

_OF_THEIR_OWN = (nw.Date, nw.Datetime, nw.Duration, nw.Time, nw.Int128, nw.UInt128)


class SelectsColumns(SelectorMixin):
    """As in scikit-learn, but dates beside numbers, which no array of one type holds, come as the objects they are."""

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected columns.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            The table.

        Returns
        -------
        ndarray, sparse matrix or data frame of shape (n_rows, n_selected)
            The columns that were selected, in the order of the table.
        """
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame) or not _share_no_array(frame):
            return super().transform(X)
        if frame.implementation.is_pandas():
            with suppress(DTypePromotionError, ValueError):  # as pandas is asked for, or where its objects do
                return super().transform(X)
        as_table(self, X, reset=False)
        rows = np.empty(frame.shape, dtype=object)
        for place, column in enumerate(frame.iter_columns()):
            rows[:, place] = column.to_list()
        return self._transform(rows)


def _share_no_array(frame: nw.DataFrame[Any]) -> bool:
    """Whether numpy would refuse the columns together, or polars make numbers of the dates among them.

    Words beside numbers are objects to numpy, but numbers to scikit-learn where Arrow holds them for pandas.
    """
    kinds = set(frame.schema.values())
    own = (*_OF_THEIR_OWN, nw.String) if frame.implementation.is_pandas() else _OF_THEIR_OWN
    return len(kinds) > 1 and any(isinstance(kind, own) for kind in kinds)
