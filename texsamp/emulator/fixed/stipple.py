"""Stipples: which pixels of lines and polygons are left out (volume 2 part 1, pages 294-300)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.fixed.lines import are_stippled, counter, steps
from texsamp.emulator.fixed.objects import Kind, ScreenObjects, Spans, Told
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.emulator.fixed.setup_rules import CONTINUED, STRIPS, kind_of
from texsamp.state.commands_3d import Topology
from texsamp.state.commands_raster import LineStipple

_RIGHT, _BELOW = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
_PATTERN_BITS, _SIZE = 16, 32


def stippled(objects: ScreenObjects, spans: Spans, state: RasterState) -> Spans:
    """The subspans with what stipples leave of them, without those that have nothing left."""
    lines, polygons = are_stippled(state), bool(state.windower.polygon_stipple)
    if not len(spans) or not (lines or polygons):
        return spans
    kept = np.ones((len(spans), len(_RIGHT)), np.bool_)
    kinds = objects.here.of(Told.KIND)[spans.objects]
    for wanted, kind, rule in ((lines, Kind.LINE, _of_lines), (polygons, Kind.POLYGON, _of_polygons)):
        rows = np.flatnonzero((kinds == kind) & wanted)
        if len(rows):
            kept[rows] = rule(objects, spans.at(rows), state)
    pixels = (kept << np.arange(len(_RIGHT))).sum(axis=1).astype(np.uint32)
    masks = sum((pixels << np.uint32(4 * sample) for sample in range(state.samples)), np.zeros_like(pixels))
    left = spans.subspans.copy()
    left[:, 3] &= masks.view(np.int32)
    return Spans(left[left[:, 3] != 0])


def counted(objects: ScreenObjects, topology: Topology, state: RasterState) -> LineStipple:
    """3DSTATE_LINE_STIPPLE with its counters as they stand behind a draw (page 294).

    objects: all that are on the screen. topology: of the primitives that they come from.
    """
    stipple, count = state.line_stipple, 0
    if len(objects):
        if objects.here.of(Told.KIND)[-1] == Kind.LINE:
            count = int(_before(objects, state)[-1] + steps(objects.here.edges[-1:], state.at_pixel)[3][0])
    elif topology in CONTINUED:
        count = counter(stipple)
    index, pixels = divmod(count, max(int(stipple.repeat), 1))
    return stipple.replace(modify_counters=True, current_index=index % _PATTERN_BITS, current_counter=pixels)


def _before(objects: ScreenObjects, state: RasterState) -> NDArray[np.int64]:
    """How far the counter has come where each line begins (page 294); edges of polygons begin anew."""
    if kind_of(objects.topology) != Kind.LINE or not len(objects):
        return np.zeros(len(objects), np.int64)
    counts = steps(objects.here.edges, state.at_pixel)[3]
    before = np.cumsum(counts) - counts
    if objects.topology in CONTINUED:
        return np.asarray(before + counter(state.line_stipple))
    runs, goes_on = objects.here.of(Told.RUN), np.zeros(len(objects), np.bool_)
    if objects.topology in STRIPS:
        goes_on[1:] = runs[1:] == runs[:-1]
    begins = np.maximum.accumulate(np.where(goes_on, 0, np.arange(len(before))))
    return np.asarray(before - before[begins])


def _of_lines(objects: ScreenObjects, spans: Spans, state: RasterState) -> NDArray[np.bool_]:
    """Pixels of lines whose bit is set: their number along the line, by the repeat count, chooses it."""
    is_x, first, way, _ = steps(objects.here.edges, state.at_pixel)
    of = spans.objects
    along = np.where(is_x[of, None], spans.x[:, None] + _RIGHT, spans.y[:, None] + _BELOW)
    number = (along - first[of, None]) * way[of, None] + _before(objects, state)[of, None]
    bit = number // max(int(state.line_stipple.repeat), 1) % _PATTERN_BITS
    return np.asarray(int(state.line_stipple.pattern) >> bit & 1, np.bool_)


def _of_polygons(objects: ScreenObjects, spans: Spans, state: RasterState) -> NDArray[np.bool_]:
    """Pixels whose bit of the pattern is set; the offset is where pixel 0, 0 lies in it."""
    x = (spans.x[:, None] + _RIGHT + int(state.stipple_offset.x)) % _SIZE
    y = (spans.y[:, None] + _BELOW + int(state.stipple_offset.y)) % _SIZE
    rows = np.array(state.stipple_pattern.pattern, np.int64)
    return np.asarray(rows[y] >> (_SIZE - 1 - x) & 1, np.bool_)
