"""Elements: the smallest addressable piece of a surface, a texel or a block of them."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.errors import FormatError
from texsamp.state.formats import SurfaceFormatInfo


@dataclass(frozen=True)
class Element:
    """An element of ``size_B`` bytes covers ``width_px`` x ``height_px`` texels."""

    size_B: int  # noqa: N815 - the unit
    width_px: int
    height_px: int


def element_of(info: SurfaceFormatInfo) -> Element:
    """The element of a format: one texel, one compressed block, two texels of YUV 4:2:2, or a byte of small texels.

    Raises FormatError for planar formats, whose planes are surfaces of their own (media surface state).
    """
    if info.name.startswith("PLANAR"):
        raise FormatError(f"{info.name} has no elements of one size: lay out each plane as a surface of its own")
    if info.bits < 8:  # 001:1370-1383: eight one-bit texels in a byte; P2 by analogy
        return Element(1, 8 // info.bits, 1)
    return Element(info.bits // 8, info.block_width, info.block_height)
