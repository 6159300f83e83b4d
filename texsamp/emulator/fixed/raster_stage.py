"""Rasterization of a draw: its subspans, in order and in pieces, with what stipples leave of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Device
from texsamp.emulator.fixed.objects import Kind, ScreenObjects, Spans
from texsamp.emulator.fixed.raster import rasterize
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.emulator.fixed.stipple import stippled


def subspans(
    objects: ScreenObjects, state: RasterState, device: Device, along: Sequence[NDArray[Any]] = ()
) -> Iterator[Spans]:
    """The subspans of objects with samples inside; pieces may be empty, and each is about as much work.

    along: what is sent to the device with them, to be kept.
    """
    lines = objects.kinds == Kind.LINE
    alike = np.array_equal(state.tested, state.tested_of_lines)
    begins = np.zeros(1, np.intp) if alike else np.append(0, np.flatnonzero(lines[1:] != lines[:-1]) + 1)
    for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(objects)], strict=True):
        some = objects.at(np.arange(begin, end)) if end - begin < len(objects) else objects
        tested = state.tested_of_lines if end > begin and lines[begin] else state.tested
        for found in rasterize(some, tested, device, along):
            spans = found
            if begin:
                spans.subspans[:, 0] += begin
                spans = Spans(spans.subspans)
            yield stippled(objects, _masked(spans, state), state)


def _masked(spans: Spans, state: RasterState) -> Spans:
    """Without samples that are not written: they do not count for centroids, either (page 289)."""
    masked = [sample for sample in range(state.samples) if not state.sample_mask >> sample & 1]
    if not masked:
        return spans
    left = spans.subspans.copy()
    left.view(np.uint32)[:, 3] &= np.uint32(~sum(0xF << 4 * sample for sample in masked) & 0xFFFFFFFF)
    return Spans(left[left[:, 3] != 0])
