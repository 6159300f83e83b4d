"""Launching a block decoder: its parameters, and the tiles a surface is divided into."""

from __future__ import annotations

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import INT, POINTER, params_type

TILE_BLOCKS = {"host": (128, 1), "device": (32, 8)}
"""BLOCK_TILE_COLUMNS and BLOCK_TILE_ROWS of `kernels/block_texels.h` (a test holds them together)."""

_PARAMS = params_type(
    "BlockParams",
    "block_texels.h",
    [
        ("blocks", POINTER),
        ("texels", POINTER),
        ("width", INT),
        ("height", INT),
        ("pitch_B", INT),
        ("rounding", INT),
    ],
)


def decode_launch(device: Device, kernel: str, blocks: Array, texels: Array, rounding: int) -> Launch:
    """Decode ``blocks`` (bytes, aligned to 4, row by row) into ``texels`` (height, width, channels), tightly packed."""
    height, width, channels = texels.shape
    params = _PARAMS(
        blocks=device.address(blocks),
        texels=device.address(texels),
        width=width,
        height=height,
        pitch_B=width * channels * texels.dtype.itemsize,
        rounding=rounding,
    )
    columns, rows = TILE_BLOCKS[device.tile_limits]
    return Launch(kernel, params, -(-width // (4 * columns)), -(-height // (4 * rows)), (blocks, texels))
