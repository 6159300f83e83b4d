"""Kernel time and achieved bandwidth on a CUDA device, frames staying on the device."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import texsamp as ts
from benchmarks.clips import decoded, to_texsamp
from texsamp.device.cuda import why_no_cuda
from texsamp.video.scale import Scale
from texsamp.video.sharpen import Sharpen
from texsamp.video.stage import Stage


@dataclass(frozen=True)
class GpuRow:
    """Median time of one frame, and the bytes its kernels must read and write at least over that time."""

    device: str
    case: str
    ms_per_frame: float
    frames_per_s: float
    gigabytes_per_s: float


def _bytes_of(frame: ts.Frame) -> int:
    return sum(plane.nbytes for plane in frame.planes)


def gpu(rounds: int = 20, frames: int = 50) -> list[GpuRow]:
    """Scaling and sharpening, or an empty list with the reason printed when there is no CUDA device."""
    reason = why_no_cuda()
    if reason is not None:
        print(f"GPU: skipped, {reason}")
        return []
    device = ts.get_device("cuda")
    frame = to_texsamp(next(iter(decoded("bigbuckbunny.mp4"))), device)
    large = next(iter(Scale(1920, 1080).feed(frame)))
    cases: dict[str, tuple[Callable[[], Stage], ts.Frame]] = {
        "scale lanczos3 720p to 1080p": (lambda: Scale(1920, 1080), frame),
        "scale adaptive 720p to 1080p": (lambda: Scale(1920, 1080, adaptive="on"), frame),
        "scale 1080p to 2160p": (lambda: Scale(3840, 2160), large),
        "sharpen=44 1080p": (lambda: Sharpen(44), large),
    }
    rows = []
    for case, (make, source) in cases.items():
        stage = make()
        moved = _bytes_of(source) + _bytes_of(next(iter(stage.feed(source))))
        device.synchronize()
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            for _ in range(frames):
                for _ in stage.feed(source):
                    pass
            device.synchronize()
            times.append((time.perf_counter() - start) / frames)
        seconds = statistics.median(times)
        rows.append(GpuRow(device.describe(), case, seconds * 1e3, 1 / seconds, moved / seconds / 1e9))
    return rows
