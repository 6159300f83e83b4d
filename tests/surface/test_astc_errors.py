"""Illegal blocks of ASTC: each rule of the specification alone, what becomes of the texels, and `errors="strict"`."""

import numpy as np
import pytest
from oracle import astc
from support.astc_blocks import (
    block_with,
    blocks_of,
    codes_for,
    legal_block,
    mode_of,
    placed,
    random_bits,
    void_extent,
)

from texsamp import FormatError, decode

RNG = np.random.default_rng(20)
FOOTPRINT = (8, 5)


def code_where(wanted):
    """A code of `FOOTPRINT` whose mode is as wanted."""
    return next(code for code in codes_for(*FOOTPRINT) if wanted(mode_of(code)))


def any_code(wanted):
    return next(code for code in range(2048) if (mode := mode_of(code)) is not None and wanted(mode))


def total_weights(mode):
    return mode.width * mode.height * (1 + mode.dual_plane)


SMALL = code_where(lambda m: (m.width, m.height, m.range.levels, m.dual_plane) == (4, 4, 4, False))
FEW_COLOR_BITS = code_where(lambda m: (m.width, m.height, m.range.levels, m.dual_plane) == (8, 3, 16, False))

ILLEGAL = {
    "reserved mode": placed(random_bits(RNG), 0, 4, 0),
    "reserved mode beside the void extents": placed(placed(random_bits(RNG), 0, 2, 0), 2, 7, 0b1110010),
    "reserved bit of a void extent": void_extent(RNG, hdr=False, reserved=1),
    "other reserved bit of a void extent": void_extent(RNG, hdr=False, reserved=2),
    "void extent without extent": void_extent(RNG, hdr=False, coordinates=(4, 4, 0, 1)),
    "more than 64 weights": block_with(
        RNG, any_code(lambda m: total_weights(m) > 64 and m.width <= 8 and m.height <= 5)
    ),
    "more than 96 weight bits": block_with(RNG, any_code(lambda m: (m.width, m.height, m.range.levels) == (8, 5, 16))),
    "fewer than 24 weight bits": block_with(RNG, any_code(lambda m: (m.width, m.height, m.range.levels) == (4, 2, 4))),
    "grid wider than the footprint": block_with(
        RNG, any_code(lambda m: (m.width, m.height, m.range.levels) == (9, 4, 2))
    ),
    "grid higher than the footprint": block_with(
        RNG, any_code(lambda m: (m.width, m.height, m.range.levels) == (4, 6, 2))
    ),
    "more than 18 color values": block_with(RNG, SMALL, partitions=4, endpoint_modes=(12,)),
    "too few color bits": block_with(RNG, FEW_COLOR_BITS, endpoint_modes=(12,)),
    "two planes of 4 partitions": block_with(
        RNG, code_where(lambda m: m.dual_plane and total_weights(m) == 24), partitions=4, endpoint_modes=(0,)
    ),
}
"""Block by the rule it breaks, in 8x5 texels."""


@pytest.mark.parametrize("rule", ILLEGAL)
def test_illegal_blocks_are_the_error_color(rule):
    block = blocks_of([ILLEGAL[rule]])
    assert astc.is_error(ILLEGAL[rule], *FOOTPRINT, astc.HDR)
    width, height = FOOTPRINT
    assert (decode(block, "ASTC_8x5", width, height, device="cpu") == (255, 0, 255, 255)).all()
    assert (decode(block, "ASTC_8x5_SRGB", width, height, device="cpu") == (255, 0, 255, 255)).all()
    assert (decode(block, "ASTC_8x5", width, height, dtype="float16", device="cpu") == (1, 0, 1, 1)).all()
    assert (decode(block, "ASTC_8x5_SFLOAT", width, height, device="cpu").view(np.uint16) == 0xFFFF).all()


@pytest.mark.parametrize("rule", ILLEGAL)
@pytest.mark.parametrize("name", ["ASTC_8x5", "ASTC_8x5_SRGB", "ASTC_8x5_SFLOAT"])
def test_illegal_blocks_are_errors_if_strict(rule, name):
    rng = np.random.default_rng(21)
    numbers = [legal_block(rng, *FOOTPRINT, astc.LINEAR) for _ in range(12)]
    legal = decode(blocks_of(numbers), name, 24, 20, errors="strict", device="cpu")
    assert legal.shape == (20, 24, 4)
    numbers[7] = numbers[10] = ILLEGAL[rule]
    with pytest.raises(FormatError, match=r"ASTC_.*8x5.* has 2 reserved blocks, the first is block 7"):
        decode(blocks_of(numbers), name, 24, 20, errors="strict", device="cpu")


@pytest.mark.parametrize("endpoint_mode", [2, 3, 7, 11, 14, 15])
def test_hdr_endpoints_are_errors_of_the_ldr_profile(endpoint_mode):
    number = block_with(RNG, SMALL, endpoint_modes=(endpoint_mode,))
    block = blocks_of([number])
    assert (decode(block, "ASTC_8x5", 8, 5, device="cpu") == (255, 0, 255, 255)).all()
    with pytest.raises(FormatError, match="1 reserved blocks, the first is block 0"):
        decode(block, "ASTC_8x5", 8, 5, errors="strict", device="cpu")
    assert np.isfinite(decode(block, "ASTC_8x5_SFLOAT", 8, 5, errors="strict", device="cpu")).all()


def test_half_colors_are_errors_of_the_ldr_profile():
    block = blocks_of([void_extent(RNG, hdr=True)])
    assert (decode(block, "ASTC_8x5", 8, 5, device="cpu") == (255, 0, 255, 255)).all()
    with pytest.raises(FormatError, match="1 reserved blocks"):
        decode(block, "ASTC_8x5", 8, 5, errors="strict", device="cpu")
    decode(block, "ASTC_8x5_SFLOAT", 8, 5, errors="strict", device="cpu")


def test_only_texels_of_an_hdr_partition_are_errors():
    number = block_with(RNG, SMALL, partitions=2, endpoint_modes=(1, 2), partition_index=9)
    image = decode(blocks_of([number]), "ASTC_8x5", 8, 5, device="cpu")
    partition = np.array([[astc.select_partition(9, x, y, 2, False) for x in range(8)] for y in range(5)])
    assert 0 < partition.sum() < partition.size
    assert np.array_equal((image == (255, 0, 255, 255)).all(axis=2), partition == 1)


def test_strict_agrees_with_the_specification_on_random_bits():
    """One block an image, so that each one's verdict shows."""
    rng = np.random.default_rng(22)
    verdicts = []
    for _ in range(400):
        number = random_bits(rng)
        number = placed(number, 0, 11, int(rng.choice(codes_for(*FOOTPRINT)))) if rng.integers(2) else number
        for name, profile in (("ASTC_8x5", astc.LINEAR), ("ASTC_8x5_SFLOAT", astc.HDR)):
            try:
                decode(blocks_of([number]), name, 8, 5, errors="strict", device="cpu")
                refused = False
            except FormatError:
                refused = True
            assert refused == astc.is_error(number, *FOOTPRINT, profile)
            verdicts.append(refused)
    assert 100 < sum(verdicts) < 700
