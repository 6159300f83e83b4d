"""A container that goes down a pipe, and its beginning, which tells what the muxer dropped: a pipe is not read back."""

from __future__ import annotations

import os
from collections.abc import Callable
from io import BytesIO

_HEAD_B = 4 << 20
"""Enough for a header and, in most files, the first picture."""


class PipedFile:
    """A file for PyAV that can only be written. It has no ``seek``, so that muxers do not try."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._head = bytearray()
        self.header: Callable[[bytes], bytes] | None = None
        """What is done to the first bytes, which hold the container's header."""

    def write(self, data: bytes) -> int:
        """Write all of it. Raises OSError."""
        if self.header is not None and not self._head:
            data = self.header(bytes(data))
        view = memoryview(data)
        self._head += view[: _HEAD_B - len(self._head)]
        while view:
            view = view[os.write(self._descriptor, view) :]
        return len(data)

    def head(self) -> BytesIO:
        """What was written first, as a file."""
        return BytesIO(self._head)
