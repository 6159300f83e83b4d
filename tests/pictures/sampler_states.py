"""Samples under states, sizes and coordinates that are drawn, not chosen: every field that the kernels read."""

from __future__ import annotations

from typing import Any

import numpy as np

import texsamp as ts
from pictures.cases import Arrays, Case
from pictures.sampler import MODES, bits, noise, numbers
from texsamp.device.base import Device

COUNT = 400
CASES = 24
TYPES = ("1D", "2D", "3D", "CUBE")
FORMATS = {"R8G8B8A8_UNORM": np.uint8, "R32G32B32A32_FLOAT": np.float32, "B8G8R8A8_UNORM": np.uint8}


def _shape(random: np.random.Generator, type: str, layers: int) -> tuple[int, ...]:
    w, h, d = (int(random.choice([1, 3, 5, 16, 33, 64])) for _ in range(3))
    array = (layers,) if layers > 1 else ()
    return {"1D": (*array, w), "2D": (*array, h, w), "3D": (d, h, w), "CUBE": (6 * layers, w, w)}[type]


def _case(seed: int) -> Case:
    random = np.random.default_rng(seed)
    type, format = TYPES[seed % 4], list(FORMATS)[seed // 4 % 3]
    layers = int(random.integers(1, 4)) if type != "3D" else 1
    texels = noise((*_shape(random, type, layers), 4), FORMATS[format], seed)
    axes = {"1D": 1, "2D": 2}.get(type, 3)
    points, dx, dy = ([numbers(COUNT, 100 * seed + 3 * k + a) for a in range(axes)] for k in range(3))
    layer, bias = numbers(COUNT, 100 * seed + 90), numbers(COUNT, 100 * seed + 91)
    keyed = format == "B8G8R8A8_UNORM" and type != "3D" and seed > 12
    state: dict[str, Any] = {
        "mip_filter": random.choice(["none", "nearest", "linear"]),
        "address": [str(each) for each in random.choice(MODES, 3)] if type != "CUBE" else "clamp",
        "cube": random.choice(["seamless", "programmed"]),
        "rounding": [bool(each) for each in random.integers(0, 2, 3)],
        "border": tuple(float(each) for each in numbers(4, seed)),
        "border_mode": random.choice(["dx10", "dx9"]),
        "lod_bias": int(random.choice([0, random.integers(-4096, 4096)])) / 256,
        "min_lod": int(random.choice([0, random.integers(0, 400), random.integers(0, 14 * 256)])) / 256,
        "max_lod": int(random.integers(0, 14 * 256)) / 256,
        "base_level": int(random.integers(0, 28)) / 2,
        "lod_preclamp": bool(random.integers(0, 2)),
        "trilinear_quality": random.choice(["full", "med", "low"]),
        "max_anisotropy": None if type == "3D" or keyed else random.choice([None, 2, 6, 16]),
        "chroma_key": ((0, 0, 0, 0), (200, 255, 255, 255)) if keyed else None,
        "chroma_key_mode": random.choice(["kill", "replace"]),
    }
    sampler = ts.Sampler(**state)
    offset = tuple(int(each) for each in random.integers(-8, 8, 3))
    resource_min_lod = int(random.choice([0, 0, 0, random.integers(0, 4 * 256)])) / 256

    def run(device: Device) -> Arrays:
        made = ts.Surface.from_array(texels, format, type=type, mips="box", tiling="linear", device=device)
        options: dict[str, Any] = {"layer": layer} if layers > 1 and type != "3D" else {}
        options |= {"bias": bias, "offset": offset, "resource_min_lod": resource_min_lod}
        values, killed = ts.sample_killpix(made, sampler, *points, **options)
        sharp = ts.sample(made, sampler, *points, gradients=(dx, dy), **options)
        return [bits(device.download(values)), device.download(killed).astype(np.uint8), bits(device.download(sharp))]

    return Case(f"state-{seed}-{type}-{format}", run)


# The state of seed 21 sees nothing but one color.
SAMPLER_STATE_CASES = tuple(_case(seed) for seed in range(CASES) if seed != 21)
