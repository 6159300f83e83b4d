"""A picture of a textured quad: the texture of a file, put somewhere in a picture and sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from texsamp.device import Device, get_device
from texsamp.device.base import Array
from texsamp.errors import FormatError, StateError
from texsamp.io.textures import slice_index
from texsamp.sampler.expanded import expanded, texel_kind
from texsamp.sampler.quad import QuadGrid, face_directions, quad_grid
from texsamp.sampler.sample import sample
from texsamp.sampler.sampler import Sampler
from texsamp.shown.html import figure
from texsamp.shown.pictures import texels_png
from texsamp.state.formats import SurfaceFormatInfo, surface_format
from texsamp.state.render_surface import SurfaceType
from texsamp.state.sampler import AddressControl, MipFilter
from texsamp.surface.arrays import is_compressed
from texsamp.surface.images import TextureImages
from texsamp.surface.layout.description import CUBE_FACES
from texsamp.surface.mips import MipEdge
from texsamp.surface.surface import Surface
from texsamp.surface.texel_formats import texel_type
from texsamp.surface.texels import store_texels

FILTERS: MappingProxyType[str, dict[str, Any]] = MappingProxyType(
    {
        "nearest": {"min_filter": "nearest", "mag_filter": "nearest", "mip_filter": "none"},
        "linear": {"min_filter": "linear", "mag_filter": "linear", "mip_filter": "none"},
        "mipnearest": {"min_filter": "linear", "mag_filter": "linear", "mip_filter": "nearest"},
        "trilinear": {"min_filter": "linear", "mag_filter": "linear", "mip_filter": "linear"},
        **{f"aniso{ratio}": {"max_anisotropy": ratio, "mip_filter": "linear"} for ratio in range(2, 17, 2)},
        **{f"ewa{n}": {"max_anisotropy": n, "anisotropy": "ewa", "mip_filter": "linear"} for n in range(2, 17, 2)},
    }
)
"""Arguments of `Sampler` by the words that people use."""
MONO_FILTERS: MappingProxyType[str, dict[str, Any]] = MappingProxyType(
    {f"mono{side}x{side}": {"mono_size": (side, side), "mip_filter": "none"} for side in range(1, 8)}
)
"""Those for textures of MONO8, whose texels are bits; with address border alone."""

_FLOATS = "R32G32B32A32_FLOAT"
_CHANNELS = {8: "R8G8B8A8", 16: "R16G16B16A16", 32: "R32G32B32A32"}


def quad_sampler(filter: str, address: Sequence[str] = ("wrap",), border: Sequence[float] = (0, 0, 0, 0)) -> Sampler:
    """The sampler for a word of `FILTERS` or `MONO_FILTERS`. Raises StateError for other words."""
    filters = {**FILTERS, **MONO_FILTERS}
    if filter not in filters:
        raise StateError(f"filter must be one of {', '.join(filters)}, found {filter!r}")
    return Sampler(**filters[filter], address=address, border=border)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Drawing:
    """A picture: texels (height, width, 4) of a format; levels of the texture, and notes for people."""

    texels: np.ndarray[Any, np.dtype[Any]]
    info: SurfaceFormatInfo
    levels: int
    notes: tuple[str, ...]

    def _repr_png_(self) -> bytes:
        """For notebooks."""
        return texels_png(self.texels)

    def _repr_html_(self) -> str:
        return figure(self._repr_png_(), "; ".join([repr(self).strip("<>"), *self.notes]))

    def __repr__(self) -> str:
        height, width = self.texels.shape[:2]
        return f"<Drawing {width}x{height} {self.info.name}>"


def draw_quad(
    images: TextureImages,
    sampler: Sampler,
    size: tuple[int, int],
    transform: str = "",
    *,
    level: int = 0,
    layer: int = 0,
    face: str | None = None,
    plane: bool = False,
    lod: float | None = None,
    bias: float | None = None,
    floats: bool = False,
    device: Device | str = "auto",
) -> Drawing:
    """Draw a texture as a quad. What the quad does not cover is 0 in every channel.

    size, transform: of the picture, as for `quad_grid`. level: where the mip levels begin. layer: array slice, cube, or
        slice of a volume, whose center is sampled. face: of a cube, +x, ..., -z; +x if None.
    plane: draw all of the quad's plane, as the address modes say. lod, bias: as for `sample`.
    floats: float32 as the sampler returns it, instead of the numbers that a PNG holds, where textures of bits are
        opaque. Integers stay integers.

    A texture of one level gets the smaller ones if the sampler's mip filter wants them.

    Raises FormatError for what the texture does not have, and for floats where there must be none; StateError for
    samplers and transforms.
    """
    picture_format = _picture_format(images.info, floats)
    index = slice_index(images, level, layer, face)
    on = get_device(device)
    grid = quad_grid(size, transform, device=on)
    surface, notes = _surface(_chosen(images, level, index), sampler, on)
    is_codes = (
        picture_format == "R8G8B8A8_UNORM"
        and not sampler.is_mono
        and texel_kind(surface.info, sampler.border_mode).name == "unorm8"
    )
    coordinates = _coordinates(surface, grid, index)
    texels = sample(surface, sampler, *coordinates, lod=lod, bias=bias, dtype=np.uint8 if is_codes else None)
    if sampler.is_mono and not floats:  # all four channels are what is covered; as a picture that is gray
        texels[..., 3] = 1
    texels[~(grid.visible if plane else grid.inside)] = 0
    if not is_codes:
        texels = _stored(texels, picture_format, on)
    return Drawing(on.download(texels), surface_format(picture_format), surface.levels, tuple(notes))


def _picture_format(info: SurfaceFormatInfo, floats: bool) -> str:
    """What a picture of a texture holds: floats, or 8 or 16 bits, as many as the texture's channels have."""
    channels = [channel for channel in info.channels if channel.kind != "pad"]
    kinds = {channel.kind for channel in channels}
    if "index" in kinds:
        raise FormatError(f"{info.name} takes its colors from a palette, which texture files do not hold")
    if not kinds:
        raise FormatError(f"{info.name} has no channels to draw")
    if kinds <= {"uint", "sint"}:
        bits = max(channel.bits or 0 for channel in channels)
        return f"{_CHANNELS[next(size for size in _CHANNELS if bits <= size)]}_{kinds.pop().upper()}"
    if floats:
        return _FLOATS
    if not kinds <= {"unorm", "snorm"}:
        raise FormatError(f"PNG holds no floats, {info.name} has some; OUT.exr, OUT.hdr and OUT.npy keep them")
    if info.color_space == "srgb":
        return f"{_CHANNELS[8]}_UNORM_SRGB"
    if info.name == "MONO8":
        return f"{_CHANNELS[8]}_UNORM"
    wide = texel_kind(info, "dx10").name != "unorm8" and any((channel.bits or 16) > 8 for channel in channels)
    return f"{_CHANNELS[16 if wide else 8]}_{'SNORM' if 'snorm' in kinds else 'UNORM'}"


def _stored(texels: Array, format: str, device: Device) -> Array:
    """Samples as the numbers of a format of four channels."""
    if format == _FLOATS:
        return texels
    rows = store_texels(texels, format, device=device)
    return rows.view(texel_type(format).natural).reshape(texels.shape)


def _chosen(images: TextureImages, level: int, index: int) -> TextureImages:
    """The part of the texture that is seen: levels from one on; of an array the slice or the cube with this slice."""
    count = CUBE_FACES if images.type == SurfaceType.SURFTYPE_CUBE else 1
    first = 0 if images.type == SurfaceType.SURFTYPE_3D else index - index % count
    width, height, depth = images.level_size_px(level)
    return replace(
        images,
        width_px=width,
        height_px=height,
        depth_px=depth,
        images=tuple(slices[first : first + count] for slices in images.images[level:]),
        array_length=1,
        is_array=False,
    )


def _surface(images: TextureImages, sampler: Sampler, device: Device) -> tuple[Surface, list[str]]:
    """The texture laid out, with mip levels if they are needed; and what to say about them."""
    try:
        surface = Surface.from_images(images, device=device)
    except StateError as error:  # what no surface can be, though a file holds it
        raise FormatError(str(error)) from error
    no_more = surface.levels > 1 or max(surface.level_size_px(0)) == 1
    if sampler.state.mip_filter == MipFilter.NONE or no_more:
        return surface, []
    wraps = all(mode == AddressControl.WRAP for mode in sampler.address)
    edge: MipEdge = "wrap" if wraps and images.type != SurfaceType.SURFTYPE_CUBE else "clamp"
    notes = ["the texture has one level: a box filter made the others"]
    if not is_compressed(surface.info):
        return surface.with_mips("box", edge=edge), notes
    texels = expanded(surface, sampler.border_mode)
    plain = "R8G8B8A8_UNORM" if texels.kind.name == "unorm8" else _FLOATS
    width, height, _ = surface.level_size_px(0)
    array = texels.texels[:-1].reshape(-1, height, width, 4)
    is_stack = images.type in (SurfaceType.SURFTYPE_3D, SurfaceType.SURFTYPE_CUBE)
    type = images.type.name.removeprefix("SURFTYPE_")
    made = Surface.from_array(array if is_stack else array[0], plain, type=type, mips="box", edge=edge, device=device)
    return made, notes


def _coordinates(surface: Surface, grid: QuadGrid, index: int) -> Sequence[Any]:
    if surface.type == SurfaceType.SURFTYPE_CUBE:
        return face_directions(index % CUBE_FACES, grid.u, grid.v)
    if surface.type == SurfaceType.SURFTYPE_3D:
        return grid.u, grid.v, np.float32((index + 0.5) / surface.depth_px)
    return (grid.u,) if surface.type == SurfaceType.SURFTYPE_1D else (grid.u, grid.v)
