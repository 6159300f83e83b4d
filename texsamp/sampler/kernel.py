"""Which kernel samples: the general one of a kind of texel, or one of the vector loops for the common cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from texsamp.sampler.expanded import TexelKind
from texsamp.sampler.rules import address_modes
from texsamp.sampler.sampler import Sampler
from texsamp.state.render_surface import SurfaceType
from texsamp.state.sampler import AddressControl, MapFilter
from texsamp.surface.surface import Surface

_SLICED = (SurfaceType.SURFTYPE_2D, SurfaceType.SURFTYPE_3D, SurfaceType.SURFTYPE_CUBE)
_BORDERS = {AddressControl.CLAMP_BORDER, AddressControl.HALF_BORDER}


@dataclass(frozen=True)
class SampleKernel:
    """A kernel's name, and the struct of parameters that it takes."""

    name: str
    takes: Literal["SampleParams", "PlaneParams", "AnisoParams", "SliceParams"]

    @property
    def finds_detail(self) -> bool:
        """Whether it can find a grid's LODs or footprints by itself."""
        return self.takes in ("PlaneParams", "AnisoParams")


def general_kernel(kind: TexelKind) -> SampleKernel:
    """The kernel that does everything, also gathers."""
    return SampleKernel(f"sample_{kind.name}", "SampleParams")


def choose_kernel(
    surface: Surface, sampler: Sampler, kind: TexelKind, *, is_plain: bool, is_layered: bool, is_lod_given: bool
) -> SampleKernel:
    """The fastest kernel that knows the surface, the state and the arguments.

    is_plain: without references, offset, and a resource LOD beyond every level. is_layered: with a layer.
    """
    state = sampler.state
    filters = {MapFilter(state.mag_filter), MapFilter(state.min_filter)}
    is_common = is_plain and not state.non_normalized and sampler.rounds("mag") == sampler.rounds("min")
    if is_common and (is_layered or surface.type != SurfaceType.SURFTYPE_2D):
        return _slice_kernel(surface, sampler, kind, filters)
    if is_common and kind.name in ("unorm8", "float") and filters in ({MapFilter.NEAREST}, {MapFilter.LINEAR}):
        return SampleKernel(f"sample_{filters.pop().name.lower()}_{kind.name}", "PlaneParams")
    probes = sampler.is_anisotropic and filters <= {MapFilter.LINEAR, MapFilter.ANISOTROPIC}
    if is_common and kind.name == "unorm8" and probes and not is_lod_given:
        return SampleKernel("sample_aniso8", "AnisoParams")
    return general_kernel(kind)


def _slice_kernel(surface: Surface, sampler: Sampler, kind: TexelKind, filters: set[MapFilter]) -> SampleKernel:
    """Of surfaces whose samples choose a slice."""
    is_known = kind.name == "unorm8" and filters == {MapFilter.LINEAR} and surface.type in _SLICED
    if surface.type == SurfaceType.SURFTYPE_3D and set(address_modes(surface, sampler)) & _BORDERS:
        is_known = False
    return SampleKernel("sample_slices8", "SliceParams") if is_known else general_kernel(kind)
