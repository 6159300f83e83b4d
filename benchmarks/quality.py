"""Quality of scaling: PSNR-Y against the original after halving and doubling real clips."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

import av
import numpy as np

from benchmarks.clips import CLIPS, decoded, planes, to_texsamp
from benchmarks.peers import ACCURATE, FilterGraph
from texsamp.video.presets.avs import COEFFICIENT_PRESETS
from texsamp.video.scale import Scale

Upscaler = Callable[[av.VideoFrame], np.ndarray]


@dataclass(frozen=True)
class QualityRow:
    """PSNR-Y in dB over the frames of a clip; ``difference_dB`` is against swscale's own result."""

    clip: str
    case: str
    mean_dB: float  # noqa: N815 - the unit
    minimum_dB: float  # noqa: N815
    difference_dB: float  # noqa: N815


def _psnr(reference: np.ndarray, distorted: np.ndarray) -> float:
    error = np.mean((reference.astype(np.float64) - distorted) ** 2)
    return float(10 * np.log10(255**2 / error)) if error else 100.0


def _scaled(stage: Scale, frame: av.VideoFrame) -> list[np.ndarray]:
    return list(next(iter(stage.feed(to_texsamp(frame)))).planes)


def _clip_rows(clip: str, every: int) -> list[QualityRow]:
    scores: dict[str, list[float]] = {}
    first = next(iter(decoded(clip)))
    width, height = first.width, first.height
    flags = f"lanczos+{ACCURATE}"
    halve = FilterGraph(first, "scale", f"{width // 2}:{height // 2}:flags={flags}")
    double = FilterGraph(halve(), "scale", f"{width}:{height}:flags={flags}")
    ours = {preset: Scale(width, height, preset=preset) for preset in COEFFICIENT_PRESETS}
    adaptive = Scale(width, height, adaptive="on")
    smaller = {mode: Scale(width // 2, height // 2, prefilter=mode) for mode in ("auto", "off")}
    for frame in decoded(clip, every=every):
        original = planes(frame)[0]
        half = halve(frame)
        scores.setdefault("swscale halves, swscale doubles", []).append(_psnr(original, planes(double(half))[0]))
        for preset, stage in ours.items():
            name = f"swscale halves, texsamp {preset} doubles"
            scores.setdefault(name, []).append(_psnr(original, _scaled(stage, half)[0]))
        name = "swscale halves, texsamp lanczos3 adaptive doubles"
        scores.setdefault(name, []).append(_psnr(original, _scaled(adaptive, half)[0]))
        for mode, stage in smaller.items():
            small = next(iter(stage.feed(to_texsamp(frame))))
            again = next(iter(ours["lanczos3"].feed(small))).planes[0]
            name = f"texsamp lanczos3 halves (prefilter={mode}) and doubles"
            scores.setdefault(name, []).append(_psnr(original, again))
    base = statistics.fmean(scores["swscale halves, swscale doubles"])
    return [
        QualityRow(clip, case, statistics.fmean(values), min(values), statistics.fmean(values) - base)
        for case, values in scores.items()
    ]


def quality(every: int = 5) -> list[QualityRow]:
    """All clips, every ``every``-th frame."""
    return [row for clip in CLIPS for row in _clip_rows(clip, every)]
