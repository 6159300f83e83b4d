"""A generation, and the structures by which it says what all generations can say."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.errors import StateError
from texsamp.state.gen9 import RenderSurfaceStateGen9, SamplerStateGen9
from texsamp.state.generations import GENERATIONS, check_generation
from texsamp.state.render_surface import RenderSurfaceState
from texsamp.state.sampler import SamplerState


@dataclass(frozen=True)
class Generation:
    """A generation whose surface and sampler states are known."""

    number: float
    surface: type[RenderSurfaceState | RenderSurfaceStateGen9]
    sampler: type[SamplerState | SamplerStateGen9]

    @classmethod
    def of(cls, number: float) -> Generation:
        """The generation of a number; StateError, with those that are known, for others."""
        check_generation(number)
        if number not in _KNOWN:
            known = ", ".join(f"{known:g} ({GENERATIONS[known]})" for known in _KNOWN)
            raise StateError(
                f"the surface and sampler states of generation {number:g} ({GENERATIONS[number]}) are not known; "
                f"those of {known} are"
            )
        return _KNOWN[number]


_KNOWN = {
    generation.number: generation
    for generation in (
        Generation(7, RenderSurfaceState, SamplerState),
        Generation(7.5, RenderSurfaceState, SamplerState),
        Generation(9, RenderSurfaceStateGen9, SamplerStateGen9),
    )
}
