"""Motion compensation: the search between two frames, and luma made with what it found (seed 003:1236-1431)."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.video.deinterlace.parameters import CompensationParameters
from texsamp.video.frame import Frame
from texsamp.video.samples import Samples, require_alike, require_shape, source_record

_MOTION = params_type("DeinterlaceMotionParams")
_COMPENSATED = params_type("DeinterlaceCompensatedParams")
MOTION_TILES = {"host": (126, 16), "device": (30, 8)}
"""Pairs across and lines down (a test holds them against the header)."""
WINDOW_PX = 30
"""Pixels of the search's window, by which thresholds are multiplied (seed 003:1389)."""


@dataclass(frozen=True, eq=False)
class Vectors:
    """For every line and pair the vector to the other frame, int8 pixels, and its sum, 65535 if that is not small."""

    x: Array
    y: Array
    sad: Array
    parameters: CompensationParameters
    device: Device

    def compensated(self, luma: Launch, current: Samples, counts: Array | None = None) -> Launch:
        """The launch that does what a launch for luma does, with compensation.

        ``counts``, uint32 of (missing lines, tiles across), will hold how many pixels are compensated.
        """
        constants, scale = self.parameters, current.bits - 8
        require_shape("vectors of a field", self.x, (current.height, (current.width + 1) // 2))
        arrays = (self.x, self.y, self.sad, *(() if counts is None else (counts,)))
        x, y, sad = (self.device.address(array) for array in arrays[:3])
        params = _COMPENSATED(
            luma=luma.params,
            x=x,
            y=y,
            sad=sad,
            counts=0 if counts is None else self.device.address(counts),
            vectors_pitch_B=int(self.x.strides[0]),
            sad_pitch_B=int(self.sad.strides[0]),
            perfect=constants.cat_th1 << scale,
            tight=constants.sad_tight_th * WINDOW_PX << scale,
            consistency=constants.mc_pixel_consistency_th << scale,
            neighbor=max(constants.neighbor_pixel_th << scale, 1),
            smooth=constants.smooth_mv_th,
            still=int(luma.params["stmm_min"]) + (0 if constants.blended else 1 << int(luma.params["stmm_shift"])),
            counts_pitch_B=0 if counts is None else int(counts.strides[0]),
        )
        kernel = f"deinterlace_compensated_{current.type_name}"
        return Launch(kernel, params, luma.tiles_x, luma.tiles_y, (*luma.arrays, *arrays))


def search_motion(
    frames: tuple[Frame, Frame], parameters: CompensationParameters, lines_apart: int | None = None
) -> tuple[Launch, Vectors]:
    """The launch that searches all lines, and what it will have found.

    ``frames`` are, by the parity of a line, the frame whose field lacks that line: vectors lead to the other one.
    With ``lines_apart``, an even number, only two lines in so many are searched, from line 0 on.
    """
    device = frames[0].device
    luma = [Samples.of(frame, "Y") for frame in frames]
    require_alike("pictures that motion is searched in", *luma)
    width, height, scale = luma[0].width, luma[0].height, luma[0].bits - 8
    across, down = MOTION_TILES[device.tile_limits]
    shape = (height, (width + 1) // 2)
    found = Vectors(
        device.empty(shape, "i1"), device.empty(shape, "i1"), device.empty(shape, "<u2"), parameters, device
    )
    params = _MOTION(
        frames=[source_record(device, samples) for samples in luma],
        x=device.address(found.x),
        y=device.address(found.y),
        sad=device.address(found.sad),
        vectors_pitch_B=int(found.x.strides[0]),
        sad_pitch_B=int(found.sad.strides[0]),
        width=width,
        height=height,
        slope=parameters.cat_slope,
        limit_a=parameters.sad_tha,
        limit_b=parameters.sad_thb,
        perfect=parameters.cat_th1 << scale,
        scale=scale,
        tile_lines=down if lines_apart is None else 2,
        tile_distance=lines_apart or down,
    )
    tiles = -(-shape[1] // across), -(-height // (lines_apart or down))
    arrays = (*(samples.array for samples in luma), found.x, found.y, found.sad)
    return Launch(f"deinterlace_motion_{luma[0].type_name}", params, *tiles, arrays), found
