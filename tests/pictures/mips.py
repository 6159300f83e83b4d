"""Mip chains of odd volumes and long rows: every type of code, every filter and edge, more than one tile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pictures.cases import Arrays, Case
from texsamp.device.base import Device
from texsamp.state.formats import surface_format
from texsamp.surface.mips import MipEdge, MipFilter, smaller_levels

FORMATS = {
    "R8G8B8A8_UNORM": np.uint8,
    "R8G8B8A8_UNORM_SRGB": np.uint8,
    "L8A8_UNORM_SRGB": np.uint8,
    "R8_SNORM": np.int8,
    "R16G16B16_UNORM": np.uint16,
    "R16G16_SNORM": np.int16,
    "R16G16B16A16_FLOAT": np.float16,
    "R32_FLOAT": np.float32,
}
SIZES = ((1, 1, 2), (3, 5, 7), (1, 37, 1), (1, 21, 5000))


def _case(name: str, size: tuple[int, int, int], filter: MipFilter, edge: MipEdge) -> Case:
    info, dtype = surface_format(name), np.dtype(FORMATS[name])
    shape = (*size, len(info.channels))
    random = np.random.default_rng(12)
    texels: Any = random.normal(0, 100, shape).astype(dtype)
    if dtype.kind != "f":
        texels = random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    sizes, (depth, height, width) = [], size
    while (width, height, depth) != (1, 1, 1):
        width, height, depth = max(width >> 1, 1), max(height >> 1, 1), max(depth >> 1, 1)
        sizes.append((width, height, depth))

    def run(device: Device) -> Arrays:
        levels = smaller_levels(device.upload(texels), info, sizes, filter, edge, device)
        made = [device.download(level) for level in levels]
        return [level.view(np.uint16) if level.dtype == np.float16 else level for level in made]

    return Case(f"mips-{name}-{'x'.join(map(str, size))}-{filter}-{edge}", run)


def _cases() -> Iterator[Case]:
    for name in FORMATS:
        for size in SIZES[:3]:
            yield _case(name, size, "box", "clamp")
    for filter in ("box", "kaiser", "lanczos"):
        yield _case("R8G8B8A8_UNORM_SRGB", SIZES[1], filter, "wrap")
        yield _case("R8G8B8A8_UNORM", SIZES[3], filter, "clamp")


MIP_CASES = tuple(_cases())
