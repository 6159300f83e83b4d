"""ASTC blocks of three dimensions, made field by field as those of two are."""

from __future__ import annotations

from functools import cache

import numpy as np
from oracle.astc import HDR, LINEAR, BlockMode, IllegalBlockError
from oracle.astc_endpoints import HDR_MODES
from oracle.astc_volume import block_mode, parse

from support.astc_blocks import MODE_CODES, block_of, blocks_of, corrupted, placed, random_bits, random_header

Size = tuple[int, int, int]


@cache
def mode_of(code: int) -> BlockMode | None:
    try:
        return block_mode(code)
    except IllegalBlockError:
        return None


@cache
def codes_for(size: Size) -> tuple[int, ...]:
    """Block mode codes whose grid fits a footprint; some have too many weights."""
    return tuple(
        code
        for code in range(MODE_CODES)
        if (mode := mode_of(code)) is not None and all(c <= s for c, s in zip(mode.size, size, strict=True))
    )


def is_legal(block: int, size: Size, decode: str) -> bool:
    try:
        parsed = parse(block, size)
    except IllegalBlockError:
        return False
    return decode == HDR or not any(mode in HDR_MODES for mode in parsed.endpoint_modes)


def legal_block(rng: np.random.Generator, size: Size, decode: str, code: int | None = None) -> int | None:
    """A legal block, of a mode's code or any; None if none is found for the code."""
    for _ in range(200):
        chosen = int(rng.choice(codes_for(size))) if code is None else code
        mode = mode_of(chosen)
        cells = mode.width * mode.height * mode.depth
        if cells * (1 + mode.dual_plane) > 64:
            if code is not None:
                return None
            continue
        try:
            block = block_of(rng, chosen, mode, cells, *random_header(rng, decode))
        except (AssertionError, ValueError):  # too many weight bits leave no room for fields below them
            continue
        if is_legal(block, size, decode):
            return block
    return None


def void_extent(rng: np.random.Generator, hdr: bool, ends: tuple[int, ...] = (0x1FF,) * 6) -> int:
    """A block of one color. `ends`: minimum and maximum of s, t and r."""
    block = placed(random_bits(rng), 0, 10, 0x1FC | hdr << 9)
    for k, end in enumerate(ends):
        block = placed(block, 10 + 9 * k, 9, end)
    return block


@cache
def mixed_blocks(count: int, size: Size, decode: str, seed: int) -> np.ndarray:
    """(count, 16): every second block is legal, the others are nearly so, random, or of one color."""
    rng = np.random.default_rng(seed)
    legal_as = HDR if decode == HDR else LINEAR
    numbers = []
    for i in range(count):
        legal = legal_block(rng, size, legal_as)
        assert legal is not None
        others = (legal, corrupted(rng, legal), legal, random_bits(rng), legal, void_extent(rng, bool(i & 8)))
        numbers.append(others[i % len(others)])
    return blocks_of(numbers)
