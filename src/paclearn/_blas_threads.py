"""One thread of BLAS while a model is made or asked, however many threads of ours ask for it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from threadpoolctl import ThreadpoolController

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["one_blas_thread"]


class _Limit:
    """The limit is the process's: the first who asks sets it, and the last who leaves takes it back.

    If each gave back what it found, the first who leaves would free those who still compute, and the last leave all
    others with one thread for ever.
    """

    def __init__(self) -> None:
        self.lock, self.inside = Lock(), 0
        self.limit: Any = None

    def enter(self) -> None:
        with self.lock:
            if not self.inside:
                self.limit = _thread_pools().limit(limits=1, user_api="blas")
            self.inside += 1

    def leave(self) -> None:
        with self.lock:
            self.inside -= 1
            if not self.inside:
                self.limit.restore_original_limits()

    def unlock(self) -> None:
        """In a process that was forked while another thread held the lock, nobody else would."""
        self.lock = Lock()


_LIMIT = _Limit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_LIMIT.unlock)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Sums of products in one order, and so the same bytes on any machine."""
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


@lru_cache(maxsize=1)
def _thread_pools() -> Any:
    """Looked up once: to go through the libraries of the process takes five milliseconds."""
    return ThreadpoolController()
