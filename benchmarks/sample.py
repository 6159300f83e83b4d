"""Speed of sampling: a turned 1024 x 1024 RGBA8 texture as a picture of 1920 x 1080, at every CPU level.

Arrays, volumes and cubes are beside it.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import texsamp as ts
from benchmarks.llvmpipe import Drawing, measure_drawing
from benchmarks.timing import Contender, Row, measure
from benchmarks.torch_peer import grid_sample
from texsamp.device import CpuDevice, Device
from texsamp.device.cpu import library_path
from texsamp.device.levels import supported_levels
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import TextureImages

SIDE_PX, WIDTH_PX, HEIGHT_PX = 1024, 1920, 1080
TURN = math.radians(17)
MINIFIED = 3.1
BASELINE = "numpy bilinear"


Matrix = tuple[tuple[float, float, float], ...]


def _matrix(scale: float, ratio: float = 1.0) -> Matrix:
    """Rows of the map from pixels, (x, y, 1), to coordinates.

    scale: how many widths of the texture the picture's width is. ratio: how many times as high as wide a pixel is.
    """
    across = scale / WIDTH_PX
    down = ratio * across
    return (math.cos(TURN) * across, -math.sin(TURN) * down, 0.0), (math.sin(TURN) * across, math.cos(TURN) * down, 0.0)


def coordinates_of(device: Device, matrix: Matrix) -> tuple[Any, ...]:
    """Coordinates of the picture's pixels."""
    y, x = np.mgrid[0:HEIGHT_PX, 0:WIDTH_PX]
    return tuple(device.upload((a * x + b * y + c).astype(np.float32)) for a, b, c in matrix)


def picture_coordinates(device: Device, scale: float, ratio: float = 1.0) -> tuple[Any, ...]:
    """Coordinates of the turned picture's pixels."""
    return coordinates_of(device, _matrix(scale, ratio))


def random_texels() -> Any:
    """What all contenders sample."""
    return np.random.default_rng(0).integers(0, 256, (SIDE_PX, SIDE_PX, 4), np.uint8)


def _numpy_bilinear(texels: Any, u: Any, v: Any) -> Any:
    """Wrapped, in float32."""
    x, y = (u - np.floor(u)) * SIDE_PX - 0.5, (v - np.floor(v)) * SIDE_PX - 0.5
    left, upper = np.floor(x).astype(np.int32), np.floor(y).astype(np.int32)
    across, down = (x - left)[..., None], (y - upper)[..., None]
    x0, x1, y0, y1 = left % SIDE_PX, (left + 1) % SIDE_PX, upper % SIDE_PX, (upper + 1) % SIDE_PX
    top = texels[y0, x0] * (1 - across) + texels[y0, x1] * across
    low = texels[y1, x0] * (1 - across) + texels[y1, x1] * across
    return top * (1 - down) + low * down


WHOLE = WIDTH_PX / HEIGHT_PX
"""Ratio at which the whole texture is the picture."""
FOOTPRINTS = {
    "aniso16 at 1.78:1": (1.0, WHOLE),
    "aniso16 at 1.78:1, minified": (MINIFIED, WHOLE),
    "aniso16 at 12:1": (1.0, 12.0),
}
"""Scale and ratio of what is sampled with anisotropy."""
SOLIDS: dict[str, tuple[tuple[int, ...], Matrix]] = {
    "array": ((4, SIDE_PX, SIDE_PX, 4), (*_matrix(1.0), (3.0 / WIDTH_PX, 0.0, 0.0))),
    "volume": ((128, 128, 128, 4), (*_matrix(4.0), (0.7 / WIDTH_PX, 0.3 / HEIGHT_PX, 0.0))),
    "cube": (
        (6, 512, 512, 4),
        ((2.85 / WIDTH_PX, 0.0, -0.82), (0.0, 2 / HEIGHT_PX, -1.0), (-2.13 / WIDTH_PX, 0.0, 1.87)),
    ),
}
"""Shapes of other textures, and their maps: four layers side by side, a slanted cut, a view of several faces."""
DRAWINGS = {
    "nearest": ("nearest", (1.0,), False),
    "bilinear": ("bilinear", (1.0,), False),
    "trilinear": ("trilinear", (MINIFIED,), False),
    "bilinear of float32": ("bilinear", (1.0,), True),
    **{name: ("aniso16", at, False) for name, at in FOOTPRINTS.items()},
}
"""What llvmpipe draws: filter, scale and ratio, and whether the texture is of floats."""


def random_solid(kind: str) -> Any:
    """Texels of one of `SOLIDS`."""
    return np.random.default_rng(2).integers(0, 256, SOLIDS[kind][0], np.uint8)


def _llvmpipe(texels: Any, threads: int) -> Iterator[tuple[str, dict[str, list[float]]]]:
    """What llvmpipe takes for each drawing."""
    drawings = {
        name: (Drawing(_matrix(*at), filter, floats), texels) for name, (filter, at, floats) in DRAWINGS.items()
    }
    for kind, (_, matrix) in SOLIDS.items():
        drawings[f"bilinear of {kind}"] = Drawing(matrix, "bilinear", kind=kind), random_solid(kind)
    for name, (drawing, source) in drawings.items():
        times = measure_drawing(drawing, source, (WIDTH_PX, HEIGHT_PX), threads, rounds=21)
        if times is None:
            return
        yield f"llvmpipe {name} to uint8", times


def _first_ms(run: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    run()
    return (time.perf_counter() - begin) * 1e3


def sampling(device: Device) -> dict[str, Callable[[], Any]]:
    """What is measured, on a device."""
    texels = random_texels()
    flat = ts.Surface.from_array(texels, device=device)
    deep = ts.Surface.from_array(texels, mips="box", device=device)
    wide = ts.Surface.from_array((texels / 255).astype(np.float32), "R32G32B32A32_FLOAT", device=device)
    near, far = picture_coordinates(device, 1), picture_coordinates(device, MINIFIED)
    nearest = ts.Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="none")
    linear = ts.Sampler()
    runs: dict[str, Callable[[], Any]] = {
        "nearest to uint8": lambda: ts.sample(flat, nearest, *near, dtype=np.uint8),
        "bilinear to uint8": lambda: ts.sample(flat, linear, *near, dtype=np.uint8),
        "bilinear to float32": lambda: ts.sample(flat, linear, *near),
        "bilinear of float32": lambda: ts.sample(wide, linear, *near),
        "trilinear to uint8": lambda: ts.sample(deep, linear, *far, dtype=np.uint8),
        "trilinear to float32": lambda: ts.sample(deep, linear, *far),
    }
    runs |= _sharpened(deep)
    runs |= {f"bilinear of {kind} to uint8": _of_solid(kind, device, linear) for kind in SOLIDS}
    for format, block_B in (("BC1_UNORM", 8), ("BC7_UNORM", 16)):
        blocks = np.random.default_rng(1).integers(0, 256, (SIDE_PX // 4) ** 2 * block_B, np.uint8).tobytes()
        runs |= _blocks(format, blocks, device, linear, near)
    return runs


def _ours(level: str) -> Iterator[Contender]:
    for name, run in sampling(CpuDevice(level)).items():
        print(f"texsamp {level} {name}: first call {_first_ms(run):.1f} ms")
        yield Contender(f"texsamp {level} {name}", run)


def _of_solid(kind: str, device: Device, sampler: ts.Sampler) -> Callable[[], Any]:
    type = {"volume": "3D", "cube": "CUBE"}.get(kind)
    surface = ts.Surface.from_array(random_solid(kind), type=type, device=device)
    at = coordinates_of(device, SOLIDS[kind][1])
    if kind == "array":
        return lambda: ts.sample(surface, sampler, *at[:2], layer=at[2], dtype=np.uint8)
    return lambda: ts.sample(surface, sampler, *at, dtype=np.uint8)


def _sharpened(surface: ts.Surface) -> dict[str, Callable[[], Any]]:
    sampler = ts.Sampler(max_anisotropy=16)

    def of(at: tuple[Any, Any]) -> Callable[[], Any]:
        return lambda: ts.sample(surface, sampler, *at, dtype=np.uint8)

    return {
        f"{name} to uint8": of(picture_coordinates(surface.device, *footprint))
        for name, footprint in FOOTPRINTS.items()
    }


def _blocks(
    format: str, blocks: bytes, device: Device, sampler: ts.Sampler, at: tuple[Any, Any]
) -> dict[str, Callable[[], Any]]:
    """Sampled as they are, and decoded for each picture."""
    images = TextureImages(SurfaceType.SURFTYPE_2D, format, SIDE_PX, SIDE_PX, ((blocks,),))
    made = ts.Surface.from_images(images, device=device)

    def decoded() -> Any:
        picture = ts.decode(blocks, format=format, width=SIDE_PX, height=SIDE_PX, device=device)
        return ts.sample(ts.Surface.from_array(picture, device=device), sampler, *at, dtype=np.uint8)

    name = format.removesuffix("_UNORM")
    return {
        f"bilinear of {name}": lambda: ts.sample(made, sampler, *at, dtype=np.uint8),
        f"bilinear of {name}, decoded each time": decoded,
    }


def sample(threads: int) -> list[Row]:
    """Rows for a number of threads; CPU time per picture, 2.07 million samples. First calls are printed."""
    ts.set_threads(threads)
    texels = random_texels()
    near = picture_coordinates(ts.get_device("cpu"), 1)
    contenders = [Contender(BASELINE, lambda: _numpy_bilinear(texels, *near)), *grid_sample(texels, *near, threads)]
    for level in supported_levels():
        if library_path(level) is not None:
            contenders += _ours(level)
    try:
        rows = measure("sample", contenders, BASELINE, threads, rounds=7, frames=1)
    finally:
        ts.set_threads(None)
    base_ms = rows[0].cpu_median_ms
    for name, times in _llvmpipe(texels, threads):
        low, median, high = statistics.quantiles(times["cpu_ms"], n=4)
        wall = statistics.median(times["wall_ms"])
        rows.append(Row("sample", name, threads, wall, median, low, high, median / base_ms))
    return rows
