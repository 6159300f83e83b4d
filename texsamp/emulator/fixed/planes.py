"""Levels of surfaces that are rendered to, as the output merger's kernels see them (`kernels/merge_place.h`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device.params import params_type
from texsamp.errors import CaptureError, FormatError, StateError
from texsamp.state import RenderSurfaceState, SurfaceType
from texsamp.state.commands_raster import DepthBuffer, DepthFormat, DepthSurfaceType, StencilBuffer
from texsamp.state.render_surface import TileWalk, VerticalAlign
from texsamp.surface.layout.description import SurfaceDescription, Usage
from texsamp.surface.layout.multisample import INTERLEAVED_SCALE
from texsamp.surface.layout.surface_layout import SurfaceLayout
from texsamp.surface.layout.view import SurfaceView
from texsamp.surface.tiling import tiling

TILINGS = ("linear", "X", "Y", "W")
"""MergeTiling of `kernels/merge_place.h`."""

DEPTH_FORMATS = {
    DepthFormat.D32_FLOAT: ("R32_FLOAT", 32),
    DepthFormat.D24_UNORM_X8_UINT: ("R24_UNORM_X8_TYPELESS", 24),
    DepthFormat.D16_UNORM: ("R16_UNORM", 16),
}
"""Depth formats without stencil to formats of the same bits, and how many of these are depth."""

_PARAMS = params_type("MergePlane")


@dataclass(frozen=True)
class Box:
    """Pixels and slices that fragments lie in; last ones included."""

    x: tuple[int, int]
    y: tuple[int, int]
    slices: tuple[int, int]


@dataclass(frozen=True)
class Plane:
    """One level of a surface at a graphics address.

    view: the surface. level: which of its levels. first_slice: the slice that fragments of slice 0 go to. slices: how
    many can be reached. pixel_offset: columns and rows added to a fragment's.
    """

    view: SurfaceView
    level: int
    first_slice: int
    slices: int
    pixel_offset: tuple[int, int] = (0, 0)

    @property
    def element_B(self) -> int:  # noqa: N802 - the unit
        """Bytes of a sample."""
        return self.view.layout.element.size_B

    @property
    def samples(self) -> int:
        """Of a pixel."""
        return self.view.layout.description.samples

    @property
    def _sample_rows(self) -> int:
        """Rows from one sample's slice to the next; 0 if samples are interleaved."""
        d = self.view.layout.description
        return 0 if d.interleaved or d.samples == 1 else self.view.layout.slice_pitch_el_rows

    def _values(self) -> dict[str, Any]:
        layout, view = self.view.layout, self.view
        d, level = layout.description, layout.levels[self.level]
        width, height = layout.level_size_px(self.level)
        volume = d.type == SurfaceType.SURFTYPE_3D
        slice_rows = level.padded_height_rows if volume else layout.slice_pitch_el_rows
        return {
            "tiling": TILINGS.index(d.tiling),
            "element_B": self.element_B,
            "pitch_B": layout.pitch_B,
            "width": width,
            "height": height,
            "slices": self.slices,
            "x0": level.x_px,
            "y0": level.y_rows,
            "first_slice": self.first_slice,
            "columns_log2": level.columns_log2 if volume else 0,
            "slice_dx": level.padded_width_px if volume else 0,
            "slice_dy": slice_rows if volume or d.interleaved else slice_rows * d.samples,
            "samples": d.samples,
            "sample_dy": self._sample_rows,
            "line_stride": view.line_stride,
            "line_offset": view.line_offset,
            "x_offset": view.x_offset_px,
            "y_offset": view.y_offset_rows,
            "pixel_dx": self.pixel_offset[0],
            "pixel_dy": self.pixel_offset[1],
        }

    def record(self, memory: int) -> Any:
        """The MergePlane of a surface whose first byte is at an address of the device."""
        return _PARAMS(memory=memory, **self._values())

    def end_B(self, box: Box) -> int:  # noqa: N802 - the unit
        """Bytes from the base address that a box of fragments can reach; of tiled surfaces whole tiles. 0 if none."""
        v = self._values()
        (x0, x1), (y0, y1) = (
            (max(first + offset, 0), min(last + offset, size - 1))
            for (first, last), offset, size in (
                (box.x, v["pixel_dx"], v["width"]),
                (box.y, v["pixel_dy"], v["height"]),
            )
        )
        z0, z1 = max(box.slices[0], 0), min(box.slices[1], self.slices - 1)
        if x0 > x1 or y0 > y1 or z0 > z1:
            return 0
        if self.samples > 1 and not v["sample_dy"]:
            scale_x, scale_y = INTERLEAVED_SCALE[self.samples]
            x1, y1 = ((x1 | 1) + 1) * scale_x - 1, ((y1 | 1) + 1) * scale_y - 1
        z: NDArray[np.int64] = np.arange(z0, z1 + 1) + self.first_slice
        column = x1 + v["x0"] + (z & (1 << v["columns_log2"]) - 1) * v["slice_dx"] + v["x_offset"]
        row = y1 + v["y0"] + (z >> v["columns_log2"]) * v["slice_dy"] + (self.samples - 1) * v["sample_dy"]
        row = (row << v["line_stride"]) + v["line_offset"] + v["y_offset"]
        kind = tiling(TILINGS[v["tiling"]])
        last_B = (column + 1) * v["element_B"] - 1
        if kind.name == "linear":
            return int((row * v["pitch_B"] + last_B).max()) + 1
        tile_row_B = v["pitch_B"] // kind.width_B * kind.size_B
        return int((row // kind.height_rows * tile_row_B + (last_B // kind.width_B + 1) * kind.size_B).max())


@lru_cache(maxsize=64)
def target_plane(state: RenderSurfaceState) -> Plane:
    """Where a render target's pixels lie. Raises CaptureError if its state describes no surface to render to."""
    two_rows = state.tiled and state.tile_walk == TileWalk.YMAJOR and state.vertical_alignment == VerticalAlign.VALIGN_2
    try:  # 003:2054 wants four, but Mesa draws levels of textures that lie by two
        usage = Usage.TEXTURE if two_rows else Usage.RENDER_TARGET
        view = SurfaceView.from_state(state, usage=usage, wide_samples=True)
    except (StateError, FormatError) as error:
        raise CaptureError(f"render target at {state.base_address:#x}: {error}") from None
    d, level = view.layout.description, state.mip_count
    if d.is_buffer:
        raise CaptureError(f"render target at {state.base_address:#x}: {d.type.name} is not rendered to")
    if level >= len(view.layout.levels):
        raise CaptureError(
            f"render target at {state.base_address:#x}: level {level} of {len(view.layout.levels)} levels"
        )
    volume = d.type == SurfaceType.SURFTYPE_3D
    held = view.layout.levels[level].depth_px if volume else d.slices
    first = state.min_array_element if volume or d.is_array or d.type == SurfaceType.SURFTYPE_CUBE else 0
    return Plane(view, level, first, max(0, min(held - first, state.view_extent)))


def no_plane(samples: int) -> Any:
    """The MergePlane of a surface that is not there."""
    record = np.zeros((), _PARAMS.dtype)
    record["samples"] = samples
    return record[()]


def depth_plane(depth: DepthBuffer, samples: int) -> Plane:
    """Where depths lie. Raises CaptureError for formats with stencil, which Gen7 keeps apart, and illegal states."""
    known = DEPTH_FORMATS.get(DepthFormat(depth.format))
    if known is None:
        raise CaptureError(f"depth buffers of {DepthFormat(depth.format).name} are older than Gen7")
    return _depth_plane(depth, Usage.DEPTH, known[0], "Y", depth.pitch, depth.base_address, samples)


def stencil_plane(depth: DepthBuffer, stencil: StencilBuffer, samples: int) -> Plane:
    """Where stencil values lie: as depths do, in tiling W. Raises CaptureError."""
    return _depth_plane(depth, Usage.STENCIL, "R8_UINT", "W", stencil.pitch // 2, stencil.base_address, samples)


def _depth_plane(
    depth: DepthBuffer,
    usage: Usage,
    format: str,
    tiling: str,
    pitch_B: int,  # noqa: N803 - the unit
    address: int,
    samples: int,
) -> Plane:
    volume = depth.surface_type == DepthSurfaceType.SURFTYPE_3D
    slices = depth.min_array_element + depth.view_extent
    try:
        description = SurfaceDescription(
            SurfaceType.SURFTYPE_3D if volume else SurfaceType.SURFTYPE_2D,  # faces of cubes are slices
            format,
            depth.width,
            depth.height,
            depth.depth if volume else 1,
            1 if volume else slices,
            is_array=not volume,
            levels=depth.lod + 1,
            samples=samples,
            tiling=tiling,
            usage=usage,
            pitch_B=pitch_B,
        )
        view = SurfaceView(SurfaceLayout(description), address)
    except (StateError, FormatError) as error:
        raise CaptureError(f"{usage.value} at {address:#x}: {error}") from None
    reached = min(depth.view_extent, view.layout.levels[depth.lod].depth_px - depth.min_array_element)
    return Plane(
        view,
        depth.lod,
        depth.min_array_element,
        max(0, reached) if volume else depth.view_extent,
        (depth.offset_x, depth.offset_y),
    )
