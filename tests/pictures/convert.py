"""Pictures for conversions between layouts: every layout from and to another, ranges, fields, sizes around tiles."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pictures.cases import Arrays, Case, noise_frame
from texsamp.device.base import Device
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS, PixelLayout
from texsamp.video.conversion import convert
from texsamp.video.frame import ColorTags

_SIZES = ((1, 1), (2, 3), (67, 20), (513, 9), (130, 8), (129, 5), (1, 6), (1025, 2))


def _case(have: PixelLayout, wanted: PixelLayout, size: tuple[int, int], index: int) -> Case:
    def run(device: Device) -> Arrays:
        frame = noise_frame(have, *size, 1700 + index, index % 3 * 4, device)
        color = ColorTags(full_range=(None, True, False)[index % 3])
        made = convert(replace(frame, color=color, interlaced=bool(index & 1)), wanted)
        names = ("R",) if wanted.packed_element else wanted.components
        return [np.ascontiguousarray(device.download(made.component(name))) for name in names]

    return Case(f"convert-{have.name}-{wanted.name}-{size[0]}x{size[1]}", run)


def _cases() -> Iterator[Case]:
    sizes = itertools.cycle(_SIZES)
    for models in (("yuv", "gray"), ("rgb",)):
        layouts = [layout for layout in PIXEL_LAYOUTS.values() if layout.model in models]
        for index, have in enumerate(layouts):
            for step in (1, 3, 4):
                yield _case(have, layouts[(index + step) % len(layouts)], next(sizes), index + step)
    for index, depths in enumerate(itertools.product(("", "10le"), repeat=2)):
        for ways in (("yuv420p", "yuv444p"), ("yuv444p", "yuv420p")):  # chroma repeated to an odd width, and averaged
            have, wanted = (PIXEL_LAYOUTS[name + depth] for name, depth in zip(ways, depths, strict=True))
            yield _case(have, wanted, (67, 6), index)


CONVERT_CASES = tuple(_cases())
