"""The contrast curves of a video, drawn with matplotlib (the extra ``plot``)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

import numpy as np

from texsamp.device.arguments import path_text
from texsamp.errors import MediaError
from texsamp.io.files.output_file import OutputFile
from texsamp.video.frame import Frame, Statistics

KINDS = (".pdf", ".png", ".svg")
_LUMA = np.arange(256)
_ANCHORS = range(12)


class CurvePlot:
    """A drawing, to be used as a context manager: the mean of all frames' contrast curves, and between what they lie.

    Raises MediaError when matplotlib is missing, when the name ends in none of `KINDS`, when the file exists and
    ``overwrite`` is not set, when it is one of ``not_these``, when no frame had a curve, and when it cannot be written.
    """

    def __init__(
        self, path: str | os.PathLike[str], overwrite: bool, not_these: Iterable[str | os.PathLike[str]] = ()
    ) -> None:
        name = path_text(path)
        if find_spec("matplotlib") is None:
            raise MediaError(f"{name}: drawing needs matplotlib: pip install 'texsamp[plot]'")
        if Path(name).suffix.lower() not in KINDS:
            raise MediaError(f"{name}: a drawing's name must end in one of {', '.join(KINDS)}")
        for other in not_these:
            if path_text(other) != "-" and os.path.realpath(other) == os.path.realpath(name):
                raise MediaError(f"{name}: the drawing is to be written over the video")
        self._output = OutputFile(name, overwrite)
        self._frames = 0
        self._sum = np.zeros(len(_LUMA))
        self._low, self._high = np.full(len(_LUMA), np.inf), np.full(len(_LUMA), -np.inf)

    def add(self, frame: Frame) -> None:
        """The next frame's curve, that of its first contrast filter."""
        curve = _curve_of(frame.statistics)
        if curve is not None:
            self._frames += 1
            self._sum += curve
            self._low, self._high = np.minimum(self._low, curve), np.maximum(self._high, curve)

    def _draw(self) -> None:
        from matplotlib.figure import Figure  # slow to import, and an extra

        if not self._frames:
            raise MediaError(f"{self._output.name}: there is no curve to draw: put contrast among the filters")
        figure = Figure(figsize=(6, 6), layout="constrained")
        axes = figure.add_subplot(xlim=(0, 255), ylim=(0, 255), xlabel="luma in", ylabel="luma out", aspect="equal")
        axes.plot(_LUMA, _LUMA, "k--", linewidth=0.8, label="unchanged")
        axes.fill_between(_LUMA, self._low, self._high, alpha=0.3, linewidth=0, label="lowest to highest")
        axes.plot(_LUMA, self._sum / self._frames, label=f"mean of {self._frames} frames")
        axes.grid(alpha=0.3)
        axes.legend(loc="upper left")
        try:
            figure.savefig(self._output.temporary)
        except OSError as error:
            raise MediaError(f"{self._output.name}: cannot be written: {error.strerror or error}") from error

    def __enter__(self) -> CurvePlot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._draw()
                self._output.commit()
        finally:
            self._output.discard()


def _curve_of(statistics: Statistics) -> np.ndarray | None:
    """The curve at every 8-bit luma; outside its ends luma stays as it is."""
    prefix = next((name.removesuffix("in0") for name in statistics if name.endswith("contrast_in0")), None)
    if prefix is None:
        return None
    points, values = ([float(statistics[f"{prefix}{kind}{i}"] or 0) for i in _ANCHORS] for kind in ("in", "out"))
    inside = (points[0] <= _LUMA) & (points[-1] >= _LUMA)
    return np.where(inside, np.interp(_LUMA, points, values), _LUMA)
