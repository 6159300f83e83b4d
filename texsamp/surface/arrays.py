"""Arrays of texels: their shape for every kind of surface, and the way between them and rows of elements."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import DTypeLike

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.given import GivenArray, given_array
from texsamp.errors import FormatError
from texsamp.state.formats import SurfaceFormatInfo, surface_format
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.codec import decode
from texsamp.surface.codec.formats import block_decoder
from texsamp.surface.layout.description import CUBE_FACES
from texsamp.surface.memory import MAX_SIDE_PX
from texsamp.surface.texel_formats import Border, encoded_dtype, texel_type
from texsamp.surface.texels import load_texels, store_texels

TYPES = {
    "1D": SurfaceType.SURFTYPE_1D,
    "2D": SurfaceType.SURFTYPE_2D,
    "3D": SurfaceType.SURFTYPE_3D,
    "CUBE": SurfaceType.SURFTYPE_CUBE,
    "BUFFER": SurfaceType.SURFTYPE_BUFFER,
}
"""Words for surface types."""

_AXES = {  # axes of a picture, and whether slices may or must come before them
    SurfaceType.SURFTYPE_1D: (("width",), ("", "slices")),
    SurfaceType.SURFTYPE_2D: (("height", "width"), ("", "slices")),
    SurfaceType.SURFTYPE_3D: (("height", "width"), ("depth",)),
    SurfaceType.SURFTYPE_CUBE: (("height", "width"), ("faces",)),
    SurfaceType.SURFTYPE_BUFFER: (("width",), ("",)),
}
_OPTIONS = {False: ("dtype", "channels", "border", "palette"), True: ("dtype", "rounding", "errors")}


class TexelOptions(TypedDict, total=False):
    """How texels are read: `texsamp.decode` of compressed formats takes the first two, `load_texels` all but errors."""

    dtype: DTypeLike | None
    errors: Literal["replace", "strict"]
    channels: Literal["stored", "rgba"]
    border: Border
    palette: GivenArray | None


@dataclass(frozen=True)
class ArrayShape:
    """What the shape of an array of texels says: sizes of level 0 of a surface of this type."""

    type: SurfaceType
    width_px: int
    height_px: int
    depth_px: int
    slices: int
    is_array: bool

    @property
    def sizes_px(self) -> tuple[int, int, int]:
        """Width, height and depth."""
        return self.width_px, self.height_px, self.depth_px

    @property
    def array_length(self) -> int:
        """Slices of an array, or cubes."""
        return self.slices // CUBE_FACES if self.type == SurfaceType.SURFTYPE_CUBE else self.slices


def format_named(name: str) -> SurfaceFormatInfo:
    """A format by the manual's name, or another name of a compressed one (``DXT5``). Raises FormatError."""
    try:
        return surface_format(name)
    except FormatError:
        with suppress(FormatError):
            return block_decoder(name)[0]
        raise


def channel_count(info: SurfaceFormatInfo) -> int:
    """Channels of an array of texels: those that are stored. Raises FormatError for formats without texels."""
    return len(info.channels) if is_compressed(info) else len(texel_type(info.name).channels)


def is_compressed(info: SurfaceFormatInfo) -> bool:
    """Whether elements are compressed blocks, not texels."""
    return info.block_height > 1


def as_texels(array: GivenArray, info: SurfaceFormatInfo, device: Device) -> Array:
    """What people hold, as texels of a format on the device.

    Halves and doubles become float32 unless the format has them; integers of other types the format's own, if they fit;
    truths are values of 0 and 1.

    Raises FormatError for what is no array of numbers, and for integers that do not fit.
    """
    texels = device.upload(given_array("array", _picture(array, info)))
    natural, value = _types(info)
    if texels.dtype == np.bool_:
        texels = texels.astype(value)
    if texels.dtype in (natural, value):
        return texels
    if texels.dtype.kind == "f" and np.float32 in (natural, value):
        return texels.astype(np.float32)
    if texels.dtype.kind in "iu" and natural.kind in "iu" and texels.size:
        low, high = np.iinfo(natural).min, np.iinfo(natural).max
        least, most = int(texels.min()), int(texels.max())
        if low <= least and most <= high:
            return texels.astype(natural)
        raise FormatError(f"texels of {info.name} are integers from {low} to {high}, found {least} to {most}")
    return texels


def _types(info: SurfaceFormatInfo) -> tuple[np.dtype[Any], np.dtype[Any]]:
    """What texels of a format are stored as, and what their values are."""
    if is_compressed(info):
        return encoded_dtype(info), np.dtype(np.float32)
    type_ = texel_type(info.name)
    return type_.natural, type_.value


_PICTURE_CHANNELS = {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4, "I": 1, "I;16": 1, "I;16B": 1, "I;16L": 1, "F": 1}
"""Modes of Pillow's pictures whose numbers are the texels."""
_GRAYS = ("L", "LA")
_FIRST = {"1": "L", "La": "LA"}
"""What modes without a way to all others become first."""


def _picture(array: Any, info: SurfaceFormatInfo) -> Any:
    """Pillow's pictures of other modes, such as palettes, as RGBA, and gray ones if the format has other channels.

    Raises FormatError for colors where the format has fewer channels.
    """
    mode, convert = getattr(array, "mode", None), getattr(array, "convert", None)
    if not isinstance(mode, str) or not callable(convert):
        return array
    if mode in _FIRST:
        array = convert(_FIRST[mode])
        mode, convert = array.mode, array.convert
    wanted = channel_count(info)
    fits = mode in _PICTURE_CHANNELS and (mode not in _GRAYS or _PICTURE_CHANNELS[mode] == wanted)
    if wanted < _COLORS and _PICTURE_CHANNELS.get(mode, _COLORS) > wanted and mode not in _GRAYS:
        raise FormatError(f"{info.name} has {wanted} channels, found a picture of mode {mode}: make it gray first")
    return array if fits else convert("RGB" if wanted == _COLORS else "RGBA")


def with_channels(array: Array, info: SurfaceFormatInfo, type_name: str | None, samples: int, device: Device) -> Array:
    """The array with an axis of channels, which arrays of one channel may leave out, and an alpha if it alone lacks.

    Raises FormatError.
    """
    channels = channel_count(info)
    if channels == 1 and (array.ndim == 0 or array.shape[-1] != 1 or array.ndim < _least_axes(type_name, samples)):
        return array[..., None]
    if array.ndim and (array.shape[-1], channels) == (_COLORS, _COLORS + 1):
        return _opaque(array, info, device)
    if array.ndim == 0 or array.shape[-1] != channels:
        raise FormatError(f"{info.name} has {channels} channels on the last axis, found shape {tuple(array.shape)}")
    return array


_COLORS = 3


def _opaque(colors: Array, info: SurfaceFormatInfo, device: Device) -> Array:
    """Red, green and blue with an alpha of 1, as pictures are read."""
    made = device.empty((*colors.shape[:-1], _COLORS + 1), colors.dtype)
    made[..., :_COLORS] = colors
    is_code = colors.dtype.kind != "f" and info.channels[0].kind in ("unorm", "snorm")
    made[..., _COLORS] = np.iinfo(colors.dtype).max if is_code else 1
    return made


def _least_axes(type_name: str | None, samples: int) -> int:
    axes, before = _AXES[_type(type_name)]
    return len(axes) + bool(before[0]) + (samples > 1) + 1


def _type(name: str | None) -> SurfaceType:
    found = TYPES.get("2D" if name is None else str(name).upper())
    if found is None:
        raise FormatError(f"type must be one of {', '.join(TYPES)}, found {name!r}")
    return found


def array_shape(shape: tuple[int, ...], type_name: str | None, samples: int) -> ArrayShape:
    """What a shape with channels means; without a type it is a 2D surface or an array of them. Raises FormatError."""
    surface_type = _type(type_name)
    axes, before = _AXES[surface_type]
    sample_axes = ("samples",) if samples > 1 else ()
    legal = [(*([word] if word else []), *sample_axes, *axes, "channels") for word in before]
    meant = next((names for names in legal if len(names) == len(shape)), None)
    if meant is None or 0 in shape:
        word = surface_type.name.removeprefix("SURFTYPE_")
        shapes = " or ".join(f"({', '.join(names)})" for names in legal)
        raise FormatError(f"an array for a {word} surface has shape {shapes}, found {shape}")
    size = dict(zip(meant, shape, strict=True))
    if size.get("samples", 1) != samples:
        raise FormatError(f"the axis before height must have {samples} samples, found shape {shape}")
    faces = int(size.get("faces", 0))
    if faces % CUBE_FACES:
        raise FormatError(f"a cube surface takes 6 faces per cube (+X -X +Y -Y +Z -Z), found {faces} in shape {shape}")
    return ArrayShape(
        surface_type,
        size["width"],
        size.get("height", 1),
        size.get("depth", 1),
        int(size.get("slices", faces or 1)),
        "slices" in size or faces > CUBE_FACES,
    )


def stacked(pictures: Sequence[Array], device: Device) -> Array:
    """Pictures of one shape and type with a new first axis."""
    if len(pictures) == 1:
        return pictures[0][None]
    made = device.empty((len(pictures), *pictures[0].shape), pictures[0].dtype)
    for index, picture in enumerate(pictures):
        made[index] = picture
    return made


def pixel_axes(surface_type: SurfaceType) -> int:
    """Axes of one slice in an array: 3 for (height, width, channels), 2 for (width, channels)."""
    return len(_AXES.get(surface_type, _AXES[SurfaceType.SURFTYPE_BUFFER])[0]) + 1


def texels_of(
    rows: Array,
    info: SurfaceFormatInfo,
    size_px: Sequence[int],
    device: Device,
    *,
    rounding: str = "d3d",
    **options: Any,
) -> Array:
    """Rows of elements as an array (height, width, channels).

    rounding: of compressed formats, as in `decode`; options: those of `decode`, or of `load_texels`.
    """
    width_px, height_px = size_px
    known = _OPTIONS[is_compressed(info)]
    for name in options:
        if name not in known:
            raise FormatError(f"{info.name} takes no {name}; its texels can be read with {', '.join(known)}")
    if is_compressed(info):
        return decode(rows, info.name, width_px, height_px, rounding=rounding, device=device, **options)
    if rounding != "d3d":
        raise FormatError(f"{info.name} has no palettes to round: rounding must be d3d, found {rounding!r}")
    if width_px <= MAX_SIDE_PX:
        return load_texels(rows, info.name, width_px, height_px, device=device, **options)
    spans = _spans(width_px)  # of a buffer: one row of whole elements
    step_B = rows.shape[1] // width_px
    parts = [
        load_texels(rows[:, begin * step_B : end * step_B], info.name, end - begin, 1, device=device, **options)
        for begin, end in spans
    ]
    made = device.empty((1, width_px, parts[0].shape[2]), parts[0].dtype)
    for (begin, end), part in zip(spans, parts, strict=True):
        made[:, begin:end] = part
    return made


def rows_of(texels: Array, info: SurfaceFormatInfo, device: Device) -> Array:
    """An array (height, width, channels) as rows of texels that are not compressed: `texels_of` undone."""
    width_px = texels.shape[1]
    if width_px <= MAX_SIDE_PX:
        return store_texels(texels, info.name, device=device)
    spans = _spans(width_px)
    step_B = info.bits // 8
    made = device.empty((1, width_px * step_B), np.uint8)
    for begin, end in spans:
        made[:, begin * step_B : end * step_B] = store_texels(texels[:, begin:end], info.name, device=device)
    return made


def _spans(width_px: int) -> list[tuple[int, int]]:
    return [(begin, min(begin + MAX_SIDE_PX, width_px)) for begin in range(0, width_px, MAX_SIDE_PX)]
