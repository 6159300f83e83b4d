"""Video analytics: Convolve, and the surfaces that analytics functions read (docs/analytics.md)."""

from texsamp.video.analytics.convolve import convolve
from texsamp.video.analytics.kernel import ConvolveKernel
from texsamp.video.analytics.surface import ANALYTICS_FORMATS, fetch_block, read_texels

__all__ = ["ANALYTICS_FORMATS", "ConvolveKernel", "convolve", "fetch_block", "read_texels"]
