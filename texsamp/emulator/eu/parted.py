"""Threads on a device that differ in dwords of a message: parts of them that agree, of which few numbers come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from texsamp.emulator.eu.channels import any_channel
from texsamp.emulator.eu.threads import Array, Mask, Threads


def parts(threads: Threads, dwords: Sequence[Array], mask: Mask, channels: int) -> Iterator[tuple[list[int], Array]]:
    """Dwords in the order in which threads first have them, with the channels that send these, (threads, channels).

    dwords: uint32 (threads,) each, what they are before any is sent. mask: enabled channels where threads are.
    """
    enabled = threads.arrays.ones((threads.count, channels), np.bool_) if mask is None else mask.copy()
    left = any_channel(enabled)
    while True:
        first: Any = left.argmax()
        are_left: Any = left.any()
        is_left, *found = threads.numbers_of(
            are_left.astype(np.int64), *(each[first].astype(np.int64) for each in dwords)
        )
        if not is_left:
            return
        here = left
        for each, value in zip(dwords, found, strict=True):
            here = here & (each == np.uint32(value))
        yield found, enabled & here[:, None]
        left = left & ~here
