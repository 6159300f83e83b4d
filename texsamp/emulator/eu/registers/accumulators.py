"""What acc0 holds beyond the bits that its registers show (volume 4 part 3, pages 41-43).

Integers are kept with 33 bits per word and, of products, 64 per dword, so that a shift or a saturation after a sum sees
all of it. Floats have no more bits than they show.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

ACCUMULATOR = 0x20
"""Number of acc0 among the architecture registers."""
ACCUMULATORS = (ACCUMULATOR, 0x21)
_REGISTER_B = 32
_GUARDED_BITS = 33
"""Of a word's element, and of a dword's that is no product."""
_ALL_BITS = 64

Array = NDArray[Any]
Mask = NDArray[np.bool_] | None


def guarded(values: Array, product_of_dwords: bool) -> Array:
    """Integers as an accumulator keeps them: two's complement, the sign in bit 32 or 63."""
    spare = _ALL_BITS - (_ALL_BITS if product_of_dwords else _GUARDED_BITS)
    return values.astype(np.int64) << spare >> spare


class Accumulators:
    """acc0 of `count` threads: an integer for every word or dword of it, where one is known."""

    def __init__(self, arrays: Any, count: int) -> None:  # arrays: numpy or CuPy
        self._values = {size_B: arrays.zeros((count, _REGISTER_B // size_B), np.int64) for size_B in (2, 4)}
        self._known = {size_B: arrays.zeros((count, _REGISTER_B // size_B), np.bool_) for size_B in (2, 4)}

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """Integers of words and of dwords, and which of them are known, for the engine."""
        return self._values[2], self._values[4], self._known[2], self._known[4]

    def forget(self, mask: Mask = None) -> None:
        """Something else is written in the threads that have channels in the mask."""
        for known in self._known.values():
            if mask is None:
                known[...] = False
            else:
                known[mask.any(axis=1)] = False

    def store(self, lanes: slice, size_B: int, values: Array, mask: Mask) -> None:  # noqa: N803 - the unit
        """Keep integers, (threads, channels) or broadcast to it, in elements of words or dwords, where the mask allows.

        What the other size holds in these threads is forgotten.
        """
        other = self._known[6 - size_B]
        if mask is None:
            self._values[size_B][:, lanes] = values
            self._known[size_B][:, lanes] = True
            other[...] = False
        else:
            np.copyto(self._values[size_B][:, lanes], values, where=mask)
            self._known[size_B][:, lanes] |= mask
            other[mask.any(axis=1)] = False

    def knows(self, lanes: slice, size_B: int) -> NDArray[np.bool_]:  # noqa: N803 - the unit
        """Whether elements are kept, (threads, elements)."""
        known: NDArray[np.bool_] = self._known[size_B][:, lanes]
        return known

    def widened(self, shown: Array, lanes: slice | Array, size_B: int) -> Array:  # noqa: N803 - the unit
        """Elements with all their bits: those that are kept, else what the registers show; int64."""
        return np.where(self._known[size_B][:, lanes], self._values[size_B][:, lanes], shown.astype(np.int64))
