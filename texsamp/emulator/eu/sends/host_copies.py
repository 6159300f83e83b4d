"""Registers of threads that the host looks at: how they are asked for, and which of them are brought."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.registers.threads import Array, Threads
from texsamp.emulator.eu.sends.dword_ranges import Looks

Dwords = tuple[int, int, tuple[int, ...] | None]
"""What `Message.dwords` is asked for."""
Asked = Dwords | Literal["mask", "descriptors"] | tuple[Literal["ranges"], Looks]
Brought = dict[Asked, NDArray[Any]]


@lru_cache(maxsize=16)
def everything(threads: int, channels: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """All threads and all of their channels."""
    rows, mask = np.arange(threads), np.ones((threads, channels), np.bool_)
    for each in (rows, mask):
        each.flags.writeable = False
    return rows, mask


@lru_cache(maxsize=64)
def _numbers(numbers: tuple[int, ...]) -> NDArray[np.int32]:
    return np.array(numbers, np.int32)


def only_of(threads: Threads, dwords: Array, only: tuple[int, ...] | None) -> Array:
    """Some of the dwords of threads, (threads, dwords); None for all."""
    if only is None:
        return dwords
    step = max(only[1] - only[0], 1) if len(only) > 1 else 1
    if only and only == tuple(range(only[0], only[-1] + 1, step)):
        return dwords[:, only[0] : only[-1] + 1 : step].copy()
    found: Array = dwords[:, threads.constant(_numbers(only))]
    return found
