"""`Contrast`: adaptive contrast enhancement, ACE (seed 003:6541-6580)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from texsamp.device.arguments import is_integer
from texsamp.errors import StateError
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
from texsamp.video.frame import Frame, Statistics
from texsamp.video.stage import Stage

LIMITED_RANGE, FULL_RANGE = (16, 235), (0, 255)


class Contrast(Stage):
    """Spread the luma of each frame where its pixels are, by a curve that follows the stream without flicker.

    ``strength`` is 0 (nothing changes) to 10, or "auto": 5, and less for pictures of few levels. Skin counts neither
    for the curve nor against it, and weakens it. Chroma is untouched. `state` holds the curve of the last frame.
    Raises StateError for another strength, FormatError for a picture that is not YUV.
    """

    def __init__(self, strength: Literal["auto"] | int = "auto") -> None:
        if strength != "auto" and not (is_integer(strength) and 0 <= strength <= HIGHEST_STRENGTH):
            raise StateError(
                f"contrast strength must be auto or an integer from 0 to {HIGHEST_STRENGTH}, found {strength!r}"
            )
        self.strength: Literal["auto"] | int = strength
        self._detection = skin_tone_state(DEFAULT_LEVEL).replace(ste_enable=False, full_image_histogram=True)
        self._begin()

    def _begin(self) -> None:
        self.state = ColorProcessingState()
        self._history = CurveHistory()
        self._found: ColorStatistics | None = None
        self._analysis: Analysis | None = None

    def feed(self, frame: Frame) -> Iterable[Frame]:
        """The frame with its luma changed by its curve."""
        require_yuv(frame, "contrast")
        if self.strength == 0:
            yield frame
            return
        black, white = FULL_RANGE if frame.color.full_range else LIMITED_RANGE
        self._found = found = color_statistics(frame, self._detection)
        strength = None if self.strength == "auto" else self.strength
        self._analysis = made = analysis(found, strength, black, white)
        self.state = contrast_state(self._history.blended(made.curve, found.histogram), ColorProcessingState())
        yield run_pipe(frame, ColorBlocks(contrast=contrast_block(self.state)))

    def statistics(self) -> Statistics:
        """Figures of the last frame, and its curve: luma in0 to in11 goes to out0 to out11 (8 bits)."""
        found, made = self._found, self._analysis
        points = self.state.ace_points
        values = (points[0], *self.state.ace_biases, points[-1])
        return {
            "mean": None if made is None else made.mean,
            "dark_factor": None if made is None else made.dark,
            "y_min": None if found is None else found.y_min,
            "y_max": None if found is None else found.y_max,
            "skin_pixels": None if found is None else found.skin_pixels,
            **{f"in{i}": int(points[i]) for i in range(SEGMENTS + 1)},
            **{f"out{i}": int(values[i]) for i in range(SEGMENTS + 1)},
        }

    def flush(self) -> Iterable[Frame]:
        """The stream has ended."""
        self._begin()
        return ()
