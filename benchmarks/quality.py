"""Quality of scaling and deinterlacing: PSNR-Y of real clips against themselves after a round trip."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

import av
import numpy as np

from benchmarks.clips import CLIPS, decoded, interlaced, noisy, panned, planes, to_texsamp
from benchmarks.material import material
from benchmarks.peers import ACCURATE, FieldGraph, FilterGraph
from texsamp.video.deinterlace import Deinterlace
from texsamp.video.pipeline import Pipeline
from texsamp.video.presets.avs import COEFFICIENT_PRESETS, STRETCHED_PRESETS
from texsamp.video.scale import Scale

Upscaler = Callable[[av.VideoFrame], np.ndarray]


@dataclass(frozen=True)
class QualityRow:
    """PSNR-Y in dB over the frames of a clip; ``difference_dB`` is against the peer's own result."""

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
    smaller = {
        (preset, mode): Scale(width // 2, height // 2, preset=preset, prefilter=mode)
        for preset in ("lanczos3", *STRETCHED_PRESETS)
        for mode in ("auto", "off")
    }
    for frame in decoded(clip, every=every):
        original = planes(frame)[0]
        half = halve(frame)
        scores.setdefault("swscale halves, swscale doubles", []).append(_psnr(original, planes(double(half))[0]))
        for preset, stage in ours.items():
            name = f"swscale halves, texsamp {preset} doubles"
            scores.setdefault(name, []).append(_psnr(original, _scaled(stage, half)[0]))
        name = "swscale halves, texsamp lanczos3 adaptive doubles"
        scores.setdefault(name, []).append(_psnr(original, _scaled(adaptive, half)[0]))
        for (preset, mode), stage in smaller.items():
            small = next(iter(stage.feed(to_texsamp(frame))))
            again = next(iter(ours["lanczos3"].feed(small))).planes[0]
            name = f"texsamp {preset} halves (prefilter={mode}), lanczos3 doubles"
            scores.setdefault(name, []).append(_psnr(original, again))
    base = statistics.fmean(scores["swscale halves, swscale doubles"])
    return [
        QualityRow(clip, case, statistics.fmean(values), min(values), statistics.fmean(values) - base)
        for case, values in scores.items()
    ]


def _field_rows(clip: str, source: list[av.VideoFrame]) -> list[QualityRow]:
    """A progressive clip, made interlaced, back at field rate; the difference is against yadif."""
    frames = interlaced(source)
    stages = {mode: Deinterlace(mode, "field", deint="all") for mode in ("madi", "mcdi", "mcdi-hsw", "hq", "bob")}
    stages["mcdi preset=i965"] = Deinterlace("mcdi", "field", deint="all", preset="i965")
    stages |= {
        f"{mode} angles=ours": Deinterlace(mode, "field", deint="all", angles="ours") for mode in ("bob", "madi")
    }
    made = {name: _filtered(FieldGraph(frames[0], name, "mode=1:parity=tff"), frames) for name in ("yadif", "bwdif")}
    for name, stage in stages.items():
        results = Pipeline([stage], "cpu")(to_texsamp(frame) for frame in frames)
        made[f"texsamp {name}"] = [result.planes[0] for result in results]
    originals = [planes(frame)[0] for frame in source]
    scores = {name: [_psnr(a, b) for a, b in zip(originals, luma, strict=True)] for name, luma in made.items()}
    base = statistics.fmean(scores["yadif"])
    return [
        QualityRow(clip, f"interlaced, {name}", statistics.fmean(values), min(values), statistics.fmean(values) - base)
        for name, values in scores.items()
    ]


def _filtered(graph: FieldGraph, frames: list[av.VideoFrame]) -> list[np.ndarray]:
    return [planes(result)[0] for frame in (*frames, None) for result in graph(frame)]


def quality(every: int = 5) -> list[QualityRow]:
    """All clips, every ``every``-th frame; deinterlacing on their first 120 frames, on pans and on generated clips."""
    return [row for clip in CLIPS for row in _clip_rows(clip, every)] + deinterlacing()


def deinterlacing() -> list[QualityRow]:
    """The rows of the deinterlacer alone."""
    rows = [row for clip in CLIPS for row in _field_rows(clip, list(decoded(clip, limit=120)))]
    picture = list(decoded(CLIPS[1], limit=40))[-1]
    pan = panned(picture, 60)
    rows += _field_rows(f"pan over {CLIPS[1]}", pan)
    rows += _field_rows(f"pan over {CLIPS[1]}, noise of deviation 0.5", noisy(pan, 0.5))
    return rows + [row for name, clip in material().items() for row in _field_rows(name, clip)]
