"""Compressed blocks of random bytes that reach every block decoder and every way out of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pictures.cases import Arrays, Case
from texsamp.device.base import Device
from texsamp.state.formats import surface_format
from texsamp.surface.codec import decode
from texsamp.surface.codec.formats import DECODERS

SIZES = ((1, 1), (133, 37), (528, 8))
"""One texel; rows that end inside a block and start unaligned; whole blocks, in more than one tile of the host."""


def block_count(name: str, width: int, height: int) -> int:
    """Blocks of an image."""
    info = surface_format(name)
    return -(-width // info.block_width) * -(-height // info.block_height)


def random_blocks(name: str, count: int, seed: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """(count, bytes) random blocks; those of BC7 take turns in the modes, 8 is the reserved one."""
    blocks = np.random.default_rng(seed).integers(0, 256, (count, surface_format(name).bits // 8), np.uint8)
    if name.startswith("BC7"):
        mode = np.arange(count) % 9
        blocks[:, 0] = (blocks[:, 0].astype(int) >> (mode + 1) << (mode + 1) | 1 << mode) & 255
    return blocks


def _case(name: str, size: tuple[int, int], rounding: str, dtype: str | None) -> Case:
    width, height = size
    blocks = random_blocks(name, block_count(name, width, height), 1000)

    def run(device: Device) -> Arrays:
        texels = device.download(decode(blocks, name, width, height, rounding=rounding, dtype=dtype, device=device))
        return [texels.view(np.uint16) if texels.dtype == np.float16 else texels]

    return Case(f"blocks-{name}-{width}x{height}-{rounding}-{dtype}", run)


def format_of_each_decoder() -> list[str]:
    """The first format of those that share a decoder, as SRGB formats do with others."""
    first: dict[str, str] = {}
    for name, decoder in DECODERS.items():
        first.setdefault(decoder.kernel, name)
    return list(first.values())


def _cases() -> Iterator[Case]:
    for name in format_of_each_decoder():
        decoder = DECODERS[name]
        for size in SIZES:
            yield _case(name, size, "d3d", None)
            if decoder.kernel_f32 is not None:
                yield _case(name, size, "d3d", "float32")
        for rounding in decoder.roundings[1:]:
            yield _case(name, (70, 9), rounding, None)


BLOCK_CASES = tuple(_cases())
