"""Whether inner fields of two frames are farther apart in time than outer ones, in the wrong order (ours; film.md)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from texsamp.device.base import Array
from texsamp.video.film.variances import FilmStatistics

_SHARES, _NOISE = np.array([0.2, 0.08]), 2.0
"""It must show by so much of what fields change and so many squared levels, by the second share without some leans."""


def disorder(statistics: FilmStatistics, first_parity: int) -> Array:
    """By how much the spans of a frame's inner fields are larger: two rows of tiles, with all leans and without some.

    Motion up or down makes both pairs lean opposite ways, as top fields come later in one of them. Where both lean one
    way, what stands leans by more than the motion does, which adds to one and takes from the other.
    """
    leans = statistics.leans
    stands = leans[:, 1] * leans[:, 2] > 0
    with_all = statistics.spans
    without = with_all - np.abs(leans) / 2 * stands[:, np.newaxis]
    inner, outer = 1 + first_parity, 2 - first_parity
    found: Array = np.stack([spans[:, inner] - spans[:, outer] for spans in (with_all, without)])
    return found


def is_disorder(disorders: Sequence[Array], changes: Sequence[float], shares: Array, ratio: float) -> bool:
    """Whether frames in a row show it, so many times more than is enough; ``shares`` are those of tiles."""
    if not disorders:
        return False
    shown = np.array(disorders).sum(0) @ shares
    return bool(np.all(shown > ratio * _SHARES * (sum(changes) + _NOISE * len(changes))))
