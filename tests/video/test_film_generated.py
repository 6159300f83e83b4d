"""Film mode on generated films and their cadences: every picture is put together exactly, as judged_film counts it.

Clips of the half to fit by, each of which was not put together before what its name says was so.
"""

import numpy as np
import pytest

from benchmarks.judged_film import CONTENTS, cadences, judged_clip, telecined
from benchmarks.judged_film_odd import _swapped, _ticked
from texsamp.video.film.meter import FilmMeter
from texsamp.video.film.variances import FilmParameters
from texsamp.video.frame import Frame


@pytest.mark.parametrize(
    ("content", "cadence", "seed"),
    [
        pytest.param("chart", "55", 2, id="first-fields-do-not-comb-by-what-stands"),
        pytest.param("up or down", "32322", 2, id="first-fields-know-what-leans-all-the-time"),
        pytest.param("pan", "66", 2, id="first-pair-of-a-scene-is-a-valley"),
        pytest.param("pan", "22", 0, id="detail-is-no-ticker"),
        pytest.param("up or down by 1.5", "32", 6, id="a-few-edges-in-a-narrow-tile-are-no-comb"),
        pytest.param("chart", "22", 502, id="one-parity-that-moves-is-no-tickers-where-nothing-combs-beside-it"),
        pytest.param("chart", "22", 519, id="nothing-before-the-first-frame-is-video"),
        pytest.param("credits", "22", 6, id="text-that-rolls-has-no-light-of-its-own"),
        pytest.param("credits", "22", 0, id="three-pairs-at-a-streams-start-are-no-ticker"),
        pytest.param("pan", "22", 504, id="narrow-strips-are-no-ticker-by-themselves"),
        pytest.param("real", "22", 524, id="strips-whose-fields-change-alike-in-pairs-are-film"),
        pytest.param("real", "22", 535, id="a-rhythm-goes-on-behind-a-cut"),
        pytest.param("real", "euro", 501, id="fields-of-a-picture-change-alike-tile-by-tile"),
        pytest.param("real", "22", 512, id="fields-that-change-alike-may-comb-as-those-beside-them"),
        pytest.param("hand", "32", 7, id="a-camera-at-rest-repeats-no-field"),
        pytest.param("credits", "22", 503, id="quarters-of-rolling-text-are-not-those-between-pictures"),
        pytest.param(
            "up or down by 1.5", "2332", 9000, id="a-tile-that-combs-within-its-own-picture-alone-is-no-video"
        ),
        pytest.param("chart", "22", 515, id="edges-on-a-chart-comb-far-less-than-pictures"),
        pytest.param("chart", "euro", 513, id="tiles-taken-for-video-tell-that-too"),
        pytest.param("chart", "euro", 515, id="pairs-that-comb-far-less-need-half-the-contrast"),
        pytest.param("up or down by 1.5", "32322", 15001, id="a-thin-edge-that-goes-by-appears-nowhere"),
        pytest.param("credits", "euro", 16001, id="text-that-rolls-adds-no-more-than-changes-around-it"),
    ],
)
def test_every_picture_is_put_together(content, cadence, seed):
    row = judged_clip("fit", content, cadence, seed)
    assert (row.pictures - row.recovered, row.combed) == (0, 0)


@pytest.mark.parametrize(
    ("content", "cadence", "seed"),
    [
        pytest.param("up or down by 1", "edits", 0, id="a-third-field-behind-two-is-of-their-picture"),
        pytest.param("up or down by 1.5", "edits", 0, id="one-field-between-edits-is-a-picture"),
        pytest.param("up or down", "edits", 0, id="film-begins-in-a-picture-already-shown"),
        pytest.param("hand", "87", 0, id="a-field-before-a-cut-may-be-a-repeated-one"),
        pytest.param("real", "64", 1, id="detail-is-no-wrong-order"),
        pytest.param("up or down", "44", 6000, id="fields-that-come-again-have-one-light"),
        pytest.param("up or down by 1.5", "euro", 15001, id="a-streams-last-picture-misfits-as-others-do"),
        pytest.param("chart", "22", 15000, id="of-a-streams-last-picture-no-pair-behind-it-tells"),
    ],
)
def test_every_picture_is_shown_once(content, cadence, seed):
    row = judged_clip("fit", content, cadence, seed)
    assert (row.pictures - row.recovered, row.combed, row.missed, row.twice) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("content", "seed"),
    [
        pytest.param("pan", 7, id="a-picture-that-comes-again-after-one-field"),
        pytest.param("chart", 1, id="one-field-between-edits-on-a-chart"),
        pytest.param("real", 531, id="a-picture-before-an-edit-is-measured-by-the-other-side"),
        pytest.param("real", 526, id="both-pairs-of-a-repeated-field-comb-alike"),
        pytest.param("chart", 505, id="no-tile-is-video-by-what-is-not-known"),
        pytest.param("up or down by 1", 501, id="what-moves-by-a-line-combs-within-its-pictures-alone"),
    ],
)
def test_edits_are_not_woven(content, seed):
    assert judged_clip("fit", content, "edits", seed).combed == 0


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(504, id="no-tile-is-film-without-those-taken-for-video"),
        pytest.param(513, id="pairs-within-pictures-comb-as-those-between"),
        pytest.param(543, id="pairs-that-comb-half-as-much-are-no-pictures"),
    ],
)
def test_video_on_a_chart_is_not_woven(seed):
    assert judged_clip("fit", "chart", "video", seed).locked == 0


@pytest.mark.parametrize(
    ("content", "cadence", "seed"),
    [
        pytest.param("real", "32", 0, id="a-ticker-is-video-in-the-fields-before-that-is-known"),
        pytest.param("up or down", "22", 2, id="a-tile-that-combs-is-deinterlaced-alone"),
        pytest.param("noise", "32", 0, id="narrow-strips-beside-a-ticker-are-of-it"),
        pytest.param("real", "22", 506, id="a-ticker-of-few-lines-in-a-tile-is-known-by-steady-combs"),
        pytest.param("real", "2332", 560, id="lines-of-one-parity-that-move-are-a-tickers-edge"),
        pytest.param("real", "32", 542, id="a-thin-ticker-changes-one-parity-more"),
        pytest.param("real", "22", 524, id="a-ticker-that-leans-in-one-parity-is-no-detail"),
        pytest.param("pan", "22", 607, id="detail-that-stands-does-not-scroll"),
        pytest.param("noise", "22", 611, id="strips-whose-lines-of-one-parity-move-are-a-tickers"),
        pytest.param("real", "22", 522, id="a-slow-ticker-combs-evenly-by-less-than-a-quarter-of-its-change"),
        pytest.param("real", "2224", 606, id="a-cut-within-film-ends-no-ticker"),
        pytest.param("pan", "2224", 502, id="lines-of-a-ticker-in-one-parity-are-no-edit"),
        pytest.param("noise", "22", 506, id="a-ticker-before-moving-film-combs-steadily"),
        pytest.param("pan", "22", 507, id="lines-of-one-parity-beyond-a-gap-are-a-tickers"),
        pytest.param("real", "2224", 3001, id="fields-that-change-alike-in-pairs-are-film"),
        pytest.param("real", "22", 557, id="strips-beside-a-ticker-hold-its-last-line"),
        pytest.param("pan", "32", 4000, id="a-thin-slow-ticker-combs-a-sixth-of-its-change"),
        pytest.param("real", "22", 15000, id="what-stands-leans-in-no-order"),
        pytest.param("real", "euro", 15000, id="film-that-hardly-moves-may-go-on-by-noise-beside-a-ticker"),
    ],
)
def test_film_under_a_ticker_is_put_together(content, cadence, seed):
    row = _ticked("fit", content, cadence, seed)
    assert (row.pictures - row.recovered, row.combed) == (0, 0)


def test_a_ticker_whose_last_lines_are_in_a_strip_of_their_own_is_not_woven():
    assert _ticked("fit", "up or down", "22", 1).combed == 0


def test_film_in_the_wrong_order_is_known_before_what_moves_far_more():
    assert _swapped("fit", "real", "euro", 1).combed == 0


def test_text_that_rolls_is_not_taken_for_light_that_flickers():
    """What is left without light must comb no more than before."""
    rng = np.random.default_rng([sum(b"credits"), 6])
    film = CONTENTS["credits"](rng)
    frames = telecined(film, cadences(rng)["22"], bool(rng.integers(0, 2)))
    meter = FilmMeter(FilmParameters(175, 16, 100, 2))
    shown = [Frame.from_arrays("gray", [f], f.shape[1], f.shape[0], "cpu", interlaced=True) for f in frames]
    assert not any(any(meter.measure(frame).lights_differ) for frame in shown)
