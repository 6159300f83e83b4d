"""Frames: what planes they accept, and what survives a change of pixels or device."""

import copy
from fractions import Fraction

import numpy as np
import pytest
from support.filter_cases import padded_plane

from texsamp.errors import FormatError
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.frame import ColorTags, Frame
from texsamp.video.samples import Samples


def planes_of(name, width, height):
    rng = np.random.default_rng(1)
    layout = PIXEL_LAYOUTS[name]
    return [
        rng.integers(0, np.iinfo(layout.dtype).max, layout.plane_shape(i, width, height), layout.dtype, endpoint=True)
        for i in range(layout.plane_count)
    ]


@pytest.mark.parametrize("name", PIXEL_LAYOUTS)
@pytest.mark.parametrize("size", [(1, 1), (5, 3), (8, 8)])
def test_frames_over_arrays_and_empty_ones(name, size):
    planes = planes_of(name, *size)
    frame = Frame.from_arrays(name, planes, *size, device="cpu")
    assert all(np.array_equal(a, b) for a, b in zip(frame.to_arrays(), planes, strict=True))
    assert all(a is b for a, b in zip(frame.planes, planes, strict=True))  # not copied
    empty = Frame.empty(name, *size, device="cpu")
    assert [plane.shape for plane in empty.planes] == [plane.shape for plane in planes]
    for component in frame.layout.components:
        columns, rows = frame.layout.component_size(component, *size)
        assert frame.component(component).shape == (rows, columns)


def test_a_component_that_is_not_there_is_named():
    frame = Frame.from_arrays("gray", [np.zeros((4, 4), np.uint8)], 4, 4, "cpu")
    with pytest.raises(FormatError, match="components of gray are Y, found 'U'"):
        frame.component("U")


def test_components_are_views_of_their_elements():
    frame = Frame.from_arrays("yuyv422", planes_of("yuyv422", 5, 3), 5, 3, device="cpu")
    plane = frame.planes[0]
    assert np.array_equal(frame.component("Y"), plane[:, [0, 2, 4, 6, 8]])
    assert np.array_equal(frame.component("U"), plane[:, [1, 5, 9]])
    assert np.array_equal(frame.component("V"), plane[:, [3, 7, 11]])


def test_rows_may_be_padded():
    plane = padded_plane(np.random.default_rng(2), 3, 5, "u1")
    assert Frame.from_arrays("gray", [plane], 5, 3, device="cpu").planes[0] is plane
    turned_over = plane[::-1]
    assert Frame.from_arrays("gray", [turned_over], 5, 3, device="cpu").planes[0] is turned_over


@pytest.mark.parametrize(
    ("planes", "message"),
    [
        ([np.zeros((3, 5), "u1")] * 2, "planes of a gray frame must be 1, found 2"),
        ([np.zeros((3, 4), "u1")], r"plane 0 of a 5x3 gray frame must be \(3, 5\) uint8, found \(3, 4\) uint8"),
        ([np.zeros((3, 5), "u2")], r"must be \(3, 5\) uint8, found \(3, 5\) uint16"),
        (
            [np.zeros((3, 10), "u1")[:, ::2]],
            "elements of a row must be contiguous: plane 0 has 1-byte elements 2 bytes",
        ),
        ([np.zeros((5, 3), "u1").T], "elements of a row must be contiguous: plane 0 has 1-byte elements 3 bytes"),
        (
            [np.zeros((3, 5), "u1")[:, ::-1]],
            r"contiguous: plane 0 has 1-byte elements -1 bytes apart; numpy\.ascontiguousarray",
        ),
    ],
)
def test_wrong_planes_are_refused(planes, message):
    with pytest.raises(FormatError, match=message):
        Frame.from_arrays("gray", planes, 5, 3, device="cpu")


def test_elements_of_the_other_byte_order_are_refused():
    with pytest.raises(FormatError, match=r"must be \(3, 5\) uint16, found \(3, 5\) >u2"):
        Frame.from_arrays("gray10le", [np.zeros((3, 5), ">u2")], 5, 3, device="cpu")


@pytest.mark.parametrize("size", [(0, 3), (3, 0), (-1, 2), (1.0, 1), (1, float("nan")), (True, 1)])
def test_empty_pictures_are_refused(size):
    with pytest.raises(FormatError, match=rf"at least 1x1, found {size[0]}x{size[1]}"):
        Frame.empty("gray", *size, device="cpu")
    with pytest.raises(FormatError, match="at least 1x1"):
        Frame.from_arrays("gray", [np.zeros((1, 1), "u1")], *size, device="cpu")


def test_other_pixels_keep_the_moment():
    properties = dict(
        pts=7,
        duration=2,
        time_base=Fraction(1, 50),
        interlaced=True,
        top_field_first=True,
        repeat_fields=1,
        sample_aspect=Fraction(16, 15),
        color=ColorTags(matrix=1, full_range=False, chroma_location=3),
    )
    frame = Frame.from_arrays("gray", [np.zeros((3, 5), "u1")], 5, 3, device="cpu", **properties)
    other = frame.like(2, 2, [np.zeros((2, 2), "u1")])
    assert {key: getattr(other, key) for key in properties} == properties
    assert (other.width_px, other.height_px, other.layout) == (2, 2, frame.layout)
    assert frame.to("cpu") is frame


def test_what_is_told_of_a_frame_leaves_its_pixels_and_other_pixels_have_samples_of_their_own():
    frame = Frame.empty("yuv420p", 16, 8, "cpu")
    luma = Samples.of(frame, "Y")
    told = frame.told(pts=7)
    assert (told.pts, frame.pts) == (7, None)
    assert Samples.of(told, "Y") is luma
    other = frame.like(16, 8, [np.zeros_like(plane) for plane in frame.planes])
    assert Samples.of(other, "Y").array is other.planes[0]
    assert Samples.of(other, "Y").address(other.device) != luma.address(frame.device)
    copied = copy.deepcopy(luma)
    assert copied.array is not luma.array
    assert copied.address(frame.device) == frame.device.address(copied.array)


def test_a_plane_is_an_array_and_a_frame_says_that_it_is_none():
    frame = Frame.from_arrays("nv12", planes_of("nv12", 5, 4), 5, 4, "cpu")
    assert np.shares_memory(np.asarray(frame.plane(1)), frame.planes[1])
    assert np.shares_memory(np.from_dlpack(frame.plane(0)), frame.planes[0])
    for convert in (np.asarray, np.array, np.sum):
        with pytest.raises(TypeError, match=r"a nv12 frame is no single array: take np.asarray\(frame.plane\(0\)\)"):
            convert(frame)
    for index in (-1, 2):
        with pytest.raises(FormatError, match=f"planes of nv12 are 0 to 1, found {index}"):
            frame.plane(index)
