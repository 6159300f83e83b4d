"""The kernels of the motion compensated noise filter: layouts, sizes around tiles, missing pictures."""

from __future__ import annotations

import numpy as np

from pictures.cases import Arrays, Case, noise_frame, padded
from texsamp.device.base import Device
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.denoise import hq
from texsamp.video.denoise.measure import Noise
from texsamp.video.frame import Frame
from texsamp.video.samples import Samples

_CASES = (
    ("gray", (1, 1), 8),
    ("gray", (61, 29), 8),
    ("nv12", (17, 13), 5),
    ("yuyv422", (70, 9), 6),
    ("p010le", (21, 30), 5),
)
"""Layout, size, and how many of the eight pictures there are."""


def _case(layout: str, size: tuple[int, int], count: int, index: int) -> Case:
    def run(device: Device) -> Arrays:
        frames = []
        for number in range(count):  # every picture but the third is much like the first
            frame = noise_frame(PIXEL_LAYOUTS[layout], *size, 2300 + index + (number == 2), index % 3 * 4, device)
            planes = [
                padded(device.download(p) ^ np.random.default_rng(number).integers(0, 8, p.shape, p.dtype), 4)
                for p in frame.planes
            ]
            frames.append(Frame.from_arrays(layout, planes, *size, device))
        names = [name for name in frames[0].layout.components if name in "YUV"]
        known = [hq.prepare(device, {name: Samples.of(frame, name) for name in names}) for frame in frames]
        first = min(hq.NOW, 8 - count)
        pictures = [None] * first + known + [None] * (8 - count - first)
        out = Frame.empty(layout, *size, device)
        noise = {name: Noise(6.0 + index, 0.3 * (index % 3)) for name in names}
        hq.denoise_picture(device, pictures, {name: Samples.of(out, name) for name in names}, noise)
        again = Frame.empty(layout, *size, device)
        twice = hq.prepare(device, {name: Samples.of(out, name) for name in names})
        guides = [twice if number == hq.NOW else picture for number, picture in enumerate(pictures)]
        hq.denoise_picture(device, pictures, {name: Samples.of(again, name) for name in names}, noise, guides)
        arrays = [known[0].quarter.array, *(plane.array for plane in known[0].planes.values())]
        arrays += [frame.component(name) for frame in (out, again) for name in names]
        return [np.ascontiguousarray(device.download(array)) for array in arrays]

    return Case(f"denoise-hq-{layout}-{size[0]}x{size[1]}", run)


DENOISE_HQ_CASES = tuple(_case(*row, n) for n, row in enumerate(_CASES))
