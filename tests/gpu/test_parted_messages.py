"""Messages of threads on a GPU that differ in their headers, carried out part by part."""

from __future__ import annotations

import numpy as np
import pytest
from emulator import test_headers_on_device as headers
from emulator import test_media_blocks_on_device as blocks
from support import programs

from texsamp import get_device

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("instead_of_strict")]


@pytest.mark.parametrize("name", headers.MANY)
def test_threads_with_many_headers_are_answered(name, monkeypatch):
    kinds = headers.KINDS_OF.get(name, (20,))[0] + 1  # what goes the way of earlier threads is asked less
    expected = headers.run_many(name, kinds)
    monkeypatch.setattr(programs, "where_threads_run", get_device("cuda"))
    assert np.array_equal(headers.run_many(name, kinds), expected)


@pytest.fixture
def instead_of_strict(monkeypatch):
    """Tests of what stays on a device run on the GPU."""
    monkeypatch.setattr(blocks, "StrictDevice", lambda: get_device("cuda"))


globals().update({name: test for name, test in vars(blocks).items() if name.startswith("test_")})
