"""`SampleArguments`: what a sampling message is given beside a surface and a sampler, as one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from texsamp.sampler.cube_faces import ALL_FACES


@dataclass(frozen=True, eq=False)
class SampleArguments:
    """Arguments of `sample`, which says what they mean; not checked yet."""

    u: Any
    v: Any = None
    w: Any = None
    layer: Any = None
    lod: Any = None
    bias: Any = None
    gradients: Any = None
    compare: Any = None
    offset: Sequence[int] = (0, 0, 0)
    resource_min_lod: float = 0.0
    cube_faces: int = ALL_FACES
    palette: Any = None
    dtype: Any = None

    @property
    def at(self) -> tuple[Any, Any, Any]:
        """The coordinates."""
        return self.u, self.v, self.w
