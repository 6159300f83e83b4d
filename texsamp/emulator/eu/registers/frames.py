"""Where threads in calls go on: one pool of frames for all threads, of which only those that call take any.

All of it is where registers are. How many frames there are to be is the host's to say: it counts what calls may have
taken, and asks for how much they have where that is more than there is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import CaptureError

MOST_NESTED = 512
"""Calls in calls of a thread: its general registers have room for so many return addresses."""
MOST_FRAMES = 1 << 18
"""Of all threads in lockstep, 64 MiB: hostile programs call and never return."""
_NONE, _UNUSED = 0, 1
"""The frame below a thread's first one, of depth 0, and one that threads write which take none."""
_FIRST = 2
_AHEAD = 4
"""Calls of all threads for which there is room when the pool grows: as many are made before the host asks again."""

Ips = NDArray[np.int64]
Channels = NDArray[np.bool_]
Ask = Callable[..., list[int]]
"""Numbers of arrays without dimensions, brought together."""


class Frames:
    """Stacks of the instruction pointers that all channels of a thread have after its calls, innermost on top.

    Masks and pointers are arrays where registers are, of all threads.
    """

    def __init__(self, arrays: Any, threads: int, channels: int, ask: Ask) -> None:
        self._arrays, self._threads, self._ask = arrays, threads, ask
        self._top: Ips = arrays.zeros(threads, np.int64)
        self._ips: Ips = arrays.zeros((_FIRST, channels), np.int64)
        self._below: Ips = arrays.zeros(_FIRST, np.int64)
        self._depth: Ips = arrays.zeros(_FIRST, np.int64)
        self._free: Ips = arrays.zeros(1, np.int64)  # frames that nobody has, and a place for those that are none
        self._left: Ips = arrays.zeros(1, np.int64)  # how many of them nobody has
        self._room = self._taken = self._deepest = 0  # frames; at most so many are taken, so deep

    def enter(self, called: NDArray[np.bool_], ips: Ips) -> None:
        """Threads that are `called`, (threads,), go on at `ips`, (threads, channels), after a call that begins.

        CaptureError if that is too deep, or too much for all threads together.
        """
        self._reserve(called)
        rank = np.cumsum(called.astype(np.int64))
        found = self._free[np.maximum(self._left - rank, 0)]
        taken = np.where(called, found, _UNUSED)
        self._ips[taken], self._below[taken] = ips, self._top
        self._depth[taken] = self._depth[self._top] + 1
        self._top = np.where(called, taken, self._top)
        self._left = self._left - rank[-1:]

    def are_called(self) -> NDArray[np.bool_]:
        """Which threads are in a call, (threads,)."""
        called: NDArray[np.bool_] = self._top != _NONE
        return called

    def send_back(self, channels: Channels, targets: Ips) -> None:
        """Channels of called threads, (threads, channels), go on at `targets`, (threads, 1), once all have returned."""
        self._ips[self._top] = np.where(channels, targets, self._ips[self._top])

    def leave(self, rows: NDArray[np.bool_]) -> Ips:
        """Called threads, (threads,), end their innermost call: where their channels go on, (threads, channels)."""
        given = np.where(rows, self._top, _UNUSED)
        rank = np.cumsum(rows.astype(np.int64))
        self._free[np.where(rows, self._left + rank - 1, self._room)] = given
        self._left = self._left + rank[-1:]
        self._top = np.where(rows, self._below[given], self._top)
        after: Ips = self._ips[given]
        return after

    def _reserve(self, called: NDArray[np.bool_]) -> None:
        """Have room for frames of these threads; their number is asked for where all of them might have none."""
        self._taken += self._threads
        self._deepest += 1
        if self._taken <= self._room and self._deepest <= MOST_NESTED:
            return
        more = called.astype(np.int64)
        left, count, deepest = self._ask(self._left[0], more.sum(), (self._depth[self._top] + more).max())
        self._taken, self._deepest = self._room - left + count, deepest
        if deepest > MOST_NESTED:
            raise CaptureError(f"{deepest} calls of a thread that have not returned: the limit is {MOST_NESTED}")
        if self._taken > MOST_FRAMES:
            raise CaptureError(f"{self._taken} calls of all threads that have not returned: the limit is {MOST_FRAMES}")
        wanted = min(self._taken + _AHEAD * self._threads, MOST_FRAMES)
        if wanted > self._room:
            self._grow(min(max(wanted, 2 * self._room), MOST_FRAMES), left)

    def _grow(self, room: int, left: int) -> None:
        """The pool becomes larger, to twice its size at least, so that deep recursion copies little."""
        arrays, more = self._arrays, room - self._room
        first = _FIRST + self._room
        free = arrays.zeros(room + 1, np.int64)
        free[:left] = self._free[:left]
        free[left : left + more] = arrays.arange(first, first + more)
        self._free, self._left, self._room = free, self._left + more, room
        self._ips = np.concatenate([self._ips, arrays.zeros((more, self._ips.shape[1]), np.int64)])
        self._below = np.concatenate([self._below, arrays.zeros(more, np.int64)])
        self._depth = np.concatenate([self._depth, arrays.zeros(more, np.int64)])
