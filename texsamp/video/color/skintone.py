"""`SkinTone`: find skin by its color and bring it nearer to what people like (seed 003:6160-6539)."""

from __future__ import annotations

from collections.abc import Iterable

from texsamp.device.base import Array
from texsamp.state import ColorProcessingState, preset
from texsamp.video.color.params import ColorBlocks, skin_block
from texsamp.video.color.pipe import require_yuv, run_pipe
from texsamp.video.fitting import with_luma
from texsamp.video.frame import Frame
from texsamp.video.options import Integer, Kinds, check
from texsamp.video.stage import Stage

HIGHEST_LEVEL = 9
DEFAULT_LEVEL = 3
KINDS: Kinds = {"level": Integer(0, HIGHEST_LEVEL)}
"""What options may be."""

_CURVES = (
    # SATP1, SATS0, SATS1 of the driver's slider; slopes in 1/256
    (0, 239, 171),
    (-2, 256, 128),
    (-4, 275, 102),
    (-6, 297, 85),
    (-10, 378, 194),
    (-12, 418, 185),
    (-14, 467, 176),
    (-16, 529, 169),
    (-18, 610, 162),
    (-20, 721, 156),
)
_CALM_LEVELS = 3
"""Up to here the curves pull toward the middle of the skin and the hue is corrected too; above, saturation rises."""


def skin_tone_state(level: int) -> ColorProcessingState:
    """The state of a level of the driver's slider: media-driver's default state with its curves, V-Y detection on."""
    point, slope0, slope1 = _CURVES[level]
    state = preset(ColorProcessingState, "ihd", std_enable=True, ste_enable=True, vy_std_enable=True)
    dark = {name: getattr(state, name)[1] for name in ("sat_points", "sat_biases", "sat_slopes")}
    dark |= {name: getattr(state, name)[1] for name in ("hue_points", "hue_biases", "hue_slopes")}
    if level <= _CALM_LEVELS:
        sat = ((point, 6, 31), (-2.0, 2.0, 31.0), (slope0 / 256, slope1 / 256, 297 / 256, 1.0))
        hue = ((-6, 6, 14), (-2.0, 2.0, 14.0), (384 / 256, 85 / 256, 384 / 256, 1.0))
    else:
        sat = ((point, 31, 31), (0.0, 31.0, 31.0), (slope0 / 256, slope1 / 256, 1.0, 1.0))
        hue = ((14, 14, 14), (14.0, 14.0, 14.0), (1.0, 1.0, 1.0, 1.0))
    curves = dict(zip(("sat_points", "sat_biases", "sat_slopes"), sat, strict=True))
    curves |= dict(zip(("hue_points", "hue_biases", "hue_slopes"), hue, strict=True))
    return state.replace(**{name: (bright, dark[name]) for name, bright in curves.items()})


class SkinTone(Stage):
    """Enhance skin tones with the levels 0 to 9 of media-driver's slider; what is not skin is untouched.

    Raises StateError for another level, FormatError for a picture that is not YUV.
    """

    wants = staticmethod(with_luma)

    def __init__(self, level: int = DEFAULT_LEVEL) -> None:
        check("skintone", KINDS, level=level)
        self.level = int(level)
        self.state = skin_tone_state(self.level)
        self._blocks = ColorBlocks(skin=skin_block(self.state))

    def feed(self, frame: Frame) -> Iterable[Frame]:
        """The frame with its skin enhanced."""
        require_yuv(frame, "skintone")
        yield run_pipe(frame, self._blocks)


def skin_scores(frame: Frame) -> Array:
    """The skin score of every pixel, 0 to 31, as a uint8 array on the frame's device: detection of the default state.

    Raises FormatError for a picture that is not YUV.
    """
    require_yuv(frame, "skin tone detection")
    score = frame.device.empty((frame.height_px, frame.width_px), "u1")
    blocks = ColorBlocks(skin={**skin_block(skin_tone_state(DEFAULT_LEVEL)), "enhance": 0})
    run_pipe(frame, blocks, score=score)
    return score
