"""Speed of the scaler on pictures whose components take turns, against the same samples in planes, and Pillow."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PIL import Image

import texsamp as ts
from benchmarks.timing import Contender, Row, measure
from texsamp.device import CpuDevice
from texsamp.device.cpu import library_path
from texsamp.device.levels import supported_levels
from texsamp.video.scale import Scale

_SIZES = (((1600, 1600), (800, 800)), ((1280, 720), (1920, 1080)))
_PICTURES = {"rgb24": "RGB", "rgba": "RGBA"}
"""Layouts that Pillow has as well, and its names for them."""
_PLANES = {
    **{"rgb24": "yuv444p", "rgba": "yuv444p", "yuyv422": "yuv422p", "nv12": "yuv420p"},
    **{"p010le": "yuv420p10le", "x2rgb10le": "yuv444p10le"},
}
"""Layouts, and those with the same samples in planes, but for alpha."""


def _noise(layout: str, size: tuple[int, int], device: CpuDevice) -> ts.Frame:
    rng = np.random.default_rng(1)
    frame = ts.Frame.empty(layout, *size, device)
    for plane in frame.planes:
        plane[...] = rng.integers(0, 1 << 8 * plane.itemsize, plane.shape, plane.dtype)
    return frame


def _scaled(layout: str, level: str, sizes: tuple[tuple[int, int], tuple[int, int]]) -> Callable[[], object]:
    frame, stage = _noise(layout, sizes[0], CpuDevice(level)), Scale(*sizes[1])
    return lambda: list(stage.feed(frame))


def _by_pillow(mode: str, sizes: tuple[tuple[int, int], tuple[int, int]]) -> Callable[[], object]:
    shape = (*sizes[0][::-1], len(mode))
    picture = Image.fromarray(np.random.default_rng(1).integers(0, 256, shape, np.uint8), mode)
    return lambda: picture.resize(sizes[1], Image.Resampling.LANCZOS)


def pictures() -> list[Row]:
    """1600x1600 to 800x800, 720p to 1080p, one thread. Baseline: Pillow's Lanczos, else planes at the best level."""
    rows = []
    levels = [name for name in supported_levels() if library_path(name)]
    for sizes, (layout, planes) in ((sizes, pair) for sizes in _SIZES for pair in _PLANES.items()):
        contenders = [
            Contender(f"texsamp {name} {level}", _scaled(name, level, sizes), lambda: ts.set_threads(1))
            for name in (layout, planes)
            for level in levels
        ]
        baseline = f"texsamp {planes} {levels[0]}"
        if layout in _PICTURES:
            baseline = f"Pillow {_PICTURES[layout]}"
            contenders.insert(0, Contender(baseline, _by_pillow(_PICTURES[layout], sizes)))
        (width, height), (to_width, to_height) = sizes
        title = f"scale {layout} {width}x{height} to {to_width}x{to_height}"
        rows += measure(title, contenders, baseline, 1, rounds=9, frames=3)
    return rows
