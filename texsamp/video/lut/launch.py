"""The launch that applies a table of colors, and what it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.video.lut.cube_file import ColorTable

Interpolation = Literal["tetrahedral", "trilinear"]

_PARAMS = params_type("LutParams")
TILE_SIZES = {"host": (512, 4), "device": (128, 8)}
"""Columns and lines of a tile."""
CODES = 65536


@dataclass(frozen=True, eq=False)
class Tables:
    """What the kernel reads. places: float32 (3, 65536), every code's place in the cube, from 0 to size - 1.

    cube: float32 (B, G, R, 4), the fourth number unused, so that it is the texels of a volume.
    """

    places: np.ndarray[Any, np.dtype[np.float32]]
    cube: np.ndarray[Any, np.dtype[np.float32]]

    @property
    def size(self) -> int:
        """Entries along an axis."""
        return len(self.cube)


def tables_of(table: ColorTable) -> Tables:
    """A file's table for the kernel; curves alone are places in a cube of 2 x 2 x 2 that changes nothing."""
    colors = np.repeat(np.arange(CODES)[None] / (CODES - 1), 3, axis=0)
    if table.curves is not None:
        entries = len(table.curves)
        low, high = table.curve_range.astype(np.float64)[..., None]
        at = np.clip((colors - low) / (high - low), 0, 1) * (entries - 1)
        colors = np.stack([np.interp(at[c], np.arange(entries), table.curves[:, c]) for c in range(3)])
    cube = table.cube
    if cube is None:
        cube = np.stack(np.meshgrid(*[[0, 1]] * 3, indexing="ij")[::-1], -1).astype(np.float32)
    low, high = table.cube_range.astype(np.float64)[..., None]
    size = cube.shape[0]
    places = (np.clip((colors - low) / (high - low), 0, 1) * (size - 1)).astype(np.float32)
    padded = np.zeros((*cube.shape[:3], 4), np.float32)
    padded[..., :3] = cube
    return Tables(places, padded)


def lut_launch(
    device: Device, source: Array, target: Array, tables: tuple[Array, Array], interpolation: Interpolation
) -> Launch:
    """From rows of RGBA of 16 bits, (height, 4 * width), to rows of the same. tables: places and cube on the device."""
    places, cube = tables
    height, elements = source.shape
    params = _PARAMS(
        src=device.address(source),
        dst=device.address(target),
        places=device.address(places),
        table=device.address(cube),
        src_pitch_B=source.strides[0],
        dst_pitch_B=target.strides[0],
        width=elements // 4,
        height=height,
        size=cube.shape[0],
    )
    columns, lines = TILE_SIZES[device.tile_limits]
    tiles = -(-(elements // 4) // columns), -(-height // lines)
    return Launch(f"lut_{interpolation}_u16", params, *tiles, (source, target, places, cube))
