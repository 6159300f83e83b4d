"""Anisotropic samples of any coordinates and derivatives: kinds of texels, types, address controls, algorithms."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

import texsamp as ts
from pictures.cases import Arrays, Case
from pictures.sampler import MODES, SHAPES, bits, noise, numbers
from texsamp.device.base import Device

COUNT = 300


def _case(index: int, type: str, format: str, mode: str) -> Case:
    dtype: Any = np.uint8 if format == "R8G8B8A8_UNORM" else np.float32
    values = noise((*SHAPES[type], 4), dtype, index)
    axes = {"1D": 1, "2D": 2, "CUBE": 3}[type]
    points, dx, dy = ([numbers(COUNT, 20 * index + 3 * k + a) for a in range(axes)] for k in range(3))
    with np.errstate(invalid="ignore"):
        small = [[np.float32(0.1) * d for d in group] for group in (dx, dy)]
    y, x = np.mgrid[0:5, 0:133].astype(np.float32) / 16
    sampler = ts.Sampler(
        max_anisotropy=2 + 2 * (index % 8),
        anisotropy=("legacy", "ewa")[(index + index // len(MODES)) % 2],  # type: ignore[arg-type]
        mag_filter="linear" if index % 3 == 0 else None,
        address=mode if type != "CUBE" else "clamp",
        border=(0.3, 2.0, -1.0, 0.5),
    )

    def run(device: Device) -> Arrays:
        made = ts.Surface.from_array(values, format, type=type, mips="box", tiling="linear", device=device)
        results = [ts.sample(made, sampler, *points, gradients=group) for group in ((dx, dy), small)]
        results.append(ts.sample(made, sampler, *[x + y * 9, y - x * 5, x * y][:axes]))
        results.append(ts.query_lod(made, sampler, *points))
        if dtype == np.uint8:
            results.append(ts.sample(made, sampler, *points, gradients=small, dtype=np.uint8))
        return [bits(device.download(result)) for result in results]

    return Case(f"anisotropy-{type}-{format}-{mode}-{index}", run)


def _cases() -> Iterator[Case]:
    formats = ("R8G8B8A8_UNORM", "R32G32B32A32_FLOAT")
    for index, (type, format, mode) in enumerate(itertools.product(("1D", "2D", "CUBE"), formats, MODES)):
        if type == "2D" or mode == "clamp":
            yield _case(index, type, format, mode)


ANISOTROPY_CASES = tuple(_cases())
