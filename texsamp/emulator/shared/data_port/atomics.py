"""Atomic operations on memory: many at once, with the result of one after the other (seed 003:9119-9147).

What operations at one place come to is put together from pairs, pairs of pairs and so on: many that meet take as many
steps as their number has bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.state.data_port import AtomicOperation

_Change = Callable[[Array, Array], Array]


@dataclass(frozen=True)
class _Rule:
    """change: new value of the destination from its old one and a source. together: a source that does what two do."""

    change: _Change
    together: _Change


def _latter(_: Array, second: Array) -> Array:
    return second


def _signed_max(one: Array, other: Array) -> Array:
    return np.maximum(one.view(np.int32), other.view(np.int32)).view(np.uint32)


def _signed_min(one: Array, other: Array) -> Array:
    return np.minimum(one.view(np.int32), other.view(np.int32)).view(np.uint32)


_ADD, _SUBTRACT = _Rule(np.add, np.add), _Rule(np.subtract, np.add)
_RULES: dict[AtomicOperation, _Rule] = {
    AtomicOperation.MOV: _Rule(_latter, _latter),
    AtomicOperation.INC: _ADD,
    AtomicOperation.DEC: _SUBTRACT,
    AtomicOperation.ADD: _ADD,
    AtomicOperation.SUB: _SUBTRACT,
    AtomicOperation.PREDEC: _SUBTRACT,
    AtomicOperation.AND: _Rule(np.bitwise_and, np.bitwise_and),
    AtomicOperation.OR: _Rule(np.bitwise_or, np.bitwise_or),
    AtomicOperation.XOR: _Rule(np.bitwise_xor, np.bitwise_xor),
    AtomicOperation.UMAX: _Rule(np.maximum, np.maximum),
    AtomicOperation.UMIN: _Rule(np.minimum, np.minimum),
    AtomicOperation.IMAX: _Rule(_signed_max, _signed_max),
    AtomicOperation.IMIN: _Rule(_signed_min, _signed_min),
}
"""All but those that compare, and REVSUB, of which two are no third one."""

SOURCES = {operation: 1 for operation in AtomicOperation} | {
    AtomicOperation.INC: 0,
    AtomicOperation.DEC: 0,
    AtomicOperation.PREDEC: 0,
    AtomicOperation.CMPWR: 2,
    AtomicOperation.CMPWR8B: 2,
}
"""Sources that are sent (seed 003:9549-9557)."""


@dataclass(frozen=True)
class _Accesses:
    """Accesses by place, those of one place in their order.

    order: their numbers before. earlier: how many of the same place come before each.
    """

    device: Device
    order: NDArray[np.intp]
    places: NDArray[np.int64]
    earlier: NDArray[np.intp]

    @classmethod
    def of(cls, device: Device, places: NDArray[np.int64]) -> _Accesses:
        order = np.argsort(places, kind="stable")
        ordered, numbers = places[order], np.arange(len(places))
        first = np.maximum.accumulate(np.where(np.diff(ordered, prepend=-1) != 0, numbers, 0))
        return cls(device, order, ordered, numbers - first)

    @property
    def last(self) -> NDArray[np.intp]:
        """Which one is the last of each place."""
        return np.flatnonzero(np.append(self.earlier[1:] == 0, True))

    @property
    def strides(self) -> list[int]:
        """1, 2, 4 and so on up to the most that come before one of the same place."""
        return [1 << bit for bit in range(int(self.earlier.max()).bit_length())]

    def put_together(self, values: Array, together: _Change) -> Array:
        """What each and all earlier ones of its place come to; in `values`."""
        for stride in self.strides:
            late = np.flatnonzero(self.earlier >= stride)
            here, before = kept(self.device, (late, late - stride))
            values[here] = together(values[before], values[here])
        return values

    def compared(self, old: Array, expected: Array, written: Array) -> Array:
        """Values after accesses that write where they find what they expect.

        The next one after each that could write, were that one to write, makes chains: those that do write are what
        the chain of the first one holds. Keys of 63 bits hold a million accesses; threads in lockstep have 65536.
        """
        if not self.strides:
            return np.where(old == expected, written, old)
        upload, count = self.device.upload, len(self.earlier)
        numbers = upload(np.arange(count))
        _, codes = np.unique(np.concatenate([expected, written, old]), return_inverse=True)
        looked_for, left, found = (codes[n * count : (n + 1) * count] for n in range(3))
        of_place = upload(np.cumsum(self.earlier == 0) * (3 * count))
        sorted_keys = np.sort((of_place + looked_for) * count + numbers)

        def next_one(value: Array, after: Array) -> Array:
            """Who of the same place expects a value, and is not before another; `count` if none."""
            key = (of_place + value) * count
            at = np.searchsorted(sorted_keys, key + after)
            candidate = sorted_keys[np.minimum(at, count - 1)]
            return np.where((at < count) & (candidate // count == key // count), candidate % count, count)

        chain = np.concatenate([next_one(left, numbers + 1), upload(np.array([count]))])
        writes = self.device.arrays.zeros(count + 1, np.bool_)
        writes[next_one(found, numbers)[upload(np.flatnonzero(self.earlier == 0))]] = True
        for _ in [0, *self.strides]:
            writes[chain[writes]] = True
            chain = chain[chain]
        writer = self.put_together(np.where(writes[:count], numbers, -1), np.maximum)
        return np.where(writer < 0, old, written[np.maximum(writer, 0)])


def exchange(
    operation: AtomicOperation, device: Device, units: Array, places: NDArray[np.int64], sources: Sequence[Array]
) -> Array:
    """Change units at places, in order; returns what each operation returns. Units and sources are the device's."""
    if not len(places):
        return units[:0]
    accesses, upload = _Accesses.of(device, places), device.upload
    order = upload(accesses.order)
    old = units[upload(accesses.places)]
    one, *other = [source[order] for source in sources] if SOURCES[operation] else [np.ones_like(old)]
    if other:
        new = accesses.compared(old, one, *other)
    elif operation is AtomicOperation.REVSUB:  # with every second sign changed it adds
        signs = upload(np.where(accesses.earlier % 2, 1, -1).astype(np.int32).view(np.uint32))
        new = (old + accesses.put_together(one * signs, np.add)) * signs
    else:
        rule = _RULES[operation]
        new = rule.change(old, accesses.put_together(one, rule.together))
    units[upload(accesses.places[accesses.last])] = new[upload(accesses.last)]
    returned = device.empty((len(places),), units.dtype)
    if operation is AtomicOperation.PREDEC:
        returned[order] = new
    else:
        found = np.concatenate([old[:1], new[:-1]])
        returned[order] = np.where(upload(accesses.earlier == 0), old, found)
    return returned
