"""Filters of planes of finite texels, without a look at what cannot be there.

It says what `footprint` says of the same samples, in a fraction of the time. Of 8-bit textures it does so in integers:
a texel's channels are lanes of one number, and nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from texsamp.quality.verifier.anisotropy import probe_count, probe_weights
from texsamp.quality.verifier.axes import texel_of_index
from texsamp.quality.verifier.footprint import Color, Taps, Where
from texsamp.quality.verifier.precision import Precision
from texsamp.quality.verifier.texture import CHANNELS, Flags, Integers, Numbers, Rules, Texture

Lanes = NDArray[np.uint64]
"""Four channels in 16 bits each, or two in 32."""

POSITION_BITS = 8
"""With more, two weights and a code would leave their lane."""
_ONE = 1 << POSITION_BITS
_FOLDED = ("wrap", "mirror", "clamp", "mirror_once")
_EVEN = np.uint64(0x0000FFFF0000FFFF)
_HALF = np.uint64(0x0000008000000080)
_WORD, _BYTE, _UNIT = np.uint64(16), np.uint64(8), np.uint64(_ONE)
_WHOLE = 65536
"""What weights of probes sum up to."""
_WEIGHTS: Numbers = np.repeat(np.arange(_ONE)[:, None] / _ONE, CHANNELS, axis=1)
"""By their codes, for each channel: rows of four are taken faster than one number is spread over them."""


def is_plane(texture: Texture, rules: Rules, precision: Precision, linear: Flags) -> bool:
    """Whether all that samples are made of are finite texels of a plane, at positions in steps.

    Neighbors of nearest texels must not widen what floats may be off by, so floats are all linear.
    """
    is_float = texture.has_floats and texture.finite and not texture.unorm8
    return (
        texture.type == "2D"
        and (texture.has_codes or (is_float and bool(linear.all())))
        and not rules.compare
        and precision.snap
        and precision.position_bits == POSITION_BITS
        and all(mode in _FOLDED for mode in rules.address[:2])
        and rules.resource_min_lod <= len(texture.sizes) - 1
    )


def plane_color(
    texture: Texture, rules: Rules, at: Where, taps: Sequence[Taps], steps: Sequence[Integers], ratio: Integers
) -> Color:
    """One level, of samples with probes or without, as `footprint.probes_color`."""
    counts = probe_count(ratio)
    centers = np.stack([tap.first * _ONE + np.rint(tap.least * _ONE).astype(np.int64) for tap in taps])
    ways = np.stack(steps)
    found = np.flatnonzero(np.bincount(counts)).tolist()
    color = np.empty((len(ratio), CHANNELS))
    largest = np.broadcast_to(0.0, color.shape) if texture.has_codes else np.empty(color.shape)
    for count in found:
        some = slice(None) if len(found) == 1 else np.flatnonzero(counts == count)
        line = _Line(texture, rules, at.level[some], at.slice[some], centers[:, some], ways[:, some], count)
        if texture.has_codes:
            color[some] = _codes(texture.lanes, line, ratio[some])
        else:
            color[some], largest[some] = _floats(texture.texels, line, ratio[some])
    return Color(color, color, largest, np.broadcast_to(False, color.shape))


class _Line:
    """Texels and weights of so many probes of each sample, one after the other.

    centers, steps: along both axes, (2, samples).
    """

    def __init__(
        self,
        texture: Texture,
        rules: Rules,
        level: Integers,
        slices: Integers,
        centers: Integers,
        steps: Integers,
        count: int,
    ) -> None:
        self.count = count
        self._width, height = (texture.size_of(level, axis) for axis in (0, 1))
        is_power = not (texture.sizes & texture.sizes - 1).any()
        self._folds = [
            _folding(size, mode, is_power) for size, mode in zip((self._width, height), rules.address, strict=False)
        ]
        self._first = texture.first.take(level) + slices * (self._width * height)
        # in half steps from probe to probe, whose unit is 1/32 of a position's
        self._places = (centers << 5) + 16 + steps * (1 - count)
        self._steps = steps

    def probe(self) -> tuple[list[tuple[Integers, Integers]], Integers]:
        """The next: left and right texel of the upper and the lower row, and weights of the right and the lower one."""
        places = self._places >> 5
        corners = places >> POSITION_BITS
        (left, right), (top, bottom) = (
            (fold(texel), fold(texel + 1)) for fold, texel in zip(self._folds, corners, strict=True)
        )
        rows = [self._first + row * self._width for row in (top, bottom)]
        self._places += self._steps
        self._places += self._steps
        return [(row + left, row + right) for row in rows], places & _ONE - 1


def _probe_weights(ratio: Integers, count: int) -> tuple[Integers, Integers, Integers]:
    """Of the first, the inner and the last; the first has what the others leave of 1."""
    inner, outer = probe_weights(ratio)
    return _WHOLE - (count - 2) * inner - outer, inner, outer


def _codes(texels: Lanes, line: _Line, ratio: Integers) -> Numbers:
    begin = end = _bilinear(texels, *line.probe())
    if line.count == 1:
        return _numbers(begin << _BYTE)
    total = _fraction(begin).copy()
    for _ in range(line.count - 1):
        end = _fraction(_bilinear(texels, *line.probe()))
        total += end
    first, inner, last = (weight.view(np.uint64) for weight in _probe_weights(ratio, line.count))
    return _numbers((total - begin - end) * inner + begin * first + end * last)


def _floats(texels: Numbers, line: _Line, ratio: Integers) -> tuple[Numbers, Numbers]:
    """Colors, and the largest number that takes part in each channel, with a part more for each probe."""
    largest = np.zeros((len(ratio), CHANNELS))
    begin = end = _bilinear_floats(texels, *line.probe(), largest)
    if line.count == 1:
        return begin, largest
    total = np.zeros(begin.shape)
    for number in range(2, line.count + 1):
        end = _bilinear_floats(texels, *line.probe(), largest)
        if number < line.count:
            total += end
    first, inner, last = ((weight / _WHOLE)[:, None] for weight in _probe_weights(ratio, line.count))
    return total * inner + begin * first + end * last, largest * (1 + line.count / 8)


def _folding(size: Integers, mode: str, is_power: bool) -> Callable[[Integers], Integers]:
    """Where an address mode puts indices along an axis. is_power: whether sizes are powers of two."""
    if mode == "wrap" and is_power:
        mask = size - 1
        return lambda index: index & mask
    return lambda index: texel_of_index(index, size, mode)[0]


def _bilinear(texels: Lanes, rows: Sequence[tuple[Integers, Integers]], places: Integers) -> Lanes:
    """Red with blue, green with alpha, and 16 bits of fraction."""
    weights = places.view(np.uint64)
    before = _UNIT - weights
    made = []
    for (left, right), weight in zip(rows, (before[1], weights[1]), strict=True):
        blend, more = texels.take(left), texels.take(right)
        blend *= before[0]
        more *= weights[0]
        blend += more
        split = np.empty(places.shape, np.uint64)
        np.bitwise_and(blend, _EVEN, out=split[0])
        np.right_shift(blend, _WORD, out=split[1])
        split[1] &= _EVEN
        split *= weight
        made.append(split)
    made[0] += made[1]
    return made[0]


def _bilinear_floats(
    texels: Numbers, rows: Sequence[tuple[Integers, Integers]], places: Integers, largest: Numbers
) -> Numbers:
    """The blend of four texels; the largest is raised to theirs."""
    x, y = (_WEIGHTS.take(place, axis=0) for place in places)
    made = []
    for left, right in rows:
        color, more = texels.take(left, axis=0), texels.take(right, axis=0)
        for each in (color, more):
            np.maximum(largest, abs(each), out=largest)
        made.append(_lerp(color, more, x))
    return _lerp(made[0], made[1], y)


def _lerp(a: Numbers, b: Numbers, weight: Numbers) -> Numbers:
    """In place of b."""
    b -= a
    b *= weight
    b += a
    return b


def _fraction(color: Lanes) -> Lanes:
    """8 bits of fraction are kept of a probe, to nearest, halves up."""
    color += _HALF
    color >>= _BYTE
    color &= _EVEN
    return color


def _numbers(lanes: Lanes) -> Numbers:
    """Four channels of sums."""
    words = lanes.astype("<u8").view("<u4").reshape(2, -1, 2)  # red, blue; green, alpha
    return np.asarray(words.transpose(1, 2, 0).reshape(-1, CHANNELS) / (255 * 256 * _WHOLE))
