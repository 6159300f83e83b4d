"""The output merger: fragments into surfaces, against the manual written out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracle import merge as oracle
from support.merging import random_case
from support.strict_arrays import StrictDevice

from texsamp import get_device
from texsamp.emulator.fixed.fragments import Found
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


def on(device, fragments, mask):
    """Fragments as those that a device has found: all of it there, some of them without samples."""
    names = ("x", "y", "slices", "samples", "depth", "viewports", "source0_alpha", "second")
    arrays = {name: getattr(fragments, name) for name in names}
    arrays["viewports"] = np.zeros(len(fragments.x), np.int32) if fragments.viewports is None else fragments.viewports
    x, y = ((int(each.min()) - 1, int(each.max()) + 2) for each in (fragments.x, fragments.y))
    return replace(
        fragments,
        **{name: None if each is None else device.upload(np.ascontiguousarray(each)) for name, each in arrays.items()},
        back=device.upload(fragments.back.astype(np.uint8)),
        colors={key: device.upload(color) for key, color in fragments.colors.items()},
        written={},
        found=Found(x, y, tuple(np.unique(fragments.slices).tolist()), int((fragments.samples & mask != 0).sum())),
    )


def test_fragments_on_a_device_merge_as_written_out_and_nothing_is_brought():
    """Pixels that several have among them: they are sorted there. Samples that passed stay there as well."""
    merged = 0
    for seed in range(200):
        case = random_case(seed)
        if case.state.samples > 1 or case.state.fast_clear or not len(case.fragments.x):
            continue
        case.fragments = replace(case.fragments, written={}, samples=case.fragments.samples & np.uint32(1))
        device = StrictDevice()
        found = on(device, case.fragments, case.state.sample_mask)
        memory = case.graphics.memory()
        merge(memory, case.state, found, device)
        assert device.downloads == 0
        assert_as_written_out(case, device, found)
        merged += 1
    assert merged > 20
