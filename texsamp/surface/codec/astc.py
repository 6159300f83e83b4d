"""ASTC decoders: launches of `kernels/blocks_astc.cu`, which take blocks of any footprint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.state.formats import SurfaceFormatInfo
from texsamp.surface.codec.launch import DecodeJob, tiles_of

_PARAMS = params_type("AstcParams")
PROFILES = ("linear", "srgb", "hdr")
"""AstcProfile of `kernels/block_astc.h`, in order."""


def astc_launch(device: Device, job: DecodeJob) -> Launch:
    """The launch of a decoder of ASTC."""
    info = job.format
    height, width, channels = job.texels.shape
    params = _PARAMS(
        blocks=device.address(job.blocks),
        texels=device.address(job.texels),
        width=width,
        height=height,
        pitch_B=width * channels * job.texels.dtype.itemsize,
        block_width=info.block_width,
        block_height=info.block_height,
        profile=PROFILES.index(_profile(info)),
    )
    return Launch(job.kernel, params, *tiles_of(device, job), (job.blocks, job.texels))


def astc_errors(device: Device, job: DecodeJob) -> Array:
    """Which blocks are illegal, or have an endpoint mode that their profile reserves: bool, row by row."""
    errors = device.empty((job.blocks.size * 8 // job.format.bits,), np.dtype(np.uint8))
    launch = astc_launch(device, replace(job, kernel="astc_errors"))
    params = launch.params.copy()
    params["texels"] = device.address(errors)
    device.launch(replace(launch, params=params, arrays=(job.blocks, errors)))
    found: Array = errors != 0
    return found


def _profile(info: SurfaceFormatInfo) -> str:
    return "hdr" if info.channels[0].kind == "float" else info.color_space
