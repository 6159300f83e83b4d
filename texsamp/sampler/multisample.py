"""Samples of multisampled surfaces: in which slice each lies, and what is known of the surface (seed 003:730-749)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from texsamp.device.arguments import is_integer
from texsamp.device.base import Array
from texsamp.errors import StateError
from texsamp.sampler.arguments import require_surface
from texsamp.sampler.coordinates import as_coordinates
from texsamp.sampler.null_surface import NullSurface
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.elements import Place, write_rows
from texsamp.surface.layout import MCS_CLEAR, SurfaceDescription, SurfaceLayout, SurfaceView, sample_slice
from texsamp.surface.surface import Surface

_MCS_FORMATS = ("R8_UINT", "R32_UINT")
"""Of control surfaces for 4 and 8 samples (001:2423)."""


def sample_places(
    surface: Surface, layer: Array | None, sample: Array, mcs: Array | None
) -> tuple[Array, Array | None]:
    """Slice of the expanded texels for each sample, -1 for none, and, by a control surface, which are clear.

    layer, sample, mcs: int32 arrays of one shape. Raises StateError for an mcs of interleaved samples.
    """
    samples = surface.samples
    inside = (sample >= 0) & (sample < samples)
    if layer is None:
        layer = sample * 0
    inside &= (layer >= 0) & (layer < surface.layers)
    number, is_clear = sample.clip(0, samples - 1), None
    if mcs is not None:
        if surface.description.interleaved:
            raise StateError(f"interleaved samples have no control surface, found mcs for {surface!r}")
        is_clear = inside & (mcs & MCS_CLEAR[samples] == MCS_CLEAR[samples])
        number = sample_slice(mcs & MCS_CLEAR[samples], number, samples)
    place = layer.clip(0, surface.layers - 1) * samples + number
    (slices,) = as_coordinates(surface.device, [("sample", place * inside - ~inside)], np.int32)
    return slices, is_clear


def double_size(surface: Surface) -> Surface:
    """A surface of 4 samples as the other messages of Sandy Bridge see it (`sample`, `gather4`, `query_lod`).

    Returns a surface of single texels, twice as wide and high: each pixel is samples 0 and 2 above 1 and 3. A linear
    filter at the middles of pixels is their mean, so it resolves them.

    Raises StateError unless there are 4 samples. Source: seed 003:736-743; Gen7 does so no longer (003:749, 4648).
    """
    require_surface(surface)
    if surface.samples != 4:
        raise StateError(f"surfaces of 4 samples are read at double size, found {surface.samples}")
    device, d = surface.device, surface.description
    size_px = (2 * surface.width_px, 2 * surface.height_px)
    layout = SurfaceLayout(
        SurfaceDescription(d.type, d.format, *size_px, array_length=surface.layers, is_array=d.is_array)
    )
    made = Surface(SurfaceView(layout, 0), device.empty((layout.size_B,), np.uint8), device)
    element_B = layout.element.size_B
    for layer in range(surface.layers):
        texels = device.empty((size_px[1], size_px[0], element_B), np.uint8)
        for sample in range(4):
            elements = surface.elements(slice=layer, sample=sample)
            texels[sample % 2 :: 2, sample // 2 :: 2] = elements.reshape(surface.height_px, -1, element_B)
        write_rows(texels.reshape(size_px[1], -1), made.data, made.surface_view, Place(slice=layer), device)
    return made


def require_clear_color(color: Sequence[int]) -> tuple[int, ...]:
    """Red, green, blue, alpha of clear pixels; StateError unless each is 0 or 1 (003:2541-2560)."""
    if len(tuple(color)) != 4 or any(not is_integer(each) or each not in (0, 1) for each in color):
        raise StateError(f"clear_color must be four numbers that are 0 or 1 (red, green, blue, alpha), found {color!r}")
    return tuple(int(each) for each in color)


def sampleinfo(surface: Surface | NullSurface, palette_index: int = 0) -> Array:
    """What the sampleinfo message says: number of samples, 0, 0, ``palette_index`` + 1; uint32. 0 if there is none.

    palette_index: of the sample positions, 0 to 7 (Multisample Position Palette Index of the surface's state).

    Raises StateError for surfaces that are not 2D, and for other indices. Source: seed 003:4736, hole S29.
    """
    if isinstance(surface, NullSurface):
        return surface.read(dtype=np.uint32)
    if surface.type != SurfaceType.SURFTYPE_2D:
        raise StateError(f"sampleinfo is for 2D surfaces, found {surface.type.name}")
    if not is_integer(palette_index) or not 0 <= palette_index <= 7:
        raise StateError(f"palette_index must be an integer from 0 to 7, found {palette_index!r}")
    return surface.device.upload(np.array([surface.samples, 0, 0, palette_index + 1], np.uint32))


def require_mcs(mcs: Surface) -> None:
    """Raise StateError unless a surface can be a control surface."""
    if mcs.type != SurfaceType.SURFTYPE_2D or mcs.samples > 1 or mcs.format not in _MCS_FORMATS:
        raise StateError(f"a control surface is 2D, of R8_UINT or R32_UINT, found {mcs!r}")
