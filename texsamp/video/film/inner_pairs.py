"""Which pairs of fields within a rhythm's pictures say nothing against it, by those at their ends (ours; docs/film.md).

A codec's noise comes and goes: some pairs of one picture misfit as those of different ones do where less moves.
"""

from __future__ import annotations

import numpy as np

from texsamp.device.base import Array
from texsamp.video.film.cadence import Rhythm
from texsamp.video.film.field_pairs import FIRST_STEP
from texsamp.video.film.odd_pairs import unbroken
from texsamp.video.film.steps import steps_tell_video
from texsamp.video.film.witnesses import HIGH, HIGH_COMB, LOW, UNKNOWN, Witnesses

_END_SHARE = 0.6
"""A pair within a picture misfits by less than this share of those at both of its ends."""
_MOST_OF_NOISE = 2.0
"""Others may misfit by so many times the mean of those, which is noise, where half of all are such."""
_MOST = 16.0
"""Squared levels that noise misfits by at most: no harm is done if such fields are woven."""
_MOST_OF_BESIDE = 1.25
"""None misfits by more than so many times both beside it in the same picture: there a picture may begin."""
_REACH = 24
"""Fields on either side that tell of noise and steps."""
_MOST_OF_LAST, _MOST_STEP_OF_LAST = 2.0, 1.5
"""A stream's last pair, or first, misfits, and steps, by no more than so many times any other within a picture."""
_FAR_MORE = 2.5
"""A stream's first pair is of two pictures that misfits so many times more."""
_CLIP = 4.0
"""No value counts for more than this many times the middle one."""


def row_means(values: Array, of: Array) -> Array:
    """Means of those that each row marks; 0 where none is."""
    found: Array = (values * of).sum(1) / np.maximum(of.sum(1), 1)
    return found


def clipped_means(values: Array, of: Array) -> Array:
    """The same, none counted for more than four times the middle one of its row: an edit is none of film."""
    ordered = np.sort(np.where(of, values, np.inf), 1)
    middle = np.take_along_axis(ordered, np.maximum(of.sum(1, keepdims=True) - 1, 0) // 2, 1)
    return row_means(np.minimum(values, _CLIP * np.where(np.isinf(middle), 0.0, middle)), of)


def noise_within(fields: Witnesses, begins: Array, begin: int, field: int) -> tuple[Array, Array]:
    """Of every rhythm: which pairs of its pictures may be noise, and which near a field are calmer than their ends.

    ``begins`` has a row for each rhythm: whether pictures begin at ``begin`` and the fields after it.
    """
    count = begins.shape[1]
    places, end = np.arange(count), begin + count
    before = np.maximum.accumulate(np.where(begins, places, -1), 1)
    after = np.minimum.accumulate(np.where(begins, places, count)[:, ::-1], 1)[:, ::-1]
    calm, peak = np.zeros((2, *begins.shape), bool)
    for series in (fields.combs, fields.leanings):
        misfits = np.array(series[begin:end])
        known = np.append(np.where(np.isnan(misfits), np.inf, misfits), np.inf)
        ends = np.minimum(known[before], known[after])
        calm |= np.isfinite(ends) & (misfits <= _END_SHARE * ends)
        peak[:, 1:-1] |= misfits[1:-1] > _MOST_OF_BESIDE * np.maximum(misfits[:-2], misfits[2:])
    peak[:, 1:-1] &= ~(begins[:, :-2] | begins[:, 2:])
    misfits = np.array(fields.combs[begin:end])
    possible = ~peak & (misfits <= _MOST)
    near = (np.abs(places + begin - field) <= _REACH) & (places > 0)
    within = ~begins & near
    calm_near = calm & possible & within
    misfits = np.nan_to_num(misfits)
    most = np.where(2 * calm_near.sum(1) >= within.sum(1), _MOST_OF_NOISE * row_means(misfits, calm_near), 0.0)
    cuts = np.array(fields.cuts[begin:end])
    known = ~(cuts | np.append(cuts[1:], False) | np.append(False, cuts[:-1])) & (places + begin >= FIRST_STEP)
    firsts = within & known
    firsts[:, 1:] &= begins[:, :-1]
    firsts[:, :1] = False
    steps = np.array(fields.steps[begin:end])
    film = ~steps_tell_video(row_means(steps, begins & near & known), row_means(steps, firsts))[:, np.newaxis]
    noise = film & ~np.array(fields.sures[begin:end]) & possible & (calm | (misfits <= most[:, np.newaxis]))
    if end == len(fields):
        noise[:, -1] |= _fits_last(fields, within & known, firsts, end - 1)
    return noise, film & calm_near


def _fits_last(fields: Witnesses, within: Array, firsts: Array, last: int) -> Array:
    """Of every rhythm, whether a stream's last pair may be of one picture, though no pair behind it tells that.

    It misfits less than the one before it, and no more than others within pictures; both its fields have changed alike.
    """
    begin = last + 1 - within.shape[1]
    series = fields.combs, fields.leanings
    if fields.sures[last] or fields.cuts[last - 1] or all(s[last] > _END_SHARE * s[last - 1] for s in series):
        return np.zeros(len(within), bool)
    own, firsts = within[:, -1], firsts.copy()
    others = within.copy()
    others[:, -1] = firsts[:, -1] = False
    limits = *((s, others, _MOST_OF_LAST) for s in series), (fields.steps, firsts, _MOST_STEP_OF_LAST)
    found = own & firsts.any(1)
    for values, of, ratio in limits:
        found &= values[last] <= ratio * (np.array(values[begin : last + 1]) * of).max(1)
    return found


def class_of_first(fields: Witnesses, rhythm: Rhythm) -> int:
    """What a stream's first pair is within a rhythm, before which no field tells, by what follows.

    Of one picture it misfits less than the next one, and no more than others within pictures; the next two fields have
    changed alike. Of two it misfits more than those, and the next two fields have not, or it misfits far more.
    """
    _, end = unbroken(fields, rhythm, 1, 2, min(_REACH + 2, len(fields.classes)))
    pairs = np.arange(2, end)
    begins = rhythm.begins(pairs)
    firsts = ~begins & rhythm.begins(pairs - 1) & (pairs > FIRST_STEP)
    if list(begins[:2]) != [True, False] or not firsts.any() or any(fields.cuts[1:4]):
        return UNKNOWN
    series = fields.combs, fields.leanings
    misfits, mosts = (
        np.array(of) for of in zip(*((s[1], max(np.array(s[2:end])[~begins])) for s in series), strict=True)
    )
    step, most_step = fields.steps[FIRST_STEP], max(np.array(fields.steps[2:end])[firsts])
    ratio = _MOST_OF_LAST if step > most_step else _FAR_MORE
    if np.all(misfits > ratio * mosts + HIGH_COMB):
        return HIGH
    fits = any(s[1] <= _END_SHARE * s[2] for s in series) and np.all(misfits <= _MOST_OF_LAST * mosts)
    return LOW if fits and step <= _MOST_STEP_OF_LAST * most_step else UNKNOWN
