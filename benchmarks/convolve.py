"""Convolve at 1080p, 8-bit luma: 5x5 against FFmpeg's unsharp, 15x15 against OpenCV's filter2D where there is one."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

import texsamp as ts
from benchmarks.clips import decoded, to_texsamp
from benchmarks.peers import FilterGraph
from benchmarks.timing import Contender, Row, measure
from texsamp.device import CpuDevice
from texsamp.device.cpu import library_path
from texsamp.device.levels import supported_levels
from texsamp.video.analytics import ConvolveKernel, convolve


def _ours(label: str, luma: Any, kernel: ConvolveKernel, threads: int) -> list[Contender]:
    contenders = []
    for level in (name for name in supported_levels() if library_path(name)):
        device = CpuDevice(level)

        def run(device: CpuDevice = device) -> None:
            convolve(luma, kernel, device=device)

        contenders.append(Contender(f"texsamp {label} {level}", run, lambda: ts.set_threads(threads)))
    return contenders


def _opencv(label: str, luma: Any, coefficients: Any, threads: int) -> list[Contender]:
    """filter2D with the same coefficients into 16 bits."""
    if importlib.util.find_spec("cv2") is None:
        print("no cv2 here: OpenCV's filter2D is not measured")
        return []
    import cv2

    wanted = coefficients.astype(np.float32)
    return [
        Contender(
            f"filter2D {label}", lambda: cv2.filter2D(luma, cv2.CV_16S, wanted), lambda: cv2.setNumThreads(threads)
        )
    ]


def convolution(threads: int) -> list[Row]:
    """Random coefficients. Baselines: unsharp for 5x5 and for 15x15 filter2D, or else unsharp's time for 5x5."""
    source = next(iter(decoded("bigbuckbunny.mp4", every=60, limit=2)))
    frame = FilterGraph(source, "scale", "1920:1080:flags=lanczos")(source)
    luma = np.ascontiguousarray(to_texsamp(frame).to_arrays()[0])
    rng = np.random.default_rng(1)
    rows = []
    for side in (5, 15):
        label, coefficients = f"{side}x{side}", rng.normal(0, 0.1, (side, side))
        peers = _opencv(label, luma, coefficients, threads)
        unsharp = Contender("unsharp 5x5", FilterGraph(frame, "unsharp", "5:5:1.0:5:5:0", threads))
        peers = [unsharp, *peers] if side == 5 or not peers else peers
        ours = _ours(label, luma, ConvolveKernel.from_coefficients(coefficients), threads)
        rows += measure(f"convolve {label} 1080p", [*peers, *ours], peers[0].name, threads)
    return rows
