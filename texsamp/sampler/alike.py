"""Samples that share what a launch has only one of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray


def alike(keys: NDArray[Any]) -> Iterator[tuple[NDArray[np.intp], tuple[int, ...]]]:
    """Ascending numbers of the rows of integers (rows, values) that are equal, and their values; rows sort once."""
    order = np.lexsort(keys.T[::-1])
    ordered = keys[order]
    differs = (ordered[1:] != ordered[:-1]).any(axis=1)
    for chosen in np.split(order, 1 + np.flatnonzero(differs)) if len(order) else ():
        yield chosen, tuple(keys[chosen[0]].tolist())
