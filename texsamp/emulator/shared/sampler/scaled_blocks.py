"""Blocks of scaled and enhanced channels, by the kernels of `texsamp.video.scale` and `texsamp.video.sharpen`.

Blocks that share columns or rows of positions are scaled together, as a grid. The image enhancement filter sees what is
scaled at the positions around a block, two on every side, as the block's own formula goes on there (reconstructed: an
erratum moves the start of blocks by two second derivatives where the filter is off, seed 003:4815-4817). It gets 10
bits, as the manual says (003:1643).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device.base import Array, Device
from texsamp.device.kept import kept
from texsamp.emulator.context.sampler_settings import Key
from texsamp.emulator.eu.sends.lanes import BlockPlaces
from texsamp.emulator.shared.sampler.block_positions import block_positions
from texsamp.errors import CaptureError, StateError
from texsamp.video.presets.avs import AdaptiveParameters
from texsamp.video.presets.ief import IefParameters
from texsamp.video.samples import Samples
from texsamp.video.scale.avs import AvsPlane
from texsamp.video.scale.tables import AvsTables
from texsamp.video.sharpen import sharpen_launch

BLOCK_PX = 16
BLOCK_ROWS = 4
GUIDE = "G"
"""The channel of luma: the adaptive filter goes by it, and only it is enhanced."""
LAST_BLOCK = 511
_VERTICAL_BLOCK, _U, _V, _DU, _DV, _DDU = 1, 2, 3, 4, 5, 6
USED = (_VERTICAL_BLOCK, _U, _V, _DU, _DV, _DDU)
"""Dwords of a message's coordinates that say where its block is."""
_PLACES = slice(0, 7)
"""Dwords of a thread's coordinates that these are."""
_BITS_8, _BITS_10 = 8, 10
_MARGIN = 2
"""Pixels on every side that the enhancement filter reads."""
_KEPT_PLANS = 16
_HASHED_B = 1024
_TO_BITS_10 = 6
"""Fraction bits of 8.8 that 10 bits do not have."""


@dataclass(frozen=True)
class BlockSampler:
    """What a sampler state says: coefficients, the adaptive filter, the enhancement filter and the chroma key if on."""

    tables: AvsTables
    adaptive: AdaptiveParameters
    enhancement: IefParameters | None
    chroma_key: Key | None


@dataclass(frozen=True, eq=False)
class Grid:
    """Blocks that are scaled together.

    x, y: ascending positions. x_of, y_of: which of them the pixels of each column and row of blocks have, (blocks,
    pixels). column, row: which of those each thread's block is in.
    """

    threads: NDArray[np.intp] | slice
    x: NDArray[np.int32]
    y: NDArray[np.int32]
    x_of: NDArray[np.intp]
    y_of: NDArray[np.intp]
    column: NDArray[np.intp]
    row: NDArray[np.intp]

    @cached_property
    def places(self) -> BlockPlaces:
        """The same for a kernel, of grids without a margin."""
        across, down = (None if _is_in_order(each) else each.astype(np.int32) for each in (self.x_of, self.y_of))
        return BlockPlaces(self.column.astype(np.int32), self.row.astype(np.int32), across, down)

    def blocks(self, device: Device, scaled: Array) -> Array:
        """Each thread's block of samples at x and y, (threads, rows, pixels), where these are."""
        across, down = (None if _is_in_order(each) else each.reshape(-1) for each in (self.x_of, self.y_of))
        rows = scaled if down is None else scaled[device.upload(down)]
        grid = rows if across is None else rows[:, device.upload(across)]
        shape = (len(self.y_of), self.y_of.shape[1], len(self.x_of), self.x_of.shape[1])
        found: Array = grid.reshape(shape)[device.upload(self.row), :, device.upload(self.column)]
        return found


def margin_of(names: Sequence[str], sampler: BlockSampler) -> int:
    """Pixels around a block that are needed of channels scaled together."""
    return _MARGIN if GUIDE in names and sampler.enhancement is not None else 0


def grids(payload: NDArray[np.uint32], size: tuple[int, int], margin: int) -> tuple[Grid, ...]:
    """Grids that hold every thread's block: one, if the threads form a grid, else one for each different block.

    payload: registers of the threads' coordinates, (threads, 8). size: columns and rows of the source. margin: pixels
    on every side that are needed as well. CaptureError for positions that are not executed.
    """
    return _grids_of(_Places(payload[:, _PLACES].tobytes()), size, margin)


@dataclass(frozen=True)
class _Places:
    """Places of all threads, told apart by those of the last ones before they are compared."""

    data: bytes

    def __hash__(self) -> int:
        return hash(self.data[-_HASHED_B:])


@lru_cache(maxsize=16)
def _grids_of(places: _Places, size: tuple[int, int], margin: int) -> tuple[Grid, ...]:
    """Pictures of a video mostly repeat the places of the one before."""
    payload = np.frombuffer(places.data, np.uint32).reshape(-1, _PLACES.stop)
    return tuple(_different_grids(payload, size, margin))


def _different_grids(payload: NDArray[np.uint32], size: tuple[int, int], margin: int) -> Iterator[Grid]:
    columns, column = _unique(payload[:, [_U, _DU, _DDU]])
    rows, row = _unique(payload[:, [_V, _DV, _VERTICAL_BLOCK]])
    if rows[:, 2].max() > LAST_BLOCK:
        raise CaptureError(f"vertical block {rows[:, 2].max()} of {LAST_BLOCK}")
    u, v = columns.view(np.float32), rows[:, :2].view(np.float32)
    pixels = np.broadcast_to(np.arange(-margin, BLOCK_PX + margin), (len(columns), BLOCK_PX + 2 * margin))
    x = block_positions(u[:, 0], u[:, 1], u[:, 2], size[0], pixels)
    lines = rows[:, 2:].astype(np.int64) * BLOCK_ROWS + np.arange(-margin, BLOCK_ROWS + margin)
    y = block_positions(v[:, 0], v[:, 1], np.zeros(len(rows), np.float32), size[1], lines)
    if len(columns) * len(rows) <= 2 * len(payload):
        (all_x, x_at), (all_y, y_at) = (np.unique(each, return_inverse=True) for each in (x, y))
        yield Grid(slice(None), all_x, all_y, x_at.reshape(x.shape), y_at.reshape(y.shape), column, row)
        return
    for pair in np.unique(np.stack([column, row], axis=1), axis=0).tolist():
        threads = np.flatnonzero((column == pair[0]) & (row == pair[1]))
        across, down, zeros = np.arange(x.shape[1]), np.arange(y.shape[1]), np.zeros(len(threads), np.intp)
        yield Grid(threads, x[pair[0]], y[pair[1]], across[None], down[None], zeros, zeros)


def _is_in_order(numbers: NDArray[np.intp]) -> bool:
    return bool((numbers.reshape(-1) == np.arange(numbers.size)).all())


def _unique(keys: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.intp]]:
    """Different rows of an array, and which of them each row is."""
    numbers = np.zeros(len(keys), np.intp)
    for column in keys.T:
        values, inverse = np.unique(column, return_inverse=True)
        numbers = numbers * len(values) + inverse
    _, firsts, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    return np.ascontiguousarray(keys[firsts]), inverse


def scaled(
    device: Device, sources: Mapping[str, Array], wanted: Sequence[str], places: Sequence[Grid], sampler: BlockSampler
) -> list[tuple[Grid, dict[str, Array]]]:
    """The wanted channels at the positions of grids in 8.8 fixed point, uint16 of shape (rows, columns) on the device.

    sources: all channels of one size, there as well. CaptureError if the adaptive filter is set to what these channels
    do not allow.
    """
    adapts = GUIDE in sources and not (sampler.adaptive.bypass_x and sampler.adaptive.bypass_y)
    chosen = {name: plane for name, plane in sources.items() if adapts or name in wanted}
    return [(place, _scaled(device, chosen, place, sampler)) for place in places]


def blocks_of(
    device: Device, scaled: Sequence[tuple[Grid, dict[str, Array]]], name: str, count: int, sampler: BlockSampler
) -> Array:
    """A channel's blocks of all threads, enhanced if it is luma, shape (threads, rows, pixels), on the device."""
    margin = (scaled[0][0].x_of.shape[1] - BLOCK_PX) // 2
    out = device.empty((count, BLOCK_ROWS + 2 * margin, BLOCK_PX + 2 * margin), np.dtype(np.uint16))
    for place, samples in scaled:
        threads = place.threads if isinstance(place.threads, slice) else device.upload(place.threads)
        out[threads] = place.blocks(device, samples[name])
    if not margin:
        return out
    return (enhanced(device, out, sampler) if name == GUIDE else out)[:, margin:-margin, margin:-margin]


@lru_cache(maxsize=_KEPT_PLANS)
def _plan(
    device: Device, size: tuple[int, int], grid: Grid, tables: AvsTables, adaptive: AdaptiveParameters
) -> AvsPlane:
    """Of one grid and the tables of one state, both of which pictures of a video have again."""
    kept(device, [grid.x, grid.y, *grid.places.arrays])  # together: all are asked for soon
    return AvsPlane(device, size, (grid.x, grid.y), tables, adaptive, output="full16")


def _scaled(device: Device, sources: Mapping[str, Array], grid: Grid, sampler: BlockSampler) -> dict[str, Array]:
    """Samples at a grid of positions in 8.8 fixed point, shape (rows, columns) each."""
    names = list(sources)
    height, width = sources[names[0]].shape
    plan = _plan(device, (width, height), grid, sampler.tables, sampler.adaptive)
    targets = [device.empty((len(grid.y), len(grid.x)), np.dtype(np.uint16)) for _ in names]
    channels = [
        (Samples.plane(source, _BITS_8), Samples.plane(target, _BITS_8))
        for source, target in zip(sources.values(), targets, strict=True)
    ]
    try:
        device.launch(*plan.launches(channels, guide=names.index(GUIDE) if GUIDE in names else None))
    except StateError as error:
        raise CaptureError(f"sample_8x8: {error}") from None
    return dict(zip(names, targets, strict=True))


def enhanced(device: Device, blocks: Array, sampler: BlockSampler) -> Array:
    """Luma in 8.8 after the enhancement filter; what it makes of pixels at the margin is of no use."""
    assert sampler.enhancement is not None
    rounded = (blocks.astype(np.uint32) + (1 << _TO_BITS_10 - 1)) >> _TO_BITS_10
    codes = np.minimum(rounded, (1 << _BITS_10) - 1).astype(np.uint16).reshape(-1, blocks.shape[2])
    target = device.empty(codes.shape, np.dtype(np.uint16))
    source = Samples.plane(codes, _BITS_10)
    device.launch(sharpen_launch(device, source, Samples.plane(target, _BITS_10), sampler.enhancement))
    return (target << _TO_BITS_10).astype(np.uint16).reshape(blocks.shape)
