"""Replaying captured cases: time per picture, and how near pictures of the source's size come to the source."""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import texsamp as ts
from texsamp.emulator.capture import Capture
from texsamp.emulator.case import Case
from texsamp.emulator.pictures import Picture
from texsamp.emulator.streamer import Executed
from texsamp.errors import CaptureError
from texsamp.quality import psnr
from texsamp.replay import LAYOUTS
from texsamp.surface.pixel_layout import pixel_layout
from texsamp.video.frame import Frame

FOLDER = Path(os.environ.get("TEXSAMP_CAPTURES", Path(__file__).parents[2] / "shared" / "captures"))


@dataclass(frozen=True)
class CaptureRow:
    """One case.

    first_ms: CPU time of its first picture, with reading files and preparing kernels; next_ms: median of the others.

    worst_psnr_dB: of the components of all pictures against the source, inf if identical, nan if they cannot be
    compared. stopped: why the replay stopped.
    """

    case: str
    pictures: int
    threads: int
    instructions: int
    first_ms: float
    next_ms: float
    worst_psnr_dB: float  # noqa: N815 - the unit
    stopped: str


def captures() -> list[CaptureRow]:
    """All cases of the video folder of TEXSAMP_CAPTURES, on one thread; none if there is no such folder."""
    ts.set_threads(1)
    files = sorted(FOLDER.glob("vpp/*.g7cap"))
    cases: dict[str, list[Path]] = {}
    for file in files:
        cases.setdefault(file.stem[:-4], []).append(file)
    return [_row(name, paths) for name, paths in cases.items()]


def _row(name: str, paths: list[Path]) -> CaptureRow:
    times, scores, stopped = [], [], ""
    counts = [0, 0]

    def observe(_: Capture, executed: Executed) -> None:
        if executed.dispatch is not None and not times:
            counts[0] += executed.dispatch.threads
            counts[1] += executed.dispatch.steps

    start = time.process_time()
    case = Case.open(paths)
    by_name = {capture.name: capture for capture in case.captures}
    try:
        for picture in case.replay(observe):
            times.append((time.process_time() - start) * 1000)
            scores += list(_scores(picture, by_name[picture.name]))
            start = time.process_time()
    except CaptureError as error:
        stopped = str(error).rpartition(": ")[2]
    following = float(np.median(times[1:])) if len(times) > 1 else float("nan")
    first = times[0] if times else float("nan")
    return CaptureRow(name, len(times), *counts, first, following, min(scores, default=float("nan")), stopped)


def _scores(picture: Picture, capture: Capture) -> Iterator[float]:
    """PSNR of every component, if source and picture have the same components of the same sizes."""
    source = capture.meta["src"]
    layouts = [pixel_layout(LAYOUTS[fourcc]) for fourcc in (source["fourcc"], picture.fourcc)]
    same_size = (source["width"], source["height"]) == (picture.width_px, picture.height_rows)
    if not same_size or set(layouts[0].components) != set(layouts[1].components):
        return
    frames = [
        _source_frame(source),
        Frame.from_arrays(layouts[1], picture.planes, picture.width_px, picture.height_rows, device="cpu"),
    ]
    for name in layouts[0].components:
        one, other = (np.ascontiguousarray(frame.component(name)) for frame in frames)
        if one.shape == other.shape and name != "A":
            yield psnr(one, other, 255)


def _source_frame(source: dict[str, object]) -> Frame:
    layout = pixel_layout(LAYOUTS[str(source["fourcc"])])
    width, height = int(str(source["width"])), int(str(source["height"]))
    data = np.frombuffer(gzip.decompress((FOLDER / "inputs" / f"{source['file']}.gz").read_bytes()), np.uint8)
    shapes = [layout.plane_shape(i, width, height) for i in range(layout.plane_count)]
    size = sum(int(np.prod(shape)) for shape in shapes)
    data = data[int(str(source["file_frame"])) * size :][:size]
    planes, start = [], 0
    for shape in shapes:
        planes.append(data[start : start + int(np.prod(shape))].reshape(shape))
        start += int(np.prod(shape))
    return Frame.from_arrays(layout, planes, width, height, device="cpu")
