"""Which fields belong to one picture of a film: the decision, made with fields on both sides (ours; docs/film.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from texsamp.device.base import Array
from texsamp.video.film.behind_cuts import combs_at_end, fits_behind_cut
from texsamp.video.film.cadence import TELL_ORDER, Rhythm, rhythms
from texsamp.video.film.doubled_frames import DoubledFrames
from texsamp.video.film.field_pairs import FIRST_STEP
from texsamp.video.film.inner_pairs import class_of_first, clipped_means, noise_within, row_means
from texsamp.video.film.odd_pairs import is_odd
from texsamp.video.film.repeats import Repeats, fits_repeats, repeats_prove
from texsamp.video.film.series import Series, medians
from texsamp.video.film.steps import steps_tell_film, steps_tell_pictures
from texsamp.video.film.travel import goes_back, moves_within
from texsamp.video.film.variances import FilmStatistics
from texsamp.video.film.video_strips import video_strips
from texsamp.video.film.witnesses import BASE_REACH, FAINT, HIGH, HIGH_COMB, LOW, UNKNOWN, WEAK, Witnesses

_DRIFT_SHARE, _DRIFT_LEAST = 0.4, 0.1
"""Video that scrolls drifts within pictures, too: by this share of that between them, and of what moves."""
_BARE_CONTRAST = 8.0
"""It is none if fields of different pictures comb so many times more, leans aside: what leans is detail that stands."""
_LIT_PAIRS = 0.5
"""Nor if a light that comes and goes in part of the picture explains more of the pairs between pictures than this."""
_ALIKE_COMBS, _ALIKE_MOTION = 0.8, 0.2
"""Nor if pairs within pictures comb as much as this of those between, and of what moves, and lean by less than that."""
_WITNESSES, _WITNESSES_OF_LONG = 6, 3
_LEAST_STRETCH, _LONG_STRETCH = 24, 42
"""Fields in a row that nothing speaks against before a rhythm is believed: detailed video follows one for 21.

So many, or all that are known, where only misfits tell: codecs take motion from between the two fields of a frame.
"""
_MISS, _SWITCH, _LITTLE = 1.3, 3.0, 0.01
"""What a picture that begins without a comb costs, how much more must speak for another rhythm, and the least score."""
_COMPARED = 36
"""Fields on either side in which rhythms are compared with each other."""
_ORDER_REACH, _ORDER_RATIO = 12, 5.0
"""Fields before one or after it in which their order shows so much more: what moves far more may come soon after."""
_CLIP, _CONTRAST, _CONTRAST_OF_SAME = 4.0, 4.0, 2.0
_LEAST_REACH, _MOST_REACH = 16, 36
_DETAIL_SHARE = 0.6
_CALM = 0.75
"""As much is enough where so many of them misfit far less than those at the ends of their pictures."""
_PARTED, _PARTED_MISFITS = 0.4, 1.0
"""Pairs inside pictures comb less than this share of those between, over the whole picture: a faint one is no video.

They misfit less, too: what moves by a line combs within its pictures alone.
"""


@dataclass(frozen=True)
class FieldVerdict:
    """What a field is shown as: woven with the one before (-1) or after it (1), or deinterlaced (0).

    ``rhythm`` is that of the film, None where there is none; ``number`` that of the field in the stream. ``shown`` is
    whether it stands for its picture at the film's rate: the first of each, and first fields where there is no film.
    ``video_strips`` numbers the strips of `FilmStatistics` that are deinterlaced within a woven picture.
    ``turned`` says that fields come in the wrong order there.
    """

    number: int
    partner: int
    rhythm: Rhythm | None
    shown: bool
    video_strips: tuple[int, ...] = ()
    turned: bool = False

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
        self._tell_order = np.array([rhythm.name in TELL_ORDER for rhythm in self._rhythms])
        self._repeats = np.array([rhythm.repeats(np.arange(longest) - rhythm.offset) for rhythm in self._rhythms])
        long = np.array([rhythm.length >= 4 * len(rhythm.runs) for rhythm in self._rhythms])
        self._reaches = np.clip(np.where(long, 4, 2) * self._lengths, _LEAST_REACH, _MOST_REACH)
        self._needed = np.where(long, _WITNESSES_OF_LONG, _WITNESSES)
        self._reach = max(int(self._reaches.max()), _LEAST_STRETCH)
        self.delay_fields = self._reach + BASE_REACH
        self._fields = Witnesses()
        self._frames = DoubledFrames()
        self._decided = 0
        self._current: int | None = None
        self._before: Rhythm | None = None
        self._last_shown = -1
        self._held = self._doubt = self._told = self._faint = self._ends_alike = False
        self._asked: tuple[Rhythm, int, bool] | None = None
        self._answer: tuple[int, ...] = ()

    def add(self, statistics: FilmStatistics, first_parity: int, is_first: bool) -> Iterator[FieldVerdict]:
        """Two more fields; yields the verdicts that are now certain."""
        self._fields.add(statistics, first_parity, is_first)
        self._frames.add(statistics, first_parity, is_first)
        while self._decided + self.delay_fields < len(self._fields):
            yield self._decide()
        self._fields.forget(self._decided - self._reach)
        self._frames.forget((self._decided - self._reach) // 2)

    def finish(self) -> Iterator[FieldVerdict]:
        """The verdicts on the fields that are left."""
        self._fields.classify(len(self._fields))
        while self._decided < len(self._fields):
            yield self._decide()

    def _decide(self) -> FieldVerdict:
        field = self._decided
        self._decided += 1
        if self._fields.cuts[field] and self._fields.ends_scene(field):
            self._held = False
        current = self._current
        turned = self._comes_disordered(field)
        disordered = turned or self._is_doubled_video(field)
        if current is None or disordered or not self._still(current, field):
            current = None
        if not disordered and (current is None or self._doubt):
            scores, told, _ = self._support(np.arange(len(self._rhythms)), field)
            best = int(np.argmax(scores))
            if scores[best] > (0 if current is None else scores[current] + _SWITCH):
                current, self._held, self._told = best, True, bool(told[best])
                self._faint = bool(scores[best] <= _LITTLE)
        self._current = current
        was_film, self._before = self._before is not None, None if current is None else self._rhythms[current]
        shown = self._is_shown(field, was_film)
        if shown:
            self._last_shown = field
        if self._before is None:
            return FieldVerdict(field, self._partner_at_end(field, was_film), None, shown, turned=turned)
        partner, video_strips = self._partner(self._before, field)
        return FieldVerdict(field, partner, self._before, shown, video_strips)

    def _comes_disordered(self, field: int) -> bool:
        """Whether fields come in the wrong order, unless those that come again tell film: detail may seem to."""
        if not self._seems_disordered(field):
            return False
        begin, end = max(0, field - self._reach), min(field + self._reach + 1, len(self._fields.classes))
        return not self._proven(np.arange(len(self._rhythms)), begin, end, field)[1].any()

    def _is_doubled_video(self, field: int) -> bool:
        """Whether the frames around a field, of its scene, are those of video, each of which is shown twice or more."""
        begin, end = self._fields.scene(field, self._reach)
        return self._frames.are_video((begin + 1) // 2, end // 2)

    def _seems_disordered(self, field: int) -> bool:
        """Whether motion says so, shortly before one or after it, or of all fields that are known."""
        known = self._fields.are_disordered(max(0, field - self._reach), field + self.delay_fields, 1)
        near = max(0, field - _ORDER_REACH), field, field + _ORDER_REACH
        begin, end = max(0, field - self._reach), min(field + self.delay_fields, len(self._fields))
        known = known or goes_back(*self._fields.travels.of(begin, end), np.array(self._fields.cuts[begin:end]), begin)
        return known or any(self._fields.are_disordered(*pair, _ORDER_RATIO) for pair in pairwise(near))

    def _is_shown(self, field: int, was_film: bool) -> bool:
        """Whether none of a field's picture has been shown, which an edit may have cut at either end.

        The first field after film that combs is a picture of its own. One that should begin a picture, fits the field
        before it and combs with the next, is the last of the picture before: there the cadence has broken.
        """
        rhythm, classes = self._before, self._fields.classes
        if rhythm is None:
            return field % 2 == 0 or (was_film and classes[field] == HIGH)
        _, number, _ = rhythm.place(field)
        if number == 0:
            return classes[field] >= WEAK or not (field + 1 < len(classes) and self._parts(field + 1))
        begin = max(0, field - number)
        begin = max((n for n in range(begin, field + 1) if self._parts(n)), default=begin)
        return self._last_shown < begin

    def _still(self, current: int, field: int) -> bool:
        """Whether the rhythm goes on: nothing speaks against it, and something has spoken for it since the last cut."""
        (score,), (self._told,), (moves,) = self._support(np.array([current]), field)
        if moves:
            return False
        self._doubt, self._faint = score % 1 > 0, 0 < score <= _LITTLE
        if score > 0:
            self._held = True
            return True
        rhythm = self._rhythms[current]
        if self._combs(current, field, field) and not rhythm.begins(np.array([field]))[0]:
            return False
        pair = self._pair(rhythm, field)
        if pair >= len(self._fields):
            return self._held
        return self._held or fits_behind_cut(self._fields, pair, self._video_strips(rhythm, pair))

    def _support(self, which: Array, field: int) -> tuple[Array, Array, Array]:
        """How much speaks for rhythms around a field; 0 where too little does, or anything there against it.

        Within two cycles on either side and one scene: as far as no two fields of one picture comb. And whether more
        than misfits tells of each, and whether what moves goes on within its pictures, as in video.
        """
        begin, end = max(0, field - self._reach), min(len(self._fields.classes), field + self._reach + 1)
        fields = np.arange(begin, end)
        classes = np.array(self._fields.classes[begin:end])
        is_high, is_apart, is_low = classes == HIGH, classes >= WEAK, classes == LOW
        cuts = [f for f, cut in enumerate(self._fields.cuts[begin:end], begin) if cut and self._fields.ends_scene(f)]
        lengths, offsets = self._lengths[which, np.newaxis], self._offsets[which, np.newaxis]
        begins = self._starts[which[:, np.newaxis], (fields + offsets) % lengths]
        repeats, proven = self._proven(which, begin, end, field)
        parted = (proven | self._are_parted(which, field))[:, np.newaxis]
        against = ~begins & (is_high | ((classes == FAINT) & ~parted))
        noise, calm = noise_within(self._fields, begins, begin, field)
        against &= ~(noise | (proven[:, np.newaxis] & fits_repeats(self._fields, repeats, begin)))
        before = np.where(against & (fields <= field), fields, begin - 1).max(1) + 1
        after = np.where(against & (fields > field), fields, end).min(1)
        stretch = after - before  # scenes on both sides of a cut may follow one rhythm
        unbroken = stretch == end - begin
        before = np.maximum(before, max([int(c) for c in cuts if c <= field], default=begin))
        after = np.minimum(after, min([int(c) for c in cuts if c > field], default=end))
        reach = self._reaches[which]
        first, last = (
            np.maximum(before, field - reach)[:, np.newaxis],
            np.minimum(after, field + reach + 1)[:, np.newaxis],
        )
        near = (fields >= first) & (fields < last)
        inside = begins & near
        same = (near & ~begins & np.array(self._fields.sames[begin:end])).sum(1)
        certain = 2 * same >= (near & ~begins).sum(1)
        good = (inside & is_apart).sum(1) >= np.where(certain, _WITNESSES_OF_LONG, self._needed[which])
        good |= proven
        good &= (stretch >= _LEAST_STRETCH) & (before <= field)
        starts = self._starts[which[:, np.newaxis], (fields - 1 + offsets) % lengths]
        within = near & ~begins
        known, steps = fields >= FIRST_STEP, np.array(self._fields.steps[begin:end])
        alike = clipped_means(steps, within & starts & known)
        between = row_means(steps, inside & known)
        told = certain | parted[:, 0] | steps_tell_pictures(between, alike)
        good &= told | unbroken | (stretch >= _LONG_STRETCH)
        parted = parted[:, 0] | ((calm & near).sum(1) >= _CALM * within.sum(1))
        cuts_here = np.array(self._fields.cuts[begin:end])
        stepping = steps_tell_film(between, alike)
        moves, parts_move = moves_within(*self._fields.travels.of(begin, end), cuts_here, within, stepping, begin)
        moves &= ~(certain | proven)
        good &= ~moves
        good &= proven | self._stands_out(begin, end, inside, within, within & starts, parted)
        compared = begins & (fields >= np.maximum(before, field - _COMPARED)[:, np.newaxis])
        compared &= fields < np.minimum(after, field + _COMPARED + 1)[:, np.newaxis]
        score = (compared & is_apart).sum(1) - _MISS * (compared & is_low).sum(1)
        score = np.where(proven, np.maximum(score, (near & repeats).sum(1)), score)
        scores: Array = np.where(good, np.maximum(score, _LITTLE), 0.0)
        return scores, told & (certain | ~parts_move), moves

    def _proven(self, which: Array, begin: int, end: int, field: int) -> tuple[Array, Array]:
        """Which fields rhythms repeat, and whether that they come again proves them around a field."""
        places = (np.arange(begin, end) + self._offsets[which, np.newaxis]) % self._lengths[which, np.newaxis]
        repeats, starts = (of[which[:, np.newaxis], places] for of in (self._repeats, self._starts))
        rows = Repeats(repeats, ~(starts | repeats), self._tell_order[which])
        return repeats, repeats_prove(self._fields, rows, begin, field)

    def _are_parted(self, which: Array, field: int) -> Array:
        """Whether pairs inside pictures comb far less than those between, in a scene around a field, of all tiles.

        Tiles taken for video count, too: without those that comb most in pairs inside pictures, video may look so.
        """
        begin, end = self._fields.scene(field, _LEAST_REACH)
        fields = np.arange(max(begin, 1), end)
        if not len(fields):
            return np.zeros(len(which), bool)
        lengths, offsets = self._lengths[which, np.newaxis], self._offsets[which, np.newaxis]
        begins = self._starts[which[:, np.newaxis], (fields + offsets) % lengths]
        parted = np.ones(len(which), bool)
        for series, share in ((self._fields.whole_combs, _PARTED), (self._fields.combs, _PARTED_MISFITS)):
            combs = np.array(series[fields[0] : end])
            combs = np.minimum(combs, _CLIP * medians(combs))
            parted &= row_means(combs, ~begins) < share * row_means(combs, begins)
        return parted

    def _stands_out(self, begin: int, end: int, between: Array, within: Array, firsts: Array, parted: Array) -> Array:
        """Whether fields of different pictures comb several times as much above the calmest as those of one do.

        One cut must not outweigh the rest: no comb counts for more than a few times the middle one. And what fields of
        one picture comb, which is detail and noise, must be less than what moves. Or both fields of each picture have
        changed alike, those of different pictures not: ``firsts`` are the first two of each.
        """
        same = (within * np.array(self._fields.sames[begin:end])).sum(1) >= 0.5 * within.sum(1)
        contrast = np.where(same | parted, _CONTRAST_OF_SAME, _CONTRAST)
        found = np.zeros(len(between), bool)
        for series in (self._fields.leanings, self._fields.combs):
            combs = self._clipped(series, begin, end)
            base = np.where(between | within, combs, np.inf).min(1, initial=np.inf)
            base = np.where(np.isinf(base), 0.0, base)
            averages = row_means(combs, between), row_means(combs, within)
            found |= averages[0] - base >= contrast * (averages[1] - base)
        steps = np.array(self._fields.steps[begin:end])
        by_steps = steps_tell_film(row_means(steps, between), clipped_means(steps, firsts))
        found |= by_steps
        moved = row_means(np.array(self._fields.changes[begin:end]), between)
        found &= averages[1] <= _DETAIL_SHARE * moved + HIGH_COMB
        drifts = np.array(self._fields.drifts[begin:end])
        apart, together = row_means(drifts, between), row_means(drifts, within)
        with_it = together * np.sign(apart)
        scrolls = ~by_steps & (with_it > _DRIFT_SHARE * abs(apart)) & (with_it > _DRIFT_LEAST * moved)
        if scrolls.any():
            bare = self._clipped(self._fields.bare_combs, begin, end)
            scrolls &= row_means(bare, between) <= _BARE_CONTRAST * row_means(bare, within) + HIGH_COMB
        lit = row_means(np.array(self._fields.lit[begin:end], float), between) > _LIT_PAIRS
        found &= ~scrolls & (same | ~lit)  # fields that equal those before them have their light
        found &= same | ~self._combs_alike(begin, end, between, within, moved)
        return found

    def _combs_alike(self, begin: int, end: int, between: Array, within: Array, moved: Array) -> Array:
        """Whether pairs within pictures comb as those between do, which lean by less than what moves: on video."""
        bare, leanings = (self._clipped(s, begin, end) for s in (self._fields.bare_combs, self._fields.leanings))
        apart, together = row_means(bare, between), row_means(bare, within)
        alike = (together > _ALIKE_COMBS * apart) & (together > _ALIKE_MOTION * moved + HIGH_COMB)
        found: Array = alike & (row_means(leanings, between) - apart < moved)
        return found

    def _clipped(self, series: Series[float], begin: int, end: int) -> Array:
        """Combs of some kind, none above a few times the middle one of pairs of different pictures."""
        combs = np.array(series[begin:end])
        combs = np.where(np.isnan(combs), np.nanmin(combs) if not np.isnan(combs).all() else 0.0, combs)
        high = np.array(self._fields.classes[begin:end]) >= HIGH
        return np.minimum(combs, _CLIP * medians(combs[high])) if high.any() else combs

    @staticmethod
    def _pair(rhythm: Rhythm, field: int) -> int:
        """The later field of the two that make the picture of a field."""
        _, number, fields = rhythm.place(field)
        return field + 1 if number + 1 < fields else field

    def _partner(self, rhythm: Rhythm, field: int) -> tuple[int, tuple[int, ...]]:
        """The field to weave with, and the strips that are video; 0 at a stream's ends and where film combs."""
        pair = self._pair(rhythm, field)
        if not 0 < pair < len(self._fields) or np.isnan(self._fields.combs[pair]):
            return 0, ()
        if self._fields.unlike[pair] or self._fields.is_doubtful(pair) or is_odd(self._fields, rhythm, pair):
            return 0, ()
        first = class_of_first(self._fields, rhythm) if pair == 1 else UNKNOWN
        if first == HIGH or self._combs(self._current, field, pair):
            return 0, ()
        if self._faint and LOW not in (first, self._fields.classes[pair]):
            return 0, ()
        strips = self._video_strips(rhythm, pair)
        if combs_at_end(self._fields, pair, strips):
            return 0, ()
        return 1 if pair > field else -1, strips

    def _partner_at_end(self, field: int, was_film: bool) -> int:
        """The field to weave with behind a film that a cut ends two fields before the stream does: no rhythm tells."""
        last = len(self._fields) - 1
        if field == last - 1:
            ends = was_film and self._fields.cuts[field] and self._fields.ends_scene(field)
            self._ends_alike = ends and fits_behind_cut(self._fields, last, ())
        return (last - field or -1) if self._ends_alike else 0

    def _video_strips(self, rhythm: Rhythm, pair: int) -> tuple[int, ...]:
        """Numbers of the strips that are video in the picture that a pair makes; asked once for all of its fields."""
        asked = rhythm, pair, self._told
        if self._asked != asked:
            self._asked = asked
            self._answer = tuple(map(int, np.flatnonzero(video_strips(self._fields, *asked))))
        return self._answer

    def _combs(self, rhythm: int | None, field: int, pair: int) -> bool:
        """Whether a pair within a picture of a rhythm is of two pictures."""
        found = self._fields.classes[pair]
        if found >= HIGH and (self._is_noise(rhythm, pair) or self._fits_repeats(rhythm, pair)):
            return False
        return found == HIGH or (found == FAINT and not self._are_parted(np.array([rhythm]), field)[0])

    def _parts(self, field: int) -> bool:
        """Whether a picture begins at a field of film whatever its rhythm says."""
        rhythm = self._before
        if rhythm is not None and is_odd(self._fields, rhythm, field):
            return True
        if self._fields.classes[field] != HIGH:
            return False
        return not (self._is_noise(self._current, field) or self._fits_repeats(self._current, field))

    def _fits_repeats(self, rhythm: int | None, pair: int) -> bool:
        """Whether a pair only misfits, in a rhythm that repeated fields prove."""
        if rhythm is None:
            return False
        begin, end = max(0, pair - self._reach), min(len(self._fields.classes), pair + self._reach + 1)
        repeats, (proven,) = self._proven(np.array([rhythm]), begin, end, pair)
        return bool(proven and fits_repeats(self._fields, repeats[:, pair - begin : pair - begin + 1], pair)[0, 0])

    def _is_noise(self, rhythm: int | None, pair: int) -> bool:
        """Whether what a pair misfits by may be noise of a rhythm's pictures."""
        if rhythm is None:
            return False
        begin, end = max(0, pair - self._reach), min(len(self._fields.classes), pair + self._reach + 1)
        begins = self._starts[rhythm, (np.arange(begin, end) + self._offsets[rhythm]) % self._lengths[rhythm]]
        return bool(noise_within(self._fields, begins[np.newaxis], begin, pair)[0][0, pair - begin])
