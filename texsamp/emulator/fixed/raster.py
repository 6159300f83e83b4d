"""Objects into subspans: the kernels of kernels/raster_spans.h (volume 2 part 1 of Sandy Bridge, pages 283-310)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array, Device, Launch
from texsamp.device.kept import kept
from texsamp.device.params import params_type
from texsamp.emulator.fixed.objects import ScreenObjects, Spans

_PARAMS = params_type("RasterSpansParams")
ITEMS = {"host": 64, "device": 256}
"""Items of a tile."""
_MOST_SUBSPANS = 1 << 20
"""That one piece of work may look at; a row of them at once at least."""
_FEW_SUBSPANS = 1 << 12
"""Of which it costs less to bring room for all that there can be than to ask how many there are."""
_MAX_TILES_Y = 65535


def rasterize(objects: ScreenObjects, tested: NDArray[np.int32], device: Device) -> Iterator[Spans]:
    """The subspans with samples inside the objects, in pieces, which may be empty: each is about as much work.

    tested: int32 (samples, 2), where the samples of a pixel are tested, 1/256 from its upper left corner.
    """
    if not len(objects):
        return
    limits = objects.areas.astype(np.int32)
    memory = tuple(kept(device, (objects.edges, limits, np.ascontiguousarray(tested, np.int32))))
    left, _, right, _ = objects.areas.T
    of_row = (right >> 1) - (left >> 1) + 1
    for items in _pieces(objects.areas):
        yield _subspans(device, memory, items, len(tested), int(of_row[items[:, 0]].sum()))


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


def _subspans(device: Device, memory: tuple[Array, ...], items: NDArray[np.int32], samples: int, most: int) -> Spans:
    """most: subspans that there can be; how many there are is asked for by itself only where these are many."""
    count = len(items)
    if not count:
        return Spans(np.zeros((0, 4), np.int32))
    (listed,), counts = kept(device, (items,)), device.empty((count,), np.dtype(np.int32))
    _launch(device, (*memory, listed), counts, counts, samples, writing=False)
    if device.arrays is np:
        (counts,) = device.start_download([counts]).result()  # waits for the launch
    with device.current():
        ends = np.cumsum(counts).astype(np.int32)
        places = ends - counts
        room = device.arrays.zeros((most, 4), np.int32) if most <= _FEW_SUBSPANS and device.arrays is not np else None
    if room is not None:
        _launch(device, (*memory, listed), places, room, samples, writing=True)
        here, last = device.start_download([room, ends[-1:]]).result()
        return Spans.found(room, device, here[: int(last[0])])
    made = device.empty((int(device.download(ends[-1:])[0]), 4), np.dtype(np.int32))
    if len(made):
        _launch(device, (*memory, listed), places, made, samples, writing=True)
    return Spans.found(made, device)


def _launch(
    device: Device, memory: tuple[Array, ...], places: Array, found: Array, samples: int, *, writing: bool
) -> None:
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
        samples=samples,
        tiles_x=tiles_x,
        writing=writing,
    )
    device.launch(Launch("raster_spans", params, tiles_x, -(-tiles // tiles_x), (*memory, places, found)))
