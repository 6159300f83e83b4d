"""Lines on the screen: parallelograms, rectangles, or the pixels whose diamonds they leave (pages 237-244, 300)."""

from __future__ import annotations

import numpy as np

from texsamp.device.params import constant, params_type
from texsamp.emulator.fixed.objects import SUBPIXELS
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.state.commands_raster import LineStipple, MultisampleRasterization

_RULES = params_type("LineRules")
_ON = (MultisampleRasterization.ON_PIXEL, MultisampleRasterization.ON_PATTERN)


def are_antialiased(state: RasterState) -> bool:
    """Whether lines have an alpha by how much of a pixel they cover (pages 251, 301)."""
    setup = state.strips_fans
    return bool(setup.antialiasing and setup.line_width and setup.multisample_mode not in _ON)


def are_stippled(state: RasterState) -> bool:
    """Whether lines have a stipple: not rectangles."""
    rectangles = state.strips_fans.multisample_mode in _ON or are_antialiased(state)
    return bool(state.windower.line_stipple) and not rectangles


def counter(stipple: LineStipple) -> int:
    """The pixels that a line stipple has counted, as its index and its repeat counter have them."""
    return int(stipple.current_index) * max(int(stipple.repeat), 1) + int(stipple.current_counter)


def line_rules(state: RasterState) -> np.void:
    """The LineRules of `kernels/setup_lines.h`, as 3DSTATE_SF and 3DSTATE_WM want lines."""
    setup = state.strips_fans
    width = round(float(setup.line_width) * SUBPIXELS)
    kind, longer = "PARALLELOGRAM", 0
    if setup.multisample_mode in _ON:
        kind = "RECTANGLE"
    elif not width:
        kind = "THIN"
    elif are_antialiased(state):
        kind, longer = "RECTANGLE", SUBPIXELS // 2 << int(setup.line_end_width)
    return _RULES(
        kind=constant(f"LINE_{kind}"),
        width=width,
        longer=longer,
        draws_last=bool(setup.last_pixel),
        is_legacy=bool(state.windower.legacy_lines),
        at_x=int(state.at_pixel[0]),
        at_y=int(state.at_pixel[1]),
    )
