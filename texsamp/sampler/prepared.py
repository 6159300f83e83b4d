"""Samples and texels of one surface, many times: states are looked at and parameters made once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import copied
from texsamp.sampler.chroma_key import keyed_texels
from texsamp.sampler.detail import depends_on_lod
from texsamp.sampler.expanded import expanded, texel_kind
from texsamp.sampler.kernel import choose_kernel
from texsamp.sampler.launch import load_launch, sample_launch, sample_parameters, tiles_of_samples
from texsamp.sampler.rules import check_sampled
from texsamp.sampler.sampler import Sampler
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.surface import Surface

_PLAIN = (SurfaceType.SURFTYPE_1D, SurfaceType.SURFTYPE_2D, SurfaceType.SURFTYPE_3D)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A launch without places and results.

    places: the field of its parameters with their pointers. is_nested: whether those lie in the field `sample`.
    """

    device: Device
    launch: Launch
    places: str
    is_nested: bool
    result: np.dtype[Any]

    def of(self, places: Sequence[Array | None]) -> Array:
        """Red to alpha, (n, 4), at n places: contiguous arrays of 32 bits as the kernel reads them, or none."""
        device = self.device
        given = [array for array in places if array is not None]
        count = given[0].size
        out = device.empty((count, 4), self.result)
        params = copied(self.launch.params)
        fields = params["sample"] if self.is_nested else params
        fields[self.places][: len(places)] = [0 if array is None else device.address(array) for array in places]
        fields["out"], fields["count"] = device.address(out), count
        kept = (*self.launch.arrays, *given, out)
        device.launch(Launch(self.launch.kernel, params, *tiles_of_samples((count,)), kept))
        return out


def prepared_samples(surface: Surface, sampler: Sampler) -> Prepared | None:
    """What `sample` does with u, v and w alone, where no LOD can change it; None for states that it takes more for.

    Raises as `sample` does.
    """
    check_sampled(surface, sampler, texel_kind(surface.info, sampler.border_mode))
    is_plain = sampler.chroma_key is None and not (sampler.is_mono or sampler.exact or sampler.state.disable)
    if not is_plain or surface.type not in _PLAIN or depends_on_lod(surface, sampler):
        return None
    texels = keyed_texels(surface, sampler, None)
    kernel = choose_kernel(surface, sampler, texels.kind, is_plain=True, is_layered=False, is_lod_given=True)
    nothing = surface.device.empty((1, 4), texels.kind.result)
    parameters = sample_parameters(surface, sampler, texels, [], 0, nothing)
    launch = sample_launch(surface.device, kernel, parameters, (1,))
    return Prepared(surface.device, launch, "coordinate", kernel.takes != "SampleParams", texels.kind.result)


def prepared_texels(surface: Surface) -> Prepared:
    """What `load` does with x, y, z and the level, of surfaces of one sample. Raises as `load` does."""
    texels = expanded(surface)
    nothing = surface.device.empty((1, 4), texels.kind.result)
    return Prepared(surface.device, load_launch(surface, texels, [], nothing), "place", False, texels.kind.result)
