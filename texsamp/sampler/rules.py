"""What may be sampled how: the manual's restrictions as checks (seed 003:3440-3539, 4642-4782)."""

from __future__ import annotations

from texsamp.errors import FormatError, StateError
from texsamp.sampler.expanded import TexelKind
from texsamp.sampler.sampler import Sampler
from texsamp.state.render_surface import SurfaceType
from texsamp.state.sampler import AddressControl, CubeControl, MapFilter, MipFilter
from texsamp.surface.surface import Surface

AXES = {
    SurfaceType.SURFTYPE_1D: 1,
    SurfaceType.SURFTYPE_2D: 2,
    SurfaceType.SURFTYPE_3D: 3,
    SurfaceType.SURFTYPE_CUBE: 2,
}
"""Axes along which a surface is filtered."""

_BORDERS = (AddressControl.CLAMP_BORDER, AddressControl.HALF_BORDER)
_DX9_BITS = 16
_CUBES = (AddressControl.CLAMP, AddressControl.CUBE)


def address_modes(surface: Surface, sampler: Sampler) -> tuple[int, ...]:
    """Address control of every axis that the surface has, as overridden for cubes. Raises StateError (003:3506)."""
    if surface.type == SurfaceType.SURFTYPE_CUBE and sampler.state.cube_control == CubeControl.OVERRIDE:
        return (AddressControl.CUBE,) * 2
    modes = sampler.address[: AXES[surface.type]]
    if surface.type == SurfaceType.SURFTYPE_CUBE and (len(set(modes)) > 1 or modes[0] not in _CUBES):
        names = ", ".join(AddressControl(mode).name for mode in modes)
        raise StateError(f"cubes need address CLAMP or CUBE, the same on all axes, found {names}")
    return modes


def check_mono(surface: Surface, sampler: Sampler) -> None:
    """Raise FormatError or StateError unless the monochrome filter can sample it (003:3306-3309, 3352, 3517-3520)."""
    state = sampler.state
    if surface.format != "MONO8" or surface.type != SurfaceType.SURFTYPE_2D:
        raise FormatError(f"the filter MONO is for 2D surfaces of MONO8, found {surface.type.name} of {surface.format}")
    filters = [MapFilter(state.mag_filter), MapFilter(state.min_filter)]
    if filters != [MapFilter.MONO] * 2 or state.mip_filter != MipFilter.NONE:
        names = ", ".join([*(filter.name for filter in filters), MipFilter(state.mip_filter).name])
        raise StateError(f"the filter MONO needs both filters to be MONO and the mip filter NONE, found {names}")
    if any(mode != AddressControl.CLAMP_BORDER for mode in sampler.address[:2]):
        names = ", ".join(AddressControl(mode).name for mode in sampler.address[:2])
        raise StateError(f"the filter MONO needs address CLAMP_BORDER on both axes, found {names}")
    if state.min_lod or sampler.chroma_key is not None or state.non_normalized:
        raise StateError("the filter MONO needs min_lod 0, normalized coordinates and no chroma key")


def check_sampled(surface: Surface, sampler: Sampler, kind: TexelKind) -> None:
    """Raise FormatError or StateError unless the surface can be sampled with this state (003:3440-3539, 4642-4782)."""
    if sampler.is_mono:
        raise FormatError(f"the filter MONO is for sample on surfaces of MONO8, found {surface.format}")
    if surface.type not in AXES:
        raise StateError(f"only 1D, 2D, 3D and CUBE surfaces can be sampled (003:4645), found {surface.type.name}")
    if surface.samples > 1:
        raise StateError(
            f"surfaces of {surface.samples} samples cannot be sampled, only those of 1 (003:4648); "
            "double_size makes one of 4 samples, as Sandy Bridge reads it"
        )
    modes = address_modes(surface, sampler)
    state = sampler.state
    if kind.name == "integer":
        _check_integer(surface, sampler, modes)
    if sampler.chroma_key is not None:
        _check_chroma_key(surface, sampler)
    if any(mode in _BORDERS for mode in modes):
        check_border_color(surface, sampler)
    if surface.type == SurfaceType.SURFTYPE_3D and sampler.is_anisotropic:
        raise StateError("SURFTYPE_3D can be filtered NEAREST and LINEAR (003:3331), found ANISOTROPIC")
    if state.non_normalized:
        _check_non_normalized(surface, sampler, modes)


def _check_chroma_key(surface: Surface, sampler: Sampler) -> None:
    """Seed 003:3412-3414, 4328."""
    if not surface.info.can("chroma_key"):
        raise FormatError(f"{surface.format} has no chroma key (003:4328)")
    if surface.type == SurfaceType.SURFTYPE_3D or sampler.is_anisotropic:
        found = "ANISOTROPIC" if sampler.is_anisotropic else surface.type.name
        raise StateError(f"a chroma key needs filters NEAREST or LINEAR and no SURFTYPE_3D (003:3413), found {found}")


def check_border_color(surface: Surface, sampler: Sampler) -> None:
    """Raise FormatError unless the format can have the sampler's border color (003:4211)."""
    wide = [c for c in surface.info.channels if c.kind not in ("float", "pad") and (c.bits or 0) > _DX9_BITS]
    if wide and sampler.border_mode == "dx9":
        raise FormatError(
            f"{surface.format} has no border color of mode DX9 (003:4211), which takes up to {_DX9_BITS} bits or floats"
        )


def _check_integer(surface: Surface, sampler: Sampler, modes: tuple[int, ...]) -> None:
    volumes = (SurfaceType.SURFTYPE_3D, SurfaceType.SURFTYPE_CUBE)
    if surface.type in volumes and not sampler.lenient:  # 003:4647
        raise FormatError(f"{surface.format} can be sampled as 1D and 2D, found {surface.type.name}")
    if any(mode in _BORDERS for mode in modes) and not sampler.lenient:
        raise FormatError(f"{surface.format} has integers, which have no border color: address must not be a border")
    state = sampler.state
    filters = {MapFilter(state.mag_filter), MapFilter(state.min_filter)}
    if filters != {MapFilter.NEAREST} or state.mip_filter == MipFilter.LINEAR:
        raise FormatError(f"{surface.format} has integers, which cannot be filtered: all filters must be nearest")


def _check_non_normalized(surface: Surface, sampler: Sampler, modes: tuple[int, ...]) -> None:
    """Seed 003:3473-3494; address control as later manuals have it.

    Drivers leave the mip filter NEAREST, and look at one level by Surface Min LOD: with one level neither matters.
    """
    state = sampler.state
    if surface.type not in (SurfaceType.SURFTYPE_2D, SurfaceType.SURFTYPE_3D):
        raise StateError(f"coordinates in texels need a 2D or 3D surface, found {surface.type.name}")
    if any(mode not in (AddressControl.CLAMP, *_BORDERS) for mode in modes):
        names = ", ".join(AddressControl(mode).name for mode in modes)
        raise StateError(f"coordinates in texels need address CLAMP, CLAMP_BORDER or HALF_BORDER, found {names}")
    if sampler.is_anisotropic:
        raise StateError("coordinates in texels need the filters NEAREST or LINEAR, found ANISOTROPIC")
    if surface.levels > 1 or state.mip_filter == MipFilter.LINEAR or state.lod_bias:
        raise StateError(
            f"coordinates in texels need one level, no blend of levels and no LOD bias, found {surface.levels} levels, "
            f"{MipFilter(state.mip_filter).name} and {state.lod_bias:g}"
        )
