"""What the emulator draws and computes, for the model of a GPU's costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import texsamp as ts
from texsamp.emulator import Gpu
from texsamp.emulator.fixed.domain_threads import DomainWork
from texsamp.emulator.fixed.fragments import Fragments, MergeState, Target
from texsamp.emulator.fixed.interpolation import Interpolator
from texsamp.emulator.fixed.merge import merge
from texsamp.emulator.fixed.raster import rasterize
from texsamp.emulator.fixed.setup import set_up
from texsamp.emulator.fixed.tessellator import tessellate
from texsamp.state.commands_3d import Tessellator, Topology
from texsamp.state.pixel_state import BlendState, CcViewport, ColorCalcState, DepthStencilState
from texsamp.surface.layout.description import Usage

Cases = Iterator[tuple[str, Callable[[], object]]]

SIDE_PX = 512
"""Of what is drawn to."""
TRIANGLES = 1500
TRIANGLE_PX = 24
"""Most of a side."""
PATCHES, LARGEST_FACTOR = 512, 12.0
QUAD = [(-1, 1), (1, 1), (-1, -1), (1, -1)]
CORNERS = [(0, 0), (1.2, 0.1), (-0.1, 1), (1, 1.1)]
SHADER = """
    pln (16) r114.0<1>:f r6.0<0;1,0>:f r2.0<8;8,1>:f
    pln (16) r116.0<1>:f r6.4<0;1,0>:f r2.0<8;8,1>:f
    send (16) r20.0<1>:ud r114.0<8;8,1>:ud sampler 0x08840001:ud
    mul (16) r112.0<1>:f r20.0<8;8,1>:f 0.75:f
    mad (16) r114.0<1>:f r22.0<4;4,1>.xyzw:f r20.0<4;4,1>.xyzw:f r22.0<4;4,1>.xyzw:f
    add.sat (16) r114.0<1>:f r114.0<8;8,1>:f 0.125:f
    add (16) r116.0<1>:f r24.0<8;8,1>:f -r20.0<8;8,1>:f
    mov (16) r118.0<1>:f 1.0:f
    send (16) null:ud r112.0<8;8,1>:ud render_cache 0x10031000:ud {EOT}
"""
"""A pixel shader: its place in a texture, a sample, arithmetic on colors, the write."""


def draws(device: ts.Device) -> Cases:
    """Names of cases, and what runs each."""
    for samples in (1, 4):
        yield f"triangles, {samples} samples of a pixel", partial(_raster, device, samples)
    yield "merge RGBA8 blended", partial(_merge, device)
    yield "patches", partial(_patches, device)
    yield "draw: a texture through a pixel shader", partial(_shaded, device)


def _patches(device: ts.Device) -> None:
    """Quads of any factors, divided, and what domain threads of their points begin with."""
    factors = np.random.default_rng(7).uniform(1, LARGEST_FACTOR, (PATCHES, 16)).astype(np.float32)
    entries, ids = device.upload_all([factors.view(np.uint32).reshape(PATCHES, 4, 4), np.arange(PATCHES)])
    command = Tessellator(output_topology="TRI_CW", max_factor_not_odd=64.0)
    made = tessellate(command, entries, ids, device, lambda ends: None)
    places = device.empty((made.ends.points,), np.int32)
    for _ in DomainWork(made, ids, 2, 1, 1, True, places, device).batches(made.ends.points):
        device.synchronize()


def _shaded(device: ts.Device) -> None:
    """A whole draw, from its commands on."""
    texels = np.random.default_rng(6).integers(0, 256, (SIDE_PX, SIDE_PX, 4), np.uint8)
    Gpu(device).draw(
        SHADER, [QUAD, CORNERS], size=(SIDE_PX, SIDE_PX), topology="TRISTRIP",
        surfaces=[ts.Surface.from_array(texels, tiling="Y", device="cpu")],
        samplers=[ts.Sampler(mip_filter="none")],
    )  # fmt: skip


def _raster(device: ts.Device, samples: int) -> None:
    """Triangles all over a picture, as a mesh has them: their subspans, and the weights at centers of pixels."""
    from support.drawing import primitives, raster_state

    rng = np.random.default_rng(3)
    corners = rng.uniform(0, SIDE_PX, (TRIANGLES, 1, 2)) + rng.uniform(0, TRIANGLE_PX, (TRIANGLES, 3, 2))
    rest = rng.uniform(0.2, 1, (TRIANGLES, 3, 2))
    at = np.concatenate([corners, rest], axis=2).reshape(-1, 4)
    state = raster_state((SIDE_PX, SIDE_PX), samples=samples)
    objects = set_up(primitives(at, topology=Topology.TRILIST, device=device), state)
    for spans in rasterize(objects, state.tested):
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
