"""IEF presets: the drivers' slider table and the document's default."""

import itertools
import struct

import numpy as np
import pytest
from oracle.ief import IefState, ief

from texsamp.errors import StateError
from texsamp.video.presets.ief import DEFAULT_LEVEL, IEF_PRESETS, IefParameters, even_level, ief_level, ief_preset


def test_doc_preset_is_the_default_state():
    """The fields of 0D090801h and 721A03C6h (seed 003:3545)."""
    doc = ief_preset("doc")
    dw2 = doc.r5c << 26 | doc.r5cx << 21 | doc.r5x << 16 | doc.strong_threshold << 8 | doc.weak_threshold
    dw3 = (
        doc.smooth << 31
        | doc.strong_weight << 28
        | doc.regular_weight << 24
        | doc.non_edge_weight << 20
        | doc.gain << 14
        | doc.r3c << 6
        | doc.r3x
    )
    assert struct.pack("<2I", dw2, dw3).hex() == "0108090dc6031a72"
    assert doc.noise_estimate == 0
    assert doc.combine == "difference"


def test_ihd_preset_is_the_default_level():
    assert ief_preset("ihd") == ief_level(44) == ief_level() == ief_level(DEFAULT_LEVEL)


# First level of each run of equal values.
R5_STEPS = {0: 0, 4: 1, 10: 2, 16: 3, 22: 4, 29: 5, 35: 6, 41: 7, 45: 8, 46: 10, 47: 11, 48: 12, 49: 13, 50: 15}
R5_STEPS |= {51: 16, 52: 17, 53: 18, 54: 20, 55: 21, 56: 22, 57: 23, 58: 25, 59: 26, 60: 27, 61: 28, 62: 30, 63: 31}
R3_STEPS = {0: 0, 5: 1, 14: 2, 22: 3, 31: 4, 40: 5, 45: 6, 47: 7, 49: 8, 51: 9, 52: 10, 54: 11, 56: 12, 57: 13, 59: 14}
R3_STEPS |= {61: 15, 63: 16}


@pytest.mark.parametrize("level", range(64))
def test_slider(level):
    r5 = R5_STEPS[max(first for first in R5_STEPS if first <= level)]
    r3 = R3_STEPS[max(first for first in R3_STEPS if first <= level)]
    assert ief_level(level) == IefParameters(
        gain=level,
        strong_weight=7,
        regular_weight=2,
        non_edge_weight=1,
        strong_threshold=8,
        weak_threshold=1,
        r3x=r3,
        r3c=r3,
        r5x=r5,
        r5cx=r5,
        r5c=r5,
        noise_estimate=255,
    )


def test_level_64_means_63():
    assert ief_level(64) == ief_level(63)


@pytest.mark.slow
def test_even_levels_are_even():
    """What a level does, by the oracle, on texture of many contrasts: in proportion up to 44, then 2.5 times at 64.

    By the driver's table level 12 does a tenth of what 44 does, and from 45 to 47 the effect grows by a half.
    """
    rng = np.random.default_rng(15)
    texture = np.clip(np.rint(128 + rng.normal(0, 1, (24, 24)) * np.geomspace(4, 60, 24)), 0, 255).astype(int)

    def effect(settings):
        return float(np.abs(ief(texture, IefState(**vars(settings))) - texture).mean())

    effects = [effect(even_level(level)) for level in range(65)]
    assert effects[0] == 0
    assert even_level(44) == ief_level(44)
    for level in range(8, 45, 4):
        assert effects[level] == pytest.approx(effects[44] * level / 44, rel=0.12)
    steps = np.array(effects[10:64]) / effects[9:63]
    assert 1.0 < steps.min() <= steps.max() < 1.13
    assert 1.6 < effects[64] / effects[44] < 2.6  # bright and dark texture clips
    driver = [effect(ief_level(level)) for level in range(64)]
    assert driver[12] < 0.15 * driver[44]
    assert driver[47] > 1.4 * driver[44]


def test_half_of_an_odd_strength_is_rounded_up():
    """Level 60 has the strength 60 + 23 * 16 * 16 // 200 = 89, at coefficients twice as large."""
    assert even_level(60).gain == 45
    assert even_level(60).r3x == 2 * even_level(44).r3x


@pytest.mark.parametrize("slider", [ief_level, even_level])
@pytest.mark.parametrize("level", [-1, 65, 44.0, "44", True])
def test_levels_out_of_range_are_refused(level, slider):
    with pytest.raises(StateError, match=r"sharpness level must be an integer in 0\.\.64, found"):
        slider(level)


def test_unknown_preset_is_refused():
    with pytest.raises(StateError, match="unknown IEF preset 'i965'; known are doc, ihd"):
        ief_preset("i965")


@pytest.mark.parametrize(
    ("field", "highest"),
    [
        ("gain", 63),
        ("strong_weight", 7),
        ("regular_weight", 7),
        ("non_edge_weight", 7),
        ("strong_threshold", 63),
        ("weak_threshold", 63),
        ("r3x", 31),
        ("r3c", 31),
        ("r5x", 31),
        ("r5cx", 31),
        ("r5c", 31),
        ("noise_estimate", 255),
    ],
)
def test_ranges(field, highest):
    legal = vars(IEF_PRESETS["doc"])
    for value in (0, highest):
        IefParameters(**{**legal, field: value})
    for value in (-1, highest + 1, 0.5, False):
        with pytest.raises(StateError, match=rf"IefParameters\.{field} must be an integer in 0\.\.{highest}, found"):
            IefParameters(**{**legal, field: value})


def test_combine_is_one_of_two_words():
    with pytest.raises(StateError, match="must be 'difference' or 'sum', found 'product'"):
        IefParameters(**{**vars(IEF_PRESETS["doc"]), "combine": "product"})


def test_slider_effect_grows_from_nothing():
    """Level 0 is the identity and the change of a soft texture grows with the level."""
    rng = np.random.default_rng(5)
    coarse = np.kron(rng.integers(40, 216, (6, 8)), np.ones((4, 4), dtype=int))
    texture = sum(np.roll(coarse, shift, axis=(0, 1)) for shift in range(4)) // 4
    changes = [
        np.abs(ief(texture, IefState(**vars(ief_level(level)))) - texture).mean() for level in (0, 12, 24, 44, 54, 63)
    ]
    assert changes[0] == 0
    assert all(less < more for less, more in itertools.pairwise(changes))
