"""What a choice of level, face and texels gives: the interval of colors between the least and the largest weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from texsamp.quality.verifier.anisotropy import ROUND, probe_count, probe_offset, probe_weights
from texsamp.quality.verifier.axes import BORDER, HALF, texel_of_index
from texsamp.quality.verifier.faces import beyond_edges
from texsamp.quality.verifier.precision import Precision
from texsamp.quality.verifier.texture import Flags, Integers, Numbers, Rules, Texture

Ends = tuple[Numbers, Numbers]
"""The least and the most that the channels of a texel may be."""

Corner = tuple[int, ...]
"""Along each axis 0 for the left texel, 1 for the right one."""

_COMPARES = {
    "less": np.less,
    "equal": np.equal,
    "lequal": np.less_equal,
    "greater": np.greater,
    "notequal": np.not_equal,
    "gequal": np.greater_equal,
}


@dataclass(frozen=True)
class Where:
    """Level, slice (array slice, or cube) and face of each sample, and what texels are compared with, if they are."""

    level: Integers
    slice: Integers
    face: Integers
    reference: NDArray[np.float32]


@dataclass(frozen=True)
class Taps:
    """Along one axis: left texel, and the weights that the right one may have."""

    first: Integers
    least: Numbers
    most: Numbers


@dataclass(frozen=True)
class Color:
    """Least and most of every channel, the largest number that takes part, and whether it may be no number."""

    least: Numbers
    most: Numbers
    largest: Numbers
    undefined: Flags


def lerp(a: Numbers, b: Numbers, weight: Numbers, finite: bool = False, in_place: bool = False) -> Numbers:
    """A where the weight is 0 or both are equal, also if they are no numbers; finite ones ``in_place`` of b."""
    weight = weight[:, None]
    if finite:
        blend = np.subtract(b, a, out=b if in_place else None)
        blend *= weight
        blend += a
        return blend
    with np.errstate(all="ignore"):
        return np.where((weight == 0) | (a == b), a, a + (b - a) * weight)


def fetch(
    texture: Texture, rules: Rules, at: Where, taps: Sequence[Taps], corners: Sequence[Corner], precision: Precision
) -> list[Ends]:
    """Texels at the left or right index along each axis, which may lie outside, as a level out of bounds does.

    They are replaced by their comparison, if there is one.
    """
    if rules.resource_min_lod > len(texture.sizes) - 1:
        color = np.broadcast_to(np.array(rules.outside, np.float64), (len(at.level), 4))
        found = [(color, color)] * len(corners)
    elif texture.type == "CUBE" and rules.address[0] == "cube":
        size = texture.sizes[at.level, 0]
        places = [[tap.first + k for tap, k in zip(taps, corner, strict=True)] for corner in corners]
        numbers = texture.texels.__getitem__
        found = [fetch_cube(texture, at, place, size, precision.snap, numbers) for place in places]
    else:
        found = [(color, color) for color in _fetch(texture, rules, at, taps, corners, precision)]
    if not rules.compare:
        return found
    return [
        (least, least) if low is high else (least, _compared(high, at.reference, rules))
        for low, high in found
        for least in [_compared(low, at.reference, rules)]
    ]


def _compared(color: Numbers, reference: NDArray[np.float32], rules: Rules) -> Numbers:
    """0 where the texel compares as it should, 1 where it does not (seed 003:694-716)."""
    texel = color[:, rules.compare_channel].astype(np.float32)
    if rules.compare in ("always", "never"):
        holds = np.full(texel.shape, rules.compare == "always")
    else:
        holds = _COMPARES[rules.compare](texel, reference)
    return np.where(np.array(rules.compare_replaces), np.where(holds, 0.0, 1.0)[:, None], color)


def _fetch(
    texture: Texture, rules: Rules, at: Where, taps: Sequence[Taps], corners: Sequence[Corner], precision: Precision
) -> list[Numbers]:
    sizes = [texture.size_of(at.level, axis) for axis in range(max(len(taps), 2))]
    width, height = sizes[:2]
    last = max(max(corner) for corner in corners)
    along = [
        [texel_of_index(tap.first + k, sizes[axis], rules.address[axis]) for k in range(last + 1)]
        for axis, tap in enumerate(taps)
    ]
    slices = at.slice * 6 + at.face if texture.type == "CUBE" else at.slice
    has_border = any(mode in ("border", "half_border") for mode in rules.address[: len(taps)])
    first, texels = texture.first.take(at.level), texture.texels
    rows: dict[Corner, Integers] = {}
    made = []
    for corner in corners:
        chosen = [ways[k] for ways, k in zip(along, corner, strict=True)]
        row = rows.get(corner[1:])
        if row is None:  # corners side by side share it
            row = chosen[2][0] if texture.type == "3D" else slices
            row = row * height + chosen[1][0] if len(chosen) > 1 else row * height
            row = rows[corner[1:]] = first + row * width
        color = texels.take(row + chosen[0][0], axis=0)
        made.append(
            bordered(color, [where for _, where in chosen], texture, rules, precision.snap) if has_border else color
        )
    return made


def bordered(color: Numbers, where: Sequence[Integers], texture: Texture, rules: Rules, snap: bool) -> Numbers:
    """Texels, or what a border makes of them, by where they are along each axis. snap: codes are blended to codes."""
    border, outsides = np.array(rules.border, np.float64), np.maximum.reduce(where)[:, None]
    with np.errstate(invalid="ignore"):
        middle = (color + border) / 2
    if texture.unorm8 and snap:
        middle = np.floor(middle * 255 + 0.5 + 1e-6) / 255
    return np.where(outsides == BORDER, border, np.where(outsides == HALF, middle, color))


def fetch_cube(
    texture: Texture,
    at: Where,
    place: Sequence[Integers],
    size: Integers,
    snap: bool,
    numbers: Callable[[Integers], Numbers],
) -> Ends:
    """Texels of seamless cubes, also beyond the edges of a face. snap: corners are the mean of three texels.

    numbers: of texels, by where they are in the table.
    """
    i, j = place

    def index_of(face: Integers, i: Integers, j: Integers) -> Integers:
        return texture.first[at.level] + ((at.slice * 6 + face) * size + j) * size + i

    face, x, y, corner = beyond_edges(at.face, i, j, size)
    near_i, near_j = np.clip(i, 0, size - 1), np.clip(j, 0, size - 1)
    index = np.where(
        corner, index_of(at.face, near_i, near_j), index_of(face, np.clip(x, 0, size - 1), np.clip(y, 0, size - 1))
    )
    color = numbers(index)
    if not corner.any():
        return color, color
    sides = [index_of(*beyond_edges(at.face, a, b, size)[:3]) for a, b in ((i, near_j), (near_i, j))]
    three = [color, *(numbers(np.where(corner, side, index)) for side in sides)]
    low, high = np.minimum.reduce(three), np.maximum.reduce(three)
    if snap:
        low = high = np.sum(three, axis=0) / 3
        if texture.unorm8:
            low = high = np.floor(np.rint(low * 765) / 3 + 0.5 + 1e-6) / 255
    here = corner[:, None]
    return np.where(here, low, color), np.where(here, high, color)


def level_color(
    texture: Texture, rules: Rules, at: Where, taps: Sequence[Taps], linear: Flags, precision: Precision
) -> Color:
    """One level: the interval over all weights, whose ends lie at ends of weights since each is linear."""
    whole = list(product((0, 1), repeat=len(taps)))
    nearest = (0,) * len(taps)
    corners = whole if linear.any() else [nearest]
    fetched = fetch(texture, rules, at, taps, corners, precision)
    is_finite = texture.is_finite(rules)
    tables = [dict(zip(corners, colors, strict=True)) for colors in zip(*fetched, strict=True)]
    if all(low is high for low, high in fetched):
        del tables[1]
    is_exact = all(tap.least is tap.most or (tap.least == tap.most).all() for tap in taps)
    ends: list[Numbers] = []
    for corner in [nearest] if is_exact else whole:
        weights = [tap.most if end else tap.least for tap, end in zip(taps, corner, strict=True)]
        ends += [_blend(table, weights, is_finite) for table in tables]
    largest = np.broadcast_to(np.zeros(1), ends[0].shape)
    if not texture.unorm8:  # whose numbers are off by parts of a code, however large they are
        sizes = [abs(color) for table in tables for color in table.values()]
        if "half_border" in rules.address:
            sizes.append(np.broadcast_to(np.abs(np.array(rules.border, np.float64)), sizes[0].shape))
        largest = np.maximum.reduce([np.where(np.isfinite(size), size, 0.0) for size in sizes])
    undefined = np.broadcast_to(np.zeros(1, bool), ends[0].shape)
    if not is_finite:
        undefined = np.logical_or.reduce([np.isnan(end) for end in ends])
    return Color(*span(ends), largest, undefined)


def probes_color(
    texture: Texture,
    rules: Rules,
    at: Where,
    taps: Sequence[Taps],
    steps: Sequence[Integers],
    ratio: Integers,
    linear: Flags,
    precision: Precision,
) -> Color:
    """One level through the anisotropic filter: the weighted mean of probes along a line; positions snap."""
    one = 1 << precision.position_bits
    centers = [tap.first * one + np.rint(tap.least * one).astype(np.int64) for tap in taps]
    counts, (inner, outer) = probe_count(ratio), probe_weights(ratio)
    totals = [np.zeros((len(ratio), 4))]  # the least and the most, or one array as long as they are the same
    largest, undefined = np.zeros(totals[0].shape), np.zeros(totals[0].shape, bool)
    first: list[Numbers] = []
    is_finite = texture.is_finite(rules)
    fewest = counts.min()
    for k in range(int(counts.max(initial=1))):
        some = slice(None) if k < fewest else np.flatnonzero(counts > k)
        here = Where(*(value[some] for value in vars(at).values()))
        count, chosen = counts[some], []
        halves = 2 * k + 1 - count
        for center, step in zip(centers, steps, strict=True):
            place = center[some] + probe_offset(step[some], halves)
            texel = place >> precision.position_bits
            weight = (place - texel * one) / one
            chosen.append(Taps(texel, weight, weight))
        color = level_color(texture, rules, here, chosen, linear[some], precision)
        ends = [color.least] if color.least is color.most else [color.least, color.most]
        if texture.unorm8:  # 8 bits of fraction are kept of a probe
            ends = [_with_fraction(end, ratio[some] > ROUND) for end in ends]
        if len(ends) > len(totals):
            totals, first = [totals[0], totals[0].copy()], first * 2
        ends = ends * (len(totals) // len(ends))
        if k == 0:
            first, totals = ends, [end.copy() for end in ends]
        else:
            weight = np.where(count == k + 1, outer[some], inner[some])[:, None] / 65536
            with np.errstate(invalid="ignore"):
                for total, end, begin in zip(totals, ends, first, strict=True):
                    more = end - begin[some]
                    more *= weight
                    total[some] += more if is_finite else np.where(end == begin[some], 0.0, more)
        if not texture.unorm8:
            largest[some] = np.maximum(largest[some], color.largest)
        if not is_finite:
            undefined[some] |= color.undefined
    if not is_finite:
        undefined |= np.logical_or.reduce([np.isnan(total) for total in totals])
    if not texture.unorm8:
        largest *= np.where(counts > 1, 1 + counts / 8, 1.0)[:, None]
    return Color(totals[0], totals[-1], largest, undefined)


def _with_fraction(color: Numbers, probed: Flags) -> Numbers:
    """Codes of 8 bits with as many bits of fraction, where colors are those of probes."""
    rounded = color * 65280
    rounded += 0.5 + 1e-6
    np.floor(rounded, out=rounded)
    rounded /= 65280
    return rounded if probed.all() else np.where(probed[:, None], rounded, color)


def span(ends: Sequence[Numbers]) -> Ends:
    """The least and the most of some, as far as they are numbers."""
    if len(ends) == 1:
        return ends[0], ends[0]
    return np.fmin.reduce(ends), np.fmax.reduce(ends)


def _blend(table: dict[Corner, Numbers], weights: Sequence[Numbers], finite: bool) -> Numbers:
    """Along x, then y, then z."""
    for axis, weight in enumerate(weights):
        if len(table) > 1:
            rest = sorted({corner[1:] for corner in table})
            table = {corner: lerp(table[0, *corner], table[1, *corner], weight, finite, axis > 0) for corner in rest}
    return next(iter(table.values()))
