"""Every structure and command, by the manual's name.

Importing this module defines all of them; those who need one structure import its own module.
"""

from types import MappingProxyType

from texsamp.errors import StateError
from texsamp.state import (  # noqa: F401 - each defines structures
    color_processing,
    commands_3d,
    commands_common,
    commands_media,
    commands_mi,
    commands_raster,
    commands_sampler,
    data_port,
    deinterlace,
    gen9,
    media_surface,
    pixel_state,
    render_surface,
    render_target,
    sample_8x8,
    sampler,
    sampler_messages,
    thread_messages,
)
from texsamp.state.base import Struct

STRUCTURES = MappingProxyType(
    {name: cls for name, cls in sorted(Struct.by_name.items()) if cls.__module__.startswith("texsamp.state.")}
)
"""Name to class, sorted by name."""


def structure(name: str) -> type[Struct]:
    """Return a structure by its name in any case; StateError, with names that contain it, if there is none."""
    for known, cls in STRUCTURES.items():
        if known.lower() == name.lower():
            return cls
    close = [known for known in STRUCTURES if name.lower() in known.lower()]
    raise StateError(f"no structure {name!r}; there are {', '.join(close or STRUCTURES)}")
