"""Film mode where a rhythm has a picture of two fields that are of two pictures which differ by little, as at edits."""

from itertools import chain, cycle, repeat

import numpy as np
import pytest

from benchmarks.judged_film import COMBED_DB, CONTENTS, PICTURES, cadences, dB_of, telecined, verdicts
from texsamp.video.film.cadence import CADENCES


def judged(film, shown, top_first):
    """Fields that are woven with another picture's, how many are woven, and the pictures that were shown."""
    found = verdicts(telecined(film, shown, top_first), top_first)
    woven, wrong = [v for v in found if v.partner], []
    for verdict in woven:
        lacks = (verdict.number + top_first) % 2
        own, other = (film[shown[n]] for n in (verdict.number, verdict.number + verdict.partner))
        if dB_of(own[lacks::2], other[lacks::2]) < COMBED_DB:
            wrong.append(verdict.number)
    return wrong, len(woven), {shown[v.number] for v in found if v.shown}


def test_a_hand_cameras_pictures_with_a_field_each_are_not_woven():
    rng = np.random.default_rng([sum(b"hand"), 10000])
    film, shown = CONTENTS["hand"](rng), cadences(rng)["edits"]
    assert shown[43:45] == [25, 27]
    wrong, woven, pictures = judged(film, shown, bool(rng.integers(0, 2)))
    assert wrong == []
    assert {25, 27} <= pictures
    assert woven > 140


def test_a_chart_that_rests_for_longer_than_its_rhythm_says_is_not_woven_with_the_next():
    rng = np.random.default_rng([sum(b"chart"), 11001])
    film, shown = CONTENTS["chart"](rng), cadences(rng)["55"]
    assert shown[18:24] == [4, 4, 4, 4, 4, 5]
    wrong, woven, pictures = judged(film, shown[:120], bool(rng.integers(0, 2)))
    assert wrong == []
    assert pictures == set(range(shown[119] + 1))
    assert woven > 110


def fields_of(cadence, first=0):
    """The picture of every field from the beginning of one."""
    runs = zip(range(first, PICTURES), cycle(CADENCES[cadence]), strict=False)
    return list(chain.from_iterable(repeat(picture, fields) for picture, fields in runs))


@pytest.mark.parametrize(
    ("content", "seed", "cadence", "pieces", "top_first"),
    [
        pytest.param("chart", (20000, 77), "2332", ((19, 56), (53, 98)), True, id="a-field-comes-back"),
        pytest.param("chart", (20011, 77), "euro", ((0, 28), (30, 76)), False, id="by-all-pairs-near"),
        pytest.param("chart", (30005, 79), "32", ((11, 49), (47, 89)), False, id="two-fields-come-back"),
        pytest.param("hand", (30002, 79), "euro", ((3, 46), (49, 90)), True, id="misfits-alone"),
        pytest.param("hand", (30003, 79), "22", ((6, 43), (37, 80)), False, id="hand"),
        pytest.param("chart", (30011, 79), "22", ((0, 41), (35, 77)), True, id="tiles-taken-for-a-ticker-show-film"),
        pytest.param("chart", (20011, 77), "22", ((0, 31), (44, 87), (84, 128)), False, id="detail-that-leans"),
    ],
)
def test_an_edit_by_few_fields_combs_nowhere(content, seed, cadence, pieces, top_first):
    film = CONTENTS[content](np.random.default_rng([sum(content.encode()), *seed]))
    whole = fields_of(cadence)
    shown = [picture for begin, end in pieces for picture in whole[begin:end]]
    wrong, woven, _ = judged(film, shown[: len(shown) // 2 * 2], top_first)
    assert wrong == []
    assert woven > 60


@pytest.mark.parametrize(
    ("seed", "cadences_of_it", "fields", "picture", "turned"),
    [
        pytest.param(50011, ("2332", "44"), 51, 21, False, id="too-few-begin-with-a-comb"),
        pytest.param(50011, ("2332", "44"), 51, 21, True, id="others-of-a-broken-picture-are-no-proof"),
        pytest.param(50011, ("32", "66"), 51, 21, True, id="too-few-turned"),
        pytest.param(50019, ("22", "55"), 47, 24, True, id="faint-but-far-above-all"),
        pytest.param(50019, ("32322", "55"), 47, 20, True, id="only-where-the-rhythm-holds"),
    ],
)
def test_a_chart_that_changes_its_cadence_combs_nowhere(seed, cadences_of_it, fields, picture, turned):
    rng = np.random.default_rng([sum(b"chart"), seed, 89])
    film, top_first = CONTENTS["chart"](rng), bool(rng.integers(0, 2))
    before, behind = cadences_of_it
    shown = fields_of(before)[:fields] + fields_of(behind, picture)[4:55]
    wrong, woven, _ = judged(film, shown[:: -1 if turned else 1], top_first)
    assert wrong == []
    assert woven > 70
