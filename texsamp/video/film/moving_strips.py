"""Which strips of a picture of film go on within it, as video in a part of the picture does (ours; docs/film.md).

What combs for a moment only, as something that runs through a picture in the picture, no row of pairs tells.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from texsamp.device.base import Array
from texsamp.video.film.cadence import Rhythm
from texsamp.video.film.strip_neighbors import up_and_down
from texsamp.video.film.tickers import TILE_COMB
from texsamp.video.film.travel import CUT_REACH
from texsamp.video.film.witnesses import Witnesses

_REACH = 4
"""Pairs on either side that are asked, too."""
_ROWS = 4
"""Strips one above the other that travel together: of fewer, what rolls in and out tells more than what goes on."""
_NOISE = 0.5
"""Squared levels that a strip which stands changes by."""
_LEAST, _LEAST_BESIDE, _SHARE = 0.12, 0.06, 0.5
"""Of its way what moves goes so much on within pictures, less beside such, and this much of that between pictures."""
_LEAST_RATIO, _MOST_RATIO = 0.3, 3.0
"""What the picture's own pair combs beside those between pictures: detail of film combs far less or more."""
_LEAST_COMB = TILE_COMB / 2
"""What it combs at least in every strip of those."""


def strips_that_go_on(fields: Witnesses, rhythm: Rhythm, pair: int, told: Array, across: int) -> Array:
    """Strips that comb and go on together, or with some of ``told``, which are video."""
    near = range(max(1, pair - _REACH), min(pair + _REACH + 1, len(fields)))
    pairs = np.array([n for n in near if not any(fields.cuts[max(0, n - CUT_REACH) : n + CUT_REACH + 1])], int)
    begins = rhythm.begins(pairs)
    if begins.all() or not begins.any() or len(told) < _ROWS * across:
        return np.zeros(len(told), bool)
    travels, ways = (np.array(one) for one in zip(*(fields.strip_travels[n] for n in pairs), strict=True))
    within, between = (
        _together(travels[of].sum(0), across) / _together((ways[of] + _NOISE).sum(0), across)
        for of in (~begins, begins)
    )
    combs, others = fields.strip_combs[pair], np.mean([fields.strip_combs[n] for n in pairs[begins]], axis=0)
    possible = (combs > _LEAST_COMB) & (combs > _LEAST_RATIO * others) & (combs < _MOST_RATIO * others)
    alike = (within > _SHARE * between) & (_together(possible | told, across) == _ROWS)
    found, most = (
        _covered(alike & (within > least), across) & (combs > TILE_COMB) for least in (_LEAST, _LEAST_BESIDE)
    )
    while (more := found | (up_and_down(found, across) & most)).sum() > found.sum():
        found = more
    return found


def _covered(runs: Array, across: int) -> Array:
    """Strips of runs, which are told by their first one."""
    covered = np.zeros((len(runs) + _ROWS - 1, across), bool)
    for row in range(_ROWS):
        covered[row : row + len(runs)] |= runs
    return covered.ravel()


def _together(of_strips: Array, across: int) -> Array:
    """Sums over each strip and those below it."""
    sums: Array = sliding_window_view(of_strips.reshape(-1, across), _ROWS, axis=0).sum(-1)
    return sums
