"""Small arrays go to a device once, by what they hold."""

import numpy as np
import pytest
from support.strict_arrays import StrictDevice

from texsamp import get_device
from texsamp.device import kept as module
from texsamp.device.kept import integers, kept


def test_equal_arrays_travel_once_and_new_ones_together():
    device, numbers = StrictDevice(), np.arange(12)
    first = kept(device, [numbers, numbers.astype(np.float32), numbers.copy()])
    assert (device.uploads, device.uploaded_B) == (1, 12 * 8 + 12 * 4)
    assert first[0] is first[2]
    again = kept(device, [numbers.reshape(3, 4), numbers + 0, numbers.astype(np.float32), numbers[::2]])
    assert (device.uploads, device.uploaded_B) == (2, 12 * 8 + 12 * 4 + 12 * 8 + 6 * 8)
    assert [there.shape for there in again] == [(3, 4), (12,), (12,), (6,)]
    assert all((device.download(there) == numbers.reshape(there.shape)).all() for there in (again[0], again[1]))
    assert again[1] is first[0]
    kept(device, [numbers])
    assert device.uploads == 2


def test_an_array_that_has_changed_travels_again():
    device, numbers = StrictDevice(), np.arange(12)
    kept(device, [numbers])
    numbers[3] = 7
    (there,) = kept(device, [numbers])
    assert (device.download(there) == numbers).all()


def test_devices_do_not_share_them():
    for device in (StrictDevice(), StrictDevice()):
        kept(device, [np.arange(12)])
        assert device.uploads == 1


@pytest.mark.parametrize("largest", [False, True])
def test_large_arrays_and_those_asked_for_long_ago_are_not_kept(largest, monkeypatch):
    monkeypatch.setattr(module, "LARGEST_B" if largest else "MOST_B", 95)
    device = StrictDevice()
    for _ in range(2):
        kept(device, [np.arange(12)])
    assert device.uploads == 2


def test_what_is_asked_for_stays_longer_than_what_is_not(monkeypatch):
    monkeypatch.setattr(module, "MOST_B", 2 * 96)
    device, (a, b, c) = StrictDevice(), (np.arange(12) + number for number in range(3))
    for each in (a, b, a, c, a):
        kept(device, [each])
    assert device.uploads == 3
    kept(device, [b])
    assert device.uploads == 4


def test_the_host_has_them_as_they_are():
    numbers = np.arange(12)
    assert kept(get_device("cpu"), [numbers])[0] is numbers


@pytest.mark.parametrize("values", [[], [7], [5, 5, 5], [3, 4, 5], [9, 6, 3, 0], [-4, 96]])
def test_integers_that_follow_each_other_do_not_travel(values):
    device = StrictDevice()
    (there,) = integers(device, np.array(values, np.int64))
    assert (device.uploads, there.dtype) == (0, np.int64)
    assert device.download(there).tolist() == values


def test_other_integers_travel_together_and_once():
    device = StrictDevice()
    given = [np.array(each) for each in ([0, 1, 3], [2, 4, 6], [1, 0, 0])]
    for _ in range(2):
        found = integers(device, *given)
        assert (device.uploads, device.uploaded_B) == (1, 6 * 8)
        assert [device.download(each).tolist() for each in found] == [each.tolist() for each in given]
