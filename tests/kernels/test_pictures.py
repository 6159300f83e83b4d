"""The pictures that sanitizers run reach every kernel of the modules they touch."""

import pytest
from pictures import CASES, ExactDevice

from texsamp.device.sources import kernel_modules, kernels_by_name


@pytest.fixture(scope="module")
def launched():
    names = set()

    class Recorder(ExactDevice):
        def launch(self, *launches):
            names.update(launch.kernel for launch in launches)
            super().launch(*launches)

    for case in CASES:
        case.run(Recorder())
    return names


ELSEWHERE = {"blocks_astc", "eu"}
"""Modules with kernels that only tests of their own reach."""


@pytest.mark.slow
@pytest.mark.parametrize("module", sorted(set(kernel_modules()) - ELSEWHERE))
def test_every_kernel_is_launched(launched, module):
    missing = {kernel for kernel, where in kernels_by_name().items() if where == module} - launched
    assert not missing, f"no case launches {sorted(missing)}: add one to tests/pictures, and to its __init__.py"
