"""What every measure here takes: two planes of samples of one size and type."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import FormatError

Plane = NDArray[Any]
"""Samples of one component: a (rows, columns) array of unsigned integers."""


def check_pair(reference: Plane, distorted: Plane) -> None:
    """Raise FormatError unless both are non-empty 2-D planes of unsigned integers of one shape and type."""
    if reference.ndim != 2 or reference.size == 0 or not np.issubdtype(reference.dtype, np.unsignedinteger):
        raise FormatError(
            "a plane must be a non-empty (rows, columns) array of unsigned integers, "
            f"found shape {reference.shape} of {reference.dtype}"
        )
    if reference.shape != distorted.shape or reference.dtype != distorted.dtype:
        raise FormatError(
            f"planes differ in shape or type: {reference.shape} {reference.dtype} "
            f"and {distorted.shape} {distorted.dtype}"
        )
