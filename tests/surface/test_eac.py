"""EAC against the specification written out: every base, multiplier, table and index; and texture2ddecoder."""

import numpy as np
import pytest
from oracle import bc, etc
from support.etc_blocks import blocks_of, spelled
from support.filter_cases import sweep

from texsamp import decode

SIGNED = {"EAC_R11": False, "EAC_RG11": False, "EAC_SIGNED_R11": True, "EAC_SIGNED_RG11": True}
COLUMNS = 64


def every_word():
    """All bases, multipliers and tables, each with every index, at places that differ from block to block."""
    base, multiplier, table = np.ogrid[:256, :16, :16]
    words = spelled((56, base), (52, multiplier), (48, table))
    index = (np.arange(16) * 5 + np.arange(len(words))[:, None] * 3 // 2) % 8
    for pixel in range(16):
        words = words | index[:, pixel].astype(np.uint64) << np.uint64(45 - 3 * pixel)
    return words


def image(blocks, name, dtype=None):
    return decode(blocks, name, 4 * COLUMNS, len(blocks) // COLUMNS * 4, dtype=dtype, device="cpu")


@pytest.mark.parametrize("name", ["EAC_R11", "EAC_SIGNED_R11"])
@pytest.mark.parametrize("floats", [False, True])
def test_every_block_of_r11(name, floats):
    blocks = blocks_of(every_word())
    made = image(blocks, name, np.float32 if floats else None)
    assert made.dtype == (np.float32 if floats else np.int16 if SIGNED[name] else np.uint16)
    assert np.array_equal(made, bc.image_of(etc.decode_eac(blocks, signed=SIGNED[name], floats=floats), COLUMNS))


@pytest.mark.parametrize("name", ["EAC_RG11", "EAC_SIGNED_RG11"])
@pytest.mark.parametrize("floats", [False, True])
def test_every_block_of_rg11(name, floats):
    words = every_word()
    blocks = blocks_of(words, words[np.random.default_rng(1).permutation(len(words))])
    expected = etc.decode_eac(blocks, signed=SIGNED[name], floats=floats)
    assert np.array_equal(image(blocks, name, np.float32 if floats else None), bc.image_of(expected, COLUMNS))


def test_every_alpha_of_rgba():
    words = every_word()
    made = image(blocks_of(words, np.zeros_like(words)), "ETC2_EAC_RGBA8")
    assert np.array_equal(made[..., 3], bc.image_of(etc.eac_8(words)[..., None], COLUMNS)[..., 0])


@pytest.mark.sweep
@pytest.mark.parametrize("name", SIGNED)
def test_random_blocks(name):
    count = sweep(64) * COLUMNS
    blocks = np.random.default_rng(2).integers(0, 256, (count, 8 if "RG" not in name else 16), np.uint8)
    for floats in (False, True):
        expected = etc.decode_eac(blocks, signed=SIGNED[name], floats=floats)
        assert np.array_equal(image(blocks, name, np.float32 if floats else None), bc.image_of(expected, COLUMNS))


def test_values_of_the_specification():
    """Base codeword 103 or 60, table 13, index 3: with a multiplier of 2, and of 0, which is 1/8."""
    three = sum(3 << 3 * pixel for pixel in range(16))
    unsigned = blocks_of(np.repeat(spelled((56, 103), (52, np.array([2, 0])), (48, 13), (0, three)), COLUMNS // 2))
    signed = blocks_of(np.repeat(spelled((56, 60), (52, np.array([2, 0])), (48, 13), (0, three)), COLUMNS // 2))
    assert image(unsigned, "EAC_R11")[0, [0, -1], 0].tolist() == [21386, 818 << 5 | 818 >> 6]
    assert image(signed, "EAC_SIGNED_R11")[0, [0, -1], 0].tolist() == [320 << 5 | 320 >> 5, 15054]
    alpha = image(blocks_of(unsigned.view(">u8")[:, 0], unsigned.view(">u8")[:, 0]), "ETC2_EAC_RGBA8")[..., 3]
    assert alpha[0, [0, -1]].tolist() == [83, 103]  # the alpha of RGBA takes a multiplier of 0 as it is


def test_ends_of_the_ranges():
    assert {0, 65535} <= set(image(blocks_of(every_word()), "EAC_R11").reshape(-1))
    signed = image(blocks_of(every_word()), "EAC_SIGNED_R11")
    assert (signed.min(), signed.max()) == (-32767, 32767)
    assert image(blocks_of(every_word()), "EAC_SIGNED_R11", np.float32).min() == -1


def test_base_minus_128_is_minus_127():
    words = every_word()
    lowest = words[words >> np.uint64(56) == 128]
    left, right = (image(blocks_of(w), "EAC_SIGNED_R11") for w in (lowest, lowest + np.uint64(1 << 56)))
    assert np.array_equal(left, right)


@pytest.mark.parametrize(("name", "function"), [("EAC_R11", "decode_eacr"), ("EAC_SIGNED_R11", "decode_eacr_signed")])
def test_texture2ddecoder_agrees_to_its_eight_bits(name, function):
    """It drops the three lowest bits, of signed values after adding 1023, and lets a base of -128 be."""
    texture2ddecoder = pytest.importorskip("texture2ddecoder")
    words = every_word()
    if SIGNED[name]:
        words = words[words >> np.uint64(56) != 128]
    blocks = blocks_of(words)
    value = bc.image_of(etc.eac_11(words, signed=SIGNED[name])[..., None], COLUMNS)[..., 0]
    made = image(blocks, name)[..., 0].astype(int)
    assert np.array_equal(np.sign(made) * (abs(made) >> 5), value)
    bgra = getattr(texture2ddecoder, function)(blocks.tobytes(), 4 * COLUMNS, value.shape[0])
    theirs = np.frombuffer(bgra, np.uint8).reshape(*value.shape, 4)[..., 2]
    assert np.array_equal(theirs, value + (1023 if SIGNED[name] else 0) >> 3)
