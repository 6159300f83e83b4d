"""Arrays of texels: their shape for every kind of surface, and the way between them and rows of elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.errors import FormatError
from texsamp.state.formats import SurfaceFormatInfo
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.codec import decode
from texsamp.surface.codec.formats import DECODERS
from texsamp.surface.encode import encode
from texsamp.surface.layout.description import CUBE_FACES

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
_NO_CHANNEL = ("X", "E")


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


def channel_count(info: SurfaceFormatInfo) -> int:
    """Channels of an array of texels: those that are stored, without padding and shared exponents."""
    return len({channel.name for channel in info.channels} - set(_NO_CHANNEL))


def with_channels(array: Array, info: SurfaceFormatInfo, type_name: str | None, samples: int) -> Array:
    """The array with an axis of channels, which arrays of one channel may leave out. Raises FormatError."""
    channels = channel_count(info)
    if channels == 1 and (array.ndim == 0 or array.shape[-1] != 1 or array.ndim < _least_axes(type_name, samples)):
        return array[..., None]
    if array.ndim == 0 or array.shape[-1] != channels:
        raise FormatError(f"{info.name} has {channels} channels on the last axis, found shape {tuple(array.shape)}")
    return array


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


def pixel_axes(surface_type: SurfaceType) -> int:
    """Axes of one slice in an array: 3 for (height, width, channels), 2 for (width, channels)."""
    return len(_AXES.get(surface_type, _AXES[SurfaceType.SURFTYPE_BUFFER])[0]) + 1


def texels_of(rows: Array, info: SurfaceFormatInfo, size_px: Sequence[int], device: Device, **options: Any) -> Array:
    """Rows of elements as an array (height, width, channels); options are those of `decode` or `load_texels`."""
    width_px, height_px = size_px
    if info.name in DECODERS:
        return decode(rows, info.name, width_px, height_px, device=device, **options)
    return rows.view(_plain_dtype(info)).reshape(height_px, width_px, -1)


def rows_of(texels: Array, info: SurfaceFormatInfo, device: Device) -> Array:
    """An array (height, width, channels) as rows of elements: `texels_of` undone, as far as that is possible."""
    if info.block_height > 1:
        return encode(texels, info.name, device=device)
    if texels.dtype != _plain_dtype(info):
        raise FormatError(f"{info.name} takes arrays of {_plain_dtype(info)}, found {texels.dtype}")
    return device.copy(texels).view(np.uint8).reshape(texels.shape[0], -1)


def _plain_dtype(info: SurfaceFormatInfo) -> np.dtype[Any]:
    kinds = {"unorm": "u", "uint": "u", "snorm": "i", "sint": "i", "float": "f"}
    widths = {(channel.kind, channel.bits) for channel in info.channels}
    kind, bits = next(iter(widths), ("", 0))
    if len(widths) != 1 or kind not in kinds or bits not in (8, 16, 32) or info.channels[0].name == "B":
        raise FormatError(f"{info.name} has no texels of one plain type")
    return np.dtype(f"{kinds[kind]}{bits // 8}")
