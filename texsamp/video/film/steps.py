"""How differently two fields in a row have changed, each since the one two before it (ours; docs/film.md).

Both fields of a picture are as far from those of the picture before. Fields of different pictures are not, unless all
moves evenly; those of video follow each other half a step apart.
"""

from __future__ import annotations

from texsamp.device.base import Array

_NOISE = 0.5
"""Squared levels that both have changed by together: those that noise makes of nothing."""
_LEAST, _RATIO = 0.1, 4.0
"""What fields of different pictures differ by in their changes, and how many times more than those of one, in film."""
_OF_PICTURES = 3.0
"""Steps so many times larger tell of pictures beside other evidence."""
_UNLIKE = 1.5
"""Where those of different pictures differ by this many times more at most, nothing is film."""


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
