"""The output merger: fragments into surfaces, against the manual written out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from oracle import merge as oracle
from support.merging import found_on, random_case
from support.strict_arrays import StrictDevice

from texsamp import get_device
from texsamp.emulator.fixed.merge import merge

CPU = get_device("cpu")


def plane_of(placed, memory):
    """The oracle's plane, over a copy of the surface's memory."""
    if placed is None:
        return None
    held = bytearray(memory.bytes_from(placed.address))
    return oracle.Plane(held, placed.layout, placed.level, placed.first_slice, placed.slices, placed.offset)


def assert_as_written_out(case, device=CPU, fragments=None):
    """Whether the merger leaves what the oracle leaves: passed samples, and every byte of all surfaces.

    fragments: the same as the case's, but on the device.
    """
    memory = case.graphics.memory()
    planes = {key: plane_of(placed, memory) for key, placed in case.targets.items()}
    depth, stencil = plane_of(case.depth, memory), plane_of(case.stencil, memory)
    infos = {key: placed.layout.description.info for key, placed in case.targets.items()}
    expected = oracle.merge(case.state, case.fragments, infos, planes, depth, stencil)
    merged = merge(memory, case.state, case.fragments if fragments is None else fragments, device)
    assert device.download(merged.samples).tolist() == expected
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


def test_fragments_on_a_device_merge_as_written_out_and_nothing_is_brought():
    """Pixels that several have among them: they are sorted there. Samples that passed stay there as well."""
    merged = {1: 0, 4: 0, 8: 0}
    for seed in range(200):
        case = random_case(seed)
        if not len(case.fragments.x):
            continue
        case.fragments = replace(case.fragments, written={})
        device = StrictDevice()
        found = found_on(device, case.fragments, case.state)
        memory = case.graphics.memory()
        merge(memory, case.state, found, device)
        assert device.downloads == 0
        assert_as_written_out(case, device, found)
        merged[case.state.samples] += 1
    assert min(merged.values()) > 20
