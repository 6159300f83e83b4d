"""What tells whether two fields in a row are of one picture: the witnesses of film mode (ours; docs/film.md)."""

from __future__ import annotations

import numpy as np

from texsamp.video.film.disorder import is_disorder
from texsamp.video.film.edits import are_alike, begins_by_change, is_edit
from texsamp.video.film.field_pairs import FIRST_STEP, REMEMBERED, REST_RATIO, SAME_CHANGE, WINDOW, FieldPairs
from texsamp.video.film.series import Series
from texsamp.video.film.steps import ALIKE_REACH, is_step, steps_alternate
from texsamp.video.film.variances import FilmStatistics

HIGH, WEAK, UNKNOWN, LOW, FAINT = 2, 1, 0, -1, 3
"""What the misfit of two fields is among those around it: of different pictures, rather of those, undecided, of one.

A faint one is high, but less than those on both sides: where pairs inside pictures comb far less on the whole, it is
undecided.
"""

BASE_REACH = 6
"""Fields on either side among which the calmest pair is looked for."""
HIGH_COMB, _SURE_COMB = 0.25, 0.5
_REPEAT_RATIO, _REPEAT_CHANGE = 4.0, 1.0
"""Around a repeated field the others change this many times more than it, which may be noise of a squared level."""
_SAME_RATIO, _SAME_REACH = 10.0, 2
"""A field equals the one two before if one so near changes this many times more."""
_SAME_SPREAD = 4.0
"""It has changed so many times more than another such field near at most: coded ones have noise of their own."""
_PEAK, _SHARP_PEAK, _VALLEY, _FAINT_VALLEY = 2.0, 4.0, 0.6, 0.9
"""A pair misfits more, for certain of two pictures, or less, or a little less than those before and after it."""
_OUTSIDE_RATIO = 2.0
"""A pair is of no picture that misfits so many times more than one beside it."""
_OUTSIDE_DETAIL = 1.25, _OUTSIDE_RATIO, 4.0
"""So much more with leans counted four times, once and not at all tells it, too, beside detail that leans."""
_AS_MUCH, _FAR_MORE, _TWO_ON = 0.75, 4.0, 1.4
"""The field between equal ones is two pictures on if it has changed so many times more than those around by the last.

Then both pairs beside it may misfit as much as those around, and far more than those beyond.
"""
_LEAST_TURN = 30.0
"""Squared levels that a field changes by where two frames alone tell the order: slow film may seem to turn by less."""
_LOW_SHARE, _LOW_COMB, _LOW_RANGE, _LOW_MOTION = 0.08, 0.1, 0.05, 0.25
_HIGH_SHARE, _HIGH_RANGE, _WEAK_RANGE, _RANGE_REACH = 0.16, 0.15, 0.05, 15
"""How far above the base a misfit may lie: share of it, share of the worst one's distance but one, among so many."""
_STILL_RATIO = 8.0
"""No pair of fields is of different pictures if it misfits by more than this much of what they have changed."""


class Witnesses(FieldPairs):
    """Field pairs, and what their measures say of them.

    ``classes``, ``sames``, whether a pair is of one picture for certain, and ``sures``, whether more than its misfit
    tells that it is of two, end `BASE_REACH` fields before the others.
    """

    def __init__(self) -> None:
        super().__init__()
        self.classes: Series[int] = Series()
        self.sames: Series[bool] = Series()
        self.sures: Series[bool] = Series()
        self._misfits = self.leanings, self.combs
        series = self.leanings, self.combs, self.bare_combs
        self._outside = tuple(zip(series, (_OUTSIDE_RATIO,) * 2, strict=False))
        self._outside_detail = tuple(zip(series, _OUTSIDE_DETAIL, strict=True))
        self._edits: Series[bool] = Series()

    def add(self, statistics: FilmStatistics, first_parity: int, is_first: bool) -> None:
        """Two more fields."""
        super().add(statistics, first_parity, is_first)
        self.classify(len(self) - BASE_REACH)

    def forget(self, end: int) -> None:
        """What was before a field will not be asked for any more."""
        super().forget(end)
        for series in (self.classes, self.sames, self.sures, self._edits):
            series.forget(end - REMEMBERED)

    def classify(self, end: int) -> None:
        """Classes of the pairs up to a field: where each lies between the calmest and the worst of its scene."""
        for field in range(len(self.classes), end):
            self._edits.append(is_edit(self.changes, field, BASE_REACH))
            self.sames.append(self._is_same(field))
            found = self._told(field)
            self.sures.append(found == HIGH)
            if found is None:
                found = self._measured(field)
                found = WEAK if found in (UNKNOWN, LOW) and self._is_step(field) else found
            self.classes.append(found)

    def _told(self, field: int) -> int | None:
        """The class of a pair that more than its misfit tells; None where that is all there is."""
        left, right = self.scene(field, BASE_REACH)
        if (self.cuts[field] and field) or np.isnan(self.combs[left:right]).all():
            return HIGH if field else UNKNOWN
        if self._is_same(field):
            return LOW
        if self._is_apart(field) or begins_by_change(self.changes, field, BASE_REACH):
            return HIGH
        below = self._lies_below(field, _VALLEY, (self.combs, self.leanings))
        if below or self._moves_alike(field) or self._rests_after_cut(field):
            return UNKNOWN
        if any(self._begins_beside(field, n, beside) for n, beside in ((field, field - 1), (field + 1,) * 2)):
            return HIGH
        return None

    def _measured(self, field: int) -> int:
        """The class of a pair by how far it lies above the calmest, beside the worst."""
        left, right = self.scene(field, BASE_REACH)
        base = max([float(np.nanmin(self.combs[left:right])), *self._combs_of_repeats(left, right)])
        scale, above = self._worst(field, right) - base, self.combs[field] - base
        least, moved = _HIGH_SHARE * base + HIGH_COMB, max(self.changes[field : field + 2])
        if above > max(least, _WEAK_RANGE * scale) and above <= _STILL_RATIO * moved:
            sure = above > max(_HIGH_RANGE * scale, _SURE_COMB) or self._is_peak(field, _SHARP_PEAK)
            return (FAINT if self._is_faint(field) else HIGH) if sure else WEAK
        low = scale > 2 * least and above <= max(_LOW_SHARE * base + _LOW_COMB, _LOW_RANGE * scale)
        return LOW if low and above <= _LOW_MOTION * moved else UNKNOWN

    def _is_low(self, field: int) -> bool:
        """Whether a field equals the one two before: others in the scene change many times as much.

        Right at a cut those of the whole scene are asked, as far as they are known, and else only those near.
        """
        if not 2 <= field < len(self):
            return False
        left, right = self.scene(field, _SAME_REACH)
        begin, end = self.scene(field, BASE_REACH)
        if field - begin <= _SAME_REACH + 1:
            near = self.changes[field:end]
        elif end < len(self) and end <= field + _SAME_REACH and self._rests(field, end):
            return True
        elif end <= field + _SAME_REACH:
            near = self.changes[begin + 2 : field + 1]
        else:
            near = self.changes[left:right]
        changed, most = self.changes[field] + SAME_CHANGE, max(near)
        return REST_RATIO * changed <= most or (_SAME_RATIO * changed <= most and self._is_least(field))

    def _is_least(self, field: int) -> bool:
        """Whether a field has changed as little as any near, which is noise: a camera coming to rest moves."""
        left, right = self.scene(field, WINDOW)
        least = min(self.changes[max(left, 2) : right], default=0.0)
        return self.changes[field] <= _SAME_SPREAD * (least + SAME_CHANGE)

    def _is_high(self, field: int) -> bool:
        """Whether a field differs from the one two before, where others near do not."""
        if not 2 <= field < len(self):
            return False
        left, right = self.scene(field, _SAME_REACH)
        return self.changes[field] >= _SAME_RATIO * (min(self.changes[left:right], default=0.0) + SAME_CHANGE)

    def _begins_beside(self, field: int, changed: int, beside: int) -> bool:
        """Whether a pair is of two pictures as one beside it is of one, and a field of both has changed.

        It misfits more, too: few lines that a ticker leaves in one parity change as well.
        """
        if not (self._is_high(changed) and self._is_same(beside)):
            return False
        return any(of[field] > (1 + _HIGH_SHARE) * of[beside] + HIGH_COMB for of in self._misfits)

    def _is_same(self, field: int) -> bool:
        """Whether the pair of a field and the one before is of one picture for certain."""
        rests = any(self._is_low(n) and not self._is_crossed(n) for n in (field, field + 1))
        return rests and not (self._is_peak(field) or self._is_apart(field))

    def _is_crossed(self, field: int) -> bool:
        """Whether it and the next field of its parity, or the last, come again, but the one between does not.

        All of them were of one picture, which that one is not.
        """
        return any(
            self._is_low(n) and self._is_high((field + n) // 2) and not (self._returns(field) or self._returns(n))
            for n in (field - 2, field + 2)
        )

    def _is_apart(self, field: int) -> bool:
        """Whether a pair is of two pictures, one of which comes again: an edit went back by one.

        If both fields equal those two before, their pair is as that one.
        """
        if any(self._is_low(n) and self._returns(n) for n in (field, field + 1)):
            return True
        if self._is_low(field + 1) and self._is_low(field + 2) and self._returns(field + 2):
            return True
        return self._is_low(field) and self._is_low(field - 1) and self._is_apart(field - 2)

    def _returns(self, field: int) -> bool:
        """Whether a field that equals the one two before has one of another picture between: outside that fits more.

        It misfits both alike, as those are equal; leans are counted whole or not. Or the outer fields of the two frames
        that the three lie in are nearer in time than the inner ones.
        """
        frame = field // 2
        changes = self.changes[max(0, 2 * frame - 2) : 2 * frame + 2]
        if max(changes) > _LEAST_TURN and is_disorder(self.disorders[frame : frame + 1], changes, self._shares, 1):
            return True
        if not any(are_alike(of[field - 1], of[field]) for of in (self.leanings, self.drifts)):
            return False
        pairs, beside = (field - 1, field), (field - 2, field + 1)
        if any(
            all(self._fits_less(n, beside, of, ratio) for n in pairs for of, ratio in ratios)
            for ratios in (self._outside, self._outside_detail)
        ):
            return True
        if self._is_low(field - 1) or self.changes[field - 1] <= _TWO_ON * max(
            self.changes[n] for n in beside if n < len(self)
        ):
            return False
        beyond = field - 3, field + 2
        return all(
            self._fits_less(n, beyond, of, _FAR_MORE)
            and of[n] > _AS_MUCH * min(of[k] for k in beside if 0 < k < len(self))
            for n in pairs
            for of in self._misfits
        )

    def is_doubtful(self, pair: int) -> bool:
        """Whether a pair that should be of one picture misfits far more than one beside it, leans whole or not."""
        return all(self._fits_less(pair, (pair - 1, pair + 1), of, ratio) for of, ratio in self._outside)

    def _fits_less(self, pair: int, others: tuple[int, int], of: Series[float], ratio: float) -> bool:
        """Whether a pair misfits far more than another, where there moves as much as that could come from."""
        known = [n for n in others if 0 < n < len(self) and not self.cuts[n]]
        asked = [of[n] for n in known if self.combs[pair] <= _STILL_RATIO * self.changes[n]]
        return len(asked) > 0 and of[pair] > ratio * min(asked) + HIGH_COMB

    def _beside(self, field: int) -> list[float]:
        """Combs of the pairs before and after, in the same scene."""
        beside = [n for n in (field - 1, field + 1) if 0 < n < len(self)]
        return [self.combs[n] for n in beside if not (self.cuts[n] or np.isnan(self.combs[n]))]

    def _is_peak(self, field: int, ratio: float = _PEAK) -> bool:
        beside = [self.combs[n] for n in (field - 1, field + 1) if 0 < n < len(self) and not np.isnan(self.combs[n])]
        return len(beside) > 0 and self.combs[field] > ratio * max(beside) + HIGH_COMB

    def _is_faint(self, field: int) -> bool:
        """Whether it misfits a little less, or combs so with the tiles that are taken for video."""
        return self._lies_below(field, _FAINT_VALLEY, (self.combs, self.leanings, self.whole_combs))

    def _lies_below(self, field: int, ratio: float, of: tuple[Series[float], ...]) -> bool:
        if not 0 < field < len(self) - 1:
            return False
        beside = [n for n in (field - 1, field + 1) if not self.cuts[n]]
        return len(beside) > 0 and any(series[field] <= ratio * min(series[n] for n in beside) for series in of)

    def _rests_after_cut(self, field: int) -> bool:
        """Whether the pair is the first of a scene that does not move yet: none there is like it."""
        if not (0 < field < len(self) - 1 and self.cuts[field - 1]) or np.isnan(self.combs[field - 1]):
            return False
        rests = self._rests(field + 1, field) and self._is_least(field + 1)
        return rests and _SAME_RATIO * self.combs[field] <= self.combs[field - 1]

    def _moves_alike(self, field: int) -> bool:
        """Whether a pair misfits less than one beside it, and has changed alike, as every second one there.

        Others have not.
        """
        if self.combs[field] > max(self._beside(field), default=0.0):
            return False
        left, right = self.scene(field, ALIKE_REACH)
        first = max(left + 2, FIRST_STEP)
        return steps_alternate(
            np.array(self.steps[first : max(first, min(right, field + ALIKE_REACH + 1))]), field - first
        )

    def _is_step(self, field: int) -> bool:
        """Whether both fields of a pair have changed, but not alike, as those of the pairs beside it have."""
        if not FIRST_STEP < field < len(self) - 1 or any(self.cuts[field - 2 : field + 2]):
            return False
        return is_step(*self.steps[field - 1 : field + 2])

    def _worst(self, field: int, end: int) -> float:
        """What the worst pair but one combs around a field and in two pictures before: one may be an edit."""
        begin = self.scene(field, _RANGE_REACH)[0]
        begin = max((n + 1 for n in range(begin, field) if self._edits[n]), default=begin)
        combs = np.array(self.combs[begin:end])
        return float(np.sort(combs[~np.isnan(combs)])[-2:][0])

    def _combs_of_repeats(self, left: int, right: int) -> list[float]:
        """What pairs comb that are certain to be of one picture, which is its detail.

        A field that equals the one two before it, while those of the other parity move, is a repeated one of a film:
        the field between belongs to their picture.
        """
        combs = []
        for field in range(left + 2, right - 1):
            least = min(self.changes[field - 1], self.changes[field + 1])
            repeats = _REPEAT_RATIO * (self.changes[field] + _REPEAT_CHANGE) <= least
            if repeats and not (self._returns(field) or self._is_crossed(field)):
                combs += [self.combs[field - 1], self.combs[field]]
        return combs
