"""10:10:10:2 frames taken apart and put together: every field comes back, in its own bits."""

import numpy as np
import pytest
from support.filter_cases import nothing_else_written, padded_plane
from support.frames import random_frame, samples_of

from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.component_planes import ComponentPlanes
from texsamp.video.frame import Frame
from texsamp.video.packed10 import empty_channels, pack

PACKED = [name for name, layout in PIXEL_LAYOUTS.items() if layout.packed_element]


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("size", [(1, 1), (1, 5), (7, 1), (33, 4), (130, 3)])
def test_unpack_and_pack(size, name):
    frame = random_frame(np.random.default_rng(size), name, *size)
    channels = ComponentPlanes(frame).part()
    for component, part in frame.layout.components.items():
        assert np.array_equal(channels[component].array, samples_of(frame, component))
        assert channels[component].bits == part.bits
    again = Frame.empty(name, *size, "cpu")
    again.planes[0][...] = 0xA5A5A5A5
    pack(channels, again.planes[0], frame.layout, frame.device)
    assert np.array_equal(again.planes[0], frame.planes[0])


@pytest.mark.parametrize(("name", "field"), [("x2rgb10le", "RGBA"), ("x2bgr10le", "BGRA")])
def test_fields_from_the_top(name, field):
    """x2rgb10 is 2 unused bits, then R, G, B from the most significant bit down."""
    element = 2 << 30 | 1023 << 20 | 5 << 10 | 700
    frame = Frame.from_arrays(name, [np.array([[element]], "<u4")], 1, 1, device="cpu")
    values = {component: int(samples.array[0, 0]) for component, samples in ComponentPlanes(frame).part().items()}
    assert [values[component] for component in field] == [1023, 5, 700, 2]


@pytest.mark.parametrize("name", PACKED)
def test_nothing_beside_the_picture_is_written(name):
    rng = np.random.default_rng(3)
    plane = padded_plane(rng, 4, 9, "<u4")
    frame = Frame.from_arrays(name, [plane], 9, 4, device="cpu")
    channels = empty_channels(frame.layout, frame.device, 9, 4)
    for component, samples in channels.items():
        samples.array[...] = rng.integers(0, 1 << frame.layout.components[component].bits, (4, 9))
    with nothing_else_written([plane]):
        pack(channels, plane, frame.layout, frame.device)
    for component, samples in channels.items():
        assert np.array_equal(samples_of(frame, component), samples.array)
