"""Every filter with each of its choices makes the frames on a GPU that it makes on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support.filter_cases import sweep
from support.media import random_frames

from texsamp import Pipeline, get_device
from texsamp.errors import TexsampError
from texsamp.video.filters import FILTERS
from texsamp.video.options import Choice, Either, Integer, Kind, Real, Renamed

pytestmark = pytest.mark.gpu

LAYOUTS = ("yuv420p", "nv12", "yuv422p10le", "rgb24", "gray", "yuv444p", "yuyv422", "p010le", "rgba")


def words_of(kind: Kind) -> Iterator[str]:
    """Values of an option: names, and the ends of ranges."""
    if isinstance(kind, Either):
        yield kind.name
        yield from words_of(kind.other)
    elif isinstance(kind, Renamed):
        yield from words_of(kind.kind)
    elif isinstance(kind, Choice):
        yield from kind.names
    elif isinstance(kind, Integer | Real) and kind.high < 4096:  # greater ones are sizes
        yield from (str(kind.low), str(kind.high))


CALLS = [
    (text, layout)
    for each in FILTERS
    for text in sorted(
        {*each.examples, *(f"{each.name}={o.key}={word}" for o in each.options for word in words_of(o.kind))}
    )
    for layout in LAYOUTS
]
SOME = np.random.default_rng(1).permutation(len(CALLS))[: sweep(60)]
"""TEXSAMP_SWEEP=40 takes all."""


def made(text: str, layout: str, device: str) -> list[Any] | str:
    """Frames by their samples and times, or what was said instead."""
    frames = [frame.told(interlaced="deinterlace" in text) for frame in random_frames(layout, 44, 28, 4)]
    try:
        found = list(Pipeline.parse(text, device)(frames))
    except TexsampError as error:
        return str(error)
    assert all(frame.device is get_device(device) for frame in found)
    return [(f.layout.name, f.pts, f.duration, [plane.tobytes() for plane in f.to_arrays()]) for f in found]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "layout"), [CALLS[number] for number in SOME])
def test_frames_are_the_cpus(text, layout):
    assert made(text, layout, "cuda") == made(text, layout, "cpu")
