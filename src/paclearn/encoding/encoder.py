"""BooleanEncoder: a table of anything -> columns of -1 and +1 with names a person reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import TakesTables, all_or_nothing
from paclearn.encoding.learning import EncodingRules
from paclearn.encoding.table_codes import learn_domain
from paclearn.tables.table import as_table
from paclearn.tables.weights import row_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BooleanEncoder"]


class BooleanEncoder(TransformerMixin, TakesTables, BaseEstimator):
    """Turn a table into named bits, -1 or +1.

    Text, categorical and boolean columns become one bit a level (one bit in all where there are two levels), numeric
    columns one bit a threshold, missing values a bit of their own. Columns that do not vary are dropped, with the
    reason in ``domain_.dropped``. A level never seen in ``fit`` counts as "other" where the column has such a pool;
    otherwise all bits of its column are -1. A missing value in a column that had none in ``fit`` does the same.

    Parameters
    ----------
    n_bins : int, default=8
        Numeric columns are cut at quantiles into at most this many bins. A numeric column with no more distinct values
        than this keeps them as levels.
    min_count : int or float, default=5
        Levels with fewer rows than this (or, below 1, a smaller share of the rows) are pooled into "other". On tables
        of fewer than ``20 * min_count`` rows a whole number shrinks to a twentieth of the rows, but not below one.
    max_levels : int, default=64
        A column keeps at most this many levels, the pool "other" included, the most frequent ones.

    Attributes
    ----------
    domain_ : Domain
        What every code and bit means.

    Examples
    --------
    >>> import numpy as np
    >>> from paclearn import BooleanEncoder
    >>> colours = np.array([["red"], ["green"], ["blue"], ["red"]], dtype=object)
    >>> encoder = BooleanEncoder().fit(colours)
    >>> print(*encoder.get_feature_names_out())
    x0=blue x0=green x0=red
    >>> encoder.transform([["red"], ["pink"]])
    array([[-1, -1,  1],
           [-1, -1, -1]], dtype=int8)
    """

    def __init__(self, n_bins: int = 8, min_count: float = 5, max_levels: int = 64) -> None:
        self.n_bins = n_bins
        self.min_count = min_count
        self.max_levels = max_levels

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> BooleanEncoder:  # noqa: ARG002
        """Learn levels and thresholds.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            The table: text, categories, booleans and numbers, with missing values or without.
        y : None
            Not looked at.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights.
        """
        rules = EncodingRules(self.n_bins, self.min_count, self.max_levels)
        with all_or_nothing(self):
            table = as_table(self, X, reset=True)
            self.domain_ = learn_domain(table, rules, row_weights(sample_weight, table))
        return self

    def transform(self, X: Any) -> NDArray[np.int8]:
        """Encode a table as -1 and +1.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            The table, with the columns of ``fit`` in the same order.

        Returns
        -------
        ndarray of int8, shape (n_rows, n_bits)
            One column a bit, in the order of ``get_feature_names_out()``.
        """
        check_is_fitted(self)
        table = as_table(self, X, reset=False)
        signs = np.empty((table.n_rows, len(self.domain_.bits)), dtype=np.int8, order="F")
        place = 0
        for i, codes in enumerate(self.domain_.encode(table)):
            column = self.domain_.columns[i]
            for bit in column.bits(i):
                lookup = np.where(bit.answers(column.n_codes), 1, -1).astype(np.int8)
                signs[:, place] = lookup[codes]
                place += 1
        return signs

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Names of the bits, such as ``colour=red``, ``age>41`` and ``size is missing``.

        Parameters
        ----------
        input_features : None
            Ignored; the names were learned in ``fit``.

        Returns
        -------
        ndarray of str
            One name a bit.
        """
        check_is_fitted(self)
        return np.asarray(self.domain_.bit_names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # signs, whatever the table holds
        return tags
