"""The chroma key of sample_8x8: texels that match are black before any filter (seed 003:3571-3582, 668-692, 4308-4329).

It only replaces, never kills. Samples have 8 bits here, which is what a key compares.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.context.sampler_settings import Key
from texsamp.errors import CaptureError
from texsamp.state import MediaSurfaceFormat

_CHANNELS = "RGBA"
_MISSING = {"R": 0, "G": 0, "B": 0, "A": 255}
"""What a key sees of channels that a surface lacks, which it should accept whole (003:4325)."""
_BLACK_YCRCB = {"R": 0x80, "G": 0x10, "B": 0x80, "A": 0}
"""Cr, Y, Cb (003:3427)."""


def keyed_planes(
    device: Device, planes: Mapping[str, Array], surface_format: MediaSurfaceFormat, key: Key
) -> dict[str, Array]:
    """Channels of a surface, uint16 (rows, samples) on a device, with black texels where all lie in the key's range.

    Pairs that share their chroma keep it in the first texel; the second is compared with the mean of both sides,
    rounded down (S20). CaptureError for a key whose highest value is below its lowest.
    """
    shape = max(plane.shape for plane in planes.values())
    matches = device.arrays.ones(shape, np.bool_)
    for name, least, most in zip(_CHANNELS, *key, strict=True):
        if most < least:
            raise CaptureError(f"the chroma key's highest {name} must not be below its lowest, found {most}, {least}")
        seen = _of_every_texel(planes[name], shape[1]) if name in planes else np.uint16(_MISSING[name])
        matches &= (seen >= least) & (seen <= most)
    black = _BLACK_YCRCB if surface_format.name.startswith("YCRCB") else dict.fromkeys(_CHANNELS, 0)
    made = {}
    for name, plane in planes.items():
        replaced = matches[:, :: shape[1] // plane.shape[1]]
        made[name] = np.where(replaced, np.uint16(black[name]), plane)
    return made


def _of_every_texel(plane: Array, width: int) -> Array:
    if plane.shape[1] == width:
        return plane
    right = np.concatenate([plane[:, 1:], plane[:, -1:]], axis=1)
    return np.stack([plane, (plane + right) >> 1], axis=2).reshape(len(plane), width)
