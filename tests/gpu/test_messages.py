"""Messages of threads on a GPU leave the memory that those of threads on the CPU leave."""

from __future__ import annotations

import numpy as np
import pytest
from support import programs
from support.media import random_frame
from support.programs import SAMPLERS_AT, SET_UP, Program, buffer_surface, data_address, objects

from texsamp import get_device
from texsamp.state import RenderSurfaceState, SamplerState, preset
from texsamp.state.data_port import AtomicOperation
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.state.sampler_messages import SamplerMessage
from texsamp.video.deinterlace.call import run_call
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.frame import Frame

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


@pytest.mark.parametrize("name", ["SAMPLE", "LD"])
def test_plain_samples(monkeypatch, name):
    """Each thread samples twice, the second time from registers to registers."""
    length = 2 if name == "SAMPLE" else 3  # u and v; u, level and v
    descriptor = length << 25 | 4 << 20 | 1 << 17 | SamplerMessage[name] << 12 | 1
    sample = f"send (8) r40.0<1>:ud r20.0<8;8,1>:ud sampler {descriptor:#010x}:ud"
    kernel = f"""
        mov (8) r20.0<1>:ud r2.0<8;8,1>:ud
        mov (8) r21.0<1>:ud {"r3.0<8;8,1>:ud" if name == "SAMPLE" else "0:ud"}
        mov (8) r22.0<1>:ud r3.0<8;8,1>:ud
        {sample}
        add (8) r20.0<1>:{"f r20.0<8;8,1>:f 0.25:f" if name == "SAMPLE" else "d r20.0<8;8,1>:d 1:d"}
        {sample}
        mov (8) r39.0<1>:ud r1.0<8;8,1>:ud
        send (1) null:ud r39.0<8;8,1>:ud render_cache 0x0a0a8000:ud
    """
    rng = np.random.default_rng(2)
    inline = np.zeros((4, 24), np.uint32)
    inline[:, 1], inline[:, 2] = 8 * np.arange(4), 3 << 16 | 31
    if name == "LD":
        inline[:, 8:] = rng.integers(-1, 16, (4, 16), np.int64) & 0xFFFFFFFF
    else:
        inline[:, 8:] = rng.random((4, 16), np.float32).view(np.uint32)
    texture = RenderSurfaceState(
        format="R8G8B8A8_UNORM", width=16, height=16, pitch=128, base_address=data_address(1), tiled=True,
        tile_walk="YMAJOR",
    )  # fmt: skip
    before = [rng.integers(0, 256, SIZE, np.uint8).tobytes() for _ in range(2)]
    sampler = SamplerState(min_filter="LINEAR", mag_filter="LINEAR").pack()
    options = {"states": {SAMPLERS_AT: sampler}, "sampler_state_pointer": SAMPLERS_AT}
    data = _same(
        monkeypatch,
        lambda: Program(
            [*SET_UP, *objects(inline)], kernel, surfaces=[_surface(0, False), texture], data=before, **options
        ),
    )
    assert data != before[0]


def test_untyped_and_block_messages(monkeypatch):
    """Dwords are written, several to one place, read again with some out of bounds, and put out as OWords."""
    kernel = """
        mov (8) r20.0<1>:ud r2.0<8;8,1>:ud
        mov (8) r21.0<1>:ud r3.0<8;8,1>:ud
        mov (8) r22.0<1>:ud r4.0<8;8,1>:ud
        send (8) null:ud r20.0<8;8,1>:ud data_cache 0x06036c00:ud   # untyped write, SIMD8, red and green
        mov (8) r23.0<1>:ud r5.0<8;8,1>:ud
        send (8) r32.0<1>:ud r23.0<8;8,1>:ud data_cache 0x02416000:ud  # untyped read, SIMD8, four channels
        mov (8) r31.0<1>:ud r1.0<8;8,1>:ud
        send (16) null:ud r31.0<8;8,1>:ud data_cache 0x0a0a0401:ud  # 8 OWords to surface 1
        send (16) r40.0<1>:ud r31.0<8;8,1>:ud data_cache 0x02480401:ud  # and back
        mov (8) r39.0<1>:ud r1.0<8;8,1>:ud
        add (1) r39.2<1>:ud r1.2<0;1,0>:ud 64:ud
        send (16) null:ud r39.0<8;8,1>:ud data_cache 0x0a0a0401:ud
    """
    rng = np.random.default_rng(4)
    inline = rng.integers(0, 1 << 32, (6, 40), np.uint32)
    inline[:, :8] = 0
    inline[:, 2] = 8 * np.arange(6)
    inline[:, 8:16] = 4 * rng.integers(0, 40, (6, 8))
    inline[:, 32:] = 4 * rng.integers(0, 80, (6, 8))
    raw = RenderSurfaceState(
        surface_type="SURFTYPE_BUFFER", format="RAW", entries=256, pitch=1, base_address=data_address(0)
    )
    before = [rng.integers(0, 256, SIZE, np.uint8).tobytes() for _ in range(2)]
    surfaces = [raw, buffer_surface(1, SIZE)]
    data = _same(monkeypatch, lambda: Program([*SET_UP, *objects(inline)], kernel, surfaces=surfaces, data=before))
    assert data != before[0]


@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "R32_UINT"])
def test_typed_writes(monkeypatch, format):
    """Texels are converted and stored, several to one place and some outside."""
    rng = np.random.default_rng(5)
    inline = np.zeros((6, 56), np.uint32)
    inline[:, 7] = 0xFFFF
    inline[:, 8:24] = rng.integers(0, 20, (6, 16))
    inline[:, 24:] = (rng.random((6, 32), np.float32) * 1.5 - 0.2).view(np.uint32)
    copies = "\n".join(f"mov (8) r{20 + n}.0<1>:ud r{1 + n}.0<8;8,1>:ud" for n in range(7))
    kernel = f"{copies}\nsend (8) null:ud r20.0<8;8,1>:ud render_cache 0x0e0b4000:ud"
    surface = RenderSurfaceState(
        format=format, width=16, height=16, pitch=128, base_address=data_address(0), tiled=True, tile_walk="YMAJOR"
    )
    before = [rng.integers(0, 256, SIZE, np.uint8).tobytes() for _ in range(2)]
    data = _same(monkeypatch, lambda: Program([*SET_UP, *objects(inline)], kernel, surfaces=[surface], data=before))
    assert data != before[0]


@pytest.mark.parametrize("enables", [{"dn_enable": True}, {"di_enable": True, "dn_enable": True, "mcdi_enable": True}])
@pytest.mark.parametrize("layout", ["nv12", "yuyv422"])
def test_calls_of_the_deinterlacer(enables, layout):
    """What they come to is brought to the host, and is the CPU's."""
    state = preset(DeinterlaceSamplerState, "hsw").replace(**enables)
    found = []
    for device in (get_device("cpu"), get_device("cuda")):
        frames = [random_frame(layout, 40, 24, seed).to(device) for seed in (1, 2)]
        frames = [frame.told(interlaced=True) for frame in frames]
        stored = StatisticsSurface.after_first_frame(device, 40, 24)
        found.append(run_call(state, *frames, stored).on_host())
    for on_cpu, on_gpu in zip(*(vars(call).values() for call in found), strict=True):
        if isinstance(on_cpu, Frame):
            assert all(map(np.array_equal, on_cpu.planes, on_gpu.planes))
        elif isinstance(on_cpu, StatisticsSurface):
            assert np.array_equal(on_cpu.memory, on_gpu.memory)
        else:
            assert on_cpu is on_gpu or np.array_equal(on_cpu, on_gpu)


@pytest.mark.parametrize("name", ["ADD", "REVSUB", "IMAX", "CMPWR"])
def test_atomic_operations(monkeypatch, name):
    """Of a buffer and of shared local memory: many meet, and what they return is put out."""
    operation, sources = AtomicOperation[name], 2 if name == "CMPWR" else 1
    descriptor = (1 + sources) << 25 | 1 << 20 | 6 << 14 | 1 << 13 | 1 << 12 | operation << 8
    kernel = f"""
        mov (8) r20.0<1>:ud r2.0<8;8,1>:ud
        mov (8) r21.0<1>:ud r3.0<8;8,1>:ud
        mov (8) r22.0<1>:ud r4.0<8;8,1>:ud
        send (8) r40.0<1>:ud r20.0<8;8,1>:ud data_cache {descriptor:#010x}:ud
        send (8) r41.0<1>:ud r20.0<8;8,1>:ud data_cache {descriptor | 254:#010x}:ud  # shared local memory
        mov (8) r39.0<1>:ud r1.0<8;8,1>:ud
        send (16) null:ud r39.0<8;8,1>:ud data_cache 0x060a0301:ud  # 4 OWords to surface 1
    """
    rng = np.random.default_rng(6)
    inline = np.zeros((6, 32), np.uint32)
    inline[:, 2] = 4 * np.arange(6)
    inline[:, 8:16] = 4 * rng.integers(0, 5, (6, 8))
    inline[:, 16:] = rng.choice([0, 1, 2, 1 << 31], (6, 16))
    raw = RenderSurfaceState(
        surface_type="SURFTYPE_BUFFER", format="RAW", entries=16, pitch=1, base_address=data_address(0)
    )
    before = [bytes(SIZE)] * 2
    surfaces, threads = [raw, buffer_surface(1, SIZE)], objects(inline, half_slice=1)
    programs = []

    def make():
        programs.append(Program([*SET_UP, *threads], kernel, surfaces=surfaces, data=before))
        return programs[-1]

    _same(monkeypatch, make)
    assert programs[0].data(1).tobytes() != before[1]
