"""Where the threads of MEDIA_OBJECT_WALKER are: five loops in one another (docs/emulator-inside.md, Walkers)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import CaptureError
from texsamp.state.commands_media import MediaObjectWalker

MOST_WALKED = 1 << 18
"""Threads, and local blocks, of one walk: a frame of 511 x 511 places with one color fits."""
MOST_BLOCK_SIZES = 64
"""Sizes that local blocks may have; those of drivers have 4: whole, and cut at the right, at the bottom, at both."""
_ENDLESS = 1 << 30
_Pairs = NDArray[np.int64]
"""Columns and rows, shape (..., 2)."""


def walked_places(command: MediaObjectWalker) -> NDArray[np.int64]:
    """Column, row and color of every thread in the order the threads start, shape (threads, 3).

    CaptureError for a loop that never ends, two walkers at once, and more than MOST_WALKED threads.
    """
    if command.dual_mode:
        raise CaptureError(f"{command.name}.dual_mode: the order of two walkers at once is not known")
    blocks, sizes = _blocks(command)
    coded, kind = np.unique(sizes[:, 0] << 16 | sizes[:, 1], return_inverse=True)
    kinds = np.column_stack((coded >> 16, coded & 0xFFFF))
    if len(kinds) > MOST_BLOCK_SIZES:
        raise CaptureError(f"{command.name}: blocks of {len(kinds)} sizes, the limit is {MOST_BLOCK_SIZES}")
    walks, threads = [], 0
    for size, uses in zip(kinds, np.bincount(kind, minlength=len(kinds)), strict=True):
        walk = _LocalWalk(command, size)
        threads += walk.count * int(uses) * command.colors
        if threads > MOST_WALKED:
            raise CaptureError(f"{command.name} starts {threads} threads or more, the limit is {MOST_WALKED}")
        walks.append(walk.places())
    if not threads:
        return np.zeros((0, 3), np.int64)
    lengths = np.array([len(walk) for walk in walks])
    firsts = np.cumsum(lengths) - lengths
    steps = _steps(lengths[kind])
    local = np.concatenate(walks)[np.repeat(firsts[kind], lengths[kind]) + steps]
    places = np.repeat(local + np.repeat(np.maximum(blocks, 0), lengths[kind], axis=0), command.colors, axis=0)
    colors = np.tile(np.arange(command.colors), len(local))
    return np.column_stack((places, colors))


def _blocks(command: MediaObjectWalker) -> tuple[_Pairs, _Pairs]:
    """Upper left places of the local blocks, in the order of the walk, and how much of each lies in the frame."""
    frame = np.array((command.global_resolution_x, command.global_resolution_y))
    block = np.array((command.block_resolution_x, command.block_resolution_y))
    loop = _Loop(
        "global", (command.global_start_x, command.global_start_y),
        (command.global_outer_stride_x, command.global_outer_stride_y),
        (command.global_inner_unit_x, command.global_inner_unit_y), command.global_loop_count,
    )  # fmt: skip
    starts = loop.outer_steps(1 - block, frame)
    lengths = loop.inner_lengths(starts, 1 - block, frame)
    if lengths.sum() > MOST_WALKED:
        raise CaptureError(f"{command.name} walks {lengths.sum()} blocks, the limit is {MOST_WALKED}")
    blocks = loop.inner_steps(starts, lengths)
    over = (blocks < 0) & (blocks + block > frame)
    if over.any():
        raise CaptureError(f"{command.name}: a block reaches over two edges of the frame that face each other")
    return blocks, np.where(blocks < 0, block + blocks, np.minimum(block, frame - blocks))


class _LocalWalk:
    """The walk in a local block of one size."""

    def __init__(self, command: MediaObjectWalker, size: _Pairs) -> None:
        inside = np.zeros(2, np.int64)
        self._loop = _Loop(
            "local", (command.local_start_x, command.local_start_y),
            (command.local_outer_stride_x, command.local_outer_stride_y),
            (command.local_inner_unit_x, command.local_inner_unit_y), command.local_loop_count,
        )  # fmt: skip
        outer = self._loop.outer_steps(inside, size)
        unit = np.array((command.middle_loop_unit_x, command.middle_loop_unit_y), np.int64)
        middle = outer[:, None] + unit * np.arange(1 + command.middle_loop_extra_steps)[:, None]
        within = ((middle >= 0) & (middle < size)).all(axis=2)
        self._starts = middle[np.logical_and.accumulate(within, axis=1)]
        self._lengths = self._loop.inner_lengths(self._starts, inside, size)
        self.count = int(self._lengths.sum())

    def places(self) -> _Pairs:
        """Every place in the block, in the order of the walk; there are `count`."""
        return self._loop.inner_steps(self._starts, self._lengths)


@dataclass(frozen=True)
class _Loop:
    """An outer loop and the inner loop that each of its steps starts, within bounds `low` <= place < `high`."""

    name: str
    start: tuple[int, int]
    stride: tuple[int, int]
    unit: tuple[int, int]
    count: int

    def outer_steps(self, low: _Pairs, high: _Pairs) -> _Pairs:
        """Places the outer loop comes to, at most `count`, shape (steps, 2).

        A place out of bounds moves on by the inner loop's unit as long as that leads towards them; the loop ends where
        that does not help. CaptureError if a later step would be in bounds again: sources do not agree on those.
        """
        (low_x, low_y), (high_x, high_y) = low.tolist(), high.tolist()
        (x, y), (unit_x, unit_y) = self.start, self.unit
        found: list[tuple[int, int]] = []
        left = False
        for _ in range(self.count):
            moves = max(_moves(x, unit_x, low_x, high_x), _moves(y, unit_y, low_y, high_y))
            x, y = x + moves * unit_x, y + moves * unit_y
            inside = low_x <= x < high_x and low_y <= y < high_y
            if inside and left:
                raise CaptureError(
                    f"the {self.name} outer loop of MEDIA_OBJECT_WALKER leaves its bounds after {len(found)} steps and "
                    f"comes back at {x}, {y}: whether it goes on there is not known"
                )
            if inside:
                found.append((x, y))
            left = not inside
            x, y = x + self.stride[0], y + self.stride[1]
        return np.array(found, np.int64).reshape(-1, 2)

    def inner_lengths(self, starts: _Pairs, low: _Pairs, high: _Pairs) -> NDArray[np.int64]:
        """How many steps the inner loop takes from each place before it leaves the bounds, shape (places,)."""
        if len(starts) and self.unit == (0, 0):
            raise CaptureError(f"the {self.name} inner loop of MEDIA_OBJECT_WALKER has unit 0, 0: it never ends")
        lengths = np.full(len(starts), _ENDLESS, np.int64)
        for axis, unit in enumerate(self.unit):
            place = starts[:, axis]
            if unit > 0:
                lengths = np.minimum(lengths, -((place - high[axis]) // unit))
            elif unit < 0:
                lengths = np.minimum(lengths, (place - low[axis]) // -unit + 1)
        return lengths

    def inner_steps(self, starts: _Pairs, lengths: NDArray[np.int64]) -> _Pairs:
        """Places the inner loop comes to from each place in turn, shape (sum of lengths, 2)."""
        return np.repeat(starts, lengths, axis=0) + np.array(self.unit, np.int64) * _steps(lengths)[:, None]


def _moves(place: int, unit: int, low: int, high: int) -> int:
    """Steps of a unit that bring a place back to bounds it is walking towards; 0 if it is not."""
    if place >= high and unit < 0:
        return (place - high) // -unit + 1
    if place < low and unit > 0:
        return -((place - low) // unit)
    return 0


def _steps(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, ... up to each length, behind each other."""
    return np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
