"""Objects into subspans: the kernels of kernels/raster_spans.h (volume 2 part 1 of Sandy Bridge, pages 283-310)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array, Launch
from texsamp.device.kept import kept
from texsamp.device.params import params_type
from texsamp.device.tiles import in_rows
from texsamp.emulator.fixed.objects import Counted, Extent, ScreenObjects, Spans

_PARAMS = params_type("RasterSpansParams")
ITEMS = {"host": 64, "device": 256}
"""Items of a tile."""
_MOST_SUBSPANS = 1 << 20
"""That one piece of work may look at; a row of them at once at least."""
TOGETHER = 1 << 13
"""Subspans that become threads at once: they bound memory."""


def rasterize(
    objects: ScreenObjects,
    tested: NDArray[np.int32],
    along: Sequence[NDArray[Any]] = (),
    some: slice | None = None,
    each: int = 1,
) -> Iterator[Spans]:
    """The subspans with samples inside the objects, in pieces, which may be empty: each is about as much work.

    Those that a device has found come in pieces of `TOGETHER`, since the host knows of each how many threads it is.
    tested: int32 (samples, 2), where the samples of a pixel are tested, 1/256 from its upper left corner. along: what
    is sent with them, to be kept. some: objects, if it is not all. each: subspans that a thread takes.
    """
    extent = objects.extent if some is None else objects.here.extent(some)
    before = None if some is None else objects.here.extent(slice(0, some.start))
    if not extent.rows:
        return
    device = objects.device
    points, *_ = kept(device, (np.ascontiguousarray(tested, np.int32), *along))
    with device.current():
        ends = np.cumsum(objects.rows, axis=0)
    row_subspans = (extent.x[1] >> 1) - (extent.x[0] >> 1) + 1
    for first, last in _pieces(objects, ends, extent, before):
        most = min(extent.subspans, _MOST_SUBSPANS + row_subspans)
        if last > first:  # no row begins in a piece that is narrower than one
            yield from _found(objects, ends, points, (first, last), most, each)


def _pieces(objects: ScreenObjects, ends: Array, extent: Extent, before: Extent | None) -> Iterator[tuple[int, int]]:
    """Rows of subspans, first and behind the last, of so many that they have `_MOST_SUBSPANS` or a little more.

    A row belongs to the piece in which its first subspan lies. The host is asked if there are several pieces.
    """
    first, looked_at = (0, 0) if before is None else (before.rows, before.subspans)
    cuts: list[int] = []
    if extent.subspans > _MOST_SUBSPANS:
        device = objects.device
        with device.current():
            marks = device.arrays.arange(looked_at + _MOST_SUBSPANS, looked_at + extent.subspans, _MOST_SUBSPANS)
            of = np.searchsorted(ends[:, 1].copy(), marks, "right")
            begins, rows = (ends - objects.rows)[of], objects.rows[of]
            behind = marks - begins[:, 1]
            across = rows[:, 1] // rows[:, 0]
            cuts = device.download(begins[:, 0] + (behind + across - 1) // across).tolist()
    yield from zip([first, *cuts], [*cuts, first + extent.rows], strict=True)


def _found(
    objects: ScreenObjects, ends: Array, points: Array, rows: tuple[int, int], most: int, each: int
) -> Iterator[Spans]:
    """The subspans of some rows; the host is asked how many there are, and how many pixels and threads."""
    device = objects.device
    counts = device.empty((rows[1] - rows[0],), np.int32)
    read = (objects.edges, objects.areas, ends, points)
    _launch(device, read, rows, {"counts": counts}, each)
    with device.current():
        behind = np.cumsum(counts, dtype=np.int32)
        places = behind - counts
        sums = device.arrays.zeros((most // TOGETHER + 1, 2), np.uint32)
    made = device.empty((most, 4), np.int32)
    _launch(device, read, rows, {"places": places, "found": made, "sums": sums}, each)
    with device.current():
        (total,), meet, counted = device.start_download((behind[-1:], objects.meet, sums)).result()
    if device.arrays is np:
        yield Spans(made[:total])
        return
    for first in range(0, int(total), TOGETHER):
        some = made[first : min(first + TOGETHER, int(total))]
        pixels, threads = counted[first // TOGETHER].tolist()
        yield Spans.found(some, device, Counted(pixels, threads), are_apart=not meet[0])


def _launch(
    device: Device, read: tuple[Array, ...], rows: tuple[int, int], arrays: Mapping[str, Array], each: int
) -> None:
    tiles = in_rows(rows[1] - rows[0], ITEMS[device.tile_limits])
    edges, areas, ends, points = read
    written = ("counts", "places", "found", "sums")
    params = _PARAMS(
        edges=device.address(edges),
        areas=device.address(areas),
        ends=device.address(ends),
        points=device.address(points),
        **{name: device.address(arrays[name]) if name in arrays else 0 for name in written},
        first=rows[0],
        objects=len(areas),
        count=rows[1] - rows[0],
        samples=len(points),
        together=TOGETHER,
        each=each,
        tiles_x=tiles[0],
    )
    device.launch(Launch("raster_spans", params, *tiles, (*read, *arrays.values())))
