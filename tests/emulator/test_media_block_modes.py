"""Media blocks beyond edges, in parts of registers and with pixel masks (seed 003:2139-2162, 7053-7067, 8603-8828)."""

import numpy as np
import pytest
from support.programs import SET_UP, Program, data_address, objects

from texsamp.emulator.shared.data_port.media_edges import RegisterLayout
from texsamp.errors import CaptureError
from texsamp.state import RenderSurfaceState

pytestmark = pytest.mark.usefixtures("each_place")

PITCH, REGISTERS = 64, 8
READ = "send (1) r101.0<1>:ud r{source}.0<8;8,1>:ud {cache} {descriptor:#010x}:ud"
OUT = """
    mov (8) r100.0<1>:ud 0:ud
    mul (1) r100.2<1>:ud r0.6<0;1,0>:ud 16:uw
    send (16) null:ud r100.0<8;8,1>:ud data_cache 0x0a0a0401:ud     # 8 OWords to surface 1
    add (1) r100.2<1>:ud r100.2<0;1,0>:ud 8:ud
    mov (8) r101.0<1>:ud r105.0<8;8,1>:ud
    mov (8) r102.0<1>:ud r106.0<8;8,1>:ud
    mov (8) r103.0<1>:ud r107.0<8;8,1>:ud
    mov (8) r104.0<1>:ud r108.0<8;8,1>:ud
    send (16) null:ud r100.0<8;8,1>:ud data_cache 0x0a0a0401:ud
"""
FILL = "\n".join(f"mov (8) r{101 + i}.0<1>:ud 0x77777777:ud" for i in range(REGISTERS))
TABLE = """
    1-4    0  64 1 1 1 1 1 1 1
    1-4    1  64 64 0 0 2 2 0 0
    1-4    3  64 64 64 64 0 0 0 0
    5-8    0  32 0 1 0 1 0 1 0
    5-8    1  32 0 32 0 0 0 0 0
    5-8    3  32 0 32 0 32 0 32 0
    9-16   0  16 0 0 0 1 0 0 0
    9-16   1  16 0 0 0 16 0 0 0
    17-32  0  8 0 0 0 0 0 0 0
"""


def _surface(width_dwords, rows, **more):
    fields = {"format": "R8_UINT", "pitch": PITCH, "base_address": data_address(0)} | more
    return RenderSurfaceState(width=width_dwords, height=rows, **fields)


def _header(x, y, width_B, rows, control=0, offset=0):
    size = offset << 24 | (rows - 1) << 16 | control << 8 | (width_B - 1)
    return [x & 0xFFFFFFFF, y & 0xFFFFFFFF, size, 0, 0, 0, 0, 0]


def _read(headers, surface, memory, cache="sampler_cache", response=REGISTERS, override=0):
    """Registers after one read per header of a thread, (threads, bytes); headers: (threads, reads, 8)."""
    headers = np.array(headers, np.uint32)
    descriptor = 1 << 25 | response << 20 | 1 << 19 | 4 << 14 | override << 8
    sends = "\n".join(
        f"mov (8) r20.0<1>:ud r{1 + i}.0<8;8,1>:ud\n" + READ.format(source=20, cache=cache, descriptor=descriptor)
        for i in range(headers.shape[1])
    )
    size = 32 * REGISTERS * len(headers)
    out = RenderSurfaceState(surface_type="SURFTYPE_BUFFER", base_address=data_address(1), entries=size // 16, pitch=16)
    program = Program(
        [*SET_UP, *objects(headers.reshape(len(headers), -1))], f"{FILL}\n{sends}\n{OUT}",
        surfaces=[surface, out], data=[memory.tobytes(), bytes(size)],
    )  # fmt: skip
    program.run()
    return program.data(1).reshape(len(headers), -1)


@pytest.mark.parametrize(
    ("mode", "stride", "offset", "behavior"),
    [
        ("NORMAL", 0, 0, "000001233333"),
        ("NORMAL", 1, 0, "000002222222"),
        ("NORMAL", 1, 1, "111113333333"),
        ("PROGRESSIVE", 0, 0, "000001233333"),
        ("PROGRESSIVE", 1, 0, "000002333333"),
        ("PROGRESSIVE", 1, 1, "000013333333"),
        ("INTERLACED", 0, 0, "010101232323"),
        ("INTERLACED", 1, 0, "000002222222"),
        ("INTERLACED", 1, 1, "111113333333"),
    ],
)
def test_rows_beyond_the_edge_are_those_of_the_table(mode, stride, offset, behavior):
    """Rows -4 to 7 of a surface whose frame has rows 0 to 3."""
    memory = np.repeat(np.arange(64, dtype=np.uint8), PITCH)
    by_state = _surface(
        4, 4 >> stride, media_boundary_mode=mode, vertical_line_stride=stride, vertical_line_stride_offset=offset
    )
    found = _read([[_header(0, -4, 4, 12)]], by_state, memory)[0]
    assert found[: 4 * 12 : 4].tolist() == [int(row) for row in behavior]
    by_message = _surface(4, 4, media_boundary_mode=mode)
    found = _read([[_header(0, -4, 4, 12)]], by_message, memory, override=4 | stride << 1 | offset)[0]
    assert found[: 4 * 12 : 4].tolist() == [int(row) for row in behavior]


def test_every_second_row_of_a_single_one_is_refused():
    with pytest.raises(CaptureError, match="need a surface of 2 rows or more, found 1"):
        _read([[_header(0, 0, 4, 1)]], _surface(4, 1), np.zeros((64, PITCH), np.uint8), override=4 | 1 << 1)


@pytest.mark.parametrize(("rows", "expected"), [(1, "000000000"), (2, "010101010"), (3, "010121212")])
def test_interlaced_frames_repeat_rows_of_the_same_field(rows, expected):
    memory = np.repeat(np.arange(64, dtype=np.uint8), PITCH)
    found = _read([[_header(0, -2, 4, 9)]], _surface(4, rows, media_boundary_mode="INTERLACED"), memory)[0]
    assert found[:36:4].tolist() == [int(row) for row in expected]


@pytest.mark.parametrize(
    ("format", "left", "right"),
    [
        ("YCRCB_NORMAL", (0, 1, 0, 3), (2, 1, 2, 3)),
        ("YCRCB_SWAPUV", (0, 1, 0, 3), (2, 1, 2, 3)),
        ("YCRCB_SWAPY", (0, 1, 2, 1), (0, 3, 2, 3)),
        ("YCRCB_SWAPUVY", (0, 1, 2, 1), (0, 3, 2, 3)),
    ],
)
@pytest.mark.parametrize("cache", ["sampler_cache", "render_cache"])
def test_pairs_of_pixels_repeat_luma_and_share_chroma(cache, format, left, right):
    """Bytes of the boundary dword that dwords beyond it hold (seed 003:8645-8660)."""
    memory = np.random.default_rng(1).integers(0, 256, 64 * PITCH, np.uint8)
    found = _read([[_header(-8, 2, 32, 1)]], _surface(3, 8, format=format), memory, cache)[0]
    row = memory[2 * PITCH :][:12]
    expected = [row[list(left)]] * 2 + [row] + [row[8:][list(right)]] * 3
    assert found[:32].tolist() == np.concatenate(expected).tolist()
    for x, width in ((2, 8), (0, 6)):
        with pytest.raises(CaptureError, match=f"reads of {format} take whole pairs of pixels"):
            _read([[_header(x, 2, width, 1)]], _surface(3, 8, format=format), memory, cache)


def _legal():
    for line in TABLE.split("\n"):
        if line.strip():
            widths, control, *most = line.split()
            first, last = map(int, widths.split("-"))
            yield from (
                (width, int(control), 4 * i, int(rows)) for width in (first, last) for i, rows in enumerate(most)
            )


def test_blocks_lie_where_the_header_puts_them_and_the_rest_stays():
    memory = np.random.default_rng(2).integers(0, 256, 128 * PITCH, np.uint8)
    blocks = []
    for width, control, offset, most in _legal():
        if most and not (control and width % 4):
            pitch = max(4, 1 << (width - 1).bit_length()) * (1 + control)
            blocks.append((width, min(most, (32 * REGISTERS - offset) // pitch), control, offset, pitch))
    assert len(blocks) > 25
    responses = _read([[_header(3, 1, *block[:4])] for block in blocks], _surface(16, 100), memory)
    for (width, rows, control, offset, pitch), found in zip(blocks, responses, strict=True):
        expected = np.full(32 * REGISTERS, 0x77 if control or offset else 0, np.uint8)
        for row in range(rows):
            expected[offset + row * pitch :][:width] = memory[(1 + row) * PITCH + 3 :][:width]
        assert np.array_equal(found, expected), (width, control, offset)


def test_heights_are_limited_as_in_the_table():
    for width, control, offset, most in _legal():
        limit = 0 if control and width % 4 else most
        for rows in {limit, limit + 1, 64} - {0}:
            if rows <= limit:
                RegisterLayout.of(width, rows, control, offset)
                continue
            with pytest.raises(CaptureError, match="larger than the hardware allows"):
                RegisterLayout.of(width, rows, control, offset)
    for width, control, offset in ((4, 2, 0), (16, 3, 0), (32, 1, 0), (33, 0, 0), (4, 1, 2)):
        with pytest.raises(CaptureError, match="larger than the hardware allows"):
            RegisterLayout.of(width, 1, control, offset)


def test_several_reads_fill_one_register():
    memory = np.random.default_rng(3).integers(0, 256, 64 * PITCH, np.uint8)
    reads = [_header(4 * (3 - i), 5, 4, 2, 3, 4 * i) for i in range(4)]
    found = _read([reads, reads[::-1]], _surface(16, 50), memory, response=1)
    rows = memory.reshape(-1, PITCH)[5:7, :16].reshape(2, 4, 4)[:, ::-1].reshape(-1)
    assert np.array_equal(found[:, :32], [rows, rows])
    assert (found[:, 32:] == 0x77).all()


@pytest.mark.parametrize(("control", "offset"), [(1, 0), (0, 4)])
def test_the_render_cache_reads_whole_registers(control, offset):
    with pytest.raises(CaptureError, match="of the render cache must be 0, found"):
        _read([[_header(0, 0, 4, 1, control, offset)]], _surface(16, 50), np.zeros(4096, np.uint8), "render_cache")


BITS = [
    [0, 1, 4, 5, 16, 17, 20, 21],
    [2, 3, 6, 7, 18, 19, 22, 23],
    [8, 9, 12, 13, 24, 25, 28, 29],
    [10, 11, 14, 15, 26, 27, 30, 31],
]


def _write_masked(corners, masks, surface, before, rng):
    inline = rng.integers(0, 1 << 32, (len(corners), 40), np.uint32)
    inline[:, :8] = [[x, y, mask, 16, 0, 0, 0, 0] for (x, y), mask in zip(corners, masks, strict=True)]
    copies = "\n".join(f"mov (8) r{100 + i}.0<1>:ud r{1 + i}.0<8;8,1>:ud" for i in range(5))
    kernel = f"{copies}\nsend (1) null:ud r100.0<8;8,1>:ud render_cache 0x0a0a8000:ud"
    program = Program([*SET_UP, *objects(inline)], kernel, surfaces=[surface], data=[before.tobytes()])
    program.run()
    return program.data(), inline[:, 8:].reshape(-1, 4, 8)


def test_writes_with_a_pixel_mask_write_its_dwords():
    rng = np.random.default_rng(4)
    before = rng.integers(0, 256, 64 * PITCH, np.uint8)
    corners = [(32 * int(rng.integers(0, 2)), 4 * int(rng.integers(0, 12))) for _ in range(30)]
    masks = [int(mask) for mask in rng.integers(0, 1 << 32, 30)]
    masks[0] = 0
    after, data = _write_masked(corners, masks, _surface(13, 42), before, rng)
    expected = before.view("<u4").reshape(-1, PITCH // 4).copy()
    for (x, y), mask, block in zip(corners, masks, data, strict=True):
        for row in range(4):
            for column in range(8):
                if mask >> BITS[row][column] & 1 and x // 4 + column < 13 and y + row < 42:
                    expected[y + row, x // 4 + column] = block[row, column]
    assert np.array_equal(after.view("<u4").reshape(expected.shape), expected)
    for corner in ((16, 0), (0, 2)):
        with pytest.raises(CaptureError, match="with a pixel mask begin at multiples of 32 bytes and 4 rows"):
            _write_masked([corner], [1], _surface(13, 42), before, rng)


def test_reads_ignore_a_pixel_mask():
    memory = np.random.default_rng(5).integers(0, 256, 64 * PITCH, np.uint8)
    header = [32, 4, 0, 16, 0, 0, 0, 0]
    found = _read([[header]], _surface(16, 42), memory)[0]
    assert np.array_equal(found[:128].reshape(4, 32), memory.reshape(-1, PITCH)[4:8, 32:])
