"""What tells a ticker, which moves in every field, from film, in tiles or strips (ours; docs/film.md)."""

from __future__ import annotations

import numpy as np

from texsamp.device.base import Array

TILE_COMB = 40.0
"""A tile combs from so many squared levels on."""
_ONE_PARITY_RATIO = 4.0
"""Lines of one parity change so many times more than those of the other at the edge of a ticker."""
_STILL, _FEWEST_STILL = 0.25, 4
"""Squared levels that sharp film combs by at most where both fields of a pair have changed, in so many of a row."""

_VIDEO_SHARE, _VIDEO_MOST, _VIDEO_STEADY = 0.25, 1.5, 0.4
"""They comb by these shares of what has changed at least and at most, and by this of the upper quarter."""
_EVEN, _EVEN_CHANGES, _VIDEO_SHARE_OF_EVEN = 0.8, 0.7, 0.125
"""Less will do where all comb alike, by this of the upper quarter, and parities change so, by this of the other."""


def by_parity(changes: Array) -> tuple[Array, Array]:
    """Changes of the fields of either parity, the least first."""
    first, second = (np.sort(changes[parity::2], axis=0) for parity in (0, 1))
    return first, second


def moves_in_one_parity(first: Array, second: Array, ratio: float = _ONE_PARITY_RATIO) -> Array:
    """Whether nearly all changes of one parity are far larger than those of the other: the edge of a ticker.

    Pictures of a film change both alike, sooner or later.
    """
    moves: Array = np.zeros(first.shape[1], bool)
    for one, other in ((first, second), (second, first)):
        calm, worst = one[len(one) // 4], other[-1 - len(other) // 4]
        moves |= (calm > TILE_COMB) & (calm > ratio * worst)
    return moves


def shows_film(combs: Array, changes: Array) -> Array:
    """Whether several pairs comb nothing both of whose fields have changed, as no ticker's do.

    ``combs`` are those of pairs in a row, ``changes`` those of their fields and the one before.
    """
    moved = np.minimum(changes[1:], changes[:-1])
    still = (moved > TILE_COMB) & (combs < _STILL)
    film: Array = still.sum(0) >= _FEWEST_STILL
    return film


def comb_in_all_fields(combs: Array, changes: Array) -> Array:
    """Whether nearly all pairs in a row comb, by much of what has changed: of film no two do."""
    ordered = np.sort(combs, axis=0)
    calm, worst = ordered[len(combs) // 4], ordered[-1 - len(combs) // 4]
    less, more = np.sort(changes, axis=0)[[(len(changes) - 1) // 2, len(changes) // 2]]
    video = (calm > TILE_COMB) & (calm > _VIDEO_SHARE * less) & (calm < _VIDEO_MOST * more)
    video &= calm > _VIDEO_STEADY * worst
    even = (calm > _EVEN * worst) & (less > _EVEN_CHANGES * more)
    found: Array = video | (even & (calm > TILE_COMB) & (calm > _VIDEO_SHARE_OF_EVEN * less))
    return found
