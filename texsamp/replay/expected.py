"""Expected pictures of a case, in a folder."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path

from texsamp.emulator.files.capture import Capture
from texsamp.emulator.pictures import Picture
from texsamp.errors import MediaError
from texsamp.replay.differences import sizes_of

_MOST_EXPECTED_B = 1 << 31
"""Of all frames of a case."""


class Expected:
    """Expected pictures in a folder. earlier: names of pictures that the file of the case is not for after all."""

    def __init__(self, folder: Path, first: Capture) -> None:
        if not folder.is_dir():
            raise MediaError(f"{folder}: expected pictures are in a folder, and this is none")
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
        sizes = {raw, *sizes_of(picture)}
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
