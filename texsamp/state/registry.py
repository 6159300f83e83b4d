"""Every structure and command, by the manual's name.

Importing this module defines all of them; those who need one structure import its own module.
"""

from difflib import get_close_matches
from types import MappingProxyType

from texsamp.errors import StateError
from texsamp.state import (  # noqa: F401 - each defines structures
    color_processing,
    commands_3d,
    commands_blitter,
    commands_common,
    commands_media,
    commands_mi,
    commands_raster,
    commands_sampler,
    convolve,
    data_port,
    deinterlace,
    deinterlace_statistics,
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
    """Return a structure by its name in any case; StateError, with the names that come close, if there is none."""
    by_upper = {known.upper(): cls for known, cls in STRUCTURES.items()}
    if name.upper() in by_upper:
        return by_upper[name.upper()]
    close = [known for known in STRUCTURES if name.upper() in known.upper()]
    close = close or [by_upper[upper].name for upper in get_close_matches(name.upper(), by_upper, n=5, cutoff=0)]
    raise StateError(f"no structure {name!r} among {len(STRUCTURES)}; there are {', '.join(close)}")
