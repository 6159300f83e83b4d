"""What is measured of every field and the one before it, over a stream: misfits, steps, cuts (ours; docs/film.md)."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from texsamp.device.base import Array
from texsamp.video.film.disorder import disorder, is_disorder
from texsamp.video.film.edits import light_explains
from texsamp.video.film.series import Series
from texsamp.video.film.steps import step
from texsamp.video.film.tickers import by_parity, comb_in_all_fields, moves_in_one_parity, shows_film
from texsamp.video.film.travel import Travels, TravelsOfAreas
from texsamp.video.film.variances import FilmStatistics, FilmStrips

_LEAN_SHARE = 0.25
"""What a lean weighs beside a comb: fields a line apart comb nothing, but lean by their gradients' squares."""
_STANDING_RATIO = 8.0
"""What leans by more than this much of what has changed is a chart that stands: what goes over it changes its lean."""
REST_RATIO = 100.0
"""A field equals the one two before for certain if one near, or the cut beside it, has changed so many times more."""
SAME_CHANGE = 0.1
"""Squared levels of noise, by which a field may have changed that equals the one two before."""
FIRST_STEP = 3
"""The first pair whose step is known: what the first two fields of a stream have changed is not."""
_CUT_RATIO, _CUT_COMB, _CUT_NEAR, REMEMBERED = 3.0, 100.0, 8, 17
"""A cut combs this many times more than any of the near fields before, and any but one of those remembered."""
WINDOW, _VIDEO_REST = 12, 48
"""Of so many pairs in a row three quarters must comb for a tile to be video, which it then is for so long."""


class FieldPairs:
    """Of every field and the one before it, a pair: what they misfit by.

    ``combs`` are the misfits of pairs, ``changes`` what fields have changed since those of their parity before,
    both without the tiles that are video; ``steps`` say how differently both fields of a pair have changed, tile by
    tile, from 0 to 1; ``whole_combs`` are combs of the whole picture, leans aside. ``drifts`` lean up or down, the same
    way in time for all pairs. ``pixels`` are those of tiles. ``disorders`` have tiles' for each frame, with all
    leans and without those of what stands: above 0 if the two inner fields of it and the one before differ by more
    than the outer ones. ``unlike`` are pairs whose fields have lights of their own, without which the others are;
    ``lit`` those that a light which comes and goes may explain. ``travels`` are how far pictures move within pairs, of
    the tiles that are not video and of all.
    """

    def __init__(self) -> None:
        self.combs: Series[float] = Series()
        self.changes: Series[float] = Series()
        self.drifts: Series[float] = Series()
        self.disorders: Series[Array] = Series()
        self.cuts: Series[bool] = Series()
        self._cut_fields: list[int] = []
        self.unlike: Series[bool] = Series()
        self.tile_combs: Series[Array] = Series()
        self.tile_misfits: Series[Array] = Series()
        self.tile_changes: Series[Array] = Series()
        self.strip_combs: Series[Array] = Series()
        self.strip_changes: Series[Array] = Series()
        self.strip_leans: Series[Array] = Series()
        self.strip_sides: Series[tuple[Array, Array]] = Series()
        self.strip_travels = TravelsOfAreas()
        self.strips: FilmStrips | None = None
        self.leanings: Series[float] = Series()
        self.steps: Series[float] = Series()
        self.bare_combs: Series[float] = Series()
        self.whole_combs: Series[float] = Series()
        self.lit: Series[bool] = Series()
        self.travels = Travels()
        self._levels: Series[Array] = Series()
        self._tile_leans: Series[Array] = Series()
        self.pixels: Array = np.zeros(0)
        self.strip_pixels: Array = np.zeros(0)
        self._rests_of_video: Array = np.zeros(0, int)
        self._shares: Array = np.zeros(0)
        self._scene_starts = [0, 0]

    def __len__(self) -> int:
        """How many fields there have been."""
        return len(self.combs)

    def add(self, statistics: FilmStatistics, first_parity: int, is_first: bool) -> None:
        """Two more fields."""
        top, bottom = statistics.tile_changes.T
        changes = (top, bottom) if first_parity == 0 else (bottom, top)
        combs = statistics.combs[:, 1 + first_parity], statistics.combs[:, 0]
        self.unlike.append(statistics.lights_differ[1 + first_parity])
        self.unlike.append(statistics.lights_differ[0])
        if is_first:
            self.pixels = statistics.pixels
            self._rests_of_video = np.zeros(len(statistics.pixels), int)
            self.strip_pixels = self.pixels[statistics.strips.tiles]
        self._add_strips(statistics.strips, first_parity, is_first)
        if statistics.before is not None:
            self._ask_last_again(statistics.before)
        for number, (comb, change) in enumerate(zip(combs, changes, strict=True)):
            lean = statistics.leans[:, 0 if number else 1 + first_parity]
            self._tile_leans.append(lean if number ^ first_parity else -lean)
            self.tile_combs.append(comb)
            self.tile_misfits.append(comb)
            self.tile_changes.append(np.zeros_like(change) if is_first else change)
            for series in (self.combs, self.changes, self.drifts, self.leanings, self.bare_combs, self.steps):
                series.append(np.nan)
            self.whole_combs.append(float(comb @ self.pixels / self.pixels.sum()) if len(self.whole_combs) else np.nan)
            last = len(self) - 1
            before, self._shares = self._shares, self._shares_without_video(last)
            self._compare(last)
            self.cuts.append(self._is_cut(last))
            if self.cuts[last]:
                self._cut_fields.append(last)
                self._scene_starts = [self._scene_starts[-1], last]
            if last < self._scene_starts[-1] + WINDOW or not np.array_equal(before, self._shares):
                for field in range(max(0, last - REMEMBERED + 1), last + 1):
                    self._compare(field)
        self.travels.add(statistics, first_parity, self._shares)
        known = not any(self.cuts[len(self) - 2 : len(self)])
        self.disorders.append(disorder(statistics, first_parity) * known)

    def _compare(self, field: int) -> None:
        """Sums over the tiles of a pair, beside twelve pairs up to it; the first of a scene ask those after them."""
        scene, end = self._scene_starts[-1], len(self.tile_combs)
        if field < scene:
            scene, end = self._scene_starts[-2], scene
        start = min(field, max(scene + 1, field - WINDOW + 1))
        end = min(max(field + 1, start + WINDOW), end)
        shares = self._shares
        leans = np.abs(self._tile_leans[start:end])
        standing = leans.min(0)
        moved = np.max(self.tile_changes[max(start, min(scene + 2, end - 1)) : end], axis=0)
        leaning = np.where(standing <= _STANDING_RATIO * moved, leans[field - start] - standing, 0.0)
        comb = self.tile_combs[field]
        self.tile_misfits[field] = comb + _LEAN_SHARE * leaning
        self.changes[field] = float(self.tile_changes[field] @ shares)
        self.steps[field] = 0.0
        if field:
            one, two = self.tile_changes[field - 1], self.tile_changes[field]
            self.steps[field] = float(step(abs(two - one) @ shares, (one + two) @ shares))
            self.combs[field] = float(self.tile_misfits[field] @ shares)
            self.leanings[field] = float((comb + leaning) @ shares)
            self.bare_combs[field] = float(comb @ shares)
        self.drifts[field] = float(self._tile_leans[field] @ shares) if field else 0.0
        self.travels.weigh(field, shares, self.pixels)

    def _shares_without_video(self, field: int) -> Array:
        """Shares of the tiles in what is asked of a pair: none of those that are video, or were so shortly before.

        They nearly always comb: of film no two pairs in a row do. Where most of the picture is video, all tiles count.
        """
        begin = max(1, field - WINDOW + 1)  # nothing is known of the first pair, nor of what the first two changed
        combs, changes = (
            np.array(series[start : field + 1])
            for series, start in ((self.tile_combs, begin), (self.tile_changes, max(begin, 2)))
        )
        if len(combs) >= WINDOW // 4:
            video = comb_in_all_fields(combs, changes)
            if len(changes) == WINDOW:
                video |= moves_in_one_parity(*by_parity(changes))
            first = max(begin, FIRST_STEP)
            film = shows_film(
                np.array(self.tile_combs[first : field + 1]), np.array(self.tile_changes[first - 1 : field + 1])
            )
            rests = np.where(film, 0, np.maximum(self._rests_of_video - 1, 0))
            self._rests_of_video = np.where(video, _VIDEO_REST, rests)
        for rest in (0, _VIDEO_REST - 1, _VIDEO_REST):
            counted: Array = self.pixels * (self._rests_of_video <= rest)
            if 2 * counted.sum() >= self.pixels.sum():
                break
        shares: Array = counted / counted.sum()
        return shares

    def _ask_last_again(self, statistics: FilmStatistics) -> None:
        """The last frame's own pair, by statistics of it and a frame that it may be compared with."""
        last = len(self) - 1
        self.tile_combs[last], self.strip_combs[last] = statistics.combs[:, 0], statistics.strips.combs[:, 0]
        self._compare(last)

    def are_disordered(self, begin: int, end: int, ratio: float) -> bool:
        """Whether fields come in the wrong order: outer ones of two frames are nearer in time than inner ones.

        ``ratio`` is how many times what is enough in a long row must show.
        """
        first, last = begin // 2, min(end, len(self)) // 2
        return is_disorder(self.disorders[first:last], self.changes[2 * first : 2 * last], self._shares, ratio)

    def _add_strips(self, strips: FilmStrips, first_parity: int, is_first: bool) -> None:
        self.strips = strips
        for pair, parity in ((1 + first_parity, first_parity), (0, 1 - first_parity)):
            self.strip_combs.append(strips.combs[:, pair])
            self.strip_leans.append(np.abs(strips.leans[:, pair]))
            self.strip_sides.append((strips.rises[:, pair], strips.falls[:, pair]))
            self.strip_changes.append(np.zeros(len(strips.changes)) if is_first else strips.changes[:, parity])
            self._levels.append(strips.levels[:, parity])
            self.lit.append(self._is_lit(len(self._levels) - 1))
        self.strip_travels.add(strips.distances, strips.changes, first_parity)

    def _is_lit(self, field: int) -> bool:
        """Whether a light that comes and goes explains some of what strips of a pair comb: their levels turn back.

        Not where it is that of the whole picture, which has been taken out: those levels are under one light. Nor where
        next to nothing combs, as between pictures that move by a line.
        """
        if field < 4 or any(self.unlike[field - 4 : field + 1]):
            return False
        turns = (self._levels[field] - 2 * self._levels[field - 2] + self._levels[field - 4]) / 2
        return light_explains(turns, self.strip_combs[field], self.strip_pixels)

    def forget(self, end: int) -> None:
        """What was before a field will not be asked for any more."""
        self.disorders.forget((end - REMEMBERED) // 2)
        for series in (
            *(self.combs, self.changes, self.drifts, self.leanings, self.bare_combs, self.steps),
            *(self.whole_combs, self.cuts, self.unlike),
            *(self.tile_combs, self.tile_misfits, self.tile_changes),
            *(self.strip_combs, self.strip_changes, self.strip_leans, self._tile_leans, self._levels, self.lit),
            *(self.strip_sides, self.strip_travels, self.travels),
        ):
            series.forget(end - REMEMBERED)

    def _is_cut(self, field: int) -> bool:
        if field <= _CUT_NEAR:
            return field == 0
        before = np.nan_to_num(self.combs[max(0, field - REMEMBERED) : field])
        usual = max(float(before[-_CUT_NEAR:].max()), float(np.sort(before)[-2]))
        return self.combs[field] > max(_CUT_RATIO * usual, _CUT_COMB)

    def ends_scene(self, field: int) -> bool:
        """Whether a cut is none of the pictures of a film that begins to move, or of one whose fields are repeated."""
        if 0 < field < len(self) - 2 and self._rests(field - 1, field) and self._rests(field + 2, field):
            return False
        behind = np.sort(self.combs[field + 1 : field + 1 + REMEMBERED])
        return field == 0 or len(behind) < 2 or self.combs[field] > _CUT_RATIO * behind[-2]

    def _rests(self, field: int, cut: int) -> bool:
        """Whether a field equals the one two before: a cut has changed far more."""
        return REST_RATIO * (self.changes[field] + SAME_CHANGE) <= self.changes[cut]

    def scene(self, field: int, reach: int) -> tuple[int, int]:
        """First field and end of those around a field in its scene; a cut's own pair belongs to neither scene."""
        behind = bisect_right(self._cut_fields, field)
        cut = self._cut_fields[behind - 1] if behind else -1
        left, right = (
            max(0, field - reach, cut),
            min(field + reach + 1, *self._cut_fields[behind : behind + 1], len(self)),
        )
        return left + int(left == cut), right
