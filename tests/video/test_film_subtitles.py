"""Subtitles that appear or vanish within a picture of film: one of its fields has them, the other has not."""

import numpy as np
import pytest
from support.telecine import fields_of

from benchmarks.judged_film import COMBED_DB, CONTENTS, HEIGHT_PX, WIDTH_PX, dB_of, scrolled_text, telecined, verdicts
from benchmarks.judged_film_more import judged_more
from texsamp.video.film.cadence import CADENCES
from texsamp.video.film.variances import strip_area

LINES = slice(HEIGHT_PX - 36, HEIGHT_PX - 12)
FIRST, LAST = 50, 83


def subtitled(cadence: str, first: int, last: int) -> tuple[list[np.ndarray], list[int]]:
    """Pictures of all fields, and their numbers: words stand over a film from one field to another."""
    rng = np.random.default_rng(11)
    film, shown = CONTENTS["hand"](rng), fields_of(60, CADENCES[cadence])
    shown = shown[: len(shown) // 2 * 2]
    words, made = scrolled_text(rng, WIDTH_PX, 24), []
    for field, number in enumerate(shown):
        picture = film[number].copy()
        if first <= field < last:
            picture[LINES, 40:-40][words[:, 40:-40] > 120] = 225
        made.append(picture)
    return made, shown


@pytest.mark.parametrize("cadence", ["32", "22", "2332", "2224", "euro"])
@pytest.mark.parametrize("shift", range(4))
def test_words_that_appear_within_a_picture_comb_nowhere_and_cost_no_other(cadence, shift):
    """The strips that they stand in are deinterlaced in that picture, and in no other."""
    first, last = FIRST + shift, LAST + shift
    fields, shown = subtitled(cadence, first, last)
    found = verdicts(telecined(fields, range(len(fields)), True), True)
    parted = {number for at in (first, last) for number in (shown[at],) if shown[at - 1] == number}
    for verdict in found:
        if not verdict.partner:
            continue
        own, other = fields[verdict.number], fields[verdict.number + verdict.partner].copy()
        for strip in verdict.video_strips:
            other[strip_area(strip, WIDTH_PX)] = own[strip_area(strip, WIDTH_PX)]
        lacks = (verdict.number + 1) % 2
        assert dB_of(own[lacks::2], other[lacks::2]) >= COMBED_DB
        if shown[verdict.number] not in parted:
            assert not verdict.video_strips


def test_words_over_film_that_moves_fast_comb_nowhere():
    """What moves changes nearly as much as they do; of the last picture no field after it tells."""
    assert judged_more("subtitles", "2332", "plain", 20002).combed == 0


def test_letters_that_lean_by_more_than_they_comb_are_told_by_what_they_change():
    """Two fields of one picture showed them by halves. What combs in the other three has changed by too little."""
    assert judged_more("subtitles", "32", "H.264", 20001).combed <= 3
