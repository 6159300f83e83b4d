"""Which strips show something in one field of a picture of film alone: subtitles that appear within it (ours; film.md).

No row of pairs tells of them, as they comb once. What a field shows that the other lacks changes both the field and the
next one of the other parity, each by as much; what moves changes both fields of a picture alike.
"""

from __future__ import annotations

import numpy as np

from texsamp.device.base import Array
from texsamp.video.film.cadence import Rhythm
from texsamp.video.film.series import medians
from texsamp.video.film.tickers import TILE_COMB
from texsamp.video.film.witnesses import Witnesses

_NEAR = 4
"""Fields before the pair's later one, and from two after it on, that have changed less."""
_MORE = 1.5
"""What appears changes each of the two fields so many times more than all of those."""
_AROUND, _AROUND_TOGETHER = 1.6, 0.9
"""It changes them by so many times more than the middle strip of the picture has changed: credits fill it.

Whatever else tells of such strips, they do so together.
"""
_SHARE, _ALIKE = 0.3, 3.0
"""It changes both by this share of the comb at least, and neither by so many times more than the other."""
_REACH, _USUAL, _BEFORE = 24, 3.0, 0.5
"""It combs so many times more than pairs within pictures do in so many fields, and than the pair before by the last."""
_RARE, _MOST, _OF_TWO = 4.0, 0.8, 2.0
"""Over what moves fast it combs so many times more than this part of those, and changes both fields alike.

They change by more than it combs, one by no more than _OF_TWO times what the other does, and it leans by less: lines of
letters that roll in comb, and lean by more.
"""
_MUCH_MORE = 2.0
"""Or it changes them alike and by so many times more than those around: letters that stand comb over what moves."""
_MOST_OF_COMB = 4.0
"""Its lines differ by less than so many times the comb more than usual: an edge that goes by has more."""
_LEAN = 0.05
"""What a chart leans by that stands, its parts hide and show again."""
_LEAST_TOGETHER = 200.0
"""What all such strips of a picture comb, in whole ones: less is a line or two, of what moves."""


def strips_that_appear(fields: Witnesses, rhythm: Rhythm, pair: int) -> Array:
    """Strips that comb in a pair within a picture as in no other, and change after it no more than before it."""
    strips, combs = fields.strips, fields.strip_combs[pair]
    assert strips is not None
    found: Array = (combs > TILE_COMB) & (combs > _LEAN * fields.strip_leans[pair])
    near = np.array([n for n in range(max(1, pair - _REACH), min(pair + _REACH + 1, len(fields))) if n != pair], int)
    within = near[~rhythm.begins(near)]
    first, end = max(2, pair - _NEAR), min(pair + 2 + _NEAR - 1, len(fields))  # the first two changes are not known
    if not found.any() or not len(within) or first > pair - 1:
        return np.zeros(len(combs), bool)
    whole: Array = fields.strip_pixels / fields.pixels.max()
    distances = np.array([sum(fields.strip_sides[n]) / 2 for n in (pair, *within)])
    found &= distances[0] - medians(distances[1:]) < _MOST_OF_COMB * combs
    changes = np.array(fields.strip_changes[first:end])
    usual = np.sort([fields.strip_combs[n] for n in within], axis=0)
    if end <= pair + 2:
        found &= _appears_last(changes[: pair - first + 1], combs, fields.strip_combs[pair - 1], usual)
        return _together(found, combs, whole)
    before, (own, other), after = np.split(changes, (pair - first, pair - first + 2))
    again = rhythm.repeats(np.array([pair, pair + 1]))  # a field that comes again has changed by that alone
    added = np.array([own - before[-1] * ~again[0], other - after[0] * ~again[1]])
    least, most = added.min(0), added.max(0)
    own_more, other_more = own / np.maximum(before.max(0), 1e-9), other / np.maximum(after.max(0), 1e-9)
    alike = (least > np.maximum(combs, fields.strip_leans[pair])) & (most < _OF_TWO * least)
    more = (combs > _USUAL * medians(usual)) & (combs > _BEFORE * fields.strip_combs[pair - 1])
    more &= (own_more > _MORE) & (other_more > _MORE) & (least > _SHARE * combs) & (most < _ALIKE * least)
    more |= alike & (own_more > _MUCH_MORE) & (other_more > _MUCH_MORE)
    around = medians(changes[pair - first : pair - first + 2].T).max()
    more &= least > _AROUND * around
    rare = (combs > _RARE * usual[int(_MOST * len(usual))]) & (combs > fields.strip_leans[pair])
    found &= more | (alike & rare)
    found &= least[found] @ whole[found] > _AROUND_TOGETHER * around
    return _together(found, combs, whole)


def _appears_last(changes: Array, combs: Array, combs_before: Array, usual: Array) -> Array:
    """The same of a stream's last pair: its later field has changed, and it combs more than what moved before."""
    *before, own = changes
    more = (own > _MORE * np.max(before, axis=0)) & (own - before[-1] > _SHARE * combs)
    more &= own - before[-1] > _AROUND * medians(own)
    found: Array = more & (combs > _OF_TWO * combs_before) & (combs > _USUAL * usual[int(_MOST * len(usual))])
    return found


def _together(found: Array, combs: Array, whole: Array) -> Array:
    """Such strips, if they comb enough; ``whole`` are their parts of whole ones."""
    return found if combs[found] @ whole[found] > _LEAST_TOGETHER else np.zeros_like(found)
