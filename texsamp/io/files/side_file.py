"""Text files that are written beside a video, line by line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import IO, Self

from texsamp.device.arguments import path_text
from texsamp.errors import MediaError
from texsamp.io.files.output_file import OutputFile


class SideFile:
    """A text file, to be used as a context manager; until it is complete it has a temporary name.

    Raises MediaError when the file exists and ``overwrite`` is not set, when it is one of ``not_these``, and when it
    cannot be written.
    """

    CONTENT = "the text"
    """What it holds, in words."""

    def __init__(
        self, path: str | os.PathLike[str], overwrite: bool, not_these: Iterable[str | os.PathLike[str]] = ()
    ) -> None:
        name = path_text(path)
        if name == "-":
            raise MediaError(f"{self.CONTENT} go to a file, found -")
        for other in not_these:
            if path_text(other) != "-" and os.path.realpath(other) == os.path.realpath(name):
                raise MediaError(f"{name}: {self.CONTENT} are to be written over the video")
        self._output = OutputFile(name, overwrite)
        try:
            self.file: IO[str] = open(  # noqa: SIM115 - this class is the context manager
                self._output.temporary, "w", newline="", encoding="utf-8"
            )
        except OSError as error:
            self._output.discard()
            raise MediaError(f"{name}: cannot be written: {error.strerror or error}") from error

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Raise MediaError where writing fails."""
        try:
            yield
        except OSError as error:
            raise MediaError(f"{self._output.name}: cannot be written: {error.strerror or error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            try:
                self.file.close()
            except OSError as problem:
                if kind is None:
                    raise MediaError(
                        f"{self._output.name}: cannot be written: {problem.strerror or problem}"
                    ) from problem
            if kind is None:
                self._output.commit()
        finally:
            self._output.discard()
