"""BC7 against the specification written out: every mode, shape, rotation and selection; and against Pillow."""

import numpy as np
import pytest
from oracle import bc
from oracle.bc7 import TABLE_M, decode_bc7
from support.dds import dds, pillow_texels

from texsamp import FormatError, decode

PER_MODE = 256 * 128
"""Blocks of each mode."""


def mode_blocks(mode, count, seed):
    """Random blocks of a mode whose header takes every value equally often."""
    rng = np.random.default_rng(seed)
    blocks = rng.integers(0, 256, (count, 16), np.uint8)
    _, partition_bits, rotation_bits, selector_bits, *_ = TABLE_M[mode]
    header_bits = partition_bits + rotation_bits + selector_bits
    low = blocks[:, :2].copy().view("<u2")[:, 0].astype(int)
    code_bits = mode + 1
    header = np.arange(count) % (1 << header_bits)
    low = low >> (code_bits + header_bits) << (code_bits + header_bits) | header << code_bits | 1 << mode
    blocks[:, :2] = low.astype("<u2")[:, None].view(np.uint8)
    return blocks


@pytest.mark.parametrize("mode", TABLE_M)
def test_every_header_of_a_mode(mode):
    blocks = mode_blocks(mode, PER_MODE, 70 + mode)
    image = decode(blocks, "BC7_UNORM", 1024, PER_MODE // 256 * 4, device="cpu")
    assert np.array_equal(image, bc.image_of(decode_bc7(blocks), 256))
    assert len(np.unique(image.reshape(-1, 4), axis=0)) > 100_000


@pytest.mark.parametrize("mode", TABLE_M)
def test_extreme_endpoints_and_indices(mode):
    """Bytes of all ones or all zeros: fields at their limits beside each other."""
    rng = np.random.default_rng(700 + mode)
    blocks = mode_blocks(mode, 8192, 700)
    blocks[:, 2:] = rng.integers(0, 2, (8192, 14), np.uint8) * 255
    image = decode(blocks, "BC7_UNORM", 512, 256, device="cpu")
    assert np.array_equal(image, bc.image_of(decode_bc7(blocks), 128))


def test_reserved_blocks_are_transparent_black():
    blocks = np.random.default_rng(1).integers(0, 256, (64, 16), np.uint8)
    blocks[:, 0] = 0
    assert not decode(blocks, "BC7_UNORM", 16, 64, device="cpu").any()


def test_reserved_blocks_are_errors_if_strict():
    blocks = np.full((12, 16), 0x40, np.uint8)
    assert decode(blocks, "BC7", 12, 16, errors="strict", device="cpu").any()
    blocks[[5, 7], 0] = 0
    with pytest.raises(FormatError, match="BC7_UNORM has 2 reserved blocks, the first is block 5"):
        decode(blocks, "BC7", 12, 16, errors="strict", device="cpu")


def test_pillow_agrees_but_for_reserved_blocks():
    """Pillow makes reserved blocks opaque black; Direct3D wants zero in all channels."""
    blocks = np.concatenate([mode_blocks(mode, 1024, 7000 + mode) for mode in TABLE_M])
    ours = decode(blocks, "BC7", 512, 256, device="cpu")
    assert np.array_equal(ours, pillow_texels(dds(98, 512, 256, blocks.tobytes())))
    assert pillow_texels(dds(98, 4, 4, bytes(16)))[0, 0].tolist() == [0, 0, 0, 255]
