"""Threads on a device that differ in a message's descriptor: parts of them, one for each, of which few numbers come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from texsamp.emulator.eu.channels import any_channel
from texsamp.emulator.eu.threads import Array, Mask, Threads


def parts(threads: Threads, descriptors: Array, mask: Mask, channels: int) -> Iterator[tuple[int, Array]]:
    """Descriptors in the order in which threads first have them, with the channels that send each, (threads, channels).

    descriptors: uint32 (threads,), what they are before any is sent. mask: enabled channels where threads are.
    """
    enabled = threads.arrays.ones((threads.count, channels), np.bool_) if mask is None else mask.copy()
    left = any_channel(enabled)
    while True:
        first = descriptors[np.argmax(left)].astype(np.int64)
        are_left: Any = left.any()
        is_left, descriptor = threads.numbers_of(are_left.astype(np.int64), first)
        if not is_left:
            return
        here = left & (descriptors == np.uint32(descriptor))
        yield descriptor, enabled & here[:, None]
        left = left & ~here
