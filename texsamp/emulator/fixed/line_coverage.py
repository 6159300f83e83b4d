"""Coverage of antialiased lines, by which their alpha is multiplied (volume 2 part 1, pages 243-244, 291-294)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.fixed.lines import BEGIN, END, are_antialiased
from texsamp.emulator.fixed.objects import SUBPIXELS, Kind, ScreenObjects, Spans, Told
from texsamp.emulator.fixed.raster_state import RasterState

_SIDES, _ENDS = (0, 2), (BEGIN, END)
_STEPS = 255


def line_coverage(objects: ScreenObjects, spans: Spans, state: RasterState) -> NDArray[np.float32] | None:
    """How much of pixels antialiased lines cover, (m, 4), in steps of 1/255; 1 for all else. None if there is no line.

    From the ends it falls to 0 over their region's width, from the sides over half of the region's; or, with a slope in
    3DSTATE_AA_LINE_PARAMETERS, it is the product of all edges' slope times distance, less the bias.
    """
    if not are_antialiased(state):
        return None
    lines = objects.here.of(Told.KIND)[spans.objects] == Kind.LINE
    if not lines.any():
        return None
    x = spans.x[:, None].astype(np.int64) * SUBPIXELS + SUBPIXELS * np.array([0, 1, 0, 1]) + int(state.at_pixel[0])
    y = spans.y[:, None].astype(np.int64) * SUBPIXELS + SUBPIXELS * np.array([0, 0, 1, 1]) + int(state.at_pixel[1])
    edges = objects.here.edges[spans.objects]
    lengths = np.maximum(np.hypot(edges[..., 0].astype(np.float64), edges[..., 1]), 1) * SUBPIXELS
    inside = [(edges[:, n, :1] * x + edges[:, n, 1:2] * y + edges[:, n, 2:]) / lengths[:, n, None] for n in range(4)]
    given = state.line_antialiasing
    found = np.ones(x.shape)
    for numbers, width, slope, bias in (
        (_SIDES, 0.25 * (1 << int(state.windower.line_width)), given.slope, given.bias),
        (_ENDS, 0.5 * (1 << int(state.strips_fans.line_end_width)), given.end_slope, given.end_bias),
    ):
        if float(given.slope):
            for n in numbers:
                found *= np.clip(float(slope) * inside[n] - float(bias), 0, 1)
        else:
            found *= np.clip(np.minimum(*(inside[n] for n in numbers)) / width, 0, 1)
    found[~lines] = 1
    rounded: NDArray[np.float32] = (np.rint(found * _STEPS) / _STEPS).astype(np.float32)
    return rounded
