"""How precise a sampler must be: the numbers that a verdict depends on, and three sets of them by name."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from texsamp.errors import StateError


@dataclass(frozen=True)
class Precision:
    """What a sampler may do.

    coordinate_bits: significant bits of a coordinate and of every product with it. Relative to it, so a coordinate far
        from 0 is less certain. On faces of cubes, where it is at most 1, bits after the point.
    position_bits: bits after the point of a position in texels, hence of weights.
    derivative_bits: significant bits of a derivative, its logarithm included: of LODs that follow from derivatives, two
        units of this place may be wrong.
    lod_bits: bits after the point of a level of detail, hence of the weight between levels.
    snap: whether positions and LODs are exactly the numbers of that many bits that the state's rounding gives, and
        nothing else; if not, everything within one step is allowed.
    footprint: what a LOD is made of. ``length``: the longer of the two derivative vectors; ``bounds``: anything between
        the largest of their components and the sum of the largest of each axis, as OpenGL allows.
    derivatives: ``quad``: from pixels 0, 1 and 2 of each 2x2, for all four; ``any``: from any row and column of
        it, and for cubes by the rule for quotients at any pixel.
    color_bits: significant bits of a filtered float, relative to the largest texel that takes part.
    unorm8_codes: how far a filtered number of 8-bit texels may be off, in 1/255.
    """

    coordinate_bits: int
    position_bits: int
    derivative_bits: int
    lod_bits: int
    snap: bool
    footprint: Literal["length", "bounds"]
    derivatives: Literal["quad", "any"]
    color_bits: int
    unorm8_codes: float


PRECISIONS: MappingProxyType[str, Precision] = MappingProxyType(
    {
        "gen7": Precision(24, 8, 20, 8, True, "length", "quad", 20, 2.0**-15),
        "d3d": Precision(22, 8, 5, 8, False, "length", "any", 16, 0.6),
        "loose": Precision(20, 6, 4, 4, False, "bounds", "any", 8, 2.0),
    }
)
"""``gen7``: texsamp's own definition, to the last bit of position and LOD. ``d3d``: what samplers of
Direct3D 11 do: 8 bits of position in a texel and of LOD (its two FRACTIONAL_BIT_COUNTs), LODs from lengths, with a
logarithm that may be linear between powers of two (wrong by 0.043). ``loose``: what OpenGL's rules let pass."""


def precision_named(precision: str | Precision) -> Precision:
    """A precision, or the one of a name. Raises StateError for other names."""
    if isinstance(precision, Precision):
        return precision
    if precision not in PRECISIONS:
        raise StateError(f"precision must be one of {', '.join(PRECISIONS)}, found {precision!r}")
    return PRECISIONS[precision]
