"""`Contrast`: adaptive contrast enhancement, ACE (seed 003:6541-6580)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Literal, get_args

from texsamp.state import ColorProcessingState
from texsamp.video.color.ace import (
    HIGHEST_STRENGTH,
    SEGMENTS,
    Analysis,
    CurveHistory,
    analysis,
    contrast_state,
)
from texsamp.video.color.params import ColorBlocks, contrast_block
from texsamp.video.color.pipe import require_yuv, run_pipe
from texsamp.video.color.skintone import DEFAULT_LEVEL, skin_tone_state
from texsamp.video.color.statistics import ColorStatistics, color_statistics
from texsamp.video.fitting import with_luma
from texsamp.video.frame import Frame, Statistics
from texsamp.video.options import Choice, Either, Integer, Kinds, check
from texsamp.video.stage import Stage

LIMITED_RANGE, FULL_RANGE = (16, 235), (0, 255)

Histogram = Literal["ours", "hardware"]
KINDS: Kinds = {"strength": Either("auto", Integer(0, HIGHEST_STRENGTH)), "histogram": Choice(get_args(Histogram))}
"""What options may be."""


class Contrast(Stage):
    """Spread the luma of each frame where its pixels are, by a curve that follows the stream without flicker.

    ``strength`` is 0 (nothing changes) to 10, or "auto": 5, and less for pictures of few levels and where what is
    bright would darken by more than 6 steps; flat pictures stay as they are at any strength. Skin weakens the
    curve; ``histogram`` "ours" does not count it either, "hardware" counts all pixels. Chroma is untouched. `state`
    holds the curve of the last frame.
    Raises StateError for another strength or histogram, FormatError for a picture that is not YUV.
    """

    wants = staticmethod(with_luma)

    def __init__(self, strength: Literal["auto"] | int = "auto", histogram: Histogram = "ours") -> None:
        check("contrast", KINDS, strength=strength, histogram=histogram)
        self.strength: Literal["auto"] | int = strength
        self.histogram: Histogram = histogram
        self._detection = skin_tone_state(DEFAULT_LEVEL).replace(ste_enable=False, full_image_histogram=True)
        self._begin()

    def _begin(self) -> None:
        self.state = ColorProcessingState()
        self._history = CurveHistory()

    def feed(self, frame: Frame) -> Iterable[Frame]:
        """The frame with its luma changed by its curve."""
        require_yuv(frame, "contrast")
        if self.strength == 0:
            yield frame.told(figures=partial(_figures, None, None, self.state))
            return
        black, white = FULL_RANGE if frame.color.full_range else LIMITED_RANGE
        found = color_statistics(frame, self._detection)
        strength = None if self.strength == "auto" else self.strength
        counts = found.histogram if self.histogram == "hardware" else found.without_skin
        made = analysis(counts, found.skin_pixels / found.pixels, strength, black, white)
        self.state = contrast_state(self._history.blended(made.curve, counts), ColorProcessingState())
        out = run_pipe(frame, ColorBlocks(contrast=contrast_block(self.state)))
        yield out.told(figures=partial(_figures, found, made, self.state))

    def flush(self) -> Iterable[Frame]:
        """The stream has ended."""
        self._begin()
        return ()


def _figures(found: ColorStatistics | None, made: Analysis | None, state: ColorProcessingState) -> Statistics:
    """Figures of a frame, and its curve: luma in0 to in11 goes to out0 to out11 (8 bits).

    y_min and y_max are those of skin, in 10 bits, None if there is none.
    """
    skin = found if found is not None and found.skin_pixels else None
    points = state.ace_points
    values = (points[0], *state.ace_biases, points[-1])
    return {
        "mean": None if made is None else made.mean,
        "dark_factor": None if made is None else made.dark,
        "y_min": None if skin is None else skin.y_min,
        "y_max": None if skin is None else skin.y_max,
        "skin_pixels": None if found is None else found.skin_pixels,
        **{f"in{i}": int(points[i]) for i in range(SEGMENTS + 1)},
        **{f"out{i}": int(values[i]) for i in range(SEGMENTS + 1)},
    }
