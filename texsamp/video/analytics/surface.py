"""Surfaces of video analytics: their formats, and what a fetch beyond their edges returns (seed 003:1789-1938)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from texsamp.device import get_device
from texsamp.device.base import Array
from texsamp.errors import FormatError, StateError, UndefinedBehavior
from texsamp.surface.detile import detile
from texsamp.surface.tiling import Addressing, AddressSwizzle, tiling

_BYTE_BITS = 8


@dataclass(frozen=True)
class AnalyticsFormat:
    """A format: its code, bits in memory, the type its texels are given as, and whether mirroring is legal."""

    name: str
    code: int
    bits: int
    dtype: np.dtype[Any]
    mirrors: bool


ANALYTICS_FORMATS: Mapping[str, AnalyticsFormat] = MappingProxyType(
    {
        row.name: row
        for row in (
            AnalyticsFormat("Y8_UNORM_VA", 5, 8, np.dtype(np.uint8), True),  # 1863-1865
            AnalyticsFormat("Y16_SNORM", 6, 16, np.dtype("<i2"), True),  # 1886-1890
            AnalyticsFormat("Y16_UNORM", 7, 16, np.dtype("<u2"), True),
            AnalyticsFormat("Y32_UNORM", 16, 1, np.dtype(np.uint8), False),  # 1892-1896: booleans, 32 in a dword
        )
    }
)
"""By the manual's names without PLANAR; codes are those of sample_8x8 (hole T1)."""


def _format(name: str) -> AnalyticsFormat:
    try:
        return ANALYTICS_FORMATS[name]
    except KeyError:
        raise FormatError(f"analytics format must be one of {', '.join(ANALYTICS_FORMATS)}, found {name!r}") from None


def read_texels(
    memory: Array,
    format: str,
    width_px: int,
    height_rows: int,
    pitch_B: int,  # noqa: N803 - the unit
    tile_mode: str = "linear",
    swizzle: AddressSwizzle = AddressSwizzle.NONE,
) -> Array:
    """The texels of a surface, (rows, columns), for `convolve`: integers as stored, booleans as uint8 of 0 and 1.

    ``memory`` is a uint8 array in CPU memory that begins with the surface. Texel 0 of eight booleans is the lowest bit
    of their byte. Raises FormatError for another format, StateError if the surface leaves its pitch or the memory.
    """
    chosen = _format(format)
    width_B = -(-width_px * chosen.bits // _BYTE_BITS)
    addressing = Addressing(tiling(tile_mode), pitch_B, swizzle)
    rows = np.asarray(detile(memory, addressing, width_B, height_rows, device=get_device("cpu")))
    if chosen.bits == 1:
        return np.unpackbits(rows, axis=1, count=width_px, bitorder="little")
    return rows.view(chosen.dtype)


_LEAST_MIRRORED = 32


def _places(first: int, count: int, size: int, edge: str, axis: str) -> Any:
    at = np.arange(first, first + count)
    if edge == "clamp":
        return np.clip(at, 0, size - 1)
    if first < -size or first + count > 2 * size:
        raise UndefinedBehavior(
            f"a mirrored fetch must stay from {-size} to {2 * size - 1} {axis}, found {first} to {first + count - 1}"
        )
    return np.where(at < 0, -at - 1, np.where(at >= size, 2 * size - 1 - at, at))


def fetch_block(
    texels: Array, format: str, x: int, y: int, width_px: int, height_rows: int, edge: str = "clamp"
) -> Array:
    """What a fetch of a block returns, texel (x, y) first; parts of it, or all, may lie outside the surface.

    "clamp" repeats the texels at the edge; "mirror" begins with them again and goes back. Booleans only clamp: rows in
    the sampler, columns behind it (seed 003:1894), which is one here.

    Raises StateError for another edge, or to mirror booleans or surfaces below 32x32; UndefinedBehavior for a mirrored
    fetch a whole surface away (1938).
    """
    chosen = _format(format)
    if edge not in ("clamp", "mirror"):
        raise StateError(f"edge must be clamp or mirror, found {edge!r}")
    if edge == "mirror" and not chosen.mirrors:
        raise StateError(f"{chosen.name} surfaces are not mirrored (seed 003:1894): edge must be clamp")
    if width_px < 1 or height_rows < 1:
        raise StateError(f"a block has at least 1 x 1 texels, found {width_px} x {height_rows}")
    rows, columns = texels.shape
    if edge == "mirror" and min(rows, columns) < _LEAST_MIRRORED:
        raise StateError(
            f"surfaces are mirrored from {_LEAST_MIRRORED}x{_LEAST_MIRRORED} texels on (seed 003:1938), "
            f"found {columns}x{rows}"
        )
    down = _places(y, height_rows, rows, edge, "rows")
    block: Array = texels[down][:, _places(x, width_px, columns, edge, "columns")]
    return block
