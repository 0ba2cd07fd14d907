"""Estimators whose model is a sum of effects: which there are, what each says, and pictures of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._compat import make_frame
from paclearn._parameters import is_whole
from paclearn.exceptions import ColumnError, InputError
from paclearn.learners.predicting import ModelEstimator
from paclearn.models.asked_class import of_asked_class
from paclearn.models.linear import LinearModel
from paclearn.views.effect_pieces import pieces_of
from paclearn.views.text import terms_to_text

if TYPE_CHECKING:
    from paclearn.models.effects import Effect
    from paclearn.models.model import Model

__all__ = ["HasEffects"]


class HasEffects(ModelEstimator):
    """Reading a model as a start and effects, which add up to its score, exactly."""

    @property
    def effects_(self) -> Any:
        """The model as effects of one column or of several together, the most important first."""
        self._check_fitted()
        found = self.model_.effects().effects
        return make_frame(
            {
                "columns": [tuple(self.model_.columns[c].name for c in effect.columns) for effect in found],
                "importance": [effect.importance for effect in found],
                "cells": [len(pieces_of(self.model_, effect)) for effect in found],
            }
        )

    @property
    def effects_start_(self) -> Any:
        """What scores start from before any effect is added: their mean over the rows of the fit."""
        self._check_fitted()
        return self.model_.effects().start

    def effect(self, *columns: str) -> Any:
        """What one column adds to the score, or several together beyond what each adds alone.

        Parameters
        ----------
        *columns : str
            Names of the columns, in any order.

        Returns
        -------
        data frame
            ``cell`` (in words), ``contribution``, ``standard_error`` and ``rows`` of the fit; where every class has a
            score, a contribution and a standard error each. Levels that add the same share a cell.
        """
        pieces = pieces_of(self.model_, self._effect_of(columns))
        frame: dict[str, list[Any]] = {"cell": [piece.name for piece in pieces]}
        for k, label in enumerate(self._labels()):
            frame[f"contribution{label}"] = [float(piece.values[k]) for piece in pieces]
            frame[f"standard_error{label}"] = [_known(piece.errors, k) for piece in pieces]
        frame["rows"] = [np.nan if piece.rows is None else piece.rows for piece in pieces]
        return make_frame(frame)

    def to_text(self, most: int = 20, *, terms: bool = False) -> str:
        """The model in words: its terms where there are few, otherwise its largest effects, a sentence each.

        Parameters
        ----------
        most : int, default=20
            Show at most this many terms, cells or effects.
        terms : bool, default=False
            List the weightiest terms of a sum of many, as the thesis writes it.

        Returns
        -------
        str
            Text for a terminal, with the certificate.
        """
        self._check_fitted()
        if not terms or not isinstance(self.model_, LinearModel):
            return super().to_text(most)
        return "\n\n".join([*self._heading(), terms_to_text(self.model_, most), *self._notes(), *self._promise()])

    def plot_effect(self, *columns: str, output: int = 0, ax: Any = None) -> Any:
        """Draw an effect: a curve over the rows for a number, bars for levels, a map for a pair.

        Parameters
        ----------
        *columns : str
            Names of the columns, in any order.
        output : int, default=0
            Of which score, where every class has one.
        ax : matplotlib Axes, default=None
            Where to draw.

        Returns
        -------
        Display
            The picture, with ``ax_`` and ``figure_``.
        """
        from paclearn.views.effect_displays import display_of

        return display_of(*self._asked_effect(columns), self._output(output)).plot(ax)

    def plot_effects(self, most: int = 6, output: int = 0) -> Any:
        """Draw the most important effects side by side, as an `EffectsDisplay`.

        Parameters
        ----------
        most : int, default=6
            At most this many.
        output : int, default=0
            Of which score, where every class has one.

        Returns
        -------
        EffectsDisplay
            The pictures, with ``axes_`` and ``figure_``.
        """
        from paclearn.views.effect_displays import displays_of

        self._check_fitted()
        if not is_whole(most) or most < 1:
            raise InputError(f"most={most!r} must be a whole number, at least 1")
        return displays_of(of_asked_class(self.model_), int(most), self._output(output)).plot()

    def _asked_effect(self, columns: tuple[str, ...]) -> tuple[Model, Effect]:
        """A model that speaks of the class that is asked about, and an effect of it."""
        self._check_fitted()
        model = of_asked_class(self.model_)
        return model, _effect_of(model, columns)

    def _effect_of(self, columns: tuple[str, ...]) -> Effect:
        self._check_fitted()
        return _effect_of(self.model_, columns)

    def _labels(self) -> list[str]:
        return [""] if self.model_.n_scores == 1 else [f"[{name}]" for name in self.model_.output_names]

    def _output(self, output: int) -> int:
        if not is_whole(output) or not 0 <= output < self.model_.n_scores:
            raise InputError(f"output={output!r} must be a whole number from 0 to {self.model_.n_scores - 1}")
        return int(output)


def _known(errors: Any, k: int) -> float:
    return float("nan") if errors is None else float(errors[k])


def _effect_of(model: Model, columns: tuple[str, ...]) -> Effect:
    """The effect of some columns, by their names."""
    names = {column.name: i for i, column in enumerate(model.columns)}
    unknown = [name for name in columns if name not in names]
    if unknown:
        known = ", ".join(map(repr, names)) or "none"
        raise ColumnError(f"the model does not use a column {unknown[0]!r}; the columns that it uses are {known}")
    found = model.effects().of([names[name] for name in columns])
    if found is None:
        raise ColumnError(f"the model has no effect of {', '.join(map(repr, columns)) or 'no columns'}; see effects_")
    return found
