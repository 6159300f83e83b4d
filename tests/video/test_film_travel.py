"""How far pictures move between two fields, against the literal products, and what that says of film and video."""

import numpy as np
import pytest
from support.telecine import fields_of, telecined

from benchmarks.judged_film import _texture, verdicts
from texsamp.video.film.cadence import CADENCES
from texsamp.video.film.travel import Travel, Travels, goes_back, moves_within
from texsamp.video.film.variances import FilmParameters, measure_film
from texsamp.video.frame import Frame

WIDTH, HEIGHT = 256, 192


def statistics_of(frames):
    gray = [Frame.from_arrays("gray", [f], f.shape[1], f.shape[0], "cpu", interlaced=True) for f in frames]
    parameters = FilmParameters(175, 16, 100, 2)
    return [measure_film(one, before, parameters) for before, one in zip([None, *gray], gray, strict=False)]


def pan(count, step_px):
    """A sharp picture that goes by, aslant."""
    big = _texture(np.random.default_rng(5), WIDTH + 200, HEIGHT + 200)
    places = [(round(step_px * n), round(step_px * n / 2)) for n in range(count)]
    return [big[y : y + HEIGHT, x : x + WIDTH].copy() for x, y in places]


def around(bottom):
    """Bottom lines above and below every top line but the first."""
    return np.stack([bottom[:-1], bottom[1:]])


@pytest.mark.parametrize("top_first", [True, False])
def test_travel_is_the_product_of_what_fields_differ_by_and_what_lies_around_them(top_first):
    """Of interior lines: at the edges of the picture lines repeat."""
    frames = telecined(pan(6, 3.0), list(range(6)), top_first)
    travel, found = Travel(), []
    for one in statistics_of(frames):
        found.append(travel.add(one.distances, one.tile_changes, int(not top_first)))
    (one, two, three) = (f.astype(float) for f in frames)
    t, b = two[2::2], around(two[1::2])
    change = (three - one)[2::2], around((three - one)[1::2])
    later = b - t if top_first else t - b
    expected = (later * (change[0] + change[1])).mean()
    own, way = found[2][1]
    pixels = statistics_of(frames)[0].pixels
    assert (own @ pixels) / pixels.sum() == pytest.approx(expected, rel=0.03)
    expected_way = sum(
        (((x - y)[2::2]) ** 2).mean() + (((x - y)[1::2]) ** 2).mean() for x, y in ((two, one), (three, two))
    )
    assert (way @ pixels) / pixels.sum() == pytest.approx(expected_way, rel=0.03)
    inner, outer = t - around(one[1::2]), b - one[2::2]
    across, _ = found[1][0]
    assert (across @ pixels) / pixels.sum() == pytest.approx((inner * outer).mean(), rel=0.05, abs=3)
    assert found[0] == (None, None)
    assert found[1][1] is None


def shares(frames, top_first=True):
    """Travels of frames' own pairs as shares of their ways."""
    travel, found = Travel(), []
    for one in statistics_of(frames):
        own = travel.add(one.distances, one.tile_changes, int(not top_first))[1]
        if own is not None:
            found.append(own[0].sum() / own[1].sum())
    return np.array(found)


@pytest.mark.parametrize("top_first", [True, False])
@pytest.mark.parametrize("step_px", [1.0, 2.0, 3.0])
def test_nothing_moves_within_pictures_of_film_and_half_of_it_in_video(step_px, top_first):
    """However much the film's detail combs."""
    film = shares(telecined(pan(20, 2 * step_px), fields_of(20, CADENCES["22"]), top_first), top_first)
    video = shares(telecined(pan(40, step_px), list(range(40)), top_first), top_first)
    between = shares(telecined(pan(21, 2 * step_px), fields_of(21, CADENCES["22"])[1:41], top_first), top_first)
    assert abs(film).max() < 0.02
    assert video.min() > 0.12
    assert between.mean() > 1.5 * video.mean()


def test_a_rhythm_is_asked_of_pairs_that_are_known_and_of_those_beside_tickers():
    """Shares of 0.1 within pictures are video's if tiles that comb least have some, too; cuts say nothing."""
    travels, ways = np.full((40, 2), 10.0), np.full((40, 2), 100.0)
    cuts, within = np.zeros(40, bool), np.arange(40)[np.newaxis] % 2 == 1
    no, yes = np.zeros(1, bool), np.ones(1, bool)
    assert [m[0] for m in moves_within(travels, ways, cuts, within, no, 0)] == [True, True]
    travels[:, 0] = 5.0
    assert [[m[0] for m in moves_within(travels, ways, cuts, within, of, 0)] for of in (no, yes)] == [
        [True, True],
        [False, True],  # steps are those of film
    ]
    travels[:, 0] = 0.0
    assert [m[0] for m in moves_within(travels, ways, cuts, within, no, 0)] == [False, True]
    travels[:] = 0.0
    travels[21], ways[21] = 3000.0, 8000.0
    assert not moves_within(travels, ways, cuts, within, no, 0)[1][0]  # one pair has no more weight than four others
    cuts[20] = True
    travels[21] = 400_000.0
    assert not moves_within(travels, ways, cuts, within, no, 0)[1][0]
    travels[5::2], ways[5::2] = 0.0, 0.0
    travels[3] = 100.0
    cuts[2] = True
    assert not moves_within(travels, ways, cuts, within, no, 0)[1][0]  # of one pair alone


def test_film_of_detail_is_woven_and_the_same_as_video_is_not():
    """The rule costs nothing where fields of one picture comb by their detail."""
    film = verdicts(telecined(pan(40, 3.0), fields_of(40, CADENCES["22"])), True)
    assert sum(v.partner != 0 for v in film) > 70
    assert not [v for v in verdicts(telecined(pan(80, 1.5), list(range(80))), True) if v.rhythm]


@pytest.mark.parametrize(("told", "expected"), [(True, False), (False, True)])
def test_fields_in_the_wrong_order_go_back(told, expected):
    """Between pictures of film, as in video."""
    for frames in (
        telecined(pan(21, 3.0), fields_of(21, CADENCES["22"])[1:41]),
        telecined(pan(40, 1.5), list(range(40))),
    ):
        travels = Travels()
        for one in statistics_of(frames):
            travels.add(one, int(not told), np.full(len(one.pixels), 1 / len(one.pixels)))
        assert goes_back(*travels.of(0, 40), np.zeros(40, bool), 0) == expected


def test_little_that_goes_back_and_few_pairs_say_nothing():
    travels, ways, cuts = np.full((40, 2), -11.0), np.full((40, 2), 100.0), np.zeros(40, bool)
    assert goes_back(travels, ways, cuts, 0)
    assert not goes_back(travels * 0.9, ways, cuts, 0)
    assert not goes_back(travels[:6], ways[:6], cuts[:6], 0)
    cuts[::4] = True
    assert not goes_back(travels, ways, cuts, 0)


@pytest.mark.parametrize("back", [False, True])
def test_what_goes_back_is_not_taken_for_film(monkeypatch, back):
    """Whatever else speaks for it: few clips in the wrong order fit a rhythm otherwise."""
    monkeypatch.setattr("texsamp.video.film.planner.goes_back", lambda *_: back)
    found = verdicts(telecined(pan(40, 3.0), fields_of(40, CADENCES["22"])), True)
    assert any(verdict.rhythm for verdict in found) != back
