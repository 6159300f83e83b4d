"""Arrays with an element for each channel of each thread: stored where a mask allows, unpacked, summed up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def put(target: NDArray[Any], values: NDArray[Any] | int, mask: NDArray[np.bool_] | None) -> None:
    """Store values, converted as C does, where the mask allows it."""
    if mask is None:
        np.copyto(target, values, casting="unsafe")
    else:
        np.copyto(target, values, casting="unsafe", where=mask)


def bits_of(data: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Bits of bytes, (threads, bytes), lowest first; CuPy unpacks flat arrays only."""
    return np.unpackbits(data.copy().reshape(-1), bitorder="little").view(np.bool_).reshape(len(data), -1)


def any_channel(channels: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which threads have one of these channels, (threads, channels)."""
    if not isinstance(channels, np.ndarray) or channels.shape[1] % 8 or not channels.flags.c_contiguous:
        rows: NDArray[np.bool_] = np.any(channels, axis=1, keepdims=True)
        return rows[:, 0]
    eights = channels.view(np.uint64)
    found: NDArray[np.bool_] = eights[:, 0] != 0
    for number in range(1, eights.shape[1]):
        found |= eights[:, number] != 0
    return found
