"""Which rhythms repeated fields prove where pictures hardly move (ours; docs/film.md).

There detail combs more than motion does, so that misfits tell nothing. That fields come again every few ones does, and
no harm is done if fields are woven that differ by so little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from texsamp.device.base import Array
from texsamp.video.film.field_pairs import FIRST_STEP
from texsamp.video.film.inner_pairs import row_means
from texsamp.video.film.witnesses import Witnesses

_REACH = 36
"""Fields on either side that are asked, of the same scene."""
_MOST, _MOST_OF_TILE, _MOST_OF_STRIP = 30.0, 60.0, 240.0
"""Squared levels that fields, those of a tile and of a strip change by at most: woven wrongly, they comb by no more."""
_MOVED = 0.8
"""Share of fields which change less than what moves does, in the cadence of most fields a picture."""
_REPEATED, _MOVES = 0.1, 0.3
"""What comes again changes by this share of that at most, all others by this at least: what moves evenly may change by
half as much wherever it stands on whole pixels.
"""
_LEAST = 0.02
"""Squared levels that what moves changes by at least."""
_FEWEST, _LEAST_STRETCH = 4, 24
"""Repeated fields, and fields in a row that follow the rhythm."""
_MOST_STEP = 0.35
"""Both fields of a picture change alike. Of three fields of one and two by themselves, the last two do not."""
_MOST_OF_BESIDE = 1.5
"""No pair of one picture misfits so many times more than both beside it."""


@dataclass(frozen=True)
class Repeats:
    """Rows of rhythms, columns of fields: which equal the one two before, which are the second of their picture.

    ``tell_order`` are rhythms that fields in the wrong order cannot look like, which may move as they will.
    """

    repeats: Array
    pairs: Array
    tell_order: Array


def repeats_prove(fields: Witnesses, rows: Repeats, begin: int, field: int) -> Array:
    """Of every rhythm, whether all fields in a row around one come again where it says so, and nowhere else."""
    nothing = np.zeros(len(rows.repeats), bool)
    left, right = fields.scene(field, _REACH)
    first, end = max(left + 2, begin, FIRST_STEP), min(right, begin + rows.repeats.shape[1])
    if end - first < _LEAST_STRETCH:
        return nothing
    asked = rows.tell_order | _hardly_moves(fields, first, end)
    changes = np.array(fields.changes[first:end])
    moved = float(np.sort(changes)[int(_MOVED * len(changes))])
    if moved < _LEAST or not asked.any():
        return nothing
    repeats, pairs = (of[:, first - begin : end - begin] for of in (rows.repeats, rows.pairs))
    against = np.where(repeats, changes > _REPEATED * moved, changes < _MOVES * moved)
    places = np.arange(first, end)
    before = np.where(against & (places <= field), places + 1, first).max(1)
    after = np.where(against & (places > field), places, end).min(1)
    row = (places >= before[:, np.newaxis]) & (places < after[:, np.newaxis])
    found = (
        asked & ((row & repeats).sum(1) >= _FEWEST) & (after - before >= _LEAST_STRETCH) & (before <= max(field, first))
    )
    steps = row_means(np.array(fields.steps[first:end]), row & pairs)
    proven: Array = found & (steps <= _MOST_STEP)
    return proven


def fits_repeats(fields: Witnesses, repeats: Array, begin: int) -> Array:
    """Which pairs speak against no rhythm that is proven: they only misfit, no more than those beside them.

    Where no field comes again both fields of a pair have changed alike, too, as far as that is known.
    """
    end = begin + repeats.shape[1]
    misfits = np.nan_to_num(np.array(fields.combs[max(0, begin - 1) : end + 1]))
    beside = np.zeros(end - begin + 2)
    beside[int(not begin) :][: len(misfits)] = misfits
    calm = beside[1:-1] <= _MOST_OF_BESIDE * np.maximum(beside[:-2], beside[2:])
    known = np.arange(begin, end) >= FIRST_STEP
    alike = repeats | ~known | (np.array(fields.steps[begin:end]) <= _MOST_STEP)
    fits: Array = alike & calm & ~np.array(fields.sures[begin:end])
    return fits


def _hardly_moves(fields: Witnesses, begin: int, end: int) -> bool:
    """Whether no part of the picture changes by more than what may be woven wrongly."""
    limits = (fields.changes, _MOST), (fields.tile_changes, _MOST_OF_TILE), (fields.strip_changes, _MOST_OF_STRIP)
    return all(np.max(changes[begin:end]) <= most for changes, most in limits)
