"""Kernel time and achieved bandwidth on a CUDA device: frames and textures stay there."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

import texsamp as ts
from benchmarks.clips import decoded, to_texsamp
from texsamp.device import Device
from texsamp.device.cuda import why_no_cuda
from texsamp.state.formats import surface_format
from texsamp.surface.codec.formats import DECODERS
from texsamp.surface.images import image_size_B

SIDE_PX = 4096
FILTERS = (
    "scale=1920x1080",
    "scale=1920x1080:adaptive=on",
    "sharpen=44",
    "denoise=20",
    "deinterlace=mode=madi:rate=field:deint=all",
    "deinterlace=mode=mcdi:rate=field:deint=all",
    "procamp=contrast=1.1",
)


@dataclass(frozen=True)
class GpuRow:
    """Median time of one call, and the bytes its kernels must read and write at least over that time.

    of_copy: the same bandwidth over that of a copy inside the device.
    """

    device: str
    case: str
    ms: float
    gigabytes_per_s: float
    of_copy: float


@dataclass(frozen=True)
class _Case:
    name: str
    run: Callable[[], object]
    moved_B: int  # noqa: N815 - the unit


def _cases(device: Device) -> Iterator[_Case]:
    data = device.upload(np.random.default_rng(0).integers(0, 256, SIDE_PX * SIDE_PX, np.uint8))
    yield _Case("copy", lambda: device.copy(data), 2 * data.nbytes)
    frame = to_texsamp(next(iter(decoded("bigbuckbunny.mp4"))), device)
    frame_B = sum(plane.nbytes for plane in frame.planes)
    for text in FILTERS:
        pipeline = ts.Pipeline.parse(text, device)
        made = [out for _ in range(3) for out in pipeline.feed(frame)]  # temporal filters hold frames back
        out_B = sum(plane.nbytes for out in made for plane in out.planes) // 3
        yield _Case(f"{text} on 720p", partial(_feed, pipeline, frame), frame_B + out_B)
    for name in DECODERS:
        if "SRGB" in name.upper():
            continue  # the same kernels
        size_B = image_size_B(surface_format(name), SIDE_PX, SIDE_PX)
        blocks = device.upload(np.random.default_rng(1).integers(0, 256, size_B, np.uint8))
        run = partial(ts.decode, blocks, name, SIDE_PX, SIDE_PX, device=device)
        yield _Case(f"{name} {SIDE_PX}x{SIDE_PX}", run, blocks.nbytes + run().nbytes)


def _feed(pipeline: ts.Pipeline, frame: ts.Frame) -> list[ts.Frame]:
    return list(pipeline.feed(frame))


def _median_s(case: _Case, device: Device, rounds: int, calls: int) -> float:
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


def gpu(rounds: int = 15, calls: int = 20) -> list[GpuRow]:
    """Filters and block decoders, or an empty list with the reason printed when there is no CUDA device."""
    reason = why_no_cuda()
    if reason is not None:
        print(f"GPU: skipped, {reason}")
        return []
    device = ts.get_device("cuda")
    timed = [(case, _median_s(case, device, rounds, calls)) for case in _cases(device)]
    speeds = [case.moved_B / seconds / 1e9 for case, seconds in timed]
    return [
        GpuRow(device.describe(), case.name, seconds * 1e3, speed, speed / speeds[0])
        for (case, seconds), speed in zip(timed, speeds, strict=True)
    ]
