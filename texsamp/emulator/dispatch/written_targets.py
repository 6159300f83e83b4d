"""Which surfaces a draw wrote to, for whoever wants to see them."""

from __future__ import annotations

import numpy as np

from texsamp.emulator.context.surfaces import WrittenSurface
from texsamp.emulator.fixed.depth_rules import tests_stencil, writes_depth
from texsamp.emulator.fixed.fragments import Fragments, MergeState, Target
from texsamp.emulator.fixed.planes import target_plane
from texsamp.state import RenderSurfaceState, SurfaceType
from texsamp.state.commands_raster import DepthBuffer, DepthFormat, StencilBuffer
from texsamp.state.formats import surface_format
from texsamp.state.render_surface import SampleCount
from texsamp.surface.layout.description import Usage

_DEPTH_FORMATS = {
    DepthFormat.D32_FLOAT: "R32_FLOAT", DepthFormat.D24_UNORM_X8_UINT: "R24_UNORM_X8_TYPELESS",
    DepthFormat.D16_UNORM: "R16_UNORM",
}  # fmt: skip
_SAMPLES = {1: SampleCount.COUNT_1, 4: SampleCount.COUNT_4, 8: SampleCount.COUNT_8}


class WrittenTargets:
    """Render targets, depth and stencil buffer of a draw."""

    def __init__(self, merging: MergeState) -> None:
        self._found: dict[object, WrittenSurface] = {}
        depth, stencil = merging.depth_buffer, merging.stencil_buffer
        self._buffers: list[WrittenSurface] = []
        if depth is not None and writes_depth(merging) and depth.format in _DEPTH_FORMATS:
            self._buffers.append(_depth(depth, merging.samples))
        writes_stencil = tests_stencil(merging) and merging.depth_stencil.stencil_write
        if depth is not None and stencil is not None and writes_stencil and depth.stencil_write:
            self._buffers.append(_stencil(depth, stencil))

    @property
    def surfaces(self) -> tuple[WrittenSurface, ...]:
        """All of them."""
        return tuple(self._found.values())

    def add(self, merging: MergeState, fragments: Fragments) -> None:
        """Note down what fragments may have written to."""
        if not len(fragments.samples):
            return
        self._found |= {surface.key: surface for surface in self._buffers}
        if fragments.found is not None:
            slices = list(fragments.found.slices)
        else:
            first = fragments.slices[0]
            slices = [int(first)] if (fragments.slices == first).all() else np.unique(fragments.slices).tolist()
        for target in merging.targets.values():
            for surface in _parts(target, merging.samples, slices):
                self._found[surface.key] = surface


def _parts(target: Target, samples: int, slices: list[int]) -> list[WrittenSurface]:
    """The level, slices and samples of a target; of one that has only one of each, all of it."""
    state = target.surface
    if state.surface_type == SurfaceType.SURFTYPE_NULL:
        return []
    width_B = state.width * surface_format(state.code("format")).bits // 8
    is_stack = state.depth + state.min_array_element > 1
    # of volumes Depth is the volume's, of arrays what is left from the first element on
    depth = state.depth + (0 if state.surface_type == SurfaceType.SURFTYPE_3D else state.min_array_element)
    layers: list[int | None] = [None]
    if is_stack:
        reached = target_plane(state).slices  # the merger draws what lies beyond to the first
        found = {number if 0 <= number < reached else 0 for number in slices} if reached else set()
        layers = [state.min_array_element + number for number in sorted(found)]
    return [
        WrittenSurface(
            state.replace(min_array_element=0, depth=depth) if is_stack else state,
            width_B, state.mip_count or None, layer, sample,
        )
        for layer in layers
        for sample in (range(samples) if samples > 1 else [None])
    ]  # fmt: skip


def _depth(depth: DepthBuffer, samples: int) -> WrittenSurface:
    name = _DEPTH_FORMATS[DepthFormat(depth.format)]
    state = RenderSurfaceState(
        surface_type="SURFTYPE_2D", format=name, base_address=depth.base_address, pitch=depth.pitch, tiled=1,
        tile_walk="YMAJOR", width=depth.width, height=depth.height, samples=_SAMPLES[samples], mip_count=depth.lod,
        multisample_format="DEPTH_STENCIL" if samples > 1 else 0,
    )  # fmt: skip
    width_B = depth.width * surface_format(name).bits // 8
    return WrittenSurface(state, width_B, depth.lod or None, name="depth", usage=Usage.DEPTH)


def _stencil(depth: DepthBuffer, stencil: StencilBuffer) -> WrittenSurface:
    state = RenderSurfaceState(
        surface_type="SURFTYPE_2D", format="R8_UINT", base_address=stencil.base_address, pitch=stencil.pitch // 2,
        width=depth.width, height=depth.height,
    )  # fmt: skip
    return WrittenSurface(state, depth.width, name="stencil", usage=Usage.STENCIL, tiling="W")
