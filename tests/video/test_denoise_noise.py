"""The noise measure of `denoise=auto` finds the deviation of white noise, and its thresholds follow smoothly."""

import numpy as np
import pytest

from texsamp.device import get_device
from texsamp.video.denoise.automatic import automatic_parameters, measured_noise
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
    return measured_noise(CPU, {"Y": Samples.plane(plane, bits)}, progressive)["Y"]


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


def test_clipped_noise_is_left_out():
    """Black bars with half of the noise cut off do not lower the estimate."""
    rng = np.random.default_rng(1)
    clean = scene(rng, 255)
    clean[:80] = clean[-80:] = 0
    assert abs(measured(clean + rng.normal(0, 10, clean.shape), 8) / 10 - 1) < 0.15


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
