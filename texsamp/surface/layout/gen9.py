"""What a RENDER_SURFACE_STATE of Gen9 describes, as far as Gen7 has it too (Broxton volume 2c, pages 31-48)."""

from __future__ import annotations

from texsamp.errors import StateError
from texsamp.state.formats import SurfaceFormat, surface_format
from texsamp.state.gen9 import (
    AuxiliaryMode,
    HorizontalAlignGen9,
    RenderSurfaceStateGen9,
    RotationGen9,
    SampleCountGen9,
    TiledResourceMode,
    TileMode,
    VerticalAlignGen9,
)
from texsamp.state.render_surface import ChannelSelect, SurfaceType
from texsamp.surface.layout.description import BUFFERS, CUBE_FACES, SurfaceDescription, Usage
from texsamp.surface.tiling import AddressSwizzle

_HALIGN = {HorizontalAlignGen9.HALIGN_4: 4, HorizontalAlignGen9.HALIGN_8: 8, HorizontalAlignGen9.HALIGN_16: 16}
_VALIGN = {VerticalAlignGen9.VALIGN_4: 4, VerticalAlignGen9.VALIGN_8: 8, VerticalAlignGen9.VALIGN_16: 16}
_TILINGS = {TileMode.LINEAR: "linear", TileMode.WMAJOR: "W", TileMode.XMAJOR: "X", TileMode.YMAJOR: "Y"}
_PLAIN_CHANNELS = (ChannelSelect.RED, ChannelSelect.GREEN, ChannelSelect.BLUE, ChannelSelect.ALPHA)


def describe(state: RenderSurfaceStateGen9, usage: Usage, swizzle: AddressSwizzle) -> tuple[SurfaceDescription, int]:
    """The description of a surface, and its first layer that can be seen.

    Raises StateError for what only Gen9 has, and as `SurfaceDescription` does.
    """
    _check(state)
    info = surface_format(SurfaceFormat(state.format))
    if state.surface_type in BUFFERS:
        kind = SurfaceType(state.surface_type)
        return SurfaceDescription(kind, info.name, state.entries, pitch_B=state.pitch, generation=9), 0
    volume = state.surface_type == SurfaceType.SURFTYPE_3D
    cube = state.surface_type == SurfaceType.SURFTYPE_CUBE
    counted = state.depth if state.surface_array or cube else 1
    first_layer = 0 if volume else state.min_array_element
    layers = counted + (-(-first_layer // CUBE_FACES) if cube else first_layer)
    full_chain = max(state.width, state.height, state.depth if volume else 1).bit_length()
    description = SurfaceDescription(
        SurfaceType(state.surface_type),
        info.name,
        state.width,
        state.height,
        state.depth if volume else 1,
        layers,
        is_array=bool(state.surface_array),
        levels=min(state.surface_min_lod + state.mip_count + 1, full_chain),
        tiling=_TILINGS[state.tile_mode],
        usage=usage,
        pitch_B=state.pitch,
        halign_px=_HALIGN[state.horizontal_alignment] * info.block_width,
        valign_rows=_VALIGN[state.vertical_alignment] * info.block_height,
        field_access=bool(state.vertical_line_stride),
        swizzle=swizzle,
        generation=9,
        slice_rows=state.qpitch * info.block_height if layers > 1 or cube or state.depth > 1 else None,
    )
    return description, first_layer


def _check(state: RenderSurfaceStateGen9) -> None:
    image = state.surface_type not in BUFFERS
    planar = state.format == SurfaceFormat["PLANAR_420_8"]
    selects = (state.select_red, state.select_green, state.select_blue, state.select_alpha)
    only_here = {
        "astc (layouts of Gen7 have no ASTC)": state.astc,
        "PLANAR formats": planar,
        "tiled_resource_mode": state.tiled_resource_mode != TiledResourceMode.NONE,
        "memory_compression_enable": state.memory_compression_enable,
        "auxiliary_mode": not planar and state.auxiliary_mode != AuxiliaryMode.AUX_NONE,
        "quilts": not planar and (state.quilt_width, state.quilt_height) != (1, 1),
        "shader channel selects": selects != _PLAIN_CHANNELS,
        "base_mip_level": state.base_mip_level,
        "samples": image and state.samples != SampleCountGen9.COUNT_1,
        "rotation": image and state.rotation != RotationGen9.DEG_0,
    }
    for name, found in only_here.items():
        if found:
            raise StateError(f"{state.name}: {name}: surfaces here are as Gen7 has them")
