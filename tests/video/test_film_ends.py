"""The first two fields of a stream and the last two: no pair before or behind tells whether they are of one picture."""

from itertools import count, takewhile

import numpy as np
import pytest

from benchmarks.judged_film import COMBED_DB, CONTENTS, Film, dB_of, judged_clip, telecined, verdicts
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


def begun(content: str, cadence: str, seed: int, first: tuple[int, int]) -> tuple[Film, list[int]]:
    """Two fields, then every second picture of a film from its fourth on, in whole pictures."""
    film = CONTENTS[content](np.random.default_rng([seed, 5]))
    runs = CADENCES[cadence]
    pictures = takewhile(lambda n: n < 60, count(4, 2))
    shown = [*first, *(n for k, n in enumerate(pictures) for _ in range(runs[k % len(runs)]))]
    return film, shown[: len(shown) // 2 * 2]


@pytest.mark.parametrize("content", ["up or down by 1", "up or down", "credits", "noise", "hand", "pan"])
@pytest.mark.parametrize("cadence", ["22", "32"])
@pytest.mark.parametrize("first", [(1, 2), (2, 3)])
def test_video_that_begins_a_film_is_not_woven(content, cadence, first):
    """They misfit more than pairs inside pictures do, and the next two fields have not changed alike."""
    film, shown = begun(content, cadence, 0, first)
    assert dB_of(film[first[0]][1::2], film[first[1]][1::2]) < COMBED_DB
    assert [v.partner for v in verdicts(telecined(film, shown, True), True)[:2]] == [0, 0]


@pytest.mark.parametrize("content", ["up or down by 1", "up or down", "chart", "hand", "pan"])
def test_a_films_first_picture_is_woven(content):
    film, shown = begun(content, "22", 1, (2, 2))
    assert [v.partner for v in verdicts(telecined(film, shown, True), True)[:2]] == [1, -1]


@pytest.mark.parametrize(
    ("content", "cadence", "seed"),
    [("on twos", "euro", 17000), ("on twos", "euro", 17001), ("on threes", "2332", 17000)],
)
def test_a_drawing_that_begins_a_stream_is_woven(content, cadence, seed):
    """Where several cadences may go on only pairs that fit are woven: what follows tells that the first does."""
    row = judged_clip("test", content, cadence, seed)
    assert row.recovered == row.pictures
    assert row.combed == 0
