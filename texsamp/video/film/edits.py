"""What a single field says that differs far from those around it: of an edit, or of light (ours; docs/film.md)."""

from __future__ import annotations

import numpy as np

from texsamp.device.base import Array
from texsamp.video.film.series import Series

_CHANGE_RATIO, _EDIT_RATIO, _LEAST = 4.0, 3.0, 100.0
"""A field that has changed so many times more than those before it begins a picture; the next one as well, an edit."""
_BEHIND = 5
"""Fields from an edit's first on, of which those behind both of it have changed as little as those before."""
_EQUAL_RATIO = 1.25
"""Equal fields make the pairs beside them misfit this alike."""
_LIT_SHARE, _LIT_COMB = 0.3, 0.25
"""A light that comes and goes explains so much of what strips comb where it flickers; in small films a tenth."""


def begins_by_change(changes: Series[float], field: int, reach: int) -> bool:
    """Whether a field has changed far more than any shortly before: the first two of a picture change alike."""
    before = changes[max(2, field - reach) : field]
    return len(before) > 1 and changes[field] > max(_CHANGE_RATIO * max(before), _LEAST)


def is_edit(changes: Series[float], field: int, reach: int) -> bool:
    """Whether it and the next have changed far more than those before and after, but no more than before a cut."""
    around = changes[max(2, field - reach) : field] + changes[field + 2 : field + _BEHIND]
    return len(around) > reach and min(changes[field : field + 2]) > max(_EDIT_RATIO * max(around), _LEAST)


def are_alike(one: float, two: float) -> bool:
    """Whether equal fields may make two pairs misfit or lean so: a sign is that of their order."""
    return max(abs(one), abs(two)) <= _EQUAL_RATIO * min(abs(one), abs(two))


def light_explains(turns: Array, combs: Array, pixels: Array) -> bool:
    """Whether levels of strips that turn back explain some of what these comb."""
    combed = combs @ pixels
    explained = np.minimum(combs, turns * turns) @ pixels
    return bool(combed > _LIT_COMB * pixels.sum() and explained > _LIT_SHARE * combed)
