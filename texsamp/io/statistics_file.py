"""What filters have measured, as a table: one row per frame."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from types import TracebackType
from typing import IO, Any

from texsamp.errors import MediaError
from texsamp.io.av_frame import seconds
from texsamp.io.output_file import OutputFile
from texsamp.video.frame import Frame


class StatisticsFile:
    """A CSV file, to be used as a context manager; until it is complete it has a temporary name.

    The columns are ``frame`` (from 0), ``time_s`` (counted from ``origin_s``, as in the video that is written),
    ``damaged`` (1 where the decoder made up a part of the picture) and the first frame's statistics; they stay the same
    to the end. Unknown figures are empty. Raises MediaError when the file exists and ``overwrite`` is not set, when it
    is one of ``not_these``, and when it cannot be written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        overwrite: bool,
        not_these: Iterable[str | os.PathLike[str]] = (),
        origin_s: Fraction = Fraction(0),
    ) -> None:
        self._origin_s = origin_s
        name = os.fspath(path)
        if name == "-":
            raise MediaError("statistics go to a file, found -")
        for other in not_these:
            if os.fspath(other) != "-" and os.path.realpath(other) == os.path.realpath(name):
                raise MediaError(f"{name}: the statistics are to be written over the video")
        self._output = OutputFile(name, overwrite)
        try:
            self._file: IO[str] = open(  # noqa: SIM115 - this class is the context manager
                self._output.temporary, "w", newline="", encoding="utf-8"
            )
        except OSError as error:
            self._output.discard()
            raise MediaError(f"{name}: cannot be written: {error.strerror or error}") from error
        self._table: csv.DictWriter[str] | None = None
        self._rows = 0

    def write(self, frame: Frame) -> None:
        """The next frame's row."""
        time = seconds(frame.pts, frame.time_base)
        row: dict[str, Any] = {"frame": self._rows, "time_s": None if time is None else float(time - self._origin_s)}
        row |= {"damaged": int(frame.damaged), **frame.statistics}
        with self._failures():
            if self._table is None:
                self._table = csv.DictWriter(self._file, list(row))
                self._table.writeheader()
            self._table.writerow({name: _cell(value) for name, value in row.items()})
        self._rows += 1

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise MediaError(f"{self._output.name}: cannot be written: {error.strerror or error}") from error

    def __enter__(self) -> StatisticsFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            try:
                self._file.close()
            except OSError as problem:
                if kind is None:
                    raise MediaError(
                        f"{self._output.name}: cannot be written: {problem.strerror or problem}"
                    ) from problem
            if kind is None:
                self._output.commit()
        finally:
            self._output.discard()


def _cell(value: float | str | None) -> str:
    if value is None:
        return ""
    return f"{value:.7g}" if isinstance(value, float) else str(value)
