"""FXT1 against the manual written out: every mode, pair of colors, select and control bit."""

import numpy as np
import pytest
from oracle import bc
from oracle.fxt1 import decode_fxt1
from support.filter_cases import sweep

from texsamp import decode

COLUMNS = 64
MODE_CODES = {"CC_HI": (0b000, 0b001), "CC_CHROMA": (0b010,), "CC_ALPHA": (0b011,), "CC_MIXED": (0b100, 0b111)}
"""Bits 127 to 125."""


def with_mode(blocks, mode):
    """Bits 127 to 125 take turns in the codes of a mode: all that begin with its ones."""
    codes = range(MODE_CODES[mode][0], MODE_CODES[mode][-1] + 1)
    chosen = np.array(codes, np.uint8)[np.arange(len(blocks)) % len(codes)]
    blocks[:, 15] = blocks[:, 15] & 31 | chosen << 5
    return blocks


def spelled(count, *fields):
    """Blocks from (lowest bit, width, values)."""
    bits = np.random.default_rng(1).integers(0, 2, (count, 128), np.uint8)
    for low, width, values in fields:
        bits[:, low : low + width] = np.broadcast_to(values, count)[:, None] >> np.arange(width) & 1
    return np.packbits(bits, axis=1, bitorder="little")


def assert_as_specified(blocks):
    image = decode(blocks, "FXT1", 8 * COLUMNS, len(blocks) // COLUMNS * 4, device="cpu")
    assert np.array_equal(image, bc.image_of(decode_fxt1(blocks), COLUMNS, 8))
    return image


@pytest.mark.parametrize("mode", MODE_CODES)
def test_random_blocks_of_a_mode(mode):
    blocks = with_mode(np.random.default_rng(2).integers(0, 256, (16384, 16), np.uint8), mode)
    image = assert_as_specified(blocks)
    assert len(np.unique(image.reshape(-1, 4), axis=0)) > 10_000


def pair_fields(from_, to, a, b):
    """Two R5G5B5 colors, at bits ``from_`` and ``to``: every pair of a channel, the channels of a color differ."""
    fields = []
    for low, value in ((from_, a), (to, b)):
        fields += [(low, 5, value), (low + 5, 5, 31 - value), (low + 10, 5, value ^ 21)]
    return fields


def test_every_pair_of_colors_of_cc_hi():
    """32 random selects of 3 bits in each block; eight blocks to a pair."""
    pair = np.arange(32 * 32 * 8) // 8
    assert_as_specified(with_mode(spelled(len(pair), *pair_fields(96, 111, pair >> 5, pair & 31)), "CC_HI"))


@pytest.mark.parametrize("bit_124", [0, 1])
@pytest.mark.parametrize(("from_", "to"), [(64, 79), (94, 109)])
def test_every_pair_of_colors_of_cc_mixed(bit_124, from_, to):
    """With every value of bits 125 and 126 and of the selects' bits 1 and 33, which are the lowest of green."""
    case = np.arange(32 * 32 * 16)
    pair = case >> 4
    bits = [(n, 1, case >> place & 1) for place, n in enumerate((1, 33, 125, 126))]
    blocks = spelled(len(case), *pair_fields(from_, to, pair >> 5, pair & 31), *bits, (124, 1, bit_124), (127, 1, 1))
    assert_as_specified(blocks)


@pytest.mark.parametrize("lerp", [0, 1])
@pytest.mark.parametrize(("from_", "from_alpha"), [(64, 109), (94, 119)])
def test_every_pair_of_colors_and_alphas_of_cc_alpha(lerp, from_, from_alpha):
    pair = np.arange(32 * 32 * 8) // 8
    a, b = pair >> 5, pair & 31
    fields = [*pair_fields(from_, 79, a, b), (from_alpha, 5, b), (114, 5, a), (124, 1, lerp), (125, 3, 0b011)]
    assert_as_specified(spelled(len(pair), *fields))


def test_every_color_of_cc_chroma():
    value = np.arange(2048)
    fields = [(64 + 15 * k, 15, value * 16 + k * 4099 & 0x7FFF) for k in range(4)]
    image = assert_as_specified(spelled(len(value), *fields, (124, 1, value & 1), (125, 3, 0b010)))
    assert (image[..., 3] == 255).all()


@pytest.mark.sweep
def test_random_blocks():
    assert_as_specified(np.random.default_rng(3).integers(0, 256, (sweep(128) * COLUMNS, 16), np.uint8))


@pytest.mark.parametrize(("mode", "bits"), [("CC_HI", 3), ("CC_CHROMA", 2), ("CC_ALPHA", 2), ("CC_MIXED", 2)])
def test_each_select_is_of_one_texel_and_the_halves_lie_side_by_side(mode, bits):
    """Texel t of the left half is (t % 4, t // 4); the right half begins at x = 4 with texel 16 (figure 6-1)."""
    colors = np.zeros((COLUMNS, 16), np.uint8)
    colors[:, 8:] = np.random.default_rng(4).integers(0, 256, 8, np.uint8)
    colors[:, 15] &= 0xEF  # neither LERP nor transparency
    colors = with_mode(colors, mode)
    colors[:, 15] = colors[0, 15]
    colors[:, 8:12] = 0 if mode == "CC_HI" else colors[:, 8:12]
    plain = decode(colors, "FXT1", 8 * COLUMNS, 4, device="cpu").reshape(4, COLUMNS, 8, 4)
    moved = colors.copy()
    for t in range(32):
        at = bits * t  # not the upper bit of a select, which greens of CC_MIXED may look at
        moved[t, at // 8] ^= 1 << at % 8
    image = decode(moved, "FXT1", 8 * COLUMNS, 4, device="cpu").reshape(4, COLUMNS, 8, 4)
    assert (image[:, 32:] == plain[:, 32:]).all()
    for t in range(32):
        y, x = np.nonzero((image[:, t] != plain[:, t]).any(axis=-1))
        assert list(zip(x, y, strict=True)) == [(t % 4 + (4 if t >= 16 else 0), t % 16 // 4)]
