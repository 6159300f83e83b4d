"""The denoise kernels' launches for one plane: the luma filter, the chroma filter and the block noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.errors import StateError
from texsamp.video.denoise.parameters import DenoiseParameters, NoiseThresholds
from texsamp.video.samples import Samples, plane_record, require_alike, require_shape

_PARAMS = params_type("DenoiseParams")
_NOISE = params_type("DenoiseNoiseParams")


@dataclass(frozen=True)
class TileSize:
    """Samples of a tile of the filters and of the block noise (a test holds them against the headers)."""

    width: int
    height: int
    noise_width: int


TILE_SIZES = {"host": TileSize(512, 16, 256), "device": TileSize(64, 8, 64)}
NOISE_HEIGHT = 16
"""Lines of a tile of the block noise on either device."""

_NO_BLOCK_NOISE = 255
_NEVER = 1 << 20
"""A threshold that no sum over a block reaches."""


@dataclass(frozen=True, eq=False)
class Before:
    """The denoised plane of the picture before (stored as the target is) and its history, one byte per 4x4 block."""

    samples: Samples
    history: Array


def history_shape(samples: Samples) -> tuple[int, int]:
    """Rows and columns of 4x4 blocks, whole or cut."""
    return -(-samples.height // 4), -(-samples.width // 4)


def denoise_plane(
    device: Device,
    source: Samples,
    target: Samples,
    before: Before | None,
    history: Array,
    parameters: DenoiseParameters,
    progressive: bool,
    kind: Literal["luma", "chroma"] = "luma",
    statistics: Array | None = None,
) -> Launch:
    """The launch that denoises one plane of 8 or 10 bits (seed 003:799-952; docs/denoise.md E1-E12, chroma E17-E19).

    Without ``before`` the frame is a first one. ``history`` is written, a uint8 array of `history_shape`;
    ``statistics``, if given, too: uint16 of that shape x 5, STAD, MP, TASD, SHCM and SVCM of every block, of which the
    first three are 0 in a first frame. ``progressive`` is Progressive DN. Raises StateError.
    """
    check_samples(source)
    same = (target.width, target.height, target.bits, target.type_name)
    if same != (source.width, source.height, source.bits, source.type_name):
        raise StateError(
            f"denoise keeps size and depth, found {source.width}x{source.height} of {source.bits} bits "
            f"to {target.width}x{target.height} of {target.bits}"
        )
    shape = history_shape(source)
    require_shape("denoise history", history, shape)
    if before is not None:
        require_alike("pictures that are denoised together", source, before.samples)
        require_shape("denoise history of the picture before", before.history, shape)
    if statistics is not None:
        flat = (shape[0], 5 * shape[1])
        require_shape("statistics of denoising", statistics, flat if statistics.ndim == 2 else (*shape, 5))
    scale = source.bits - 8
    reciprocals = parameters.neighbor_reciprocals(source.bits)
    chroma = kind == "chroma"
    params = _PARAMS(
        plane=plane_record(device, source, target),
        previous=0 if before is None else before.samples.address(device),
        stored=0 if before is None else device.address(before.history),
        history=device.address(history),
        statistics=0 if statistics is None else device.address(statistics),
        previous_pitch_B=0 if before is None else before.samples.pitch_B,
        stored_pitch_B=0 if before is None else before.history.strides[0],
        history_pitch_B=history.strides[0],
        statistics_pitch_B=0 if statistics is None else statistics.strides[0],
        width=source.width,
        height=source.height,
        line_step=1 if progressive else 2,
        stad_threshold=parameters.stad_th << scale,
        moving_pixel_threshold=_NEVER if chroma else parameters.mp_th,
        tasd_threshold=parameters.tasd_th << scale,
        scm_threshold=0 if chroma else parameters.scm_th << scale,
        history_max=parameters.history_max,
        history_delta=parameters.delta,
        difference_threshold=parameters.th << scale,
        low_threshold=parameters.low << scale,
        good_neighbor_threshold=parameters.gn_th << scale,
        blend_reciprocal=parameters.blend_reciprocal,
        blend_shift=10 + scale,
        neighbor_reciprocals=(0, *reciprocals.values),
        neighbor_shift=reciprocals.shift,
    )
    size = TILE_SIZES[device.tile_limits]
    tiles = -(-source.width // size.width), -(-source.height // size.height)
    old = () if before is None else (before.samples.array, before.history)
    arrays = (source.array, target.array, history, *old, *(() if statistics is None else (statistics,)))
    return Launch(f"denoise_{kind}_{source.type_name}", params, *tiles, arrays)


def block_noise(
    device: Device, source: Samples, thresholds: NoiseThresholds, progressive: bool, block_rows: Literal[4, 8]
) -> tuple[Launch, Array]:
    """The launch that estimates the noise of blocks of 16 x ``block_rows`` samples, and its result.

    uint8, 255 for a block without an estimate (seed 003:954-978; docs/denoise.md E13-E16). Blocks have 4 lines when
    the frame is deinterlaced, else 8.
    """
    check_samples(source)
    scale = source.bits - 8
    blocks = device.empty((-(-source.height // block_rows), -(-source.width // 16)), "u1")
    params = _NOISE(
        data=source.address(device),
        blocks=device.address(blocks),
        pitch_B=source.pitch_B,
        step=source.step,
        shift=source.shift,
        max=source.max_value,
        blocks_pitch_B=blocks.strides[0],
        width=source.width,
        height=source.height,
        line_step=1 if progressive else 2,
        block_rows=block_rows,
        edge_threshold=thresholds.edge_th << scale,
        noise_threshold=thresholds.nn_th << scale,
        noise_shift=scale,
    )
    tiles = -(-source.width // TILE_SIZES[device.tile_limits].noise_width), -(-source.height // NOISE_HEIGHT)
    return Launch(f"denoise_block_noise_{source.type_name}", params, *tiles, (source.array, blocks)), blocks


def frame_noise(device: Device, blocks: Array) -> tuple[int, int]:
    """Sum and number of the blocks that have an estimate: a frame's part of the global noise estimate (E16)."""
    host = device.download(blocks)
    passed = host[host < _NO_BLOCK_NOISE]
    return int(passed.sum(dtype=np.int64)), int(passed.size)


def check_samples(source: Samples) -> None:
    """Raises StateError for samples that the kernels do not take."""
    if (source.type_name, source.bits) not in (("u8", 8), ("u16", 10)):
        raise StateError(
            f"denoise needs samples of 8 bits in bytes, or of 10 bits in 16, "
            f"found {source.bits} bits in {source.array.dtype.itemsize * 8}"
        )
