"""Streams whose launches are sent again: the same frames as where Python describes every launch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.frames import random_frame
from support.interlaced import fill, interlace

from texsamp import Deinterlace, Frame, Pipeline, set_threads
from texsamp.device.cpu import CpuDevice

MODES = ("hq", "best", "madi", "mcdi", "mcdi-hsw", "bob")
LAYOUTS = ("yuv420p", "yuv422p10le", "yuv444p", "gray", "nv12", "yuyv422")


class Scribbling(CpuDevice):
    """New memory holds anything, so that nothing may be left unwritten; counts the launches that are sent again."""

    def __init__(self, *, records: bool) -> None:
        super().__init__()
        self.records, self.again = records, 0
        self._noise = np.random.default_rng(0)

    def empty(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        array = super().empty(shape, dtype)
        array.view(np.uint8)[...] = self._noise.integers(0, 256)
        return array

    def send(self, repeated: Any, kept: object) -> None:
        self.again += sum(repeated.counts)
        super().send(repeated, kept)


def clip(layout: str, width: int, height: int, *, top_first: bool, lit: bool) -> list[Frame]:
    """Texture that goes to the right beside some that stands, with a scene cut, and with light that changes."""
    rng = np.random.default_rng(7)
    pictures = []
    first = random_frame(rng, layout, width, height)
    for number in range(20):
        frame = random_frame(rng, layout, width, height)
        for name, part in first.layout.components.items():
            scene = np.roll(first.component(name).astype(np.int64) >> part.shift, number, 1)
            scene[: scene.shape[0] // 2] = (first.component(name).astype(np.int64) >> part.shift)[: scene.shape[0] // 2]
            if lit and name == "Y":
                scene = scene * (16 - number % 5) // 16
            fill(frame, name, scene[::-1] if number >= 14 else scene)
        pictures.append(frame)
    return interlace(pictures, top_first)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_streams(mode, layout, threads):
    if layout == "yuv444p" and mode not in ("hq", "best"):
        layout = "yuv422p"
    set_threads(threads)
    try:
        for size, top_first, lit in (((128, 96), True, False), ((70, 37), False, True), ((256, 192), True, True)):
            found = []
            for records in (True, False):
                device = Scribbling(records=records)
                frames = [frame.to(device) for frame in clip(layout, *size, top_first=top_first, lit=lit)]
                stage = Deinterlace(mode, "field", film="auto" if lit else "off")
                found.append([frame.to_arrays() for frame in Pipeline([stage], device)(frames)])
                assert bool(device.again) == records
            assert len(found[0]) == len(found[1]) > 18
            for ours, theirs in zip(*found, strict=True):
                assert all(map(np.array_equal, ours, theirs))
    finally:
        set_threads(None)
