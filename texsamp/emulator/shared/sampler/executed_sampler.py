"""What stands for filters and address controls that a surface cannot have, though drivers leave them.

Mesa leaves a cube the address controls that a 2D surface had before it, and hands on what programs of OpenGL set where
the hardware has nothing of the kind: the anisotropic filter for volumes, for one.
"""

from __future__ import annotations

from typing import Any

from texsamp.state import RenderSurfaceState, SamplerState
from texsamp.state.formats import surface_format
from texsamp.state.render_surface import SurfaceType
from texsamp.state.sampler import AddressControl, CubeControl, MapFilter, MipFilter

_OF_CUBES = ({AddressControl.CLAMP}, {AddressControl.CUBE})
_OF_TEXELS = (AddressControl.CLAMP, AddressControl.CLAMP_BORDER, AddressControl.HALF_BORDER)
_FILTERS, _ADDRESSES = ("mag_filter", "min_filter"), ("address_u", "address_v", "address_r")


def executed_sampler(surface: RenderSurfaceState, sampler: SamplerState) -> SamplerState:
    """The nearest to a sampler that the manual allows with a surface (docs/emulator-defined.md)."""
    changed: dict[str, Any] = {}
    is_programmed = sampler.cube_control != CubeControl.OVERRIDE and surface.surface_type == SurfaceType.SURFTYPE_CUBE
    if is_programmed and {getattr(sampler, name) for name in _ADDRESSES} not in _OF_CUBES:
        changed |= dict.fromkeys(_ADDRESSES, AddressControl.CLAMP)
    if has_integers(surface):
        changed |= dict.fromkeys(_FILTERS, MapFilter.NEAREST)
        changed |= {"mip_filter": MipFilter.NEAREST} if sampler.mip_filter == MipFilter.LINEAR else {}
    elif surface.surface_type == SurfaceType.SURFTYPE_3D or sampler.non_normalized:
        is_anisotropic = (name for name in _FILTERS if getattr(sampler, name) == MapFilter.ANISOTROPIC)
        changed |= dict.fromkeys(is_anisotropic, MapFilter.LINEAR)
    if sampler.non_normalized:
        beyond = (name for name in _ADDRESSES if getattr(sampler, name) not in _OF_TEXELS)
        changed |= dict.fromkeys(beyond, AddressControl.CLAMP)
        changed |= {"mip_filter": MipFilter.NEAREST} if sampler.mip_filter == MipFilter.LINEAR else {}
        changed |= {"min_lod": 0.0, "lod_bias": 0.0}  # of one level
    same = all(getattr(sampler, name) == value for name, value in changed.items())
    return sampler if same else sampler.replace(**changed)


def has_integers(surface: RenderSurfaceState) -> bool:
    """Whether texels are integers."""
    return any(channel.kind in ("uint", "sint") for channel in surface_format(int(surface.format)).channels)
