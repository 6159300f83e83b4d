"""What is asked of a driver: samples of a 2D texture of floats under a sampler's state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

BORDER = (-1.0, 0.0, 0.0, 0.0)
"""The color beyond the border, where there is one."""


@dataclass(frozen=True)
class State:
    """linear: inside a level, else nearest; mip: between levels. anisotropy: largest ratio. address: of both axes."""

    linear: bool = True
    mip: Literal["none", "linear"] = "none"
    address: Literal["clamp", "border", "wrap"] = "clamp"
    anisotropy: int = 1


@dataclass(frozen=True, eq=False)
class Places:
    """Coordinates (count), at level 0 if neither LODs (count) nor gradients are given.

    gradients: (4, count): of u and v by x, then by y.
    """

    u: Floats
    v: Floats
    lod: Floats | None = None
    gradients: Floats | None = None

    @classmethod
    def along(cls, u: Floats, lod: Floats | None = None, gradients: Floats | None = None) -> Places:
        """Those of the middle line."""
        return cls(u, np.full_like(u, 0.5), lod, gradients)


class Driver(Protocol):
    """Something that samples."""

    @property
    def name(self) -> str:
        """Of the device and its driver."""

    def sample(self, levels: Sequence[Floats], state: State, places: Places) -> Floats:
        """Samples (count, 4). levels: (height, width, 4), each half of the one before."""
