"""Tags of cameras and phones, as com.apple.quicktime.make, which MP4 and MOV hold in a list of keys."""

from __future__ import annotations

from collections.abc import Collection, Mapping

_BESIDE = {"creation_time", "location", "make", "model"}
"""Tags that a list of keys holds as well as what else a file has for them."""

_OWN_ATOMS = {"mp4": {"creation_time", "location"}, "mov": _BESIDE}
"""Those of them that a muxer holds without such a list."""


def key_list_options(muxer: str, metadata: Collection[str], has_covers: bool) -> Mapping[str, str]:
    """What makes a muxer write tags as a list of keys.

    FFmpeg writes all of them so or none, and players look for titles and covers elsewhere. So nothing is asked for
    where there is one, or where no tag needs it.
    """
    names = {name.lower().partition("-")[0] for name in metadata}
    of_cameras = {name for name in names if name.startswith("com.")}
    others = names - of_cameras
    if muxer not in _OWN_ATOMS or has_covers or others - _BESIDE or not of_cameras | others - _OWN_ATOMS[muxer]:
        return {}
    return {"movflags": "+use_metadata_tags"}
