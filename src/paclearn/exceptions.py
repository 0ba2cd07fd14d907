"""The errors and warnings of paclearn.

::

    PaclearnError
    ├── InputError (ValueError)             something about the data or a parameter value
    │   ├── EmptyTableError                 no rows, no columns, or nothing left after dropping constant columns
    │   ├── ColumnError                     one column cannot be used; the message names it
    │   ├── TargetError                     the target is missing, has one class, or holds missing values
    │   ├── TooManyCellsError               the truth table asked for does not fit in memory
    │   ├── SearchTooLongError              a search would take longer than its time limit
    │   └── CheckpointError                 a file that is no checkpoint, or that of another search
    ├── InputTypeError (TypeError)          an object of a kind that is not accepted
    ├── TableFileError (InputError)         a file that is absent, empty or not a table
    ├── ModelFileError (InputError)         a file that is no model file, or a damaged or later one
    ├── ScratchError (InputError)           no room on disk for what does not fit in memory
    ├── TooLargeError (InputError)          a table that would take more memory than there is
    └── MissingDependencyError (ImportError) an optional dependency is needed; the message says which extra has it

    PaclearnWarning (UserWarning)
    ├── SlowEngineWarning                   the compiled core is missing, so numpy counts
    ├── IncompleteSearchWarning             a time limit or an interrupt ended a search early
    ├── ReadingWarning                      what had to be guessed, or was left out, when a file was read
    └── ProjectedRowsWarning                rows larger than any of the fit were pulled back to the unit ball

Every message says what is wrong, where, what was found and what would do.
"""

from __future__ import annotations

__all__ = [
    "CheckpointError",
    "ColumnError",
    "EmptyTableError",
    "IncompleteSearchWarning",
    "InputError",
    "InputTypeError",
    "MissingDependencyError",
    "ModelFileError",
    "PaclearnError",
    "PaclearnWarning",
    "ProjectedRowsWarning",
    "ReadingWarning",
    "ScratchError",
    "SearchTooLongError",
    "SlowEngineWarning",
    "TableFileError",
    "TargetError",
    "TooLargeError",
    "TooManyCellsError",
]

_ESCAPED = {
    letter: repr(letter)[1:-1] for letter in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029\0\x1b"
}  # ends of lines, and worse


class PaclearnError(Exception):
    """Whatever paclearn raises on purpose: one line, whatever stands in the names and levels that it speaks of."""

    def __str__(self) -> str:
        return "".join(_ESCAPED.get(letter, letter) for letter in super().__str__())


class InputError(PaclearnError, ValueError):
    """Data or a parameter value that cannot be used."""


class EmptyTableError(InputError):
    """No rows, no columns, or no column that varies."""


class ColumnError(InputError):
    """One column cannot be used."""


class TargetError(InputError):
    """The target cannot be learned."""


class TooManyCellsError(InputError):
    """A table of cells that does not fit in memory."""


class SearchTooLongError(InputError):
    """A search would take longer than its time limit."""


class CheckpointError(InputError):
    """A checkpoint that cannot be gone on from."""


class InputTypeError(PaclearnError, TypeError):
    """An object of a kind that is not accepted."""


class TableFileError(InputError):
    """A file that is absent, empty or not a table."""


class ModelFileError(InputError):
    """A file that is no model file, was changed or cut off, or is of a later version."""


class ScratchError(InputError):
    """No room on disk for what does not fit in memory."""


class TooLargeError(InputError):
    """A table that would take more memory than there is, or than was allowed."""


class MissingDependencyError(PaclearnError, ImportError):
    """An optional dependency is not installed."""


class PaclearnWarning(UserWarning):
    """Whatever paclearn warns about."""


class SlowEngineWarning(PaclearnWarning):
    """The compiled core is missing; results are the same, slower."""


class IncompleteSearchWarning(PaclearnWarning):
    """A search ended before it had seen every subset."""


class ReadingWarning(PaclearnWarning):
    """How a file was read, where that could be done otherwise; options say so."""


class ProjectedRowsWarning(PaclearnWarning):
    """Rows outside the unit ball of the training rows were pulled back to it."""
