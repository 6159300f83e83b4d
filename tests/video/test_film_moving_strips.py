"""Video in a part of a film's pictures that moves for a moment only, as in a picture in the picture."""

import numpy as np
import pytest
from support.telecine import fields_of, telecined

from benchmarks.judged_film import COMBED_DB, HEIGHT_PX, WIDTH_PX, _moved, _texture, dB_of, verdicts
from texsamp.video.film.cadence import CADENCES
from texsamp.video.film.variances import strip_area

PART = slice(40, 120), slice(8, 232)


def with_a_part(cadence: str, moments: range, step_px: int) -> list[np.ndarray]:
    """Pictures of all fields: a film that pans, over which a part stands but for the moments when it moves."""
    rng = np.random.default_rng(3)
    film, shown = _moved(rng, 3, 0), fields_of(40, CADENCES[cadence])
    lines, columns = (part.stop - part.start for part in PART)
    picture, place, made = _texture(rng, columns + step_px * len(moments), lines), 0, []
    for number, n in enumerate(shown):
        place += step_px * (number in moments)
        field = film[n].copy()
        field[PART] = picture[:, place : place + columns]
        made.append(field)
    return made


def combed(fields: list[np.ndarray], found) -> int:
    """How many fields are woven with another picture's."""
    count = 0
    for verdict in (v for v in found if v.partner):
        own, other = fields[verdict.number], fields[verdict.number + verdict.partner].copy()
        for strip in verdict.video_strips:
            other[strip_area(strip, WIDTH_PX)] = own[strip_area(strip, WIDTH_PX)]
        lacks = (verdict.number + 1) % 2
        count += dB_of(own[lacks::2], other[lacks::2]) < COMBED_DB
    return count


@pytest.mark.parametrize("cadence", ["32", "22", "2332"])
@pytest.mark.parametrize("step_px", [1, 3])
def test_what_moves_for_a_moment_over_film_does_not_comb(cadence, step_px):
    """No row of pairs combs for long enough there; what travels within pictures tells."""
    fields = with_a_part(cadence, range(50, 60), step_px)
    assert fields[0].shape == (HEIGHT_PX, WIDTH_PX)
    found = verdicts(telecined(fields, list(range(len(fields)))), True)
    assert sum(v.partner != 0 for v in found) > 0.6 * len(fields)
    assert combed(fields, found) == 0
