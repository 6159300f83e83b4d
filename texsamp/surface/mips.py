"""Smaller mip levels: rows of filter taps as plain tables, and the kernels that apply them (`docs/surfaces.md`)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np

from texsamp.device import Device, Launch
from texsamp.device.arguments import short
from texsamp.device.base import Array
from texsamp.device.params import params_type
from texsamp.errors import FormatError
from texsamp.state.formats import SurfaceFormatInfo

MipFilter = Literal["box", "kaiser", "lanczos"]
MipEdge = Literal["clamp", "wrap"]

LOBES = 3
"""Kaiser and Lanczos reach this many texels of the smaller level to each side."""
KAISER_ALPHA = 4.0

RUN = {"host": 8192, "device": 1024}
"""MIP_RUN of `kernels/mips.h`: values of a line in one tile (a test holds them together)."""
VALUES = {"host": 24576, "device": 3072}
"""MIP_VALUES: values in one tile of the kernels that load and store."""
_LINES = 16
_MAX_TILES_Y = 1 << 15
_SRGB_ORDER = "RGBLA"
_KINDS = ("unorm", "snorm", "float", "sharedexp", "exponent", "pad")

_AXIS_PARAMS = params_type("MipAxisParams")
_VALUES_PARAMS = params_type("MipValuesParams")

_Table = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class FilterRows:
    """Taps of every sample of the smaller level: row j uses the first ``counts[j]`` of its samples and weights."""

    samples: _Table  # int32 (to, taps): samples of the larger level
    weights: _Table  # float32 (to, taps)
    counts: _Table  # int32 (to,)


def _box(source: int, target: int, index: int) -> list[tuple[int, float]]:
    """The part of each texel that the smaller one covers, exactly."""
    scale = Fraction(source, target)
    begin, end = index * scale, (index + 1) * scale
    inside = range(math.floor(begin), math.ceil(end))
    return [(i, float((min(end, Fraction(i + 1)) - max(begin, Fraction(i))) / scale)) for i in inside]


def _sinc(x: float) -> float:
    return math.sin(math.pi * x) / (math.pi * x) if x else 1.0


def _bessel_i0(x: float) -> float:
    """Modified Bessel function of order 0, by its power series."""
    term = total = 1.0
    for k in range(1, 64):
        term *= (x / (2 * k)) ** 2
        if total + term == total:  # as it will be of all that follow, which are smaller
            break
        total += term
    return total


def _kaiser_window(x: float) -> float:
    return _bessel_i0(KAISER_ALPHA * math.sqrt(max(1 - x * x, 0.0))) / _bessel_i0(KAISER_ALPHA)


_WINDOWS = {"kaiser": _kaiser_window, "lanczos": _sinc}


def _windowed_sinc(window: str, source: int, target: int, index: int) -> list[tuple[int, float]]:
    """A sinc of the smaller level's frequency under a window, at the texels' centers, with the sum 1."""
    scale = source / target
    center, reach = (index + 0.5) * scale, LOBES * scale
    inside = range(math.ceil(center - reach - 0.5), math.floor(center + reach - 0.5) + 1)
    places = [(i, (i + 0.5 - center) / scale) for i in inside]
    taps = [(i, _sinc(t) * _WINDOWS[window](t / LOBES)) for i, t in places if abs(t) < LOBES]
    total = math.fsum(weight for _, weight in taps)
    return [(i, weight / total) for i, weight in taps]


def check_filter(filter: str, edge: str) -> None:
    """Raises FormatError for an unknown filter or edge."""
    if not isinstance(filter, str) or filter not in get_args(MipFilter):
        raise FormatError(f"mips must be made with {', '.join(get_args(MipFilter))}, found {short(filter)}")
    if not isinstance(edge, str) or edge not in get_args(MipEdge):
        raise FormatError(f"edge must be {' or '.join(get_args(MipEdge))}, found {short(edge)}")


def level_count(sizes_px: Sequence[int], filter: MipFilter | None, levels: int | None) -> int:
    """Levels to make: as many as asked for, else all with a filter and one without. Raises FormatError."""
    if filter is None and levels not in (None, 1):
        raise FormatError(f"{levels} levels need a filter that makes them: mips must be box, kaiser or lanczos")
    if levels is not None:
        return levels
    return 1 if filter is None else max(sizes_px).bit_length()


@lru_cache(maxsize=256)
def filter_rows(source: int, target: int, filter: MipFilter, edge: MipEdge = "clamp") -> FilterRows:
    """Taps from ``source`` texels along an axis to ``target``. Raises FormatError for an unknown filter or edge."""
    check_filter(filter, edge)
    if filter == "box":
        rows = [_box(source, target, index) for index in range(target)]
    else:
        rows = [_windowed_sinc(filter, source, target, index) for index in range(target)]
    taps = max(len(row) for row in rows)
    samples, weights = np.zeros((target, taps), np.int32), np.zeros((target, taps), np.float32)
    for index, row in enumerate(rows):
        places = np.array([i for i, _ in row])
        samples[index, : len(row)] = places % source if edge == "wrap" else np.clip(places, 0, source - 1)
        weights[index, : len(row)] = [weight for _, weight in row]
    return FilterRows(samples, weights, np.array([len(row) for row in rows], np.int32))


@lru_cache(maxsize=256)
def _transposed_rows(source: int, target: int, filter: MipFilter, edge: MipEdge) -> FilterRows:
    """The same taps seen from each of the ``source`` texels: the ``target`` ones that it went to, in their order."""
    rows = filter_rows(source, target, filter, edge)
    lists: list[list[tuple[int, float]]] = [[] for _ in range(source)]
    for index, count in enumerate(rows.counts.tolist()):
        for place, weight in zip(rows.samples[index, :count], rows.weights[index, :count], strict=True):
            lists[place].append((index, weight))
    taps = max(1, *(len(each) for each in lists))
    samples, weights = np.zeros((source, taps), np.int32), np.zeros((source, taps), np.float32)
    for place, each in enumerate(lists):
        samples[place, : len(each)] = [index for index, _ in each]
        weights[place, : len(each)] = [weight for _, weight in each]
    return FilterRows(samples, weights, np.array([max(1, len(each)) for each in lists], np.int32))


@lru_cache(maxsize=64)
def _uploaded(device: Device, rows: FilterRows) -> tuple[Array, Array, Array]:
    return device.upload(rows.samples), device.upload(rows.weights), device.upload(rows.counts)


def _tiles(lines: int) -> tuple[int, int]:
    """Lines of a tile, and tiles."""
    lines_per_tile = max(_LINES, -(-lines // _MAX_TILES_Y))
    return lines_per_tile, -(-lines // lines_per_tile)


def _filter_axis(values: Array, axis: int, rows: FilterRows, device: Device) -> Array:
    """Values (depth, height, width, channels) with one of the first three axes through its taps."""
    shape = list(values.shape)
    source, target = shape[axis], len(rows.counts)
    shape[axis] = target
    made = device.empty(tuple(shape), np.float32)
    run, outer = math.prod(shape[axis + 1 :]), math.prod(shape[:axis])
    tables = _uploaded(device, rows)
    across = axis == 2
    lines = outer if across else outer * target
    lines_per_tile, tiles_y = _tiles(lines)
    params = _AXIS_PARAMS(
        **{"from": source},
        source=device.address(values),
        target=device.address(made),
        samples=device.address(tables[0]),
        weights=device.address(tables[1]),
        counts=device.address(tables[2]),
        to=target,
        run=run,
        taps=rows.samples.shape[1],
        lines=lines,
        lines_per_tile=lines_per_tile,
    )
    tiles_x = 1 if across else -(-run // RUN[device.tile_limits])
    kernel = "mips_across" if across else "mips_down"
    device.launch(Launch(kernel, params, tiles_x, tiles_y, (values, made, *tables)))
    return made


def _convert(kernel: str, codes: Array, values: Array, curved: int, device: Device) -> None:
    """Run a kernel that loads or stores."""
    tiles = -(-codes.size // VALUES[device.tile_limits])
    tiles_x = -(-tiles // _MAX_TILES_Y)
    params = _VALUES_PARAMS(
        codes=device.address(codes),
        values=device.address(values),
        count=codes.size,
        channels=codes.shape[-1],
        curved=curved,
        tiles_x=tiles_x,
    )
    device.launch(Launch(kernel, params, tiles_x, -(-tiles // tiles_x), (codes, values)))


class _Codes:
    """Between texels of a format's natural type and float32 values for filtering."""

    def __init__(self, info: SurfaceFormatInfo, dtype: Any, device: Device) -> None:
        strange = sorted({channel.kind for channel in info.channels} - set(_KINDS))
        if strange or not info.channels:
            raise FormatError(f"{info.name} cannot be filtered: its channels are {', '.join(strange) or 'raw'}")
        self.dtype, self.device = np.dtype(dtype), device
        if self.dtype.itemsize > (4 if self.dtype.kind == "f" else 2):
            raise FormatError(f"{info.name} cannot be filtered: float32 does not hold its {self.dtype}")
        is_srgb = info.color_space == "srgb" and self.dtype == np.uint8
        names = sorted(
            (channel.name for channel in info.channels if channel.name in _SRGB_ORDER), key=_SRGB_ORDER.index
        )
        self.curved = sum(1 << place for place, name in enumerate(names) if name != "A") if is_srgb else 0
        self.kind = "srgb" if is_srgb else f"{self.dtype.kind.replace('i', 's')}{self.dtype.itemsize * 8}"

    def load(self, texels: Array) -> Array:
        if self.dtype.kind == "f":
            return texels.astype(np.float32)
        texels = texels if texels.flags.c_contiguous else self.device.copy(texels)
        values = self.device.empty(texels.shape, np.float32)
        _convert(f"mips_load_{self.kind}", texels, values, self.curved, self.device)
        return values

    def store(self, values: Array) -> Array:
        if self.dtype.kind == "f":
            return values.astype(self.dtype)
        texels = self.device.empty(values.shape, self.dtype)
        _convert(f"mips_store_{self.kind}", texels, values, self.curved, self.device)
        return texels


def smaller_levels(
    texels: Array,
    info: SurfaceFormatInfo,
    sizes_px: Sequence[tuple[int, int, int]],
    filter: MipFilter,
    edge: MipEdge,
    device: Device,
) -> Iterator[Array]:
    """The levels of these sizes (width, height, depth), each from the one before, before that is rounded.

    texels: level 0, (depth, height, width, channels), of the format's natural type (uint8, uint16, int8 or int16 codes,
    or floats); so are the levels. Color channels of sRGB formats are filtered as linear light, if they are uint8.

    Raises FormatError for an unknown filter or edge, and for formats that cannot be filtered.
    """
    check_filter(filter, edge)
    codes = _Codes(info, texels.dtype, device)
    values = codes.load(texels)
    for size in sizes_px:
        for axis, target in ((2, size[0]), (1, size[1]), (0, size[2])):
            if values.shape[axis] != target:
                rows = filter_rows(values.shape[axis], target, filter, edge)
                values = _filter_axis(values, axis, rows, device)
        yield codes.store(values)


def level_gradients(
    levels: Sequence[Array], filter: MipFilter, edge: MipEdge, device: Device, *, volume: bool
) -> Array:
    """What a number changes by with texels of level 0 that the smaller levels are made of: `smaller_levels` transposed.

    levels: what it changes by with each level's texels while the others stay, float32 (depth, height, width, channels).
    volume: whether depth is filtered, too; else it counts slices.
    """
    total = levels[-1]
    for level in reversed(levels[:-1]):
        for axis in (0, 1, 2) if volume else (1, 2):
            if total.shape[axis] != level.shape[axis]:
                rows = _transposed_rows(level.shape[axis], total.shape[axis], filter, edge)
                total = _filter_axis(total, axis, rows, device)
        total = level + total
    return total
