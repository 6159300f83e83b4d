"""Every test of the sampler sees results that are not all the same number, unless it says that they should be."""

import numpy as np
import pytest

import texsamp as ts

FUNCTIONS = ("sample", "sample_killpix", "gather4", "load", "load_mcs", "query_lod")


@pytest.fixture(autouse=True)
def results_vary(request, monkeypatch):
    """Fails a test all of whose results are constant: it would pass on a sampler that does nothing."""
    seen = []

    def watched(function):
        def call(*arguments, **options):
            result = function(*arguments, **options)
            first = np.asarray(result[0] if isinstance(result, tuple) else result)
            if first.size:
                seen.append(bool((first != first.flat[0]).any()))
            return result

        return call

    for name in FUNCTIONS:
        monkeypatch.setattr(ts, name, watched(getattr(ts, name)))
    yield
    if seen and not request.node.get_closest_marker("constant"):
        assert any(seen), "all results are constant; mark the test as constant if they should be"
