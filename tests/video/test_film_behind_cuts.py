"""Film mode behind cuts, edits and changes of order: what is known of the film before says nothing of what follows."""

import numpy as np
import pytest

from benchmarks.judged_film import COMBED_DB, CONTENTS, PICTURES, dB_of, telecined, verdicts
from benchmarks.judged_film_more import judged_more


@pytest.mark.parametrize("cadence", ["32", "22"])
def test_video_behind_film_is_not_woven_by_the_rhythm_before(cadence):
    """The cut has changed far more than what moves: beside that the first two fields of video seemed to comb little."""
    assert judged_more("scenes", cadence, "plain", 20000).combed == 0


def test_video_before_film_is_not_woven_by_the_rhythm_behind():
    """Its pairs break that rhythm, and all but the last of them: those behind tell nothing of what strips show."""
    assert judged_more("scenes", "2332", "plain", 20001).combed == 0


def test_a_camera_that_shakes_and_comes_back_shows_no_picture_again():
    """Twice in a row a field of video equals the one two before; the one between has changed."""
    assert judged_more("scenes", "2332", "plain", 21000).combed == 0


@pytest.mark.parametrize("content", ["up or down by 1", "up or down by 1.5", "hand", "real"])
def test_two_fields_of_video_at_a_streams_end_are_not_woven(content):
    """All that changed was the cut: they lean as nothing does that stands, or comb beside their own detail."""
    rng = np.random.default_rng(3)
    film, video = CONTENTS["pan"](rng), CONTENTS[content](rng)
    fields = [film[n // 2] for n in range(64)] + video[10:12]
    found = verdicts(telecined(fields, range(66), True), True)
    assert dB_of(video[10][1::2], video[11][1::2]) < COMBED_DB
    assert [v.partner for v in found[-4:]] == [1, -1, 0, 0]


@pytest.mark.parametrize("content", ["hand", "real"])
@pytest.mark.parametrize("fields", [62, 64, 66, 68])
def test_two_fields_of_film_behind_one_in_another_rhythm_are_woven(content, fields):
    """The rhythm before begins a picture between them, or none is left: what they comb beside their detail tells."""
    rng = np.random.default_rng(3)
    film, other = CONTENTS["pan"](rng), CONTENTS[content](rng)
    shown = [film[n] for k in range(PICTURES) for n in (k,) * (3 - k % 2)][:fields] + [other[10]] * 2
    found = verdicts(telecined(shown, range(fields + 2), True), True)
    assert [v.partner for v in found[-2:]] == [1, -1]
    assert [v.shown for v in found[-2:]] == [True, False]


def test_two_fields_of_video_behind_fast_credits_are_not_woven():
    """A cut that changes no more than each step of the credits is not seen as one."""
    rng = np.random.default_rng([1, 5, 77])
    film, video = CONTENTS["credits"](rng), CONTENTS["pan"](rng)
    shown = [film[n] for k in range(PICTURES) for n in (k,) * (4 if k % 4 == 3 else 2)]
    for offset in range(0, 10, 2):
        fields = shown[offset : offset + 70] + video[10:12]
        assert [v.partner for v in verdicts(telecined(fields, range(72), True), True)[-2:]] == [0, 0]


@pytest.mark.parametrize("content", ["hand", "real"])
def test_two_fields_of_film_at_a_streams_end_are_woven(content):
    rng = np.random.default_rng(3)
    film, other = CONTENTS["pan"](rng), CONTENTS[content](rng)
    fields = [film[n // 2] for n in range(64)] + [other[10]] * 2
    assert [v.partner for v in verdicts(telecined(fields, range(66), True), True)[-4:]] == [1, -1, 1, -1]


@pytest.mark.parametrize(
    ("cadence", "seed"),
    [
        pytest.param("22", 20001, id="a-picture-comes-again-behind-one-field-of-the-next"),
        pytest.param("32", 20011, id="two-pictures-take-turns-behind-a-cut"),
        pytest.param("2332", 20000, id="two-pictures-that-differ-by-little-take-turns"),
    ],
)
def test_fields_whose_order_turns_are_woven_with_no_other_picture(cadence, seed):
    assert judged_more("wrong order", cadence, "plain", seed).combed == 0


def test_the_first_field_behind_an_edit_is_asked_beside_what_follows():
    """What moved fast before it is no measure of it, though it has changed too much for the edit to be a cut."""
    assert judged_more("mixed", "euro", "H.264", 20000).combed == 0
