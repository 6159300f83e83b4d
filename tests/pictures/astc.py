"""ASTC blocks of every footprint: legal ones that reach every endpoint mode, broken ones, and random bits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np
from support.astc_blocks import FOOTPRINTS, blocks_of, corrupted, legal_block, random_bits, void_extent
from support.astc_volume_blocks import Size
from support.astc_volume_blocks import mixed_blocks as volume_blocks

from pictures.cases import Arrays, Case
from texsamp.device.base import Device
from texsamp.errors import FormatError
from texsamp.surface.codec import decode, decode_volume


@cache  # made when a case runs: processes that run others should not wait for them
def mixed_blocks(count: int, width: int, height: int, profile: str, seed: int) -> np.ndarray:
    """(count, 16): every second block is legal, the others take turns in being nearly so, random, and one color."""
    rng = np.random.default_rng(seed)
    numbers = []
    for i in range(count):
        legal = legal_block(rng, width, height, profile)
        others = (legal, corrupted(rng, legal), legal, random_bits(rng), legal, void_extent(rng, bool(i & 8)))
        numbers.append(others[i % len(others)])
    return blocks_of(numbers)


def _case(name: str, footprint: tuple[int, int], size: tuple[int, int], dtype: str | None) -> Case:
    (block_width, block_height), (width, height) = footprint, size
    profile = "hdr" if name.endswith("SFLOAT") else "decode_unorm8"
    count = -(-width // block_width) * -(-height // block_height)

    def run(device: Device) -> Arrays:
        blocks = mixed_blocks(count, *footprint, profile, 100 * block_width + block_height)
        texels = device.download(decode(blocks, name, width, height, dtype=dtype, device=device))
        return [texels.view(np.uint16) if texels.dtype == np.float16 else texels]

    return Case(f"astc-{name}-{width}x{height}-{dtype}", run)


def _volume_case(name: str, footprint: Size, sides: Size) -> Case:
    profile = "hdr" if name.endswith("SFLOAT") else "decode_unorm8"
    count = math.prod(-(-side // step) for side, step in zip(sides, footprint, strict=True))

    def run(device: Device) -> Arrays:
        texels = device.download(
            decode_volume(volume_blocks(count, footprint, profile, 7), name, *sides, device=device)
        )
        return [texels.view(np.uint16) if texels.dtype == np.float16 else texels]

    return Case(f"astc-{name}-{'x'.join(map(str, sides))}", run)


def _strict(device: Device) -> Arrays:
    blocks = mixed_blocks(40 * 9, 5, 4, "decode_unorm8", 3)
    try:
        decode(blocks, "ASTC_5x4", 198, 34, errors="strict", device=device)
    except FormatError as error:
        return [np.frombuffer(str(error).encode(), np.uint8)]
    raise AssertionError("no block is illegal")


def _cases() -> Iterator[Case]:
    for footprint in FOOTPRINTS:
        plain = "ASTC_{}x{}".format(*footprint)
        for size in ((1, 1), (87, 38)):
            yield _case(plain, footprint, size, None)
            yield _case(f"{plain}_SFLOAT", footprint, size, None)
    yield _case("ASTC_6x5", (6, 5), (61, 22), "float16")
    yield _case("ASTC_4x4_SRGB", (4, 4), (530, 9), None)
    yield _case("ASTC_4x4_SFLOAT", (4, 4), (530, 9), None)
    yield Case("astc-strict", _strict)
    yield _volume_case("ASTC_3x3x3_UNORM", (3, 3, 3), (8, 7, 4))
    yield _volume_case("ASTC_6x5x5_SFLOAT", (6, 5, 5), (200, 6, 7))


ASTC_CASES = tuple(_cases())
