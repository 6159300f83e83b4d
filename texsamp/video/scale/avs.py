"""The adaptive video scaler: planes in, planes out, driven by positions, tables and adaptive state.

The arithmetic is in `kernels/scale*.h`; here it is decided which kernel may run, on which tiles, with which bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from texsamp.device.base import Array, Device, Launch
from texsamp.device.kept import kept
from texsamp.device.params import params_type
from texsamp.errors import StateError
from texsamp.video.presets.avs import AdaptiveParameters, AdaptiveRule
from texsamp.video.samples import Samples, plane_record
from texsamp.video.scale.positions import PHASES, Positions
from texsamp.video.scale.tables import SMOOTH_TABLE, AvsTables, Table, bounds

Edge = Literal["clamp", "mirror"]
Output = Literal["same", "full16"]

_LINEAR = params_type("ScaleLinearParams")
_ADAPTIVE = params_type("ScaleAdaptiveParams")
_MAX_PLANES = _ADAPTIVE.dtype["planes"].shape[0]
"""R, G, B, A and the guide made of them."""
_RGB_GUIDE = params_type("RgbGuideParams")


@dataclass(frozen=True)
class TileLimits:
    """Scratch sizes of `kernels/scale.h` (a test holds the two together)."""

    src_width: int
    src_height: int
    dst_width: int
    dst_height: int


_FILTER_AND_ROUNDING = 11
"""Samples of a filter, and those that single precision and rounding down may add to the way between two positions."""
_TILE_UNIT = 32
"""Outputs that most vectors hold: what is left of a line takes as long as several of them."""
TILE_LIMITS = {"host": TileLimits(160, 192, 128, 128), "device": TileLimits(64, 48, 32, 32)}


def _largest_tile(positions: Positions, limit: int, most: int) -> int:
    """The longest run of outputs, at most ``most``, whose source windows all fit in ``limit`` samples.

    Or a shorter one that fills vectors, where its windows fit as well: they begin at other outputs.
    """
    base = positions.astype(np.int64) >> 5
    if (np.diff(base) < 0).any():
        raise StateError("positions must not decrease: negative Delta U and Delta V are not supported (seed 003:5000)")

    def fits(tile: int) -> bool:
        last = np.minimum(np.arange(0, len(base), tile) + tile - 1, len(base) - 1)
        return bool((base[last] - base[::tile]).max() + 8 <= limit)

    tile = min(most, len(base))
    while tile > 1 and not fits(tile):
        tile -= 1
    whole = tile - tile % _TILE_UNIT
    return whole if whole and fits(whole) else tile


def _exact_in_float(low: int, high: int, taps: Table) -> bool:
    """Whether floats hold every sum of taps over values in [low, high], and the rounding half: integers below 2^24."""
    return max(high, -low) * int(np.abs(taps).sum(axis=1).max()) + (1 << 11) < 1 << 24


def _pairs_fit(taps: Table) -> bool:
    """Whether 16 bits hold a byte times each even coefficient plus one times the next, which fit bytes with signs."""
    pairs = taps.astype(np.int64).reshape(-1, 2)
    above, below = np.maximum(pairs, 0).sum(axis=1).max(), np.minimum(pairs, 0).sum(axis=1).min()
    return bool(below >= -128 and above <= 128 and pairs.max() < 128)


def _allowed(x_taps: Table, y_taps: Table, source: Samples) -> tuple[str, dict[str, int]]:
    """What tables allow kernels to assume: a suffix of the kernel's name and fields of its parameters."""
    outer = (0, 1, 6, 7)
    four = not (x_taps[:, outer].any() or y_taps[:, outer].any())
    low, high = bounds(x_taps, 0, source.max_value)
    fits = _exact_in_float(low, high, y_taps)
    if source.type_name == "u8":
        fits = fits and low >= -(1 << 15) and high < 1 << 15
    return "" if fits else "_wide", {"taps": 4 if four else 8, "in_pairs": int(_pairs_fit(x_taps))}


_ONE_TEXEL = (0, 0, 0, 64, 0, 0, 0, 0)
_ALL_SHARP = 256


def _sharp_weight(default_sharpness: int) -> int:
    """Weight of the sharp filter out of 256: 255 means all (Sandy Bridge PRM volume 4 part 1, page 61)."""
    return _ALL_SHARP if default_sharpness == 255 else default_sharpness


def _ramps(state: AdaptiveParameters) -> dict[str, int]:
    """Both ramps of the adaptive weight: they begin at the derivative and rise by 2^shift a step until their width.

    The width is 2^transition, where the ramp has risen to 256, or, literally, 2^(8 - transition), which jumps for
    transitions above 4; below, the ramp is cut at 256 before.
    """
    ramps = {}
    for pixels in (8, 4):
        transition = getattr(state, f"transition{pixels}")
        shift = 8 - transition
        ramps[f"max_derivative{pixels}"] = getattr(state, f"max_derivative{pixels}")
        ramps[f"shift{pixels}"] = shift
        ramps[f"width{pixels}"] = 1 << (min(transition, shift) if state.rule == "literal" else transition)
    return ramps


class AvsPlane:
    """Everything that stays the same when planes of one size are scaled again and again.

    Made once per stream and plane size; holds the positions and tables on the device.
    """

    def __init__(
        self,
        device: Device,
        source_size: tuple[int, int],
        positions: tuple[Positions, Positions],
        tables: AvsTables,
        adaptive: AdaptiveParameters,
        edge: Edge = "clamp",
        output: Output = "same",
    ) -> None:
        """``source_size`` is (width, height) in samples; ``positions`` are (x, y) of every output column and row."""
        self.device = device
        self.tables = tables
        self.adaptive = adaptive
        self.output = output
        limits = TILE_LIMITS[device.tile_limits]
        x, y = (np.ascontiguousarray(axis, dtype=np.int32) for axis in positions)
        self._tile = (
            _largest_tile(x, limits.src_width, limits.dst_width),
            _largest_tile(y, limits.src_height, limits.dst_height),
        )
        self._block_rows = 0
        self.source_size = source_size
        self.output_size = (len(x), len(y))
        self.keeps_samples = (
            output == "same"
            and self.output_size == tuple(source_size)
            and all(bool((axis == PHASES * np.arange(len(axis))).all()) for axis in (x, y))
            and all(tuple(table[0]) == _ONE_TEXEL for table in vars(tables).values())
        )
        """Whether every result is the sample at its place, sharp and smooth alike."""
        self._positions: tuple[Array, ...] = tuple(kept(device, (x, y)))
        self._mirror = int(edge == "mirror")
        self._uploaded: list[Array] = []
        self._geometries: dict[tuple[int, int], tuple[int, ...]] = {}
        self._allowed: dict[tuple[int, int, str, int], tuple[str, dict[str, int]]] = {}

    # -- launches ----------------------------------------------------------------------------------------------------

    def launches(self, channels: Sequence[tuple[Samples, Samples]], guide: int | None) -> list[Launch]:
        """Launches that scale ``channels`` (pairs of source and target).

        ``guide`` is the index of the Y or G channel: it uses table 0 and adapts; the others use table 1 and the fixed
        blend unless "adaptive all channels" is set. A group without a guide (subsampled chroma) is None.
        """
        for source, target in channels:
            self._check(source, target)
        if len({source.type_name for source, _ in channels}) > 1:
            raise StateError("channels scaled together must have elements of one type, found u8 and u16")
        state = self.adaptive
        if guide is None or (state.bypass_x and state.bypass_y):
            return [self._fixed(s, t, primary=i == guide) for i, (s, t) in enumerate(channels)]
        blended: list[tuple[Samples, Samples | None]] = [channels[guide]]
        launches = []
        for i, (source, target) in enumerate(channels):
            if i != guide and state.adaptive_all_channels:
                blended.append((source, target))
            elif i != guide:
                launches.append(self._fixed(source, target, primary=False))
        if state.rgb_adaptive:
            blended.insert(0, (self._rgb_guide([source for source, _ in channels], guide), None))
        return [self._blended(blended, self.tables.table_0x, self.tables.table_0y, state), *launches]

    def _check(self, source: Samples, target: Samples) -> None:
        if (source.width, source.height) != self.source_size or (target.width, target.height) != self.output_size:
            raise StateError(
                f"this plan scales {self.source_size} to {self.output_size}, "
                f"found {(source.width, source.height)} to {(target.width, target.height)}"
            )
        if source.array.dtype != target.array.dtype:
            raise StateError(
                f"the scaler keeps the type of elements, found {source.array.dtype} to {target.array.dtype}"
            )
        if self.output == "full16" and (source.type_name, source.bits) != ("u16", 8):
            raise StateError(
                f"output full16 takes 8-bit samples in 16-bit elements, found {source.bits} bits "
                f"in {source.array.dtype.itemsize * 8}"
            )
        if self.output == "same" and source.bits != target.bits:
            raise StateError(f"output same keeps the bits of a sample, found {source.bits} to {target.bits}")

    def _fixed(self, source: Samples, target: Samples, *, primary: bool) -> Launch:
        """One channel with the Default Sharpness blend; all sharp and all smooth need no blending."""
        tables = (
            (self.tables.table_0x, self.tables.table_0y) if primary else (self.tables.table_1x, self.tables.table_1y)
        )
        weight = _sharp_weight(self.adaptive.default_sharpness)
        if weight in (0, _ALL_SHARP):
            x, y = tables if weight else (SMOOTH_TABLE, SMOOTH_TABLE)
            return self._linear(source, target, x, y)
        fixed = replace(self.adaptive, bypass_x=True, bypass_y=True)
        return self._blended([(source, target)], *tables, fixed)

    def _linear(self, source: Samples, target: Samples, x_taps: Table, y_taps: Table) -> Launch:
        key = (id(x_taps), id(y_taps), source.type_name, source.max_value)
        if key not in self._allowed:
            self._allowed[key] = _allowed(x_taps, y_taps, source)
        suffix, fields = self._allowed[key]
        params = _LINEAR(
            plane=plane_record(self.device, source, target),
            geometry=self._geometry(x_taps, y_taps),
            **fields,
        )
        return self._launch(f"scale_{source.type_name}{suffix}", params, (source.array, target.array))

    def _blended(
        self,
        channels: Sequence[tuple[Samples, Samples | None]],
        x_taps: Table,
        y_taps: Table,
        state: AdaptiveParameters,
    ) -> Launch:
        source = channels[0][0]
        max_value = max(s.max_value for s, _ in channels)
        low, high = bounds(x_taps, 0, max_value)
        low, high = min(low, 0), max(high, 64 * max_value)
        if source.type_name == "u8":
            fits = low - 64 * max_value >= -(1 << 15) and high < 1 << 15 and _exact_in_float(low, high, y_taps)
        else:
            y_low, y_high = bounds(y_taps, low, high)
            sharp_max = max_value << 12
            fits = max(64 * high, sharp_max - 64 * low, y_high, -y_low) * 256 < 1 << 31
        weight = _sharp_weight(state.default_sharpness)
        records = [plane_record(self.device, s, t) for s, t in channels]
        params = _ADAPTIVE(
            planes=records + [records[0]] * (_MAX_PLANES - len(records)),
            geometry=self._geometry(x_taps, y_taps),
            plane_count=len(channels),
            guide_shift=max(source.bits - 8, 0),
            **_ramps(state),
            fixed_x=weight if state.bypass_x else -1,
            fixed_y=weight if state.bypass_y else -1,
            rule=get_args(AdaptiveRule).index(state.rule),
            in_pairs=int(_pairs_fit(x_taps)),
        )
        arrays = tuple(part.array for pair in channels for part in pair if part is not None)
        return self._launch(f"adaptive_{source.type_name}{'' if fits else '_wide'}", params, arrays)

    def _rgb_guide(self, channels: Sequence[Samples], guide: int) -> Samples:
        """The plane (R + 2G + B) >> 2 of channels in R, G, B order; it is made at once, since others read it."""
        if len(channels) < 3 or guide != 1:
            raise StateError(f"RGB adaptive needs channels R, G, B with guide 1, found {len(channels)}, guide {guide}")
        red, green, blue = channels[:3]
        if len({(c.pitch_B, c.step, c.shift, c.bits, c.type_name) for c in (red, green, blue)}) > 1:
            raise StateError("RGB adaptive needs R, G and B with one pitch, step, shift and number of bits")
        plane = Samples.plane(self.device.empty((green.height, green.width), green.array.dtype), green.bits)
        params = _RGB_GUIDE(
            red=red.address(self.device),
            green=green.address(self.device),
            blue=blue.address(self.device),
            guide=plane.address(self.device),
            src_pitch_B=green.pitch_B,
            guide_pitch_B=plane.pitch_B,
            step=green.step,
            width=green.width,
            shift=green.shift,
            max=green.max_value,
        )
        arrays = (red.array, green.array, blue.array, plane.array)
        self.device.launch(Launch(f"rgb_guide_{green.type_name}", params, 1, green.height, arrays))
        return plane

    # -- parameters --------------------------------------------------------------------------------------------------

    def _geometry(self, x_taps: Table, y_taps: Table) -> tuple[int, ...]:
        key = (id(x_taps), id(y_taps))
        if key not in self._geometries:
            taps = kept(self.device, [np.ascontiguousarray(table) for table in (x_taps, y_taps)])
            self._uploaded += taps
            arrays = (*self._positions, *taps)
            self._geometries[key] = (
                *map(self.device.address, arrays),
                *self.source_size,
                *self.output_size,
                *self._tile,
                self._mirror,
                4 if self.output == "full16" else 12,
                self._block_rows,
                0,
            )
        return self._geometries[key]

    def _launch(self, kernel: str, params: np.void, arrays: tuple[Array, ...]) -> Launch:
        columns, rows = self.output_size
        tiles = (-(-columns // self._tile[0]), -(-rows // self._tile[1]))
        return Launch(kernel, params, *tiles, (*arrays, *self._positions, *self._uploaded))


class AvsBlocks(AvsPlane):
    """Blocks of one size with places of their own, which are on a device; in planes of 16 bits one below the other."""

    def __init__(
        self,
        device: Device,
        source_size: tuple[int, int],
        positions: tuple[Array, Array],
        steps: tuple[float, float],
        tables: AvsTables,
        adaptive: AdaptiveParameters,
    ) -> None:
        """positions: of columns and rows of each block, int32 (blocks, columns) and (blocks, rows), not decreasing.

        steps: from one position to the next at most, in samples.
        """
        limits = TILE_LIMITS[device.tile_limits]
        (count, columns), rows = positions[0].shape, positions[1].shape[1]
        self.device, self.tables, self.adaptive, self.output = device, tables, adaptive, "full16"
        self._tile = (
            _tile_of_blocks(columns, steps[0], min(limits.dst_width, columns), limits.src_width),
            _tile_of_blocks(rows, steps[1], min(limits.dst_height, rows), limits.src_height),
        )
        self._block_rows = rows
        self.source_size, self.output_size, self.keeps_samples = source_size, (columns, count * rows), False
        self._positions, self._mirror, self._uploaded = positions, 0, []
        self._geometries, self._allowed = {}, {}


def _tile_of_blocks(size: int, step: float, most: int, limit: int) -> int:
    """Outputs of a tile, which divide those of a block, so few that their source windows fit in ``limit`` samples."""
    for tile in range(most, 1, -1):
        if size % tile == 0 and step * (tile - 1) + _FILTER_AND_ROUNDING <= limit:
            return tile
    return 1
