"""Attributes of objects where their vertices are, and numbers that are none in them."""

import numpy as np
import pytest
from support.drawing import here, primitives, raster_state, viewport
from support.strict_arrays import StrictDevice

from texsamp.emulator.fixed.clip import clip
from texsamp.emulator.fixed.setup import set_up
from texsamp.state.commands_3d import Topology

SIZE = 64
SLOTS = 7
ODD = [0, 0x80000000, 1, 0x3F800000, 0x7F800000, 0xFF800000, 0x7F800001, 0xFFC12345, 0x7FC00000, 0xFFFFFFFF]
NUMBERS_THAT_ARE_NONE = [
    (0x7F800001, 0x3F800000, 0x7FC00001),
    (0x3F800000, 0xFF800001, 0xFFC00001),
    (0xFFC12345, 0x7FC00002, 0xFFC12345),
    (0x7F800000, 0x7F800000, 0xFFC00000),
    (0xFF800000, 0xFF800000, 0xFFC00000),
]
"""a, b and a - b."""


def difference(a, b):
    """Bits of the attribute's a1 - a0 of a line from b to a."""
    given = primitives(
        [[2, 2, 0, 1], [9, 9, 0, 1]], np.array([[b] * 4, [a] * 4], np.uint32).view(np.float32),
        topology=Topology.LINELIST, corners=2,
    )  # fmt: skip
    return int(set_up(given, raster_state(setup={"line_width": 1.0})).setup[0, 0, 0, 0])


@pytest.mark.parametrize(("a", "b", "wanted"), NUMBERS_THAT_ARE_NONE)
def test_what_is_no_number_is_what_processors_make_of_it(a, b, wanted):
    assert difference(a, b) == wanted


def test_differences_are_those_of_this_processor():
    for a, b in [(a, b) for a in ODD for b in ODD]:
        with np.errstate(all="ignore"):
            made = np.array([a], np.uint32).view(np.float32) - np.array([b], np.uint32).view(np.float32)
        assert difference(a, b) == int(made.view(np.uint32)[0])


@pytest.mark.parametrize("seed", range(12))
def test_attributes_of_a_device_are_those_of_the_host(seed):
    """Clipped, swizzled, overridden, wrapped, flat, of sprites, in wireframe, behind the last slot."""
    rng = np.random.default_rng(seed)
    corners = seed % 3 + 1
    topology = [Topology.POINTLIST, Topology.LINELIST, Topology.TRILIST][corners - 1]
    at = rng.uniform(-1.5, 1.5, (20 * corners, 4))
    at[:, 3] = rng.uniform(0.1, 1.2, len(at))
    values = rng.uniform(-1, 1, (len(at), SLOTS - 2, 4)).astype(np.float32)
    odd = rng.random(values.shape) < 0.1
    odd[:, :2] = False  # user clip distances
    values.view(np.uint32)[odd] = rng.choice(ODD, np.count_nonzero(odd))
    entries = {
        "source_attribute": rng.integers(0, 7, 16), "swizzle_select": rng.integers(0, 4, 16),
        "constant_source": rng.integers(0, 4, 16), "wrap_shortest": rng.integers(0, 16, 16),
        **{f"override_{name}": rng.random(16) < 0.1 for name in "xyzw"},
    }  # fmt: skip
    fill = "SOLID" if seed % 2 else "WIREFRAME"
    state = raster_state(
        (SIZE, SIZE),
        clip={"enable": True, "perspective_divide_disable": False, "viewport_xy_test": True, "guardband_test": True},
        setup={"viewport_transform": True, "point_width": 3.0, "front_fill": fill},
        backend={
            "attributes": 6, "swizzle_enable": True, "constant_attributes": int(rng.integers(0, 64)),
            "sprite_attributes": int(rng.integers(0, 64)), **{name: of.tolist() for name, of in entries.items()},
        },
        viewports=[viewport((SIZE, SIZE), 1.0)],
    )  # fmt: skip
    device = StrictDevice()
    found, there = (
        set_up(clip(primitives(at, values, topology=topology, corners=corners, device=where), state), state)
        for where in (None, device)
    )
    assert len(found)
    assert device.downloaded_B < 100  # how many objects there are, and what they reach to
    assert np.array_equal(device.download(there.setup), found.setup)
    assert found.setup.shape[1:] == (6, 4, 4)


@pytest.mark.parametrize("device", [None, StrictDevice()], ids=["host", "device"])
def test_attributes_of_back_faces_behind_the_last_slot_are_zeros(device):
    """The first triangle turns clockwise, the second the other way, which takes the next slot."""
    front = [[2, 2, 0, 1], [30, 2, 0, 1], [2, 30, 0, 1]]
    header = np.tile(np.array([9, 0, 0, 0], np.uint32), (6, 1))
    given = primitives(front + front[::-1], np.arange(24).reshape(6, 1, 4) + 1, header=header, device=device)
    state = raster_state(backend={"swizzle_enable": True, "swizzle_select": [1] + [0] * 15})
    objects = set_up(given, state)
    setup = objects.setup if device is None else device.download(objects.setup)
    assert here(objects).back.tolist() == [False, True]
    assert setup[0, 0, :, 3].copy().view(np.float32).tolist() == [1, 2, 3, 4]
    assert not setup[1].any()
