"""Film that moves by less than a third of a pixel a picture: fields that come again tell it."""

from itertools import pairwise

import numpy as np
import pytest

from benchmarks.judged_film import (
    COMBED_DB,
    HEIGHT_PX,
    WIDTH_PX,
    _moved,
    _path,
    _slid,
    cadences,
    dB_of,
    scrolled_text,
    telecined,
    verdicts,
)
from texsamp.video.film.cadence import TELL_ORDER, rhythms
from texsamp.video.film.repeats import Repeats, repeats_prove
from texsamp.video.film.witnesses import Witnesses


@pytest.mark.parametrize("cadence", ["32", "2332", "32322", "2224", "44", "55", "87"])
@pytest.mark.parametrize("motion", [(0.0, 0.05), (0.1, 0.1), (0.2, 0.0)])
def test_slow_film_is_put_together(cadence, motion):
    """Detail combs more within its pictures than they differ by; none of these was film before."""
    rng = np.random.default_rng(800)
    film = _moved(rng, *motion)
    shown = cadences(rng)[cadence][:120]
    found = verdicts(telecined(film, shown, True), True)
    assert not [v.number for v in found if v.partner and shown[v.number] != shown[v.number + v.partner]]
    woven = {shown[v.number] for v in found if v.partner and not v.video_strips}
    assert woven == {one for one, two in pairwise(shown) if one == two}


@pytest.mark.parametrize("seed", range(700, 703))
def test_slow_video_whose_changes_come_in_fives_is_no_film(seed):
    """Text that goes by a fifth of a pixel a field changes least wherever it leaves whole pixels, but does not rest."""
    rng = np.random.default_rng(seed)
    film = _slid(scrolled_text(rng, WIDTH_PX + 30, HEIGHT_PX + 30), _path(rng, 0.2, 0))
    found = verdicts(telecined(film, range(len(film)), True), True)
    woven = [(film[v.number], film[v.number + v.partner], v.number) for v in found if v.partner]
    assert all(dB_of(own[(n + 1) % 2 :: 2], other[(n + 1) % 2 :: 2]) >= COMBED_DB for own, other, n in woven)


def test_slow_text_whose_fields_come_again_is_no_ticker():
    """Strips of it were deinterlaced: lines of letters move in one parity, but rest in repeated fields."""
    rng = np.random.default_rng(723)
    film = _slid(scrolled_text(rng, WIDTH_PX + 30, HEIGHT_PX + 30), _path(rng, 0, 0.1))
    shown = cadences(rng)["32"]
    found = verdicts(telecined(film, shown, True), True)
    assert all(v.partner and not v.video_strips for v in found)


@pytest.mark.parametrize(
    ("cadence", "repeated", "tile", "step", "expected"),
    [
        ("32", 0.9, 50.0, 0.1, True),
        ("32", 1.1, 50.0, 0.1, False),  # a tenth of what moves at most
        ("32", 0.9, 70.0, 0.1, False),  # woven wrongly, that combs
        ("55", 0.9, 70.0, 0.1, True),
        ("32", 0.9, 50.0, 0.4, False),  # three fields of one picture and two by themselves
    ],
)
def test_what_repeated_fields_prove(cadence, repeated, tile, step, expected):
    """Fields that move change by 10 squared levels."""
    rhythm = rhythms(cadence)[0]
    places = np.arange(80)
    repeats, starts = rhythm.repeats(places), rhythm.begins(places)
    fields = Witnesses()
    for again in repeats:
        fields.combs.append(5.0)
        fields.changes.append(repeated if again else 10.0)
        fields.steps.append(step)
        fields.cuts.append(False)
        fields.tile_changes.append(np.array([tile]))
        fields.strip_changes.append(np.array([tile]))
    rows = Repeats(repeats[np.newaxis], ~(starts | repeats)[np.newaxis], np.array([cadence in TELL_ORDER]))
    assert repeats_prove(fields, rows, 0, 40)[0] == expected


def test_fields_in_the_wrong_order_never_come_again_as_those_of_cadences_that_tell_it():
    """So these need not move slowly: 2332 in the wrong order repeats fields as 3:2 does, and is none of them."""
    fields = np.arange(240)
    told = {rhythm: rhythm.repeats(fields) for rhythm in rhythms("auto")}
    alike = {
        (one.name, other.name)
        for one, repeats in told.items()
        for other, expected in told.items()
        if np.lib.stride_tricks.sliding_window_view(repeats[fields ^ 1] == expected, 24).all(1).any()
    }
    assert ("2332", "32") in alike
    assert not [pair for pair in alike if pair[1] in TELL_ORDER]
