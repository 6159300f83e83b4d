"""`Procamp`: brightness, contrast, saturation and hue (seed 003:6742-6772)."""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, radians, sin

from texsamp.state import ColorProcessingState
from texsamp.video.color.params import ColorBlocks, procamp_block
from texsamp.video.color.pipe import require_yuv, run_pipe
from texsamp.video.fitting import with_luma
from texsamp.video.frame import Frame
from texsamp.video.options import Kinds, Real, check
from texsamp.video.stage import Stage

KINDS: Kinds = {
    "brightness": Real(-100, 100, closed=True),
    "contrast": Real(0, 10, closed=True),
    "saturation": Real(0, 10, closed=True),
    "hue": Real(-180, 180, closed=True),
}
"""What options may be, as drivers have them."""


def procamp_state(brightness: float, contrast: float, saturation: float, hue: float) -> ColorProcessingState:
    """The state of a setting; the factors of U and V hold the contrast, as the drivers have it (seed 003:6770)."""
    factor, angle = contrast * saturation, radians(hue)
    return ColorProcessingState(
        procamp_enable=True,
        brightness=round(brightness * 16) / 16,
        contrast=round(contrast * 128) / 128,
        cos_c_s=round(factor * cos(angle) * 256) / 256,
        sin_c_s=round(factor * sin(angle) * 256) / 256,
    )


class Procamp(Stage):
    """Brightness in 8-bit steps (-100 to 100), contrast and saturation (0 to 10, neutral 1), hue in degrees (+-180).

    The neutral setting changes no bit. Raises StateError for a value outside its range, FormatError for a picture that
    is not YUV.
    """

    wants = staticmethod(with_luma)

    def __init__(
        self, brightness: float = 0.0, contrast: float = 1.0, saturation: float = 1.0, hue: float = 0.0
    ) -> None:
        check("procamp", KINDS, brightness=brightness, contrast=contrast, saturation=saturation, hue=hue)
        self.brightness, self.contrast = float(brightness), float(contrast)
        self.saturation, self.hue = float(saturation), float(hue)
        self.state = procamp_state(self.brightness, self.contrast, self.saturation, self.hue)
        self._blocks = ColorBlocks(procamp=procamp_block(self.state))

    def feed(self, frame: Frame) -> Iterable[Frame]:
        """The frame with its levels changed."""
        require_yuv(frame, "procamp")
        yield run_pipe(frame, self._blocks)
