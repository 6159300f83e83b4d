"""Where two planes first differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from texsamp.quality.planes import Plane, check_pair


@dataclass(frozen=True)
class Difference:
    """The first sample, in reading order, in which two planes differ."""

    x: int
    y: int
    reference: int
    distorted: int


def first_difference(reference: Plane, distorted: Plane) -> Difference | None:
    """The first differing sample, row by row from the top left, or None. Raises FormatError on unlike planes."""
    check_pair(reference, distorted)
    unequal = reference != distorted
    if not unequal.any():
        return None
    y, x = divmod(int(np.argmax(unequal)), reference.shape[1])
    return Difference(x, y, int(reference[y, x]), int(distorted[y, x]))
