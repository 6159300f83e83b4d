"""Statistics of a picture for the contrast curve: step 1 of ACE, which the hardware does (seed 003:6558, 6574-6578)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from texsamp.device.arguments import is_integer
from texsamp.device.base import Launch
from texsamp.device.params import params_type
from texsamp.errors import StateError
from texsamp.state import ColorProcessingState
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.color.params import ColorBlocks
from texsamp.video.color.pipe import require_yuv, run_pipe
from texsamp.video.frame import Frame

_PARAMS = params_type("ColorStatisticsParams")
_TILE_LINES = 32
BINS = 256
_SKIN_BINS = 1024
_OUTSIDE = BINS + _SKIN_BINS
_SUMS = _OUTSIDE + 1

Area = tuple[int, int, int, int]
"""Left, top, width, height in pixels."""

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ColorStatistics:
    """``without_skin[v]`` pixels have the luma v (its 8 high bits) and are not skin.

    ``skin[v]`` pixels have the luma v (its 10 high bits) and are; it is None if skin is not detected.
    ``outside_pixels`` lie outside the gamut, skin or not; None if gamut compression is off.
    """

    without_skin: Counts
    skin: Counts | None = None
    outside_pixels: int | None = None

    @property
    def histogram(self) -> Counts:
        """All pixels by the 8 high bits of their luma, as the hardware counts them (Haswell PRM volume 9, page 25)."""
        return self.without_skin if self.skin is None else self.without_skin + self.skin.reshape(BINS, -1).sum(axis=1)

    @property
    def pixels(self) -> int:
        """All pixels of the area."""
        return int(self.histogram.sum())

    @property
    def skin_pixels(self) -> int:
        """Pixels whose skin score is above the threshold."""
        return 0 if self.skin is None else int(self.skin.sum())

    @property
    def y_min(self) -> int:
        """Ymin of the hardware: the lowest luma of skin, 10 bits; 1023 if there is none, 0 if skin is not detected.

        Of skin by the threshold's description (seed 003:7560) and by Haswell PRM volume 9, page 23.
        """
        return 0 if self.skin is None else int(np.append(np.flatnonzero(self.skin), _SKIN_BINS - 1)[0])

    @property
    def y_max(self) -> int:
        """Ymax of the hardware: the highest luma of skin, 10 bits; 0 if there is none."""
        return 0 if self.skin is None else int(np.insert(np.flatnonzero(self.skin), 0, 0)[-1])


def _checked(area: Area, width: int, height: int) -> Area:
    left, top, columns, rows = area
    whole = all(is_integer(v) for v in area)
    if not whole or min(left, top) < 0 or min(columns, rows) < 1 or left + columns > width or top + rows > height:
        raise StateError(f"the area of interest must lie inside the picture of {width}x{height} pixels, found {area}")
    return area


@lru_cache(maxsize=16)
def _counted_blocks(state: ColorProcessingState) -> ColorBlocks:
    """The blocks before the contrast's place: a stream has one state."""
    return replace(ColorBlocks.from_state(state), control={}, contrast={}, procamp={}, matrix={})


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
    score = device.empty((height, width), "u1")
    outside = device.empty((height, width), "u1") if state.gamut_enable else None
    luma = run_pipe(
        frame,
        _counted_blocks(state),
        PIXEL_LAYOUTS["gray10le"],
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
    )
    arrays = tuple(array for array in (luma, score, outside, sums) if array is not None)
    device.launch(Launch("color_statistics", params, 1, tiles, arrays))
    total = device.download(sums).sum(axis=0, dtype=np.int64)
    skin = total[BINS:_OUTSIDE] if state.std_enable else None
    return ColorStatistics(total[:BINS], skin, None if outside is None else int(total[_OUTSIDE]))
