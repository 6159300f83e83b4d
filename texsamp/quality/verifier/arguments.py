"""Coordinates, results and numbers as callers hand them over, checked and flat."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import FormatError, StateError
from texsamp.quality.verifier.texture import CHANNELS, Numbers

Part = tuple[slice, slice, slice]
"""Some grids, rows and columns."""


@dataclass(frozen=True)
class Samples:
    """What is judged. points: float32 for each axis, of one shape. found: floats, codes or integers, (samples, 4)."""

    points: tuple[NDArray[np.float32], ...]
    found: NDArray[Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """The coordinates' shape."""
        return self.points[0].shape

    @property
    def grids(self) -> tuple[int, int, int]:
        """The shape as grids of rows and columns, in which quads lie."""
        before, rest = self.shape[:-2], self.shape[-2:]
        height, width = (1, 1, *rest)[-2:]
        return math.prod(before), height, width

    def parts(self, count: int) -> list[Part]:
        """The samples in parts of about ``count`` whose quads are whole."""
        grids, height, width = self.grids
        if height * width <= count:
            return [(each, slice(None), slice(None)) for each in _pieces(grids, max(count // (height * width), 1))]
        rows = _pieces(height, 2 * max(count // (2 * width), 1))
        columns = _pieces(width, max(count & ~1, 2)) if height == 1 else [slice(None)]
        return [(slice(grid, grid + 1), row, column) for grid in range(grids) for row in rows for column in columns]

    def spread(self, value: Any) -> NDArray[Any]:
        """Numbers for each sample, by grids."""
        return np.broadcast_to(np.asarray(value), self.shape).reshape(self.grids)

    @property
    def slack(self) -> float:
        """What colors may be off by because they were rounded to codes."""
        return 0.5 / 255 if self.found.dtype == np.uint8 else 0.0

    def colors(self, part: slice | Part) -> Numbers:
        """What was found of some, by their number or by grids, as numbers, (samples, 4)."""
        found = self.found if isinstance(part, slice) else self.found.reshape(*self.grids, CHANNELS)
        colors = found[part].reshape(-1, CHANNELS).astype(np.float64)
        return colors / 255.0 if found.dtype == np.uint8 else colors

    def index(self, sample: int) -> tuple[int, ...]:
        """Where a sample is in the result."""
        return tuple(int(place) for place in np.unravel_index(sample, self.shape)) if self.shape else ()


def _pieces(size: int, step: int) -> list[slice]:
    """Of a length; what is left of one stays with the piece before it, as quads at an odd end overlap."""
    begins = [begin for begin in range(0, size, step) if begin == 0 or size - begin > 1]
    return [slice(begin, end) for begin, end in zip(begins, [*begins[1:], size], strict=True)]


def samples_of(what: str, count: int, coordinates: Sequence[Any], result: Any, explained: int) -> Samples:
    """Samples of ``what`` at ``count`` coordinates. Raises FormatError and StateError for what does not fit."""
    if len(coordinates) != count:
        raise FormatError(f"{what} is sampled at {count} coordinates, found {len(coordinates)}")
    points = np.broadcast_arrays(*(np.asarray(point, np.float32) for point in coordinates))
    shape = points[0].shape
    found = np.asarray(result)
    if found.shape != (*shape, CHANNELS):
        raise FormatError(f"the result must have shape {(*shape, CHANNELS)}, found {found.shape}")
    if found.dtype.kind not in "iuf":
        raise FormatError(f"the result must be floats, uint8 codes or integers, found {found.dtype}")
    if not isinstance(explained, int | np.integer) or explained < 0:
        raise StateError(f"explained must be an integer of at least 0, found {explained!r}")
    return Samples(tuple(points), found.reshape(-1, CHANNELS))
