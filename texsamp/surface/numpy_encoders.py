"""Encoders of blocks that no package has: signed BC4, BC5 and BC6H, and the alpha of BC2. NumPy, all blocks at once.

They are plain: BC4 and BC5 span each block's least and largest value, BC6H (mode 3 of the Direct3D 11.3 functional
specification, 19.5.13: one pair of endpoints of 10 bits) the line through a block's texels, and every texel takes what
decodes nearest to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[Any]]

_BLOCK_PX = 4
_TEXELS = 16
_SEVENTHS = np.array([1, 7, 6, 5, 4, 3, 2, 0])
"""Index of each seventh of the way from the smaller endpoint, which is the second, to the larger one."""
_WEIGHTS = np.array([0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64])
"""Of 16 interpolated colors, in 64ths (19.5.13.2)."""
_MODE_ONE_LINE = 0b00011
_ENDPOINT_BITS = 10
_LARGEST_HALF = 0x7BFF


def blocks_of(picture: Numbers) -> Numbers:
    """A picture (height, width, channels) of whole blocks of 4x4 as (blocks, 16, channels)."""
    height, width, channels = picture.shape
    tiles = picture.reshape(height // _BLOCK_PX, _BLOCK_PX, width // _BLOCK_PX, _BLOCK_PX, channels)
    return tiles.swapaxes(1, 2).reshape(-1, _TEXELS, channels)


def with_explicit_alpha(blocks: bytes, picture: Numbers) -> bytes:
    """Blocks of BC3 as those of BC2: the same colors, and the picture's alpha in 4 bits to nearest."""
    alpha = (blocks_of(picture)[..., 3].astype(np.uint32) * 15 + 127) // 255
    made = np.frombuffer(blocks, np.uint8, alpha.size).reshape(-1, _TEXELS).copy()
    made[:, :8] = alpha[:, 0::2] | alpha[:, 1::2] << 4
    return made.tobytes()


def signed_channel_blocks(picture: Numbers) -> bytes:
    """Blocks of BC4_SNORM or BC5_SNORM of a picture with one or two channels of int8; -128 is taken as -127."""
    values = np.maximum(blocks_of(picture).astype(np.int64), -127)
    low, high = values.min(1), values.max(1)
    span = np.maximum(high - low, 1)
    sevenths = (2 * 7 * (values - low[:, None]) + span[:, None]) // (2 * span[:, None])
    # One value alone: both endpoints are it, and index 0 the first of them.
    indices = np.where((high == low)[:, None], 0, _SEVENTHS[sevenths]).astype(np.uint64)
    words = (indices << (3 * np.arange(_TEXELS, dtype=np.uint64))[:, None]).sum(1, dtype=np.uint64) << np.uint64(16)
    words |= (high & 0xFF).astype(np.uint64) | (low & 0xFF).astype(np.uint64) << np.uint64(8)
    made: bytes = words.astype("<u8").tobytes()
    return made


def signed_float_blocks(picture: Numbers) -> bytes:
    """Blocks of BC6H_SF16 of a picture of float16, whose first three channels are taken. All numbers are finite."""
    bits = blocks_of(np.ascontiguousarray(picture[..., :3])).view(np.int16).astype(np.int64)
    numbers = np.where(bits < 0, -(bits & 0x7FFF), bits).astype(np.float64)
    middle = numbers.mean(1, keepdims=True)
    off = numbers - middle
    axis = np.linalg.eigh(off.swapaxes(1, 2) @ off)[1][..., -1:]
    along = off @ axis
    ends = [_endpoint(middle[:, 0] + reach * axis[..., 0]) for reach in (along.min(1), along.max(1))]
    indices = _nearest(numbers, ends)
    # The first texel's index has three bits: its highest is 0, or the endpoints change places.
    swapped = indices[:, 0] >= _TEXELS // 2
    indices = np.where(swapped[:, None], _TEXELS - 1 - indices, indices)
    first = np.where(swapped[:, None], ends[1], ends[0])
    second = np.where(swapped[:, None], ends[0], ends[1])
    fields = [(np.full(len(bits), _MODE_ONE_LINE), 5)]
    fields += [(end[:, channel] & 0x3FF, _ENDPOINT_BITS) for end in (first, second) for channel in range(3)]
    fields += [(indices[:, texel], 3 if texel == 0 else 4) for texel in range(_TEXELS)]
    return _packed(fields)


def _endpoint(numbers: Numbers) -> Numbers:
    """The nearest endpoints of 10 bits of halves as signed numbers."""
    most = (1 << (_ENDPOINT_BITS - 1)) - 1
    wide = np.clip(numbers, -_LARGEST_HALF, _LARGEST_HALF) * 32 / 31
    return np.clip(np.rint((np.abs(wide) - 32) / 64), 0, most).astype(np.int64) * np.sign(wide).astype(np.int64)


def _nearest(numbers: Numbers, ends: list[Numbers]) -> Numbers:
    """Of every texel the color that decodes nearest to it."""
    wide = []
    for end in ends:  # 19.5.13.1: endpoints as signed numbers of 16 bits
        size = np.abs(end)
        full = np.where(size >= (1 << (_ENDPOINT_BITS - 1)) - 1, 0x7FFF, ((size << 15) + 0x4000) >> 9)
        wide.append(np.where(size == 0, 0, full) * np.sign(end))
    least: Numbers = np.full(numbers.shape[:2], np.inf)
    chosen = np.zeros(numbers.shape[:2], np.int64)
    for index, weight in enumerate(_WEIGHTS.tolist()):
        color = (wide[0] * (64 - weight) + wide[1] * weight + 32) >> 6
        half = np.sign(color) * (np.abs(color) * 31 >> 5)
        error = ((numbers - half[:, None]) ** 2).sum(-1)
        chosen = np.where(error < least, index, chosen)
        least = np.minimum(error, least)
    return chosen


def _packed(fields: list[tuple[Numbers, int]]) -> bytes:
    """Fields of 128 bits in all, the first in the lowest bits."""
    bits = [(values[:, None] >> np.arange(count)) & 1 for values, count in fields]
    return np.packbits(np.concatenate(bits, 1).astype(np.uint8), axis=1, bitorder="little").tobytes()
