"""The output merger on a GPU leaves the CPU's bytes."""

from __future__ import annotations

import pytest
from support.merging import random_case

from texsamp import get_device
from texsamp.emulator.fixed.merge import merge

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("seed", [1, 2, 5, 11])
def test_surfaces_are_the_cpus(seed):
    case = random_case(seed, count=40)
    left = []
    for device in ("cpu", "cuda"):
        memory = case.graphics.memory()
        merged = merge(memory, case.state, case.fragments, get_device(device))
        places = [*case.targets.values(), *(each for each in (case.depth, case.stencil) if each is not None)]
        left.append([merged.samples.tolist(), *(bytes(memory.bytes_from(placed.address)) for placed in places)])
    assert left[0] == left[1]
    assert any(left[0][0])
