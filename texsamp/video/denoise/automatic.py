"""The automatic strength: noise of a plane, and the constants that follow it (ours; docs/denoise.md)."""

from __future__ import annotations

import math

import numpy as np

from texsamp.device.base import Array, Device
from texsamp.video.denoise.launches import curvature
from texsamp.video.denoise.parameters import DenoiseParameters
from texsamp.video.samples import Samples

_NO_ESTIMATE = 0xFFFFFFFF
_SHARE = 0.1
"""Which block, from the calmest, is taken for pure noise."""
_BLOCK_GAIN = 256 * 6 * math.sqrt(2 / math.pi) * 0.893
"""Sum of |L| of that block of white noise of deviation 1."""
_RAMP_START, _RAMP_LENGTH = 0.5, 0.75
_GOOD_NEIGHBOR, _DIFFERENCE, _STAD = 3.6, 2.0, 20.0
"""Thresholds in standard deviations of the noise."""
_LARGEST_DIFFERENCE = 18
"""Above it the low threshold would leave noise of small differences to the temporal filter alone."""


def noise_of_blocks(blocks: np.ndarray, bits: int) -> float:
    """Standard deviation of the noise, in 8-bit steps, from the sums of `curvature`; 0 without any."""
    sums = np.sort(blocks[blocks != _NO_ESTIMATE], axis=None)
    if not sums.size:
        return 0.0
    return float(sums[int(_SHARE * (sums.size - 1))]) / _BLOCK_GAIN / (1 << (bits - 8))


def measured_noise(device: Device, planes: dict[str, Samples], progressive: bool) -> dict[str, float]:
    """Standard deviation of the noise of every plane, in 8-bit steps; the planes are measured together."""
    found: dict[str, tuple[Array, int]] = {}
    launches = []
    for name, samples in planes.items():
        made = curvature(device, samples, progressive)
        if made is not None:
            launches.append(made[0])
            found[name] = made[1], samples.bits
    sigmas = dict.fromkeys(planes, 0.0)
    if launches:
        device.launch(*launches)
        hosts = device.start_download([blocks for blocks, _ in found.values()]).result()
        for (name, (_, bits)), host in zip(found.items(), hosts, strict=True):
            sigmas[name] = noise_of_blocks(host, bits)
    return sigmas


def automatic_parameters(sigma: float) -> DenoiseParameters | None:
    """The constants for a standard deviation of the noise in 8-bit steps; None where nothing is to be done."""
    place = min(max((sigma - _RAMP_START) / _RAMP_LENGTH, 0.0), 1.0)
    ramp = sigma * place * place * (3 - 2 * place)
    good_neighbor = min(int(_GOOD_NEIGHBOR * ramp + 0.5), 63)
    if not good_neighbor:
        return None
    threshold = min(max(int(_DIFFERENCE * ramp + 0.5), 1), _LARGEST_DIFFERENCE)
    width = 1 << min(threshold.bit_length() - 1, 4)
    return DenoiseParameters(
        stad_th=min(int(_STAD * ramp + 0.5), 255),
        mp_th=16,
        tasd_th=63,
        scm_th=0,
        history_max=240,
        delta=15,
        th=threshold,
        low=threshold - width,
        gn_th=good_neighbor,
        even=True,
    )
