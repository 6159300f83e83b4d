"""The surface that is none: everything read from it is 0 (seed 003:1985-2009)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from texsamp.device import Device, get_device
from texsamp.device.base import Array
from texsamp.device.given import GivenArray
from texsamp.errors import FormatError
from texsamp.sampler.coordinates import as_coordinates
from texsamp.state.render_surface import RenderSurfaceState, SurfaceType


@dataclass(frozen=True, init=False)
class NullSurface:
    """SURFTYPE_NULL, which is bound where there is no surface. Every sampling function takes it for a `Surface`.

    All channels of whatever is read are 0, alpha too, whatever the sampler and the other arguments say; so are sizes,
    levels and samples.
    """

    device: Device

    def __init__(self, device: Device | str = "auto") -> None:
        object.__setattr__(self, "device", get_device(device))

    @property
    def state(self) -> RenderSurfaceState:
        """RENDER_SURFACE_STATE of Gen7; other fields than the type are ignored."""
        return RenderSurfaceState(surface_type=SurfaceType.SURFTYPE_NULL)

    def __repr__(self) -> str:
        return f"<NullSurface, {self.device.name}>"

    def read(self, *places: GivenArray | None, channels: int = 4, dtype: DTypeLike | None = None) -> Array:
        """Zeros for places: arrays of one shape, numbers, or None.

        dtype: float32 (None), uint32, int32 or uint8. Raises FormatError for shapes that differ and for other types.
        """
        kind = np.dtype(np.float32 if dtype is None else dtype)
        if kind.name not in ("float32", "uint32", "int32", "uint8"):
            raise FormatError(f"what is read is float32, uint32, int32 or uint8, found dtype {str(kind)!r}")
        given = [(f"coordinate {i}", place) for i, place in enumerate(places) if place is not None]
        shape = as_coordinates(self.device, given, np.float32)[0].shape if given else ()
        made = self.device.empty((*shape, channels), kind)
        made[...] = 0
        return made
