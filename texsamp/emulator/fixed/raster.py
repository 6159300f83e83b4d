"""Objects into subspans: the kernels of kernels/raster_spans.h (volume 2 part 1 of Sandy Bridge, pages 283-310)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device, get_device
from texsamp.device.base import Array, Launch
from texsamp.device.params import params_type
from texsamp.emulator.fixed.objects import ScreenObjects, Spans

_PARAMS = params_type("RasterSpansParams")
ITEMS = {"host": 64, "device": 256}
"""Items of a tile."""
_MOST_SUBSPANS = 1 << 20
"""That one piece of work may look at; a row of them at once at least."""
_MAX_TILES_Y = 65535


@dataclass(frozen=True)
class _Counted:
    """Subspans from `first` to before `last` of those of rows, counted on the host.

    items: of rows, object and row. ends, pixel_ends: how many subspans, and pixels with samples inside, there are up to
    each row's end. pixels_of: how many pixels the first subspans of a row have.
    """

    items: NDArray[np.int32]
    ends: NDArray[np.int64]
    pixel_ends: NDArray[np.int64]
    pixels_of: Callable[[NDArray[np.int32], int], int]
    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first

    def some(self, first: int, last: int) -> _Counted:
        """Of those from `first` to before `last`."""
        return replace(self, first=self.first + first, last=self.first + last)

    @property
    def objects(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The objects that have any, ascending, and how many each has."""
        inside = np.clip(self.ends, self.first, self.last)
        counts = np.bincount(self.items[:, 0], np.diff(inside, prepend=self.first)).astype(np.int64)
        found = np.flatnonzero(counts)
        return found, counts[found]

    @property
    def pixels(self) -> int:
        """Pixels with a sample inside."""
        return self._pixels_before(self.last) - self._pixels_before(self.first)

    def _pixels_before(self, subspan: int) -> int:
        row = int(np.searchsorted(self.ends, subspan, side="right"))
        before, pixels = (int(ends[row - 1]) if row else 0 for ends in (self.ends, self.pixel_ends))
        return pixels if before == subspan else pixels + self.pixels_of(self.items[row], subspan - before)


def rasterize(
    objects: ScreenObjects, tested: NDArray[np.int32], device: Device, along: Sequence[NDArray[Any]] = ()
) -> Iterator[Spans]:
    """The subspans with samples inside the objects, in pieces, which may be empty: each is about as much work.

    tested: int32 (samples, 2), where the samples of a pixel are tested, 1/256 from its upper left corner. along: what
    is sent with them, to be kept. Subspans that a GPU finds are counted on the host, so that it is not asked.
    """
    if not len(objects):
        return
    points = np.ascontiguousarray(tested, np.int32)
    host = get_device("cpu")
    for items in _pieces(objects.areas):
        if not len(items):
            yield Spans(np.zeros((0, 4), np.int32))
            continue
        here = (objects.edges, objects.areas.astype(np.int32), points, items)
        spans, pixels = _counts(host, here)
        places = np.cumsum(spans, dtype=np.int32) - spans
        total = int(spans.sum())
        if device.arrays is np:
            made = device.empty((total, 4), np.dtype(np.int32))
            _launch(device, here, places, made, writing=True)
            yield Spans(device.download(made))
            continue
        edges, areas, *_, listed, at, where = objects.on(device, *along, items, places, points)
        made = device.empty((total, 4), np.dtype(np.int32))
        if total:
            _launch(device, (edges, areas, where, listed), at, made, writing=True)
        pixels_of = partial(_pixels_of, host, here)
        ends, pixel_ends = (np.cumsum(each, dtype=np.int64) for each in (spans, pixels))
        yield Spans.found(made, device, _Counted(items, ends, pixel_ends, pixels_of, 0, total))


def _counts(host: Device, memory: tuple[Array, ...]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Subspans of items, and the pixels of these with a sample inside."""
    counts = host.empty((len(memory[-1]), 2), np.dtype(np.int32))
    _launch(host, memory, counts, counts, writing=False)
    (counts,) = host.start_download([counts]).result()  # waits for the launch
    return counts[:, 0], counts[:, 1]


def _pixels_of(host: Device, memory: tuple[Array, ...], item: NDArray[np.int32], subspans: int) -> int:
    """Pixels of the first subspans of a row."""
    items = item[None]
    (count,), _ = _counts(host, (*memory[:3], items))
    made = host.empty((int(count), 4), np.dtype(np.int32))
    _launch(host, (*memory[:3], items), np.zeros(1, np.int32), made, writing=True)
    (made,) = host.start_download([made]).result()
    shifts = np.arange(0, 32, 4, dtype=np.uint32)
    pixels = np.bitwise_or.reduce(made[:subspans, 3:].view(np.uint32) >> shifts, axis=1) & 15
    return int(np.unpackbits(pixels.astype(np.uint8)).sum())


def _pieces(areas: NDArray[np.int64]) -> Iterator[NDArray[np.int32]]:
    """Objects and rows of subspans, int32 (items, 2), so many that they have `_MOST_SUBSPANS` or a little more."""
    left, top, right, bottom = areas.T
    rows = np.where(right >= left, np.maximum((bottom >> 1) - (top >> 1) + 1, 0), 0)
    of_row = (right >> 1) - (left >> 1) + 1
    ends = np.cumsum(rows * of_row)
    begins, total = ends - rows * of_row, int(ends[-1])
    for begin in range(0, total, _MOST_SUBSPANS):
        end = min(begin + _MOST_SUBSPANS, total)
        some = np.arange(np.searchsorted(ends, begin, side="right"), np.searchsorted(ends, end, side="left") + 1)
        some = some[rows[some] > 0]
        # A row belongs to the piece in which its first subspan lies.
        first = np.maximum(-(-(begin - begins[some]) // of_row[some]), 0)
        last = np.minimum(-(-(end - begins[some]) // of_row[some]), rows[some])
        count = np.maximum(last - first, 0)
        object_of = np.repeat(some, count)
        number = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        row = (top[some] >> 1) + first
        yield np.stack([object_of, np.repeat(row, count) + number], axis=1).astype(np.int32)


def _launch(device: Device, memory: tuple[Array, ...], places: Array, found: Array, *, writing: bool) -> None:
    edges, areas, points, items = memory
    tiles = -(-len(items) // ITEMS[device.tile_limits])
    tiles_x = -(-tiles // _MAX_TILES_Y)
    params = _PARAMS(
        edges=device.address(edges),
        areas=device.address(areas),
        items=device.address(items),
        points=device.address(points),
        places=device.address(places),
        found=device.address(found),
        count=len(items),
        samples=len(points),
        tiles_x=tiles_x,
        writing=writing,
    )
    device.launch(Launch("raster_spans", params, tiles_x, -(-tiles // tiles_x), (*memory, places, found)))
