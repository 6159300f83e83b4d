"""Which of several values stays where they are stored at one place."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from texsamp.emulator.shared.data_port.buffers import last_of_each


@pytest.mark.parametrize("far", [1, 1 << 40])
def test_the_last_value_of_a_place_stays_wherever_the_places_lie(far: int) -> None:
    rng = np.random.default_rng(1)
    for count in (2, 7, 500):
        places = rng.integers(0, count, count) * far + 3
        last = last_of_each(places)
        expected = {int(place): number for number, place in enumerate(places)}
        found = np.arange(count) if last is None else last
        assert {int(places[number]): int(number) for number in found} == expected
        assert len(found) == len(expected)


def test_places_apart_need_no_choice() -> None:
    assert last_of_each(np.array([], np.int64)) is None
    assert last_of_each(np.array([5, 3, 1 << 40])) is None


def test_places_far_apart_take_no_memory_between_them() -> None:
    tracemalloc.start()
    try:
        assert np.array_equal(last_of_each(np.array([0, 1 << 30, 0])), [2, 1])
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
