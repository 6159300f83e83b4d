"""The report of a comparison: scores over time, and the worst frames to look into."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from numpy.typing import NDArray

from texsamp.report.columns import Columns
from texsamp.report.curves import HEIGHT, WIDTH, curves, place_of
from texsamp.report.page import page, script_data, templates
from texsamp.report.pictures import Image
from texsamp.report.worst import Worst, shown, worst_place

FRAMES = 6
_APART = 12
"""Frames between two that are shown."""
_HIGHEST_PSNR = 60.0
"""Above it curves are at their top: identical frames have no finite score."""


class ComparisonReport:
    """Takes frames with their scores as they come, and makes the page."""

    def __init__(self, *, whole: bool = False) -> None:
        """whole: show whole pictures in place of their worst places. DeviceError without jinja2."""
        templates()
        self._whole = whole
        self._worst = Worst(FRAMES, _APART)
        self._scores: dict[str, dict[str, list[float]]] = {}
        self._columns = Columns()

    def add_scores(self, plane: str, psnr: float, ssim: float) -> None:
        """The next frame's scores of a plane."""
        scores = self._scores.setdefault(plane, {"PSNR": [], "SSIM": []})
        scores["PSNR"].append(psnr)
        scores["SSIM"].append(ssim)

    def add_luma(self, plane: NDArray[Any], bits: int) -> None:
        """The next frame's first plane of the judged video, of so many bits."""
        self._columns.add(plane, bits)

    def wants(self, frame: int, psnr: float) -> bool:
        """Whether the pictures of a frame are needed."""
        return not math.isinf(psnr) and self._worst.wants(frame, psnr)

    def add_pictures(
        self, frame: int, psnr: float, pictures: tuple[Image, Image], planes: tuple[NDArray[Any], NDArray[Any]]
    ) -> None:
        """A frame's 8-bit RGB pictures, reference first, and the planes to find its worst place by."""
        self._worst.add(shown(frame, psnr, *pictures, worst_place(*planes), whole=self._whole))

    def html(self, title: str, names: tuple[str, str], scores: Mapping[str, Any], notes: tuple[str, ...]) -> str:
        """The page. names: of the reference and of the distorted video. scores: `PlaneScores` by plane."""
        frames = [
            asdict(frame) | {"label": f"Frame {frame.frame}", "note": f"{frame.psnr:.2f} dB"}
            for frame in self._worst.frames()
        ]
        return page(
            "comparison.html",
            title=title,
            reference=names[0],
            distorted=names[1],
            notes=notes,
            rows=[(plane, asdict(values)) for plane, values in scores.items()],
            curves=[(kind, curves(self._of(kind), min, _HIGHEST_PSNR)) for kind in ("PSNR", "SSIM")]
            + [(name, curves(lines, max)) for name, lines in self._columns.charts().items()],
            cuts=[place_of(cut, len(self._columns.motion)) for cut in self._columns.cuts],
            count=max((len(values["PSNR"]) for values in self._scores.values()), default=0),
            frames=frames,
            data=script_data(frames),
            kind="Frame",
            sides=("reference", "judged"),
            width=WIDTH,
            height=HEIGHT,
        )

    def _of(self, kind: str) -> dict[str, list[float]]:
        return {plane: scores[kind] for plane, scores in self._scores.items()}
