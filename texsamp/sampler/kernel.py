"""Which kernel samples: the general one of a kind of texel, or one of the vector loops for the common cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from texsamp.sampler.expanded import TexelKind
from texsamp.sampler.sampler import Sampler
from texsamp.state.render_surface import SurfaceType
from texsamp.state.sampler import MapFilter
from texsamp.surface.surface import Surface


@dataclass(frozen=True)
class SampleKernel:
    """A kernel's name, and the struct of parameters that it takes."""

    name: str
    takes: Literal["SampleParams", "PlaneParams", "AnisoParams"]

    @property
    def finds_detail(self) -> bool:
        """Whether it can find a grid's LODs or footprints by itself."""
        return self.takes != "SampleParams"


def general_kernel(kind: TexelKind) -> SampleKernel:
    """The kernel that does everything, also gathers."""
    return SampleKernel(f"sample_{kind.name}", "SampleParams")


def choose_kernel(
    surface: Surface, sampler: Sampler, kind: TexelKind, *, is_plain: bool, is_lod_given: bool
) -> SampleKernel:
    """The fastest kernel that knows the surface, the state and the arguments.

    is_plain: without layer, references, offset, and a resource LOD beyond every level.
    """
    state = sampler.state
    filters = {MapFilter(state.mag_filter), MapFilter(state.min_filter)}
    is_common = (
        is_plain
        and surface.type == SurfaceType.SURFTYPE_2D
        and not state.non_normalized
        and sampler.rounds("mag") == sampler.rounds("min")
    )
    if is_common and kind.name in ("unorm8", "float") and filters in ({MapFilter.NEAREST}, {MapFilter.LINEAR}):
        return SampleKernel(f"sample_{filters.pop().name.lower()}_{kind.name}", "PlaneParams")
    probes = sampler.is_anisotropic and filters <= {MapFilter.LINEAR, MapFilter.ANISOTROPIC}
    if is_common and kind.name == "unorm8" and probes and not is_lod_given:
        return SampleKernel("sample_aniso8", "AnisoParams")
    return general_kernel(kind)
