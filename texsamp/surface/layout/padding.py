"""Padding: memory beyond the texels that the hardware may touch."""

from __future__ import annotations

from texsamp.state.render_surface import SurfaceType
from texsamp.surface.layout.description import SurfaceDescription, Usage
from texsamp.surface.layout.placement import round_up

_EXTRA_B = 16  # one cache line of the first level
_BUFFER_ELEMENTS = 256
_CUBE_ROWS = 2
_LONG_BLOCK_ROWS = 8
_OVERFETCHED_BITS = (48, 96)


def padded_buffer_B(entries: int, stride_B: int) -> int:  # noqa: N802, N803 - the unit
    """Bytes of a buffer: a multiple of 256 elements, and 16 bytes (001:2548)."""
    return round_up(entries, _BUFFER_ELEMENTS) * stride_B + _EXTRA_B


def padded_rows_el(description: SurfaceDescription, rows_el: int) -> tuple[int, int]:
    """Rows of elements, and bytes beyond them, that a surface of ``rows_el`` rows needs.

    The rows of the levels are multiples of the alignment unit already (001:2544).
    """
    d = description
    rows, extra_B = rows_el, 0
    if d.is_compressed:  # 001:2552: as if j = 8
        rows = round_up(rows, max(_LONG_BLOCK_ROWS // d.info.block_height, 1))
    if d.type == SurfaceType.SURFTYPE_CUBE:  # 001:2550
        rows += _CUBE_ROWS
    if d.info.name.startswith("YCRCB") or d.info.bits in _OVERFETCHED_BITS:  # 001:2554
        rows, extra_B = rows + 1, _EXTRA_B
    if d.usage is Usage.RENDER_TARGET:  # 001:2560
        rows = round_up(rows, 2)
    if d.field_access:
        rows = round_up(rows, 4)
    return rows, extra_B
