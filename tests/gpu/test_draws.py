"""Draws on a GPU leave the bytes of those on the CPU: their pixels are shaded, tested, blended and stored there."""

from __future__ import annotations

import numpy as np
import pytest

from texsamp.emulator import Gpu
from texsamp.state.pixel_state import BlendState, DepthStencilState

pytestmark = pytest.mark.gpu

SIZE = (21, 13)
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


def _draw(simd, **options):
    rng = np.random.default_rng(simd)
    positions = np.concatenate([rng.uniform(-1.2, 1.2, (9, 2)), rng.uniform(0, 1, (9, 1)), np.ones((9, 1))], axis=1)
    colors = rng.uniform(-0.2, 1.2, (9, 4))
    return [
        Gpu(device).draw(_paint(simd), [positions, colors], size=SIZE, simd=simd, **options).picture
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
    less = DepthStencilState(depth_test=True, depth_write=True, depth_function="LESS")
    on_cpu, on_gpu = _draw(16, blend=over, depth=less)
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
