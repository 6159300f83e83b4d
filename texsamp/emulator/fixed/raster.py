"""Objects into subspans: the kernels of kernels/raster_spans.h (volume 2 part 1 of Sandy Bridge, pages 283-310)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array, Launch
from texsamp.device.kept import kept
from texsamp.device.params import constant, params_type
from texsamp.device.tiles import in_rows
from texsamp.emulator.fixed.objects import Counted, ScreenObjects, Spans

_PARAMS = params_type("RasterSpansParams")
_STIPPLE = params_type("RasterStipple")
_PIXELS, _THREADS, _SAMPLES, _QUADS = (constant(f"SPAN_{name}") for name in ("PIXELS", "THREADS", "SAMPLES", "QUADS"))
_COLUMNS = constant("SPAN_COLUMNS")
ITEMS = {"host": 64, "device": 256}
"""Items of a tile."""
_MOST_SUBSPANS = 1 << 20
"""That one piece of work may look at; a row of them at once at least."""
TOGETHER = 1 << 13
"""Subspans that become threads at once: they bound memory."""


@dataclass(frozen=True)
class Drawn:
    """What is drawn of the samples of objects.

    mask: a bit for each sample of a pixel. lines: where those of lines are tested, int32 (samples, 2); None for where
    all are. stipple: a RasterStipple, whose address `before` has; None for none.
    """

    mask: int = 0xFF
    lines: NDArray[np.int32] | None = None
    stipple: np.void | None = None
    before: Array | None = None


@dataclass(frozen=True)
class Taken:
    """What threads take. quads: of each, of one object. per_sample: a quad is one sample of a subspan's pixels."""

    quads: int = 1
    per_sample: bool = False


ALL_DRAWN, ONE_QUAD = Drawn(), Taken()


def rasterize(
    objects: ScreenObjects,
    tested: NDArray[np.int32],
    along: Sequence[NDArray[Any]] = (),
    drawn: Drawn = ALL_DRAWN,
    taken: Taken = ONE_QUAD,
) -> Iterator[Spans]:
    """The subspans with samples inside the objects, in pieces, which may be empty: each is about as much work.

    Those that a device has found come in pieces of `TOGETHER`, since the host knows of each how many threads it is.
    tested: int32 (samples, 2), where the samples of a pixel are tested, 1/256 from its upper left corner. along: what
    is sent with them, to be kept.
    """
    extent = objects.extent
    if not extent.rows:
        return
    device = objects.device
    every = tested if drawn.lines is None else np.concatenate([tested, drawn.lines])
    points, *_ = kept(device, (np.ascontiguousarray(every, np.int32), *along))
    with device.current():
        ends = np.cumsum(objects.rows, axis=0)
    row_subspans = (extent.x[1] >> 1) - (extent.x[0] >> 1) + 1
    rasterizer = _Rasterizer(objects, ends, points, len(tested), drawn, taken)
    for first, last in _pieces(objects, ends):
        most = min(extent.subspans, _MOST_SUBSPANS + row_subspans)
        if last > first:  # no row begins in a piece that is narrower than one
            yield from rasterizer.found((first, last), most)


def _pieces(objects: ScreenObjects, ends: Array) -> Iterator[tuple[int, int]]:
    """Rows of subspans, first and behind the last, of so many that they have `_MOST_SUBSPANS` or a little more.

    A row belongs to the piece in which its first subspan lies. The host is asked if there are several pieces.
    """
    extent, cuts = objects.extent, list[int]()
    if extent.subspans > _MOST_SUBSPANS:
        device = objects.device
        with device.current():
            marks = device.arrays.arange(_MOST_SUBSPANS, extent.subspans, _MOST_SUBSPANS)
            of = np.searchsorted(ends[:, 1].copy(), marks, "right")
            begins, rows = (ends - objects.rows)[of], objects.rows[of]
            behind = marks - begins[:, 1]
            across = rows[:, 1] // rows[:, 0]
            cuts = device.download(begins[:, 0] + (behind + across - 1) // across).tolist()
    yield from zip([0, *cuts], [*cuts, extent.rows], strict=True)


@dataclass(frozen=True)
class _Rasterizer:
    """Launches the kernel. ends: rows and subspans up to each object's end. points: of samples, there."""

    objects: ScreenObjects
    ends: Array
    points: Array
    samples: int
    drawn: Drawn
    taken: Taken

    def found(self, rows: tuple[int, int], most: int) -> Iterator[Spans]:
        """The subspans of some rows; the host is asked how many there are, and how many pixels and threads."""
        device = self.objects.device
        counts = device.empty((rows[1] - rows[0],), np.int32)
        self._launch(rows, {"counts": counts})
        with device.current():
            behind = np.cumsum(counts, dtype=np.int32)
            places = behind - counts
            sums = device.arrays.zeros((most // TOGETHER + 1, _COLUMNS), np.uint32)
        made = device.empty((most, 4), np.int32)
        self._launch(rows, {"places": places, "found": made, "sums": sums})
        with device.current():
            wanted = sums if self.samples > 1 else sums[:, : _THREADS + 1].copy()
            (total,), meet, counted = device.start_download((behind[-1:], self.objects.meet, wanted)).result()
        are_apart = not meet[0] and (self.samples == 1 or len(self.objects) == 1)  # they may share pixels
        for first in range(0, int(total), TOGETHER):
            some = made[first : min(first + TOGETHER, int(total))]
            known = self._counted(counted[first // TOGETHER].tolist(), len(some))
            yield Spans.found(some, device, known, are_apart=are_apart)

    def _counted(self, sums: list[int], subspans: int) -> Counted:
        pixels, threads = sums[_PIXELS], sums[_THREADS]
        if self.samples == 1:
            return Counted(pixels, threads, pixels, subspans)
        return Counted(pixels, threads, sums[_SAMPLES], sums[_QUADS])

    def _launch(self, rows: tuple[int, int], arrays: Mapping[str, Array]) -> None:
        objects, drawn, taken, samples = self.objects, self.drawn, self.taken, self.samples
        device = objects.device
        tiles = in_rows(rows[1] - rows[0], ITEMS[device.tile_limits])
        read = {
            "edges": objects.edges, "areas": objects.areas, "told": objects.told, "ends": self.ends,
            "points": self.points,
        }  # fmt: skip
        written = ("counts", "places", "found", "sums")
        params = _PARAMS(
            **{name: device.address(array) for name, array in read.items()},
            **{name: device.address(arrays[name]) if name in arrays else 0 for name in written},
            stipple=_STIPPLE.zeros() if drawn.stipple is None else drawn.stipple,
            first=rows[0],
            objects=len(objects.areas),
            count=rows[1] - rows[0],
            samples=samples,
            drawn=drawn.mask & (1 << samples) - 1,
            lines_apart=drawn.lines is not None,
            together=TOGETHER,
            each=max(taken.quads // samples, 1) if taken.per_sample else taken.quads,
            thread_samples=min(taken.quads, samples) if taken.per_sample else samples,
            tiles_x=tiles[0],
        )
        kept_on_device = () if drawn.before is None else (drawn.before,)
        device.launch(Launch("raster_spans", params, *tiles, (*read.values(), *kept_on_device, *arrays.values())))
