"""What filters have measured, as a table: one row per frame."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from texsamp.io.files.side_file import SideFile
from texsamp.io.frames.av_frame import seconds
from texsamp.video.frame import Frame


class StatisticsFile(SideFile):
    """A CSV file of what filters have measured, beside the video.

    The columns are ``frame`` (from 0), ``time_s`` (counted from ``origin_s``, as in the video that is written),
    ``damaged`` (1 where the decoder made up a part of the picture) and the first frame's statistics; they stay the same
    to the end. Unknown figures are empty.
    """

    CONTENT = "the statistics"

    def __init__(
        self,
        path: str | os.PathLike[str],
        overwrite: bool,
        not_these: Iterable[str | os.PathLike[str]] = (),
        origin_s: Fraction = Fraction(0),
    ) -> None:
        super().__init__(path, overwrite, not_these)
        self._origin_s = origin_s
        self._table: csv.DictWriter[str] | None = None
        self._rows = 0

    def write(self, frame: Frame) -> None:
        """The next frame's row."""
        time = seconds(frame.pts, frame.time_base)
        row: dict[str, Any] = {"frame": self._rows, "time_s": None if time is None else float(time - self._origin_s)}
        row |= {"damaged": int(frame.damaged), **frame.statistics}
        with self.failures():
            if self._table is None:
                self._table = csv.DictWriter(self.file, list(row))
                self._table.writeheader()
            self._table.writerow({name: _cell(value) for name, value in row.items()})
        self._rows += 1


def _cell(value: float | str | None) -> str:
    if value is None:
        return ""
    return f"{value:.7g}" if isinstance(value, float) else str(value)
