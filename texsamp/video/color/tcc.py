"""`TotalColorControl`: the saturation of six colors (seed 003:6586-6740)."""

from __future__ import annotations

from collections.abc import Iterable

from texsamp.state import ColorProcessingState
from texsamp.video.color.params import ColorBlocks, control_block
from texsamp.video.color.pipe import require_yuv, run_pipe
from texsamp.video.fitting import with_luma
from texsamp.video.frame import Frame
from texsamp.video.options import Kinds, Real, check
from texsamp.video.stage import Stage

LARGEST_FACTOR = 1.99
"""The state's factors are U1.7."""
COLORS = ("red", "green", "blue", "cyan", "magenta", "yellow")
KINDS: Kinds = dict.fromkeys(COLORS, Real(0, LARGEST_FACTOR, closed=True))
"""What options may be."""


class TotalColorControl(Stage):
    """Multiply the saturation of each of six colors by a factor of 0 to 1.99; 1 is neutral, between them it blends.

    The state's limiters stay at their defaults: colors near gray and colors that are saturated already are spared when
    a factor is above 1. U and V have 10 bits here, so more are cut. Raises StateError for a factor outside the range,
    FormatError for a picture that is not YUV.
    """

    wants = staticmethod(with_luma)

    def __init__(
        self,
        red: float = 1.0,
        green: float = 1.0,
        blue: float = 1.0,
        cyan: float = 1.0,
        magenta: float = 1.0,
        yellow: float = 1.0,
    ) -> None:
        check("tcc", KINDS, red=red, green=green, blue=blue, cyan=cyan, magenta=magenta, yellow=yellow)
        self.red, self.green, self.blue = float(red), float(green), float(blue)
        self.cyan, self.magenta, self.yellow = float(cyan), float(magenta), float(yellow)
        factors = (self.magenta, self.red, self.yellow, self.green, self.cyan, self.blue)
        self.state = ColorProcessingState(tcc_enable=True, sat_factors=[round(f * 128) / 128 for f in factors])
        self._blocks = ColorBlocks(control=control_block(self.state))

    def feed(self, frame: Frame) -> Iterable[Frame]:
        """The frame with its chroma changed."""
        require_yuv(frame, "tcc")
        yield run_pipe(frame, self._blocks)
