"""The last two fields of a stream, behind which no pair tells whether they are of one picture."""

from itertools import count, takewhile

import numpy as np
import pytest

from benchmarks.judged_film import COMBED_DB, CONTENTS, Film, dB_of, telecined, verdicts
from texsamp.video.film.cadence import CADENCES


def ended(content: str, cadence: str, seed: int, last: tuple[int, int]) -> tuple[Film, list[int]]:
    """A film of every second picture of another, in whole pictures; then two fields, so many of its pictures on."""
    film = CONTENTS[content](np.random.default_rng(seed))
    runs = CADENCES[cadence]
    pictures = takewhile(lambda n: n < 50, count(0, 2))
    shown = [n for k, n in enumerate(pictures) for _ in range(runs[k % len(runs)])]
    shown = shown[len(shown) % 2 :]
    return film, shown + [shown[-1] + n for n in last]


@pytest.mark.parametrize("content", ["up or down by 1", "up or down", "credits", "hand", "pan"])
@pytest.mark.parametrize("cadence", ["22", "44"])
@pytest.mark.parametrize("seed", range(2))
def test_video_that_ends_a_film_is_not_woven(content, cadence, seed):
    """Half as far from each other as pictures of the film are, they misfit less than those."""
    film, shown = ended(content, cadence, seed, (2, 3))
    for verdict in verdicts(telecined(film, shown, True), True)[-2:]:
        own, other = (film[shown[n]] for n in (verdict.number, verdict.number + verdict.partner))
        assert dB_of(own[1::2], other[1::2]) >= COMBED_DB


def test_two_fields_that_have_not_changed_alike_are_not_woven():
    """Where little moves they misfit as others within pictures do."""
    film, shown = ended("real", "22", 10, (2, 3))
    assert dB_of(film[shown[-2]][1::2], film[shown[-1]][1::2]) < COMBED_DB
    assert [v.partner for v in verdicts(telecined(film, shown, True), True)[-2:]] == [0, 0]


@pytest.mark.parametrize("content", ["up or down by 1", "up or down", "chart", "hand", "pan"])
def test_a_films_last_picture_is_woven(content):
    film, shown = ended(content, "22", 1, (2, 2))
    assert [v.partner for v in verdicts(telecined(film, shown, True), True)[-2:]] == [1, -1]
