"""Media blocks of threads on a device whose headers differ: the bytes of threads on the host, and no header comes."""

from functools import reduce

import numpy as np
import pytest
from support import programs
from support.color_states import state
from support.programs import SET_UP, Program, buffer_surface, data_address, objects
from support.strict_arrays import StrictDevice

from texsamp.emulator.dispatch.runner import together
from texsamp.errors import CaptureError
from texsamp.state import ColorProcessingState, RenderSurfaceState, preset

THREADS, SIZE, DATA_REGISTERS = 24, 64 << 10, 8
SIZES = [(32, 8), (16, 16), (4, 8), (12, 3), (8, 20), (32, 4)]
"""Bytes and rows of blocks; those with a mask are of 32 bytes and 4 rows, as are others."""
MASKED = 16
RESPONSE = 4
COLORS_AT = 0xC000
"""Where states of the color pipe are, each 512 bytes, behind all that is written."""


def _surface(rng):
    tiles = {"tiled": 1, "tile_walk": str(rng.choice(["XMAJOR", "YMAJOR"]))} if rng.integers(2) else {}
    return RenderSurfaceState(
        format="R8_UINT", width=88, height=50, pitch=512, base_address=data_address(0), **tiles
    )  # fmt: skip


def _headers(rng, *, with_masks):
    made = np.zeros((THREADS, 8), np.int64)
    for header in made:
        width, rows = SIZES[rng.integers(len(SIZES))]
        header[:3] = 4 * rng.integers(-6, 90), rng.integers(-9, 52), (rows - 1) << 16 | (width - 1)
        if with_masks and rng.integers(3) == 0:
            header[:4] = 32 * rng.integers(-1, 12), 4 * rng.integers(-1, 13), rng.integers(1 << 32), MASKED
    return made.astype(np.uint32)


def _run(monkeypatch, kernel, inline, surface, memory):
    found = []
    for device in (None, StrictDevice()):
        monkeypatch.setattr(programs, "where_threads_run", device)
        out_B = THREADS * RESPONSE * 32
        program = Program(
            [*SET_UP, *objects(inline)], kernel,
            surfaces=[surface, buffer_surface(1, out_B)], data=[memory.tobytes(), bytes(out_B)],
        )  # fmt: skip
        done = reduce(together, [each.dispatch for each in program.run() if each.dispatch])
        found.append([program.data(0).tobytes(), program.data(1).tobytes(), done.overwritten])
    assert done.tally.brought == 0
    assert found[0] == found[1]
    assert found[0][0] != memory.tobytes() or any(found[0][1])


@pytest.mark.parametrize("with_masks", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_blocks_of_several_sizes_are_written(seed, with_masks, monkeypatch):
    """In the order of sizes, then of threads, some of which do not send."""
    rng = np.random.default_rng([1, seed])
    inline = rng.integers(0, 1 << 32, (THREADS, 8 * (2 + DATA_REGISTERS)), np.uint32)
    inline[:, :8] = _headers(rng, with_masks=with_masks)
    inline[:, -1] = rng.integers(0, 5, THREADS) > 0
    copies = [f"mov (8) r{100 + n}.0<1>:ud r{1 + n}.0<8;8,1>:ud" for n in range(1 + DATA_REGISTERS)]
    copies.append(f"mov (1) f0.0<1>:uw r{2 + DATA_REGISTERS}.14<0;1,0>:uw")
    send = "(+f0.0) send (1) null:ud r100.0<8;8,1>:ud render_cache 0x120a8000:ud"
    _run(monkeypatch, "\n".join([*copies, send]), inline, _surface(rng), rng.integers(0, 256, SIZE, np.uint8))


def _colored(rng, sizes, states, *, overlaps):
    made = np.zeros((THREADS, 8), np.int64)
    for header in made:
        width, rows = sizes[rng.integers(len(sizes))]
        across, down = (3, 4) if overlaps else (20, 22)
        header[:3] = 8 * rng.integers(-1, across), 2 * rng.integers(-1, down), (rows - 1) << 16 | (width - 1)
        header[3] = COLORS_AT + 512 * states[rng.integers(len(states))] | 1
    return made.astype(np.uint32)


@pytest.mark.parametrize("states", [[0], [1, 0], [2, 0, 1]], ids=["one", "two", "three"])
@pytest.mark.parametrize("sizes", [[(16, 4)], [(16, 4), (8, 8), (16, 2)]], ids=["one-size", "sizes"])
@pytest.mark.parametrize("format", ["YCRCB_SWAPUV", "R16_UNORM"])
def test_blocks_of_several_sizes_and_states_go_through_the_color_pipe(format, sizes, states, monkeypatch):
    """Blocks that overlap, of which the last thread's of the last size stays, and ones that hardly do."""
    rng = np.random.default_rng([3, len(sizes), len(states)])
    memory = rng.integers(0, 256, SIZE, np.uint8)
    for number, name in enumerate(("procamp", "tcc", "skin")):
        colors = state(preset(ColorProcessingState, "hsw").to_dwords(), name).pack()
        memory[COLORS_AT + 512 * number :][: len(colors)] = np.frombuffer(colors, np.uint8)
    surface = RenderSurfaceState(
        format=format, width=88, height=48, pitch=512, base_address=data_address(0), tiled=1, tile_walk="YMAJOR"
    )  # fmt: skip
    copies = [f"mov (8) r{100 + n}.0<1>:ud r{1 + n}.0<8;8,1>:ud" for n in range(1 + DATA_REGISTERS)]
    copies.append(f"mov (1) f0.0<1>:uw r{2 + DATA_REGISTERS}.14<0;1,0>:uw")
    send = "(+f0.0) send (1) null:ud r100.0<8;8,1>:ud render_cache 0x120a8000:ud"
    for overlaps in (False, True):
        inline = rng.integers(0, 1 << 32, (THREADS, 8 * (2 + DATA_REGISTERS)), np.uint32)
        inline[:, :8] = _colored(rng, sizes, states, overlaps=overlaps)
        inline[:, -1] = rng.integers(0, 5, THREADS) > 0
        _run(monkeypatch, "\n".join([*copies, send]), inline, surface, memory)


@pytest.mark.parametrize(("corner", "message"), [((16, 4), "begin at multiples of 32 bytes and 4 rows"), ((32, 4), "")])
def test_corners_of_blocks_with_a_mask_alone_are_multiples(corner, message, monkeypatch):
    """Those of blocks beside them, of the same size, are anywhere."""
    inline = np.zeros((2, 48), np.uint32)
    inline[0, :3] = 4, 3, 3 << 16 | 31
    inline[1, :4] = *corner, 0x33333333, MASKED
    inline[:, 8:] = 0x5A5A5A5A
    copies = [f"mov (8) r{100 + n}.0<1>:ud r{1 + n}.0<8;8,1>:ud" for n in range(5)]
    kernel = "\n".join([*copies, "send (1) null:ud r100.0<8;8,1>:ud render_cache 0x0a0a8000:ud"])
    surface = RenderSurfaceState(format="R8_UINT", width=88, height=50, pitch=512, base_address=data_address(0))
    for device in (None, StrictDevice()):
        monkeypatch.setattr(programs, "where_threads_run", device)
        program = Program([*SET_UP, *objects(inline)], kernel, surfaces=[surface], data=[bytes(SIZE)])
        if message:
            with pytest.raises(CaptureError, match=message):
                program.run()
        else:
            program.run()
            assert (program.data().view("<u4") == 0x5A5A5A5A).sum() == 8 * 4 + 16 - 2  # which are both's


@pytest.mark.parametrize("to", [101, 18, 20])
@pytest.mark.parametrize("with_masks", [False, True])
def test_blocks_of_several_sizes_are_read(to, with_masks, monkeypatch):
    """Also to where their headers are."""
    rng = np.random.default_rng(to)
    inline = np.zeros((THREADS, 16), np.uint32)
    inline[:, :8] = _headers(rng, with_masks=with_masks)
    small = (inline[:, 3] == 0) & ((inline[:, 2] & 0xFFFF) * (inline[:, 2] >> 16) > 100)
    inline[small, 2] = 2 << 16 | 11
    inline[:, 8] = rng.integers(0, 5, THREADS) > 0
    lines = ["mov (8) r20.0<1>:ud r1.0<8;8,1>:ud", "mov (1) f0.0<1>:uw r2.0<0;1,0>:uw"]
    lines += [f"(+f0.0) send (1) r{to}.0<1>:ud r20.0<8;8,1>:ud sampler_cache 0x02490000:ud"]
    lines += [f"mov (8) r{111 + n}.0<1>:ud r{to + n}.0<8;8,1>:ud" for n in range(RESPONSE)]
    lines += ["mov (8) r110.0<1>:ud 0:ud", "mul (1) r110.2<1>:ud r0.6<0;1,0>:ud 8:uw"]
    lines += ["send (16) null:ud r110.0<8;8,1>:ud data_cache 0x0a0a0401:ud"]
    _run(monkeypatch, "\n".join(lines), inline, _surface(rng), rng.integers(0, 256, SIZE, np.uint8))
