"""Which strips of a picture of film are video: tickers and captions that move in every field over it (ours)."""

from __future__ import annotations

import numpy as np

from texsamp.device.base import Array
from texsamp.video.film.cadence import Rhythm
from texsamp.video.film.field_pairs import FIRST_STEP
from texsamp.video.film.moving_strips import strips_that_go_on
from texsamp.video.film.odd_pairs import unbroken
from texsamp.video.film.series import medians
from texsamp.video.film.steps import step, steps_tell_film, steps_tell_video
from texsamp.video.film.strip_neighbors import sideways, up_and_down
from texsamp.video.film.subtitle_strips import strips_that_appear
from texsamp.video.film.tickers import by_parity, moves_in_one_parity
from texsamp.video.film.witnesses import Witnesses

_REACH = 24
"""Pairs in a row, a picture's own and those before it or after it, by which its strips are judged."""
_LEAST = 18
"""As many at least, where the stream begins or ends."""
_FEWEST = 3
"""Pairs of fields of one picture among them."""
_COMB = 40.0
"""What three of four such pairs comb at least."""
_RATIO, _RATIO_OF_REPEATS, _REPEATS_CHANGE = 0.8, 0.3, 0.2
"""What they comb beside the mean of pairs of different pictures.

Less proves enough where three of four repeated fields have changed, too, by this share of the middle change.
"""
_STEADY, _RATIO_OF_STEADY = 1.25, 0.6
"""Less will do for what combs alike all the time, within this ratio of its quarters, if its steps are those of video.

So will combs that come and go, if both quarters are as near to those of pairs of different pictures.
"""
_MOST_RATIO = 1.5
"""What their mean is of that at most: detail that moves by a line combs less with other pictures."""
_DETAIL_LEAN, _DETAIL_MOTION = 4.0, 0.1
"""A strip of film leans so many times as much between pictures as within them, and by so much of its motion."""
_RATIO_IN_DOUBT, _STEPS_IN_DOUBT = 0.5, 0.33
"""Less will do where only misfits tell that there is film: strips and their tiles misfit as much as this of others.

Steps of such strips between pictures are this at most: others are of film.
"""
_RESTS, _FEWEST_REPEATS = 0.1, 2
"""A strip that moves is film if all its repeated fields change by less than this share of it: a ticker never rests."""
_CLIP = 4.0
"""No pair counts for more than this many times the middle one: a cut is none of those between pictures."""
_FEW_TILES = 4
"""Lines of one parity must move in strips of a whole one's part of so many at least: in a few columns film may, too."""
_OWN_SHARE = 0.5
"""What the pair itself combs of that, unless strips are video on both sides of it: others may lie behind a break."""
_EDGE_COMB, _EDGE_RATIO, _SURE_EDGE = 4.0, 0.2, 16.0
"""The same of means, for strips on both sides of those that are video: some of a ticker.

What the pair itself combs there proves it, too: a line or two of letters, in a strip of film that moves more.
"""
_EDGE_CHANGE = 4.0
"""Strips above and below are of it if they change by so much: a ticker's last line may lie between others' lines."""
_ONE_PARITY_RATIO = 2.0
"""Beside a ticker lines of one parity need to change by no more than so many times those of the other."""
_ALIKE_RATIO = 0.5
"""The same of means as of combs, for strips that comb as video does beyond those, or beyond a gap where all stands."""


def video_strips(fields: Witnesses, rhythm: Rhythm, pair: int, told: bool = True) -> Array:
    """Whether strips comb within pictures all the time, in the pairs up to one or from it on.

    ``told`` is whether more than misfits says that there is film. So must those of one picture for certain where the
    rhythm holds: beyond an edit pairs that it has within pictures comb as those between do, of film alone.
    """
    whole = max(1, pair - _REACH + 1), min(len(fields.classes), pair + _REACH)
    found = _video_strips(fields, rhythm, pair, told, *whole)
    if not (fields.sames[pair] and found.any()):
        return found
    begin, end = unbroken(fields, rhythm, pair, *whole)
    begin = begin if _breaks(fields, begin - 1) else whole[0]
    end = end if end < len(fields) and _breaks(fields, end) else whole[1]
    if (begin, end) != whole and end - begin >= _LEAST:
        found &= _video_strips(fields, rhythm, pair, told, begin, end)
    return found


def _video_strips(fields: Witnesses, rhythm: Rhythm, pair: int, told: bool, begin: int, end: int) -> Array:
    """The same by some pairs in a row; at their ends windows reach beyond the pair."""
    strips = fields.strips
    assert strips is not None
    video, edge, alike = np.zeros((3, len(strips.tiles)), bool)
    film = np.ones(len(strips.tiles), bool)
    sides: list[Array] = []
    wide = (_FEW_TILES * fields.pixels >= fields.pixels.max())[strips.tiles]
    windows = (begin, min(max(pair + 1, begin + _LEAST), end)), (max(min(pair, end - _LEAST), begin), end)
    for pairs in (np.arange(*window) for window in windows):
        within = ~rhythm.begins(pairs)
        if within.sum() < _FEWEST or within.all():
            continue
        combs = np.array(fields.strip_combs[pairs[0] : pairs[-1] + 1])
        changes = np.array(fields.strip_changes[pairs[0] : pairs[-1] + 1])
        leans = np.array(fields.strip_leans[pairs[0] : pairs[-1] + 1])
        own = combs[within]
        parities = by_parity(changes)
        middles = [part[len(changes) // 4] for part in parities]
        moved, more = np.minimum(*middles), np.maximum(*middles)
        clipped = np.minimum(combs, _CLIP * medians(combs))[~within]
        others = clipped.mean(0)
        calm, worst = np.sort(clipped, axis=0)[[len(clipped) // 4, -1 - len(clipped) // 4]]
        repeats = changes[within & ~rhythm.begins(pairs - 1) & (pairs > 1)]  # the first two changes are not known
        film &= (np.max(repeats, axis=0) < _RESTS * moved) if len(repeats) >= _FEWEST_REPEATS else False
        between, alike_steps = _mean_steps(changes, within, pairs)
        least, most = np.sort(own, axis=0)[[len(own) // 4, -1 - len(own) // 4]]
        mean = own.mean(0)
        if len(repeats):
            enough = np.sort(repeats, axis=0)[len(repeats) // 4] > _REPEATS_CHANGE * moved
            enough &= least > _RATIO_OF_REPEATS * others
        else:
            steady = (most < _STEADY * least) & (least > _RATIO_OF_STEADY * others)
            alike_quarters = _are_near(least, calm) & _are_near(most, worst)
            enough = (steady | alike_quarters) & steps_tell_video(between, alike_steps)
            enough |= least > _RATIO * others
        moves = enough & (mean <= _MOST_RATIO * others)
        apart = leans[~within].mean(0)
        detail = (apart > _DETAIL_LEAN * leans[within].mean(0)) & (apart > _DETAIL_MOTION * moved + more - moved)
        detail |= steps_tell_film(between, alike_steps)
        moves &= ~detail
        if not told:
            doubt = wide & (fields.strip_combs[pair] > _COMB)
            doubt &= (mean > _RATIO_IN_DOUBT * others) & (mean <= _MOST_RATIO * others) & (between < _STEPS_IN_DOUBT)
            doubt &= leans[within].mean(0) > _RATIO_IN_DOUBT * apart
            video |= doubt & _misfit_alike(fields, pairs, within)[strips.tiles] & ~detail
        video |= wide & moves_in_one_parity(*parities) & up_and_down(least > _COMB, strips.across)
        moves &= wide & (least > _COMB)
        video |= moves & (fields.strip_combs[pair] > _OWN_SHARE * least)
        sides.append(moves)
        edge |= (mean > _EDGE_COMB) & (mean > _EDGE_RATIO * others)
        alike |= (mean > _COMB) & (mean > _ALIKE_RATIO * others)
        alike |= (mean > _COMB) & moves_in_one_parity(*parities, _ONE_PARITY_RATIO)
    if len(sides) > 1:
        video |= np.all(sides, axis=0) & (fields.strip_combs[pair] > _EDGE_COMB)
    video |= wide & strips_that_go_on(fields, rhythm, pair, video, strips.across)
    edge |= fields.strip_combs[pair] > _SURE_EDGE
    video |= sideways(video, strips.across) & edge
    changed = np.max(fields.strip_changes[max(pair - 1, 0) : pair + 3], axis=0)
    video |= up_and_down(video, strips.across) & (changed > _EDGE_CHANGE)
    alike &= fields.strip_combs[pair] > _COMB
    still = up_and_down(video, strips.across) & (changed <= _EDGE_CHANGE)
    video |= up_and_down(video | still, strips.across) & alike
    appears = strips_that_appear(fields, rhythm, pair)
    appears |= sideways(appears, strips.across) & (fields.strip_combs[pair] > _SURE_EDGE)
    appears |= up_and_down(appears, strips.across) & (changed > _EDGE_CHANGE)
    return (video & ~(film & (len(sides) > 0))) | appears


def _breaks(fields: Witnesses, pair: int) -> bool:
    """Whether most of the picture combs in a pair: what moves as video in a part of it breaks no rhythm."""
    return bool(np.median(fields.strip_combs[pair]) > _COMB)


def _misfit_alike(fields: Witnesses, pairs: Array, within: Array) -> Array:
    """Whether tiles misfit within pictures nearly as between them."""
    misfits = np.array(fields.tile_misfits[pairs[0] : pairs[-1] + 1])
    others = np.minimum(misfits, _CLIP * medians(misfits))[~within].mean(0)
    alike: Array = misfits[within].mean(0) > _RATIO_IN_DOUBT * others
    return alike


def _are_near(one: Array, two: Array) -> Array:
    """Whether either is little more than the other."""
    near: Array = np.maximum(one, two) < _STEADY * np.minimum(one, two)
    return near


def _mean_steps(changes: Array, within: Array, pairs: Array) -> tuple[Array, Array]:
    """Mean steps of strips between pictures, and within them of the first two fields of each; 0 where none is known."""
    known = pairs[1:] >= FIRST_STEP
    steps = step(np.abs(np.diff(changes, axis=0)), changes[1:] + changes[:-1])
    between, alike = ~within[1:] & known, within[1:] & ~within[:-1] & known
    one, two = ((steps * of[:, np.newaxis]).sum(0) / max(of.sum(), 1) for of in (between, alike))
    return one, two
