"""Stipples: which pixels of lines and polygons are left out (volume 2 part 1, pages 294-300)."""

from __future__ import annotations

import numpy as np

from texsamp.device.base import Array, Launch
from texsamp.device.params import params_type
from texsamp.device.tiles import in_rows
from texsamp.emulator.fixed.lines import are_stippled, counter
from texsamp.emulator.fixed.objects import Kind, ScreenObjects, Told
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.emulator.fixed.setup_rules import CONTINUED, STRIPS, kind_of
from texsamp.state.commands_3d import Topology
from texsamp.state.commands_raster import LineStipple

LINES = {"host": 256, "device": 256}
"""Of a tile: RASTER_LINES of `kernels/raster_lines.h`."""
_PARAMS, _STIPPLE = params_type("RasterLinesParams"), params_type("RasterStipple")
_PATTERN_BITS = 16


def stipple(objects: ScreenObjects, state: RasterState) -> tuple[np.void | None, Array | None]:
    """What the rasterizer goes by, a RasterStipple, and an array that it points to; None where nothing is stippled."""
    lines, polygons = are_stippled(state), bool(state.windower.polygon_stipple)
    if not len(objects) or not (lines or polygons):
        return None, None
    device, before = objects.device, _before(objects, state) if lines else None
    record = _STIPPLE(
        before=0 if before is None else device.address(before),
        pattern=int(state.line_stipple.pattern),
        repeat=max(int(state.line_stipple.repeat), 1),
        at_x=int(state.at_pixel[0]),
        at_y=int(state.at_pixel[1]),
        polygons=polygons,
        x=int(state.stipple_offset.x),
        y=int(state.stipple_offset.y),
        rows=tuple(state.stipple_pattern.pattern),
    )
    return record, before


def counted(objects: ScreenObjects, topology: Topology, state: RasterState) -> LineStipple:
    """3DSTATE_LINE_STIPPLE with its counters as they stand behind a draw (page 294): two numbers are asked.

    objects: all that are on the screen. topology: of the primitives that they come from.
    """
    given, count = state.line_stipple, 0
    if len(objects):
        device = objects.device
        counts, before = _counts(objects, state), _before(objects, state)
        with device.current():
            last = before[-1:] + counts[-1:]
            (kind,), (behind,) = device.start_download((objects.told[-1:, Told.KIND].copy(), last)).result()
        if kind == Kind.LINE:
            count = int(behind)
    elif topology in CONTINUED:
        count = counter(given)
    index, pixels = divmod(count, max(int(given.repeat), 1))
    return given.replace(modify_counters=True, current_index=index % _PATTERN_BITS, current_counter=pixels)


def _counts(objects: ScreenObjects, state: RasterState) -> Array:
    """How many pixels the counter counts of each object, were it a line, int64 (n,), where they are."""
    device, tiles = objects.device, in_rows(len(objects), LINES[objects.device.tile_limits])
    counts = device.empty((len(objects),), np.int64)
    params = _PARAMS(
        edges=device.address(objects.edges),
        counts=device.address(counts),
        count=len(objects),
        at_x=int(state.at_pixel[0]),
        at_y=int(state.at_pixel[1]),
        tiles_x=tiles[0],
    )
    device.launch(Launch("raster_lines", params, *tiles, (objects.edges, counts)))
    return counts


def _before(objects: ScreenObjects, state: RasterState) -> Array:
    """How far the counter has come where each line begins (page 294), int64 (n,); edges of polygons begin anew."""
    device, topology = objects.device, objects.topology
    with device.current():
        if kind_of(topology) != Kind.LINE or topology not in STRIPS:
            none: Array = device.arrays.zeros(len(objects), np.int64)
            return none
        counts = _counts(objects, state)
        before: Array = np.cumsum(counts) - counts
        if topology in CONTINUED:
            before = before + counter(state.line_stipple)
            return before
        runs = objects.told[:, Told.RUN]
        is_new = device.arrays.zeros(len(objects), np.int32)
        is_new[1:] = (runs[1:] != runs[:-1]).astype(np.int32)
        strips = np.cumsum(is_new)
        since: Array = before - before[np.searchsorted(strips, strips)]
        return since
