"""The noise measure of `denoise=auto` finds the deviation of white noise, and its thresholds follow smoothly."""

import numpy as np
import pytest

from texsamp.device import get_device
from texsamp.video.denoise.automatic import SteadyNoise, automatic_parameters
from texsamp.video.denoise.measure import _SUMS_OF_WHITE, Noise, _in_order, measured_noise, noise_of_blocks
from texsamp.video.samples import Samples

CPU = get_device("cpu")
SIGMAS = (2, 3, 4, 6, 8, 10, 12, 15, 18, 20, 22, 25)


def scene(rng: np.random.Generator, top: int) -> np.ndarray:
    """Shading, slanted edges and a textured part, none of it noise."""
    y, x = np.indices((272, 480))
    shading = 0.35 + 0.25 * np.sin(y / 90) * np.cos(x / 70)
    edges = np.where((x + 2 * y) % 160 < 80, 0.12, -0.12)
    texture = np.where((x > 300) & (y > 150), 0.1 * np.sin(x * 1.9) * np.sin(y * 2.3), 0)
    return (shading + edges + texture) * top


def measured(values: np.ndarray, bits: int, progressive: bool = True) -> float:
    plane = np.clip(np.rint(values), 0, (1 << bits) - 1).astype("u1" if bits == 8 else "<u2")
    return measured_noise(CPU, {"Y": Samples.plane(plane, bits)}, progressive)["Y"].sigma


@pytest.mark.parametrize("progressive", [True, False])
@pytest.mark.parametrize("bits", [8, 10])
def test_within_15_percent_of_the_deviation_and_monotone(bits, progressive):
    rng = np.random.default_rng(bits)
    scale = 1 << (bits - 8)
    clean = scene(rng, (1 << bits) - 1)
    found = [measured(clean + rng.normal(0, sigma * scale, clean.shape), bits, progressive) for sigma in SIGMAS]
    for sigma, estimate in zip(SIGMAS, found, strict=True):
        assert abs(estimate / sigma - 1) < 0.15, f"{sigma}: {estimate:.2f}"
    assert found == sorted(found)
    assert measured(clean, bits, progressive) < 0.5


@pytest.mark.parametrize("bar", [0, 16, 235])
@pytest.mark.parametrize("noisy_bars", [False, True])
def test_bars_do_not_lower_the_measure(bar, noisy_bars):
    """Of a quarter of the height and the width, with noise, which black cuts off, or without."""
    rng = np.random.default_rng(1)
    for sigma in (3, 10, 20):
        clean = scene(rng, 255)
        noise = rng.normal(0, sigma, clean.shape)
        for inside in (np.s_[34:-34, :], np.s_[:, 60:-60], np.s_[45:-20, 70:]):
            outside = np.ones(clean.shape, bool)
            outside[inside] = False
            picture = np.where(outside, bar + (noise if noisy_bars else 0), clean + noise)
            assert abs(measured(picture, 8) / sigma - 1) < 0.15


@pytest.mark.parametrize("sigma", [2, 5, 10, 20])
@pytest.mark.parametrize("light", [0.0, 0.03, 0.1])
def test_the_dark_that_cuts_noise_off_is_measured(sigma, light):
    rng = np.random.default_rng(3)
    clean = scene(rng, 255)
    dark, bright = light * clean, 255 - light * clean
    noise = rng.normal(0, sigma, clean.shape)
    assert abs(measured(dark + noise, 8) / sigma - 1) < 0.15
    assert abs(measured(bright + noise, 8) / sigma - 1) < 0.15


@pytest.mark.parametrize("sigma", [3, 6, 12])
@pytest.mark.parametrize("radius", [0.6, 0.75, 0.9])
def test_correlated_grain_is_measured(radius, sigma):
    rng = np.random.default_rng(4)
    clean = scene(rng, 255)
    grain = rng.normal(0, 1, clean.shape)
    weights = np.exp(-((np.arange(-4, 5) / radius) ** 2) / 2)
    for axis in (0, 1):
        grain = np.apply_along_axis(np.convolve, axis, grain, weights, "same")
    assert abs(measured(clean + grain * (sigma / grain.std()), 8) / sigma - 1) < 0.35


@pytest.mark.parametrize("radius", [0.0, 0.6, 0.75, 0.9])
def test_the_blur_of_grain_is_measured(radius):
    rng = np.random.default_rng(8)
    grain = rng.normal(0, 1, (272, 480))
    weights = np.exp(-((np.arange(-4, 5) / max(radius, 0.01)) ** 2) / 2)
    for axis in (0, 1):
        grain = np.apply_along_axis(np.convolve, axis, grain, weights, "same")
    plane = np.rint(120 + grain * (8 / grain.std())).astype("u1")
    found = measured_noise(CPU, {"Y": Samples.plane(plane, 8)}, progressive=True)["Y"]
    assert found.blur_px == pytest.approx(radius, abs=0.08)


def test_flat_graphics_have_none():
    rng = np.random.default_rng(5)
    clean = np.full((272, 480), 40)
    for x, y, shade in rng.integers((0, 0, 90), (440, 250, 230), (60, 3)):
        clean[y : y + 14, x : x + 30] = shade
    assert measured(clean, 8) < 0.3
    assert abs(measured(clean + rng.normal(0, 4, clean.shape), 8) / 4 - 1) < 0.15


def test_the_strength_follows_steadily():
    """One odd frame does not move it; what it measures itself, each plane does."""
    steady = SteadyNoise()
    measures = [{"Y": Noise(sigma, sigma / 10), "U": Noise(1.0)} for sigma in (5.0, 5.2, 0.0, 5.1, 30.0, 5.3)]
    followed = [steady.follow(noise) for noise in measures]
    assert [10 * found["Y"].blur_px for found in followed] == pytest.approx([5.0, 5.1, 5.0, 5.05, 5.1, 5.2])
    assert [found["Y"].sigma for found in followed] == pytest.approx([5.0, 5.1, 5.0, 5.05, 5.1, 5.2])
    assert {found["U"] for found in followed} == {Noise(1.0)}


@pytest.mark.parametrize("size", [(1, 1), (17, 40), (40, 17)])
def test_pictures_without_a_whole_block_have_no_noise(size):
    assert measured(np.random.default_rng(2).integers(0, 256, size), 8) == 0


def test_nothing_but_clipped_samples():
    assert measured(np.zeros((64, 64)), 8) == 0
    assert measured(np.full((64, 64), 255), 8) == 0


def test_thresholds_rise_smoothly_from_nothing():
    last = None
    for step in range(6000):
        parameters = automatic_parameters(step / 100)
        if parameters is None:
            assert last is None
            assert step < 90
            continue
        if last is not None:
            assert 0 <= parameters.gn_th - last.gn_th <= 1
            assert 0 <= parameters.th - last.th <= 1
            assert 0 <= parameters.stad_th - last.stad_th <= 1
        last = parameters
    assert last is not None
    assert (last.gn_th, last.th, last.stad_th) == (63, 18, 255)
    assert automatic_parameters(0.5) is None


def test_a_block_that_is_cut_off_moves_no_order_of_the_others():
    # The measure sorts integers where nothing is cut off, else numbers; both must come to the same.
    blocks = np.random.default_rng(5).integers(2000, 40000, (30, 40, 4)).astype("u4")
    blocks[..., 3] = 0
    without = noise_of_blocks(blocks, 8)
    blocks[15, 20] = 3_000_000, 3_000_000, 3_000_000, 1  # the noisiest one, which is not among the calm
    assert noise_of_blocks(blocks, 8) == without


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 160, 3000])
@pytest.mark.parametrize("kind", ["random", "rising", "falling", "equal", "odd ones high"])
@pytest.mark.parametrize("most_cut_off", [0, 200])
def test_the_order_of_the_lowest_is_that_of_a_sort(size, kind, most_cut_off):
    rng = np.random.default_rng(size)
    values = rng.integers(0, 500, size).astype("u4")
    values = {"rising": np.sort(values), "falling": np.sort(values)[::-1], "equal": values * 0}.get(kind, values).copy()
    if kind == "odd ones high":  # every sixteenth one tells nothing of the others
        values[::16] = 0
    cut_off = rng.integers(0, most_cut_off + 1, size)
    deviations = np.sort(values / _SUMS_OF_WHITE[cut_off]).tolist()
    for last in {0, size // 20, size // 10, size - 1}:
        assert _in_order(values[None], cut_off, (last // 2, last)) == [[deviations[last // 2], deviations[last]]]
