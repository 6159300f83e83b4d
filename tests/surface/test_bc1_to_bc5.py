"""BC1 to BC5 against the specification written out, over every endpoint pair and code; and against Pillow."""

import numpy as np
import pytest
from oracle import bc
from support.dds import dds, pillow_texels

from texsamp import decode

COLUMNS = 64


def decoded(blocks, name, **options):
    """Texels of blocks as an image COLUMNS blocks wide, after filling the last row with zero blocks."""
    return decode(blocks, name, 4 * COLUMNS, len(blocks) // COLUMNS * 4, device="cpu", **options)


def whole_rows(blocks):
    missing = -len(blocks) % COLUMNS
    return np.concatenate([blocks, np.zeros((missing, blocks.shape[1]), np.uint8)])


def check(blocks, name, expected, **options):
    blocks = whole_rows(blocks)
    image = decoded(blocks, name, **options)
    want = bc.image_of(expected(blocks), COLUMNS)
    assert (image.shape, image.dtype) == (want.shape, want.dtype)
    wrong = np.argwhere(image != want)
    assert not len(wrong), f"{len(wrong)} differ, the first at row, column, channel {wrong[0]}"


def color_blocks():
    """All endpoint pairs of each channel, the other channels random, in both orders of the endpoints; all codes."""
    rng = np.random.default_rng(31)
    made = []
    for shift, bits in ((11, 5), (5, 6), (0, 5)):
        pairs = np.stack(np.meshgrid(*[np.arange(1 << bits)] * 2), axis=-1).reshape(-1, 2)
        ends = rng.integers(0, 1 << 16, (4, len(pairs), 2)) & ~(((1 << bits) - 1) << shift) | pairs << shift
        ends = ends.reshape(-1, 2)
        made += [ends, ends[:, ::-1]]
    equal = rng.integers(0, 1 << 16, (512, 1)).repeat(2, axis=1)
    ends = np.concatenate([*made, equal]).astype("<u2")
    codes = rng.permuted(np.tile(np.arange(16) % 4, (len(ends), 1)), axis=1)
    words = (codes << 2 * np.arange(16)).sum(axis=1).astype("<u4")
    return np.concatenate([ends.view(np.uint8), words[:, None].view(np.uint8)], axis=1)


def channel_blocks(seed):
    """All 65536 endpoint pairs, each with all eight codes twice."""
    pairs = np.stack(np.meshgrid(*[np.arange(256)] * 2), axis=-1).reshape(-1, 2)
    codes = np.random.default_rng(seed).permuted(np.tile(np.arange(16) % 8, (len(pairs), 1)), axis=1)
    words = (codes.astype(np.uint64) << 3 * np.arange(16, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
    bits = words[:, None].view(np.uint8)[:, :6]
    return np.concatenate([pairs.astype(np.uint8), bits], axis=1)


COLOR_BLOCKS = color_blocks()


def test_the_colors_are_in_both_orders():
    first, second = COLOR_BLOCKS[:, :4].copy().view("<u2").T
    assert 0.4 < (first > second).mean() < 0.6
    assert (first == second).any()


@pytest.mark.parametrize("rounding", ["d3d", "truncate", "nvidia", "amd", "intel"])
def test_bc1_all_endpoint_pairs(rounding):
    check(COLOR_BLOCKS, "BC1_UNORM", lambda b: bc.decode_bc1(b, rounding), rounding=rounding)


@pytest.mark.parametrize("rounding", ["d3d", "truncate", "nvidia", "amd", "intel"])
def test_dxt1_rgb_all_endpoint_pairs(rounding):
    check(COLOR_BLOCKS, "DXT1_RGB", lambda b: bc.decode_dxt1_rgb(b, rounding), rounding=rounding)


@pytest.mark.parametrize("rounding", ["d3d", "truncate", "nvidia", "amd", "intel"])
def test_bc2_all_endpoint_pairs(rounding):
    alphas = np.random.default_rng(32).integers(0, 256, (len(COLOR_BLOCKS), 8), np.uint8)
    blocks = np.concatenate([alphas, COLOR_BLOCKS], axis=1)
    check(blocks, "BC2_UNORM", lambda b: bc.decode_bc2(b, rounding), rounding=rounding)


@pytest.mark.parametrize("rounding", ["d3d", "truncate", "intel"])
def test_bc3_all_endpoint_pairs(rounding):
    alphas = channel_blocks(33)
    colors = COLOR_BLOCKS[np.arange(len(alphas)) % len(COLOR_BLOCKS)]
    blocks = np.concatenate([alphas, colors], axis=1)
    check(blocks, "BC3_UNORM", lambda b: bc.decode_bc3(b, rounding), rounding=rounding)


def test_intel_differs_from_direct3d_by_a_step_at_most():
    """Thirds of 5-bit endpoints: 171 / 256 and 85 / 256 for 2 / 3 and 1 / 3 round some of them the other way."""
    found = decoded(whole_rows(COLOR_BLOCKS), "DXT1_RGB", rounding="intel").astype(int)
    steps = found - decoded(whole_rows(COLOR_BLOCKS), "DXT1_RGB")
    assert set(np.unique(steps)) == {-1, 0, 1}
    assert 0.001 < (steps != 0).mean() < 0.1
    white_to_black = np.array([0xFF, 0xFF, 0, 0, 0b11100100, 0, 0, 0], np.uint8)
    row = decode(white_to_black, "DXT1_RGB", 4, 4, rounding="intel", device="cpu")[0, :, 0]
    assert row.tolist() == [255, 0, 170, 85]


FORMS = [
    pytest.param({"rounding": "d3d"}, {"policy": "d3d"}, "UNORM", id="unorm-d3d"),
    pytest.param({"rounding": "truncate"}, {"policy": "truncate"}, "UNORM", id="unorm-truncate"),
    pytest.param({"dtype": "float32"}, {"floats": True}, "UNORM", id="unorm-float32"),
    pytest.param({}, {"signed": True}, "SNORM", id="snorm"),
    pytest.param({"dtype": np.float32}, {"signed": True, "floats": True}, "SNORM", id="snorm-float32"),
]


@pytest.mark.parametrize(("options", "oracle_options", "kind"), FORMS)
def test_bc4_all_endpoint_pairs(options, oracle_options, kind):
    check(channel_blocks(34), f"BC4_{kind}", lambda b: bc.decode_bc4_bc5(b, **oracle_options), **options)


@pytest.mark.parametrize(("options", "oracle_options", "kind"), FORMS)
def test_bc5_all_endpoint_pairs(options, oracle_options, kind):
    blocks = np.concatenate([channel_blocks(35), channel_blocks(36)[::-1]], axis=1)
    check(blocks, f"BC5_{kind}", lambda b: bc.decode_bc4_bc5(b, **oracle_options), **options)


def test_bc4_extremes_are_exact():
    """Codes 6 and 7 of a block whose endpoints are not in descending order; -128 is -1.0 too."""
    codes = (6, 7, 0, 1) * 4
    word = sum(code << 3 * k for k, code in enumerate(codes)).to_bytes(6, "little")
    row = decode(bytes([0x80, 0x81]) + word, "BC4_SNORM", 4, 4, device="cpu")[0, :, 0]
    assert row.tolist() == [-127, 127, -127, -127]
    row = decode(bytes([0x80, 0x81]) + word, "BC4_SNORM", 4, 4, dtype="float32", device="cpu")[0, :, 0]
    assert row.tolist() == [-1.0, 1.0, -1.0, -1.0]
    assert decode(bytes([3, 9]) + word, "BC4_UNORM", 4, 4, device="cpu")[0, :, 0].tolist() == [0, 255, 3, 9]


# -- Pillow, which rounds down ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "dxgi", "block_B"), [("BC1", 71, 8), ("BC2", 74, 16), ("BC3", 77, 16), ("BC4", 80, 8), ("BC5", 83, 16)]
)
def test_truncated_is_what_pillow_says(name, dxgi, block_B):
    blocks = np.random.default_rng(dxgi).integers(0, 256, (64 * 64, block_B), np.uint8)
    ours = decode(blocks, name, 256, 256, rounding="truncate", device="cpu")
    theirs = pillow_texels(dds(dxgi, 256, 256, blocks.tobytes()))[:, :, : ours.shape[2]]
    assert np.array_equal(ours, theirs)
    nearest = decode(blocks, name, 256, 256, device="cpu").astype(int) - theirs
    assert set(np.unique(nearest)) == {0, 1}, "rounding to nearest is at most one more"
