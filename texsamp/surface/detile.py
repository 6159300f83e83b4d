"""Regions of surfaces between tiled memory and plain rows, as kernels."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from texsamp.device import Device, Launch, get_device
from texsamp.device.arguments import is_integer
from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.device.params import params_type
from texsamp.errors import DeviceError, FormatError, StateError
from texsamp.surface.tiling import Addressing

_STRIP_WIDTH_B = {"host": 4096, "device": 512}  # of kernels/tiling.h
_STRIP_ROWS = 32
_UNITS_B = (64, 16, 8, 4, 2, 1)
_MAX_UNIT_B = {"host": 64, "device": 16}
_W_BLOCK, _W_BLOCK_ALIGNMENT_B, _W_BLOCK_BITS = 5, 8, "XYXYX"
_MAX_ROWS = (1 << 31) - 1 - _STRIP_ROWS

_PARAMS = params_type("TilingParams")


@lru_cache(maxsize=64)
def _tables(device: Device, addressing: Addressing, z: int, sample: int) -> tuple[Array, Array]:
    columns, rows = addressing.tables(z, sample)
    columns_on_device, rows_on_device = kept(device, (columns, rows))
    return columns_on_device, rows_on_device


def _require(name: str, value: int, low: int, high: int) -> None:
    if not is_integer(value) or not low <= value <= high:
        raise StateError(f"{name} must be from {low} to {high}, found {value}")


def _integers(*values: int) -> tuple[int, ...]:
    """Numpy's integers as Python's, which do not wrap around; `_check` refuses what is none."""
    return tuple(int(value) if is_integer(value) else value for value in values)


def _check(
    addressing: Addressing,
    memory: Array,
    size: tuple[int, int],
    corner: tuple[int, int],
    z: int,
    sample: int,
) -> None:
    """Raise unless every byte of the region lies inside ``memory``."""
    (width_B, height_rows), (x_B, y_rows) = size, corner
    if memory.ndim != 1 or memory.dtype.itemsize != 1 or not memory.flags.c_contiguous:
        raise FormatError(
            f"memory must be a contiguous array of bytes with one axis, "
            f"found {memory.dtype} with shape {memory.shape} and strides {memory.strides}"
        )
    _require("x_B", x_B, 0, addressing.pitch_B)
    _require("width_B", width_B, 0, addressing.pitch_B - x_B)
    _require("y_rows", y_rows, 0, _MAX_ROWS)
    _require("height_rows", height_rows, 0, _MAX_ROWS - y_rows)
    _require("sample", sample, 0, addressing.tiling.samples - 1)
    _require("z", z, 0, _MAX_ROWS if addressing.slice_rows else addressing.tiling.depth_slices - 1)
    if addressing.slice_rows:
        _require("y_rows + height_rows", y_rows + height_rows, 0, addressing.slice_rows)
    needed_B = (z >> addressing.tiling.log2_extents["Z"]) * addressing.tile_slice_B
    needed_B += addressing.size_B(y_rows + height_rows)
    if not addressing.tiling.address_bits and height_rows:  # the last row may end before its pitch does
        needed_B += x_B + width_B - addressing.pitch_B
    if needed_B > memory.size:
        raise StateError(f"the region needs {needed_B} bytes of memory, found {memory.size}")


def _unit(addressing: Addressing, device: Device, addresses: tuple[int, ...]) -> int:
    """What to move at once: as many bytes as lie together; on a GPU all addresses must be multiples of them."""
    aligned = math.gcd(*addresses) if device.tile_limits == "device" else 0
    if addressing.tiling.address_bits.endswith(_W_BLOCK_BITS) and aligned % _W_BLOCK_ALIGNMENT_B == 0:
        return _W_BLOCK
    together = min(addressing.tiling.run_B, _MAX_UNIT_B[device.tile_limits])  # swizzling moves 64 bytes as one
    return next(unit for unit in _UNITS_B if unit <= together and aligned % unit == 0).bit_length() - 1


def _launch(
    kernel: str,
    device: Device,
    addressing: Addressing,
    memory: Array,
    rows: Array,
    corner: tuple[int, int],
    z: int,
    sample: int,
) -> None:
    height_rows, width_B = rows.shape
    x_B, y_rows = corner
    if not width_B or not height_rows:
        return
    columns_table, rows_table = _tables(device, addressing, z, sample)
    tiled = device.address(memory) + (z >> addressing.tiling.log2_extents["Z"]) * addressing.tile_slice_B
    linear, linear_pitch_B = device.address(rows), int(rows.strides[0])
    # The linear side is aligned where x is: shift it back to x = 0.
    unit = _unit(addressing, device, (tiled, linear - x_B, linear_pitch_B, addressing.tile_row_B))
    log2 = addressing.tiling.log2_extents
    params = _PARAMS(
        tiled=tiled,
        linear=linear,
        columns=device.address(columns_table),
        rows=device.address(rows_table),
        tile_row_B=addressing.tile_row_B,
        linear_pitch_B=linear_pitch_B,
        x_B=x_B,
        y_rows=y_rows,
        width_B=width_B,
        height_rows=height_rows,
        log2_tile_width_B=log2["X"],
        log2_tile_height_rows=log2["Y"],
        log2_tile_size_B=len(addressing.tiling.address_bits),
        unit=unit,
    )
    strip_B = _STRIP_WIDTH_B[device.tile_limits]
    strips_x = (x_B + width_B - 1) // strip_B - x_B // strip_B + 1
    strips_y = (y_rows + height_rows - 1) // _STRIP_ROWS - y_rows // _STRIP_ROWS + 1
    device.launch(Launch(kernel, params, strips_x, strips_y, (memory, rows, columns_table, rows_table)))


def _on(device: Device, array: Array, what: str) -> Array:
    if device.upload(array) is not array:
        raise DeviceError(f"{what} must lie on device {device.name}, found a {type(array).__name__}")
    return array


def detile(
    memory: Array,
    addressing: Addressing,
    width_B: int,  # noqa: N803 - the unit
    height_rows: int,
    *,
    x_B: int = 0,  # noqa: N803
    y_rows: int = 0,
    z: int = 0,
    sample: int = 0,
    device: Device | str = "cpu",
) -> Array:
    """Read a rectangle of a surface out of its memory, as a uint8 array of shape (height_rows, width_B).

    ``memory`` is a one-dimensional contiguous uint8 array on ``device`` that starts at the surface's first byte. The
    rectangle begins at byte ``x_B`` of row ``y_rows`` of slice ``z`` and ``sample``. Elements of any size come out
    whole: `detile(...).view("<u4")` for four bytes each.

    Raises StateError if the rectangle leaves the pitch, the slice or the memory, FormatError if ``memory`` is no array
    of bytes, DeviceError if it lies elsewhere.
    """
    on = get_device(device)
    memory = _on(on, memory, "memory")
    width_B, height_rows, x_B, y_rows, z, sample = _integers(width_B, height_rows, x_B, y_rows, z, sample)
    _check(addressing, memory, (width_B, height_rows), (x_B, y_rows), z, sample)
    rows = on.empty((height_rows, width_B), np.uint8)
    _launch("detile_region", on, addressing, memory, rows, (x_B, y_rows), z, sample)
    return rows


def tile(
    rows: Array,
    memory: Array,
    addressing: Addressing,
    *,
    x_B: int = 0,  # noqa: N803
    y_rows: int = 0,
    z: int = 0,
    sample: int = 0,
    device: Device | str = "cpu",
) -> None:
    """Write a rectangle of a surface into its memory; all other bytes keep their values.

    ``rows`` is a uint8 array of shape (height_rows, width_B), its bytes contiguous inside each row, that does not
    overlap ``memory``; the rest as in `detile`. Raises as `detile` does, and FormatError if ``rows`` has another form
    or ``memory`` is read-only.
    """
    on = get_device(device)
    memory, rows = _on(on, memory, "memory"), _on(on, rows, "rows")
    if rows.ndim != 2 or rows.dtype.itemsize != 1 or (rows.shape[1] > 1 and rows.strides[1] != 1):
        raise FormatError(
            f"rows must be bytes of shape (height_rows, width_B), contiguous inside a row, "
            f"found {rows.dtype} with shape {rows.shape} and strides {rows.strides}"
        )
    if not getattr(memory.flags, "writeable", True):
        raise FormatError("memory is read-only; tile() writes into it")
    height_rows, width_B = rows.shape
    x_B, y_rows, z, sample = _integers(x_B, y_rows, z, sample)
    _check(addressing, memory, (width_B, height_rows), (x_B, y_rows), z, sample)
    _launch("tile_region", on, addressing, memory, rows, (x_B, y_rows), z, sample)
