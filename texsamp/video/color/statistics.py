"""Statistics of a picture for the contrast curve: step 1 of ACE, which the hardware does (seed 003:6558, 6574-6578)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from texsamp.device.arguments import is_integer
from texsamp.device.base import Launch
from texsamp.device.params import INT, POINTER, params_type
from texsamp.errors import StateError
from texsamp.state import ColorProcessingState
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.color.params import ColorBlocks
from texsamp.video.color.pipe import require_yuv, run_pipe
from texsamp.video.frame import Frame

_PARAMS = params_type(
    "ColorStatisticsParams",
    "color_statistics.h",
    [
        *((name, POINTER) for name in ("luma", "score", "outside", "sums")),
        *((f"{name}_pitch_B", INT) for name in ("luma", "score", "outside", "sums")),
        *((name, INT) for name in ("left", "top", "right", "bottom", "threshold", "pad_")),
    ],
)
_TILE_LINES = 32
BINS = 256
_SKIN, _OUTSIDE, _SUMS = 256, 257, 258

Area = tuple[int, int, int, int]
"""Left, top, width, height in pixels."""


@dataclass(frozen=True, eq=False)
class ColorStatistics:
    """``histogram[v]`` pixels have the luma v (its 8 high bits) and are not skin; ``skin_pixels`` are.

    ``outside_pixels`` lie outside the gamut, skin or not; None if gamut compression is off.
    """

    histogram: npt.NDArray[np.int64]
    skin_pixels: int
    outside_pixels: int | None

    @property
    def pixels(self) -> int:
        """All pixels of the area."""
        return int(self.histogram.sum()) + self.skin_pixels

    @property
    def y_min(self) -> int | None:
        """Lowest luma of the histogram, 8 bits; None if it is empty."""
        found = np.flatnonzero(self.histogram)
        return int(found[0]) if len(found) else None

    @property
    def y_max(self) -> int | None:
        """Highest luma of the histogram, 8 bits; None if it is empty."""
        found = np.flatnonzero(self.histogram)
        return int(found[-1]) if len(found) else None


def _checked(area: Area, width: int, height: int) -> Area:
    left, top, columns, rows = area
    whole = all(is_integer(v) for v in area)
    if not whole or min(left, top) < 0 or min(columns, rows) < 1 or left + columns > width or top + rows > height:
        raise StateError(f"the area of interest must lie inside the picture of {width}x{height} pixels, found {area}")
    return area


def color_statistics(frame: Frame, state: ColorProcessingState, area: Area | None = None) -> ColorStatistics:
    """What the pipe counts where its contrast block is: after skin tones and gamut compression, if they are on.

    Pixels whose skin score is above the state's threshold are skin. ``area`` limits what is counted unless the state
    asks for the full image. Raises StateError for an area that is not inside the picture, FormatError for a frame that
    is not YUV.
    """
    require_yuv(frame, "color statistics")
    device, width, height = frame.device, frame.width_px, frame.height_px
    everything = (0, 0, width, height)
    counted = everything if area is None else _checked(area, width, height)
    if state.full_image_histogram:
        counted = everything
    left, top, columns, rows = counted
    blocks = ColorBlocks.from_state(state)
    score = device.empty((height, width), "u1")
    outside = device.empty((height, width), "u1") if state.gamut_enable else None
    luma = run_pipe(
        frame,
        replace(blocks, control={}, contrast={}, procamp={}, matrix={}),
        PIXEL_LAYOUTS["gray"],
        score=score,
        outside=outside,
    ).planes[0]
    tiles = -(-rows // _TILE_LINES)
    sums = device.empty((tiles, _SUMS), "<u4")
    params = _PARAMS(
        luma=device.address(luma),
        score=device.address(score),
        outside=0 if outside is None else device.address(outside),
        sums=device.address(sums),
        luma_pitch_B=luma.strides[0],
        score_pitch_B=score.strides[0],
        outside_pitch_B=0 if outside is None else outside.strides[0],
        sums_pitch_B=sums.strides[0],
        left=left,
        top=top,
        right=left + columns,
        bottom=top + rows,
        threshold=state.ace_skin_threshold,
        pad_=0,
    )
    arrays = tuple(array for array in (luma, score, outside, sums) if array is not None)
    device.launch(Launch("color_statistics", params, 1, tiles, arrays))
    total = device.download(sums).sum(axis=0, dtype=np.int64)
    return ColorStatistics(total[:BINS], int(total[_SKIN]), None if outside is None else int(total[_OUTSIDE]))
