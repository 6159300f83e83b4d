"""Quality of scaling and deinterlacing: PSNR-Y of real clips against themselves after a round trip."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

import av
import numpy as np
from av.video.reformatter import Interpolation

from benchmarks.clips import CLIPS, decoded, interlaced, noisy, panned, planes, to_texsamp
from benchmarks.material import material
from benchmarks.peers import ACCURATE, FieldGraph, FilterGraph
from texsamp.video.color.convert import KINDS, ConvertColor
from texsamp.video.deinterlace import Deinterlace
from texsamp.video.frame import ColorTags, Frame
from texsamp.video.pipeline import Pipeline
from texsamp.video.presets.avs import COEFFICIENT_PRESETS, STRETCHED_PRESETS
from texsamp.video.scale import Scale

_BICUBIC = Interpolation.BICUBIC | Interpolation.ACCURATE_RND | Interpolation.FULL_CHR_H_INT | Interpolation.BITEXACT

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


def _mean_2x2(plane: np.ndarray) -> np.ndarray:
    quads = plane.reshape(plane.shape[0] // 2, 2, plane.shape[1] // 2, 2).astype(np.uint16)
    return ((quads.sum(axis=(1, 3)) + 2) >> 2).astype(np.uint8)


def _sited_left(plane: np.ndarray) -> np.ndarray:
    """Chroma of 4:2:0: weights 1, 2, 1 across and the mean of two rows."""
    wide = np.pad(plane.astype(np.uint16), ((0, 0), (1, 1)), "edge")
    sums = wide[:, :-2:2] + 2 * wide[:, 1:-1:2] + wide[:, 2::2]
    return ((sums[::2] + sums[1::2] + 4) >> 3).astype(np.uint8)


def _rgb_rows(clip: str, every: int) -> list[QualityRow]:
    """A clip at half its size, all chroma its own, as RGB: the same from 4:2:0. The difference is against swscale."""
    scores: dict[str, list[float]] = {}
    for frame in decoded(clip, every=every):
        luma, *chroma = planes(frame)
        rows, columns = (n // 2 * 2 for n in chroma[0].shape)
        whole = [_mean_2x2(luma[: 2 * rows, : 2 * columns]), *(plane[:rows, :columns] for plane in chroma)]
        small = av.VideoFrame(columns, rows, "yuv420p")
        small.colorspace, small.color_range = 1, 1
        for target, plane in zip(planes(small), (whole[0], *map(_sited_left, whole[1:])), strict=True):
            target[...] = plane
        tags = ColorTags(matrix=1, full_range=False, chroma_location=1)
        ours = to_texsamp(small).with_color(tags)
        exact = Frame.from_arrays("yuv444p", whole, columns, rows, "cpu", color=tags)
        wanted = next(iter(ConvertColor(format="rgb24").feed(exact))).planes[0]
        peer = small.reformat(format="rgb24", interpolation=_BICUBIC)
        made = {"swscale bicubic": peer.to_ndarray().reshape(rows, -1)}
        for chroma_mode in KINDS["chroma"].names:
            stage = ConvertColor(format="rgb24", chroma=chroma_mode)
            made[f"texsamp chroma={chroma_mode}"] = next(iter(stage.feed(ours))).planes[0]
        for name, rgb in made.items():
            scores.setdefault(name, []).append(_psnr(wanted, rgb))
    base = statistics.fmean(scores["swscale bicubic"])
    return [
        QualityRow(clip, f"4:2:0 to RGB, {name}", statistics.fmean(v), min(v), statistics.fmean(v) - base)
        for name, v in scores.items()
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
    scaling = [row for clip in CLIPS for row in (*_clip_rows(clip, every), *_rgb_rows(clip, every))]
    return scaling + deinterlacing()


def deinterlacing() -> list[QualityRow]:
    """The rows of the deinterlacer alone."""
    rows = [row for clip in CLIPS for row in _field_rows(clip, list(decoded(clip, limit=120)))]
    picture = list(decoded(CLIPS[1], limit=40))[-1]
    pan = panned(picture, 60)
    rows += _field_rows(f"pan over {CLIPS[1]}", pan)
    rows += _field_rows(f"pan over {CLIPS[1]}, noise of deviation 0.5", noisy(pan, 0.5))
    return rows + [row for name, clip in material().items() for row in _field_rows(name, clip)]
