"""The scoreboard of the media pipeline: which threads wait for which, and so which can run together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import CaptureError
from texsamp.state.commands_media import MediaVfeState

_REACH = 8
"""Columns and rows a dependency can be away."""


def waves(places: NDArray[np.int64], vfe: MediaVfeState, mask: int) -> list[NDArray[np.intp]]:
    """Numbers of threads that can run together, ascending, in the order the groups have to run.

    places: column, row and color of every thread in the order they start, (threads, 3). mask: dependencies of these
    threads; those that MEDIA_VFE_STATE enables count. A thread waits for every thread that started before it, has its
    color and is where one of the dependencies points to. CaptureError if that is not decided: for a dependency on the
    own place, and for two threads of one color at one of several places.
    """
    used = [bit for bit in range(8) if vfe.scoreboard and mask & vfe.scoreboard_mask & 1 << bit]
    deltas = [(vfe.delta_x[bit], vfe.delta_y[bit]) for bit in used]
    if not deltas or not len(places):
        return [np.arange(len(places))]
    if (0, 0) in deltas:
        raise CaptureError(f"dependency {used[deltas.index((0, 0))]} of the scoreboard is a thread's own place")
    if (places[:, :2] == places[0, :2]).all():  # as in a run of MEDIA_OBJECTs: no dependency points to any of them
        return [np.arange(len(places))]
    x, y, color = places.T
    size = places.max(axis=0) + np.array((1 + 2 * _REACH, 1 + 2 * _REACH, 1))
    numbers: NDArray[np.intp] = np.full(size, -1)
    order = np.arange(len(places))
    numbers[x + _REACH, y + _REACH, color] = order
    if (numbers[x + _REACH, y + _REACH, color] != order).any():
        raise CaptureError("the scoreboard with two threads of one color at one of several places is not executed")

    def at(threads: NDArray[np.intp], delta_x: int, delta_y: int) -> NDArray[np.intp]:
        """The thread so far away from each thread, -1 if there is none."""
        return np.asarray(numbers[x[threads] + _REACH + delta_x, y[threads] + _REACH + delta_y, color[threads]])

    waits = np.zeros(len(places), np.int64)
    for delta_x, delta_y in deltas:
        before = at(order, delta_x, delta_y)
        waits += (before >= 0) & (before < order)
    found, ready = [], np.flatnonzero(waits == 0)
    while len(ready):
        found.append(ready)
        released = []
        for delta_x, delta_y in deltas:
            behind = at(ready, -delta_x, -delta_y)
            behind = behind[behind > ready]
            waits[behind] -= 1
            released.append(behind)
        candidates = np.unique(np.concatenate(released))
        ready = candidates[waits[candidates] == 0]
    return found
