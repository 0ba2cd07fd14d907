"""The one place that touches what depends on versions or on optional packages."""

from __future__ import annotations

import importlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import _check_sample_weight, validate_data

from paclearn.exceptions import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

__all__ = [
    "ShowsItself",
    "TakesTables",
    "all_or_nothing",
    "check_sample_weight",
    "make_frame",
    "need",
    "validate_data",
]

check_sample_weight = _check_sample_weight

_FRAME_MAKERS = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}


def need(module: str, extra: str, what_for: str) -> ModuleType:
    """Import an optional dependency, or say what would install it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        raise MissingDependencyError(
            f"{what_for} needs {package}, which is not installed; `pip install 'paclearn[{extra}]'` brings it"
        ) from error
    except ImportError as error:  # it is there: memory is short, or a library of the system is missing
        raise MissingDependencyError(f"{what_for} needs {module}, which cannot be loaded: {error}") from error


def _whole_letters(value: Any) -> Any:
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value


def make_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """A data frame of the first installed of pandas, polars and pyarrow."""
    for module, maker in _FRAME_MAKERS.items():
        try:
            make = getattr(importlib.import_module(module), maker)
        except ImportError:
            continue
        try:
            return make(dict(columns))
        except UnicodeEncodeError:  # halves of letters, which come from files that were cut: frames hold whole ones
            return make({name: [_whole_letters(value) for value in values] for name, values in columns.items()})
    raise MissingDependencyError("a data frame was asked for, and none of pandas, polars and pyarrow is installed")


class TakesTables:
    """For estimators that read whatever columns there are: what scikit-learn may know of that."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        return tags


class ShowsItself:
    """In a notebook a fitted model shows what it is; before that, scikit-learn's box with its parameters."""

    def _in_notebook(self) -> str | None:
        """HTML, or None for a model that is not fitted."""
        raise NotImplementedError

    def to_text(self) -> str:
        """The model in words."""
        raise NotImplementedError

    def _repr_html_(self) -> Any:
        shown = self._in_notebook()
        return super()._repr_html_() if shown is None else shown  # type: ignore[misc]

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """What a notebook asks for first."""
        shown = self._in_notebook()
        if shown is None:
            return super()._repr_mimebundle_(**options)  # type: ignore[misc]
        return {"text/plain": self.to_text(), "text/html": shown}


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """A fit that fails leaves the estimator as it was, fitted or not."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
