"""The adaptive blend of the scaler: PSNR of luma that is halved by means of 2x2 and doubled again, rule by rule.

`python -m benchmarks adaptive` measures; `python -m benchmarks.adaptive` searches settings for the hardware's rule on
one part of the pictures and measures them on the rest.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

import texsamp as ts
from benchmarks.clips import CLIPS, decoded, planes
from texsamp.surface.pixel_layout import PixelLayout
from texsamp.video.presets.avs import (
    AdaptiveParameters,
    AdaptiveRule,
    AdaptiveSettings,
    adaptive_parameters,
    adaptive_settings,
)
from texsamp.video.scale import Scale

Luma = NDArray[np.uint8]

SPLIT_SEED = 14
"""Shuffles the pictures; the first half of each material is for fitting."""
_SIZE = 256
_OVERSAMPLING = 4


@dataclass(frozen=True)
class AdaptiveRow:
    """Mean and lowest PSNR-Y in dB over the pictures of a material; ``difference_dB`` is against no adaptation."""

    material: str
    preset: str
    rule: str
    settings: str
    mean_dB: float  # noqa: N815 - the unit
    minimum_dB: float  # noqa: N815
    difference_dB: float  # noqa: N815


def _drawn(rng: np.random.Generator, kind: str) -> Luma:
    """A picture of text, or of lines at all angles, with soft edges."""
    large = _SIZE * _OVERSAMPLING
    back, ink = (int(v) for v in rng.choice([16, 40, 90, 150, 200, 235], 2, replace=False))
    picture = Image.new("L", (large, large), back)
    draw = ImageDraw.Draw(picture)
    for number in range(24):
        if kind == "text":
            letters = "".join(chr(v) for v in rng.integers(33, 127, 40))
            font = ImageFont.load_default(int(rng.integers(8, 28)) * _OVERSAMPLING)
            draw.text((int(rng.integers(-40, 40)), number * large // 24), letters, ink, font=font)
        else:
            (x, y), angle = rng.uniform(0, large, 2), rng.uniform(0, np.pi)
            reach = np.array([np.cos(angle), np.sin(angle)]) * large
            ends = [tuple(np.array([x, y]) + sign * reach) for sign in (-1, 1)]
            draw.line(ends, ink if number % 3 else 235 - back, width=int(rng.integers(2, 40)))
    return np.asarray(picture.resize((_SIZE, _SIZE), Image.Resampling.BOX))


def materials(every: int = 15) -> dict[str, list[Luma]]:
    """Frames of the clips, and pictures that nobody tuned on, the same in every run."""
    made = {clip: [planes(frame)[0].copy() for frame in decoded(clip, every=every)] for clip in CLIPS}
    for kind in ("text", "diagonals"):
        rng = np.random.default_rng([SPLIT_SEED, len(kind)])
        made[kind] = [_drawn(rng, kind) for _ in range(12)]
    return made


def parts(pictures: list[Luma]) -> tuple[list[Luma], list[Luma]]:
    """A part to fit to and a part to test on, by SPLIT_SEED."""
    order = np.random.default_rng(SPLIT_SEED).permutation(len(pictures))
    half = len(pictures) // 2
    return [pictures[i] for i in order[:half]], [pictures[i] for i in order[half:]]


class _Scale(Scale):
    """A scaler with adaptive settings that no option names."""

    parameters: AdaptiveParameters

    def _state(self, layout: PixelLayout) -> AdaptiveParameters:
        return self.parameters


def _doubled(luma: Luma, preset: str, settings: AdaptiveParameters) -> float:
    """PSNR of a picture that was halved and doubled."""
    luma = luma[: luma.shape[0] // 2 * 2, : luma.shape[1] // 2 * 2]
    height, width = luma.shape
    means = luma.reshape(height // 2, 2, width // 2, 2).astype(np.uint16).sum(axis=(1, 3))
    small = ts.Frame.from_arrays("gray", [((means + 2) >> 2).astype(np.uint8)], width // 2, height // 2, "cpu")
    stage = _Scale(width, height, preset=preset)
    stage.parameters = settings
    again = next(iter(stage.feed(small))).planes[0]
    return float(10 * np.log10(255**2 / np.mean((luma.astype(np.float64) - again) ** 2)))


def _row(
    material: str, pictures: Iterable[Luma], preset: str, label: str, parameters: AdaptiveParameters
) -> AdaptiveRow:
    off = [_doubled(picture, preset, adaptive_parameters("i965")) for picture in pictures]
    made = [_doubled(picture, preset, parameters) for picture in pictures]
    mean = statistics.fmean(made)
    return AdaptiveRow(material, preset, parameters.rule, label, mean, min(made), mean - statistics.fmean(off))


def adaptive() -> list[AdaptiveRow]:
    """Every rule and all settings on every material, with the default's coefficients and with media-driver's."""
    return [
        _row(material, pictures, preset, settings, adaptive_settings(settings, rule))
        for material, pictures in materials().items()
        for preset in ("lanczos3", "ihd")
        for settings in get_args(AdaptiveSettings)
        for rule in get_args(AdaptiveRule)
    ]


def _mean(pictures: Mapping[str, list[Luma]], preset: str, settings: AdaptiveParameters) -> float:
    """Mean over the materials of their mean PSNR."""
    return statistics.fmean(statistics.fmean(_doubled(p, preset, settings) for p in each) for each in pictures.values())


def fit(preset: str) -> AdaptiveParameters:
    """Settings for the hardware's rule by the fitting parts: each setting in turn, until none helps."""
    pictures = {name: parts(each)[0][:3] for name, each in materials(30).items()}
    best = adaptive_parameters("ihd")
    score = _mean(pictures, preset, best)
    tried = {
        "max_derivative8": (0, 5, 10, 20, 30, 45, 60, 80, 110),
        "max_derivative4": (0, 2, 4, 7, 12, 20),
        "transition8": range(8),
        "transition4": range(8),
    }
    for name, value in itertools.chain(*(((n, v) for n, values in tried.items() for v in values) for _ in range(2))):
        changed = replace(best, **{name: value})
        found = _mean(pictures, preset, changed)
        if found > score:
            best, score = changed, found
    return best


if __name__ == "__main__":
    for preset in ("lanczos3", "ihd"):
        chosen = fit(preset)
        print(preset, chosen)
        for material, pictures in materials().items():
            for part, each in zip(("fit", "test"), parts(pictures), strict=True):
                for label, parameters in (("ihd", adaptive_parameters("ihd")), ("fitted", chosen)):
                    row = _row(material, each, preset, label, parameters)
                    print(f"{material:18} {part:5} {label:7} {row.mean_dB:7.3f} {row.difference_dB:+.3f}")
