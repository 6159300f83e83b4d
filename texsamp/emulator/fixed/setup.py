"""Setup: objects of the clipper on the screen, culled, as shapes with planes: the kernel of `kernels/setup.h`.

Volume 2 part 1, pages 233-282.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from texsamp.device.base import Array, Launch
from texsamp.device.params import constant, params_type
from texsamp.device.tiles import in_rows
from texsamp.emulator.fixed.attributes import attributes
from texsamp.emulator.fixed.clip import clip
from texsamp.emulator.fixed.lines import line_rules
from texsamp.emulator.fixed.objects import Extent, ScreenObjects, Told
from texsamp.emulator.fixed.primitives import AS_THEY_ARE, Primitives
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.emulator.fixed.setup_rules import (
    clip_rules,
    no_clip_rules,
    scissors_of,
    screen_rules,
    setup_rules,
    setup_vertices,
    viewports_of,
)

OBJECTS = 64
"""Of a tile: SETUP_OBJECTS of the kernel."""
_PARAMS = params_type("SetupParams")
_MADE: dict[str, tuple[tuple[int, ...], Any]] = {
    "edges": ((4, 3), np.int64),
    "areas": ((4,), np.int32),
    "rows": ((2,), np.int64),
    "weights": ((2, 3), np.int64),
    "scales": ((), np.int64),
    "corners": ((6,), np.float32),
    "told": ((len(Told),), np.int32),
}
"""What is made of each object."""
_SUMS = ("OBJECTS", "DRAWN", "PASSED", "CUT", "ROWS", "SUBSPANS", "PIXELS")
_REACH = ("LEFT", "TOP", "RIGHT", "BOTTOM", "LOW", "HIGH")


def set_up(primitives: Primitives, state: RasterState) -> ScreenObjects:
    """Objects of the clipper, ready to be rasterized.

    What is culled, has no area or lies outside of what is drawn is left out; where lines are stippled, the last stays.
    """
    return _Setup(primitives, state, no_clip_rules()).made()


def clip_and_set_up(primitives: Primitives, state: RasterState) -> tuple[ScreenObjects, int]:
    """The same of objects that have not been clipped, and how many the clipper let through.

    The host is asked how many there are; only if some are to be cut they are clipped first.
    """
    setup = _Setup(primitives, state, clip_rules(primitives.topology, state))
    if setup.sums["CUT"]:
        setup = _Setup(clip(primitives, state), state, no_clip_rules())
    return setup.made(), setup.sums["PASSED"]


class _Setup:
    """Objects of a draw, counted. sums: what the host knows of all together."""

    def __init__(self, primitives: Primitives, state: RasterState, clipping: np.void) -> None:
        self._primitives, self._state, self._clipping = primitives, state, clipping
        device, count = primitives.device, len(primitives)
        self._read = primitives.with_tables(viewports_of(state), scissors_of(state))
        self.sums, self._reach = dict.fromkeys(_SUMS, 0), dict.fromkeys(_REACH, 0)
        if not count:
            return
        sums, reach = device.empty((count, len(_SUMS)), np.int64), device.empty((count, len(_REACH)), np.int32)
        self._launch(sums=sums, reach=reach)
        with device.current():
            self._counts = sums[:, constant("SUM_OBJECTS")]
            all_sums, all_reach = device.start_download((sums.sum(axis=0), reach.max(axis=0))).result()
        self.sums = {name: int(all_sums[constant(f"SUM_{name}")]) for name in _SUMS}
        if self.sums["DRAWN"]:
            self._reach = {name: int(all_reach[constant(f"REACH_{name}")]) for name in _REACH}

    def made(self) -> ScreenObjects:
        """All of them, with their attributes."""
        primitives, device, count = self._primitives, self._primitives.device, self.sums["OBJECTS"]
        made = {name: device.empty((count, *shape), kind) for name, (shape, kind) in _MADE.items()}
        straight = None if primitives.straight is None else device.empty((count, *AS_THEY_ARE.shape), np.float32)
        if count:
            with device.current():
                places = np.cumsum(self._counts) - self._counts
            self._launch(places=places, made_straight=straight, **made)
        reach = self._reach
        extent = Extent(
            self.sums["DRAWN"], self.sums["ROWS"], self.sums["SUBSPANS"], self.sums["PIXELS"],
            (~reach["LEFT"], reach["RIGHT"]), (~reach["TOP"], reach["BOTTOM"]), (~reach["LOW"], reach["HIGH"]),
        )  # fmt: skip
        setup = attributes(primitives, made["told"], self._read[0], self._read[1], self._state)
        return ScreenObjects(primitives.topology, device, extent, **made, setup=setup, straight=straight)

    def _launch(self, **arrays: Array | None) -> None:
        primitives, state = self._primitives, self._state
        device, tiles = primitives.device, in_rows(len(primitives), OBJECTS)
        objects, viewports, scissors = self._read
        names = ("sums", "reach", "places", "made_straight", *_MADE)
        there = {"scissors": scissors, "straight": primitives.straight, **{name: arrays.get(name) for name in names}}
        params = _PARAMS(
            given=setup_vertices(primitives, state, objects, viewports),
            clip=self._clipping,
            screen=screen_rules(state),
            lines=line_rules(state),
            rules=setup_rules(primitives.topology, state),
            tiles_x=tiles[0],
            **{name: 0 if array is None else device.address(array) for name, array in there.items()},
        )
        memory = (objects, viewports, primitives.vertices, *(array for array in there.values() if array is not None))
        device.launch(Launch("setup_objects", params, *tiles, memory))
