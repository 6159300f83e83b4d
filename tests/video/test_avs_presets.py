"""AVS coefficient presets: the drivers' tables to the last bit, and ours as good as their formulas."""

import json
import os
import struct
import zlib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from oracle import avs as oracle

from texsamp.errors import StateError
from texsamp.video.presets.avs import (
    ADAPTIVE_PRESETS,
    COEFFICIENT_PRESETS,
    AdaptiveParameters,
    adaptive_parameters,
    coefficients,
)
from texsamp.video.presets.polyphase import catmull_rom, distances, interpolation_error, lanczos, triangle

OURS = ("lanczos3", "lanczos4", "catmull-rom", "bilinear")
KERNELS = {
    ("lanczos3", 8): lanczos(3),
    ("lanczos3", 4): lanczos(2),
    ("lanczos4", 8): lanczos(4),
    ("lanczos4", 4): lanczos(2),
    ("catmull-rom", 8): catmull_rom,
    ("catmull-rom", 4): catmull_rom,
    ("bilinear", 8): triangle,
    ("bilinear", 4): triangle,
}
RATIOS = (Fraction(1, 16), 0.1, 0.25, 0.3, 1 / 3, 0.5, Fraction(2, 3), 0.75, 0.9, 0.999, 1, 1.5, 8)


def exact_rows(preset, taps):
    rows = np.stack([KERNELS[preset, taps](distances(phase)) for phase in range(32)])
    return rows / rows.sum(axis=1, keepdims=True)


# Rows recomputed from the drivers' public rules: (preset, ratio, taps, phase) -> coefficients in 1/64.
DRIVER_ROWS = {
    ("i965", 1, 8, 0): (0, 0, 0, 64, 0, 0, 0, 0),
    ("i965", 1, 8, 4): (0, 1, -5, 62, 8, -2, 0, 0),
    ("i965", 1, 8, 8): (0, 2, -9, 58, 17, -4, 0, 0),
    ("i965", 1, 8, 12): (0, 2, -9, 49, 28, -7, 1, 0),
    ("i965", 1, 8, 16): (0, 2, -9, 39, 39, -9, 2, 0),
    ("i965", 0.5, 8, 0): (-4, 0, 20, 32, 20, 0, -4, 0),
    ("i965", 0.5, 8, 16): (-2, -4, 9, 30, 28, 9, -4, -2),
    ("i965", 1, 4, 4): (0, 0, -4, 62, 6, 0, 0, 0),
    ("i965", 1, 4, 8): (0, 0, -5, 55, 15, -1, 0, 0),
    ("i965", 1, 4, 16): (0, 0, -4, 36, 36, -4, 0, 0),
    ("ihd", 1, 8, 8): (-3, 6, -11, 59, 20, -8, 4, -3),
    ("ihd", 1, 8, 16): (-4, 7, -13, 41, 43, -13, 7, -4),
    ("ihd", 1, 8, 24): (-3, 4, -8, 20, 59, -11, 6, -3),
    ("ihd", 0.5, 8, 0): (-6, 0, 21, 34, 21, 0, -6, 0),
}


@pytest.mark.parametrize(("preset", "ratio", "taps", "phase"), DRIVER_ROWS)
def test_driver_rows(preset, ratio, taps, phase):
    assert tuple(coefficients(preset, ratio, taps)[phase]) == DRIVER_ROWS[preset, ratio, taps, phase]


def captured_sampler_8x8_state(name):
    """The 138 dwords of SAMPLER_8x8_STATE in a capture of the driver, as bytes."""
    folder = Path(os.environ.get("TEXSAMP_CAPTURES", Path(__file__).parents[3] / "shared" / "captures"))
    path = folder / "vpp" / f"{name}_000.g7cap"
    if not path.exists():
        pytest.skip(f"no capture {path.name}: set TEXSAMP_CAPTURES")
    data = path.read_bytes()
    (compressed,) = struct.unpack_from("<I", data, 8)
    header = json.loads(zlib.decompress(data[16 : 16 + compressed]))
    (bo,) = [bo for bo in header["bos"] if bo["name"].startswith("sampler 8x8 state")]
    start = 16 + compressed + bo["data_off"]
    return zlib.decompress(data[start : start + bo["data_len"]])[: 138 * 4]


@pytest.mark.parametrize(
    ("capture", "preset", "ratio"),
    [
        ("scale_up_704x576_hq", "i965", 2),
        ("csc_i420_i420_scaled", "i965", 1.5),
        ("scale_down_176x144_hq", "i965", 0.5),
        ("copy_nv12", "bilinear", 1),
    ],
)
def test_captured_tables_are_reproduced(capture, preset, ratio):
    """All 17 stored rows of the four tables; lowest tap in the lowest byte (seed 003:4046-4130)."""
    state = np.frombuffer(captured_sampler_8x8_state(capture), dtype=np.int8)
    rows = state[: 17 * 32].reshape(17, 32)
    luma, chroma = (coefficients(preset, ratio, taps)[:17] for taps in (8, 4))
    for first in (0, 8):
        assert (rows[:, first : first + 8] == luma).all()
    for first in (18, 26):
        assert (rows[:, first : first + 4] == chroma[:, 2:6]).all()


def test_captured_adaptive_fields_are_reproduced():
    dw136, dw137 = struct.unpack_from("<II", captured_sampler_8x8_state("scale_up_704x576_hq"), 136 * 4)
    state = adaptive_parameters("i965")
    assert dw136 == state.default_sharpness << 24 | state.max_derivative4 << 16 | state.max_derivative8 << 8 | (
        state.transition4 << 4 | state.transition8
    )
    assert dw137 == state.bypass_x << 22 | state.bypass_y << 21


@pytest.mark.parametrize("taps", [8, 4])
@pytest.mark.parametrize("preset", COEFFICIENT_PRESETS)
def test_every_table_is_legal(preset, taps):
    low = np.array([-16, -32, -64, -128, -128, -64, -32, -16]) if taps == 8 else np.array([0, 0, -64, 0, 0, -64, 0, 0])
    high = np.array([15, 31, 63, 127, 127, 63, 31, 15]) if taps == 8 else np.array([0, 0, 63, 127, 127, 63, 0, 0])
    for ratio in RATIOS:
        table = coefficients(preset, ratio, taps)
        assert table.shape == (32, 8)
        assert table.dtype == np.int16
        assert (table.sum(axis=1) == 64).all()
        assert ((table >= low) & (table <= high)).all()
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 1


@pytest.mark.parametrize("taps", [8, 4])
@pytest.mark.parametrize("preset", COEFFICIENT_PRESETS)
def test_rows_survive_the_17_stored_rows(preset, taps):
    """Row p > 16 is row 32 - p with its taps reversed at every scale; row 16 of ours is its own mirror."""
    for ratio in RATIOS:
        table = coefficients(preset, ratio, taps)
        assert (table[17:] == table[15:0:-1, ::-1]).all()
        if preset in OURS:
            assert (table[16] == table[16, ::-1]).all()
    middle = coefficients("ihd", 1, 8)[16]
    assert (middle != middle[::-1]).any()


@pytest.mark.parametrize("taps", [8, 4])
@pytest.mark.parametrize("preset", OURS)
def test_our_presets_do_not_stretch(preset, taps):
    for ratio in RATIOS:
        assert (coefficients(preset, ratio, taps) == coefficients(preset, 1, taps)).all()


@pytest.mark.parametrize("taps", [8, 4])
@pytest.mark.parametrize("preset", OURS)
def test_our_taps_are_within_one_step_of_the_formula(preset, taps):
    assert np.abs(coefficients(preset, 1, taps) - 64 * exact_rows(preset, taps)).max() < 1


def test_bilinear_is_exact():
    expected = np.zeros((32, 8), dtype=int)
    expected[:, 3] = 64 - 2 * np.arange(32)
    expected[:, 4] = 2 * np.arange(32)
    assert (coefficients("bilinear", 1, 8) == expected).all()


# Frozen so that a change of the rounding is noticed: it changes every scaled picture.
OUR_ROWS = {
    ("lanczos3", 8, 1): (0, 0, -1, 64, 1, 0, 0, 0),
    ("lanczos3", 8, 4): (0, 1, -5, 62, 8, -2, 0, 0),
    ("lanczos3", 8, 8): (0, 2, -9, 57, 18, -5, 1, 0),
    ("lanczos3", 8, 12): (0, 2, -10, 49, 28, -7, 2, 0),
    ("lanczos3", 8, 16): (0, 2, -9, 39, 39, -9, 2, 0),
    ("lanczos3", 8, 24): (0, 1, -5, 18, 57, -9, 2, 0),
    ("lanczos3", 4, 8): (0, 0, -5, 56, 15, -2, 0, 0),
    ("lanczos4", 8, 4): (-1, 3, -7, 63, 8, -3, 1, 0),
    ("lanczos4", 8, 16): (-1, 4, -11, 40, 40, -11, 4, -1),
    ("lanczos4", 8, 24): (0, 2, -6, 18, 57, -9, 3, -1),
    ("lanczos4", 4, 8): (0, 0, -5, 56, 15, -2, 0, 0),
    ("catmull-rom", 8, 8): (0, 0, -5, 56, 15, -2, 0, 0),
    ("catmull-rom", 4, 16): (0, 0, -4, 36, 36, -4, 0, 0),
}


@pytest.mark.parametrize(("preset", "taps", "phase"), OUR_ROWS)
def test_our_rows(preset, taps, phase):
    assert tuple(coefficients(preset, 1, taps)[phase]) == OUR_ROWS[preset, taps, phase]


def rounded_to_nearest(rows):
    """Nearest 1/64 with the residual on the larger middle tap: the usual way."""
    table = np.rint(rows * 64).astype(int)
    middle = np.where(np.arange(32) <= 16, 3, 4)
    table[np.arange(32), middle] += 64 - table.sum(axis=1)
    return table


@pytest.mark.parametrize("taps", [8, 4])
@pytest.mark.parametrize("preset", ["lanczos3", "lanczos4", "catmull-rom"])
def test_rounding_beats_dumping_the_residual_on_the_center(preset, taps):
    exact = exact_rows(preset, taps)
    phases = [phase for phase in range(32) if phase != 16]  # the middle row has the extra duty of symmetry
    ours = [interpolation_error(coefficients(preset, 1, taps)[p], p) for p in phases]
    usual = [interpolation_error(rounded_to_nearest(exact)[p], p) for p in phases]
    assert all(our <= other + 1e-12 for our, other in zip(ours, usual, strict=True))
    assert sum(ours) < 0.9 * sum(usual)


def test_interpolation_error_is_that_of_a_sine():
    """Against the direct sum over frequencies of |sum c exp(-i w j) - exp(-i w delay)|^2."""
    row = coefficients("ihd", 1, 8)[11]
    frequency = (np.arange(256) + 0.5) / 256 * 0.35
    power = 1 / (frequency**2 + 0.0025)
    phasor = np.exp(-2j * np.pi * np.outer(frequency, np.arange(8) - 3))
    error = np.abs(phasor @ (row / 64) - np.exp(-2j * np.pi * frequency * 11 / 32)) ** 2
    assert interpolation_error(row, 11) == pytest.approx((error * power).sum() / power.sum())


def natural_picture(height, width):
    """Random texture whose power falls as 1/f^2 down to half the band, between 0 and 255; seeded."""
    rng = np.random.default_rng(20)
    fy, fx = np.fft.fftfreq(height)[:, np.newaxis], np.fft.rfftfreq(width)
    radius = np.hypot(fy, fx)
    spectrum = np.fft.rfft2(rng.standard_normal((height, width))) * (radius < 0.25) / (radius + 0.02)
    picture = np.fft.irfft2(spectrum, (height, width))
    return np.clip(np.rint(128 + 40 * picture / picture.std()), 0, 255)


def test_doubling_loses_nothing_to_the_rounding_of_the_coefficients():
    """Half-size samples of a smooth picture doubled in place: rounded rows within 0.1 dB of the exact formula."""
    picture = natural_picture(96, 128)
    half = picture[::2, ::2].astype(int)
    positions = [[16 * x for x in range(n)] for n in (128, 96)]

    def psnr(rows):
        tables = oracle.CoefficientTables(*[rows] * 4)
        (doubled,) = oracle.avs([half], "Y", positions[:1], positions[1:], tables=tables)
        inner = (slice(8, -8), slice(8, -8))
        return 10 * np.log10(255**2 / np.mean((doubled - picture)[inner] ** 2))

    def exact_psnr(rows):
        def matrix(count):
            m = np.zeros((count, count // 2))
            for x in range(count):
                for tap in range(8):
                    m[x, np.clip(x // 2 - 3 + tap, 0, count // 2 - 1)] += rows[16 * (x % 2)][tap]
            return m

        doubled = np.clip(np.rint(matrix(96) @ half @ matrix(128).T), 0, 255)
        return 10 * np.log10(255**2 / np.mean((doubled - picture)[8:-8, 8:-8] ** 2))

    rounded, exact = psnr(coefficients("lanczos3", 2, 8)), exact_psnr(exact_rows("lanczos3", 8))
    assert rounded > exact - 0.1
    assert rounded > psnr(coefficients("bilinear", 2, 8)) + 3


@pytest.mark.parametrize(
    ("preset", "ratio", "taps", "message"),
    [
        (
            "lanczos",
            1,
            8,
            "unknown AVS preset 'lanczos'; known are i965, ihd, lanczos3, lanczos4, catmull-rom, bilinear",
        ),
        ("i965", 1, 6, "8 or 4 taps, found 6"),
        ("i965", 0, 8, "positive number, found 0"),
        ("i965", -0.5, 8, "positive number, found -0.5"),
        ("i965", float("nan"), 8, "positive number, found nan"),
        ("ihd", float("inf"), 8, "positive number, found inf"),
    ],
)
def test_wrong_requests_are_refused(preset, ratio, taps, message):
    with pytest.raises(StateError, match=message):
        coefficients(preset, ratio, taps)


def test_adaptive_presets():
    ihd = adaptive_parameters("ihd")
    assert (ihd.max_derivative8, ihd.max_derivative4, ihd.transition8, ihd.transition4) == (20, 7, 5, 4)
    assert (ihd.default_sharpness, ihd.bypass_x, ihd.bypass_y) == (255, False, False)
    assert set(ADAPTIVE_PRESETS) == {"i965", "ihd", "tuned", "tuned-ours"}
    with pytest.raises(StateError, match="unknown AVS adaptive preset 'auto'; known are i965, ihd"):
        adaptive_parameters("auto")


@pytest.mark.parametrize(
    ("field", "highest"),
    [
        ("default_sharpness", 255),
        ("max_derivative4", 255),
        ("max_derivative8", 255),
        ("transition4", 7),
        ("transition8", 7),
    ],
)
def test_adaptive_ranges(field, highest):
    legal = vars(adaptive_parameters("ihd"))
    for value in (0, highest):
        AdaptiveParameters(**{**legal, field: value})
    for value in (-1, highest + 1, 2.5, True):
        with pytest.raises(StateError, match=rf"AdaptiveParameters\.{field} must be an integer in 0\.\.{highest}"):
            AdaptiveParameters(**{**legal, field: value})
