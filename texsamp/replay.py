"""Captured cases executed to files: every output picture, and how it compares with an expected one."""

from __future__ import annotations

import gzip
import math
import os
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.case import Case
from texsamp.emulator.commands.streamer import Executed
from texsamp.emulator.files.capture import Capture
from texsamp.emulator.pictures import Picture
from texsamp.errors import CaptureError, MediaError
from texsamp.io.images import frame_to_rgb, write_png
from texsamp.process import ProgressCallback
from texsamp.state.formats import surface_format
from texsamp.surface.texels import load_texels
from texsamp.video.frame import Frame

LAYOUTS = {
    "NV12": "nv12", "I420": "yuv420p", "YUY2": "yuyv422", "UYVY": "uyvy422", "RGBX": "rgba", "BGRX": "bgra",
    "RGBA": "rgba", "BGRA": "bgra", "R8": "gray",
}  # fmt: skip
"""Pixel layouts by the clients' names; what the fourth byte of RGBX holds is not looked at."""
_MAX_SAMPLE = 255
_ROW_OF_A_BUFFER_B = 256
_MOST_EXPECTED_B = 1 << 31
"""Of all frames of a case."""


@dataclass(frozen=True)
class PlaneDifference:
    """How a plane differs from the expected one, in bytes; of texels that are not bytes in steps of 1/255.

    x, y: byte column and row of the first that differs, of values of several bytes the last one. expected, found: what
    is there. writer: the command, thread, message and state it comes from.
    """

    plane: int
    x: int
    y: int
    expected: float
    found: float
    maximum: float
    mean: float
    psnr_dB: float  # noqa: N815 - the unit
    writer: str


@dataclass(frozen=True)
class ReplayedPicture:
    """One output picture.

    compared: whether there was an expected one; differences: of the planes that differ by more than was tolerated.
    """

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
    tolerance: float = 0,
    stop_at: int | None = None,
    observe: Callable[[Capture, Executed], None] | None = None,
    progress: ProgressCallback | None = None,
    device: str = "cpu",
    strict: bool = False,
) -> list[ReplayedPicture]:
    """Execute the captures of one case in order and write its output pictures into the folder `out`, which is made.

    NAME.raw holds the planes without padding, NAME.png the picture in RGB; NAME is that of the capture that finished
    it, of a surface that nobody noted down it tells file, submission, address and part. expect: a folder of NAME.raw or
    NAME.raw.gz to compare with, or of files named for the case, which are for the last picture of their size; for
    surfaces they may also hold four bytes or four float32 to a pixel, R, G, B and A. Where the captures tell how many
    frames were made, CASE.raw, or CASE.ref.raw, holds all of them: each is for the next submission that leaves its
    planes in linear surfaces. tolerance: the largest difference
    that counts as none. stop_at, observe, device, strict: as `Case.replay` has them.
    Raises CaptureError as that does, and if there is no picture to compare, and MediaError for files that cannot be
    read or written, or are missing.
    """
    case = Case.open(captures)
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MediaError(f"{out}: cannot be made: {error.strerror}") from error
    results: list[ReplayedPicture] = []
    expected = None if expect is None else _Expected(Path(expect), case.captures[0])
    replayed = case.replay(observe, stop_at, device=device, strict=strict)
    for _, submission in groupby(replayed, key=lambda picture: picture.sequence):
        pictures = list(submission)
        wanted = [None] * len(pictures) if expected is None else expected.of(pictures)
        for picture, contents in zip(pictures, wanted, strict=True):
            results.append(_finished(case, picture, folder, contents, tolerance, stop_at))
            if progress is not None:
                done = next((i for i, c in enumerate(case.captures, 1) if c.name == picture.name), len(results))
                progress(min(done, len(case.captures)), len(case.captures))
    if expected is not None:
        if not results:
            raise CaptureError(f"{case.captures[0].name}: no picture was made that could be compared with {expect}")
        expected.check(stopped=stop_at is not None)
        results = [replace(r, compared=False, differences=()) if r.name in expected.earlier else r for r in results]
    return results


class _Expected:
    """Expected pictures in a folder. earlier: names of pictures that the file of the case is not for after all."""

    def __init__(self, folder: Path, first: Capture) -> None:
        self._folder, self._case = folder, first.case
        self._last = ""
        self._unlike: list[str] = []
        self.earlier: set[str] = set()
        frames = first.meta.get("frames")
        self._frames: list[bytes] | None = None
        self._compared = 0
        if isinstance(frames, int) and self._exists(*(first.case + end for end in (".raw", ".ref.raw"))):
            self._frames = self._split(frames)

    def _exists(self, *names: str) -> bool:
        return any((self._folder / f"{name}{end}").exists() for name in names for end in ("", ".gz"))

    def of(self, pictures: Sequence[Picture]) -> list[bytes | None]:
        """What is expected of the pictures of one submission.

        That is NAME.raw, else the picture's part of the next frame of the case, else the case's file if it has the size
        of the picture; None for all others.
        """
        if self._frames is None:
            return [self._of(picture) for picture in pictures]
        own = [self._exists(Path(picture.name).stem + ".raw") for picture in pictures]
        found = [self._of(picture) if is_own else None for picture, is_own in zip(pictures, own, strict=True)]
        if self._compared < len(self._frames):
            frame = self._frames[self._compared]
            for first in range(len(pictures)):
                parts = _planes_of(frame, pictures[first:])
                if parts:
                    found[first : first + len(parts)] = parts
                    self._compared += 1
                    break
        return found

    def _of(self, picture: Picture) -> bytes | None:
        """NAME.raw of the picture, or that of the case if it has the size of one; None if it has not."""
        name, raw = Path(picture.name).stem, len(picture.raw())
        own = self._exists(f"{name}.raw")
        sizes = {raw, *_sizes(picture)}
        data = self._read(f"{name if own else self._case}.raw", max(sizes) + 1)
        if len(data) in sizes:
            if not own:
                self.earlier |= {self._last} - {""}
                self._last = name
            return data
        count = f"{len(data)}" if len(data) <= max(sizes) else f"more than {max(sizes)}"
        self._unlike.append(f"{picture.name}: the expected picture has {count} bytes, not {raw}")
        if own:
            raise MediaError(self._unlike[-1])
        return None

    def _read(self, name: str, most: int) -> bytes:
        """The file or its compressed form, up to so many bytes."""
        plain, packed = self._folder / name, self._folder / f"{name}.gz"
        try:
            with plain.open("rb") if plain.exists() else gzip.open(packed) as file:
                return file.read(most)
        except (OSError, EOFError, zlib.error) as error:
            raise MediaError(f"{plain} or {packed.name}: cannot be read: {error}") from error

    def _split(self, count: int) -> list[bytes]:
        """The frames of the case's file."""
        name = f"{self._case}.raw" if self._exists(f"{self._case}.raw") else f"{self._case}.ref.raw"
        data = self._read(name, _MOST_EXPECTED_B + 1)
        if len(data) > _MOST_EXPECTED_B or count < 1 or len(data) % count or not data:
            size = f"{len(data)}" if len(data) <= _MOST_EXPECTED_B else f"more than {_MOST_EXPECTED_B}"
            raise MediaError(f"{self._folder / name}: {size} bytes are not {count} frames of the case")
        size_B = len(data) // count
        return [data[at : at + size_B] for at in range(0, len(data), size_B)]

    def check(self, *, stopped: bool) -> None:
        """MediaError if there were expectations, and not one of them was for a picture, or a frame was not made."""
        if self._frames is not None and self._compared < len(self._frames) and not stopped:
            raise MediaError(
                f"{self._case}: the surfaces of {self._compared} submissions are frames of {len(self._frames[0])} "
                f"bytes, {len(self._frames)} frames are expected"
            )
        if self._unlike and not self._last:
            raise MediaError(self._unlike[0])


def _planes_of(frame: bytes, pictures: Sequence[Picture]) -> list[bytes | None]:
    """A frame cut into pictures where the client can read them, as many as it takes; none if they do not fit."""
    parts: list[bytes | None] = []
    at = 0
    for picture in pictures:
        size_B = len(picture.raw())
        if at == len(frame) or not picture.is_linear:
            break
        parts.append(frame[at : at + size_B])
        at += size_B
    return parts if at == len(frame) else []


def _finished(
    case: Case, picture: Picture, folder: Path, expected: bytes | None, tolerance: float, stop_at: int | None
) -> ReplayedPicture:
    name = Path(picture.name).stem
    raw, png = folder / f"{name}.raw", folder / f"{name}.png"
    try:
        raw.write_bytes(picture.raw())
    except OSError as error:
        raise MediaError(f"{raw}: cannot be written: {error.strerror}") from error
    write_png(png, frame_to_rgb(_shown(picture)))
    differences = [] if expected is None else _differences(picture, expected)
    beyond = tuple(
        replace(d, writer=case.writer_of(picture, d.plane, d.x, d.y, stop_at))
        for d in differences
        if d.maximum > tolerance
    )
    return ReplayedPicture(name, raw, png, expected is not None, beyond)


def _shown(picture: Picture) -> Frame:
    """What a person gets to see: of a buffer rows of 256 bytes, the last one filled with zeros."""
    planes, width, rows = picture.planes, picture.width_px, picture.height_rows
    if picture.format:
        shown = np.nan_to_num(_texels(picture.raw(), picture, picture.format)).clip(0, _MAX_SAMPLE)
        return Frame.from_arrays("rgba", [np.rint(shown).astype(np.uint8).reshape(rows, -1)], width, rows, device="cpu")
    if rows == 1 and width > _ROW_OF_A_BUFFER_B:
        rows, width = -(-width // _ROW_OF_A_BUFFER_B), _ROW_OF_A_BUFFER_B
        plane = np.zeros((rows, width), np.uint8)
        plane.ravel()[: picture.width_px] = planes[0][0]
        planes = (plane,)
    contiguous = [np.ascontiguousarray(plane) for plane in planes]
    return Frame.from_arrays(LAYOUTS[picture.fourcc], contiguous, width, rows, device="cpu")


def _texels(data: bytes, picture: Picture, format: str) -> NDArray[np.float64]:
    """Texels as R, G, B and A in steps of 1/255, or as the integers they are, (rows, columns, 4)."""
    integers = format.endswith(("UINT", "SINT"))
    kind = np.dtype(np.int32 if format.endswith("SINT") else np.uint32 if integers else np.float32)
    size = picture.width_px, picture.height_rows
    loaded = load_texels(data, format, *size, channels="rgba", dtype=kind, device="cpu")
    texels: NDArray[np.float64] = loaded.astype(np.float64)
    if len({channel.name for channel in surface_format(format).channels} & set("RGBA")) == 1:
        texels = np.concatenate([np.repeat(texels[:, :, :1], 3, axis=2), texels[:, :, 3:]], axis=2)
    return texels if integers else texels * _MAX_SAMPLE


def _are_bytes(picture: Picture) -> bool:
    """Whether a picture is compared byte by byte."""
    return not picture.format or all(channel.bits == 8 for channel in surface_format(picture.format).channels)


def _sizes(picture: Picture) -> dict[int, str]:
    """Formats that an expected picture can have, by its size in bytes."""
    pixels = picture.width_px * picture.height_rows
    others = {} if _are_bytes(picture) else {4 * pixels: "R8G8B8A8_UNORM", 16 * pixels: "R32G32B32A32_FLOAT"}
    return others | {len(picture.raw()): picture.format}


def _differences(picture: Picture, expected: bytes) -> list[PlaneDifference]:
    """Of every plane that differs at all; nobody has been asked who wrote it."""
    pairs: list[tuple[NDArray[Any], NDArray[Any]]]
    if not _are_bytes(picture):
        found = _texels(picture.raw(), picture, picture.format)
        wanted = _texels(expected, picture, _sizes(picture)[len(expected)])
        pairs = [(found.reshape(len(found), -1), wanted.reshape(len(found), -1))]
        unit_B = picture.planes[0].shape[1] / pairs[0][0].shape[1]
    else:
        ends = np.cumsum([plane.size for plane in picture.planes])
        parts = np.split(np.frombuffer(expected, np.uint8), ends[:-1])
        pairs = [(plane, part.reshape(plane.shape)) for plane, part in zip(picture.planes, parts, strict=True)]
        unit_B = 1.0
    differences = (_difference(number, *pair, unit_B) for number, pair in enumerate(pairs))
    return [difference for difference in differences if difference is not None]


def _difference(
    number: int,
    found: NDArray[Any],
    wanted: NDArray[Any],
    unit_B: float,  # noqa: N803 - the unit
) -> PlaneDifference | None:
    errors = np.abs(found.astype(np.float64) - wanted.astype(np.float64))
    errors[np.isnan(found) & np.isnan(wanted)] = 0
    errors[np.isnan(errors)] = np.inf
    places = np.argwhere(errors)
    if not len(places):
        return None
    row, column = (int(at) for at in places[0])
    root = math.sqrt(np.square(errors).mean())
    return PlaneDifference(
        plane=number,
        x=max(math.ceil((column + 1) * unit_B) - 1, 0),
        y=row,
        expected=wanted[row, column].item(),
        found=found[row, column].item(),
        maximum=errors.max().item(),
        mean=errors.mean().item(),
        psnr_dB=20 * math.log10(_MAX_SAMPLE / root) if math.isfinite(root) else -math.inf,
        writer="",
    )
