"""Our own sampler as a driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from texsamp.atlas.driver import BORDER, Floats, Places, State
from texsamp.sampler.sample import sample
from texsamp.sampler.sampler import Sampler
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import TextureImages
from texsamp.surface.surface import Surface

FilterName = Literal["nearest", "linear", "anisotropic"]


def surface_of(levels: Sequence[Floats]) -> Surface:
    """A surface of floats on the CPU."""
    height, width, _ = levels[0].shape
    images = tuple((np.ascontiguousarray(level, np.float32).tobytes(),) for level in levels)
    made = TextureImages(SurfaceType.SURFTYPE_2D, "R32G32B32A32_FLOAT", width, height, images)
    return Surface.from_images(made, device="cpu")


def sampler_of(state: State) -> Sampler:
    """The hardware's state of the same words."""
    within: FilterName = "anisotropic" if state.anisotropy > 1 else "linear" if state.linear else "nearest"
    return Sampler(
        min_filter=within,
        mag_filter=within,
        mip_filter=state.mip,
        max_anisotropy=max(state.anisotropy, 2),
        address=(state.address,) * 3,
        border=BORDER,
    )


class Ours:
    """`texsamp.sample` on the CPU."""

    name = "texsamp"

    def sample(self, levels: Sequence[Floats], state: State, places: Places) -> Floats:
        """As `Driver` says."""
        u, v, lod, slopes = places.u, places.v, places.lod, places.gradients
        given = None if slopes is None else ((slopes[0], slopes[1]), (slopes[2], slopes[3]))
        if given is None and lod is None:
            lod = np.zeros(u.shape, np.float32)
        return np.asarray(sample(surface_of(levels), sampler_of(state), u, v, lod=lod, gradients=given))
