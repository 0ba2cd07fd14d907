"""Tic-tac-toe, played out."""

from __future__ import annotations

from typing import Any

from sklearn.utils import Bunch

from paclearn._compat import make_frame

__all__ = ["load_tic_tac_toe"]

_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
_SQUARES = tuple(f"{row}-{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right"))


def _won(board: str, player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in _LINES)


def _end_boards() -> list[str]:
    """Every board on which a game that x began can end, in alphabetical order."""
    ends, seen, todo = set(), set(), [(" " * 9, "x", "o")]
    while todo:
        board, player, other = todo.pop()
        if board in seen:
            continue
        seen.add(board)
        if _won(board, other) or " " not in board:
            ends.add(board)
            continue
        moves = (board[:i] + player + board[i + 1 :] for i, square in enumerate(board) if square == " ")
        todo.extend((move, other, player) for move in moves)
    return sorted(board.replace(" ", "b") for board in ends)


def load_tic_tac_toe(*, as_frame: bool = False) -> Bunch:
    """All 958 boards on which a game of tic-tac-toe can end; x has won on 626 of them.

    Parameters
    ----------
    as_frame : bool, default=False
        Hand out ``data`` as a data frame (of the first installed of pandas, polars and pyarrow).

    Returns
    -------
    Bunch
        ``data``: nine columns of ``x``, ``o`` and ``b`` (blank); ``target``: ``yes`` where x won; ``feature_names``;
        ``target_name``.

    Examples
    --------
    >>> from paclearn.datasets import load_tic_tac_toe
    >>> boards = load_tic_tac_toe()
    >>> boards.data.shape, int((boards.target == "yes").sum())
    ((958, 9), 626)
    """
    import numpy as np

    boards = _end_boards()
    data: Any = np.array([list(board) for board in boards], dtype=object)
    target = np.array(["yes" if _won(board, "x") else "no" for board in boards], dtype=object)
    if as_frame:
        data = make_frame({name: data[:, i].tolist() for i, name in enumerate(_SQUARES)})
    return Bunch(data=data, target=target, feature_names=list(_SQUARES), target_name="x wins")
