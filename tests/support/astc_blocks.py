"""ASTC blocks made field by field: every header a decoder can meet, with random endpoints and weights behind it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from oracle.astc import BlockMode, IllegalBlockError, block_mode, is_error
from oracle.astc_endpoints import HDR_MODES
from oracle.astc_sequences import sequence_bits

FOOTPRINTS = (
    (4, 4), (5, 4), (5, 5), (6, 5), (6, 6), (8, 5), (8, 6), (8, 8),
    (10, 5), (10, 6), (10, 8), (10, 10), (12, 10), (12, 12),
)  # fmt: skip
MODE_CODES = 2048
LDR_MODES = tuple(m for m in range(16) if m not in HDR_MODES)


def random_bits(rng: np.random.Generator) -> int:
    return int.from_bytes(rng.bytes(16), "little")


def placed(block: int, at: int, count: int, value: int) -> int:
    mask = (1 << count) - 1
    assert 0 <= value <= mask
    return block & ~(mask << at) | value << at


@cache
def mode_of(code: int) -> BlockMode | None:
    try:
        return block_mode(code)
    except IllegalBlockError:
        return None


@cache
def codes_for(width: int, height: int) -> tuple[int, ...]:
    """Block mode codes whose grid is legal in a footprint, in ascending order."""
    codes = []
    for code in range(MODE_CODES):
        mode = mode_of(code)
        if mode is None or mode.width > width or mode.height > height:
            continue
        weights = mode.width * mode.height * (1 + mode.dual_plane)
        if weights <= 64 and 24 <= sequence_bits(weights, mode.range) <= 96:
            codes.append(code)
    return tuple(codes)


def block_with(
    rng: np.random.Generator,
    code: int,
    partitions: int = 1,
    endpoint_modes: tuple[int, ...] = (8,),
    partition_index: int = 0,
    component: int = 0,
) -> int:
    """A block with a header of legal mode `code`; the result may have too many color values. Of several partitions
    `endpoint_modes` has one for all, or one for each, of at most two neighboring classes."""
    mode = mode_of(code)
    assert mode is not None
    header = (partitions, endpoint_modes, partition_index, component)
    return block_of(rng, code, mode, mode.width * mode.height, *header)


def block_of(
    rng: np.random.Generator,
    code: int,
    mode: BlockMode,
    cells: int,
    partitions: int,
    endpoint_modes: tuple[int, ...],
    partition_index: int,
    component: int,
) -> int:
    """`block_with` of a grid of so many cells."""
    below = 128 - sequence_bits(cells * (1 + mode.dual_plane), mode.range)
    block = placed(random_bits(rng), 0, 11, code)
    block = placed(block, 11, 2, partitions - 1)
    if partitions == 1:
        block = placed(block, 13, 4, endpoint_modes[0])
    else:
        block = placed(block, 13, 10, partition_index)
        if len(endpoint_modes) == 1:
            block = placed(block, 23, 6, endpoint_modes[0] << 2)
        else:
            classes = [m // 4 for m in endpoint_modes]
            base = min(*classes, 2)
            fields = 0
            for i, m in enumerate(endpoint_modes):
                fields |= m // 4 - base << i | m % 4 << partitions + 2 * i
            extra = 3 * partitions - 4
            below -= extra
            block = placed(block, below, extra, fields >> 4)
            block = placed(block, 23, 6, base + 1 | (fields & 15) << 2)
    if mode.dual_plane:
        block = placed(block, below - 2, 2, component)
    return block


def legal_block(rng: np.random.Generator, width: int, height: int, decode: str, code: int | None = None) -> int:
    """A legal block with everything drawn at random, of a given block mode code or any."""
    codes = codes_for(width, height)
    while True:
        chosen = code if code is not None else int(rng.choice(codes))
        block = block_with(rng, chosen, *random_header(rng, decode))
        if not is_error(block, width, height, decode):
            return block


def random_header(rng: np.random.Generator, decode: str) -> tuple[int, tuple[int, ...], int, int]:
    """Partitions, endpoint modes, partition index and component, as `block_with` takes them."""
    modes = range(16) if decode == "hdr" else LDR_MODES
    partitions = int(rng.integers(1, 5))
    endpoint_modes = (int(rng.choice(modes)),)
    if partitions > 1 and rng.integers(2):
        base = int(rng.integers(3))
        near = [m for m in modes if m // 4 in (base, base + 1)]
        endpoint_modes = tuple(int(m) for m in rng.choice(near, partitions))
    return partitions, endpoint_modes, int(rng.integers(1024)), int(rng.integers(4))


def void_extent(
    rng: np.random.Generator, hdr: bool, coordinates: tuple[int, ...] = (0x1FFF,) * 4, reserved: int = 3
) -> int:
    """A block of one color. `coordinates`: minimum and maximum of s, then of t."""
    block = placed(random_bits(rng), 0, 12, 0x1FC | hdr << 9 | reserved << 10)
    for k, coordinate in enumerate(coordinates):
        block = placed(block, 12 + 13 * k, 13, coordinate)
    return block


def corrupted(rng: np.random.Generator, block: int) -> int:
    """A block with one to three bits of its header changed: near to legal."""
    for at in rng.integers(0, 29, rng.integers(1, 4)):
        block ^= 1 << int(at)
    return block


def blocks_of(numbers: Iterator[int] | list[int]) -> np.ndarray:
    """Blocks as (count, 16) bytes."""
    return np.frombuffer(b"".join(number.to_bytes(16, "little") for number in numbers), np.uint8).reshape(-1, 16)
