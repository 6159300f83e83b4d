"""Media block writes through the color pipe, held to the pipe's oracle pixel by pixel (seed 003:8651-8828)."""

import numpy as np
import pytest
from oracle import color as oracle
from oracle.color_state import Dwords
from support.color_states import state
from support.crossings import registers_brought
from support.programs import SET_UP, Program, data_address, objects

from texsamp.errors import CaptureError
from texsamp.state import ColorProcessingState, RenderSurfaceState, preset

pytestmark = pytest.mark.usefixtures("each_place")

PITCH, ROWS, DWORDS = 128, 32, 17
PAYLOADS = {0: ("YUYV", np.uint8), 1: ("VUYA", np.uint8), 2: ("YUYV", np.dtype("<u2")), 3: ("UYVA", np.dtype("<u2"))}
"""Samples from the least significant bits on, of every message format."""
TARGETS = {"YCRCB_NORMAL": "YUYV", "YCRCB_SWAPY": "UYVY", "YCRCB_SWAPUV": "YVYU", "YCRCB_SWAPUVY": "VYUY"}
COLORS_AT = 0x80000
BLOCK_ROWS = 4


def _offset(x, y):
    return (y // 32) * 4096 + x // 16 * 512 + y % 32 * 16 + x % 16


def _write(blocks, modes, colors, format="YCRCB_NORMAL", size=None, **surface):
    """Write one block per thread; blocks: (x, y, samples); returns the memory."""
    inline = np.zeros((len(blocks), 8 + 8 * BLOCK_ROWS), np.uint32)
    for row, (x, y, samples) in zip(inline, blocks, strict=True):
        width_B = samples.shape[1] * samples.itemsize
        row[:4] = [x & 0xFFFFFFFF, y & 0xFFFFFFFF, size or (BLOCK_ROWS - 1) << 16 | (width_B - 1), COLORS_AT | modes]
        pitch = max(4, 1 << (width_B - 1).bit_length())
        for number, line in enumerate(samples):
            row[8:].view(np.uint8)[number * pitch :][:width_B] = line.view(np.uint8)
    copies = "\n".join(f"mov (8) r{100 + i}.0<1>:ud r{1 + i}.0<8;8,1>:ud" for i in range(1 + BLOCK_ROWS))
    kernel = f"{copies}\nsend (1) null:ud r100.0<8;8,1>:ud render_cache 0x0a0a8000:ud"
    fields = {"tiled": True, "tile_walk": "YMAJOR", "width": DWORDS, "height": ROWS - 3, "pitch": PITCH} | surface
    memory = bytearray(COLORS_AT + 4096)
    memory[COLORS_AT : COLORS_AT + 268] = colors.pack()
    program = Program(
        [*SET_UP, *objects(inline)], kernel, data=[bytes(memory)],
        surfaces=[RenderSurfaceState(format=format, base_address=data_address(0), **fields)],
    )  # fmt: skip
    program.run()
    return program.data()


def _piped(samples, order, colors):
    """A block's pixels after the pipe, by the oracle."""
    bits, groups = 8 * samples.itemsize, samples.reshape(len(samples), -1, 4)
    shared = order.count("Y") == 2
    planes = []
    for name in "YUV":
        places = [place for place, of in enumerate(order) if of == name]
        plane = groups[:, :, places].reshape(len(samples), -1)
        if shared and name != "Y":
            plane = plane.repeat(2, axis=1)
        planes.append([[oracle.unpack(int(value), bits) for value in row] for row in plane])
    alone = colors.forced_444_for_422 if shared else colors.forced_444_for_444
    how = False if alone else (True if shared else None)
    return oracle.picture(Dwords(colors.to_dwords()), planes, how)[0]


def _expected(samples, order, colors):
    """Y, U and V of a block in packed 4:2:2, by the oracle: rows of (pixels, pairs, pairs)."""
    pixels = _piped(samples, order, colors)
    luma = [[oracle.repack(pixel[0], 8) for pixel in row] for row in pixels]
    chroma = [
        [
            [((int(16 * a[i]) + int(16 * b[i])) >> 1) >> 4 for a, b in zip(row[0::2], row[1::2], strict=True)]
            for row in pixels
        ]
        for i in (1, 2)
    ]
    return luma, *chroma


def test_blocks_stay_where_registers_are(each_place, monkeypatch):
    if each_place is None:
        pytest.skip("of threads on a device")
    brought = registers_brought(monkeypatch, each_place)
    blocks = [(16 * n, 0, np.full((BLOCK_ROWS, 16), n, np.uint8)) for n in range(3)]
    for format in ("YCRCB_NORMAL", "R16_UNORM"):
        _write(blocks, 1, preset(ColorProcessingState, "hsw"), format, width=16, height=24)
    assert max(brought["render_cache", 10]) < 1  # ranges of their headers


@pytest.mark.parametrize("modes", [0, 1, 2], ids=["422-8", "444-8", "422-16"])
def test_blocks_become_nv12(modes):
    """Of 4:4:4 the chroma of pixel 0 of every 2x2, of 4:2:2 that of its upper row, below 24 rows of luma."""
    rng = np.random.default_rng([10, modes])
    order, dtype = PAYLOADS[modes]
    colors = state(preset(ColorProcessingState, "hsw").to_dwords(), "skin", "tcc", "procamp")
    width, height = 60, 24
    for pixels in (8, 4) if modes == 0 else (4,):
        samples_a_row = pixels * (2 if order == "YUYV" else 4)
        scale = samples_a_row * np.dtype(dtype).itemsize // pixels
        blocks = []
        for _ in range(6):
            samples = rng.integers(0, np.iinfo(dtype).max, (BLOCK_ROWS, samples_a_row), endpoint=True, dtype=dtype)
            blocks.append((4 * int(rng.integers(-1, 15)) * scale, 2 * int(rng.integers(-1, 12)), samples))
        after = _write(blocks, modes << 2 | 1, colors, "R16_UNORM", width=width // 2, height=height)
        expected = np.zeros((height * 3 // 2, width), np.uint8)
        for x, y, samples in blocks:
            luma, *pairs = _expected(samples, order, colors)
            if modes == 1:
                whole = _piped(samples, order, colors)
                pairs = [[[oracle.repack(pixel[i], 8) for pixel in row[::2]] for row in whole] for i in (1, 2)]
            for row in range(BLOCK_ROWS):
                for column in range(pixels):
                    at_x, at_y = x // scale + column, y + row
                    if not (0 <= at_x < width and 0 <= at_y < height):
                        continue
                    expected[at_y, at_x] = luma[row][column]
                    if row % 2 == 0:
                        expected[height + at_y // 2, at_x] = pairs[column % 2][row][column // 2]
        found = [[after[_offset(x, y)] for x in range(width)] for y in range(len(expected))]
        assert np.array_equal(found, expected)
        assert expected[height:].any()


@pytest.mark.parametrize("modes", PAYLOADS, ids=["422-8", "444-8", "422-16", "444-16"])
@pytest.mark.parametrize("format", TARGETS)
def test_blocks_go_through_the_pipe(modes, format):
    rng = np.random.default_rng([9, modes])
    order, dtype = PAYLOADS[modes]
    settings = [
        state(preset(ColorProcessingState, "ihd").to_dwords(), "ace", "procamp", "csc"),
        state(preset(ColorProcessingState, "hsw").to_dwords(), "skin", "tcc").replace(forced_444_for_422=True),
    ]
    pixels = 4 if np.dtype(dtype).itemsize == 2 and order != "YUYV" else 8
    samples_a_row = pixels * (2 if order == "YUYV" else 4)
    scale = samples_a_row * np.dtype(dtype).itemsize // pixels
    for colors in settings:
        blocks = []
        for number in range(6):
            samples = rng.integers(0, np.iinfo(dtype).max, (BLOCK_ROWS, samples_a_row), endpoint=True, dtype=dtype)
            if number % 2 and order != "YUYV":  # what is detected as 4:2:2
                groups = samples.reshape(BLOCK_ROWS, -1, 4)
                groups[:, 1::2] = groups[:, 0::2]
            x = 2 * int(rng.integers(-2, 18))
            blocks.append((x * scale, 2 * int(rng.integers(0, 15)), samples))
        after = _write(blocks, modes << 2 | 1, colors, format)
        expected = np.zeros((ROWS, 4 * DWORDS), np.uint8)
        for x, y, samples in blocks:
            luma, u, v = _expected(samples, order, colors)
            for row in range(BLOCK_ROWS):
                for pair in range(pixels // 2):
                    at = 2 * (x // scale) + 4 * pair
                    if y + row < ROWS - 3 and 0 <= at < 4 * DWORDS:
                        lumas = iter(luma[row][2 * pair :])
                        values = {"U": u[row][pair], "V": v[row][pair]}
                        expected[y + row, at : at + 4] = [
                            next(lumas) if name == "Y" else values[name] for name in TARGETS[format]
                        ]
        found = [[after[_offset(x, y)] for x in range(4 * DWORDS)] for y in range(ROWS)]
        assert np.array_equal(found, expected)
        assert expected.any()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "R8_UNORM"}, "color processing to R8_UNORM are not executed"),
        ({"format": "R16_UNORM", "modes": 13}, "blocks of YUV444_16 cannot become NV12"),
        ({"format": "R16_UNORM", "width": 15}, "columns in multiples of 4 and rows of 2, found 30 and 29"),
        ({"format": "R16_UNORM", "height": 29}, "columns in multiples of 4 and rows of 2, found 34 and 29"),
        ({"format": "R16_UNORM", "height": 28, "width": 16, "x": 4}, "NV12 begin at multiples of 4 pixels"),
        ({"format": "R16_UNORM", "height": 28, "width": 16, "y": 3}, "NV12 begin at even rows"),
        ({"format": "R16_UNORM", "height": 28, "width": 16, "modes": 9, "size": 3 << 16 | 31}, "4 wide, found 8"),
        ({"tiled": False}, "color processing need a tiled surface"),
        ({"vertical_line_stride": 1}, "need a surface without vertical line stride"),
        ({"x": 4, "modes": 5}, "begin at whole pairs of pixels"),
        ({"size": 2 << 16 | 15}, "made of 2x2 pixels, found 16 bytes and 3 rows"),
        ({"size": 3 << 16 | 3, "modes": 5}, "made of 2x2 pixels, found 4 bytes and 4 rows"),
        ({"modes": 17}, "beside others, or with pixel masks, are not executed"),
    ],
)
def test_refusals(changes, message):
    options = {"modes": 1, "x": 0, "y": 0} | changes
    block = (options.pop("x"), options.pop("y"), np.zeros((BLOCK_ROWS, 16), np.uint8))
    with pytest.raises(CaptureError, match=message):
        _write([block], options.pop("modes"), ColorProcessingState(), **options)
