"""Captured cases executed to files: every output picture, and how it compares with an expected one."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.case import Case
from texsamp.emulator.commands.streamer import Executed
from texsamp.emulator.files.capture import Capture
from texsamp.emulator.pictures import Picture
from texsamp.errors import CaptureError, MediaError
from texsamp.io.images import frame_to_rgb, write_png
from texsamp.process import ProgressCallback
from texsamp.quality import first_difference, psnr
from texsamp.video.frame import Frame

LAYOUTS = {
    "NV12": "nv12", "I420": "yuv420p", "YUY2": "yuyv422", "UYVY": "uyvy422", "RGBX": "rgba", "BGRX": "bgra",
    "RGBA": "rgba", "BGRA": "bgra", "R8": "gray",
}  # fmt: skip
"""Pixel layouts by the clients' names; what the fourth byte of RGBX holds is not looked at."""
_MAX_SAMPLE = 255
_ROW_OF_A_BUFFER_B = 256


@dataclass(frozen=True)
class PlaneDifference:
    """How a plane differs from the expected one, in bytes.

    x, y: byte column and row of the first that differs. writer: the command, thread, message and state it comes from.
    """

    plane: int
    x: int
    y: int
    expected: int
    found: int
    maximum: int
    mean: float
    psnr_dB: float  # noqa: N815 - the unit
    writer: str


@dataclass(frozen=True)
class ReplayedPicture:
    """One output picture. compared: whether there was an expected one; differences: of the planes that differ."""

    name: str
    raw: Path
    png: Path
    compared: bool
    differences: tuple[PlaneDifference, ...]


def replay(
    captures: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    expect: str | os.PathLike[str] | None = None,
    stop_at: int | None = None,
    observe: Callable[[Capture, Executed], None] | None = None,
    progress: ProgressCallback | None = None,
    device: str = "cpu",
    strict: bool = False,
) -> list[ReplayedPicture]:
    """Execute the captures of one case in order and write its output pictures into the folder `out`, which is made.

    NAME.raw holds the planes without padding, NAME.png the picture in RGB; NAME is that of the capture that finished
    it. expect: a folder of NAME.raw or NAME.raw.gz to compare with, or of files named for the case. stop_at, observe,
    device, strict: as `Case.replay` has them.
    Raises CaptureError as that does, and if there is no picture to compare, and MediaError for files that cannot be
    read or written, or are missing.
    """
    case = Case.open(captures)
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MediaError(f"{out}: cannot be made: {error.strerror}") from error
    results = []
    for picture in case.replay(observe, stop_at, device=device, strict=strict):
        expected = None if expect is None else _expected(Path(expect), picture, case.captures[0].case)
        noted = any(c.name == picture.name for c in case.captures)
        writer_of = partial(case.writer_of, picture.name, stop_at=stop_at) if noted else _nobody
        results.append(_finished(picture, folder, expected, writer_of))
        if progress is not None:
            done = next((i for i, c in enumerate(case.captures, 1) if c.name == picture.name), len(results))
            progress(min(done, len(case.captures)), len(case.captures))
    if expect is not None and not results:
        raise CaptureError(f"{case.captures[0].name}: no picture was made that could be compared with {expect}")
    return results


_WriterOf = Callable[[int, int, int], str]


def _nobody(plane: int, x_B: int, row: int) -> str:  # noqa: N803 - the unit
    """What is said of surfaces that the capture does not note down as its picture."""
    return "a submission that does not say where its picture is"


def _finished(picture: Picture, folder: Path, expected: bytes | None, writer_of: _WriterOf) -> ReplayedPicture:
    name = Path(picture.name).stem
    raw, png = folder / f"{name}.raw", folder / f"{name}.png"
    try:
        raw.write_bytes(picture.raw())
    except OSError as error:
        raise MediaError(f"{raw}: cannot be written: {error.strerror}") from error
    write_png(png, frame_to_rgb(_shown(picture)))
    differences = () if expected is None else _differences(picture, expected, writer_of)
    return ReplayedPicture(name, raw, png, expected is not None, differences)


def _shown(picture: Picture) -> Frame:
    """What a person gets to see: of a buffer rows of 256 bytes, the last one filled with zeros."""
    planes, width, rows = picture.planes, picture.width_px, picture.height_rows
    if rows == 1 and width > _ROW_OF_A_BUFFER_B:
        rows, width = -(-width // _ROW_OF_A_BUFFER_B), _ROW_OF_A_BUFFER_B
        plane = np.zeros((rows, width), np.uint8)
        plane.ravel()[: picture.width_px] = planes[0][0]
        planes = (plane,)
    contiguous = [np.ascontiguousarray(plane) for plane in planes]
    return Frame.from_arrays(LAYOUTS[picture.fourcc], contiguous, width, rows, device="cpu")


def _expected(folder: Path, picture: Picture, case: str) -> bytes:
    """NAME.raw of the picture, or where there is none that of the case: most leave one surface."""
    name = Path(picture.name).stem
    size = len(picture.raw())
    names = [name] + [case] * (not any((folder / f"{name}{end}").exists() for end in (".raw", ".raw.gz")))
    plain, packed = folder / f"{names[-1]}.raw", folder / f"{names[-1]}.raw.gz"
    try:
        with plain.open("rb") if plain.exists() else gzip.open(packed) as file:
            data = file.read(size + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise MediaError(f"{plain} or {packed.name}: cannot be read: {error}") from error
    if len(data) != size:
        count = f"{len(data)}" if len(data) < size else f"more than {size}"
        raise MediaError(f"{picture.name}: the expected picture has {count} bytes, not {size}")
    return data


def _differences(picture: Picture, expected: bytes, writer_of: _WriterOf) -> tuple[PlaneDifference, ...]:
    found, start = [], 0
    for number, plane in enumerate(picture.planes):
        wanted = np.frombuffer(expected, np.uint8, plane.size, start).reshape(plane.shape)
        start += plane.size
        difference = _difference(number, plane, wanted, writer_of)
        if difference is not None:
            found.append(difference)
    return tuple(found)


def _difference(
    number: int, plane: NDArray[np.uint8], wanted: NDArray[np.uint8], writer_of: _WriterOf
) -> PlaneDifference | None:
    first = first_difference(wanted, plane)
    if first is None:
        return None
    errors = np.abs(plane.astype(np.int16) - wanted.astype(np.int16))
    return PlaneDifference(
        plane=number,
        x=first.x,
        y=first.y,
        expected=first.reference,
        found=first.distorted,
        maximum=int(errors.max()),
        mean=float(errors.mean()),
        psnr_dB=psnr(wanted, plane, _MAX_SAMPLE),
        writer=writer_of(number, first.x, first.y),
    )
