"""Which strips of a film's pictures are video."""

import numpy as np
import pytest

from benchmarks.judged_film import COMBED_DB, CONTENTS, cadences, dB_of, judged_clip, scrolled_text, telecined, verdicts
from benchmarks.judged_film_more import shown_with
from texsamp.video.film.cadence import Rhythm
from texsamp.video.film.variances import FilmStatistics, FilmStrips
from texsamp.video.film.video_strips import video_strips
from texsamp.video.film.witnesses import Witnesses


@pytest.mark.parametrize(("lean_within", "expected"), [(10.0, False), (70.0, True)])
def test_detail_that_leans_between_pictures_alone_is_film(lean_within, expected):
    """What moves down by a line in every second pair combs as much in the others; a ticker leans alike in all."""
    witnesses, one = Witnesses(), np.ones(1)
    combs, leans = np.array([[100.0, 110.0, 0.0]]), np.array([[lean_within, -80.0, 0.0]])
    changes = np.full((1, 2), 300.0)
    strips = FilmStrips(combs, changes, leans, 0 * combs, changes, np.zeros(1, int), 1)
    for number in range(20):
        statistics = FilmStatistics((0,) * 11, combs, one, changes, 0 * combs, 0 * combs, strips)
        witnesses.add(statistics, 0, number == 0)
    assert video_strips(witnesses, Rhythm("22", 0), 21).tolist() == [expected]


@pytest.mark.parametrize(("comb", "expected"), [(60.0, True), (45.0, False)])
def test_a_tickers_lines_beyond_a_gap_that_stands_are_video(comb, expected):
    """Between two rows of letters nothing moves; what combs less than half of what it does between pictures is film."""
    witnesses, across = Witnesses(), 1
    combs = np.array([[100.0, 110.0, 0.0], [0.0, 10.0, 0.0], [comb, 100.0, 0.0]])
    changes = np.array([[300.0, 300.0], [0.0, 0.0], [300.0, 300.0]])
    strips = FilmStrips(combs, changes, 0 * combs, 0 * combs, changes, np.zeros(3, int), across)
    tile = np.zeros((1, 3))
    for number in range(20):
        statistics = FilmStatistics((0,) * 11, tile, np.ones(1), np.zeros((1, 2)), tile, tile, strips)
        witnesses.add(statistics, 0, number == 0)
    assert video_strips(witnesses, Rhythm("22", 0), 21).tolist() == [True, False, expected]


@pytest.mark.parametrize(
    ("within", "between", "change", "expected"),
    [
        pytest.param((1000.0, 3400.0), (1000.0, 3300.0), 6000.0, True, id="a-ticker-by-quarters-of-a-pixel"),
        pytest.param((1000.0, 3400.0), (2500.0, 6000.0), 6000.0, False, id="film-combs-more-between-pictures"),
        pytest.param((100.0, 100.0), (100.0, 100.0), 2000.0, True, id="a-slow-ticker-changes-far-more-than-it-combs"),
    ],
)
def test_what_combs_within_pictures_as_between_them_is_video(within, between, change, expected):
    """Whatever it changes by; combs need not be steady if those of both kinds of pairs come and go alike."""
    witnesses, one, tile = Witnesses(), np.ones(1), np.zeros((1, 3))
    changes = np.full((1, 2), change)
    for number in range(20):
        combs = np.array([[within[number % 2], between[number % 2], 0.0]])
        strips = FilmStrips(combs, changes, 0 * combs, 0 * combs, changes, np.zeros(1, int), 1)
        statistics = FilmStatistics((0,) * 11, tile, one, np.zeros((1, 2)), tile, tile, strips)
        witnesses.add(statistics, 0, number == 0)
    assert video_strips(witnesses, Rhythm("22", 0), 21).tolist() == [expected]


@pytest.mark.parametrize(
    ("told", "within", "lean_between", "expected"),
    [
        pytest.param(True, 60.0, 40.0, False, id="other-evidence-says-film"),
        pytest.param(False, 60.0, 40.0, True, id="misfits-alone"),
        pytest.param(False, 45.0, 40.0, False, id="less-than-half"),
        pytest.param(False, 60.0, 80.0, False, id="detail-leans-more-between-pictures"),
    ],
)
def test_less_will_do_for_video_where_misfits_alone_tell_of_film(told, within, lean_between, expected):
    """A codec's frame combs less between its own two fields, where they are of two moments."""
    witnesses, one, tile = Witnesses(), np.ones(1), np.zeros((1, 3))
    changes = np.full((1, 2), 300.0)
    combs, leans = np.array([[within, 100.0, 0.0]]), np.array([[30.0, lean_between, 0.0]])
    strips = FilmStrips(combs, changes, leans, 0 * combs, changes, np.zeros(1, int), 1)
    for number in range(20):
        statistics = FilmStatistics((0,) * 11, combs, one, np.zeros((1, 2)), tile, tile, strips)
        witnesses.add(statistics, 0, number == 0)
    assert video_strips(witnesses, Rhythm("22", 0), 21, told).tolist() == [expected]


def test_credits_behind_an_edit_are_no_ticker():
    """Before it pairs that comb lie elsewhere: in the rhythm behind it they would be of one picture."""
    row = judged_clip("test", "credits", "edits", 17000)
    assert row.recovered == row.pictures
    assert row.combed == 0


def test_a_ticker_that_comes_and_goes_over_film_combs_nowhere():
    """Pairs on one side of where it begins have none, and those on both sides of its middle have it in part."""
    rng, first, last = np.random.default_rng([0, 91, 3]), 41, 83
    film, shown = CONTENTS["pan"](rng), cadences(rng)["32"]
    page, lines = scrolled_text(rng, 1000, 20, 30), slice(140, 160)
    fields = [film[number].copy() for number in shown]
    for number in range(first, last):
        fields[number][lines] = page[:, 3 * number :][:, : film[0].shape[1]]
    found = [v for v in verdicts(telecined(fields, range(len(fields)), True), True) if v.partner]
    assert len(found) > 150
    for verdict in found:
        lacks = (verdict.number + 1) % 2
        assert dB_of(fields[verdict.number][lacks::2], shown_with(fields, verdict)[lacks::2]) >= COMBED_DB
