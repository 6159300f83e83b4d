"""Largest sizes of surfaces."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.device.arguments import is_integer
from texsamp.errors import StateError
from texsamp.state.render_surface import SurfaceType


@dataclass(frozen=True)
class Limits:
    """Largest extents of one generation. Entries are those of typed buffers."""

    extent_px: int  # of 1D, 2D and cube surfaces
    volume_px: int  # of 3D surfaces, each axis
    slices: int  # of an array; six per cube
    levels: int
    pitch_B: int  # noqa: N815 - the unit
    samples: tuple[int, ...]


MAX_BUFFER_PITCH_B = 2048  # 001:2256, 003:2281: bytes of one element
ENTRIES = 1 << 27  # 003:2225, and 2^30 for raw buffers
RAW_ENTRIES = 1 << 30
MAX_SURFACE_B = 1 << 31  # IVB 1.1 p. 105

_LIMITS = {
    4: Limits(8192, 2048, 512, 14, 1 << 17, (1,)),  # 4 to 6: SNB 4.1 p. 78-81; a pitch has 17 bits
    5: Limits(8192, 2048, 512, 14, 1 << 17, (1,)),
    6: Limits(8192, 2048, 512, 14, 1 << 17, (1, 4)),
    7: Limits(16384, 2048, 2048, 15, 1 << 18, (1, 4, 8)),  # 003:2214-2288, 003:2381-2389
    9: Limits(16384, 2048, 2048, 15, 1 << 18, (1,)),  # BXT 2c p. 40-43
}

GENERATIONS = (4, 5, 6, 7, 7.5, 9)
"""Generations whose layout is described. On Gen9 the distance of slices is a field of the surface state."""


def limits_of(generation: float) -> Limits:
    """Limits of a generation. Raises StateError for one whose layout is not described."""
    if generation not in GENERATIONS:
        known = ", ".join(f"{g:g}" for g in GENERATIONS)
        raise StateError(f"layouts are described for generations {known}, found {generation!r}")
    return _LIMITS[int(generation)]


def require(name: str, value: int, low: int, high: int) -> None:
    """Raise StateError unless ``low`` <= ``value`` <= ``high``."""
    if not is_integer(value) or not low <= value <= high:
        raise StateError(f"{name} must be from {low} to {high}, found {value}")


def axis_limits(surface_type: SurfaceType, limits: Limits) -> tuple[int, int, int]:
    """Largest width, height and depth in texels of a surface type that is no buffer."""
    if surface_type == SurfaceType.SURFTYPE_3D:
        return limits.volume_px, limits.volume_px, limits.volume_px
    return limits.extent_px, 1 if surface_type == SurfaceType.SURFTYPE_1D else limits.extent_px, 1
