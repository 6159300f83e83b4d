"""Arguments of a sample as one value: every function that takes them takes the same ones, or says which it does not."""

import inspect
import warnings

import numpy as np
import pytest

import texsamp as ts
from texsamp.sampler.sample import sample
from texsamp.sampler.sample_arguments import SampleArguments

FLAT = ts.Surface.from_array(np.full((4, 4, 4), 77, np.uint8), "R8G8B8A8_UNORM", device="cpu")


def parameters(thing):
    return {name: each.default for name, each in inspect.signature(thing).parameters.items()}


def test_sample_names_every_argument_with_its_default():
    named = parameters(sample)
    assert list(named)[:2] == ["surface", "sampler"]
    assert dict(list(named.items())[2:]) == parameters(SampleArguments)


def test_killpix_does_not_compare_and_verify_takes_no_dtype():
    with pytest.raises(ts.TexsampError, match="without compare"):
        ts.sample_killpix(FLAT, ts.Sampler(), 0.5, 0.5, compare=0.5)
    with pytest.raises(ts.TexsampError, match="without dtype"):
        ts.verify(FLAT, ts.Sampler(), 0.5, 0.5, result=np.zeros(4), dtype=np.uint8)


@pytest.mark.parametrize("function", [sample, ts.sample_killpix, ts.verify])
def test_an_argument_that_does_not_exist_is_named(function):
    more = {"result": np.zeros(4)} if function is ts.verify else {}
    with pytest.raises(TypeError, match="levl"):
        function(FLAT, ts.Sampler(), 0.5, 0.5, levl=1, **more)


def test_numbers_beyond_float32_are_infinite_without_a_warning():
    far = np.array([1e300, -1e300])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = sample(FLAT, ts.Sampler(), far, far)
    assert np.array_equal(made, sample(FLAT, ts.Sampler(), np.sign(far) * np.inf, np.sign(far) * np.inf))


def test_empty_lists_are_coordinates_of_nothing():
    assert ts.load(FLAT, [], []).shape == (0, 4)
    with pytest.raises(ts.FormatError, match="x must be integers, found float64"):
        ts.load(FLAT, np.zeros(0), np.zeros(0))


@pytest.mark.parametrize(
    "function",
    [
        ts.double_size,
        lambda array: ts.panorama_to_cube(array, "equirectangular"),
        lambda array: ts.cube_to_panorama(array, "octahedral"),
    ],
)
def test_an_array_is_no_surface(function):
    with pytest.raises(ts.StateError, match="surface must be a Surface, found ndarray"):
        function(np.zeros((4, 8, 4), np.uint8))
