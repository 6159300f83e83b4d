"""Draws on a GPU leave the bytes of those on the CPU: their pixels are shaded, tested, blended and stored there."""

from __future__ import annotations

import numpy as np
import pytest

from texsamp.emulator import Gpu
from texsamp.state.commands_raster import Multisample, SampleMask, StripsFans, Windower
from texsamp.state.pixel_state import BlendState, DepthStencilState
from texsamp.surface.surface import Surface

pytestmark = pytest.mark.gpu

SIZE = (21, 13)
LESS = DepthStencilState(depth_test=True, depth_write=True, depth_function="LESS")
LAST_WRITES = {8: ((0x08031400, ""),), 16: ((0x10031000, ""),), 32: ((0x10030000, "Q1"), (0x10031800, "Q3"))}
"""Messages to the render target by the width of threads: descriptor and quarters."""


def _paint(simd):
    """A pixel shader that shows its first attribute."""
    step = min(simd, 16) // 8
    planes, lines = {8: 4, 16: 6, 32: 11}[simd], []
    for half, (descriptor, quarter) in enumerate(LAST_WRITES[simd]):
        weights = {8: 2, 16: 2, 32: 3 + 4 * half}[simd]
        for c in range(4):
            plane = f"r{planes + c // 2}.{4 * (c % 2)}<0;1,0>:f"
            option = f"{{{quarter}}}" if quarter else ""
            lines.append(f"pln ({8 * step}) r{112 + step * c}.0<1>:f {plane} r{weights}.0<8;8,1>:f {option}")
        last = descriptor == LAST_WRITES[simd][-1][0]
        options = ", ".join([quarter] * bool(quarter) + ["EOT"] * last)
        lines.append(
            f"send ({8 * step}) null:ud r112.0<8;8,1>:ud render_cache {descriptor:#x}:ud"
            + (f" {{{options}}}" if options else "")
        )
    return "\n".join(lines)


def _draw(simd, target=None, **options):
    rng = np.random.default_rng(simd)
    where = {"size": SIZE} if target is None else {"target": target}
    positions = np.concatenate([rng.uniform(-1.2, 1.2, (9, 2)), rng.uniform(0, 1, (9, 1)), np.ones((9, 1))], axis=1)
    colors = rng.uniform(-0.2, 1.2, (9, 4))
    return [
        Gpu(device).draw(_paint(simd), [positions, colors], simd=simd, **where, **options).picture
        for device in ("cpu", "cuda")
    ]


@pytest.mark.parametrize("simd", LAST_WRITES)
def test_pixels_of_any_width(simd):
    on_cpu, on_gpu = _draw(simd)
    assert on_cpu.any() and np.array_equal(on_cpu, on_gpu)


def test_blending_alpha_and_depth():
    """Alpha is tested, and what is nearer is blended over the rest."""
    over = BlendState(
        blend_enable=True, source_factor="SRC_ALPHA", destination_factor="INV_SRC_ALPHA", source_alpha_factor="ONE",
        destination_alpha_factor="ONE", clamp_range="RTFORMAT", pre_blend_clamp=True, post_blend_clamp=True,
        alpha_test=True, alpha_test_function="GREATER",
    )  # fmt: skip
    on_cpu, on_gpu = _draw(16, blend=over, depth=LESS)
    assert on_cpu.any() and np.array_equal(on_cpu, on_gpu)


@pytest.mark.parametrize("when", ["PSEXEC", "PREPS"])
def test_depth_before_the_shader(when):
    early = Windower(thread_dispatch=True, barycentric_modes=1, early_depth=when)
    on_cpu, on_gpu = _draw(16, depth=LESS, state=[early])
    assert on_cpu.any() and np.array_equal(on_cpu, on_gpu)


@pytest.mark.parametrize("rate", ["PERPIXEL", "PERSAMPLE"])
def test_samples_of_pixels(rate):
    """Four of each, by alpha those that it leaves; where threads work on samples, each has weights of its own."""
    target = Surface.from_array(np.zeros((4, 12, 16, 4), np.uint8), samples=4, tiling="Y", device="cpu")
    columns, rows = [0.375, 0.875, 0.125, 0.625], [0.125, 0.375, 0.625, 0.875]
    state = [
        Multisample(samples="COUNT_4", x_offset=2 * columns, y_offset=2 * rows),
        StripsFans(viewport_transform=True, cull_mode="NONE", multisample_mode="ON_PATTERN"),
        Windower(thread_dispatch=True, barycentric_modes=4, dispatch_rate=rate, multisample_mode="ON_PATTERN"),
        SampleMask(mask=255),
    ]
    on_cpu, on_gpu = _draw(16, target, blend=BlendState(alpha_to_coverage=True), state=state)
    assert on_cpu.to_array().any() and np.array_equal(on_cpu.to_array(), on_gpu.to_array())


def test_antialiased_lines():
    setup = StripsFans(
        cull_mode="NONE", viewport_transform=True, line_width=2.0, antialiasing=True, line_end_width="PIXELS_2"
    )
    lines = Windower(thread_dispatch=True, barycentric_modes=1, line_width="PIXELS_2")
    on_cpu, on_gpu = _draw(16, topology="LINESTRIP", state=[setup, lines])
    assert on_cpu.any() and np.array_equal(on_cpu, on_gpu)


def test_vertex_shaders_and_their_urb():
    """Threads write entries of two vertices each, which are brought back when they have ended."""
    kernel = """
        mov (8) r112.0<1>:ud r0.0<8;8,1>:ud {NoMask}                           # the message: handles of two vertices
        mov (1) r112.5<1>:ud 0xff00:ud {NoMask}
        mov (8) r113.0<1>.xyzw:ud 0:ud {align16}                               # an empty header
        mul (8) r114.0<1>.xyzw:f r1.0<4>.xyzw:f 0.5:f {align16}
        mov (8) r114.0<1>.zw:f r1.0<4>.xyzw:f {align16}
        mov (8) r115.0<1>.xyzw:f r2.0<4>.xyzw:f {align16}                      # colors
        send (8) null<1>.xyzw:f r112.0<4>.xyzw:f urb 0x0808c000:ud {align16, EOT}
    """
    positions, colors = [(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)], [(1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1)]
    on_cpu, on_gpu = (
        Gpu(device).draw(_paint(16), [positions, colors], size=SIZE, vertex_kernel=kernel).picture
        for device in ("cpu", "cuda")
    )
    assert on_cpu.any() and np.array_equal(on_cpu, on_gpu)
