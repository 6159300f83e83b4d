"""Samples of the largest surfaces along one axis, at any coordinates: where indices and offsets are largest."""

from __future__ import annotations

from typing import Any

import numpy as np

import texsamp as ts
from pictures.cases import Arrays, Case
from pictures.sampler import MODES, bits, noise, numbers
from texsamp.device.base import Device

COUNT = 300
SHAPES = {
    "1D": (16384,),
    "2D-wide": (2, 16384),
    "2D-high": (16384, 2),
    "3D-wide": (2, 3, 2048),
    "3D-deep": (256, 2, 3),
    "2D-array": (64, 3, 2),
}


def _case(index: int, name: str, dtype: Any) -> Case:
    shape, type = SHAPES[name], name[:2]
    texels = noise((*shape, 4), dtype, index)
    format = "R8G8B8A8_UNORM" if dtype == np.uint8 else "R32G32B32A32_FLOAT"
    axes = {"1D": 1, "2D": 2, "3D": 3}[type]
    points, more = ([numbers(COUNT, 90 * index + 3 * k + a) for a in range(axes)] for k in range(2))
    lod = numbers(COUNT, 90 * index + 80)
    options = {"layer": numbers(COUNT, 90 * index + 81)} if name.endswith("array") else {}
    samplers = [
        ts.Sampler(address=(MODES[index % 6], MODES[(index + k) % 6]), border=(0.3, 2.0, -1.0, 0.5), **filters)
        for k, filters in enumerate(({}, {"max_anisotropy": 16} if type != "3D" else {"mip_filter": "nearest"}))
    ]

    def run(device: Device) -> Arrays:
        made = ts.Surface.from_array(texels, format, type=type, mips="box", tiling="linear", device=device)
        results = [ts.sample(made, sampler, *points, gradients=(points, more), **options) for sampler in samplers]
        results += [ts.sample(made, sampler, *points, lod=lod, offset=(7, -8), **options) for sampler in samplers]
        sizes = made.level_size_px(0)
        places = [point.view(np.int32) % np.int32(size + 2) for point, size in zip(points, sizes, strict=False)]
        results.append(ts.load(made, *places, level=lod.view(np.int32) & 3))
        return [bits(device.download(result)) for result in results]

    return Case(f"size-{name}-{format}", run)


SAMPLER_SIZE_CASES = tuple(
    _case(index, name, dtype)
    for index, (name, dtype) in enumerate((name, dtype) for name in SHAPES for dtype in (np.uint8, np.float32))
)
