"""What the model of a GPU's costs is made from: filters on a moving picture, textures, and what the emulator draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle

import numpy as np

import texsamp as ts
from texsamp.emulator.fixed.fragments import Fragments, MergeState, Target
from texsamp.emulator.fixed.interpolation import Interpolator
from texsamp.emulator.fixed.merge import merge
from texsamp.emulator.fixed.raster import rasterize
from texsamp.emulator.fixed.setup import set_up
from texsamp.state.commands_3d import Topology
from texsamp.state.formats import surface_format
from texsamp.state.pixel_state import BlendState, CcViewport, ColorCalcState, DepthStencilState
from texsamp.surface.images import image_size_B
from texsamp.surface.layout.description import Usage

Cases = Iterator[tuple[str, Callable[[], object]]]

FILTERS = (
    "scale=1280x720",
    "scale=1920x1080",
    "scale=1920x1080:adaptive=on",
    "sharpen=44",
    "sharpen=mode=gen6-combination",
    "denoise=20",
    "deinterlace=mode=madi:rate=field:deint=all",
    "procamp=contrast=1.1",
    "csc=matrix=bt709",
)
FILTERS_OF_MOTION = (
    "denoise=hq",
    "deinterlace=mode=mcdi:rate=field:deint=all",
    "deinterlace=mode=hq:rate=field:deint=all",
    "deinterlace=mode=best:rate=field:deint=all",
    "deinterlace=film=auto:deint=all",
)
"""Fed with a picture that moves."""
WARM_UP = 8
"""Pictures until every filter has those around one that it asks for."""
SAMPLERS = {
    "nearest": ts.Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="none"),
    "bilinear": ts.Sampler(mip_filter="none"),
    "trilinear": ts.Sampler(),
    "anisotropic": ts.Sampler(max_anisotropy=8),
}
EXACT = ts.Sampler(filter="exact")
WIDTH_PX, HEIGHT_PX, SIDE_PX = 960, 540, 512
"""Of the frames and of the textures: whole tiles of a larger picture cost the same."""
MOVING_PX = 384, 192
"""Of frames that are fed in numbers: whole tiles, too."""
STEP_PX = 3
"""What moves between two of them."""
BLOCK_FORMATS = ("BC1_UNORM", "BC3_UNORM", "BC5_UNORM", "BC7_UNORM", "ETC2_RGB8", "ASTC_LDR_2D_4x4_FLT16")
TRIANGLES = 1500
TRIANGLE_PX = 24
"""Most of a side."""


def model_cases(device: ts.Device) -> Cases:
    """Names of cases, and what runs each."""
    rng = np.random.default_rng(0)
    yield from _filters(device, rng)
    texels = device.upload(rng.integers(0, 256, (SIDE_PX, SIDE_PX, 4), np.uint8))
    yield "tile Y", partial(ts.Surface.from_array, texels, "R8G8B8A8_UNORM", tiling="Y", device=device)
    tiled = ts.Surface.from_array(texels, "R8G8B8A8_UNORM", tiling="Y", device=device)
    yield "detile Y, load texels", tiled.to_array
    yield from _samples(device)
    for samples in (1, 4):
        yield f"triangles, {samples} samples of a pixel", partial(_raster, device, samples)
    yield "merge RGBA8 blended", partial(_merge, device)
    for name in BLOCK_FORMATS:
        size_B = image_size_B(surface_format(name), SIDE_PX, SIDE_PX)
        blocks = device.upload(rng.integers(0, 256, size_B, np.uint8))
        yield f"decode {name}", partial(ts.decode, blocks, name, SIDE_PX, SIDE_PX, device=device)


def _filters(device: ts.Device, rng: np.random.Generator) -> Cases:
    still = _frames(device, rng, (WIDTH_PX, HEIGHT_PX), 1)
    moving = _frames(device, rng, MOVING_PX, WARM_UP)
    for texts, frames, warm_up in ((FILTERS, still, 2), (FILTERS_OF_MOTION, moving, WARM_UP)):
        for text in texts:
            pipeline, given = ts.Pipeline.parse(text, device), cycle(frames)
            for _ in range(warm_up):
                list(pipeline.feed(next(given)))  # temporal filters hold frames back
            yield text, partial(_feed, pipeline, next(given))
    yield "convert to rgb24", partial(ts.convert, still[0], "rgb24")


def _frames(device: ts.Device, rng: np.random.Generator, size_px: tuple[int, int], count: int) -> list[ts.Frame]:
    """A ramp under noise that moves to the left."""
    width, height = size_px
    wide = np.add.outer(np.arange(height), np.arange(width + STEP_PX * count)) // 8 % 200
    wide = (wide + rng.integers(0, 24, wide.shape)).astype(np.uint8)
    lumas = [wide[:, STEP_PX * n :][:, :width].copy() for n in range(count)]
    planes = [[luma, luma[::2, ::2].copy(), luma[1::2, 1::2].copy()] for luma in lumas]
    return [ts.Frame.from_arrays("yuv420p", each, width, height, device) for each in planes]


def _feed(pipeline: ts.Pipeline, frame: ts.Frame) -> list[ts.Frame]:
    return list(pipeline.feed(frame))


def _samples(device: ts.Device) -> Cases:
    """A picture of a quarter more texels than samples, turned a little, with mips."""
    rng = np.random.default_rng(1)
    y, x = np.mgrid[0:SIDE_PX, 0:SIDE_PX].astype(np.float32) * np.float32(1.25 / SIDE_PX)
    u, v = (device.upload(np.ascontiguousarray(each, np.float32)) for each in (x + y / 16, y - x / 16))
    weights = device.upload(rng.random((SIDE_PX, SIDE_PX, 4), np.float32))
    for format in ("R8G8B8A8_UNORM", "R32G32B32A32_FLOAT"):
        texels = rng.integers(0, 256, (SIDE_PX, SIDE_PX, 4), np.uint8)
        array = texels if "UNORM" in format else texels.astype(np.float32)
        surface = ts.Surface.from_array(device.upload(array), format, mips="box", device=device)
        for name, sampler in (SAMPLERS | {"exact": EXACT}).items():
            ts.sample(surface, sampler, u, v)  # the texels are expanded once
            yield f"sample {name} {format}", partial(ts.sample, surface, sampler, u, v)
        yield f"gradients {format}", partial(ts.sample_gradients, surface, EXACT, u, v, weights=weights)


def _raster(device: ts.Device, samples: int) -> None:
    """Triangles all over a picture, as a mesh has them: their subspans, and the weights at centers of pixels."""
    from support.drawing import primitives, raster_state

    rng = np.random.default_rng(3)
    corners = rng.uniform(0, SIDE_PX, (TRIANGLES, 1, 2)) + rng.uniform(0, TRIANGLE_PX, (TRIANGLES, 3, 2))
    rest = rng.uniform(0.2, 1, (TRIANGLES, 3, 2))
    at = np.concatenate([corners, rest], axis=2).reshape(-1, 4)
    state = raster_state((SIDE_PX, SIDE_PX), samples=samples)
    objects = set_up(primitives(at, topology=Topology.TRILIST), state)
    for spans in rasterize(objects, state.tested, device):
        numbers = Interpolator(objects, spans, state, device)
        numbers.barycentrics(0b1)
        if samples > 1:
            numbers.depth_of_samples()


def _merge(device: ts.Device) -> None:
    """A quad over a render target."""
    from support.merging import Graphics, layout_of, subspans

    x, y = subspans(SIDE_PX, SIDE_PX)
    rng = np.random.default_rng(2)
    graphics = Graphics(rng)
    target = graphics.place(layout_of("R8G8B8A8_UNORM", (SIDE_PX, SIDE_PX)))
    depth = graphics.place(layout_of("R24_UNORM_X8_TYPELESS", (SIDE_PX, SIDE_PX), usage=Usage.DEPTH))
    colors = rng.random((len(x), 4), np.float32)
    fragments = Fragments(
        x, y, np.zeros_like(x), np.ones(len(x), np.uint32), np.zeros(len(x), np.bool_),
        rng.random((len(x), 1), np.float32), colors={0: colors.view(np.uint32)},
    )  # fmt: skip
    blend = BlendState(
        blend_enable=1, source_factor="SRC_ALPHA", destination_factor="INV_SRC_ALPHA", alpha_test=1,
        alpha_test_function="GREATER", clamp_range="RTFORMAT", pre_blend_clamp=1, post_blend_clamp=1,
    )  # fmt: skip
    state = MergeState(
        DepthStencilState(depth_test=1, depth_write=1, depth_function="LESS"), ColorCalcState(alpha_reference=8),
        (blend,), (CcViewport(max_depth=1.0),), {0: Target(target.state())}, depth.depth_buffer(depth_write=1),
    )  # fmt: skip
    merge(graphics.memory(), state, fragments, device)
