"""Surfaces as pictures in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from texsamp.errors import FormatError
from texsamp.shown.pictures import texels_png
from texsamp.surface.arrays import texels_of
from texsamp.surface.layout.description import CUBE_FACES

if TYPE_CHECKING:
    from texsamp.surface.surface import Surface

_SLICES = CUBE_FACES
"""Slices that are shown, at most."""


def surface_png(surface: Surface) -> bytes | None:
    """The first slices of level 0 side by side, of their first samples; None where there is no picture to make."""
    if surface.description.is_buffer:
        return None
    *size_px, depth_px = surface.level_size_px(0)
    slices = max(depth_px, surface.layers * surface.faces)
    try:
        texels = [
            surface.device.download(texels_of(surface.elements(0, k), surface.info, size_px, surface.device))
            for k in range(min(slices, _SLICES))
        ]
    except FormatError:  # planes, and what only a palette or a sampler makes a color of
        return None
    return texels_png(np.hstack([each.reshape(-1, *each.shape[-2:]) for each in texels]))
