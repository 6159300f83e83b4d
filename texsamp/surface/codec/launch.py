"""Launching a block decoder: its parameters, and the tiles a surface is divided into."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.state.formats import SurfaceFormatInfo

TILE_BLOCKS = {"host": (128, 1), "device": (32, 8)}
"""BLOCK_TILE_COLUMNS and BLOCK_TILE_ROWS of `kernels/block_texels.h` (a test holds them together)."""

_PARAMS = params_type("BlockParams")


@dataclass(frozen=True)
class DecodeJob:
    """One image to decode.

    format: row of the surface format table: the footprint and size of a block.
    kernel: the kernel that makes the wanted type of this format's blocks.
    blocks: bytes, aligned to 4, row by row of blocks.
    texels: (height, width, channels), tightly packed.
    rounding: code of a rounding policy.
    """

    format: SurfaceFormatInfo
    kernel: str
    blocks: Array
    texels: Array
    rounding: int


def block_launch(device: Device, job: DecodeJob) -> Launch:
    """The launch of the kernels around `kernels/block_texels.h`, whose parameters are BlockParams."""
    height, width, channels = job.texels.shape
    params = _PARAMS(
        blocks=device.address(job.blocks),
        texels=device.address(job.texels),
        width=width,
        height=height,
        pitch_B=width * channels * job.texels.dtype.itemsize,
        rounding=job.rounding,
    )
    return Launch(job.kernel, params, *tiles_of(device, job), (job.blocks, job.texels))


def tiles_of(device: Device, job: DecodeJob) -> tuple[int, int]:
    """Tiles across and down that the kernels cut a job into."""
    columns, rows = TILE_BLOCKS[device.tile_limits]
    height, width = job.texels.shape[:2]
    return -(-width // (job.format.block_width * columns)), -(-height // (job.format.block_height * rows))
