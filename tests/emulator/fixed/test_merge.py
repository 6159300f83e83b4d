"""The output merger: fragments into surfaces, against the manual written out."""

from __future__ import annotations

import pytest
from oracle import merge as oracle
from support.merging import random_case

from texsamp import get_device
from texsamp.emulator.fixed.merge import merge

CPU = get_device("cpu")


def plane_of(placed, memory):
    """The oracle's plane, over a copy of the surface's memory."""
    if placed is None:
        return None
    held = bytearray(memory.bytes_from(placed.address))
    return oracle.Plane(held, placed.layout, placed.level, placed.first_slice, placed.slices, placed.offset)


def assert_as_written_out(case, device=CPU):
    """Whether the merger leaves what the oracle leaves: passed samples, and every byte of all surfaces."""
    memory = case.graphics.memory()
    planes = {key: plane_of(placed, memory) for key, placed in case.targets.items()}
    depth, stencil = plane_of(case.depth, memory), plane_of(case.stencil, memory)
    infos = {key: placed.layout.description.info for key, placed in case.targets.items()}
    expected = oracle.merge(case.state, case.fragments, infos, planes, depth, stencil)
    merged = merge(memory, case.state, case.fragments, device)
    assert merged.samples.tolist() == expected
    assert merged.passed == sum(bin(mask).count("1") for mask in expected)
    for placed, plane in zip(
        [*case.targets.values(), case.depth, case.stencil], [*planes.values(), depth, stencil], strict=True
    ):
        if placed is not None:
            found = bytes(memory.bytes_from(placed.address))
            assert found == bytes(plane.memory), placed.layout


@pytest.mark.parametrize("seed", range(40))
def test_any_state_merges_as_written_out(seed):
    assert_as_written_out(random_case(seed))
