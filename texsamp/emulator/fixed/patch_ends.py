"""How much patches become, up to the end of each, where they are: `kernels/tess_ends.h`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.params import constant, params_type
from texsamp.emulator.fixed.vertex_fetch import VERTICES_PER_UNIT

POINTS, PAIRS, PATCHES = (constant(f"ENDS_{name}") for name in ("POINTS", "PAIRS", "PATCHES"))
UNITS, OBJECTS = constant("ENDS_UNITS"), constant("ENDS_OBJECTS")
_COLUMNS = constant("ENDS_COLUMNS")
_PARAMS = params_type("TessEnds")


@dataclass(frozen=True)
class PatchEnds:
    """ends: int64 (patches, ENDS_COLUMNS), of a device. sums: the last row, which the host knows; zeros if none is."""

    ends: Array
    sums: tuple[int, ...]

    @property
    def points(self) -> int:
        """Domain points of all patches."""
        return self.sums[POINTS]

    def params(self, device: Device) -> np.void:
        """The TessEnds."""
        return _PARAMS(ends=device.address(self.ends), patches=len(self.ends))


Check = Callable[[PatchEnds], None]
"""Is given how much there will be, before it is made."""


def ends_of(points: Array, objects: Array, device: Device, more: tuple[Array, ...] = ()) -> tuple[PatchEnds, list[int]]:
    """Of points and objects of each patch, int64 (patches,). more: numbers, which the host is told with the sums."""
    columns = [points] * _COLUMNS
    columns[PAIRS], columns[PATCHES] = (points + 1) // 2, (points > 0).astype(np.int64)
    columns[UNITS], columns[OBJECTS] = points // VERTICES_PER_UNIT, objects
    ends = np.cumsum(np.stack(columns, axis=1), axis=0)
    if not len(points):
        return PatchEnds(ends, (0,) * _COLUMNS), [0] * len(more)
    found = device.download(np.stack([*(ends[-1, column] for column in range(_COLUMNS)), *more])).tolist()
    return PatchEnds(ends, tuple(found[:_COLUMNS])), found[_COLUMNS:]
