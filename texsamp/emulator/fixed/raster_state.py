"""What the clipper, the setup and the rasterizer go by."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.fixed.objects import SUBPIXELS
from texsamp.state.commands_raster import (
    Clip,
    DrawingRectangle,
    LineAntialiasing,
    LineStipple,
    Multisample,
    MultisampleRasterization,
    PixelLocation,
    PolyStippleOffset,
    PolyStipplePattern,
    SetupBackend,
    StripsFans,
    Windower,
)
from texsamp.state.pixel_state import ScissorRect, SfClipViewport
from texsamp.state.render_surface import SampleCount

_SAMPLES = {SampleCount.COUNT_1: 1, SampleCount.COUNT_4: 4, SampleCount.COUNT_8: 8}


@dataclass(frozen=True)
class RasterState:
    """Commands' values; viewports and scissors by viewport index, at least one of each.

    sample_mask: samples that are drawn, of 3DSTATE_SAMPLE_MASK.
    """

    clip: Clip
    strips_fans: StripsFans
    backend: SetupBackend
    windower: Windower
    rectangle: DrawingRectangle
    multisample: Multisample
    viewports: tuple[SfClipViewport, ...]
    scissors: tuple[ScissorRect, ...]
    line_stipple: LineStipple = field(default_factory=LineStipple)
    line_antialiasing: LineAntialiasing = field(default_factory=LineAntialiasing)
    stipple_offset: PolyStippleOffset = field(default_factory=PolyStippleOffset)
    stipple_pattern: PolyStipplePattern = field(default_factory=PolyStipplePattern)
    sample_mask: int = 0xFF

    @property
    def samples(self) -> int:
        """Of a pixel."""
        return _SAMPLES[SampleCount(self.multisample.samples)]

    @property
    def at_pixel(self) -> NDArray[np.int32]:
        """Where a pixel is when it is one point: x and y from its upper left corner, 1/256."""
        corner = self.multisample.pixel_location == PixelLocation.UL_CORNER
        return np.full(2, 0 if corner else SUBPIXELS // 2, np.int32)

    @property
    def at_samples(self) -> NDArray[np.int32]:
        """Where its samples are, (samples, 2)."""
        count = self.samples
        if count == 1:
            return self.at_pixel[None]
        offsets = [self.multisample.x_offset[:count], self.multisample.y_offset[:count]]
        return (np.array(offsets).T * SUBPIXELS).astype(np.int32)

    @property
    def tested_of_lines(self) -> NDArray[np.int32]:
        """The same for lines, which patterns without multisampled lines leave where the pixel is (page 301)."""
        if self.strips_fans.multisample_mode == MultisampleRasterization.OFF_PATTERN:
            return np.repeat(self.at_pixel[None], self.samples, axis=0)
        return self.tested

    @property
    def tested(self) -> NDArray[np.int32]:
        """Where coverage is tested, (samples, 2): at the samples, or for all of them where the pixel is."""
        modes = MultisampleRasterization
        if self.strips_fans.multisample_mode in (modes.OFF_PIXEL, modes.ON_PIXEL):
            return np.repeat(self.at_pixel[None], self.samples, axis=0)
        return self.at_samples
