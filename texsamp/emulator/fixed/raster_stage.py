"""Rasterization of a draw: its subspans, in order and in pieces, of samples that are drawn and not stippled out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.fixed.objects import ScreenObjects, Spans
from texsamp.emulator.fixed.raster import ONE_QUAD, Drawn, Taken, rasterize
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.emulator.fixed.stipple import stipple


def subspans(
    objects: ScreenObjects,
    state: RasterState,
    along: Sequence[NDArray[Any]] = (),
    taken: Taken = ONE_QUAD,
) -> Iterator[Spans]:
    """The subspans of objects with samples inside; pieces may be empty, and each is about as much work.

    Samples that are not written are not inside: they do not count for centroids, either (page 289). along: what is sent
    to the device with them, to be kept. taken: what threads take, to count them.
    """
    lines = None if np.array_equal(state.tested, state.tested_of_lines) else state.tested_of_lines
    pattern, before = stipple(objects, state)
    drawn = Drawn(state.sample_mask, lines, pattern, before)
    yield from rasterize(objects, state.tested, along, drawn, taken)
