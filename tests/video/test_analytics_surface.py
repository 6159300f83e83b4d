"""Surfaces of video analytics: formats in memory, and fetches beyond the edges by the manual's pictures of them."""

import numpy as np
import pytest

from texsamp.errors import FormatError, StateError, UndefinedBehavior
from texsamp.surface.detile import tile
from texsamp.surface.tiling import Addressing, tiling
from texsamp.video.analytics import ANALYTICS_FORMATS, convolve, fetch_block, read_texels

ROW = np.arange(8, dtype=np.uint8)


def test_formats_are_the_manuals():
    rows = [(f.name, f.code, f.bits, f.mirrors) for f in ANALYTICS_FORMATS.values()]
    assert rows == [
        ("Y8_UNORM_VA", 5, 8, True),
        ("Y16_SNORM", 6, 16, True),
        ("Y16_UNORM", 7, 16, True),
        ("Y32_UNORM", 16, 1, False),
    ]


@pytest.mark.parametrize("mode", ["linear", "X", "Y"])
@pytest.mark.parametrize("format", ["Y8_UNORM_VA", "Y16_SNORM", "Y16_UNORM"])
def test_texels_come_out_of_memory(format, mode):
    dtype = ANALYTICS_FORMATS[format].dtype
    values = np.random.default_rng(1).integers(-30000, 30000, (37, 60)).astype(dtype)
    memory = np.zeros(512 * 64, np.uint8)
    tile(np.ascontiguousarray(values).view(np.uint8), memory, Addressing(tiling(mode), 512))
    read = read_texels(memory, format, 60, 37, 512, mode)
    np.testing.assert_array_equal(read, values)
    np.testing.assert_array_equal(convolve(read, [[2]], device="cpu"), np.clip(values.astype(int) * 2, -32768, 32767))


def test_booleans_start_at_the_low_end():
    memory = np.zeros(64, np.uint8)
    memory[:5] = [0b00000001, 0, 0, 0b10000000, 0b11]
    memory[32] = 0b110
    read = read_texels(memory, "Y32_UNORM", 34, 2, 32)
    assert read.shape == (2, 34)
    assert np.flatnonzero(read[0]).tolist() == [0, 31, 32, 33]
    assert np.flatnonzero(read[1]).tolist() == [1, 2]


@pytest.mark.parametrize(("edge", "right"), [("clamp", [4, 5, 6, 7, 7, 7, 7, 7]), ("mirror", [4, 5, 6, 7, 7, 6, 5, 4])])
def test_columns_beyond_the_edge(edge, right):
    """The pictures of 8 bits: rows Y0 to Y7, then Y7 again, or Y7 Y6 Y5 and so on."""
    texels = np.tile(ROW, (32, 4))
    assert fetch_block(texels, "Y8_UNORM_VA", 28, 0, 8, 1, edge).tolist() == [right]
    left = [7 - value for value in right]
    assert fetch_block(texels, "Y8_UNORM_VA", -4, 0, 8, 1, edge).tolist() == [left[::-1]]


@pytest.mark.parametrize(("edge", "rows"), [("clamp", [0, 1, 1, 1]), ("mirror", [0, 1, 1, 0])])
def test_rows_beyond_the_edge(edge, rows):
    texels = np.repeat(np.arange(-30, 2), 32).reshape(32, 32).astype(np.uint16)
    assert fetch_block(texels, "Y16_UNORM", 0, 30, 1, 4, edge)[:, 0].tolist() == rows


def test_booleans_clamp_and_are_not_mirrored():
    texels = np.array([[0, 1], [1, 0]], np.uint8)
    assert fetch_block(texels, "Y32_UNORM", -1, 1, 4, 3).tolist() == [[1, 1, 0, 0]] * 3
    with pytest.raises(StateError, match="Y32_UNORM surfaces are not mirrored"):
        fetch_block(texels, "Y32_UNORM", 0, 0, 2, 2, "mirror")


def test_what_is_refused():
    texels = np.zeros((32, 40), np.uint8)
    with pytest.raises(UndefinedBehavior, match="must stay from -40 to 79 columns, found 0 to 80"):
        fetch_block(texels, "Y8_UNORM_VA", 0, 0, 81, 1, "mirror")
    with pytest.raises(UndefinedBehavior, match="must stay from -32 to 63 rows, found -33 to -1"):
        fetch_block(texels, "Y8_UNORM_VA", 0, -33, 1, 33, "mirror")
    with pytest.raises(StateError, match=r"mirrored from 32x32 texels on \(seed 003:1938\), found 40x31"):
        fetch_block(texels[:31], "Y8_UNORM_VA", 0, 0, 1, 1, "mirror")
    with pytest.raises(StateError, match="edge must be clamp or mirror, found 'wrap'"):
        fetch_block(texels, "Y8_UNORM_VA", 0, 0, 1, 1, "wrap")
    with pytest.raises(StateError, match="at least 1 x 1 texels, found 0 x 4"):
        fetch_block(texels, "Y8_UNORM_VA", 0, 0, 0, 4)
    with pytest.raises(FormatError, match=r"must be one of Y8_UNORM_VA, .* found 'R8_UNORM'"):
        read_texels(np.zeros(64, np.uint8), "R8_UNORM", 4, 4, 16)
    with pytest.raises(StateError):
        read_texels(np.zeros(64, np.uint8), "Y8_UNORM_VA", 4, 40, 16)
