"""The clipper: objects that may be seen, cut where they leave what can be drawn: the kernel of `kernels/clip_cut.h`.

Volume 2 part 1, pages 193-231.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from texsamp.device.base import Array, Launch
from texsamp.device.params import params_type
from texsamp.device.tiles import in_rows
from texsamp.emulator.fixed.primitives import AS_THEY_ARE, Primitives
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.emulator.fixed.setup_rules import clip_rules, setup_vertices, viewports_of

OBJECTS = 64
"""Of a tile: CLIP_OBJECTS of the kernel."""
_PARAMS = params_type("ClipCutParams")


def clip(primitives: Primitives, state: RasterState) -> Primitives:
    """Objects inside the view volume; polygons that lost a corner are cut into triangles with new vertices.

    Those with a position that is no number are dropped. With the clipper off all others are as they were. The host is
    asked how many pieces and new vertices there are.
    """
    device = primitives.device
    if not len(primitives):
        return primitives
    objects, viewports = primitives.with_tables(viewports_of(state))
    given = setup_vertices(primitives, state, objects, viewports)
    counts = device.empty((len(primitives), 2), np.int32)
    _launch(primitives, state, given, (objects, viewports), counts=counts)
    with device.current():
        ends = np.cumsum(counts, axis=0, dtype=np.int32)
        places = ends - counts
        pieces, more = (int(n) for n in device.download(ends[-1:])[0])
    made = device.empty((pieces, objects.shape[1]), np.int32)
    vertices = device.empty((more, *primitives.vertices.shape[1:]), np.uint32)
    straight = None
    if state.clip.non_perspective_barycentric and not state.clip.perspective_divide_disable:
        straight = device.empty((pieces, *AS_THEY_ARE.shape), np.float32)
    written = {"places": places, "made": made, "vertices": vertices, "straight": straight}
    _launch(primitives, state, given, (objects, viewports), **written)
    with device.current():
        every: Array = np.concatenate([primitives.vertices, vertices]) if more else primitives.vertices
    return replace(primitives, vertices=every, objects=made, straight=straight)


def _launch(
    primitives: Primitives, state: RasterState, given: np.void, read: tuple[Array, ...], **arrays: Array | None
) -> None:
    device, tiles = primitives.device, in_rows(len(primitives), OBJECTS)
    names = ("counts", "places", "made", "vertices", "straight")
    there = {name: arrays.get(name) for name in names}
    params = _PARAMS(
        given=given,
        rules=clip_rules(primitives.topology, state),
        first_vertex=len(primitives.vertices),
        tiles_x=tiles[0],
        **{name: 0 if array is None else device.address(array) for name, array in there.items()},
    )
    memory = (*read, primitives.vertices, *(array for array in there.values() if array is not None))
    device.launch(Launch("clip_cut", params, *tiles, memory))
