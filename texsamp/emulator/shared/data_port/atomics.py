"""Atomic operations on memory: many at once, with the result of one after the other (seed 003:9119-9147)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.state.data_port import AtomicOperation

Values = NDArray[Any]
_Change = Callable[[Values, Values, Values], Values]


def _signed(value: Values) -> Values:
    return value.view(np.int32)


_CHANGES: dict[AtomicOperation, _Change] = {
    AtomicOperation.CMPWR8B: lambda old, a, b: np.where(old == a, b, old),
    AtomicOperation.AND: lambda old, a, b: old & a,
    AtomicOperation.OR: lambda old, a, b: old | a,
    AtomicOperation.XOR: lambda old, a, b: old ^ a,
    AtomicOperation.MOV: lambda old, a, b: a,
    AtomicOperation.INC: lambda old, a, b: old + np.uint32(1),
    AtomicOperation.DEC: lambda old, a, b: old - np.uint32(1),
    AtomicOperation.ADD: lambda old, a, b: old + a,
    AtomicOperation.SUB: lambda old, a, b: old - a,
    AtomicOperation.REVSUB: lambda old, a, b: a - old,
    AtomicOperation.IMAX: lambda old, a, b: np.maximum(_signed(old), _signed(a)).view(np.uint32),
    AtomicOperation.IMIN: lambda old, a, b: np.minimum(_signed(old), _signed(a)).view(np.uint32),
    AtomicOperation.UMAX: lambda old, a, b: np.maximum(old, a),
    AtomicOperation.UMIN: lambda old, a, b: np.minimum(old, a),
    AtomicOperation.CMPWR: lambda old, a, b: np.where(old == a, b, old),
    AtomicOperation.PREDEC: lambda old, a, b: old - np.uint32(1),
}
"""New value of the destination from its old one and two sources."""

SOURCES = {operation: 1 for operation in AtomicOperation} | {
    AtomicOperation.INC: 0,
    AtomicOperation.DEC: 0,
    AtomicOperation.PREDEC: 0,
    AtomicOperation.CMPWR: 2,
    AtomicOperation.CMPWR8B: 2,
}
"""Sources that are sent (seed 003:9549-9557)."""


def rounds(places: NDArray[np.int64]) -> Iterator[NDArray[np.intp]]:
    """Indices such that no round holds a place twice and the accesses of a place come in their order."""
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    first = np.searchsorted(ordered, ordered)
    number = np.empty(len(places), np.intp)
    number[order] = np.arange(len(places)) - first
    by_round = np.argsort(number, kind="stable")
    counts = np.bincount(number)
    yield from np.split(by_round, np.cumsum(counts)[:-1])


def exchange(
    operation: AtomicOperation, units: Values, places: NDArray[np.int64], sources: tuple[Values, Values]
) -> Values:
    """Change units at places, in order; returns what each operation returns."""
    change, returned = _CHANGES[operation], np.empty(len(places), units.dtype)
    for chosen in rounds(places):
        here = places[chosen]
        old = units[here]
        new = change(old, sources[0][chosen], sources[1][chosen])
        units[here] = new
        returned[chosen] = new if operation is AtomicOperation.PREDEC else old
    return returned
