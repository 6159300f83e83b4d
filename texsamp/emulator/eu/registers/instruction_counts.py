"""How many instructions each thread has executed, which tm0 shows."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any
"""Where registers are."""

_MOST_OPEN = 64
"""Entries that are not summed up yet, as most threads are never asked."""


class Executed:
    """Instructions of threads, by thread: what others execute beside it does not change what it counts."""

    def __init__(self) -> None:
        self._by_all = 0
        self._open: list[tuple[int, Array]] = []
        self._is_guessed = False
        self._own: Array | None = None

    def add(self, count: int, who: Array | None = None, *, is_guessed: bool = False) -> None:
        """So many of threads for which `who`, (threads,), is not 0; all if None. is_guessed: maybe of none."""
        if who is None:
            self._by_all += count
            return
        self._is_guessed |= is_guessed
        if self._open and self._open[-1][1] is who:
            count += self._open.pop()[0]
        elif len(self._open) == _MOST_OPEN:
            self._sum_up()
        self._open.append((count, who))

    def add_each(self, counts: Array) -> None:
        """So many of each thread, (threads,)."""
        own = counts.astype(np.int64)
        self._own = own if self._own is None else self._own + own

    def _sum_up(self) -> None:
        for count, who in self._open:
            found = (who != 0).astype(np.int64) * count
            self._own = found if self._own is None else self._own + found
        self._open = []

    @property
    def each(self) -> Array | int:
        """Of each thread, (threads,), where registers are; a number if all have the same."""
        self._sum_up()
        return self._by_all if self._own is None else self._own + self._by_all

    @property
    def most(self) -> Array | int:
        """Of the thread with the most; of no dimension, where registers are, if a device would have to be asked."""
        if self._own is None and len(self._open) == 1 and not self._is_guessed:
            return self._by_all + self._open[0][0]
        found = self.each
        return found if isinstance(found, int) else found.max()
