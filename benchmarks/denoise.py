"""Denoise: speed at 1080p and quality on noisy real clips, against FFmpeg's filters."""

from __future__ import annotations

import itertools
import statistics
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace

import av
import numpy as np

import texsamp as ts
from benchmarks.clips import decoded, planes, to_texsamp
from benchmarks.peers import FilterGraph, binary_cpu_ms, ffmpeg_with, has_filter
from benchmarks.timing import Contender, Row, measure
from texsamp.device import CpuDevice
from texsamp.device.cpu import library_path
from texsamp.device.levels import supported_levels
from texsamp.video.denoise import Denoise
from texsamp.video.denoise.measure import measured_noise
from texsamp.video.pipeline import Pipeline
from texsamp.video.samples import Samples

_CLIP = "bikes.mp4"
_STRENGTHS = ("auto", 40, 64)
_HQDN3D = ("hqdn3d", "hqdn3d=8:6:12:9")


@dataclass(frozen=True)
class DenoiseRow:
    """PSNR in dB against the clean clip, over its frames, and what auto takes the last frame's luma noise for."""

    noise: str
    case: str
    mean_Y_dB: float  # noqa: N815 - the unit
    minimum_Y_dB: float  # noqa: N815
    mean_UV_dB: float  # noqa: N815
    measured_sigma: float


def _with_noise(picture: np.ndarray, sigma: float, rng: np.random.Generator) -> np.ndarray:
    return np.clip(np.rint(picture + rng.normal(0, sigma, picture.shape)), 0, 255).astype(np.uint8)


def _frame(rows: np.ndarray) -> av.VideoFrame:
    return av.VideoFrame.from_ndarray(rows, format="yuv420p")


# -- speed -----------------------------------------------------------------------------------------------------------


def speed(threads: int) -> list[Row]:
    """All planes of noisy 1080p pictures. Baseline: hqdn3d, through an ffmpeg binary that has it."""
    source = next(iter(decoded("bigbuckbunny.mp4", every=60, limit=2)))
    large = FilterGraph(source, "scale", "1920:1080:flags=lanczos")(source).to_ndarray()
    rng = np.random.default_rng(1)
    pictures = [_frame(_with_noise(large, 8, rng)) for _ in range(3)]
    contenders = []
    for level in (name for name in supported_levels() if library_path(name)):
        device = CpuDevice(level)
        frames = [to_texsamp(picture, device) for picture in pictures]
        for strength in _STRENGTHS:
            pipeline, numbers = Pipeline([Denoise(strength)], device), itertools.count()

            def run(
                pipeline: Pipeline = pipeline, frames: list[ts.Frame] = frames, numbers: Iterator[int] = numbers
            ) -> None:
                number = next(numbers)
                list(pipeline.feed(replace(frames[number % 3], pts=number)))

            contenders.append(Contender(f"texsamp denoise={strength} {level}", run, lambda: ts.set_threads(threads)))
    rows = measure("denoise 1080p", contenders, contenders[0].name, threads)
    binary = ffmpeg_with("hqdn3d")
    if binary is None:
        print("no ffmpeg with hqdn3d here: ratios are those to the first row")
        return rows
    cpu = binary_cpu_ms(binary, pictures[0], "hqdn3d")
    rows = [replace(row, ratio=row.cpu_median_ms / cpu) for row in rows]
    return [*rows, Row("denoise 1080p", "hqdn3d (ffmpeg binary, 1 thread)", 1, cpu, cpu, cpu, cpu, 1)]


# -- quality ---------------------------------------------------------------------------------------------------------


def _noisy_clips(clean: list[av.VideoFrame]) -> Iterator[tuple[str, list[av.VideoFrame]]]:
    yield "none", clean
    for sigma in (2.0, 5.0, 8.06, 15.0, 25.0):
        rng = np.random.default_rng(int(sigma))
        yield f"white, sigma {sigma:g}", [_frame(_with_noise(frame.to_ndarray(), sigma, rng)) for frame in clean]
    if has_filter("noise"):
        graph = FilterGraph(clean[0], "noise", "alls=15:allf=t:all_seed=7")
        yield "ffmpeg noise=alls=15:allf=t", [graph(frame) for frame in clean]


def _psnr(clean: np.ndarray, found: np.ndarray) -> float:
    error = np.mean((clean.astype(np.float64) - found) ** 2)
    return float(10 * np.log10(255**2 / error)) if error else 100.0


def _row(noise: str, case: str, clean: list[av.VideoFrame], made: list[list[np.ndarray]], sigma: float) -> DenoiseRow:
    scores = [
        [_psnr(a, b) for a, b in zip(planes(frame), result, strict=True)]
        for frame, result in zip(clean, made, strict=True)
    ]
    luma = [score[0] for score in scores]
    chroma = statistics.fmean(value for score in scores for value in score[1:])
    return DenoiseRow(noise, case, statistics.fmean(luma), min(luma), chroma, sigma)


def through_binary(binary: str, video_filter: str, clip: list[av.VideoFrame]) -> list[list[np.ndarray]]:
    """The clip through an ffmpeg binary as raw 4:2:0."""
    width, height = clip[0].width, clip[0].height
    raw = ["-f", "rawvideo", "-pix_fmt", "yuv420p"]
    command = [binary, "-v", "error", *raw, "-s", f"{width}x{height}", "-i", "-", "-vf", video_filter, *raw, "-"]
    data = b"".join(frame.to_ndarray().tobytes() for frame in clip)
    out = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout
    rows = np.frombuffer(out, np.uint8).reshape(len(clip), height * 3 // 2, width)
    return [planes(_frame(np.ascontiguousarray(picture))) for picture in rows]


def quality(frames: int = 60) -> list[DenoiseRow]:
    """The first frames of a clip with white noise, and with FFmpeg's own."""
    clean = list(decoded(_CLIP, limit=frames))
    binary = ffmpeg_with("hqdn3d")
    rows = []
    for noise, clip in _noisy_clips(clean):
        last = to_texsamp(clip[-1])
        sigma = measured_noise(last.device, {"Y": Samples.of(last, "Y")}, progressive=True)["Y"].sigma
        rows.append(_row(noise, "input", clean, [planes(frame) for frame in clip], sigma))
        for strength in _STRENGTHS:
            stage = Denoise(strength)
            made = [list(out.planes) for frame in clip for out in stage.feed(to_texsamp(frame))]
            rows.append(_row(noise, f"texsamp denoise={strength}", clean, made, sigma))
        for peer in _HQDN3D if binary is not None else ():
            rows.append(_row(noise, peer, clean, through_binary(binary, peer, clip), sigma))
    return rows
