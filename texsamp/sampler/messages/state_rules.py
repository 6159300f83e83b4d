"""What the manual forbids in the states that a message samples with (seeds 003:3295-3540, 4211; 000:1236-1300)."""

from __future__ import annotations

from typing import Any

from texsamp.sampler.messages.groups import GATHER, LOD, SAMPLE, SAMPLE_UNORM
from texsamp.sampler.messages.rule import Find, Rule, address_controls, format_of, unless
from texsamp.state.render_surface import RenderSurfaceState, SurfaceType
from texsamp.state.sampler import AddressControl, BorderColorMode, CubeControl, MapFilter, MipFilter, SamplerState

_FILTERED = SAMPLE | LOD | GATHER | SAMPLE_UNORM
BORDERS = (AddressControl.CLAMP_BORDER, AddressControl.HALF_BORDER)
_ALL_FACES = 0b111111
_DX9_BITS = 16


def _where(field: str, find: Find) -> Find:
    """What is wrong where a field of the sampler state is set."""
    return lambda case: find(case) if getattr(case.sampler, field) else None


def _not_among(types: tuple[SurfaceType, ...]) -> Find:
    return lambda case: unless(case.surface.surface_type in types, case.surface.surface_type)


def _address_beyond(legal: tuple[AddressControl, ...]) -> Find:
    return lambda case: next((mode for mode in address_controls(case) if mode not in legal), None)


def _filter_beyond(legal: tuple[MapFilter, ...]) -> Find:
    return lambda case: next((mode for mode in (case.sampler.mag_filter, case.sampler.min_filter) if mode not in legal),
                             None)  # fmt: skip


def _set(state: str, *names: str) -> Find:
    """The first of some fields that is not 0."""

    def find(case: Any) -> object:
        values = getattr(case, state).values()
        return next((f"{name} {values[name]:g}" for name in names if values.get(name)), None)

    return find


def _mip_blend(case: Any) -> object:
    return unless(case.sampler.mip_filter != MipFilter.LINEAR, case.sampler.mip_filter)


def _mip_filter(case: Any) -> object:
    return unless(case.sampler.mip_filter == MipFilter.NONE, case.sampler.mip_filter)


def _first(*finds: Find) -> Find:
    return lambda case: next((found for find in finds if (found := find(case)) is not None), None)


def _if_mono(find: Find) -> Find:
    return lambda case: find(case) if MapFilter.MONO in (case.sampler.mag_filter, case.sampler.min_filter) else None


def _not_mono8(case: Any) -> object:
    name = format_of(case).name
    return unless(name == "MONO8", name) or _not_among((SurfaceType.SURFTYPE_2D,))(case)


def _sharp_volume(case: Any) -> object:
    is_volume = case.surface.surface_type == SurfaceType.SURFTYPE_3D
    return _filter_beyond((MapFilter.NEAREST, MapFilter.LINEAR))(case) if is_volume else None


def _keyed_format(case: Any) -> object:
    return unless(format_of(case).can("chroma_key", case.request.generation), format_of(case).name)


def _keyed_volume(case: Any) -> object:
    return unless(case.surface.surface_type != SurfaceType.SURFTYPE_3D, case.surface.surface_type)


def _cube_address(case: Any) -> object:
    """Address controls as programmed, of cubes whose are not overridden."""
    is_cube = case.surface.surface_type == SurfaceType.SURFTYPE_CUBE
    if not is_cube or case.sampler.cube_control == CubeControl.OVERRIDE:
        return None
    wrong = _address_beyond((AddressControl.CLAMP, AddressControl.CUBE))(case)
    names = [str(getattr(mode, "name", mode)) for mode in address_controls(case)]
    return wrong if wrong is not None else unless(len(set(names)) == 1, ", ".join(names))


def _missing_faces(case: Any) -> object:
    is_cube = case.surface.surface_type == SurfaceType.SURFTYPE_CUBE
    if not is_cube or case.sampler.cube_control == CubeControl.OVERRIDE:
        return None
    if case.sampler.address_u == AddressControl.CUBE:
        return None
    return unless(case.surface.cube_faces == _ALL_FACES, f"enabled cube faces {case.surface.cube_faces:#08b}")


def _wide_dx9_border(case: Any) -> object:
    is_cube = case.surface.surface_type == SurfaceType.SURFTYPE_CUBE
    uses_border = (
        case.surface.cube_faces != _ALL_FACES if is_cube else any(mode in BORDERS for mode in address_controls(case))
    )
    if case.sampler.border_color_mode != BorderColorMode.DX9 or not uses_border:
        return None
    wide = any((c.bits or 0) > _DX9_BITS and c.kind not in ("float", "pad") for c in format_of(case).channels)
    return unless(not wide, format_of(case).name)


_RENDER = RenderSurfaceState

STATE_RULES: tuple[Rule, ...] = (
    # Coordinates in texels
    Rule(_FILTERED, "with coordinates in texels the surface is 2D or 3D", "003:3485",
         _where("non_normalized", _not_among((SurfaceType.SURFTYPE_2D, SurfaceType.SURFTYPE_3D))), _RENDER,
         SamplerState),
    Rule(_FILTERED, "with coordinates in texels both filters are NEAREST or LINEAR", "003:3486",
         _where("non_normalized", _filter_beyond((MapFilter.NEAREST, MapFilter.LINEAR))), None, SamplerState),
    # max LOD is to be 0, too, but chooses nothing where MIP count is 0, and Mesa leaves OpenGL's for rectangles
    Rule(_FILTERED, "with coordinates in texels the mip filter is not LINEAR, and min LOD and LOD bias are 0",
         "003:3488", _where("non_normalized", _first(_mip_blend, _set("sampler", "min_lod", "lod_bias"))),
         None, SamplerState),
    Rule(_FILTERED, "with coordinates in texels MIP count is 0", "003:3491",
         _where("non_normalized", _set("surface", "mip_count")), _RENDER, SamplerState),
    Rule(_FILTERED, "with coordinates in texels address controls are CLAMP, CLAMP_BORDER or HALF_BORDER", "000:1250",
         _where("non_normalized", _address_beyond((AddressControl.CLAMP, *BORDERS))), _RENDER, SamplerState),
    # Filters
    Rule(_FILTERED, "with the filter MONO both filters are, the mip filter is NONE, and min LOD is 0", "003:3306",
         _if_mono(_first(_filter_beyond((MapFilter.MONO,)), _mip_filter, _set("sampler", "min_lod"))), None,
         SamplerState),
    Rule(_FILTERED, "with the filter MONO the surface is 2D and MONO8", "003:3308", _if_mono(_not_mono8), _RENDER,
         SamplerState),
    Rule(_FILTERED, "with the filter MONO address controls are CLAMP_BORDER", "003:3305",
         _if_mono(_address_beyond((AddressControl.CLAMP_BORDER,))), _RENDER, SamplerState),
    Rule(_FILTERED, "3D surfaces have filters NEAREST or LINEAR", "003:3303", _sharp_volume, _RENDER, SamplerState),
    # Chroma key
    Rule(_FILTERED, "with a chroma key the format supports one", "003:3412",
         _where("chroma_key_enable", _keyed_format), _RENDER, SamplerState),
    Rule(_FILTERED, "with a chroma key both filters are NEAREST or LINEAR", "003:3418",
         _where("chroma_key_enable", _filter_beyond((MapFilter.NEAREST, MapFilter.LINEAR))), None, SamplerState),
    Rule(_FILTERED, "with a chroma key the surface is not 3D", "003:3418", _where("chroma_key_enable", _keyed_volume),
         _RENDER, SamplerState),
    # Cubes and borders
    Rule(_FILTERED, "programmed address controls of cubes are CLAMP or CUBE, the same for all axes", "003:3518",
         _cube_address, _RENDER, SamplerState),
    Rule(_FILTERED, "cubes without address control CUBE have all faces", "000:1293", _missing_faces, _RENDER,
         SamplerState),
    Rule(_FILTERED, "border color mode DX9 has channels of at most 16 bits, or floats", "003:4211", _wide_dx9_border,
         _RENDER, SamplerState),
)  # fmt: skip
