"""Scene cuts: where one picture has nothing to do with the one before (texsamp's own)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from texsamp.device.base import Launch
from texsamp.device.params import params_type
from texsamp.video.frame import Frame
from texsamp.video.measurement import Measurement, read_together
from texsamp.video.samples import Samples, require_alike, source_record

_PARAMS = params_type("SceneChangeParams")
TILE_WIDTH = {"host": 512, "device": 256}
TILE_LINES = 64
LINE_STEP = 5
CUT_LEVELS = 20
"""A cut changes luma by this many of 256 levels more, on average, than the frame before did."""


def mean_change(first: Frame, second: Frame) -> Measurement[Fraction]:
    """Mean absolute difference of luma on every fifth line of two frames, in 8-bit levels."""
    device = first.device
    a, b = Samples.of(first, "Y"), Samples.of(second, "Y")
    require_alike("pictures on both sides of a cut", a, b)
    rows = -(-a.height // TILE_LINES)
    sums = device.empty((rows, a.width), "<u4")
    params = _PARAMS(
        first=source_record(device, a),
        second=source_record(device, b),
        sums=device.address(sums),
        sums_pitch_B=int(sums.strides[0]),
        width=a.width,
        height=a.height,
    )
    tiles = -(-a.width // TILE_WIDTH[device.tile_limits]), rows
    launch = Launch(f"scene_change_{a.type_name}", params, *tiles, (a.array, b.array, sums))
    whole = -(-a.height // LINE_STEP) * a.width << (a.bits - 8)
    return Measurement((launch,), (sums,), lambda hosts: Fraction(_total(hosts[0]), whole))


def _total(sums: np.ndarray) -> int:
    """Of columns, which 32 bits hold, and only then of all, in a quarter of the time."""
    return int(sums.sum(axis=0, dtype="u4").sum(dtype="u8"))


class SceneCuts:
    """Tells cuts in a row of frames; the first pair of a scene has nothing to be compared with and is none."""

    def __init__(self) -> None:
        self._last: Fraction | None = None

    def between(self, first: Frame, second: Frame, *others: Measurement[Any]) -> bool:
        """Whether a scene ends with the first frame; others are measured with it."""
        change = read_together(first.device, [mean_change(first, second), *others])[0]
        return self.is_cut(change)

    def is_cut(self, change: Fraction) -> bool:
        """Whether a scene ends where the mean change between two frames is this."""
        cut = self._last is not None and change - self._last >= CUT_LEVELS
        self._last = None if cut else change
        return cut
