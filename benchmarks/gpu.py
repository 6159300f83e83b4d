"""Time of calls and of their kernels on a CUDA device: frames and textures stay there."""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import texsamp as ts
from benchmarks.clips import decoded, to_texsamp
from benchmarks.gpu_timing import RecordingDevice, kernels_s
from benchmarks.sample import picture_coordinates, random_texels, sampling
from benchmarks.torch_peer import grid_sample
from texsamp.device import Device
from texsamp.device.cuda import why_no_cuda
from texsamp.state.formats import surface_format
from texsamp.surface.codec.formats import DECODERS
from texsamp.surface.images import image_size_B

SIDE_PX = 4096
COPIED_B = 1 << 30
"""More than caches hold."""
FILTERS = (
    "scale=1920x1080",
    "scale=1920x1080:adaptive=on",
    "sharpen=44",
    "denoise=20",
    "deinterlace=mode=madi:rate=field:deint=all",
    "deinterlace=mode=mcdi:rate=field:deint=all",
    "procamp=contrast=1.1",
)
FILTERS_1080 = (
    "deinterlace=mode=bob:rate=field:deint=all",
    "deinterlace=mode=madi:rate=field:deint=all",
    "deinterlace=mode=mcdi:rate=field:deint=all",
    "deinterlace=mode=hq:rate=field:deint=all",
    "denoise=20",
    "denoise=auto",
    "denoise=fast",
    "denoise=hq",
    "denoise=20,deinterlace=mode=madi:rate=field:deint=all",
    "scale=3840x2160",
    "csc=format=rgba",
    "contrast=auto",
)
"""A call of a deinterlacer with one frame makes both fields' pictures."""


@dataclass(frozen=True)
class GpuRow:
    """Median time of one call, as Python makes it, and of its kernels alone (others' calls: the same).

    gigabytes_per_s: the bytes that they must read and write at least, over the kernels' time; pictures that were just
    written are in the second-level cache. of_copy: the same bandwidth over that of a large copy inside the device.
    """

    device: str
    case: str
    call_ms: float
    kernels_ms: float
    gigabytes_per_s: float
    of_copy: float


@dataclass(frozen=True)
class _Case:
    name: str
    run: Callable[[], object]
    moved_B: int  # noqa: N815 - the unit


def _cases(device: Device) -> Iterator[_Case]:
    data = device.empty((COPIED_B,), np.uint8)
    data[...] = 1
    yield _Case("copy", lambda: device.copy(data), 2 * data.nbytes)
    frame = next(iter(decoded("bigbuckbunny.mp4")))
    yield from _filters(FILTERS, to_texsamp(frame, device), device)
    yield from _filters(FILTERS_1080, to_texsamp(frame.reformat(1920, 1080), device), device)
    yield from _samples(device)
    for name in DECODERS:
        if "SRGB" in name.upper():
            continue  # the same kernels
        size_B = image_size_B(surface_format(name), SIDE_PX, SIDE_PX)
        blocks = device.upload(np.random.default_rng(1).integers(0, 256, size_B, np.uint8))
        run = partial(ts.decode, blocks, name, SIDE_PX, SIDE_PX, device=device)
        yield _Case(f"{name} {SIDE_PX}x{SIDE_PX}", run, blocks.nbytes + run().nbytes)


def _filters(texts: Sequence[str], frame: ts.Frame, device: Device) -> Iterator[_Case]:
    frame_B = sum(plane.nbytes for plane in frame.planes)
    for text in texts:
        pipeline = ts.Pipeline.parse(text, device)
        made = [out for _ in range(3) for out in pipeline.feed(frame)]  # temporal filters hold frames back
        out_B = sum(plane.nbytes for out in made for plane in out.planes) // 3
        yield _Case(f"{text} on {frame.height_px} lines", partial(_feed, pipeline, frame), frame_B + out_B)


def _samples(device: Device) -> Iterator[_Case]:
    """Of coordinates and results the bytes are counted, of textures none, for how much of them is read depends."""
    u, v = picture_coordinates(device, 1)
    for name, run in sampling(device).items():
        yield _Case(f"{name}, {u.shape[1]}x{u.shape[0]}", run, u.nbytes + v.nbytes + run().nbytes)
    texels = random_texels()
    results_B = 4 * u.nbytes
    for peer in grid_sample(texels, device.download(u), device.download(v), threads=1, place="cuda"):
        yield _Case(peer.name, peer.run, u.nbytes + v.nbytes + results_B)
    yield _Case("cupyx map_coordinates bilinear", _map_coordinates(texels, u, v, device), 2 * u.nbytes + results_B)


def _map_coordinates(texels: Any, u: Any, v: Any, device: Device) -> Callable[[], object]:
    """One channel after another: it interpolates along all axes."""
    images: Any = importlib.import_module("cupyx.scipy.ndimage")
    height, width = texels.shape[:2]
    channels = [device.upload(np.ascontiguousarray(texels[..., c], np.float32)) for c in range(4)]
    places = device.arrays.stack([v * height - 0.5, u * width - 0.5])
    return lambda: [images.map_coordinates(channel, places, order=1, mode="grid-wrap") for channel in channels]


def _feed(pipeline: ts.Pipeline, frame: ts.Frame) -> list[ts.Frame]:
    return list(pipeline.feed(frame))


def _calls_s(case: _Case, device: Device, rounds: int, calls: int) -> float:
    case.run()
    device.synchronize()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            case.run()
        device.synchronize()
        times.append((time.perf_counter() - start) / calls)
    return statistics.median(times)


def _timed(case: _Case, device: RecordingDevice, rounds: int, calls: int) -> tuple[float, float]:
    """Seconds of a call, and of its kernels."""
    of_call = _calls_s(case, device, rounds, calls)
    launched = device.launched_by(case.run)
    return of_call, kernels_s(device, launched, rounds) if launched else of_call


def gpu(rounds: int = 9, calls: int = 10) -> list[GpuRow]:
    """Filters, samples and block decoders, or an empty list with the reason printed when there is no CUDA device."""
    reason = why_no_cuda()
    if reason is not None:
        print(f"GPU: skipped, {reason}")
        return []
    device = RecordingDevice()
    timed = [(case.name, case.moved_B, *_timed(case, device, rounds, calls)) for case in _cases(device)]
    copied = timed[0][1] / timed[0][3]
    return [
        GpuRow(device.describe(), name, call * 1e3, kernels * 1e3, moved / kernels / 1e9, moved / kernels / copied)
        for name, moved, call, kernels in timed
    ]
