"""Files that are complete or not there at all."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from texsamp.device.arguments import check_truth
from texsamp.errors import MediaError
from texsamp.io.files.read_files import is_read, led_to
from texsamp.io.files.temporary import TemporaryFile

REPLACED_BY = "-y or --overwrite (in Python overwrite=True) replaces it"
"""How to write over a file that exists."""


class OutputFile:
    """The file to be made, and the temporary one next to it that becomes it: it is complete or not there at all.

    ``temporary`` is the path to write to; then `commit` or `discard` it. Raises MediaError at once if the file exists
    (unless ``overwrite``), is no regular file (``pipe_hint`` then says what to do), is the input, or its directory
    cannot be written to. As a context manager it gives the temporary path, commits on a clean exit, discards otherwise.
    """

    def __init__(self, path: str, overwrite: bool, input_path: str | None = None, pipe_hint: str = "") -> None:
        check_truth("overwrite", overwrite)
        self.name = path
        self._overwrite = overwrite
        self._final = led_to(path)
        if self._final.is_symlink():
            raise MediaError(f"{path}: is a symbolic link that leads to itself")
        if self._final.is_dir() or path.endswith(("/", os.sep)):
            raise MediaError(f"{path}: is a directory")
        if self._final.exists():
            if not self._final.is_file():
                raise MediaError(f"{path}: is not a regular file{pipe_hint}")
            if input_path is not None and is_read(input_path, self._final):
                raise MediaError(f"{path}: the output is the input")
            if not overwrite:
                raise MediaError(f"{path}: exists already; {REPLACED_BY}")
        if not self._final.parent.is_dir():
            raise MediaError(f"{path}: there is no directory {self._final.parent.name!r}")
        try:
            self._file = TemporaryFile(self._final)
        except OSError as error:
            raise MediaError(f"{path}: its directory cannot be written to: {error.strerror or error}") from error
        self.temporary = self._file.path
        self._finalizer = weakref.finalize(self, self._file.remove)

    def fill(self, parts: Iterable[bytes | bytearray | memoryview]) -> None:
        """Write all that the file is to hold. Raises MediaError if it cannot be written."""
        try:
            with Path(self.temporary).open("wb") as file:
                file.writelines(parts)
        except OSError as error:
            raise MediaError(f"{self.name}: cannot be written: {error.strerror or error}") from error

    def commit(self) -> None:
        """Put the finished file in its place."""
        if self._final.exists() and not self._overwrite:
            raise MediaError(f"{self.name}: appeared while it was written")
        try:
            os.replace(self.temporary, self._final)
        except OSError as error:
            raise MediaError(f"{self.name}: cannot be put in place: {error.strerror}") from error
        self._file.release()
        self._finalizer.detach()

    def discard(self) -> None:
        """Remove the temporary file."""
        self._finalizer()

    def __enter__(self) -> str:
        return self.temporary

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.commit()
        finally:
            self.discard()
