"""`sharpen=auto`: PSNR-Y of blurred pictures to what they were, before and after, and with the best of all levels.

`python -m benchmarks blur` measures the parts of the pictures that nothing was fitted to; `python -m benchmarks.blur`
prints, for the other parts, the sharpness of each picture and its best level, from which LEVELS were drawn.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter

import texsamp as ts
from benchmarks.adaptive import Luma, materials, parts
from texsamp.video.sharpen import Sharpen
from texsamp.video.sharpness import sharpness

_RADII_PX = (0.0, 0.5, 0.7, 0.9, 1.2, 1.6, 2.2)
_LEVELS = range(0, 65, 4)


@dataclass(frozen=True)
class BlurRow:
    """Means over the pictures of a material, blurred by so much, in dB; the gains are over what is not sharpened."""

    material: str
    blur_px: float
    blurred_dB: float  # noqa: N815 - the unit
    auto_gain_dB: float  # noqa: N815
    level_44_gain_dB: float  # noqa: N815
    best_gain_dB: float  # noqa: N815
    worst_auto_gain_dB: float  # noqa: N815


def _psnr(reference: Luma, distorted: Luma) -> float:
    error = np.mean((reference.astype(np.float64) - distorted) ** 2)
    return float(10 * np.log10(255**2 / max(error, 1e-3)))


def _blurred(luma: Luma, radius_px: float) -> Luma:
    return np.rint(gaussian_filter(luma.astype(np.float64), radius_px)).astype(np.uint8) if radius_px else luma


def _sharpened(luma: Luma, stage: Sharpen) -> Luma:
    frame = ts.Frame.from_arrays("gray", [np.ascontiguousarray(luma)], luma.shape[1], luma.shape[0], "cpu")
    return next(iter(stage.feed(frame))).to_arrays()[0]


def _gains(luma: Luma, blurred: Luma) -> dict[int, float]:
    base = _psnr(luma, blurred)
    return {level: _psnr(luma, _sharpened(blurred, Sharpen(level))) - base for level in _LEVELS}


def blur() -> Iterator[BlurRow]:
    """The parts for testing, by material and blur."""
    for material, pictures in materials(45).items():
        for radius in _RADII_PX:
            before, auto, gains = [], [], []
            for luma in parts(pictures)[1]:
                blurred = _blurred(luma, radius)
                before.append(_psnr(luma, blurred))
                auto.append(_psnr(luma, _sharpened(blurred, Sharpen("auto"))) - before[-1])
                gains.append(_gains(luma, blurred))
            means = (before, auto, [each[44] for each in gains], [max(each.values()) for each in gains])
            yield BlurRow(material, radius, *map(statistics.fmean, means), min(auto))


if __name__ == "__main__":
    for material, pictures in materials(45).items():
        for radius in _RADII_PX:
            for luma in parts(pictures)[0]:
                blurred = _blurred(luma, radius)
                gains = _gains(luma, blurred)
                best = max(gains, key=gains.__getitem__)
                print(f"{material:18} {radius:3} {sharpness(blurred) or 0:5.2f} {best:3} {gains[best]:+.2f}")
