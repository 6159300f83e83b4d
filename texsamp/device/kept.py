"""Small arrays that a device is sent again and again: by their bytes, each only once while it is known."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from texsamp.device.base import Array, Device

LARGEST_B = 1 << 16
"""Of an array that is kept; larger ones are sent each time."""
MOST_B = 1 << 23
"""Of all that are kept of a device."""

_Host = np.ndarray[Any, np.dtype[Any]]
_Key = tuple[str, tuple[int, ...], bytes]


class _Known:
    """What one device has, the one that was asked for last behind all others."""

    def __init__(self) -> None:
        self._there: OrderedDict[_Key, Array] = OrderedDict()
        self._size_B = 0
        self._lock = Lock()

    def of(self, device: Device, arrays: Sequence[_Host]) -> list[Array]:
        keys = [(array.dtype.str, array.shape, array.tobytes()) for array in arrays]
        with self._lock:
            found = {key: self._there[key] for key in keys if key in self._there}
            new = {key: array for key, array in zip(keys, arrays, strict=True) if key not in found}
            sent = device.upload_all([np.ascontiguousarray(array) for array in new.values()]) if new else ()
            found |= dict(zip(new, sent, strict=True))
            self._there |= found
            self._size_B += sum(len(key[2]) for key in new)
            for key in found:
                self._there.move_to_end(key)
            while self._size_B > MOST_B:
                oldest, _ = self._there.popitem(last=False)
                self._size_B -= len(oldest[2])
        return [found[key] for key in keys]


_known: WeakKeyDictionary[Device, _Known] = WeakKeyDictionary()
_lock = Lock()


def kept(device: Device, arrays: Sequence[_Host]) -> Sequence[Array]:
    """Arrays of the host on a device, contiguous there, not to be written; those that are new to it travel together."""
    if device.arrays is np:
        return device.upload_all(arrays)
    if any(array.nbytes > LARGEST_B for array in arrays):
        return device.upload_all([np.ascontiguousarray(array) for array in arrays])
    with _lock:
        known = _known.setdefault(device, _Known())
    return known.of(device, arrays)


def integers(device: Device, *values: np.ndarray[Any, np.dtype[Any]]) -> Sequence[Array]:
    """Integers, int64 (n,), on a device, not to be written: made there where all are as far from the one before.

    Others are `kept`, and travel together.
    """
    if device.arrays is np:
        return values
    steps = [_step(each) for each in values]
    sent = iter(kept(device, [each for each, step in zip(values, steps, strict=True) if step is None]))
    return [next(sent) if step is None else _made(device, each, step) for each, step in zip(values, steps, strict=True)]


def _step(values: _Host) -> int | None:
    """How far each is from the one before; None if that differs."""
    if len(values) < 2:
        return 0
    step = int(values[1]) - int(values[0])
    return step if (values[1:] - values[:-1] == step).all() else None


def _made(device: Device, values: _Host, step: int) -> Array:
    first = int(values[0]) if len(values) else 0
    made: Array
    if step:
        made = device.arrays.arange(first, first + step * len(values), step, dtype=np.int64)
    else:
        made = device.arrays.full(len(values), first, np.int64)
    return made
