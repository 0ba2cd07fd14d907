"""A kernel expansion in words: what is added up, and what the columns do near the average row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.coordinates import NumberColumn
from paclearn.models.kernel_functions import Linear, Polynomial, Precomputed, Rbf

if TYPE_CHECKING:
    from paclearn.encoding import Column
    from paclearn.models.kernel_functions import BaseKernel
    from paclearn.models.kernel_model import KernelModel

__all__ = ["columns_in_words", "kernel_in_words", "rises"]


def kernel_in_words(model: KernelModel) -> str:
    """What it is."""
    kernel, n = model.kernel, len(model.anchors)
    base = "(k + 1) / 2" if kernel.bias else "k"
    where = f"at the average row it is {', '.join(f'{v:.3f}' for v in model.start)}"
    verdict = (
        f"It says {model.output_names[0]!r} where the score is above 1/2; {where}."
        if model.n_scores == 1
        else f"Every class has such a score ({where}), and the largest wins."
    )
    return (
        f"The score is a sum of values of the kernel K = 1 / (1 - {kernel.nu:g} {base}) with {n:,} rows of the fit, "
        f"weighted so that its squared norm is at most B = {model.radius:g}; k is {_formula(kernel.base)}, divided by "
        f"{kernel.scale:.4g} so that rows of the fit lie in the unit ball. {verdict}"
    )


def _formula(base: BaseKernel) -> str:
    if isinstance(base, Linear):
        return "the inner product of two rows"
    if isinstance(base, Rbf):
        return f"exp(-{base.gamma:.4g} |x - x'|^2)"
    if isinstance(base, Polynomial):
        return f"({base.gamma:.4g} <x, x'> + {base.coef0:g})^{base.degree}"
    return "what was passed as kernel values" if isinstance(base, Precomputed) else "a function of your own"


def rises(model: KernelModel) -> list[list[str]]:
    """A head, and for a linear base kernel how much scores rise with every coordinate, the steepest first."""
    outputs = ["rise"] if model.n_scores == 1 else [f"rise[{name}]" for name in model.output_names]
    slopes = model.gradient()
    order = np.argsort(-np.abs(slopes).max(axis=1), kind="stable")
    units = [unit for column in model.columns for unit in _units(column)]
    return [
        ["near the average row, for", *outputs],
        *([units[i], *(f"{slope:+.3f}" for slope in slopes[i])] for i in order),
    ]


def _units(column: Column) -> tuple[str, ...]:
    """What it means that a coordinate of a column is one more."""
    absent = (f"{column.name} is missing",) * column.missing
    if isinstance(column, NumberColumn):
        return (f"{column.name} + {column.scale:.4g}", *absent)
    present = column.code_names[: column.n_codes - column.missing]
    return (*(f"{column.name} = {name}" for name in present), *absent)


def columns_in_words(model: KernelModel) -> list[list[str]]:
    """A head, and what becomes of every column."""
    return [["column", "as"], *([column.name, _reading(column)] for column in model.columns)]


def _reading(column: Column) -> str:
    if not isinstance(column, NumberColumn):
        return f"{column.n_codes} levels, a coordinate each"
    if column.centre == 0 and column.scale == 1:
        return "a number"
    return f"a number, less {column.centre:.4g}, over {column.scale:.4g}"
