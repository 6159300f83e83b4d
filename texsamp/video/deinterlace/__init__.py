"""Deinterlacing: fields into frames, motion adaptive (seed 003:980-1224); `Deinterlace` is the stage."""

from texsamp.video.deinterlace.stage import Deinterlace

__all__ = ["Deinterlace"]
