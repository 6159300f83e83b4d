"""ETC2 and EAC blocks by what they mean: fields at any value, color blocks of a chosen mode."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from oracle.etc import MODES, modes_of

Words = np.ndarray[Any, np.dtype[np.uint64]]

CHOOSING_BITS = {
    "individual": (),
    "differential": (58, 50, 42),
    "T": (63, 62, 61, 58),
    "H": (63, 55, 54, 53, 50),
    "planar": (63, 55, 47, 46, 45, 42),
}
"""Bits without a meaning of their own in a mode, set so that the block has that mode. (Those of the differential mode
are the signs of its differences.)"""


def spelled(*fields: tuple[int, Any]) -> Words:
    """64-bit words from (lowest bit, values) with broadcasting, as a row."""
    word: Any = np.uint64(0)
    for low, values in fields:
        word = word | np.asarray(values).astype(np.uint64) << np.uint64(low)
    return np.ascontiguousarray(word).reshape(-1)


def with_indices(words: Words) -> Words:
    """Pixel indices so that over four blocks in a row every texel has every index."""
    least = np.where(np.arange(len(words)) & 1, 0x5A3C, 0xA5C3).astype(np.uint64)
    most = np.where(np.arange(len(words)) & 2, 0x0F69, 0xF096).astype(np.uint64)
    return words & ~np.uint64(0xFFFFFFFF) | most << np.uint64(16) | least


def of_mode(words: Words, mode: str, *, punchthrough: bool = False) -> Words:
    """The words, with bits that choose the mode changed; without those that cannot have it."""
    if not punchthrough:
        differs = np.uint64(1 << 33)
        words = words & ~differs if mode == "individual" else words | differs
    found = np.zeros(len(words), bool)
    made = words.copy()
    for values in itertools.product((0, 1), repeat=len(CHOOSING_BITS[mode])):
        tried = words
        for bit, value in zip(CHOOSING_BITS[mode], values, strict=True):
            tried = tried & ~np.uint64(1 << bit) | np.uint64(value << bit)
        fits = modes_of(tried, punchthrough=punchthrough) == MODES.index(mode)
        made = np.where(fits & ~found, tried, made)
        found |= fits
    return made[found]


def blocks_of(*words: Words) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """(count, 8 bytes per word) as they lie in memory, cut to a multiple of 64 blocks."""
    stacked = np.stack(words, axis=1)
    return np.ascontiguousarray(stacked[: len(stacked) // 64 * 64]).astype(">u8").view(np.uint8)
