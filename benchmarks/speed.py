"""Speed of single filters: texsamp on every CPU level against FFmpeg's filters."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import av
import numpy as np

import texsamp as ts
from benchmarks.clips import decoded, interlaced, panned, to_texsamp
from benchmarks.peers import ACCURATE, FieldGraph, FilterGraph, binary_cpu_ms, ffmpeg_with, has_filter
from benchmarks.timing import Contender, Row, measure
from texsamp.device import CpuDevice
from texsamp.device.cpu import library_path
from texsamp.device.levels import supported_levels
from texsamp.video.deinterlace import Deinterlace
from texsamp.video.deinterlace.parameters import DRIVER_STATE
from texsamp.video.film.meter import FilmMeter
from texsamp.video.film.variances import FilmParameters
from texsamp.video.pipeline import Pipeline
from texsamp.video.scale import Scale
from texsamp.video.sharpen import Sharpen
from texsamp.video.stage import Stage


def _ours(label: str, frame: object, threads: int, make: Callable[[], Stage]) -> list[Contender]:
    contenders = []
    for level in (name for name in supported_levels() if library_path(name)):
        device = CpuDevice(level)
        pipeline, ours = Pipeline([make()], device), to_texsamp(frame, device)

        def run(pipeline: Pipeline = pipeline, ours: ts.Frame = ours) -> None:
            for _ in pipeline.feed(ours):
                pass

        contenders.append(Contender(f"texsamp {label} {level}", run, lambda: ts.set_threads(threads)))
    return contenders


def scale(threads: int) -> list[Row]:
    """720p to 1080p and 2160p to 1080p, 8-bit 4:2:0. Baseline: swscale's Lanczos with accurate rounding."""
    small = next(iter(decoded("bigbuckbunny.mp4", every=60, limit=2)))
    large = FilterGraph(small, "scale", "3840:2160:flags=lanczos")(small)
    return _scale("scale 720p to 1080p", small, threads) + _scale("scale 2160p to 1080p", large, threads)


def _scale(title: str, frame: av.VideoFrame, threads: int) -> list[Row]:
    accurate = f"swscale lanczos+{ACCURATE}"
    contenders = [
        Contender(f"swscale {flags}", FilterGraph(frame, "scale", f"1920:1080:flags={flags}", threads))
        for flags in ("bicubic", "lanczos", f"lanczos+{ACCURATE}")
    ]
    contenders += _ours("lanczos3", frame, threads, lambda: Scale(1920, 1080))
    contenders += _ours("adaptive", frame, threads, lambda: Scale(1920, 1080, adaptive="on"))
    rows = measure(title, contenders, accurate, threads)
    binary = ffmpeg_with("zscale")
    if binary is not None and threads == 1:
        base = next(row for row in rows if row.name == accurate)
        for kernel in ("bicubic", "lanczos"):
            times = [binary_cpu_ms(binary, frame, f"zscale=1920:1080:filter={kernel}") for _ in range(5)]
            low, cpu, high = statistics.quantiles(times, n=4)
            ratio = cpu / base.cpu_median_ms
            rows.append(Row(title, f"zscale {kernel} (ffmpeg binary)", 1, cpu, cpu, low, high, ratio))
    return rows


def sharpen(threads: int) -> list[Row]:
    """Luma sharpening at 1080p. Baseline: FFmpeg's unsharp 5x5 on luma."""
    source = next(iter(decoded("bigbuckbunny.mp4", every=60, limit=2)))
    frame = FilterGraph(source, "scale", "1920:1080:flags=lanczos")(source)
    contenders = [Contender("unsharp 5x5", FilterGraph(frame, "unsharp", "5:5:1.0:5:5:0", threads))]
    if has_filter("cas"):
        contenders.append(Contender("cas", FilterGraph(frame, "cas", "0.5:planes=1", threads)))
    contenders += _ours("sharpen=44", frame, threads, lambda: Sharpen(44))
    return measure("sharpen 1080p", contenders, "unsharp 5x5", threads)


def deinterlace(threads: int) -> list[Row]:
    """Both fields of a 1080i frame, all planes. Baseline: FFmpeg's yadif at field rate.

    The clip's motion is not such that mcdi compensates it; that of the pan is. What does not move is skipped: of the
    pan nearly everything does, of the still picture, one frame again and again, nothing.
    """
    source = list(decoded("bigbuckbunny.mp4", every=1, limit=8))
    enlarge = FilterGraph(source[0], "scale", "1920:1080:flags=lanczos")
    frames = interlaced([enlarge(frame) for frame in source])
    contenders = [
        Contender(name, _every_field(FieldGraph(frames[0], name, "mode=1:parity=tff", threads), frames))
        for name in ("yadif", "bwdif")
        if has_filter(name)
    ]
    for mode in ("madi", "mcdi", "hq", "bob"):
        for level in (name for name in supported_levels() if library_path(name)):
            device = CpuDevice(level)
            pipeline = Pipeline([Deinterlace(mode, "field", deint="all")], device)
            run = _every_field(pipeline.feed, [to_texsamp(frame, device) for frame in frames])
            contenders.append(Contender(f"texsamp {mode} {level}", run, lambda: ts.set_threads(threads)))
    moving, still = interlaced(panned(frames[-1], 16)), [frames[0]] * 2
    panning = [(mode, "a pan", moving) for mode in ("madi", "mcdi", "hq")]
    for mode, name, clip in (*panning, ("madi", "a still picture", still)):
        for level in (each for each in supported_levels() if library_path(each)):
            device = CpuDevice(level)
            pipeline = Pipeline([Deinterlace(mode, "field", deint="all")], device)
            run = _every_field(pipeline.feed, [to_texsamp(frame, device) for frame in clip])
            contenders.append(Contender(f"texsamp {mode}, {name} {level}", run, lambda: ts.set_threads(threads)))
    for name, clip in (("film statistics", frames), ("film statistics, a pan", moving)):
        for level in (name for name in supported_levels() if library_path(name)):
            ours = [to_texsamp(frame, CpuDevice(level)) for frame in clip]
            meter = FilmMeter(FilmParameters.from_state(DRIVER_STATE))
            run = partial(_measure_next, meter, itertools.cycle(ours))
            contenders.append(Contender(f"texsamp {name} {level}", run, lambda: ts.set_threads(threads)))
    return measure("deinterlace 1080i", contenders, "yadif", threads, rounds=9)


def _measure_next(meter: FilmMeter, frames: Iterator[ts.Frame]) -> None:
    meter.measure(next(frames))


_CHAIN = "denoise,deinterlace=mode=madi:rate=frame:deint=all,scale=1920x1080,sharpen=44"
_PEER_CHAINS = {
    "hqdn3d": "bwdif=mode=0:parity=tff,hqdn3d,zscale=1920:1080:filter=lanczos,unsharp",
    "atadenoise": "bwdif=mode=0:parity=tff,atadenoise,scale=1920:1080:flags=lanczos,unsharp",
}
"""By the filter that not every build has; what both others need is in all of them."""


def chain(threads: int) -> list[Row]:
    """Noisy 720p interlaced frames denoised, deinterlaced at frame rate, scaled to 1080p and sharpened, all planes.

    Baseline: the ffmpeg binary's bwdif, hqdn3d, zscale and unsharp; without it ratios are those to the first row.
    """
    rng = np.random.default_rng(2)
    noisy = []
    for frame in interlaced(list(decoded("bigbuckbunny.mp4", limit=8))):
        pixels = frame.to_ndarray()
        pixels = np.clip(np.rint(pixels + rng.normal(0, 5, pixels.shape)), 0, 255).astype(np.uint8)
        noisy.append(av.VideoFrame.from_ndarray(pixels, format="yuv420p"))
    contenders = []
    for level in (name for name in supported_levels() if library_path(name)):
        device = CpuDevice(level)
        pipeline = Pipeline(Pipeline.parse(_CHAIN, device="cpu").stages, device)
        run = _every_field(pipeline.feed, [to_texsamp(frame, device) for frame in noisy])
        contenders.append(Contender(f"texsamp {level}", run, lambda: ts.set_threads(threads)))
    rows = measure("chain 720i to 1080p", contenders, contenders[0].name, threads)
    peers = {name: ffmpeg_with(name) for name in _PEER_CHAINS}
    costs = {name: binary_cpu_ms(peers[name], noisy[0], _PEER_CHAINS[name]) for name in peers if peers[name]}
    if costs:
        base = costs.get("hqdn3d", next(iter(costs.values())))
        rows = [replace(row, ratio=row.cpu_median_ms / base) for row in rows]
        for name, cpu in costs.items():
            label = f"{_PEER_CHAINS[name]} (ffmpeg binary, 1 thread)"
            rows.append(Row("chain 720i to 1080p", label, 1, cpu, cpu, cpu, cpu, cpu / base))
    return rows


def _every_field(feed: Callable[[Any], Iterable[object]], frames: Sequence[Any]) -> Callable[[], None]:
    """Feeds the next frame of an endless row of frames, and takes what comes out."""
    endless = itertools.cycle(frames)

    def run() -> None:
        for _ in feed(next(endless)):
            pass

    return run
