"""What the host is told of registers of all threads that send a message: of some dwords, the least and the greatest.

That is as much as decides how a message is carried out where threads are on a device (kernels/eu_sent.h).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Launch
from texsamp.device.params import constant, params_type
from texsamp.emulator.eu.registers.threads import PITCH_B, Array, Mask, Threads

_RANGES, _MOST = params_type("EuRangesParams"), constant("EU_RANGES")
_THREADS_OF_A_TILE = constant("EU_RANGE_THREADS")
_NONE = np.iinfo(np.int32).min

Looks = tuple[tuple[int, int], ...]
"""Dwords, by their number, and the bits that are looked at of each."""
Ranges = NDArray[np.int32]
"""Of each of them the least and the greatest value, as signed numbers."""


class NobodySendsError(Exception):
    """No thread sends the message."""


def ranges_on_device(threads: Threads, mask: Mask, places: Sequence[tuple[int, int]]) -> Array:
    """(places, 2) int32 on the device, as `ranges` takes it. places: bytes of registers, and bits.

    mask: channels that send, contiguous, (threads, channels); None for all.
    """
    device = threads.device
    out: Array = device.arrays.full((len(places), 2), _NONE, np.int32)
    for first in range(0, len(places), _MOST):
        _launch(threads, mask, places[first : first + _MOST], out[first : first + _MOST])
    return out


def _launch(threads: Threads, mask: Mask, places: Sequence[tuple[int, int]], out: Array) -> None:
    device, spare = threads.device, [0] * (_MOST - len(places))
    params = _RANGES(
        registers=device.address(threads.registers),
        mask=0 if mask is None else device.address(mask),
        out=device.address(out),
        at=[*(at for at, _ in places), *spare],
        bits=[*(bits for _, bits in places), *spare],
        ranges=len(places),
        channels=0 if mask is None else mask.shape[1],
        threads=threads.count,
        pitch=PITCH_B,
    )
    held = (threads.registers, out, *(() if mask is None else (mask,)))
    device.launch(Launch("eu_ranges", params, 1, -(-threads.count // _THREADS_OF_A_TILE), held))


def ranges(found: Array) -> Ranges:
    """Ranges of what `ranges_on_device` made; NobodySendsError if there are none."""
    least, greatest = ~found[:, 0], found[:, 1]
    if (least > greatest).any():
        raise NobodySendsError
    made: Ranges = np.stack([least, greatest], axis=1)
    return made


def alike(found: Iterable[Any]) -> bool:
    """Whether all threads have the same of some dwords."""
    return all(int(least) == int(greatest) for least, greatest in found)
