"""Media block reads and writes, held to a scalar reading of the manual (seed 003:8588-8900)."""

import numpy as np
import pytest
from support.programs import SET_UP, Program, data_address, objects
from support.strict_arrays import StrictArray

from texsamp.errors import CaptureError
from texsamp.state import RenderSurfaceState

pytestmark = pytest.mark.usefixtures("each_place")

WRITE = """
    mov (8) r100.0<1>:ud r1.0<8;8,1>:ud          # the header is the first inline register
    {copies}
    send (1) null:ud r100.0<8;8,1>:ud render_cache {descriptor:#010x}:ud
"""
READ = """
    mov (8) r20.0<1>:ud r1.0<8;8,1>:ud
    send (1) r101.0<1>:ud r20.0<8;8,1>:ud {cache} {descriptor:#010x}:ud
    mov (1) r99.0<1>:ud r0.6<0;1,0>:ud
    mov (8) r100.0<1>:ud 0:ud
    mul (1) r100.2<1>:ud r99.0<0;1,0>:ud 8:uw
    send (16) null:ud r100.0<8;8,1>:ud data_cache 0x0a0a0401:ud  # 8 OWords to surface 1
"""
SIZE = 64 << 10


def _surface(tile, width_dwords, rows, pitch_B, **more):
    return RenderSurfaceState(
        format=more.pop("format", "R8_UINT"), width=width_dwords, height=rows, pitch=pitch_B,
        tiled=tile != "linear", tile_walk="YMAJOR" if tile == "Y" else "XMAJOR", base_address=data_address(0), **more,
    )  # fmt: skip


def _offset(tile, x, y, pitch):
    """Byte offset, by the formulas of the captures' description."""
    if tile == "Y":
        return ((y // 32) * (pitch // 128) + x // 128) * 4096 + (x % 128) // 16 * 512 + y % 32 * 16 + x % 16
    if tile == "X":
        return ((y // 8) * (pitch // 512) + x // 512) * 4096 + y % 8 * 512 + x % 512
    return y * pitch + x


def _header(x, y, width_B, rows, control=0, offset=0):
    size = offset << 24 | (rows - 1) << 16 | control << 8 | (width_B - 1)
    return [x & 0xFFFFFFFF, y & 0xFFFFFFFF, size, 0, 0, 0, 0, 0]


def _pitch(width_B):
    return max(4, 1 << (width_B - 1).bit_length())


def _write(blocks, surface, rng, registers, descriptor=0x000A8000):
    """Run blocks of random data, one per thread; returns the memory and the data."""
    inline = rng.integers(0, 1 << 32, (len(blocks), 8 + 8 * registers), np.uint32)
    inline[:, :8] = [_header(*block) for block in blocks]
    copies = "\n".join(f"mov (8) r{101 + i}.0<1>:ud r{2 + i}.0<8;8,1>:ud" for i in range(registers))
    kernel = WRITE.format(copies=copies, descriptor=descriptor | (1 + registers) << 25)
    before = rng.integers(0, 256, SIZE, np.uint8)
    program = Program([*SET_UP, *objects(inline)], kernel, surfaces=[surface], data=[before.tobytes()])
    done = [executed.dispatch for executed in program.run() if executed.dispatch]
    return before, program.data(), inline[:, 8:].view(np.uint8), done[0]


@pytest.mark.parametrize(
    ("tile", "width_dwords", "rows", "pitch"),
    [("Y", 88, 50, 384), ("Y", 7, 33, 128), ("X", 120, 21, 512), ("linear", 30, 40, 192)],
)
def test_writes_are_clipped_at_the_surface_and_later_threads_win(tile, width_dwords, rows, pitch):
    rng = np.random.default_rng(1)
    for width_B, height in ((16, 16), (4, 8), (12, 3), (32, 8), (8, 20)):
        blocks = [
            (4 * int(rng.integers(-6, width_dwords + 2)), int(rng.integers(-height - 1, rows + 2)), width_B, height)
            for _ in range(20)
        ]
        registers = -(-height * _pitch(width_B) // 32)
        before, after, data, dispatch = _write(blocks, _surface(tile, width_dwords, rows, pitch), rng, registers)
        expected, overwritten = before.copy(), 0
        owner = {}
        for thread, (x0, y0, width, block_rows) in enumerate(blocks):
            for y in range(block_rows):
                for x in range(0, width, 4):
                    if 0 <= x0 + x < 4 * width_dwords and 0 <= y0 + y < rows:
                        at = _offset(tile, x0 + x, y0 + y, pitch)
                        value = data[thread, y * _pitch(width) + x :][:4]
                        owner.setdefault(at, []).append(value.tobytes())
                        expected[at : at + 4] = value
        overwritten = sum(value != values[-1] for values in owner.values() for value in values)
        assert np.array_equal(after, expected)
        assert dispatch.overwritten == overwritten


def test_dwords_that_are_overwritten_are_counted_where_they_are():
    """And looked at when all messages have been sent."""
    looks = StrictArray.looks
    blocks, surface = [(0, 0, 16, 4)] * 3, _surface("linear", 16, 16, 64)
    _, _, _, dispatch = _write(blocks, surface, np.random.default_rng(3), 2)
    assert dispatch.overwritten == 2 * 16
    assert StrictArray.looks == looks


def test_fields_are_every_second_row():
    surface = _surface("linear", 4, 16, 64, vertical_line_stride=1, vertical_line_stride_offset=1)
    _, after, data, _ = _write([(0, 0, 16, 16)], surface, np.random.default_rng(2), 8)
    rows = after[: 34 * 64].reshape(34, 64)[:, :16]
    assert np.array_equal(rows[1:33:2], data[0].reshape(16, 16))


def test_the_message_can_override_the_stride():
    """Bottom field of a frame: half the height (seed 003:8650-8676)."""
    surface = _surface("linear", 4, 16, 64)
    before, after, data, _ = _write([(0, 0, 16, 16)], surface, np.random.default_rng(3), 8, 0x000A8700)
    rows, old = (memory[: 32 * 64].reshape(32, 64)[:, :16] for memory in (after, before))
    assert np.array_equal(rows[1:16:2], data[0].reshape(16, 16)[:8])
    assert np.array_equal(rows[17:], old[17:])


def _read(blocks, surface, memory, cache, descriptor):
    kernel = READ.format(cache=cache, descriptor=descriptor)
    out = RenderSurfaceState(
        surface_type="SURFTYPE_BUFFER", base_address=data_address(1), entries=len(blocks) * 8, pitch=16
    )
    inline = np.array([_header(*block) for block in blocks], np.uint32)
    data = [memory.tobytes(), bytes(len(blocks) * 128)]
    program = Program([*SET_UP, *objects(inline)], kernel, surfaces=[surface, out], data=data)
    program.run()
    return program.data(1).reshape(len(blocks), 128)


@pytest.mark.parametrize("cache", ["sampler_cache", "render_cache"])
@pytest.mark.parametrize(("format", "pixel"), [("R8_UINT", 1), ("R8G8_UNORM", 2), ("R8G8B8A8_UNORM", 4)])
@pytest.mark.parametrize("tile", ["Y", "X", "linear"])
def test_reads_repeat_the_nearest_pixel(cache, format, pixel, tile):
    rng = np.random.default_rng(4)
    memory = rng.integers(0, 256, SIZE, np.uint8)
    pitch, width_dwords, rows = 512, 21, 19
    surface = _surface(tile, width_dwords, rows, pitch, format=format)
    width = 12
    blocks = [
        (pixel * int(rng.integers(-20, 4 * width_dwords // pixel + 3)), int(rng.integers(-9, rows + 3)), width, 8)
        for _ in range(24)
    ]
    found = _read(blocks, surface, memory, cache, 0x02490000)
    for thread, (x0, y0, _, height) in enumerate(blocks):
        for y in range(height):
            for x in range(width):
                column, byte = divmod(x0 + x, pixel)
                column = min(max(column, 0), 4 * width_dwords // pixel - 1)
                line = min(max(y0 + y, 0), rows - 1)
                assert found[thread, y * 16 + x] == memory[_offset(tile, column * pixel + byte, line, pitch)]
        assert not found[thread].reshape(8, 16)[:, width:].any()


@pytest.mark.parametrize(
    ("block", "surface", "message"),
    [
        ((0, 0, 16, 17), {}, "larger than the hardware allows"),
        ((0, 0, 33, 2), {}, "larger than the hardware allows"),
        ((2, 0, 16, 4), {}, "media block writes need whole dwords"),
        ((0, 0, 6, 4), {}, "media block writes need whole dwords, found width 6"),
        ((0, 1022, 16, 4), {"rows": 4000}, "leaves its buffer object"),
        ((64, 0, 16, 4), {"width_dwords": 40}, "reaches byte column 76 of a pitch of 64"),
        ((0, 0, 16, 4), {"surface_type": "SURFTYPE_3D"}, "media blocks need a 2D surface"),
        ((0, 0, 16, 4), {"x_offset": 4}, "with an offset to its base"),
    ],
)
def test_illegal_writes(block, surface, message):
    fields = {"tile": "linear", "width_dwords": 16, "rows": 64, "pitch_B": 64} | surface
    with pytest.raises(CaptureError, match=message):
        _write([block], _surface(**fields), np.random.default_rng(5), 8)


@pytest.mark.parametrize(
    ("dword", "value", "message"),
    [
        (3, 1, "color processing to R8_UINT are not executed"),
        (3, 17, "or with pixel masks, are not executed"),
    ],
)
def test_other_modes_are_not_executed(dword, value, message):
    header = _header(0, 0, 16, 4)
    header[dword] = value
    with pytest.raises(CaptureError, match=message):
        kernel = WRITE.format(copies="", descriptor=0x060A8000)
        Program(
            [*SET_UP, *objects([header])], kernel, surfaces=[_surface("linear", 16, 64, 64)], data=[bytes(SIZE)]
        ).run()


@pytest.mark.parametrize(
    ("surface", "message"),
    [
        ({"format": "BC1_UNORM"}, "media block reads of BC1_UNORM are not executed"),
    ],
)
def test_illegal_reads(surface, message):
    with pytest.raises(CaptureError, match=message):
        _read(
            [(0, 0, 16, 4)],
            _surface("linear", 16, 64, 64, **surface),
            np.zeros(SIZE, np.uint8),
            "render_cache",
            0x02490000,
        )
