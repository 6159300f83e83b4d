"""`SampleArguments`: what a sampling message is given beside a surface and a sampler, as one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from numpy.typing import DTypeLike

from texsamp.device.given import GivenArray
from texsamp.sampler.cube_faces import ALL_FACES

Gradients = Sequence[Sequence[GivenArray]]
"""Derivatives of all coordinates by x, and by y."""


class SampleOptions(TypedDict, total=False):
    """What `sample` takes by keyword."""

    layer: GivenArray | None
    lod: GivenArray | None
    bias: GivenArray | None
    gradients: Gradients | None
    compare: GivenArray | None
    offset: Sequence[int]
    resource_min_lod: float
    cube_faces: int
    palette: GivenArray | None
    dtype: DTypeLike | None


@dataclass(frozen=True, eq=False)
class SampleArguments:
    """Arguments of `sample`, which says what they mean; not checked yet."""

    u: GivenArray
    v: GivenArray | None = None
    w: GivenArray | None = None
    layer: GivenArray | None = None
    lod: GivenArray | None = None
    bias: GivenArray | None = None
    gradients: Gradients | None = None
    compare: GivenArray | None = None
    offset: Sequence[int] = (0, 0, 0)
    resource_min_lod: float = 0.0
    cube_faces: int = ALL_FACES
    palette: GivenArray | None = None
    dtype: DTypeLike | None = None

    @property
    def at(self) -> tuple[GivenArray, GivenArray | None, GivenArray | None]:
        """The coordinates."""
        return self.u, self.v, self.w
