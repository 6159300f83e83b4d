"""Pictures for tone mapping: every pair of depths, both transfers, its measurement."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from pictures.cases import Arrays, Case, noise_frame
from texsamp.device.base import Device
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.tonemap.launches import Mapping, Transfer, count_light, map_tones

_PAIRS = (
    ("yuv420p10le", "yuv420p10le"),
    ("p010le", "nv12"),
    ("yuv422p", "yuv422p10le"),
    ("yuyv422", "yuyv422"),
    ("yuv444p10le", "yuv444p"),
)


def _case(index: int, have: str, wanted: str, size: tuple[int, int], transfer: Transfer) -> Case:
    def run(device: Device) -> Arrays:
        frame = noise_frame(PIXEL_LAYOUTS[have], *size, 1500 + index, index % 3 * 4, device)
        mapping = Mapping(transfer, 203, 1000, (100, 1000, 4000)[index % 3])
        made = map_tones(frame, mapping, PIXEL_LAYOUTS[wanted])
        return [*(np.ascontiguousarray(device.download(plane)) for plane in made.planes), count_light(frame, mapping)]

    return Case(f"tonemap-{transfer}-{have}-{wanted}-{size[0]}x{size[1]}", run)


def _cases() -> Iterator[Case]:
    sizes = itertools.cycle([(1, 1), (67, 35), (258, 3), (3, 9), (129, 66), (34, 5)])
    transfers: itertools.cycle[Transfer] = itertools.cycle(["pq", "hlg", "hlg"])
    for index, (have, wanted) in enumerate(_PAIRS * 2):
        yield _case(index, have, wanted, next(sizes), next(transfers))


TONEMAP_CASES = tuple(_cases())
