"""Arguments of a sample as one value: every function that takes them takes the same ones, or says which it does not."""

import inspect

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
