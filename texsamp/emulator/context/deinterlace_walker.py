"""The deinterlacer's own walker: it chooses the blocks instead of the threads (seed 003:3682-3701, 3887-4009)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import CaptureError
from texsamp.state import MediaSurfaceState
from texsamp.state.commands_media import HalfSlice
from texsamp.state.deinterlace import DeinterlaceSamplerState, WalkerStride
from texsamp.video.deinterlace.call import BLOCK_ROWS, BLOCK_WIDTH_PX

_Half = int


@dataclass
class DeinterlaceWalker:
    """How far the walkers of the two half-slices have come; they walk again when all blocks of a frame are done."""

    _frame: tuple[object, ...] = ()
    _shared: bool = False
    _done: dict[_Half, int] = field(default_factory=dict)
    _blocks: dict[_Half, tuple[NDArray[np.int64], NDArray[np.int64]]] = field(default_factory=dict)

    def next_blocks(
        self, halves: NDArray[np.int64], state: DeinterlaceSamplerState, surface: MediaSurfaceState
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Columns and rows of the upper left pixels of the next blocks; halves: where each message comes from.

        Of the blocks of its share of the frame a half-slice's walker takes the next one, row by row. CaptureError for
        frames of broken blocks, threads on no certain half-slice, more messages than there are blocks, and another
        frame before the last is done.
        """
        self._begin(state, surface)
        x, y = np.zeros((2, len(halves)), np.int64)
        for half in np.unique(halves).tolist():
            if half == HalfSlice.EITHER:
                raise CaptureError(f"{state.name}.walker_enable: its threads need half_slice 1 or 2")
            mine, (all_x, all_y) = halves == half, self._blocks[half]
            first = self._done.get(half, 0)
            last = first + int(mine.sum())
            if last > len(all_x):
                raise CaptureError(
                    f"deinterlace message {last} of half-slice {half - 1}, its walker has {len(all_x)} blocks"
                )
            x[mine], y[mine] = all_x[first:last], all_y[first:last]
            self._done[half] = last
        return x, y

    def check_done(self, then: str) -> None:
        """CaptureError if what comes then comes before all blocks of the frame are done."""
        left = self._left()
        if left:
            half, (done, blocks) = next(iter(left.items()))
            raise CaptureError(f"{then} after block {done} of {blocks} of the walker of half-slice {half - 1}")

    def _left(self) -> dict[_Half, tuple[int, int]]:
        """Blocks done, and blocks in all, of the half-slices whose walkers are not through with the frame.

        Of a shared frame both have to come to an end, of another one those that began.
        """
        counts = {
            half: (self._done.get(half, 0), len(self._blocks[half][0]))
            for half in (self._blocks if self._shared else self._done)
        }
        return {half: (done, blocks) for half, (done, blocks) in counts.items() if done < blocks}

    def _begin(self, state: DeinterlaceSamplerState, surface: MediaSurfaceState) -> None:
        """Go on in a frame, or begin with another one if the last is done."""
        frame = (state.image, surface.image)
        if frame == self._frame:
            if not self._left():
                self._done = {}
            return
        self.check_done("a frame begins")
        rows = BLOCK_ROWS if state.di_enable else 2 * BLOCK_ROWS
        if surface.width % BLOCK_WIDTH_PX or surface.height % rows:
            raise CaptureError(
                f"{state.name}.walker_enable needs frames of whole blocks of {BLOCK_WIDTH_PX}x{rows}, "
                f"found {surface.width}x{surface.height}"
            )
        columns = np.arange(0, surface.width, BLOCK_WIDTH_PX)
        shares = _shares(surface.height // rows, state)
        self._blocks = {
            half: (np.tile(columns, len(share)), np.repeat(share * rows, len(columns)))
            for half, share in shares.items()
        }
        self._frame, self._done, self._shared = frame, {}, bool(state.walker_frame_sharing)


def _shares(rows: int, state: DeinterlaceSamplerState) -> dict[_Half, NDArray[np.int64]]:
    """Rows of blocks of each half-slice. Alone it has all; else they take turns of half a stride."""
    every = np.arange(rows)
    if not state.walker_frame_sharing:
        return {HalfSlice.HALF_SLICE_0: every, HalfSlice.HALF_SLICE_1: every}
    if state.walker_y_stride == WalkerStride.STRIDE_1:  # the second one begins behind the frame
        return {HalfSlice.HALF_SLICE_0: every, HalfSlice.HALF_SLICE_1: every[:0]}
    turn = every >> (state.walker_y_stride - 1) & 1
    return {HalfSlice.HALF_SLICE_0: every[turn == 0], HalfSlice.HALF_SLICE_1: every[turn == 1]}
