"""Which two fields of a rhythm's picture are of none, as where an edit left one field of each of two pictures.

Pictures that differ by little misfit less than most, so that their own misfit does not tell (ours; docs/film.md).
"""

from __future__ import annotations

import numpy as np

from texsamp.video.film.cadence import Rhythm
from texsamp.video.film.field_pairs import FIRST_STEP
from texsamp.video.film.steps import step
from texsamp.video.film.witnesses import FAINT, HIGH, HIGH_COMB, Witnesses

_REACH = 24
"""Pairs on either side that are asked, of the same scene."""
_FEWEST = 3
"""First two fields of pictures among them."""
_LEAST_STEP, _RETURN_STEP = 0.15, 0.9
"""What two fields' changes differ by at least: within pictures both change alike; where one of them equals another."""
_RESTS = 3
"""Fields in a row that equal those two before them: all five are of one picture, not two that take turns at an edit."""
_MISFIT_RATIO, _COMB_RATIO = 1.25, 1.5
"""They misfit so many times more than any pair inside a picture, and comb so many times more, leans aside."""
_WORST_RATIO = 3.0
"""Misfits alone prove it where they are so many times more, and not faint: those say nothing of such."""


def is_odd(fields: Witnesses, rhythm: Rhythm, pair: int) -> bool:
    """Whether a pair within a rhythm's picture is of two pictures, by fields beside it or by all pairs near that fit.

    Those whose own misfit tells it are not asked.
    """
    if not FIRST_STEP <= pair < len(fields.classes) or fields.classes[pair] == HIGH:
        return False
    _, number, count = rhythm.place(pair)
    if number == 1 and _comes_back(fields, pair - 2, pair, pair - 1):
        return True
    if number + 1 == count and pair + 2 < len(fields.classes) and _comes_back(fields, pair + 2, pair + 1, pair + 2):
        return True
    return number > 0 and (_ends_rest(fields, pair) or _stands_out(fields, rhythm, pair, number == 1))


def _comes_back(fields: Witnesses, other: int, equal: int, changed: int) -> bool:
    """Whether one field equals one of the picture beside it, whose ``other`` pair is one, and the other field does not.

    So the two are not of one picture, as those of that picture are.
    """
    if fields.classes[other] >= HIGH or fields.cuts[other] or fields.steps[max(equal, changed)] < _RETURN_STEP:
        return False
    return fields.changes[equal] < fields.changes[changed]


def _ends_rest(fields: Witnesses, field: int) -> bool:
    """Whether a field has changed right behind some in a row that equal those two before: their picture ends there."""
    first = field - _RESTS
    if first < FIRST_STEP:
        return False
    change, rest = fields.changes[field], np.max(fields.changes[first:field])
    return bool(step(change - rest, change + rest) >= _RETURN_STEP)


def _stands_out(fields: Witnesses, rhythm: Rhythm, pair: int, is_first: bool) -> bool:
    """Whether it misfits far more than all others near that fit; or it steps, misfits and combs more.

    Each of those alone is no proof: steps are large behind an edit, what begins to move misfits more than what rested.
    """
    left, right = fields.scene(pair, _REACH)
    begin, end = unbroken(fields, rhythm, pair, max(FIRST_STEP, left), min(len(fields.classes), right))
    pairs = np.arange(begin, end)
    fit = ~rhythm.begins(pairs) & (np.array(fields.classes[begin:end]) < HIGH) & (pairs != pair)
    _, number, count = rhythm.place(pair)
    first, behind = pair - number, pair - number + count
    if begin > first + 1 or end < behind:  # a break within the picture: its other pairs are no proof
        fit &= (pairs < first) | (pairs >= behind)
    firsts = fit & rhythm.begins(pairs - 1)
    if firsts.sum() < _FEWEST:
        return False
    misfits, leanings, combs, steps = (
        (series[pair], np.array(series[begin:end])[of].max())
        for series, of in (
            (fields.combs, fit),
            (fields.leanings, fit),
            (fields.bare_combs, fit),
            (fields.steps, firsts),
        )
    )
    other = combs if fields.classes[pair] == FAINT else leanings  # a faint one may be so by its lean alone
    if all(own > _WORST_RATIO * most + HIGH_COMB for own, most in (misfits, other)):
        return True
    unlike = is_first and steps[0] > max(steps[1], _LEAST_STEP)
    unlike = unlike and misfits[0] > _MISFIT_RATIO * misfits[1] + HIGH_COMB
    return bool(unlike and combs[0] > _COMB_RATIO * combs[1] + HIGH_COMB)


def unbroken(fields: Witnesses, rhythm: Rhythm, pair: int, begin: int, end: int) -> tuple[int, int]:
    """The fields around a pair up to those that are of two pictures where the rhythm has one: it holds there."""
    pairs = np.arange(begin, end)
    breaks = pairs[~rhythm.begins(pairs) & (np.array(fields.classes[begin:end]) == HIGH)]
    return int(max(breaks[breaks < pair], default=begin - 1)) + 1, int(min(breaks[breaks > pair], default=end))
