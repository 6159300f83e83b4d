"""Where threads in calls go on: one pool of frames for all threads, of which only those that call take any."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import CaptureError

MOST_NESTED = 512
"""Calls in calls of a thread: its general registers have room for so many return addresses."""
MOST_FRAMES = 1 << 18
"""Of all threads in lockstep, 64 MiB: hostile programs call and never return."""
_NONE = -1

Rows = NDArray[np.intp]
Channels = NDArray[np.bool_]


class Frames:
    """Stacks of the instruction pointers that all channels of a thread have after its calls, innermost on top."""

    def __init__(self, threads: int, channels: int) -> None:
        self._top: Rows = np.full(threads, _NONE, np.intp)
        self._ips = np.empty((0, channels), np.int64)
        self._below = np.empty(0, np.intp)
        self._depth = np.empty(0, np.intp)
        self._free, self._left = np.empty(0, np.intp), 0  # frames that nobody has come first, and how many they are

    def enter(self, rows: Rows, ips: NDArray[np.int64]) -> None:
        """Threads begin a call, after which their channels go on at `ips`, (rows, channels).

        CaptureError if that is too deep, or too much for all threads together.
        """
        below = self._top[rows]
        depth = np.ones(len(rows), np.intp)
        depth[below != _NONE] += self._depth[below[below != _NONE]]
        deepest = int(depth.max(initial=0))
        if deepest > MOST_NESTED:
            raise CaptureError(f"{deepest} calls of a thread that have not returned: the limit is {MOST_NESTED}")
        taken = self._take(len(rows))
        self._ips[taken], self._below[taken], self._depth[taken] = ips, below, depth
        self._top[rows] = taken

    def are_called(self, rows: Rows) -> NDArray[np.bool_]:
        """Which of these threads are in a call."""
        return np.not_equal(self._top[rows], _NONE)

    def send_back(self, rows: Rows, channels: Channels, targets: NDArray[np.int64]) -> None:
        """Channels, (rows, channels), of called threads go on at their thread's target once all have returned."""
        tops = self._top[rows]
        self._ips[tops] = np.where(channels, targets[:, None], self._ips[tops])

    def leave(self, rows: Rows) -> NDArray[np.int64]:
        """Called threads end their innermost call: where their channels go on, (rows, channels)."""
        given = self._top[rows]
        self._top[rows] = self._below[given]
        self._free[self._left : self._left + len(given)] = given
        self._left += len(given)
        return self._ips[given]

    def _take(self, count: int) -> Rows:
        """Frames that nobody has; the pool grows to twice its size, so that deep recursion copies little."""
        room = len(self._ips)
        needed = room - self._left + count
        if needed > MOST_FRAMES:
            raise CaptureError(f"{needed} calls of all threads that have not returned: the limit is {MOST_FRAMES}")
        if needed > room:
            self._grow(min(max(needed, 2 * room), MOST_FRAMES))
        self._left -= count
        return self._free[self._left : self._left + count].copy()

    def _grow(self, room: int) -> None:
        more, free = room - len(self._ips), np.empty(room, np.intp)
        free[: self._left] = self._free[: self._left]
        free[self._left : self._left + more] = np.arange(len(self._ips), room)
        self._free, self._left = free, self._left + more
        self._ips = np.concatenate([self._ips, np.empty((more, self._ips.shape[1]), np.int64)])
        self._below = np.concatenate([self._below, np.empty(more, np.intp)])
        self._depth = np.concatenate([self._depth, np.empty(more, np.intp)])
