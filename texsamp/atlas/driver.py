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


class Driver(Protocol):
    """Something that samples."""

    @property
    def name(self) -> str:
        """Of the device and its driver."""

    def sample(
        self,
        levels: Sequence[Floats],
        state: State,
        u: Floats,
        v: Floats,
        *,
        lod: Floats | None = None,
        gradients: Floats | None = None,
    ) -> Floats:
        """Samples (count, 4) at coordinates (count), at level 0 if neither LODs nor gradients are given.

        levels: (height, width, 4), each half of the one before. gradients: (4, count): of u and v by x, then by y.
        """
