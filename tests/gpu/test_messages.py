"""Messages of threads on a GPU leave the memory that those of threads on the CPU leave."""

from __future__ import annotations

import numpy as np
import pytest
from support import programs
from support.programs import SET_UP, Program, data_address, objects

from texsamp import get_device
from texsamp.state import RenderSurfaceState

pytestmark = pytest.mark.gpu

PITCH, ROWS, DWORDS, SIZE = 128, 40, 24, 8192


def _surface(number, tiled):
    return RenderSurfaceState(
        format="R8_UINT", width=DWORDS, height=ROWS, pitch=PITCH, base_address=data_address(number), tiled=tiled,
        tile_walk="YMAJOR",
    )  # fmt: skip


def _same(monkeypatch, make):
    """Data buffers of a program are the CPU's; returns the first one's bytes."""
    left = []
    for device in (None, get_device("cuda")):
        monkeypatch.setattr(programs, "where_threads_run", device)
        program = make()
        program.run()
        left.append([program.data(number).tobytes() for number in range(2)])
    assert left[0] == left[1]
    return left[0][0]


@pytest.mark.parametrize("tiled", [False, True])
def test_media_blocks(monkeypatch, tiled):
    """Blocks are read, beyond the edges as well, and written, one over the other and over the edges."""
    kernel = """
        mov (8) r20.0<1>:ud r1.0<8;8,1>:ud
        send (1) r101.0<1>:ud r20.0<8;8,1>:ud sampler_cache 0x02490001:ud
        mov (8) r100.0<1>:ud r2.0<8;8,1>:ud
        send (1) null:ud r100.0<8;8,1>:ud render_cache 0x0a0a8000:ud
    """
    rng = np.random.default_rng(1)
    before = [rng.integers(0, 256, SIZE, np.uint8).tobytes() for _ in range(2)]
    headers = np.zeros((6, 16), np.uint32)
    headers[:, [0, 8]] = 4 * rng.integers(-2, DWORDS, (6, 2), np.int64) & 0xFFFFFFFF
    headers[:, [1, 9]] = rng.integers(-4, ROWS, (6, 2), np.int64) & 0xFFFFFFFF
    headers[:, [2, 10]] = 7 << 16 | 15
    headers[3:5, 8:10] = headers[2, 8:10]
    surfaces = [_surface(0, tiled), _surface(1, tiled)]
    data = _same(monkeypatch, lambda: Program([*SET_UP, *objects(headers)], kernel, surfaces=surfaces, data=before))
    assert data != before[0]
