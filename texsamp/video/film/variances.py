"""The eleven variances of two frames, as the hardware counts them (seed 003:1433-1526)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.errors import StateError
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.video.frame import Frame
from texsamp.video.samples import Samples, require_alike, source_record

_PARAMS = params_type("FilmParams")
TILE_WIDTH = {"host": 240, "device": 80}
TILE_LINES = {"host": 32, "device": 16}
_TILE = TILE_WIDTH["host"], TILE_LINES["host"]
"""Those of the statistics, on every device."""
STRIP_LINES = 8
STRIPS = TILE_LINES["host"] // STRIP_LINES
"""Strips of a tile of the statistics, one above the other."""
BLOCK_WIDTH, BLOCK_LINES = 16, 4
VARIANCES = 11
COMBS = 3
RISES = 3
LEVELS = 2
SUMS = COMBS + VARIANCES + RISES + LEVELS
_BLOCK_PIXELS = 32
"""Pixels of a block that are asked: those of its even lines."""
_LARGEST_THRESHOLD = 0x3FFE
_CHANGES = slice(COMBS, COMBS + 2)
_FALLS = slice(COMBS + 2, COMBS + 5)
"""Simple differences of top lines and the bottom lines below them, of the pairs of fields whose rises are measured."""
_RISES = slice(COMBS + VARIANCES, COMBS + VARIANCES + RISES)
_WITH_PREVIOUS = (0, 1, 3, 4)
"""Simple differences that read the previous frame."""
COMB_CHANGE = 6
"""Steps of 8 bits by which a top line, or one of its neighbors, changes from frame to frame where combs are counted."""
_REGISTER_BITS = np.array([32] * 5 + [24] * 6, "u8")


@dataclass(frozen=True)
class FilmParameters:
    """Constants of the variances, for 8-bit samples; ranges are those of the fields, but for ``tdiff``.

    ``tdiff`` may go up to 16382, for noise. ``erratum`` removes stray tears as Ironlake's A stepping does (seed
    003:1522), which is older than this hardware.
    """

    tdiff: int
    vdiff1: int
    vdiff2: int
    tear: int
    erratum: bool = False

    def __post_init__(self) -> None:
        limits = (("tdiff", _LARGEST_THRESHOLD), ("vdiff1", 255), ("vdiff2", 255), ("tear", 63))
        for name, limit in limits:
            if not 0 <= getattr(self, name) <= limit:
                raise StateError(f"film detection {name} must be from 0 to {limit}, found {getattr(self, name)}")

    @classmethod
    def from_state(cls, state: DeinterlaceSamplerState) -> FilmParameters:
        """The constants of a state."""
        return cls(
            tdiff=state.fmd_temporal_difference,
            vdiff1=state.fmd_vertical_difference1,
            vdiff2=state.fmd_vertical_difference2,
            tear=state.fmd_tear_threshold,
        )

    def in_noise(self, sigma: float) -> FilmParameters:
        """With a temporal threshold that noise of this deviation, in 8-bit steps, seldom passes."""
        return replace(self, tdiff=min(int(self.tdiff + 12 * sigma * sigma), _LARGEST_THRESHOLD))


class _RisesAndFalls:
    """What top lines differ by from the bottom lines above and below says, of each area and pair of fields."""

    rises: np.ndarray[Any, np.dtype[np.float64]]
    falls: np.ndarray[Any, np.dtype[np.float64]]

    @property
    def leans(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """How much nearer top lines are to the bottom line below than to that above, as mean squares."""
        return self.rises - self.falls

    @property
    def distances(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Mean squares of what top lines differ by from the bottom lines beside them."""
        distances: np.ndarray[Any, np.dtype[np.float64]] = (self.rises + self.falls) / 2
        return distances


@dataclass(frozen=True, eq=False)
class FilmStrips(_RisesAndFalls):
    """Combs, changes, rises and falls as of tiles, of every strip of them: 240x8 pixels; so many across; whose it is.

    ``levels`` are the means of the current top and bottom lines.
    """

    combs: np.ndarray[Any, np.dtype[np.float64]]
    changes: np.ndarray[Any, np.dtype[np.float64]]
    rises: np.ndarray[Any, np.dtype[np.float64]]
    falls: np.ndarray[Any, np.dtype[np.float64]]
    levels: np.ndarray[Any, np.dtype[np.float64]]
    tiles: np.ndarray[Any, np.dtype[np.intp]]
    across: int


@dataclass(frozen=True, eq=False)
class FilmStatistics(_RisesAndFalls):
    """What two frames' luma says about film.

    ``variances`` are the hardware's eleven. ``combs`` (ours) has a row per tile of 240x32 pixels: how far lines of a
    top field lie outside the two lines of a bottom one next to them, as mean squares, for the current top and bottom
    field, the current top and previous bottom one, the previous top and current bottom one; only where one of the
    three lines has changed by ``COMB_CHANGE`` since the previous frame, if there is one. ``pixels`` counts the asked
    pixels of each tile.
    """

    variances: tuple[int, ...]
    combs: np.ndarray[Any, np.dtype[np.float64]]
    pixels: np.ndarray[Any, np.dtype[np.float64]]
    tile_changes: np.ndarray[Any, np.dtype[np.float64]]
    """Mean squared change of the top and the bottom lines of each tile since the previous frame."""
    rises: np.ndarray[Any, np.dtype[np.float64]]
    falls: np.ndarray[Any, np.dtype[np.float64]]
    """Mean squares of what top lines differ by from the bottom line above, and from that below; pairs as ``combs``."""
    strips: FilmStrips
    lights_differ: tuple[bool, ...] = (False,) * COMBS
    """Whether the fields of each pair have lights of their own, which these sums are without."""
    before: FilmStatistics | None = None
    """Those of the frame before, beside this one: where nothing before it is of its scene."""

    @property
    def spans(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """What grows with the time between two fields, whichever way what they show moves: mean squares."""
        spans: np.ndarray[Any, np.dtype[np.float64]] = np.maximum(self.rises, self.falls) + self.combs
        return spans

    def means(self, of_tiles: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Of the whole picture."""
        means: np.ndarray[Any, np.dtype[np.float64]] = self.pixels @ of_tiles / self.pixels.sum()
        return means


def measure_film(current: Frame, previous: Frame | None, parameters: FilmParameters) -> FilmStatistics:
    """The statistics of two frames. With 10 bits (ours) the upper eight of every sample decide.

    Simple differences are sums of squares divided by 16 and rounded down in every 16x4 block. Without a previous frame
    variances that read it are at their largest (seed 003:1581): 65535 per block, counters 32; so are the combs: 255^2.
    """
    found = _measured(current, previous, parameters)
    height, width = current.height_px, current.width_px
    tiles = found.reshape(-1, STRIPS, *found.shape[1:]).sum(1, dtype=np.float64).reshape(-1, SUMS)
    strips = found[: -(-height // STRIP_LINES)].reshape(-1, SUMS)
    pixels, asked = _asked_pixels(width, height, _TILE[1]), _asked_pixels(width, height, STRIP_LINES)
    combs, of_strips = _means(tiles[:, :COMBS], pixels), _means(strips[:, :COMBS], asked)
    if previous is None:
        combs[:, 1:] = of_strips[:, 1:] = 255.0**2
    simple = tiles[:, COMBS : COMBS + VARIANCES].sum(0).astype(np.int64)
    blocks = -(-height // BLOCK_LINES) * -(-width // BLOCK_WIDTH)
    variances = tuple(map(int, _of_first(simple, blocks, previous, parameters)))
    changes, rises, falls = (16 * _means(tiles[:, part], pixels) for part in (_CHANGES, _RISES, _FALLS))
    kept = FilmStrips(
        combs=of_strips,
        changes=16 * _means(strips[:, _CHANGES], asked),
        rises=16 * _means(strips[:, _RISES], asked),
        falls=16 * _means(strips[:, _FALLS], asked),
        levels=_means(strips[:, -LEVELS:], asked),
        tiles=_tiles_of_strips(width, height),
        across=found.shape[1],
    )
    return FilmStatistics(variances, combs, pixels, changes, rises, falls, kept)


def _means(sums: Any, pixels: Any) -> Any:
    """Of tiles or strips, by their sums."""
    return sums / pixels[:, np.newaxis]


@lru_cache(maxsize=16)
def _asked_pixels(width: int, height: int, lines: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Of every tile of so many lines; not to be written."""
    across = np.diff(np.minimum(np.arange(0, width + _TILE[0], _TILE[0]), width))
    down = np.diff((np.minimum(np.arange(0, height + lines, lines), height) + 1) // 2)
    pixels = np.outer(down, across).ravel().astype(np.float64)
    pixels.flags.writeable = False
    return pixels


@lru_cache(maxsize=16)
def _tiles_of_strips(width: int, height: int) -> np.ndarray[Any, np.dtype[np.intp]]:
    """The tile that each strip is of; not to be written."""
    down, across = -(-height // STRIP_LINES), -(-width // _TILE[0])
    tiles = (np.arange(down)[:, np.newaxis] // STRIPS * across + np.arange(across)).ravel()
    tiles.flags.writeable = False
    return tiles


def strip_area(strip: int, width_px: int) -> tuple[slice, slice]:
    """Lines and columns of a strip of `FilmStatistics`; both may end beyond the picture."""
    down, across = divmod(strip, -(-width_px // _TILE[0]))
    return (
        slice(down * STRIP_LINES, (down + 1) * STRIP_LINES),
        slice(across * _TILE[0], (across + 1) * _TILE[0]),
    )


class FilmVariances:
    """The variances of two frames, measured once when they are asked for, unless they are ``known``."""

    def __init__(
        self, frame: Frame, before: Frame | None, parameters: FilmParameters, known: tuple[int, ...] | None = None
    ) -> None:
        self._given = frame, before, parameters
        self._known = known

    def __call__(self) -> tuple[int, ...]:
        """All eleven."""
        if self._known is None:
            self._known = measure_film(*self._given).variances
        return self._known


def block_variances(
    current: Frame, previous: Frame | None, parameters: FilmParameters
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The eleven variances of every 16x4 block, (blocks down, blocks across, 11); see `measure_film`.

    The writeback message has 16 bits for each of the first five, which saturate.
    """
    found = current.device.download(block_variances_on_device(current, previous, parameters))
    return np.asarray(found.astype(np.int64))


def block_variances_on_device(current: Frame, previous: Frame | None, parameters: FilmParameters) -> Array:
    """The same as uint32, where the frames are."""
    _, _, blocks = _launched(current, previous, parameters, True)
    assert blocks is not None
    return _of_first(blocks, 1, previous, parameters)


def _measured(current: Frame, previous: Frame | None, parameters: FilmParameters) -> Any:
    """Sums of every strip of whole tiles, (down, across, 19) with the combs first."""
    device = current.device
    across, sums, _ = _launched(current, previous, parameters, False)
    (found,) = device.start_download([sums]).result()
    if (step := _TILE[0] // TILE_WIDTH[device.tile_limits]) > 1:
        found = np.add.reduceat(found, range(0, across, step), axis=1)
    if missing := -len(found) % STRIPS:
        found = np.pad(found, ((0, missing), (0, 0), (0, 0)))
    return found


def _launched(
    current: Frame, previous: Frame | None, parameters: FilmParameters, per_block: bool
) -> tuple[int, Array, Array | None]:
    """How many tiles there are across, sums of strips of these, and if wanted of every block."""
    device, luma = current.device, Samples.of(current, "Y")
    before = luma if previous is None else Samples.of(previous, "Y")
    require_alike("pictures that film is looked for in", luma, before)
    shape = -(-luma.height // BLOCK_LINES), -(-luma.width // BLOCK_WIDTH), VARIANCES
    across = -(-luma.width // TILE_WIDTH[device.tile_limits])
    down = -(-luma.height // TILE_LINES[device.tile_limits])
    strips = TILE_LINES[device.tile_limits] // STRIP_LINES
    sums = device.empty((down * strips, across, SUMS), "<u4")
    blocks = device.empty(shape, "<u4") if per_block else None
    arrays = (luma.array, before.array, sums, *(() if blocks is None else (blocks,)))
    params = _variance_params(device, luma, before, parameters, previous is None, sums, blocks)
    device.launch(Launch(f"film_variances_{luma.type_name}", params, across, down, arrays))
    return across, sums, blocks


def _of_first(found: Array, blocks: int, previous: Frame | None, parameters: FilmParameters) -> Array:
    """Without a previous frame, what reads it indicates a maximum difference."""
    if previous is None:
        for number in _WITH_PREVIOUS:
            found[..., number] = 0xFFFF * blocks
        found[..., 9:] = (_BLOCK_PIXELS if parameters.tear <= _BLOCK_PIXELS else 0) * blocks
    return found


def _variance_params(
    device: Device,
    luma: Samples,
    before: Samples,
    parameters: FilmParameters,
    is_first: bool,
    sums: Array,
    blocks: Array | None,
) -> np.void:
    current, previous = (replace(samples, shift=samples.shift + samples.bits - 8) for samples in (luma, before))
    return _PARAMS(
        current=source_record(device, current),
        previous=source_record(device, previous),
        sums=device.address(sums),
        blocks=0 if blocks is None else device.address(blocks),
        blocks_pitch_B=0 if blocks is None else int(blocks.strides[0]),
        width=luma.width,
        height=luma.height,
        still=-1 if is_first else parameters.tdiff,
        half_vdiff1=(parameters.vdiff1 + 1) // 2,
        root_vdiff2=math.isqrt(parameters.vdiff2 - 1) + 1 if parameters.vdiff2 else 0,
        tear=parameters.tear,
        only_beside=int(parameters.erratum),
        comb_change=0 if is_first else COMB_CHANGE,
        least_change=0 if is_first else math.isqrt(parameters.tdiff // 2) + 1,
    )


class FilmCounters:
    """The two sets of accumulators, one for each of two streams (seed 003:1516-1520).

    Simple differences have registers of 32 bits and counters of 24; a sum that does not fit loses its upper bits.
    """

    def __init__(self) -> None:
        self._sums = np.zeros((2, VARIANCES), np.int64)

    def add(self, stream_id: int, blocks: np.ndarray[Any, np.dtype[np.int64]]) -> None:
        """Add the variances of blocks (..., 11) to a stream's. Raises StateError for a stream other than 0 and 1."""
        sums = self._of(stream_id)
        sums += blocks.reshape(-1, VARIANCES).sum(0)
        sums &= (1 << _REGISTER_BITS.astype(np.int64)) - 1

    def read(self, stream_id: int) -> tuple[int, ...]:
        """The eleven sums of a stream."""
        return tuple(int(v) for v in self._of(stream_id))

    def clear(self, stream_id: int) -> None:
        """Begin a stream's next frame."""
        self._of(stream_id)[:] = 0

    def _of(self, stream_id: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        if stream_id not in (0, 1):
            raise StateError(f"stream id must be 0 or 1, found {stream_id!r}")
        view: np.ndarray[Any, np.dtype[np.int64]] = self._sums[stream_id]
        return view
