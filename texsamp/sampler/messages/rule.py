"""What a rule about sampler messages is: messages, limit, source, and what breaks it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.sampler.messages.request import SamplerRequest
from texsamp.state.base import Struct
from texsamp.state.formats import SurfaceFormatInfo, surface_format
from texsamp.state.media_surface import MediaSurfaceState
from texsamp.state.render_surface import RenderSurfaceState, SurfaceType
from texsamp.state.sampler import AddressControl

SurfaceState = RenderSurfaceState | MediaSurfaceState
"""A surface as a message can find it."""


class ParametersOnDevice(Mapping[str, Any], ABC):
    """Parameters on a device, of which numbers come to the host for rules."""

    @abstractmethod
    def there(self, name: str) -> Any:
        """A parameter where it is, (threads, lanes)."""

    @abstractmethod
    def extremes(self, name: str, active: NDArray[np.bool_]) -> tuple[float, float]:
        """Least and largest value of a parameter among active lanes; NaN if one is, 0 if no lane is active."""

    @abstractmethod
    def is_any(self, find: Callable[[ParametersOnDevice], Any], active: NDArray[np.bool_]) -> bool:
        """Whether one of the lanes that a function finds, (threads, lanes) there, is active."""


@dataclass(frozen=True, eq=False, slots=True)
class Case:
    """What a rule looks at."""

    request: SamplerRequest
    surface: SurfaceState | None = None
    sampler: Struct | None = None

    def least(self, name: str) -> float:
        """Smallest value of a parameter over the enabled lanes; NaN if one is NaN, 0 if none is enabled."""
        return self._extremes(name)[0]

    def largest(self, name: str) -> float:
        """Largest value, as `least`."""
        return self._extremes(name)[1]

    def _extremes(self, name: str) -> tuple[float, float]:
        parameters = self.request.parameters
        if isinstance(parameters, ParametersOnDevice) and name in parameters:
            return parameters.extremes(name, self.request.active)
        values = self.request.parameter(name)[self.request.active]
        return (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)


Find = Callable[[Any], object]
"""What is wrong in a case, None if nothing is."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One restriction: messages it holds for, the limit in words, its line in the manual, and what breaks it.

    surface, sampler: types of state the rule needs to be checked. is_broken_by_drivers: whether drivers break it, and
    rely on what comes of it.
    """

    messages: frozenset[str] | None
    limit: str
    source: str
    find: Find
    surface: type[Struct] | tuple[type[Struct], ...] | None = None
    sampler: type[Struct] | None = None
    is_broken_by_drivers: bool = False

    def broken(self, case: Case) -> object:
        """What breaks the rule in a case; None if nothing does or a state is not known."""
        if self.messages is not None and case.request.message.name not in self.messages:
            return None
        if self.surface is not None and not isinstance(case.surface, self.surface):
            return None
        if self.sampler is not None and not isinstance(case.sampler, self.sampler):
            return None
        return self.find(case)


def unless(good: bool, found: object) -> object:
    """Nothing if it is good, else what was found."""
    return None if good else found


def surface_in(*types: SurfaceType) -> Find:
    """That a surface has one of some types."""
    return lambda case: unless(case.surface.surface_type in types, case.surface.surface_type)


def format_of(case: Any) -> SurfaceFormatInfo:
    """The surface's format."""
    return surface_format(int(case.surface.format))


def address_controls(case: Any) -> list[AddressControl]:
    """Address controls of the axes that the surface has."""
    axes = {SurfaceType.SURFTYPE_1D: 1, SurfaceType.SURFTYPE_2D: 2}.get(case.surface.surface_type, 3)
    return [case.sampler.address_u, case.sampler.address_v, case.sampler.address_r][:axes]
