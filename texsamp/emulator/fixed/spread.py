"""Elements that belong to others, so many to each."""

from __future__ import annotations

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array


def spread(sizes: Array, total: int, device: Device) -> tuple[Array, Array]:
    """Of elements in order, so many to each of others: which it belongs to, and its number there, int64 (total,)."""
    every, ends = device.arrays.arange(total), np.cumsum(sizes)
    if device.arrays is np:  # of numbers that differ only numpy has it
        owner: Array = np.repeat(np.arange(len(sizes)), sizes)
    else:
        owner = np.searchsorted(ends, every, "right")
    return owner, every - (ends - sizes)[owner]
