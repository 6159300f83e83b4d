"""Linear filters of 8-bit textures in integers: a texel's channels are lanes of one number, and nothing is rounded.

It says what `footprint` says of the same samples, in a fraction of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from texsamp.quality.verifier.anisotropy import probe_count, probe_weights
from texsamp.quality.verifier.axes import texel_of_index
from texsamp.quality.verifier.footprint import Color, Taps, Where
from texsamp.quality.verifier.precision import Precision
from texsamp.quality.verifier.texture import CHANNELS, Integers, Numbers, Rules, Texture

Lanes = NDArray[np.uint64]
"""Four channels in 16 bits each, or two in 32."""

POSITION_BITS = 8
"""With more, two weights and a code would leave their lane."""
_ONE = 1 << POSITION_BITS
_FOLDED = ("wrap", "mirror", "clamp", "mirror_once")
_EVEN = np.uint64(0x0000FFFF0000FFFF)
_HALF = np.uint64(0x0000008000000080)
_WORD, _BYTE, _UNIT = np.uint64(16), np.uint64(8), np.uint64(_ONE)
_SUM = 255 * 256 * 65536
"""Of probes of white: codes with 8 bits of fraction, by weights of 16."""


def is_of_codes(texture: Texture, rules: Rules, precision: Precision) -> bool:
    """Whether all that a sample is made of are codes of a plane, at positions in steps."""
    return (
        texture.has_codes
        and texture.type == "2D"
        and not rules.compare
        and precision.snap
        and precision.position_bits == POSITION_BITS
        and all(mode in _FOLDED for mode in rules.address[:2])
        and rules.resource_min_lod <= len(texture.sizes) - 1
    )


def codes_color(
    texture: Texture, rules: Rules, at: Where, taps: Sequence[Taps], steps: Sequence[Integers], ratio: Integers
) -> Color:
    """One level, of samples with probes or without, as `footprint.probes_color`."""
    counts = probe_count(ratio)
    centers = np.stack([tap.first * _ONE + np.rint(tap.least * _ONE).astype(np.int64) for tap in taps])
    ways = np.stack(steps)
    found = np.flatnonzero(np.bincount(counts)).tolist()
    color = np.empty((len(ratio), CHANNELS))
    for count in found:
        some = slice(None) if len(found) == 1 else np.flatnonzero(counts == count)
        line = centers[:, some], ways[:, some], ratio[some], count
        color[some] = _line(texture, rules, at.level[some], at.slice[some], *line)
    return Color(color, color, np.broadcast_to(0.0, color.shape), np.broadcast_to(False, color.shape))


def _line(
    texture: Texture,
    rules: Rules,
    level: Integers,
    slices: Integers,
    centers: Integers,
    steps: Integers,
    ratio: Integers,
    count: int,
) -> Numbers:
    """The weighted mean of so many probes each. centers, steps: along both axes, (2, samples)."""
    width, height = (texture.size_of(level, axis) for axis in (0, 1))
    is_power = not (texture.sizes & texture.sizes - 1).any()
    folds = [_folding(size, mode, is_power) for size, mode in zip((width, height), rules.address, strict=False)]
    first = texture.first.take(level) + slices * (width * height)
    places = (centers << 5) + 16 + steps * (1 - count)  # a half step has 1/32 of a position's as its unit
    begin = end = _bilinear(texture.lanes, first, width, folds, places >> 5)
    if count == 1:
        return _numbers(begin << _BYTE)
    total = _fraction(begin).copy()
    for _ in range(count - 1):
        places += steps
        places += steps
        end = _fraction(_bilinear(texture.lanes, first, width, folds, places >> 5))
        total += end
    inner, outer = (weight.view(np.uint64) for weight in probe_weights(ratio))
    rest = np.uint64(65536) - np.uint64(count - 2) * inner - outer  # the first has what the others leave of 1
    return _numbers((total - begin - end) * inner + begin * rest + end * outer)


def _folding(size: Integers, mode: str, is_power: bool) -> Callable[[Integers], Integers]:
    """Where an address mode puts indices along an axis. is_power: whether sizes are powers of two."""
    if mode == "wrap" and is_power:
        mask = size - 1
        return lambda index: index & mask
    return lambda index: texel_of_index(index, size, mode)[0]


def _bilinear(
    texels: Lanes,
    first: Integers,
    width: Integers,
    folds: Sequence[Callable[[Integers], Integers]],
    places: Integers,
) -> Lanes:
    """Red with blue, green with alpha, and 16 bits of fraction. first: of the level and slice, among the texels."""
    corners = places >> POSITION_BITS
    (left, right), (top, bottom) = ((fold(texel), fold(texel + 1)) for fold, texel in zip(folds, corners, strict=True))
    weights = (places & _ONE - 1).view(np.uint64)
    before = _UNIT - weights
    rows = []
    for index, weight in ((top, before[1]), (bottom, weights[1])):
        row = index * width
        row += first
        blend, more = texels.take(row + left), texels.take(row + right)
        blend *= before[0]
        more *= weights[0]
        blend += more
        split = np.empty(places.shape, np.uint64)
        np.bitwise_and(blend, _EVEN, out=split[0])
        np.right_shift(blend, _WORD, out=split[1])
        split[1] &= _EVEN
        split *= weight
        rows.append(split)
    rows[0] += rows[1]
    return rows[0]


def _fraction(color: Lanes) -> Lanes:
    """8 bits of fraction are kept of a probe, to nearest, halves up."""
    color += _HALF
    color >>= _BYTE
    color &= _EVEN
    return color


def _numbers(lanes: Lanes) -> Numbers:
    """Four channels of sums."""
    words = lanes.astype("<u8").view("<u4").reshape(2, -1, 2)  # red, blue; green, alpha
    return np.asarray(words.transpose(1, 2, 0).reshape(-1, CHANNELS) / _SUM)
