"""The monochrome filter: boxes of 1x1 to 7x7 texels of one bit."""

from fractions import Fraction

import numpy as np
import pytest
from oracle import sampler as oracle
from support.sampling import HOSTILE, surface

import texsamp as ts

WIDTH, HEIGHT = 32, 11


def mono(seed=1):
    bits = np.random.default_rng(seed).integers(0, 2, (HEIGHT, WIDTH, 1)).astype(np.uint8)
    return ts.Surface.from_array(bits, "MONO8", device="cpu"), bits[..., 0]


def sampler_of(size, **options):
    return ts.Sampler(mono_size=size, mip_filter="none", address="border", **options)


def coordinates(count):
    random = np.random.default_rng(4)
    exact = random.integers(-40, 80, (2, count)) / np.float32([[WIDTH], [HEIGHT]]) / 2
    made = np.where(random.random((2, count)) < 0.4, exact, random.uniform(-0.4, 1.4, (2, count)))
    return np.where(random.random((2, count)) < 0.05, random.choice(HOSTILE, (2, count)), made).astype(np.float32)


def filtered(bits, size, u, v):
    """Hole S6: how much of the box each texel covers, in 1/256 texel, exactly."""
    total = 0
    for axis_bits in [bits]:
        x = oracle.fixed_position(u, WIDTH, "clamp_border", True, True) - 128 * size[0]
        y = oracle.fixed_position(v, HEIGHT, "clamp_border", True, True) - 128 * size[1]
        for j in range(max(y // 256, 0), min((y + 256 * size[1]) // 256 + 1, HEIGHT)):
            for i in range(max(x // 256, 0), min((x + 256 * size[0]) // 256 + 1, WIDTH)):
                across = min(256 * i + 256, x + 256 * size[0]) - max(256 * i, x)
                down = min(256 * j + 256, y + 256 * size[1]) - max(256 * j, y)
                total += int(axis_bits[j, i]) * max(across, 0) * max(down, 0)
    return np.float32(float(Fraction(total, 65536 * size[0] * size[1])))


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (1, 4), (3, 3), (6, 5), (7, 7)])
def test_boxes(size):
    made, bits = mono()
    u, v = coordinates(300)
    found = ts.sample(made, sampler_of(size), u, v)
    wanted = [filtered(bits, size, a, b) for a, b in zip(u, v, strict=True)]
    np.testing.assert_array_equal(found, np.repeat(np.array(wanted, np.float32)[:, None], 4, 1))
    assert len(np.unique(found)) > 10


def test_a_box_of_one_texel_finds_every_texel_at_its_center():
    made, bits = mono()
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    u, v = ((x + 0.5) / WIDTH).astype(np.float32), ((y + 0.5) / HEIGHT).astype(np.float32)
    found = ts.sample(made, sampler_of((1, 1)), u, v, lod=0)
    np.testing.assert_array_equal(found, np.repeat(bits[..., None], 4, -1).astype(np.float32))


def test_the_border_is_zero_whatever_its_color():
    made = ts.Surface.from_array(np.ones((8, 32, 1), np.uint8), "MONO8", device="cpu")
    u = np.float32([0.5, 0, -1])
    found = ts.sample(made, sampler_of((4, 4), border=(1, 1, 1, 1)), u, 0.5)[:, 0]
    assert found.tolist() == [1, 0.5, 0]


@pytest.mark.constant
def test_a_state_keeps_the_filter():
    sampler = sampler_of((5, 3))
    assert ts.Sampler.from_state(sampler.state, mono_size=(5, 3)) == sampler
    assert (sampler.is_mono, ts.Sampler().is_mono) == (True, False)
    disabled = ts.Sampler.from_state(sampler.state.replace(disable=1))
    assert ts.sample(mono()[0], disabled, 0.5, 0.5).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("size", [(0, 1), (8, 1), (1,), (1.5, 2)])
def test_sizes_that_do_not_exist(size):
    with pytest.raises(ts.StateError, match="mono_size must be two integers from 1 to 7"):
        sampler_of(size)


def test_what_the_manual_does_not_allow():
    made, _ = mono()
    with pytest.raises(ts.FormatError, match="is for 2D surfaces of MONO8, found SURFTYPE_2D of R8G8B8A8_UNORM"):
        ts.sample(surface(), sampler_of((3, 3)), 0.5, 0.5)
    with pytest.raises(ts.FormatError, match="MONO8 has no channel map"):
        ts.sample(made, ts.Sampler(), 0.5, 0.5)
    with pytest.raises(
        ts.StateError, match="both filters to be MONO and the mip filter NONE, found MONO, MONO, LINEAR"
    ):
        ts.sample(made, ts.Sampler(mono_size=(3, 3), address="border"), 0.5, 0.5)
    with pytest.raises(ts.StateError, match="found LINEAR, MONO, NONE"):
        ts.sample(made, sampler_of((3, 3), mag_filter="linear"), 0.5, 0.5)
    with pytest.raises(ts.StateError, match="needs address CLAMP_BORDER on both axes, found WRAP, WRAP"):
        ts.sample(made, ts.Sampler(mono_size=(3, 3), mip_filter="none"), 0.5, 0.5)
    with pytest.raises(ts.StateError, match="needs min_lod 0"):
        ts.sample(made, sampler_of((3, 3), min_lod=1), 0.5, 0.5)
    with pytest.raises(ts.StateError, match="goes without compare, offset"):
        ts.sample(made, sampler_of((3, 3)), 0.5, 0.5, offset=(1, 0))
    with pytest.raises(ts.FormatError, match="MONO is for sample"):
        ts.gather4(surface(), sampler_of((3, 3)), 0.5, 0.5)
