"""Numbers of frames in words."""

from __future__ import annotations


def counted(frames: int) -> str:
    """So many frames, or one."""
    return f"{frames} frame{'s' * (frames != 1)}"
