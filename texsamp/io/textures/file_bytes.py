"""The bytes of a file, read with every place checked first."""

from __future__ import annotations

import struct
from typing import Any

from texsamp.errors import FormatError
from texsamp.surface.images import Bytes


class FileBytes:
    """A file in memory. Parts of it are views; nothing is copied, and nothing is made because a header says so."""

    def __init__(self, data: Bytes) -> None:
        self._view = memoryview(data).cast("B")

    @property
    def size_B(self) -> int:  # noqa: N802 - the unit
        """Bytes of the file."""
        return self._view.nbytes

    def part(self, offset_B: int, size_B: int, what: str) -> memoryview:  # noqa: N803 - the unit
        """``size_B`` bytes from ``offset_B`` on. Raises FormatError if the file ends before."""
        if offset_B + size_B > self.size_B:
            raise FormatError(
                f"{what} must be bytes {offset_B} to {offset_B + size_B}, found a file of {self.size_B} bytes"
            )
        return self._view[offset_B : offset_B + size_B]

    def unpack(self, layout: struct.Struct, offset_B: int, what: str) -> tuple[Any, ...]:  # noqa: N803 - the unit
        """Numbers of a structure. Raises FormatError if the file ends before."""
        return layout.unpack(self.part(offset_B, layout.size, what))
