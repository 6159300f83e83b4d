"""What film mode remembers of a stream: the fields it still asks for, by their number, and no others."""

import numpy as np
import pytest

from texsamp.video.film.field_pairs import FieldPairs
from texsamp.video.film.planner import FilmPlanner
from texsamp.video.film.series import Series
from texsamp.video.film.variances import FilmStatistics, FilmStrips


def test_values_keep_their_numbers_when_earlier_ones_are_forgotten():
    series: Series[int] = Series()
    for value in range(10):
        series.append(10 * value)
    series.forget(4)
    series.forget(2)
    assert (len(series), series[4], series[5:7], series[8:100]) == (10, 40, [50, 60], [80, 90])
    series.append(100)
    assert series[10] == 100
    for forgotten in (3, slice(3, 6)):
        with pytest.raises(IndexError, match="3 is forgotten: 4 is the first that is kept"):
            series[forgotten]


def test_a_long_stream_takes_no_more_memory_than_a_short_one():
    random = np.random.default_rng(5)
    planner, kept = FilmPlanner("auto"), []
    for number in range(200):
        combs, changes = random.random((6, 3)), random.random((6, 2))
        strips = FilmStrips(combs, changes, combs, 0 * combs, changes, np.arange(6), 1)
        list(planner.add(FilmStatistics((0,) * 11, combs, np.ones(6), changes, combs, combs, strips), 0, number == 0))
        kept.append(len(planner._fields.tile_combs._kept) + len(planner._fields.strip_combs._kept))
    assert kept[50] == kept[100] == kept[199] < 300


@pytest.mark.parametrize("reach", [1, 3, 40])
def test_a_scene_ends_at_the_cuts_about_a_field_or_as_far_as_is_asked(reach, monkeypatch):
    """A cut is no field of its scene, on either side."""
    count, cuts = 30, {0, 5, 6, 20, 29}
    pairs = FieldPairs()
    for _ in range(count):
        pairs.combs.append(0.0)
    monkeypatch.setattr(pairs, "_cut_fields", sorted(cuts))
    for field in range(count):
        begin = max(n for n in range(field + 1) if n in cuts or n in (0, field - reach))
        end = min(n for n in range(field + 1, field + reach + 2) if n in cuts or n in (count, field + reach + 1))
        assert pairs.scene(field, reach) == (begin + (begin in cuts), end), field
