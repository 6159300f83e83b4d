"""`apply_lut`: a table of colors on an array."""

from __future__ import annotations

import os
from typing import get_args

import numpy as np

from texsamp.device import Device, get_device
from texsamp.device.base import Array
from texsamp.device.given import GivenArray, given_array
from texsamp.errors import FormatError
from texsamp.video.lut.cube_file import ColorTable, read_cube
from texsamp.video.lut.launch import CODES, Interpolation, lut_launch, tables_of
from texsamp.video.options import Choice, check

_CHANNELS = (3, 4)


def apply_lut(
    picture: GivenArray,
    table: ColorTable | str | os.PathLike[str],
    *,
    interp: Interpolation = "tetrahedral",
    device: Device | str = "auto",
) -> Array:
    """A picture with the colors of a .cube file's table; its codes are what the file calls 0 to 1.

    picture: uint8 or uint16, (height, width, 3 or 4); alpha stays as it is. table: a file, or what `read_cube` returns.
    interp: ``tetrahedral`` (ours), or ``trilinear``, as the sampler filters a volume of these numbers.

    Returns an array of the same shape and type on the device. Raises FormatError for other arrays, StateError for
    another interpolation, and what `read_cube` raises for a file.
    """
    check("apply_lut", {"interp": Choice(get_args(Interpolation))}, interp=interp)
    on = get_device(device)
    texels = on.upload(given_array("picture", picture))
    if texels.dtype not in (np.uint8, np.uint16) or texels.ndim != 3 or texels.shape[2] not in _CHANNELS:
        raise FormatError(
            f"a picture must be uint8 or uint16 of (height, width, 3 or 4), found {texels.dtype} {tuple(texels.shape)}"
        )
    height, width, channels = texels.shape
    if not height * width:
        raise FormatError(f"a picture must have some pixels, found {width}x{height}")
    tables = tables_of(table if isinstance(table, ColorTable) else read_cube(table))
    scale = (CODES - 1) // np.iinfo(texels.dtype).max
    source = on.empty((height, width, 4), np.uint16)
    source[..., 3] = CODES - 1
    source[..., :channels] = texels.astype(np.uint16) * np.uint16(scale)
    rows = source.reshape(height, 4 * width)
    made = on.empty(rows.shape, np.uint16)
    on.launch(lut_launch(on, rows, made, (on.upload(tables.places), on.upload(tables.cube)), interp))
    codes = (made.reshape(height, width, 4)[..., :channels].astype(np.uint32) + scale // 2) // scale
    return codes.astype(texels.dtype)
