"""Properties that are computed once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

_T = TypeVar("_T")


class cached_property(functools.cached_property[_T]):  # noqa: N801 - as functools' is named
    """That of functools without Python 3.11's lock, as from 3.12 on: a child of a fork would wait for it for ever.

    All objects of a class share that lock, and another thread may hold it while a process forks.
    """

    def __init__(self, func: Callable[[Any], _T]) -> None:
        super().__init__(func)
        self.lock = nullcontext()
