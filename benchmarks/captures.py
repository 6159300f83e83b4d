"""Replaying captured cases: time per picture, and how near pictures of the source's size come to the source."""

from __future__ import annotations

import gzip
import os
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import texsamp as ts
from benchmarks.lavapipe import lavapipe_ms
from texsamp.device.cpu import cpu_device
from texsamp.emulator.case import Case
from texsamp.emulator.commands.streamer import Executed
from texsamp.emulator.eu.execute import Tally
from texsamp.emulator.files.capture import Capture
from texsamp.emulator.pictures import Picture
from texsamp.errors import CaptureError
from texsamp.quality import psnr
from texsamp.replay import LAYOUTS
from texsamp.surface.pixel_layout import pixel_layout
from texsamp.video.frame import Frame

FOLDER = Path(os.environ.get("TEXSAMP_CAPTURES", Path(__file__).parents[2] / "shared" / "captures"))


@dataclass(frozen=True)
class CaptureRow:
    """One case.

    first_ms: CPU time of its first picture, with reading files and preparing kernels; next_ms: median of the others. Of
    cases that draw it is the time of the whole case, whose surfaces are not pictures of their own.

    eu, messages, streamer: shares of the case's time in instructions, in messages, and in everything else: files,
    commands, fixed functions. functions: of the second of them, the shares of shared functions. ns: of the first of
    them for an instruction of a thread, with preparing it. again_ns, arrays_ns: the same of the case replayed again, on
    the engine and, in turns with it, by array operations alone. left: instructions that the engine did not take.
    pixels_per_s: of all pictures, in that time. memory_MB: the most that arrays and objects take at a time beyond the
    contents of buffer objects, the files among them.

    worst_psnr_dB: of all pictures against references or components of the source, inf if identical, nan if there is
    nothing to compare with. lavapipe_ms: CPU time of Mesa's software Vulkan device for the same job, where an ffmpeg
    binary has it. stopped: why the replay stopped.
    """

    case: str
    pictures: int
    threads: int
    instructions: int
    first_ms: float
    next_ms: float
    eu: float
    messages: float
    streamer: float
    functions: str
    ns: float
    left: int
    pixels_per_s: float
    again_ns: float
    arrays_ns: float
    memory_MB: float  # noqa: N815 - the unit
    worst_psnr_dB: float  # noqa: N815 - the unit
    lavapipe_ms: float
    stopped: str


def captures(folder: Path = FOLDER) -> list[CaptureRow]:
    """All cases of a folder or its `vpp`, `gl` and `vk`, by default of TEXSAMP_CAPTURES, on one thread."""
    ts.set_threads(1)
    rows, measured = list[CaptureRow](), list[list[Path]]()
    for make, names in ((_row, ("vpp",)), (_drawn_row, ("gl", "vk"))):
        files = [file for name in names for file in sorted(folder.glob(f"{name}/*.g7cap"))]
        cases: dict[str, list[Path]] = {}
        for file in files or (sorted(folder.glob("*.g7cap")) if make is _row else []):
            cases.setdefault(file.stem.rpartition("_")[0], []).append(file)
        rows += [make(name, paths, folder) for name, paths in cases.items()]
        measured += cases.values()
    # behind all that is timed, which would find no memory used before
    return [replace(row, memory_MB=over_buffers_MB(paths)) for row, paths in zip(rows, measured, strict=True)]


@dataclass
class _Spent:
    """What replaying a case took. total_s: processor time, without looking at pictures."""

    tally: Tally = field(default_factory=Tally)
    total_s: float = 0.0
    pixels: int = 0

    def columns(self) -> tuple[float, float, float, str, float, int, float]:
        """As `CaptureRow` has them, from `eu` to `pixels_per_s`."""
        total, tally = max(self.total_s, 1e-9), self.tally
        eu_s = tally.total_s - tally.messages_s
        shares = eu_s / total, tally.messages_s / total, 1 - tally.total_s / total
        functions = " ".join(f"{name}={spent / total:.3f}" for name, spent in sorted(tally.functions_s.items()))
        return *shares, functions, 1e9 * eu_s / max(tally.thread_steps, 1), tally.left, self.pixels / total


def _drawn_row(name: str, paths: list[Path], folder: Path) -> CaptureRow:
    """A case whose pictures are the surfaces that it writes to, of which references have some."""
    counts, spent = [0, 0], _Spent()

    def observe(_: Capture, executed: Executed) -> None:
        if executed.dispatch is not None:
            spent.tally.add(executed.dispatch.tally)
            counts[0] += executed.dispatch.threads
            counts[1] += executed.dispatch.steps

    start, stopped, pictures = time.process_time(), "", list[Picture]()
    try:
        pictures += Case.open(paths).replay(observe)
    except CaptureError as error:
        stopped = str(error).rpartition(": ")[2]
    spent.total_s = time.process_time() - start
    spent.pixels = sum(picture.width_px * picture.height_rows for picture in pictures)
    ends = (f"{name}.raw.gz", f"{name}.ref.raw.gz")
    reference = next((path for end in ends if (path := paths[0].parent / "ref" / end).exists()), None)
    score = float("nan")
    if reference is not None:
        expected = np.frombuffer(gzip.decompress(reference.read_bytes()), np.uint8)
        found = _of_size(pictures, expected.size)
        score = psnr(expected[None], found[None], 255) if found is not None else score
    took_ms = spent.total_s * 1000
    peer_ms = lavapipe_ms(name, folder)
    shares = *spent.columns(), *_again_ns(paths), float("nan")
    return CaptureRow(name, len(pictures), *counts, took_ms, float("nan"), *shares, score, peer_ms, stopped)


def _of_size(pictures: list[Picture], size_B: int) -> NDArray[np.uint8] | None:  # noqa: N803 - the unit
    """The last picture of a size; or of the submissions whose pictures are half of it the last of each half.

    None for pictures of floats, whose bytes tell nothing.
    """
    same = [picture.raw() for picture in pictures if len(picture.raw()) == size_B]
    if any(picture.format.endswith("FLOAT") for picture in pictures if len(picture.raw()) == size_B):
        return None
    if same:
        return np.frombuffer(same[-1], np.uint8)
    frames: dict[str, bytes] = {}
    for picture in pictures:
        submission = picture.name.rsplit("_", 2)[0]
        frames[submission] = frames.get(submission, b"") + picture.raw()
    halves = [frame for frame in frames.values() if 2 * len(frame) == size_B]
    if len(halves) < 2:
        return None
    return np.frombuffer(halves[len(halves) // 2 - 1] + halves[-1], np.uint8)


def _row(name: str, paths: list[Path], folder: Path) -> CaptureRow:
    scores: list[float] = []
    counts, pictures, spent = [0, 0], list[str](), _Spent()

    def observe(_: Capture, executed: Executed) -> None:
        if executed.dispatch is not None:
            spent.tally.add(executed.dispatch.tally)
        if executed.dispatch is not None and not pictures:
            counts[0] += executed.dispatch.threads
            counts[1] += executed.dispatch.steps

    by_name = {path.name: path for path in paths}

    def score(picture: Picture, capture: Capture) -> None:
        pictures.append(picture.name)
        spent.pixels += picture.width_px * picture.height_rows
        scores.extend(_scores(picture, capture, folder, by_name[picture.name].with_suffix(".raw")))

    times, stopped = _times(paths, observe, score)
    spent.total_s = sum(times) / 1000
    following = float(np.median(times[1:])) if len(times) > 1 else float("nan")
    first = times[0] if times else float("nan")
    worst = min(scores, default=float("nan"))
    shares = *spent.columns(), *_again_ns(paths), float("nan")
    return CaptureRow(name, len(times), *counts, first, following, *shares, worst, float("nan"), stopped)


def _again_ns(paths: list[Path]) -> tuple[float, float]:
    """Processor time of an instruction of a thread on the engine and by array operations, the lesser of two turns."""
    found: dict[str, list[float]] = {"engine": [], "reference": []}
    kept = os.environ.get("TEXSAMP_EU")
    try:
        for reader in (*found, *found):
            os.environ["TEXSAMP_EU"] = reader
            tally = Tally()

            def observe(_: Capture, executed: Executed, tally: Tally = tally) -> None:
                if executed.dispatch is not None:
                    tally.add(executed.dispatch.tally)

            with suppress(CaptureError):  # told by the row
                list(Case.open(paths).replay(observe))
            found[reader].append(1e9 * (tally.total_s - tally.messages_s) / max(tally.thread_steps, 1))
    finally:
        del os.environ["TEXSAMP_EU"]
        if kept is not None:
            os.environ["TEXSAMP_EU"] = kept
    return min(found["engine"]), min(found["reference"])


def over_buffers_MB(paths: list[Path]) -> float:  # noqa: N802 - the unit
    """The most that replaying a case takes at a time beyond one copy of its buffer objects, in another replay."""
    held: dict[int, int] = {}
    most = 0

    def observe(capture: Capture, _: Executed) -> None:
        held.update((buffer.handle, buffer.size) for buffer in capture.buffers)

    cpu_device().pool.clear()  # what others left there would not be counted
    tracemalloc.start()
    try:
        with suppress(CaptureError):
            for _ in Case.open(paths).replay(observe):
                most = max(most, tracemalloc.get_traced_memory()[1] - sum(held.values()))
                tracemalloc.reset_peak()
    finally:
        tracemalloc.stop()
    return most / 1e6


def _times(
    paths: list[Path],
    observe: Callable[[Capture, Executed], None],
    score: Callable[[Picture, Capture], None],
) -> tuple[list[float], str]:
    """CPU time of every picture, ms, and why the replay stopped if it did."""
    times: list[float] = []
    start = time.process_time()
    try:
        case = Case.open(paths)
        by_name = {capture.name: capture for capture in case.captures}
        for picture in case.replay(observe):
            times.append((time.process_time() - start) * 1000)
            if picture.name in by_name:
                score(picture, by_name[picture.name])
            start = time.process_time()
    except CaptureError as error:
        return times, str(error).rpartition(": ")[2]
    return times, ""


def _scores(picture: Picture, capture: Capture, folder: Path, reference: Path) -> list[float]:
    """PSNR against the reference beside the capture, NAME.raw; or of every component against a source like it."""
    if reference.exists():
        data, found = reference.read_bytes(), picture.raw()
        if len(data) != len(found):
            raise CaptureError(f"{reference}: {len(data)} bytes, not {len(found)}")
        return [psnr(np.frombuffer(data, np.uint8)[None], np.frombuffer(found, np.uint8)[None], 255)]
    source = capture.meta.get("src")
    if source is None or source["fourcc"] not in LAYOUTS or not (folder / "inputs").is_dir():
        return []
    layouts = [pixel_layout(LAYOUTS[fourcc]) for fourcc in (source["fourcc"], picture.fourcc)]
    same_size = (source["width"], source["height"]) == (picture.width_px, picture.height_rows)
    if not same_size or set(layouts[0].components) != set(layouts[1].components):
        return []
    frames = [
        _source_frame(source, folder),
        Frame.from_arrays(layouts[1], picture.planes, picture.width_px, picture.height_rows, device="cpu"),
    ]
    scores = []
    for name in layouts[0].components:
        one, other = (np.ascontiguousarray(frame.component(name)) for frame in frames)
        if one.shape == other.shape and name != "A":
            scores.append(psnr(one, other, 255))
    return scores


def _source_frame(source: dict[str, object], folder: Path) -> Frame:
    layout = pixel_layout(LAYOUTS[str(source["fourcc"])])
    width, height = int(str(source["width"])), int(str(source["height"]))
    data = np.frombuffer(gzip.decompress((folder / "inputs" / f"{source['file']}.gz").read_bytes()), np.uint8)
    shapes = [layout.plane_shape(i, width, height) for i in range(layout.plane_count)]
    size = sum(int(np.prod(shape)) for shape in shapes)
    data = data[int(str(source["file_frame"])) * size :][:size]
    planes, start = [], 0
    for shape in shapes:
        planes.append(data[start : start + int(np.prod(shape))].reshape(shape))
        start += int(np.prod(shape))
    return Frame.from_arrays(layout, planes, width, height, device="cpu")
