"""Versions of the media libraries, for people who report bugs."""

from __future__ import annotations

import av


def ffmpeg_versions() -> dict[str, str]:
    """PyAV, FFmpeg and its libraries, by name."""
    libraries = {name: ".".join(map(str, number)) for name, number in sorted(av.library_versions.items())}
    return {"PyAV": av.__version__, "FFmpeg": getattr(av, "ffmpeg_version_info", "unknown"), **libraries}
