"""Samples at coordinates that nobody should use: every kind of texel, type of surface and address control."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

import texsamp as ts
from pictures.cases import Arrays, Case
from texsamp.device.base import Device
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import TextureImages

MODES = ("wrap", "mirror", "clamp", "border", "mirror_once", "half_border")
SHAPES = {"1D": (13,), "2D": (7, 13), "3D": (5, 6, 7), "CUBE": (6, 9, 9)}
FORMATS = {"R8G8B8A8_UNORM": np.uint8, "R32G32B32A32_FLOAT": np.float32, "R16G16B16A16_UINT": np.uint16}
COUNT = 700
"""More than a tile on either device."""


def bits(array: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """The bytes, but one for all NaN, whose sign no arithmetic defines."""
    if array.dtype != np.float32:
        return array
    return np.where(np.isnan(array), np.uint32(0x7FC00000), np.ascontiguousarray(array).view(np.uint32))


def noise(shape: tuple[int, ...], dtype: Any, seed: int) -> np.ndarray[Any, np.dtype[Any]]:
    random = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return random.normal(0, 2, shape).astype(dtype)
    return random.integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)


def numbers(count: int, seed: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Any bits, numbers near the surface, and multiples of a half texel."""
    random = np.random.default_rng(seed)
    anything = random.integers(0, 1 << 32, count, dtype=np.uint32).view(np.float32)
    near = random.uniform(-3, 3, count).astype(np.float32)
    halves = (random.integers(-60, 60, count) / 26).astype(np.float32)
    return np.choose(random.integers(0, 3, count), [anything, near, halves])


def _case(index: int, type: str, format: str, mode: str, shape: tuple[int, ...]) -> Case:
    dtype, integer = FORMATS[format], "UINT" in format
    texels = noise((*SHAPES[type], 4), dtype, index)
    points = [numbers(COUNT, 10 * index + k).reshape(shape) for k in range({"1D": 1, "2D": 2}.get(type, 3))]
    lod, bias = (numbers(COUNT, 10 * index + k).reshape(shape) for k in (7, 8))
    filter: Any = "nearest" if integer or index % 3 == 2 else "linear"
    sampler = ts.Sampler(
        min_filter=filter,
        mag_filter="nearest" if integer else "linear",
        mip_filter="nearest" if integer else ("linear", "nearest", "none")[index % 3],
        address=mode if type != "CUBE" else "clamp",
        rounding=index % 2 == 0,
        border=(0.3, 2.0, -1.0, 0.5),
        trilinear_quality=("full", "med", "low")[index // 2 % 3],  # type: ignore[arg-type]
    )

    def run(device: Device) -> Arrays:
        made = ts.Surface.from_array(
            texels, format, type=type, mips=None if integer else "box", tiling="linear", device=device
        )
        results = [ts.sample(made, sampler, *points, bias=bias), ts.sample(made, sampler, *points, lod=lod)]
        if format == "R8G8B8A8_UNORM":
            results += [ts.sample(made, sampler, *points, lod=lod, dtype=np.uint8) for lod in (lod, 0.0, 1.3)]
        results.append(ts.sample(made, sampler, *points, gradients=(points, points[::-1]), offset=(-8, 7, 3)))
        if not integer:
            results.append(ts.query_lod(made, sampler, *points))
            if type in ("2D", "CUBE"):
                results.append(ts.gather4(made, sampler, *points, channel="rgba"[index % 4], offset=(31, -32)))
            if type == "2D":
                far = [p.view(np.int32) & 63 for p in points]
                results.append(ts.gather4(made, sampler, *points, offset=(far[0] - 32, 31 - far[1])))
        if type != "CUBE":
            places = [p.view(np.int32) if k % 2 else p.view(np.int32) & 7 for k, p in enumerate(points)]
            results.append(ts.load(made, *places, level=lod.view(np.int32) & 3))
        return [bits(device.download(result)) for result in results]

    return Case(f"sample-{type}-{format}-{mode}-{index}", run)


def _compare_case(compare: str, seed: int) -> Case:
    texels = noise((9, 5, 1), np.float32, seed)
    u, v, reference = (numbers(COUNT, seed + k) for k in (1, 2, 3))

    def run(device: Device) -> Arrays:
        made = ts.Surface.from_array(texels, "R32_FLOAT", device=device)
        sampler = ts.Sampler(shadow=compare)
        found = ts.sample(made, sampler, u, v, compare=reference)
        return [bits(device.download(each)) for each in (found, ts.gather4(made, sampler, u, v, compare=reference))]

    return Case(f"sample-compare-{compare}", run)


def _plane_case(index: int, format: str, filter: Any, mode: str) -> Case:
    """One filter, and rows wide enough to be strips of their own: the vector loops."""
    texels = noise((*SHAPES["2D"], 4), FORMATS[format], index)
    points = [numbers(COUNT, 50 * index + k).reshape(10, 70) for k in range(2)]
    odd = [np.ascontiguousarray(each[:7, :69]) for each in points]
    sampler = ts.Sampler(min_filter=filter, mag_filter=filter, address=(mode, "mirror"), border=(0.3, 2.0, -1.0, 0.5))

    def run(device: Device) -> Arrays:
        made = ts.Surface.from_array(texels, format, mips="box", tiling="linear", device=device)
        results = [ts.sample(made, sampler, *grid) for grid in (points, odd)]
        results.append(ts.sample(made, sampler, *points, lod=points[0]))
        if format == "R8G8B8A8_UNORM":
            results += [ts.sample(made, sampler, *points, lod=lod, dtype=np.uint8) for lod in (0.4, 1)]
        return [bits(device.download(result)) for result in results]

    return Case(f"sample-plane-{format}-{filter}-{mode}", run)


def _exact_case(index: int, type: str, format: str, mode: str) -> Case:
    """Exact samples and their gradients; anisotropic where the type of surface can be."""
    texels = noise((*SHAPES[type], 4), FORMATS[format], index)
    points = [numbers(COUNT, 30 * index + k).reshape(20, 35) for k in range({"1D": 1, "2D": 2}.get(type, 3))]
    lod, bias = (numbers(COUNT, 30 * index + k).reshape(20, 35) for k in (7, 8))
    weights = np.random.default_rng(index).normal(0, 3, (20, 35, 4)).astype(np.float32)
    sampler = ts.Sampler(
        filter="exact",
        max_anisotropy=1 if type == "3D" else 6,
        address=mode if type != "CUBE" else "clamp",  # type: ignore[arg-type]
        border=(0.3, 2.0, -1.0, 0.5),
    )

    def run(device: Device) -> Arrays:
        made = ts.Surface.from_array(texels, format, type=type, mips="box", tiling="linear", device=device)
        results = []
        for detail in ({"lod": lod}, {"bias": bias}, {"gradients": (points, points[::-1])}):
            results.append(ts.sample(made, sampler, *points, **detail))
            found = ts.sample_gradients(made, sampler, *points, weights=weights, **detail)
            results += [*found.texels, *found.coordinates, found.lod]
        return [bits(device.download(result)) for result in results]

    return Case(f"sample-exact-{type}-{format}-{mode}", run)


def _few_case(format: str, block_B: int) -> Case:
    """So few samples of blocks that only those that they read are decoded."""
    u, v, lod = (numbers(16, seed) for seed in (1, 2, 3))

    def run(device: Device) -> Arrays:
        levels = tuple((noise((((side + 3) // 4) ** 2 * block_B,), np.uint8, side).tobytes(),) for side in (61, 30))
        images = TextureImages(SurfaceType.SURFTYPE_2D, format, 61, 61, levels)
        made = ts.Surface.from_images(images, device=device)
        return [bits(device.download(ts.sample(made, ts.Sampler(), u, v, lod=lod)))]

    return Case(f"sample-few-{format}", run)


def _buffer_case() -> Case:
    def run(device: Device) -> Arrays:
        made = ts.Surface.from_array(noise((70, 4), np.uint8, 1), type="BUFFER", device=device)
        return [bits(device.download(ts.load(made, np.arange(-5, 80, dtype=np.int32))))]

    return Case("sample-load-buffer", run)


def _cases() -> Iterator[Case]:
    shapes = itertools.cycle([(COUNT,), (20, 35), (7, 25, 4), (1, 700), (700, 1)])
    for index, (type, format, mode) in enumerate(itertools.product(SHAPES, FORMATS, MODES)):
        integer = "UINT" in format
        if (integer and (type in ("3D", "CUBE") or "border" in mode)) or (type == "CUBE" and mode != "clamp"):
            continue
        yield _case(index, type, format, mode, next(shapes))
    for seed, compare in enumerate(("always", "never", "less", "equal", "lequal", "greater", "notequal", "gequal")):
        yield _compare_case(compare, seed)
    planes = itertools.product(list(FORMATS)[:2], ("nearest", "linear"), ("wrap", "border", "mirror_once"))
    for index, (format, filter, mode) in enumerate(planes):
        yield _plane_case(index, format, filter, mode)
    yield _buffer_case()
    for index, (type, mode) in enumerate(zip(("1D", "2D", "2D", "3D", "CUBE"), MODES[1:], strict=True)):
        yield _exact_case(index, type, list(FORMATS)[index % 2], mode)
    yield _few_case("BC1_UNORM", 8)
    yield _few_case("BC6H_UF16", 16)


SAMPLER_CASES = tuple(_cases())
