"""Hashes of pictures before they are encoded, in the file format of FFmpeg's framehash muxer."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

import numpy as np

from texsamp.device.arguments import path_text
from texsamp.errors import MediaError
from texsamp.io.files.side_file import SideFile
from texsamp.video.frame import Frame

_LIMIT_B = 1 << 30
"""Bytes of a list of hashes: four million frames."""
_FIELDS = 6
_DIGITS = 64


@dataclass(frozen=True)
class FrameHash:
    """The hash of a picture: SHA-256 of its planes without padding, as FFmpeg's raw video holds them.

    ``pts`` and ``duration`` count ``time_base`` seconds; None is unknown. ``size_B`` is how many bytes were hashed.
    """

    layout: str
    width_px: int
    height_px: int
    pts: int | None
    duration: int | None
    time_base: Fraction | None
    size_B: int  # noqa: N815 - the unit
    digest: str

    @classmethod
    def of(cls, frame: Frame) -> FrameHash:
        """The hash of a frame, wherever its planes are."""
        sha, size_B = hashlib.sha256(), 0
        for plane in frame.to_arrays():
            rows = np.ascontiguousarray(plane)
            sha.update(rows.data)
            size_B += rows.nbytes
        return cls(
            frame.layout.name, frame.width_px, frame.height_px, frame.pts, frame.duration, frame.time_base,
            size_B, sha.hexdigest(),
        )  # fmt: skip


class HashList:
    """The list's text, picture by picture."""

    def __init__(self) -> None:
        self._time_base: Fraction | None = None
        self._count = 0

    def add(self, found: FrameHash) -> str:
        """The next picture's line, with the lines that come before the first one's.

        Times count the first picture's time base; a picture without time has its number.
        """
        before = ""
        if not self._count:
            self._time_base = found.time_base
            before = _header(found)
        pts, duration = (_ticks(ticks, found.time_base, self._time_base) for ticks in (found.pts, found.duration))
        pts = self._count if pts is None else pts
        self._count += 1
        return f"{before}0, {pts:10d}, {pts:10d}, {duration or 0:8d}, {found.size_B:8d}, {found.digest}\n"


def _header(first: FrameHash) -> str:
    return (
        "#format: frame checksums\n#version: 2\n#hash: SHA256\n#software: texsamp\n"
        f"#tb 0: {first.time_base or Fraction(0)}\n#media_type 0: video\n#codec_id 0: rawvideo\n"
        f"#dimensions 0: {first.width_px}x{first.height_px}\n#pix_fmt 0: {first.layout}\n"
        "#stream#, dts,        pts, duration,     size, hash\n"
    )


def _ticks(ticks: int | None, time_base: Fraction | None, wanted: Fraction | None) -> int | None:
    return ticks if ticks is None or not time_base or not wanted else round(ticks * time_base / wanted)


def read_hashes(path: str | os.PathLike[str]) -> list[str]:
    """The digests of a list, in its order; of FFmpeg's too, if its hash is SHA256. MediaError for anything else."""
    name = path_text(path)
    try:
        if os.path.getsize(name) > _LIMIT_B:
            raise MediaError(f"{name}: a list of hashes has at most {_LIMIT_B} bytes, found {os.path.getsize(name)}")
        with open(name, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError as error:
        raise MediaError(f"{name}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError:
        raise MediaError(f"{name}: is no list of hashes") from None
    if not lines or lines[0] != "#format: frame checksums" or "#hash: SHA256" not in lines:
        raise MediaError(f"{name}: is no list of SHA256 frame hashes, as texsamp and FFmpeg's framehash write them")
    return [_digest(name, number, text) for number, text in zip(count(1), lines, strict=False) if text[:1] != "#"]


def _digest(name: str, number: int, text: str) -> str:
    fields = [field.strip() for field in text.split(",")]
    if len(fields) != _FIELDS or len(fields[-1]) != _DIGITS or set(fields[-1]) - set("0123456789abcdef"):
        raise MediaError(f"{name}: line {number} is no frame's: {text[:80]!r}")
    return fields[-1]


class FrameHashFile(SideFile):
    """A list of the hashes of a video's pictures, beside the video."""

    CONTENT = "the hashes"

    def __init__(
        self, path: str | os.PathLike[str], overwrite: bool, not_these: Iterable[str | os.PathLike[str]] = ()
    ) -> None:
        super().__init__(path, overwrite, not_these)
        self._list = HashList()

    def write(self, frame: Frame) -> None:
        """The next frame's line."""
        self.add(FrameHash.of(frame))

    def add(self, found: FrameHash) -> None:
        """The same, of a hash that another process has found."""
        with self.failures():
            self.file.write(self._list.add(found))
