"""Texels of uncompressed surface formats: elements in memory to arrays of numbers, and back."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike

from texsamp.device import get_device
from texsamp.device.arguments import is_integer
from texsamp.device.base import Array, Device, Launch
from texsamp.device.given import GivenArray
from texsamp.device.params import params_type
from texsamp.errors import FormatError
from texsamp.surface.memory import flat_bytes, size_px
from texsamp.surface.texel_formats import (
    Border,
    TexelType,
    describe,
    dtype_of,
    rgba_map,
    texel_type,
)

__all__ = ["PALETTE_ENTRIES", "fetch_texels", "load_texels", "put_texels", "store_texels"]

PALETTE_ENTRIES = 256

TILE_TEXELS = {"host": (512, 4), "device": (256, 4)}
"""TEXEL_TILE_WIDTH and TEXEL_TILE_HEIGHT of `kernels/texels.h` (a test holds them together)."""

_PARAMS = params_type("TexelParams")

_PLACES_PARAMS = params_type("PlacesParams")
_PLACES_TILE = 256  # of kernels/texels.h


def load_texels(
    elements: Any,
    format: str,
    width_px: int,
    height_px: int,
    *,
    pitch_B: int | None = None,  # noqa: N803 - the unit
    channels: Literal["stored", "rgba"] = "stored",
    border: Border = "dx10",
    dtype: DTypeLike | None = None,
    palette: GivenArray | None = None,
    device: Device | str = "auto",
) -> Array:
    """Read texels out of rows of elements.

    elements: bytes, a buffer or an array. Contiguous data begins with the first row; a two-dimensional uint8 array may
        also have a pitch of its own (its rows are the surface's). It may be longer than needed.
    format: a name of the surface format table whose texels are not compressed.
    width_px, height_px: in texels, 1 to 65536. YUV 4:2:2 has ceil(width / 2) elements to a row.
    pitch_B: bytes from one row of contiguous data to the next; None if rows follow each other without padding (rows of
        texels below a byte are whole bytes).
    channels: "stored" for those the format has, in the order R, G, B, A (Cr, Y, Cb; index and alpha of palettes);
        "rgba" for what the sampler returns by the format's channel map, missing channels filled with 0 or 1.
    border: the map of which border color mode, where a format has two.
    dtype: None for the format's natural dtype: the channels' codes if all have the same kind and 8, 16 or 32 bits (64
        for the formats of vertex fetch), else float32 values, which lose nothing, or the smallest integers. SRGB codes
        stay encoded. float32 gives converted values, linear if SRGB; uint32 or int32 widen integer formats.
    palette: uint32 entries as 3DSTATE_SAMPLER_PALETTE_LOAD0 and 1 load them (A31:24 R23:16 G15:8 B7:0), up to 256, for
        "rgba" of palette formats; entries that were not loaded are 0.
    device: where to compute; the result stays there.

    Returns an array (height_px, width_px, channels).

    Raises FormatError for an unknown or compressed format, a size out of range, missing data, a dtype the format cannot
    have, "rgba" of a format the sampler cannot read, and a missing, unneeded or malformed palette.
    Sources: seed 001:1199-1452, 2066-2105, 003:2876-3056, 4331-4378; docs/texels.md.
    """
    type_ = texel_type(format)
    outputs = _outputs(type_, channels, border)
    made_dtype = dtype_of(type_, dtype, outputs)
    width_px, height_px = size_px(width_px, height_px)
    where = get_device(device)
    entries = _palette(palette, where, type_.has_palette and channels == "rgba")
    memory, pitch = _rows(elements, where, type_, width_px, height_px, pitch_B)
    if type_.is_plain_copy(made_dtype, outputs):
        rows = _copy_rows(memory, pitch, (height_px, type_.row_B(width_px)), where)
        return rows.view(made_dtype).reshape(height_px, width_px, len(outputs))
    texels = where.empty((height_px, width_px, len(outputs)), made_dtype)
    where.launch(_launch("load_texels", where, type_, outputs, (memory, pitch), texels, entries))
    return texels


def fetch_texels(
    elements: Any,
    format: str,
    x_px: Any,
    y_px: Any,
    *,
    width_px: int,
    height_px: int,
    pitch_B: int | None = None,  # noqa: N803 - the unit
    channels: Literal["stored", "rgba"] = "rgba",
    border: Border = "dx10",
    palette: GivenArray | None = None,
    device: Device | str = "auto",
) -> Array:
    """Read single texels, as converted values: the texel at each x, y of two integer arrays of one shape.

    width_px, height_px: the surface that every place must be inside of; the rest is as for `load_texels`.

    Returns an array of the places' shape plus channels: float32, or uint32 or int32 for integer formats.

    Raises FormatError as `load_texels` does, for formats of 64-bit channels, and for places outside the surface.
    """
    type_ = texel_type(format)
    outputs = _outputs(type_, channels, border)
    dtype = dtype_of(type_, type_.value, outputs)
    width_px, height_px = size_px(width_px, height_px)
    where = get_device(device)
    entries = _palette(palette, where, type_.has_palette and channels == "rgba")
    memory, pitch = _rows(elements, where, type_, width_px, height_px, pitch_B)
    places, shape = _places(x_px, y_px, (width_px, height_px), where)
    texels = where.empty((*shape, len(outputs)), dtype)
    where.launch(_places_launch("fetch_texels", where, type_, outputs, (memory, pitch), places, texels, entries))
    return texels


def put_texels(
    texels: Array,
    rows: Array,
    format: str,
    x_px: Any,
    y_px: Any,
    *,
    width_px: int,
    height_px: int,
    device: Device | str = "auto",
) -> None:
    """Write single converted texels into rows of elements: `fetch_texels` with channels="stored" undone.

    texels: an array of the places' shape plus channels, of the dtype that `fetch_texels` returns.
    rows: a uint8 array (rows, pitch) on the device, whose other elements keep their bytes. Padding becomes 0.
    x_px, y_px: integer arrays of one shape; where a place occurs twice, either texel may be the one that stays.

    Numbers become bits as in `store_texels`. Raises FormatError as `fetch_texels` does, for rows and texels of another
    form, and for formats whose texels share bytes (4:2:2, and texels below a byte).
    """
    type_ = texel_type(format)
    dtype = dtype_of(type_, type_.value, type_.names)
    if type_.is_pair or type_.info.bits < 8:
        raise FormatError(f"texels of {type_.info.name} share bytes and are stored a row at a time")
    width_px, height_px = size_px(width_px, height_px)
    where = get_device(device)
    if rows.ndim != 2 or rows.dtype != np.uint8 or not getattr(rows.flags, "writeable", True):
        raise FormatError(f"rows must be writeable uint8 of two axes, found {rows.dtype} of shape {rows.shape}")
    if where.upload(rows) is not rows:
        raise FormatError(f"rows must lie on device {where.name}, found a {type(rows).__name__}")
    memory, pitch = _rows(rows, where, type_, width_px, height_px, None)
    places, shape = _places(x_px, y_px, (width_px, height_px), where)
    numbers = where.upload(texels)
    if tuple(numbers.shape) != (*shape, len(type_.channels)) or numbers.dtype != dtype:
        raise FormatError(
            f"texels of {type_.info.name} must be {dtype} of shape {(*shape, len(type_.channels))}, "
            f"found {numbers.dtype} of {tuple(numbers.shape)}"
        )
    numbers = numbers if numbers.flags.c_contiguous else where.copy(numbers)
    where.launch(_places_launch("put_texels", where, type_, type_.names, (memory, pitch), places, numbers, None))


def store_texels(
    texels: Array,
    format: str,
    *,
    pitch_B: int | None = None,  # noqa: N803 - the unit
    device: Device | str = "auto",
) -> Array:
    """Write texels as rows of elements: `load_texels` with channels="stored" undone.

    texels: (height, width, channels) of the format's natural dtype or of its converted values (see `load_texels`);
        (height, width) will do for one channel.
    pitch_B: bytes from one row to the next; None for rows without padding.

    Numbers out of range are clamped, NaN becomes 0 except in floats; rounding is to nearest, halves away from zero, and
    to even in floats. A pair of 4:2:2 texels is stored with the average of their chroma. Padding is 0.

    Returns a uint8 array (height, pitch_B).

    Raises FormatError for an unknown or compressed format, another number of channels, a size out of range, a dtype the
    format cannot have, and a pitch below the row's bytes.
    """
    type_ = texel_type(format)
    where = get_device(device)
    array = where.upload(texels)
    if array.ndim == 2:
        array = array[:, :, None]
    count = len(type_.channels)
    if array.ndim != 3 or array.shape[2] != count:
        raise FormatError(
            f"texels of {type_.info.name} must have shape (height, width, {count}) for {' '.join(type_.names)}, "
            f"found {texels.shape}"
        )
    width_px, height_px = size_px(array.shape[1], array.shape[0])
    dtype_of(type_, array.dtype, type_.names)
    row_B = type_.row_B(width_px)
    pitch = row_B if pitch_B is None else pitch_B
    if not is_integer(pitch) or not row_B <= pitch <= _MAX_PITCH_B:
        raise FormatError(f"pitch_B must be from {row_B} to {_MAX_PITCH_B} for {width_px} texels, found {pitch!r}")
    array = array if array.flags.c_contiguous else where.copy(array)
    rows = where.empty((height_px, int(pitch)), np.uint8)
    rows[:, row_B:] = 0
    if type_.is_plain_copy(array.dtype, type_.names):
        rows[:, :row_B] = array.reshape(height_px, -1).view(np.uint8)
    else:
        where.launch(_launch("store_texels", where, type_, type_.names, (rows, int(pitch)), array, None))
    return rows


_MAX_PITCH_B = 1 << 24


def _outputs(type_: TexelType, channels: str, border: Border) -> tuple[str, ...]:
    if channels not in ("stored", "rgba"):
        raise FormatError(f"channels must be stored or rgba, found {channels!r}")
    return type_.names if channels == "stored" else rgba_map(type_, border)


def _on_host(array: Any, device: Device) -> np.ndarray[Any, np.dtype[Any]]:
    return np.asarray(device.download(array) if hasattr(array, "get") else array)


def _palette(palette: Any, device: Device, needed: bool) -> Array | None:
    """The 256 entries on the device."""
    if not needed:
        if palette is not None:
            raise FormatError('palette is for channels="rgba" of palette formats only')
        return None
    if palette is None:
        raise FormatError('channels="rgba" of a palette format needs palette=')
    entries = _on_host(palette, device)
    if entries.ndim != 1 or entries.dtype.kind not in "iu" or not 1 <= entries.size <= PALETTE_ENTRIES:
        raise FormatError(
            f"palette must be 1 to {PALETTE_ENTRIES} uint32 entries, found {entries.dtype} with shape {entries.shape}"
        )
    full = np.zeros(PALETTE_ENTRIES, np.uint32)
    full[: entries.size] = entries.astype(np.uint32)
    return device.upload(full)


def _rows(
    elements: Any,
    device: Device,
    type_: TexelType,
    width_px: int,
    height_px: int,
    pitch_B: int | None,  # noqa: N803
) -> tuple[Array, int]:
    """An array on the device that begins with the first row, and its pitch in bytes; all rows are inside."""
    row_B = type_.row_B(width_px)
    if getattr(elements, "ndim", 1) == 2 and elements.dtype == np.uint8 and elements.strides[1] == 1:
        if pitch_B is not None:
            raise FormatError("pitch_B is for contiguous data; an array of rows has its own")
        rows = device.upload(elements)
        if rows.shape[0] < height_px or rows.shape[1] < row_B:
            raise FormatError(
                f"{type_.info.name} of {width_px}x{height_px} texels needs {height_px} rows of {row_B} bytes, "
                f"found {rows.shape[0]} of {rows.shape[1]}"
            )
        return rows, int(rows.strides[0])
    memory = flat_bytes(elements, device)
    pitch = row_B if pitch_B is None else pitch_B
    if not is_integer(pitch) or not row_B <= pitch <= _MAX_PITCH_B:
        raise FormatError(f"pitch_B must be from {row_B} to {_MAX_PITCH_B} for {width_px} texels, found {pitch!r}")
    pitch = int(pitch)  # numpy's integers wrap around
    needed_B = (height_px - 1) * pitch + row_B
    if memory.size < needed_B:
        raise FormatError(
            f"{type_.info.name} of {width_px}x{height_px} texels with a pitch of {pitch} bytes needs {needed_B} bytes, "
            f"found {memory.size}"
        )
    return memory, pitch


def _copy_rows(memory: Array, pitch_B: int, shape: tuple[int, int], device: Device) -> Array:  # noqa: N803
    """The rows without what lies between them; the memory may end with the last row."""
    height_px, row_B = shape
    if memory.ndim == 2:
        return device.copy(memory[:height_px, :row_B])
    rows = device.empty(shape, np.uint8)
    before = (height_px - 1) * pitch_B
    rows[:-1] = memory[:before].reshape(height_px - 1, pitch_B)[:, :row_B]
    rows[-1] = memory[before : before + row_B]
    return rows


def _places(x_px: Any, y_px: Any, size_px: tuple[int, int], device: Device) -> tuple[Array, tuple[int, ...]]:
    """The places as int32 x, y on the device, and the shape they came in."""
    x, y = _on_host(x_px, device), _on_host(y_px, device)
    if x.shape != y.shape or x.dtype.kind not in "iu" or y.dtype.kind not in "iu":
        raise FormatError(
            f"x_px and y_px must be integer arrays of one shape, "
            f"found {x.dtype} of {x.shape} and {y.dtype} of {y.shape}"
        )
    for name, values, size in zip(("x_px", "y_px"), (x, y), size_px, strict=True):
        if values.size and (values.min() < 0 or values.max() >= size):
            raise FormatError(f"{name} must be from 0 to {size - 1}, found {values.min()} to {values.max()}")
    return device.upload(np.stack([x.reshape(-1), y.reshape(-1)], axis=1).astype(np.int32)), x.shape


def _places_launch(
    kernel: str,
    device: Device,
    type_: TexelType,
    outputs: tuple[str, ...],
    elements: tuple[Array, int],
    places: Array,
    texels: Array,
    palette: Array | None,
) -> Launch:
    memory, pitch = elements
    count = int(places.shape[0])
    params = _PLACES_PARAMS(
        elements=device.address(memory),
        places=device.address(places),
        numbers=device.address(texels),
        palette=0 if palette is None else device.address(palette),
        pitch_B=pitch,
        count=count,
        format=describe(type_, outputs, texels.dtype),
    )
    arrays = tuple(array for array in (memory, places, texels, palette) if array is not None)
    return Launch(kernel, params, -(-count // _PLACES_TILE), 1, arrays)


def _launch(
    kernel: str,
    device: Device,
    type_: TexelType,
    outputs: tuple[str, ...],
    elements: tuple[Array, int],
    texels: Array,
    palette: Array | None,
) -> Launch:
    height_px, width_px, _ = texels.shape
    rows, pitch = elements
    address = device.address(rows)
    if type_.is_even(outputs):
        width_px, outputs = width_px * len(outputs), outputs[:1]
    params = _PARAMS(
        elements=address,
        numbers=device.address(texels),
        palette=0 if palette is None else device.address(palette),
        pitch_B=pitch,
        width=width_px,
        height=height_px,
        number_B=texels.dtype.itemsize,
        aligned=int(address % 4 == 0 and pitch % 4 == 0),
        format=describe(type_, outputs, texels.dtype),
    )
    tile_width, tile_height = TILE_TEXELS[device.tile_limits]
    arrays = (rows, texels) if palette is None else (rows, texels, palette)
    return Launch(kernel, params, -(-width_px // tile_width), -(-height_px // tile_height), arrays)
