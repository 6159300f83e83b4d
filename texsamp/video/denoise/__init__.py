"""Denoise: the filter in front of the deinterlacer (seed 003:799-978; definitions in docs/denoise.md)."""

from texsamp.video.denoise.parameters import DenoiseParameters
from texsamp.video.denoise.stage import Denoise

__all__ = ["Denoise", "DenoiseParameters"]
