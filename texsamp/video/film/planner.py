"""Which fields belong to one picture of a film: the decision, made with fields on both sides (ours; docs/film.md)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from texsamp.device.base import Array
from texsamp.video.film.cadence import Rhythm, rhythms
from texsamp.video.film.series import Series
from texsamp.video.film.variances import FilmStatistics

HIGH, WEAK, UNKNOWN, LOW = 2, 1, 0, -1
"""What the misfit of two fields is among those around it: of different pictures, rather of those, undecided, of one."""

_LEAN_SHARE = 0.25
"""What a lean weighs beside a comb: fields a line apart comb nothing, but lean by their gradients' squares."""
_BASE_REACH = 6
"""Fields on either side among which the calmest pair is looked for."""
_REPEAT_RATIO, _REPEAT_CHANGE = 4.0, 1.0
"""Around a repeated field the others change this many times more than it, which may be noise of a squared level."""
_LOW_SHARE, _LOW_COMB, _LOW_RANGE = 0.08, 0.1, 0.05
_HIGH_SHARE, _HIGH_COMB, _HIGH_RANGE, _WEAK_RANGE = 0.16, 0.25, 0.15, 0.05
"""How far above the base a misfit may lie: share of it, squared levels, share of the worst one's distance but one."""
_STILL_RATIO = 8.0
"""No pair of fields is of different pictures if it misfits by more than this much of what they have changed."""
_DRIFT_SHARE, _DRIFT_LEAST = 0.4, 0.1
"""Video that scrolls drifts within pictures, too: by this share of that between them, and of what moves."""
_CUT_RATIO, _CUT_COMB, _CUT_REACH = 3.0, 100.0, 8
"""A cut combs this many times more than any of the fields before."""
_WITNESSES, _WITNESSES_OF_LONG = 6, 3
_LEAST_STRETCH = 24
"""Fields in a row that nothing speaks against before a rhythm is believed: detailed video follows one for 21."""
_MISS, _SWITCH, _LITTLE = 1.3, 3.0, 0.01
"""What a picture that begins without a comb costs, how much more must speak for another rhythm, and the least score."""
_COMPARED = 36
"""Fields on either side in which rhythms are compared with each other."""
_CLIP, _CONTRAST = 4.0, 4.0
_LEAST_REACH, _MOST_REACH, _RANGE_REACH = 16, 36, 15
_DETAIL_SHARE = 0.6
_QUIET_SHARE = 0.2
"""Share of the motion that fields of one picture comb at most."""
_TILE_COMB, _TILE_SHARE, _TILE_RATIO = 40.0, 0.6, 0.8
"""A tile of a woven picture is combed from so many squared levels on, if that is this share of its motion.

And this much of what it combs with other pictures: a sharp pattern that moves combs less within its own.
"""
_VIDEO_REACH, _VIDEO_SHARE = 12, 0.35
"""A tile is video if three quarters of so many pairs in a row comb so much of what it has changed."""


@dataclass(frozen=True)
class FieldVerdict:
    """What a field is shown as: woven with the one before (-1) or after it (1), or deinterlaced (0).

    ``rhythm`` is that of the film, None where there is none; ``number`` that of the field in the stream. ``shown`` is
    whether it stands for its picture at the film's rate: the first of each, and first fields where there is no film.
    ``video_tiles`` numbers the tiles of `FilmStatistics` that are deinterlaced within a woven picture.
    """

    number: int
    partner: int
    rhythm: Rhythm | None
    shown: bool
    video_tiles: tuple[int, ...] = ()

    @property
    def lead_fields(self) -> Fraction:
        """How much later than the field its picture is due if all of a cycle last equally long."""
        if self.rhythm is None:
            return Fraction(0)
        picture, number, _ = self.rhythm.place(self.number)
        if number:
            return Fraction(0)
        runs = self.rhythm.runs
        return Fraction(picture * self.rhythm.length, len(runs)) - sum(runs[:picture])


class FilmPlanner:
    """Fed with the statistics of frames in a row, tells what becomes of their fields, some frames later.

    ``film`` is a cadence or "auto". The first frame of a stream has no frame before it to be compared with.
    """

    def __init__(self, film: str) -> None:
        self._rhythms = rhythms(film)
        self._lengths = np.array([rhythm.length for rhythm in self._rhythms])
        self._offsets = np.array([rhythm.offset for rhythm in self._rhythms])
        longest = int(self._lengths.max())
        self._starts = np.array([rhythm.begins(np.arange(longest) - rhythm.offset) for rhythm in self._rhythms])
        self._reaches = np.clip(2 * self._lengths, _LEAST_REACH, _MOST_REACH)
        long = np.array([rhythm.length >= 4 * len(rhythm.runs) for rhythm in self._rhythms])
        self._needed = np.where(long, _WITNESSES_OF_LONG, _WITNESSES)
        self._reach = int(self._reaches.max())
        self.delay_fields = self._reach + _BASE_REACH
        self._combs: Series[float] = Series()
        self._changes: Series[float] = Series()
        self._drifts: Series[float] = Series()
        self._tile_combs: Series[Array] = Series()
        self._tile_changes: Series[Array] = Series()
        self._tile_videos: Series[Array] = Series()
        self._last_combs: deque[Array] = deque(maxlen=_VIDEO_REACH)
        self._last_changes: deque[Array] = deque(maxlen=_VIDEO_REACH)
        self._classes: Series[int] = Series()
        self._cuts: Series[bool] = Series()
        self._decided = 0
        self._current: int | None = None
        self._before: Rhythm | None = None
        self._held = self._doubt = False

    def add(self, statistics: FilmStatistics, first_parity: int, is_first: bool) -> Iterator[FieldVerdict]:
        """Two more fields; yields the verdicts that are now certain."""
        top, bottom = statistics.tile_changes.T
        changes = (top, bottom) if first_parity == 0 else (bottom, top)
        combs = statistics.combs[:, 1 + first_parity], statistics.combs[:, 0]
        for number, (comb, change) in enumerate(zip(combs, changes, strict=True)):
            known = not (is_first and number == 0)
            pair = 0 if number else 1 + first_parity
            lean = statistics.leans[:, pair]
            weights = self._weights(comb, change, statistics.pixels)
            misfit = comb + _LEAN_SHARE * np.abs(lean)
            self._combs.append(float(misfit @ weights) if known else np.nan)
            drift = float(lean @ weights) if known else 0.0
            self._drifts.append(drift if number ^ first_parity else -drift)
            self._changes.append(0.0 if is_first else float(change @ weights))
            self._tile_combs.append(comb)
            self._tile_changes.append(np.zeros_like(change) if is_first else change)
            self._cuts.append(self._is_cut(len(self._combs) - 1))
        self._classify(len(self._combs) - _BASE_REACH)
        while self._decided + self.delay_fields < len(self._combs):
            yield self._decide()
        for series in (
            self._combs,
            self._changes,
            self._drifts,
            self._tile_combs,
            self._tile_changes,
            self._tile_videos,
            self._classes,
            self._cuts,
        ):
            series.forget(self._decided - self._reach - _CUT_REACH)

    def finish(self) -> Iterator[FieldVerdict]:
        """The verdicts on the fields that are left."""
        self._classify(len(self._combs))
        while self._decided < len(self._combs):
            yield self._decide()

    def _weights(self, comb: Array, change: Array, pixels: Array) -> Array:
        """Shares of the tiles in what is asked of a pair: none of those that nearly always comb, which are video.

        Of film no two pairs in a row comb. Where most of the picture is video, all tiles count.
        """
        self._last_combs.append(comb)
        self._last_changes.append(change)
        calm = np.sort(self._last_combs, axis=0)[len(self._last_combs) // 4]
        moved = np.median(self._last_changes, axis=0)
        video = (calm > _TILE_COMB) & (calm > _VIDEO_SHARE * moved) & (calm < moved)
        counted: Array = pixels * ~video
        if len(self._last_combs) < _VIDEO_REACH // 4 or 2 * counted.sum() < pixels.sum():
            counted = pixels
        self._tile_videos.append(counted == 0)
        shares: Array = counted / counted.sum()
        return shares

    # -- witnesses ---------------------------------------------------------------------------------------------------

    def _is_cut(self, field: int) -> bool:
        if field <= _CUT_REACH:
            return field == 0
        return self._combs[field] > max(_CUT_RATIO * max(self._combs[field - _CUT_REACH : field]), _CUT_COMB)

    def _classify(self, end: int) -> None:
        """Classes of the pairs up to a field: where each lies between the calmest and the worst of its scene."""
        for field in range(len(self._classes), end):
            left, right = self._scene(field, _BASE_REACH)
            inside = np.array(self._combs[left:right])
            inside = inside[~np.isnan(inside)]
            if (self._cuts[field] and field) or not inside.size:
                self._classes.append(HIGH if field else UNKNOWN)
                continue
            base = max([float(inside.min()), *self._combs_of_repeats(left, right)])
            scale, above = self._worst(field, right) - base, self._combs[field] - base
            least = _HIGH_SHARE * base + _HIGH_COMB
            if above > max(least, _WEAK_RANGE * scale) and above <= _STILL_RATIO * self._moved(field):
                self._classes.append(HIGH if above > _HIGH_RANGE * scale else WEAK)
            else:
                moves = scale > 2 * least
                low = moves and above <= max(_LOW_SHARE * base + _LOW_COMB, _LOW_RANGE * scale)
                self._classes.append(LOW if low else UNKNOWN)

    def _moved(self, field: int) -> float:
        """How much more the two fields of a pair have changed since those of their parity before."""
        return max(self._changes[field : field + 2])

    def _worst(self, field: int, end: int) -> float:
        """What the worst pair but one combs around a field and in two pictures before: one may be an edit."""
        combs = np.array(self._combs[self._scene(field, _RANGE_REACH)[0] : end])
        return float(np.sort(combs[~np.isnan(combs)])[-2:][0])

    def _combs_of_repeats(self, left: int, right: int) -> list[float]:
        """What pairs comb that are certain to be of one picture, which is its detail.

        A field that equals the one two before it, while those of the other parity move, is a repeated one of a film:
        the field between belongs to their picture.
        """
        combs = []
        for field in range(left + 2, right - 1):
            least = min(self._changes[field - 1], self._changes[field + 1])
            if _REPEAT_RATIO * (self._changes[field] + _REPEAT_CHANGE) <= least:
                combs += [self._combs[field - 1], self._combs[field]]
        return combs

    def _scene(self, field: int, reach: int) -> tuple[int, int]:
        """First field and end of those around a field in its scene; a cut's own pair belongs to neither scene."""
        left = field
        while left > 0 and field - left < reach and not self._cuts[left]:
            left -= 1
        right = field + 1
        while right < len(self._combs) and right - field <= reach and not self._cuts[right]:
            right += 1
        return left + int(self._cuts[left]), right

    # -- the decision ------------------------------------------------------------------------------------------------

    def _decide(self) -> FieldVerdict:
        field = self._decided
        self._decided += 1
        if self._cuts[field]:
            self._held = False
        current = self._current
        if current is None or not self._still(current, field):
            current = None
        if current is None or self._doubt:
            scores = self._support(np.arange(len(self._rhythms)), field)
            best = int(np.argmax(scores))
            if scores[best] > (0 if current is None else scores[current] + _SWITCH):
                current, self._held = best, True
        self._current = current
        before, self._before = self._before, None if current is None else self._rhythms[current]
        if self._before is None:
            return FieldVerdict(field, 0, None, field % 2 == 0)
        shown = before is None or self._before.place(field)[1] == 0
        partner, video_tiles = self._partner(self._before, field)
        return FieldVerdict(field, partner, self._before, shown, video_tiles)

    def _still(self, current: int, field: int) -> bool:
        """Whether the rhythm goes on: nothing speaks against it, and something has spoken for it since the last cut."""
        score = self._support(np.array([current]), field)[0]
        self._doubt = score % 1 > 0
        if score > 0:
            self._held = True
            return True
        rhythm = self._rhythms[current]
        if self._classes[field] == HIGH and not rhythm.begins(np.array([field]))[0]:
            return False
        pair = self._pair(rhythm, field)
        if pair >= len(self._combs):
            return self._held
        return self._held or self._combs[pair] <= _QUIET_SHARE * self._motion(pair) + _HIGH_COMB

    def _support(self, which: Array, field: int) -> Array:
        """How much speaks for rhythms around a field; 0 where too little does, or anything there against it.

        Within two cycles on either side and one scene: as far as no two fields of one picture comb.
        """
        begin, end = max(0, field - self._reach), min(len(self._classes), field + self._reach + 1)
        fields = np.arange(begin, end)
        classes = np.array(self._classes[begin:end])
        is_high, is_apart, is_low = classes == HIGH, classes >= WEAK, classes == LOW
        cuts = np.flatnonzero(np.array(self._cuts[begin:end])) + begin
        lengths, offsets = self._lengths[which, np.newaxis], self._offsets[which, np.newaxis]
        begins = self._starts[which[:, np.newaxis], (fields + offsets) % lengths]
        against = ~begins & is_high
        before = np.where(against & (fields <= field), fields, begin - 1).max(1) + 1
        after = np.where(against & (fields > field), fields, end).min(1)
        before = np.maximum(before, max([int(c) for c in cuts if c <= field], default=begin))
        after = np.minimum(after, min([int(c) for c in cuts if c > field], default=end))
        reach = self._reaches[which]
        first, last = (
            np.maximum(before, field - reach)[:, np.newaxis],
            np.minimum(after, field + reach + 1)[:, np.newaxis],
        )
        near = (fields >= first) & (fields < last)
        inside = begins & near
        good = (inside & is_apart).sum(1) >= self._needed[which]
        good &= (after - before >= _LEAST_STRETCH) & (before <= field)
        good &= self._stands_out(begin, end, inside, near & ~begins)
        compared = begins & (fields >= np.maximum(before, field - _COMPARED)[:, np.newaxis])
        compared &= fields < np.minimum(after, field + _COMPARED + 1)[:, np.newaxis]
        score = (compared & is_apart).sum(1) - _MISS * (compared & is_low).sum(1)
        scores: Array = np.where(good, np.maximum(score, _LITTLE), 0.0)
        return scores

    def _stands_out(self, begin: int, end: int, between: Array, within: Array) -> Array:
        """Whether fields of different pictures comb several times as much above the calmest as those of one do.

        One cut must not outweigh the rest: no comb counts for more than a few times the middle one. And what fields of
        one picture comb, which is detail and noise, must be less than what moves.
        """
        combs = np.array(self._combs[begin:end])
        combs = np.where(np.isnan(combs), np.nanmin(combs) if not np.isnan(combs).all() else 0.0, combs)
        high = combs[np.array(self._classes[begin:end]) == HIGH]
        if high.size:
            combs = np.minimum(combs, _CLIP * np.median(high))
        base = np.where(between | within, combs, np.inf).min(1, initial=np.inf)
        base = np.where(np.isinf(base), 0.0, base)
        means = [(combs * mask).sum(1) / np.maximum(mask.sum(1), 1) for mask in (between, within)]
        found: Array = means[0] - base >= _CONTRAST * (means[1] - base)
        moved = (np.array(self._changes[begin:end]) * between).sum(1) / np.maximum(between.sum(1), 1)
        found &= means[1] <= _DETAIL_SHARE * moved + _HIGH_COMB
        drifts = np.array(self._drifts[begin:end])
        apart, together = ((drifts * mask).sum(1) / np.maximum(mask.sum(1), 1) for mask in (between, within))
        with_it = together * np.sign(apart)
        found &= ~((with_it > _DRIFT_SHARE * abs(apart)) & (with_it > _DRIFT_LEAST * moved))
        return found

    def _motion(self, pair: int) -> float:
        return max(self._changes[max(0, pair - 1) : pair + 3])

    @staticmethod
    def _pair(rhythm: Rhythm, field: int) -> int:
        """The later field of the two that make the picture of a field."""
        _, number, fields = rhythm.place(field)
        return field + 1 if number + 1 < fields else field

    def _partner(self, rhythm: Rhythm, field: int) -> tuple[int, tuple[int, ...]]:
        """The field to weave with, and the tiles that are video; 0 at a stream's ends and where film combs."""
        pair = self._pair(rhythm, field)
        if not 0 < pair < len(self._combs) or np.isnan(self._combs[pair]):
            return 0, ()
        video = self._tile_videos[pair]
        if self._classes[pair] == HIGH or (self._combed(rhythm, field, pair) & ~video).any():
            return 0, ()
        return 1 if pair > field else -1, tuple(int(tile) for tile in np.flatnonzero(video))

    def _combed(self, rhythm: Rhythm, field: int, pair: int) -> Array:
        """Which tiles of a picture that the later one of a pair of fields completes move in every field."""
        _, number, fields = rhythm.place(field)
        begin, end = max(0, field - number), min(field - number + fields, len(self._combs) - 1)
        others = (self._tile_combs[begin] + self._tile_combs[end]) / 2
        changes = np.max(self._tile_changes[max(0, pair - 1) : pair + 3], axis=0)
        combs = self._tile_combs[pair]
        combed: Array = (combs > _TILE_COMB) & (combs > _TILE_SHARE * changes) & (combs > _TILE_RATIO * others)
        return combed
