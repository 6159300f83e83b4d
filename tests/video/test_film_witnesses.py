"""What film mode says of pairs of fields: of two pictures, of one, or nothing."""

import numpy as np
import pytest

from texsamp.video.film.variances import FilmStatistics, FilmStrips
from texsamp.video.film.witnesses import HIGH, WEAK, Witnesses


def classes_of(combs):
    """Those of fields by what each misfits the one before it, in a single tile that moves."""
    witnesses = Witnesses()
    one = np.ones(1)
    for number, (first, second) in enumerate(zip(combs[::2], combs[1::2], strict=True)):
        tiles = np.array([[second, first, 0.0]])
        changes = np.full((1, 2), 500.0)
        strips = FilmStrips(tiles, changes, 0 * tiles, 0 * tiles, changes, np.zeros(1, int), 1)
        statistics = FilmStatistics((0,) * 11, tiles, one, changes, 0 * tiles, 0 * tiles, strips)
        witnesses.add(statistics, 0, number == 0)
    return witnesses.classes


@pytest.mark.parametrize(("misfit", "expected"), [(3.0, WEAK), (5.0, HIGH)])
def test_two_fields_that_misfit_four_times_their_neighbors_are_of_two_pictures(misfit, expected):
    """Beside a scene in which others misfit far more: a camera that rests between sways."""
    combs = [1.0] * 40
    combs[2], combs[4] = 40.0, 40.0
    combs[12] = misfit
    assert classes_of(combs)[12] == expected
