"""The sRGB tables are the curve, rounded once: computed here to 60 digits."""

import re
from fractions import Fraction

import numpy as np
import pytest
from oracle.texels import float32_value, linear_of_srgb, srgb_of_linear, to_float32

from texsamp.device.sources import kernel_directory

TEXT = (kernel_directory() / "srgb_tables.h").read_text()
PLACES = {6: (0, 0, 0), 8: (64, 70, 961), 10: (320, 332, 1922)}
"""Where a curve begins in SRGB_LINEAR, SRGB_FROM and SRGB_NEAR."""


def table(name, first, count):
    body = re.search(rf"TABLE u32 SRGB_{name}\[(\d+)\] = {{\n(.*?)}};", TEXT, re.DOTALL)
    numbers = re.findall(r"\b(?:0x[0-9a-f]{8}|\d+)(?=,)", body[2])
    assert len(numbers) == int(body[1])
    return [int(number, 0) for number in numbers[first : first + count]]


@pytest.mark.parametrize("bits", PLACES)
def test_linear_values_are_the_nearest_floats(bits):
    largest = (1 << bits) - 1
    assert table("LINEAR", PLACES[bits][0], 1 << bits) == [linear_of_srgb(code, largest) for code in range(1 << bits)]


@pytest.mark.parametrize("bits", PLACES)
def test_limits_are_the_first_floats_of_their_codes(bits):
    largest = (1 << bits) - 1
    limits = table("FROM", PLACES[bits][1], largest + 7)
    assert limits[largest:] == [0xFFFFFFFF] * 7
    for code, limit in enumerate(limits[:largest], 1):
        half = Fraction(2 * code - 1, 2 * largest)
        assert srgb_of_linear(float32_value(limit)) >= half > srgb_of_linear(float32_value(limit - 1))


@pytest.mark.parametrize("bits", PLACES)
def test_every_code_is_near_its_float(bits):
    limits = np.array(table("FROM", PLACES[bits][1], (1 << bits) - 1))
    near = np.array(table("NEAR", PLACES[bits][2], 961))
    starts = to_float32(Fraction(1, 1 << 15)) + (np.arange(961) << 17)
    np.testing.assert_array_equal(near, np.searchsorted(limits, starts, side="right"))
    assert near[0] == 0
    assert np.diff(near).max() <= 7
