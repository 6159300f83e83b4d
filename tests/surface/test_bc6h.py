"""BC6H against the specification written out, bit by bit: every mode, both signs, reserved modes; other voices."""

import numpy as np
import pytest
from oracle import bc
from oracle.bc6h import RESERVED, TABLE_MF, decode_bc6h
from support.dds import dds, pillow_texels

from texsamp import FormatError, decode

PER_MODE = 128 * 100
FORMATS = {"BC6H_UF16": False, "BC6H_SF16": True}


def mode_blocks(mode, count, seed):
    """Random blocks of a mode; in those with two subsets, every shape equally often."""
    rng = np.random.default_rng(seed)
    blocks = rng.integers(0, 256, (count, 16), np.uint8)
    bits = 2 if mode < 2 else 5
    blocks[:, 0] = blocks[:, 0] >> bits << bits | mode
    if mode in TABLE_MF and TABLE_MF[mode][1]:
        shape = np.arange(count) % 32  # at bits 77 to 81
        blocks[:, 9] = blocks[:, 9] & 0x1F | (shape & 7) << 5
        blocks[:, 10] = blocks[:, 10] & 0xFC | shape >> 3
    return blocks


def bits_of_halves(blocks, name, columns):
    image = decode(blocks, name, 4 * columns, len(blocks) // columns * 4, device="cpu")
    assert image.dtype == np.float16
    return image.view(np.uint16)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("mode", TABLE_MF)
def test_every_shape_of_a_mode(name, mode):
    blocks = mode_blocks(mode, PER_MODE, 60 + mode)
    assert np.array_equal(bits_of_halves(blocks, name, 128), bc.image_of(decode_bc6h(blocks, FORMATS[name]), 128))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("mode", TABLE_MF)
def test_endpoints_at_their_limits(name, mode):
    """Few bits differ from all zeros or all ones: endpoints at the ends of their range, sums that wrap around."""
    rng = np.random.default_rng(600 + mode)
    blocks = mode_blocks(mode, 4096, 600)
    flips = np.packbits(rng.random((4096, 14 * 8)) < 0.08, axis=1)
    blocks[:, 2:] = rng.integers(0, 2, (4096, 14), np.uint8) * 255 ^ flips
    blocks[::2, 2:] = rng.integers(0, 2, (2048, 1), np.uint8) * 255 ^ flips[::2]
    assert np.array_equal(bits_of_halves(blocks, name, 64), bc.image_of(decode_bc6h(blocks, FORMATS[name]), 64))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("mode", RESERVED)
def test_reserved_modes_are_black(name, mode):
    blocks = mode_blocks(mode, 64, mode)
    assert not bits_of_halves(blocks, name, 8).any()
    with pytest.raises(FormatError, match=rf"{name} has 64 reserved blocks, the first is block 0"):
        decode(blocks, name, 32, 32, errors="strict", device="cpu")


@pytest.mark.parametrize(("name", "largest"), [("BC6H_UF16", 0x7BFF), ("BC6H_SF16", 0x7C00)])
def test_the_range_of_results(name, largest):
    """No NaN ever; infinity only from signed mode 15 (19.5.13); no negative zero."""
    blocks = np.concatenate([mode_blocks(mode, 2048, 6000 + mode) for mode in TABLE_MF])
    blocks[-64:, 1:] = np.array([0, 255, 0x80], np.uint8)[np.random.default_rng(5).integers(0, 3, (64, 15))]
    halves = bits_of_halves(blocks, name, 64)
    assert (halves & 0x7FFF).max() <= largest
    assert not (halves == 0x8000).any()
    assert name == "BC6H_SF16" or not (halves >> 15).any()


def test_pillow_agrees_on_unsigned_blocks_to_its_8_bits():
    """Pillow keeps [0, 1] as bytes, computed in another way: off by one step now and then, never by more."""
    blocks = np.concatenate([mode_blocks(mode, 512, 6600 + mode) for mode in TABLE_MF])[: 64 * 112]
    halves = decode(blocks, "BC6H_UF16", 256, 448, device="cpu").astype(np.float32)
    ours = (np.clip(halves, 0, 1) * 255).astype(int)
    difference = ours - pillow_texels(dds(95, 256, 448, blocks.tobytes()))
    assert abs(difference).max() <= 1
    assert (difference != 0).mean() < 0.001
    assert ((ours > 0) & (ours < 255)).mean() > 0.1


@pytest.mark.parametrize(("name", "code"), [("BC6H_UF16", 6), ("BC6H_SF16", -6)])
def test_bcdec_agrees_on_every_bit(name, code):
    """bcdec is a decoder of its own; imagecodecs brings it along."""
    imagecodecs = pytest.importorskip("imagecodecs")
    blocks = np.concatenate([mode_blocks(mode, 2048, 6700 + mode) for mode in (*TABLE_MF, *RESERVED)])
    theirs = imagecodecs.bcn_decode(blocks.tobytes(), code, shape=(len(blocks) // 64 * 4, 256, 3))
    assert np.array_equal(bits_of_halves(blocks, name, 64), theirs.view(np.uint16))
