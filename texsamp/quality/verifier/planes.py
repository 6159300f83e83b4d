"""Filters of planes of finite texels, lines and faces of cubes among them, without a look at what cannot be there.

It says what `footprint` says of the same samples, in a fraction of the time: samples of one level with as many probes
are taken together, a few thousand probes at a time, from levels with what lies beyond their edges around them. Of 8-bit
textures it does so in integers: a texel's channels are lanes of one number, and nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.quality.verifier.anisotropy import probe_count, probe_weights
from texsamp.quality.verifier.footprint import Color, Taps, Where
from texsamp.quality.verifier.framed import SIDE, Framed, framed
from texsamp.quality.verifier.precision import Precision
from texsamp.quality.verifier.texture import CHANNELS, Flags, Integers, Numbers, Rules, Texture

Lanes = NDArray[np.uint64]
"""Four channels in 16 bits each, or two in 32."""
Floats = NDArray[np.floating[Any]]
Places = NDArray[np.signedinteger[Any]]
"""Positions of 32 bits where they fit, else of 64."""

POSITION_BITS = 8
"""With more, two weights and a code would leave their lane."""
TOGETHER = 1 << 16
"""Probes that are filtered together: with fewer of them threads wait for Python's lock, with more for memory."""
_ONE = 1 << POSITION_BITS
_EVEN = np.uint64(0x0000FFFF0000FFFF)
_HALF = np.uint64(0x0000008000000080)
_WORD, _BYTE, _UNIT = np.uint64(16), np.uint64(8), np.uint64(_ONE)
_WHOLE = 65536
"""What weights of probes sum up to."""
_WEIGHTS = np.repeat(np.arange(_ONE + 1)[:, None] / _ONE, CHANNELS, axis=1)
"""By their codes, for each channel: rows of four are taken faster than one number is spread over them."""
_SINGLE_WEIGHTS = _WEIGHTS.astype(np.float32)
_TILE_BITS = 6
"""Of a tile's size in texels."""
_MOST_PROBES, _MOST_LEVELS = 16, 16
"""That are told apart."""
_FITS = 1 << 30
_ROUNDINGS = 11
"""Of texels and their blend in single precision, 2^-24 of the largest number each; sums add half of their count."""
_LEAST = 2.0**-120
"""Where single precision runs out of small numbers, nothing is sure."""
_MUCH = 2.0**100


def is_plane(texture: Texture, rules: Rules, precision: Precision, linear: Flags) -> bool:
    """Whether all that samples are made of are finite texels of a plane, at positions in steps.

    Neighbors of nearest texels must not widen what floats may be off by, so floats are all linear.
    """
    is_float = texture.has_floats and texture.finite and not texture.unorm8
    modes = rules.address[: texture.axes]
    return (
        texture.type != "3D"
        and (texture.has_codes or (is_float and bool(linear.all())))
        and not rules.compare
        and precision.snap
        and precision.position_bits == POSITION_BITS
        and rules.max_anisotropy <= _MOST_PROBES
        and len(texture.sizes) <= _MOST_LEVELS
        and (texture.holds(rules.border) or not any("border" in mode for mode in modes))
        and rules.resource_min_lod <= len(texture.sizes) - 1
    )


@dataclass(frozen=True)
class _Lines:
    """Lines of probes. places: of their middles, in 1/32 steps, rounded; ways: half of those from probe to probe.

    Both are along both axes, (2, samples). weights: of the first, the inner and the last probe, 1/65536; (3, samples).
    """

    places: Places
    ways: Places
    slices: Integers
    weights: Integers

    def take(self, some: Integers) -> _Lines:
        """Some of them."""
        return _Lines(*(each.take(some, axis=-1) for each in vars(self).values()))

    def part(self, some: slice) -> _Lines:
        """Those that follow each other."""
        return _Lines(*(each[..., some] for each in vars(self).values()))


def is_moderate(texture: Texture, rules: Rules) -> bool:
    """Whether no blend of texels is too large for single precision."""
    return max(texture.largest, *map(abs, rules.border)) < _MUCH


def plane_color(
    texture: Texture,
    rules: Rules,
    at: Where,
    taps: Sequence[Taps],
    steps: Sequence[Integers],
    ratio: Integers,
    sure_bits: int | None = None,
) -> Color:
    """One level, of samples with probes or without, as `footprint.probes_color`.

    sure_bits: significant bits that floats must have. They are then filtered in single precision, which takes half of
    the time, and the largest number is smaller by what that may be off: what lies within the bits of it is right.
    """
    counts = probe_count(ratio)
    places, ways = np.zeros((2, 2, len(ratio)), np.int64)
    for axis, (tap, step) in enumerate(zip(taps, steps, strict=True)):
        places[axis], ways[axis] = tap.first * _ONE + (tap.least * _ONE).astype(np.int64), step
    slices = at.slice * 6 + at.face if texture.type == "CUBE" else at.slice
    order, groups = _groups(at.level, counts, places)
    reach = 32 * int(abs(places).max()) + int(abs(ways).max()) * int(counts.max())
    kind = np.int32 if reach < _FITS else np.int64
    lines = _Lines((32 * places + 16).astype(kind), ways.astype(kind), slices, _weights(ratio)).take(order)
    single = sure_bits is not None
    parts = [(framed(texture, rules, level, single), lines.part(some), count) for level, count, some in groups]
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    no = np.broadcast_to(False, (len(order), CHANNELS))
    if texture.has_codes:
        color = _numbers(np.concatenate([_codes(*part) for part in parts], axis=1)).take(back, axis=0)
        return Color(color, color, np.broadcast_to(0.0, color.shape), no)
    least = np.abs(rules.border) if "half_border" in rules.address else np.zeros(CHANNELS)
    floats = [_floats(*part, least, sure_bits) for part in parts]
    color, largest = (np.concatenate(each).take(back, axis=0) for each in zip(*floats, strict=True))
    return Color(color, color, largest, no)


def _weights(ratio: Integers) -> Integers:
    """Of the first, the inner and the last probe, looked up; the first has what the others leave of 1."""
    ratios = np.arange(1, int(ratio.max()) + 1)
    inner, outer = probe_weights(ratios)
    return np.stack([_WHOLE - (probe_count(ratios) - 2) * inner - outer, inner, outer]).take(ratio - 1, axis=1)


def _groups(levels: Integers, counts: Integers, places: Integers) -> tuple[Integers, list[tuple[int, int, slice]]]:
    """An order of samples, and what is filtered together in it: level, count of probes, and where the samples are.

    Of one level and count, neighbors in the texture follow each other: caches hold what the next ones need.
    """
    kinds = levels << 4 | counts >> 1
    x, y = places >> POSITION_BITS + _TILE_BITS & 15
    order = np.argsort((kinds << 8 | y << 4 | x).astype(np.uint16), kind="stable")  # by their digits
    groups, begin = [], 0
    for kind, size in enumerate(np.bincount(kinds).tolist()):
        count = max((kind & 15) << 1, 1)
        end, step = begin + size, TOGETHER // count
        groups += [(kind >> 4, count, slice(at, min(at + step, end))) for at in range(begin, end, step)]
        begin = end
    return order, groups


class _Probes:
    """Of so many probes of each sample: the first of each one's four texels, and weights of the right and lower ones.

    index, weights: (probes, samples).
    """

    def __init__(self, table: Framed, lines: _Lines, count: int) -> None:
        number = np.arange(1 - count, count, 2, dtype=lines.ways.dtype)[:, None]
        texels, self.weights = [], []
        for place, way, size, mode in zip(lines.places, lines.ways, table.size, table.modes, strict=True):
            probes = way * number
            probes += place
            probes >>= 5
            texel, weight = (_mirrored if "mirror" in mode else _repeated)(probes, size, mode)
            texels.append(texel)
            self.weights.append(weight)
        x, y = texels
        y *= table.row
        y += x
        y += SIDE * (table.row + 1)
        self.index = y.astype(np.int64)
        if lines.slices.any():
            self.index += lines.slices * table.area
        self.row = table.row


def _repeated(places: Places, size: int, mode: str) -> tuple[Places, Places]:
    """Left texels in the frame and weights of the right ones, of positions; in place."""
    whole = size * _ONE
    if mode != "wrap":
        np.clip(places, -SIDE * _ONE, whole, out=places)
    else:
        _modulo(places, whole)
    weights = places & _ONE - 1
    places >>= POSITION_BITS
    return places, weights


def _modulo(places: Places, period: int) -> None:
    """In place; remainders themselves are slow."""
    if period & period - 1:
        places -= places // period * period
    else:
        places &= period - 1


def _mirrored(places: Places, size: int, mode: str) -> tuple[Places, Places]:
    """In fourths of a step and one more, so that a mirrored 0 is a weight of 1 for what was the left texel."""
    texel = 4 * _ONE
    places *= 4
    places += 1
    if mode == "mirror":
        _modulo(places, 2 * size * texel)
        np.minimum(places, (2 * size - 1) * texel - places, out=places)
    else:
        np.maximum(places, -texel - places, out=places)
        np.minimum(places, size * texel, out=places)
    weights = (places & texel - 1) + 1 >> 2
    places >>= POSITION_BITS + 2
    return places, weights


def _codes(table: Framed, lines: _Lines, count: int) -> Lanes:
    """Sums of what probes weigh: red with blue, green with alpha, (2, samples)."""
    colors = _bilinear(table.texels, _Probes(table, lines, count))
    if count == 1:
        return colors[:, 0] << _BYTE
    colors += _HALF  # 8 bits of fraction are kept of a probe, to nearest, halves up
    colors >>= _BYTE
    colors &= _EVEN
    first, inner, last = lines.weights.view(np.uint64)
    total: Lanes = colors[:, 1:-1].sum(axis=1) * inner
    total += colors[:, 0] * first
    total += colors[:, -1] * last
    return total


def _floats(table: Framed, lines: _Lines, count: int, least: Numbers, sure_bits: int | None) -> tuple[Numbers, Numbers]:
    """Colors, and the largest number that takes part in each channel, more for each probe, less what is not sure."""
    is_sure = sure_bits is not None
    colors, sizes = _bilinear_floats(table, _Probes(table, lines, count), is_sure)
    color: Floats = colors[0]
    if count > 1:
        first, inner, last = (lines.weights / _WHOLE)[:, :, None]
        color = colors[1:-1].sum(axis=0) * inner + color * first + colors[-1] * last
    if least.any():
        sizes = np.maximum(sizes, least)
    factor = 1 + count / 8 if count > 1 else 1.0
    if sure_bits is not None:
        factor -= (_ROUNDINGS + count / 2) * 2.0 ** (sure_bits - 24)
    largest = np.multiply(sizes, factor, dtype=np.float64)
    if is_sure:
        np.subtract(largest, _LEAST, out=largest, where=table.vanish or sizes != 0)
    return color.astype(np.float64, copy=False), largest


def _bilinear(texels: Lanes, probes: _Probes) -> Lanes:
    """Of each probe, with 16 bits of fraction, (2, probes, samples)."""
    right, lower = (weight.astype(np.uint64) for weight in probes.weights)
    left, made = _UNIT - right, []
    for begin, weight in ((0, _UNIT - lower), (probes.row, lower)):
        blend, more = texels[begin:].take(probes.index), texels[begin + 1 :].take(probes.index)
        blend *= left
        more *= right
        blend += more
        split = np.empty((2, *blend.shape), np.uint64)
        np.bitwise_and(blend, _EVEN, out=split[0])
        np.right_shift(blend, _WORD, out=split[1])
        split[1] &= _EVEN
        split *= weight
        made.append(split)
    made[0] += made[1]
    return made[0]


def _bilinear_floats(table: Framed, probes: _Probes, single: bool) -> tuple[Floats, Floats]:
    """The blends of four texels, and the largest of all of them for each sample."""
    weights: Floats = _SINGLE_WEIGHTS if single else _WEIGHTS
    right, lower = (weights.take(weight, axis=0) for weight in probes.weights)
    largest, made = [], []
    for begin in (0, probes.row):
        color, more = (
            table.texels[at:].take(probes.index, axis=0).astype(weights.dtype, copy=False) for at in (begin, begin + 1)
        )
        sizes = (abs(each) for each in (color, more)) if table.signed else (color, more)
        largest.append(np.maximum.reduce(np.maximum(*sizes)))
        made.append(_lerp(color, more, right))
    return _lerp(made[0], made[1], lower), np.maximum(*largest)


def _lerp(a: Floats, b: Floats, weight: Floats) -> Floats:
    """In place of b."""
    b -= a
    b *= weight
    b += a
    return b


def _numbers(lanes: Lanes) -> Numbers:
    """Four channels of sums."""
    words = lanes.astype("<u8").view("<u4").reshape(2, -1, 2)  # red, blue; green, alpha
    return np.asarray(words.transpose(1, 2, 0).reshape(-1, CHANNELS) / (255 * 256 * _WHOLE))
