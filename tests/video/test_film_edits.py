"""Film mode where films are cut together or their fields come in the wrong order: a picture's own evidence decides.

What is put together combs nowhere, whatever the rhythm says; films are those of judged_film.
"""

import numpy as np
import pytest

from benchmarks.judged_film import CONTENTS, PICTURES, dB_of, telecined, verdicts
from benchmarks.judged_film_odd import _swapped
from texsamp.video.film.cadence import CADENCES


def spliced(first: str, second: str, cadence: str, last: int, begin: int):
    """Pictures of two films, and those of 100 fields: of the first up to a field of the cadence, then of the second."""
    rng = np.random.default_rng(1)
    film = CONTENTS[first](rng) + CONTENTS[second](rng)
    whole = [n for n in range(PICTURES) for _ in range(CADENCES[cadence][n % len(CADENCES[cadence])])]
    shown = whole[: 40 + last] + [PICTURES + n for n in whole[begin : begin + 60]]
    return film, shown[: len(shown) // 2 * 2]


@pytest.mark.parametrize(
    ("first", "second", "cadence", "last", "begin"),
    [
        pytest.param("chart", "up or down", "32", 3, 2, id="an-edit-is-known-by-what-changes"),
        pytest.param("chart", "up or down", "22", 0, 1, id="a-cut-at-every-field-of-two"),
        pytest.param("pan", "chart", "32", 0, 4, id="what-stands-behind-a-cut-is-not-asked-before-it"),
        pytest.param("pan", "chart", "32", 3, 2, id="what-stands-behind-one-field-of-a-picture"),
    ],
)
def test_two_films_cut_together_comb_nowhere(first, second, cadence, last, begin):
    film, shown = spliced(first, second, cadence, last, begin)
    found = verdicts(telecined(film, shown, True), True)
    woven = [(film[shown[v.number]], film[shown[v.number + v.partner]], v.number) for v in found if v.partner]
    assert len(woven) > 90
    assert [n for one, two, n in woven if dB_of(one[1 - n % 2 :: 2], two[1 - n % 2 :: 2]) < 35] == []


@pytest.mark.parametrize(
    ("content", "cadence", "seed"),
    [
        pytest.param("up or down by 1", "2332", 504, id="equal-fields-enclose-one-that-fits-outside"),
        pytest.param("on twos", "euro", 505, id="drawings"),
        pytest.param("real", "euro", 504, id="real"),
    ],
)
def test_repeated_fields_in_the_wrong_order_are_of_no_picture_with_those_between(content, cadence, seed):
    assert _swapped("fit", content, cadence, seed).combed == 0
