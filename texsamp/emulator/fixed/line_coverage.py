"""Coverage of antialiased lines, by which their alpha is multiplied (volume 2 part 1, pages 243-244, 291-294)."""

from __future__ import annotations

import numpy as np

from texsamp.device.base import Array, Launch
from texsamp.device.params import params_type
from texsamp.device.tiles import in_rows
from texsamp.emulator.fixed.lines import are_antialiased
from texsamp.emulator.fixed.objects import Kind, ScreenObjects, Spans
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.emulator.fixed.setup_rules import kind_of
from texsamp.state.commands_raster import FillMode

SUBSPANS = {"host": 256, "device": 256}
"""Of a tile: LINE_SUBSPANS of `kernels/line_cover.h`."""
_PIXELS = 4
_PARAMS, _RAMP = params_type("LineCoverParams"), params_type("LineRamp")


def line_coverage(objects: ScreenObjects, spans: Spans, state: RasterState) -> Array | None:
    """How much of pixels antialiased lines cover, (m, 4), in steps of 1/255; 1 for all else. None if no line can be.

    From the ends it falls to 0 over their region's width, from the sides over half of the region's; or, with a slope in
    3DSTATE_AA_LINE_PARAMETERS, it is the product of all edges' slope times distance, less the bias. It is where the
    objects are.
    """
    setup, given, device = state.strips_fans, state.line_antialiasing, objects.device
    outlined = FillMode.WIREFRAME in (setup.front_fill, setup.back_fill)
    if not are_antialiased(state) or not (outlined or kind_of(objects.topology) == Kind.LINE):
        return None
    covered = device.empty((len(spans), _PIXELS), np.float32)
    if not len(spans):
        return covered
    tiles = in_rows(len(spans), SUBSPANS[device.tile_limits])
    arrays = {"edges": objects.edges, "told": objects.told, "subspans": spans.on(device), "covered": covered}
    params = _PARAMS(
        **{name: device.address(array) for name, array in arrays.items()},
        sides=_RAMP(width=0.25 * (1 << int(state.windower.line_width)), slope=given.slope, bias=given.bias),
        ends=_RAMP(width=0.5 * (1 << int(setup.line_end_width)), slope=given.end_slope, bias=given.end_bias),
        has_slope=float(given.slope) != 0,
        count=len(spans),
        at_x=int(state.at_pixel[0]),
        at_y=int(state.at_pixel[1]),
        tiles_x=tiles[0],
    )
    device.launch(Launch("line_cover", params, *tiles, tuple(arrays.values())))
    return covered
