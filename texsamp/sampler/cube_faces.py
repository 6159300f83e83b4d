"""Cubes some of whose faces are disabled: the border color stands there (seeds 003:2161-2184, 4212; 000:1293)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from texsamp.device.arguments import is_integer
from texsamp.errors import StateError
from texsamp.sampler.border import border_texel
from texsamp.sampler.expanded import Expanded
from texsamp.sampler.rules import address_modes, check_border_color
from texsamp.sampler.sampler import Sampler
from texsamp.state.render_surface import SurfaceType
from texsamp.state.sampler import AddressControl
from texsamp.surface.surface import Surface

ALL_FACES = 0b111111
_BITS = (4, 5, 2, 3, 0, 1)
"""Bit of each face in memory order, +X -X +Y -Y +Z -Z."""


def with_faces(surface: Surface, sampler: Sampler, texels: Expanded, enabled: int) -> Expanded:
    """Texels whose disabled faces have the border color.

    enabled: Cube Face Enables, bit 5 -X, 4 +X, 3 -Y, 2 +Y, 1 -Z, 0 +Z.

    Raises StateError for anything else, for surfaces that are no cubes, and for address controls other than CUBE;
    FormatError for formats without the sampler's border color.
    """
    if not is_integer(enabled) or not 0 <= enabled <= ALL_FACES:
        raise StateError(f"cube_faces must be an integer from 0 to {ALL_FACES}, found {enabled!r}")
    if enabled == ALL_FACES:
        return texels
    if surface.type != SurfaceType.SURFTYPE_CUBE:
        raise StateError(f"only cubes have faces to disable, found {surface.type.name}")
    mode = AddressControl(address_modes(surface, sampler)[0])
    if mode != AddressControl.CUBE:
        raise StateError(f"address {mode.name} needs all faces of a cube (000:1293), found cube_faces {enabled:#08b}")
    check_border_color(surface, sampler)
    border = border_texel(sampler, texels.kind, surface.info)
    settings = (enabled, border, texels.kind.channels)
    made = surface.derived.find(_Disabled)
    if made is None or made.settings != settings or made.base is not texels:
        made = surface.derived.keep(_Disabled(settings, texels, _bordered(surface, texels, enabled, border)))
    return made.texels


@dataclass(frozen=True)
class _Disabled:
    """Texels, and what they were made of."""

    settings: tuple[object, ...]
    base: Expanded
    texels: Expanded


def _bordered(surface: Surface, texels: Expanded, enabled: int, border: tuple[float, ...]) -> Expanded:
    made = texels.texels.copy()
    codes = np.array(border, np.uint32) if texels.kind.name == "integer" else np.array(border, np.float32)
    color = surface.device.upload(codes.view(made.dtype) if codes.dtype == np.uint32 else codes.astype(made.dtype))
    for width, height, slices, first in texels.levels.tolist():
        for slice in range(slices):
            if not enabled >> _BITS[slice % 6] & 1:
                begin = first + slice * width * height
                made[begin : begin + width * height] = color
    return replace(texels, texels=made)
