"""The tests of this folder run on a GPU where one is, else on a stand-in that executes the kernels' PTX."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.pretended_cuda import pretended_cuda

from texsamp.device.cuda import why_no_cuda


@pytest.fixture(scope="module", autouse=True)
def a_device() -> Iterator[None]:
    if why_no_cuda() is None:
        yield
    else:
        with pretended_cuda():
            yield
