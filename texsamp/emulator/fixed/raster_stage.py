"""Rasterization of a draw: its subspans, in order and in pieces, with what stipples leave of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.fixed.objects import Kind, ScreenObjects, Spans, Told
from texsamp.emulator.fixed.raster import rasterize
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.emulator.fixed.stipple import stippled


def subspans(
    objects: ScreenObjects, state: RasterState, along: Sequence[NDArray[Any]] = (), each: int = 1
) -> Iterator[Spans]:
    """The subspans of objects with samples inside; pieces may be empty, and each is about as much work.

    along: what is sent to the device with them, to be kept. each: subspans that a thread takes, to count threads.
    """
    if np.array_equal(state.tested, state.tested_of_lines):
        for spans in rasterize(objects, state.tested, along, each=each):
            yield stippled(objects, _masked(spans, state), state)
        return
    lines = objects.here.of(Told.KIND) == Kind.LINE
    begins = np.flatnonzero(np.append(True, lines[1:] != lines[:-1])[: len(objects)])
    for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(objects)], strict=True):
        tested = state.tested_of_lines if lines[begin] else state.tested
        for spans in rasterize(objects, tested, along, slice(begin, end), each):
            yield stippled(objects, _masked(spans, state), state)


def _masked(spans: Spans, state: RasterState) -> Spans:
    """Without samples that are not written: they do not count for centroids, either (page 289)."""
    masked = [sample for sample in range(state.samples) if not state.sample_mask >> sample & 1]
    if not masked:
        return spans
    left = spans.subspans.copy()
    left.view(np.uint32)[:, 3] &= np.uint32(~sum(0xF << 4 * sample for sample in masked) & 0xFFFFFFFF)
    return Spans(left[left[:, 3] != 0])
