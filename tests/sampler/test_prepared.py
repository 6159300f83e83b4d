"""Prepared samples are what `sample` and `load` return; what needs more is not prepared."""

import numpy as np
import pytest
from support.sampling import HOSTILE, assert_equal, noise

import texsamp as ts
from texsamp.sampler.prepared import prepared_samples, prepared_texels

FORMATS = [("R8G8B8A8_UNORM", np.uint8), ("R32G32B32A32_FLOAT", np.float32), ("R16_UNORM", np.uint16)]


def surface_of(format, dtype, **options):
    channels = 1 if format == "R16_UNORM" else 4
    return ts.Surface.from_array(noise((37, 61, channels), dtype, 1), format, device="cpu", **options)


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("filter", ["nearest", "linear"])
@pytest.mark.parametrize(("format", "dtype"), FORMATS)
def test_samples_without_lods(format, dtype, filter, normalized):
    surface = surface_of(format, dtype)
    sampler = ts.Sampler(
        min_filter=filter, mag_filter=filter, mip_filter="none", address="clamp", normalized=normalized
    )
    prepared = prepared_samples(surface, sampler)
    random = np.random.default_rng(2)
    for count in (1, 700):
        u, v = np.array([random.uniform(-3, 70, count), random.choice(HOSTILE, count)], np.float32)
        assert_equal(prepared.of([u, v]), ts.sample(surface, sampler, u, v, lod=0.0))


@pytest.mark.parametrize(("format", "dtype"), FORMATS)
def test_texels_of_levels(format, dtype):
    surface = surface_of(format, dtype, mips="box")
    random = np.random.default_rng(3)
    x, y, level = (random.integers(-2, last, 500, np.int32) for last in (64, 40, 8))
    prepared = prepared_texels(surface)
    assert_equal(prepared.of([x, y, None, level]), ts.load(surface, x, y, level=level))
    assert_equal(prepared.of([x, y]), ts.load(surface, x, y))


def test_what_needs_more_is_not_prepared():
    surface, mipped = surface_of(*FORMATS[0]), surface_of(*FORMATS[0], mips="box")
    assert prepared_samples(mipped, ts.Sampler()) is None
    assert prepared_samples(surface, ts.Sampler(mag_filter="nearest", min_filter="linear")) is None
    assert prepared_samples(surface, ts.Sampler(filter="exact")) is None
