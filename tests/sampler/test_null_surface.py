"""Everything read from a null surface is 0 (seed 003:1985-2009)."""

import numpy as np
import pytest

import texsamp as ts
from texsamp.state.render_surface import RenderSurfaceState

NULL = ts.NullSurface("cpu")
PLACES = np.random.default_rng(0).random((3, 6, 8), np.float32)
BORDER = ts.Sampler(address="border", border=(1, 1, 1, 1), shadow="never")


def assert_zeros(found, shape, dtype):
    assert (found.shape, found.dtype) == (shape, np.dtype(dtype))
    assert not found.any()


@pytest.mark.constant
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_samples_are_zero_whatever_the_sampler_says(axes):
    at = PLACES[:axes]
    assert_zeros(ts.sample(NULL, BORDER, *at), (6, 8, 4), np.float32)
    assert_zeros(ts.sample(NULL, BORDER, *at, lod=3, compare=0.5, layer=2, offset=(1, 1, 1)), (6, 8, 4), np.float32)
    assert_zeros(ts.sample(NULL, BORDER, *at, dtype=np.uint8), (6, 8, 4), np.uint8)
    assert_zeros(ts.query_lod(NULL, BORDER, *at), (6, 8, 2), np.float32)
    keyed = ts.Sampler(chroma_key=((0, 0, 0, 0), (255, 255, 255, 255)))
    values, killed = ts.sample_killpix(NULL, keyed, *at)
    assert_zeros(values, (6, 8, 4), np.float32)
    assert_zeros(killed, (6, 8), np.bool_)
    mono = ts.Sampler(mono_size=(3, 3), address="border", mip_filter="none")
    assert_zeros(ts.sample(NULL, mono, *at), (6, 8, 4), np.float32)


@pytest.mark.constant
def test_gathers_and_loads_are_zero():
    assert_zeros(ts.gather4(NULL, BORDER, PLACES[0], 0.5, channel="a"), (6, 8, 4), np.float32)
    x = np.arange(-2, 5)
    assert_zeros(ts.load(NULL, x, 1, level=7), (7, 4), np.float32)
    assert_zeros(ts.load(NULL, x, 1, sample=2, mcs=0xFF, clear_color=(1, 1, 1, 1)), (7, 4), np.float32)
    assert_zeros(ts.load_mcs(NULL, x, 0), (7, 4), np.uint32)


def test_a_null_surface_has_no_size_and_no_samples():
    assert_zeros(ts.resinfo(NULL, [0, 1, -1]), (3, 4), np.uint32)
    assert_zeros(ts.resinfo(NULL), (4,), np.uint32)
    assert_zeros(ts.sampleinfo(NULL, 3), (4,), np.uint32)


def test_its_state_says_so_and_describes_no_memory():
    state = NULL.state
    assert state.surface_type.name == "SURFTYPE_NULL"
    assert RenderSurfaceState.unpack(state.pack()) == state
    with pytest.raises(ts.StateError, match="NullSurface"):
        ts.Surface.from_memory(bytes(64), state, device="cpu")
    assert ts.NullSurface("cpu") == NULL


def test_what_is_refused():
    with pytest.raises(ts.FormatError, match="shape"):
        ts.sample(NULL, BORDER, PLACES[0], PLACES[0, :3])
    with pytest.raises(ts.FormatError, match="float64"):
        ts.sample(NULL, BORDER, 0.5, dtype=np.float64)
