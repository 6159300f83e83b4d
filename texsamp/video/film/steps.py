"""How differently two fields in a row have changed, each since the one two before it (ours; docs/film.md).

Both fields of a picture are as far from those of the picture before. Fields of different pictures are not, unless all
moves evenly; those of video follow each other half a step apart.
"""

from __future__ import annotations

import numpy as np

from texsamp.device.base import Array

_NOISE = 0.5
"""Squared levels that both have changed by together: those that noise makes of nothing."""
_LEAST, _RATIO = 0.1, 4.0
"""What fields of different pictures differ by in their changes, and how many times more than those of one, in film."""
_OF_PICTURES = 3.0
"""Steps so many times larger tell of pictures beside other evidence."""
_UNLIKE = 1.5
"""Where those of different pictures differ by this many times more at most, nothing is film."""
ALIKE_REACH, _ALIKE_PAIRS, _ALIKE_STEP, _ALIKE_RATIO = 4, 3, 0.1, 4.0
"""Among so many fields on either side, steps of every second pair are this small, and others so many times larger."""
_MOST_STEP = 0.6
"""A pair tells by its step alone if neither of its fields has changed more than four times as much as the other."""


def step(difference: Array, together: Array) -> Array:
    """The difference of two fields' changes as a share of both together: 0 if they have changed alike, to 1."""
    share: Array = difference / (together + _NOISE)
    return share


def steps_tell_film(between: Array, within: Array) -> Array:
    """Whether mean steps between pictures and within them are those of film."""
    film: Array = (between > _LEAST) & (between > _RATIO * within)
    return film


def steps_tell_pictures(between: Array, within: Array) -> Array:
    """Whether mean steps between pictures are far larger than those within, which misfits alone do not prove."""
    pictures: Array = between > _OF_PICTURES * within
    return pictures


def steps_tell_video(between: Array, within: Array) -> Array:
    """Whether they are no larger between pictures, as those of a ticker."""
    video: Array = between <= _UNLIKE * within
    return video


def steps_alternate(steps: Array, place: int) -> bool:
    """Whether of pairs in a row every second one, as that at a place, has changed alike, and the others have not."""
    own = (np.arange(len(steps)) - place) % 2 == 0
    if own.sum() < _ALIKE_PAIRS or (~own).sum() < _ALIKE_PAIRS:
        return False
    alike = steps[own]
    return bool(alike.max() <= _ALIKE_STEP and steps[~own].mean() >= _ALIKE_RATIO * alike.mean())


def is_step(before: float, own: float, after: float) -> bool:
    """Whether both fields of a pair have changed, but not alike, as those of the pairs beside it have."""
    return _ALIKE_STEP < own < _MOST_STEP and own > _ALIKE_RATIO * max(before, after)
