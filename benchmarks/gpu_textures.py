"""Textures for the model of a GPU's costs: tiles, texels, mips, samples, blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import texsamp as ts
from texsamp.state.formats import surface_format
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.codec.formats import DECODERS
from texsamp.surface.images import TextureImages, image_size_B
from texsamp.surface.texels import fetch_texels, load_texels, put_texels, store_texels

Cases = Iterator[tuple[str, Callable[[], object]]]

SIDE_PX, SMALL_PX = 512, 256
"""Of the textures: whole tiles of a larger picture cost the same."""
SMALL_DEPTH = 4
SAMPLERS = {
    "nearest": ts.Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="none"),
    "bilinear": ts.Sampler(mip_filter="none"),
    "trilinear": ts.Sampler(),
    "anisotropic": ts.Sampler(max_anisotropy=8),
}
EXACT = ts.Sampler(filter="exact")
DEPTH = 32
"""Slices of a volume."""
ASTC_FORMATS = ("ASTC_LDR_2D_4x4_FLT16", "ASTC_HDR_2D_4x4_FLT16")
MIPS = {
    "R8G8B8A8_UNORM": np.uint8,
    "R8G8B8A8_UNORM_SRGB": np.uint8,
    "R8G8B8A8_SNORM": np.int8,
    "R16G16B16A16_UNORM": np.uint16,
    "R16G16B16A16_SNORM": np.int16,
}
FEW = 16
"""Samples of blocks that are so few that only those they touch are decoded."""


def textures(device: ts.Device, rng: np.random.Generator) -> Cases:
    """Names of cases, and what runs each."""
    texels = device.upload(rng.integers(0, 256, (SIDE_PX, SIDE_PX, 4), np.uint8))
    yield "tile Y", partial(ts.Surface.from_array, texels, "R8G8B8A8_UNORM", tiling="Y", device=device)
    tiled = ts.Surface.from_array(texels, "R8G8B8A8_UNORM", tiling="Y", device=device)
    yield "detile Y", tiled.to_array
    yield from _texels(device, rng)
    for format, dtype in MIPS.items():
        texels = device.upload(rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, (SMALL_PX, SMALL_PX, 4), dtype))
        yield f"mips {format}", partial(_mips, texels, format, device)
    yield from _samples(device)
    yield from _general_samples(device)
    yield from _blocks(device, rng)


def _mips(texels: Any, format: str, device: ts.Device) -> object:
    """One level of a Kaiser filter."""
    return ts.Surface.from_array(texels, format, mips="kaiser", levels=2, tiling="linear", device=device)


def _texels(device: ts.Device, rng: np.random.Generator) -> Cases:
    """A packed format, whole and at places that are given."""
    format, size = "R10G10B10A2_UNORM", {"width_px": SMALL_PX, "height_px": SMALL_PX}
    packed = device.upload(rng.integers(0, 256, (SMALL_PX, 4 * SMALL_PX), np.uint8))
    x, y = (np.tile(np.arange(SMALL_PX), (SMALL_PX, 1)) for _ in range(2))
    y = y.T
    values = device.upload(rng.random((SMALL_PX, SMALL_PX, 4), np.float32))
    load = partial(load_texels, packed, format, SMALL_PX, SMALL_PX, dtype=np.float32, device=device)
    yield f"load texels {format}", load
    yield f"store texels {format}", partial(store_texels, values, format, device=device)
    yield f"fetch texels {format}", partial(fetch_texels, packed, format, x, y, **size, device=device)
    yield f"put texels {format}", partial(put_texels, values, packed, format, x, y, **size, device=device)


def _samples(device: ts.Device) -> Cases:
    """A picture of a quarter more texels than samples, turned a little, with mips."""
    rng = np.random.default_rng(1)
    u, v = _turned(device, SIDE_PX)
    weights = device.upload(rng.random((SIDE_PX, SIDE_PX, 4), np.float32))
    for format in ("R8G8B8A8_UNORM", "R32G32B32A32_FLOAT"):
        texels = rng.integers(0, 256, (SIDE_PX, SIDE_PX, 4), np.uint8)
        array = texels if "UNORM" in format else texels.astype(np.float32)
        surface = ts.Surface.from_array(device.upload(array), format, mips="box", device=device)
        for name, sampler in (SAMPLERS | {"exact": EXACT}).items():
            ts.sample(surface, sampler, u, v)  # the texels are expanded once
            yield f"sample {name} {format}", partial(ts.sample, surface, sampler, u, v)
        yield f"gradients {format}", partial(ts.sample_gradients, surface, EXACT, u, v, weights=weights)


def _turned(device: ts.Device, side_px: int) -> tuple[Any, Any]:
    y, x = np.mgrid[0:side_px, 0:side_px].astype(np.float32) * np.float32(1.25 / side_px)
    u, v = (device.upload(np.ascontiguousarray(each, np.float32)) for each in (x + y / 16, y - x / 16))
    return u, v


def _general_samples(device: ts.Device) -> Cases:
    """What the vector loops do not take, and volumes."""
    rng = np.random.default_rng(4)
    u, v = _turned(device, SMALL_PX)
    lod = device.upload(np.full((SMALL_PX, SMALL_PX), 0.4, np.float32))
    texels = rng.integers(0, 256, (SMALL_PX, SMALL_PX, 4), np.uint8)
    made = ts.Surface.from_array(device.upload(texels), mips="box", device=device)
    wide = ts.Surface.from_array(device.upload(texels.astype(np.float32)), "R32G32B32A32_FLOAT", device=device)
    codes = ts.Surface.from_array(device.upload(texels.astype(np.uint16)), "R16G16B16A16_UINT", device=device)
    mono = ts.Surface.from_array(texels[..., :1] & np.uint8(1), "MONO8", tiling="linear", device=device)
    volume = rng.integers(0, 256, (DEPTH, 128, 128, 4), np.uint8)
    volume = ts.Surface.from_array(device.upload(volume), type="3D", device=device)
    steps = device.upload(np.full(u.shape, 1.5 / SMALL_PX, np.float32)), device.upload(np.zeros(u.shape, np.float32))
    places = np.mgrid[0:SMALL_PX, 0:SMALL_PX].astype(np.int32)
    y, x = (device.upload(np.ascontiguousarray(each)) for each in places)
    trilinear, box = SAMPLERS["trilinear"], ts.Sampler(mono_size=(2, 2), mip_filter="none", address="border")
    derivatives, probes = {"gradients": (steps, steps[::-1])}, SAMPLERS["anisotropic"]
    cases: dict[str, Callable[[], object]] = {
        "sample with an offset": partial(ts.sample, made, trilinear, u, v, lod=lod, offset=(1, 1, 0)),
        "sample with an offset, a grid": partial(ts.sample, made, trilinear, u, v, offset=(1, 1, 0)),
        "sample with gradients": partial(ts.sample, wide, probes, u, v, **derivatives),
        "sample with gradients, trilinear": partial(ts.sample, made, trilinear, u, v, **derivatives),
        "sample integers": partial(ts.sample, codes, SAMPLERS["nearest"], u, v),
        "sample a volume": partial(ts.sample, volume, ts.Sampler(), u, v, lod),
        "sample one bit": partial(ts.sample, mono, box, u, v),
        "query LODs": partial(ts.query_lod, made, trilinear, u, v),
        "load texels of a surface": partial(ts.load, made, x, y),
        "load wide texels of a surface": partial(ts.load, codes, x, y),
    }
    for name, run in cases.items():
        run()  # the texels are expanded once
        yield name, run
    yield "sample a few of many blocks", partial(_few, device)


def _few(device: ts.Device) -> object:
    blocks = np.random.default_rng(5).integers(
        0, 256, image_size_B(surface_format("BC1_UNORM"), SMALL_PX, SMALL_PX), "u1"
    )
    images = TextureImages(SurfaceType.SURFTYPE_2D, "BC1_UNORM", SMALL_PX, SMALL_PX, ((blocks.tobytes(),),))
    at = np.linspace(0, 1, FEW, dtype=np.float32)
    return ts.sample(ts.Surface.from_images(images, device=device), SAMPLERS["bilinear"], at, at)


def _blocks(device: ts.Device, rng: np.random.Generator) -> Cases:
    """Every kernel that decodes, with blocks of any bits; of ASTC both, and which are illegal."""
    seen: set[str] = set()
    for name, decoder in DECODERS.items():
        if decoder.kernel in seen or decoder.kernel.startswith("astc"):
            continue
        seen.add(decoder.kernel)
        blocks = _random_blocks(device, rng, name)
        yield f"decode {name}", partial(ts.decode, blocks, name, SMALL_PX, SMALL_PX, device=device)
        if decoder.kernel_f32 is not None:
            as_float = partial(ts.decode, blocks, name, SMALL_PX, SMALL_PX, dtype="float32", device=device)
            yield f"decode {name} to floats", as_float
    for name in ASTC_FORMATS:
        blocks = _random_blocks(device, rng, name)
        yield f"decode {name}", partial(ts.decode, blocks, name, SMALL_PX, SMALL_PX, device=device)
    yield f"decode {name}, strictly", partial(_strictly, blocks, name, device)
    for name in ("ASTC_4x4x4_UNORM", "ASTC_4x4x4_SFLOAT"):
        blocks = device.upload(rng.integers(0, 256, 16 * (SMALL_PX // 8) ** 2, np.uint8))
        half = SMALL_PX // 2
        yield f"decode {name}", partial(ts.decode_volume, blocks, name, half, half, SMALL_DEPTH, device=device)


def _random_blocks(device: ts.Device, rng: np.random.Generator, name: str) -> Any:
    info = surface_format(name)
    return device.upload(rng.integers(0, 256, image_size_B(info, SMALL_PX, SMALL_PX), np.uint8))


def _strictly(blocks: Any, name: str, device: ts.Device) -> None:
    try:
        ts.decode(blocks, name, SMALL_PX, SMALL_PX, errors="strict", device=device)
    except ts.FormatError:
        return
