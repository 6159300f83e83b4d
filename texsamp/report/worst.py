"""The frames of a comparison that differ most, and where in them."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.report.pictures import Image, exact, small

CROP_PX = 256
_STEP_PX = 16


@dataclass(frozen=True)
class Shown:
    """A frame in the page: addresses of the pictures; x and y of the part that is shown, in pixels."""

    frame: int
    psnr: float
    x: int
    y: int
    width: int
    height: int
    reference: str
    distorted: str
    overview: str
    total_width: int
    total_height: int


def worst_place(reference: NDArray[Any], distorted: NDArray[Any], size: int = CROP_PX) -> tuple[int, int, int, int]:
    """Left, top, width and height of the part of a plane that differs most, of at most ``size`` pixels each way."""
    height, width = reference.shape
    columns, rows = min(size, width), min(size, height)
    error = (reference.astype(np.float64) - distorted) ** 2
    sums = np.zeros((height + 1, width + 1))
    sums[1:, 1:] = error.cumsum(axis=0).cumsum(axis=1)
    lefts = np.unique([*range(0, width - columns + 1, _STEP_PX), width - columns])
    tops = np.unique([*range(0, height - rows + 1, _STEP_PX), height - rows])
    inside = sums[np.ix_(tops + rows, lefts + columns)] - sums[np.ix_(tops, lefts + columns)]
    inside += sums[np.ix_(tops, lefts)] - sums[np.ix_(tops + rows, lefts)]
    top, left = np.unravel_index(int(inside.argmax()), inside.shape)
    return int(lefts[left]), int(tops[top]), columns, rows


def shown(
    frame: int, psnr: float, reference: Image, distorted: Image, place: tuple[int, int, int, int], *, whole: bool
) -> Shown:
    """A frame of 8-bit RGB pictures, as its worst place or as a whole."""
    height, width, _ = reference.shape
    x, y, columns, rows = (0, 0, width, height) if whole else place
    parts = [np.ascontiguousarray(image[y : y + rows, x : x + columns]) for image in (reference, distorted)]
    return Shown(frame, psnr, x, y, columns, rows, exact(parts[0]), exact(parts[1]), small(distorted), width, height)


class Worst:
    """Keeps the frames with the lowest scores, no two of them close together."""

    def __init__(self, count: int, apart: int) -> None:
        """apart: frames between two that are kept."""
        self._count, self._apart = count, apart
        self._kept: list[tuple[float, int, Shown]] = []

    def wants(self, frame: int, psnr: float) -> bool:
        """Whether a frame would be kept."""
        near = [kept for kept in self._kept if abs(kept[1] - frame) < self._apart]
        if near:
            return all(psnr < kept[2].psnr for kept in near)
        return len(self._kept) < self._count or psnr < -self._kept[0][0]

    def add(self, made: Shown) -> None:
        """Keep a frame that is wanted, in place of its neighbors or of the best."""
        self._kept = [kept for kept in self._kept if abs(kept[1] - made.frame) >= self._apart]
        heapq.heapify(self._kept)
        heapq.heappush(self._kept, (-made.psnr, made.frame, made))
        if len(self._kept) > self._count:
            heapq.heappop(self._kept)

    def frames(self) -> list[Shown]:
        """Those that are kept, the worst first."""
        return [kept[2] for kept in sorted(self._kept, key=lambda kept: (kept[2].psnr, kept[1]))]
