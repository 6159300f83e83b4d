"""Pixel layouts: where each component of a picture lies in its planes.

The names are FFmpeg's pixel format names, because those are the ones people type
(`vyuy422`, which FFmpeg lacks, follows their pattern). A layout says nothing about color
meaning (matrix, range): that travels with the frame.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from texsamp.cached import cached_property
from texsamp.errors import FormatError

_SIZES_KEPT = 4096
"""Answers about sizes that are kept: a stream asks the same few for every frame."""

Model = Literal["yuv", "rgb", "gray"]


@dataclass(frozen=True)
class Component:
    """One component (Y, U, V, R, G, B or A) inside a plane.

    ``offset`` and ``step`` count plane elements: sample x is element ``offset + x * step`` of its row.
    ``shift`` and ``bits`` place the sample inside the element: ``(element >> shift) & (2**bits - 1)``.
    """

    plane: int
    offset: int = 0
    step: int = 1
    shift: int = 0
    bits: int = 8


@dataclass(frozen=True)
class PixelLayout:
    """A pixel layout: components by name, element type, and chroma subsampling as log2 factors."""

    name: str
    model: Model
    components: dict[str, Component]
    dtype: np.dtype[np.unsignedinteger]
    log2_chroma_width: int = 0
    log2_chroma_height: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as what it is here, too: layouts of the table are told apart by identity."""
        if PIXEL_LAYOUTS.get(self.name) is self:
            return pixel_layout, (self.name,)
        return PixelLayout, tuple(getattr(self, part.name) for part in fields(self))

    def __hash__(self) -> int:
        return hash(self.name)

    @cached_property
    def bits(self) -> int:
        """Bits per sample of the first component (8, 10 or 16)."""
        return next(iter(self.components.values())).bits

    @property
    def max_value(self) -> int:
        """Largest sample value of the first component."""
        return (1 << self.bits) - 1

    @cached_property
    def plane_count(self) -> int:
        """Number of planes."""
        return 1 + max(c.plane for c in self.components.values())

    @property
    def packed_element(self) -> bool:
        """Whether several components share one element (10:10:10:2)."""
        return self.dtype.itemsize == 4

    @cached_property
    def interleaves_chroma(self) -> bool:
        """Whether U and V alternate in a plane of their own."""
        places = [self.components[name].plane for name in "YUV" if name in self.components]
        return len(places) == 3 and places[1] == places[2] != places[0]

    @cached_property
    def chroma_parts(self) -> tuple[str, ...]:
        """The components but Y; of two that alternate in a plane of their own the first."""
        names = [name for name in self.components if name != "Y"]
        return tuple(name for name in names if not (self.interleaves_chroma and self.components[name].offset))

    def subsampling(self, component: str) -> tuple[int, int]:
        """Log2 of the horizontal and vertical subsampling of a component; (0, 0) unless it is U or V."""
        if component in ("U", "V"):
            return self.log2_chroma_width, self.log2_chroma_height
        return 0, 0

    @lru_cache(_SIZES_KEPT)  # noqa: B019 - layouts are few and live forever
    def component_size(self, component: str, width_px: int, height_px: int) -> tuple[int, int]:
        """Width and height in samples of a component of a width_px x height_px picture (chroma rounds up)."""
        log2_w, log2_h = self.subsampling(component)
        return -(-width_px >> log2_w), -(-height_px >> log2_h)

    def has_spare_elements(self, width_px: int) -> bool:
        """Whether rows hold elements that belong to no sample: the last luma of packed 4:2:2 of odd width."""
        return self.plane_count == 1 and self.log2_chroma_width == 1 and width_px % 2 == 1

    @lru_cache(_SIZES_KEPT)  # noqa: B019
    def plane_shape(self, plane: int, width_px: int, height_px: int) -> tuple[int, int]:
        """Rows and elements per row of a plane of a width_px x height_px picture."""
        row_elements = 0
        rows = 0
        for name, component in self.components.items():
            if component.plane == plane:
                columns, rows_of = self.component_size(name, width_px, height_px)
                row_elements = max(row_elements, columns * component.step)
                rows = max(rows, rows_of)
        return rows, row_elements


_U8: np.dtype[np.unsignedinteger] = np.dtype(np.uint8)
_U16: np.dtype[np.unsignedinteger] = np.dtype("<u2")
_U32: np.dtype[np.unsignedinteger] = np.dtype("<u4")


def _planar(name: str, bits: int, log2_w: int, log2_h: int) -> PixelLayout:
    parts = {c: Component(i, bits=bits) for i, c in enumerate("YUV")}
    return PixelLayout(name, "yuv", parts, _U8 if bits == 8 else _U16, log2_w, log2_h)


def _semi_planar(name: str, bits: int, shift: int, log2_h: int = 1, order: str = "UV") -> PixelLayout:
    parts = {"Y": Component(0, shift=shift, bits=bits)}
    parts |= {c: Component(1, offset=order.index(c), step=2, shift=shift, bits=bits) for c in "UV"}
    return PixelLayout(name, "yuv", parts, _U8 if bits == 8 else _U16, 1, log2_h)


def _packed_422(name: str, order: str) -> PixelLayout:
    """Order is the byte order of one pair of pixels, such as "YUYV" (0 and 1 for the lumas are implied)."""
    parts = {"Y": Component(0, offset=order.index("Y"), step=2)}
    parts |= {c: Component(0, offset=order.index(c), step=4) for c in "UV"}
    return PixelLayout(name, "yuv", parts, _U8, 1, 0)


def _interleaved_rgb(name: str, order: str, bits: int = 8) -> PixelLayout:
    parts = {c: Component(0, offset=order.index(c), step=len(order), bits=bits) for c in "RGBA" if c in order}
    return PixelLayout(name, "rgb", parts, _U8 if bits == 8 else _U16)


def _rgb10(name: str, order: str) -> PixelLayout:
    """R10G10B10A2 family; order names the 10-bit fields from the least significant one up."""
    parts = {c: Component(0, shift=10 * order.index(c), bits=10) for c in "RGB"}
    parts["A"] = Component(0, shift=30, bits=2)
    return PixelLayout(name, "rgb", parts, _U32)


PIXEL_LAYOUTS: dict[str, PixelLayout] = {
    layout.name: layout
    for layout in (
        PixelLayout("gray", "gray", {"Y": Component(0)}, _U8),
        PixelLayout("gray10le", "gray", {"Y": Component(0, bits=10)}, _U16),
        _planar("yuv420p", 8, 1, 1),
        _planar("yuv422p", 8, 1, 0),
        _planar("yuv444p", 8, 0, 0),
        _planar("yuv420p10le", 10, 1, 1),
        _planar("yuv422p10le", 10, 1, 0),
        _planar("yuv444p10le", 10, 0, 0),
        _semi_planar("nv12", 8, 0),
        _semi_planar("nv21", 8, 0, order="VU"),
        _semi_planar("p010le", 10, 6),
        _packed_422("yuyv422", "YUYV"),
        _packed_422("yvyu422", "YVYU"),
        _packed_422("uyvy422", "UYVY"),
        _packed_422("vyuy422", "VYUY"),
        _interleaved_rgb("rgba", "RGBA"),
        _interleaved_rgb("bgra", "BGRA"),
        _interleaved_rgb("rgb24", "RGB"),
        _interleaved_rgb("rgba64le", "RGBA", bits=16),
        _interleaved_rgb("rgb48le", "RGB", bits=16),
        _rgb10("x2rgb10le", "BGR"),
        _rgb10("x2bgr10le", "RGB"),
    )
}
"""Every layout texsamp processes as it is; anything else is converted to the nearest of these with a note."""


def pixel_layout(name: str) -> PixelLayout:
    """The layout of a pixel format name. Raises FormatError naming the known ones."""
    try:
        return PIXEL_LAYOUTS[name]
    except (KeyError, TypeError):  # TypeError: a list is no key
        raise FormatError(f"pixel format {name!r} is not one of {', '.join(PIXEL_LAYOUTS)}") from None
