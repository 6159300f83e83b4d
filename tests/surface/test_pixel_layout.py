"""Pixel layouts against FFmpeg's own descriptions, and the arithmetic of sizes."""

import av
import numpy as np
import pytest

from texsamp.errors import FormatError
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS, pixel_layout

LAYOUTS = list(PIXEL_LAYOUTS.values())
IN_FFMPEG = [layout for layout in LAYOUTS if layout.name != "vyuy422"]
NAMES = {"yuv": "YUVA", "rgb": "RGBA", "gray": "YA"}


@pytest.mark.parametrize("layout", IN_FFMPEG, ids=lambda layout: layout.name)
def test_layouts_are_those_of_ffmpeg(layout):
    """Planes, depths and subsampling; FFmpeg knows the alpha of 10:10:10:2 only as two unused bits."""
    known = av.VideoFormat(layout.name, 16, 16)
    components = dict(zip(NAMES[layout.model], known.components, strict=False))
    assert set(layout.components) - set(components) <= {"A"}
    assert set(components) <= set(layout.components)
    for name, part in components.items():
        ours = layout.components[name]
        assert (ours.plane, ours.bits) == (part.plane, part.bits), name
        assert layout.component_size(name, 16, 16) == (part.width, part.height), name
    assert known.is_rgb == (layout.model == "rgb")
    assert not known.is_big_endian


@pytest.mark.parametrize("layout", IN_FFMPEG, ids=lambda layout: layout.name)
@pytest.mark.parametrize("size", [(1, 1), (2, 2), (3, 5), (16, 9), (7, 2)])
def test_rows_are_as_long_as_ffmpeg_stores_them(layout, size):
    frame = av.VideoFrame(*size, layout.name)
    for index, plane in enumerate(frame.planes):
        rows, elements = layout.plane_shape(index, *size)
        assert rows <= plane.height
        assert elements * layout.dtype.itemsize <= plane.line_size
    assert layout.plane_count == len(frame.planes)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
@pytest.mark.parametrize("size", [(1, 1), (2, 2), (3, 5), (8, 6)])
def test_components_fill_their_planes_without_meeting(layout, size):
    """Every bit of every element belongs to at most one sample; only the last element of packed 4:2:2 may be spare."""
    used = [np.zeros(layout.plane_shape(i, *size), dtype=np.int64) for i in range(layout.plane_count)]
    for name, part in layout.components.items():
        columns, rows = layout.component_size(name, *size)
        elements = used[part.plane][:rows, part.offset :: part.step][:, :columns]
        assert elements.shape == (rows, columns)
        mask = ((1 << part.bits) - 1) << part.shift
        assert not (elements & mask).any()
        elements |= mask
    for plane in used:
        empty = np.argwhere(plane == 0)
        assert len(empty) in (0, plane.shape[0])
        assert layout.has_spare_elements(size[0]) == bool(len(empty))
        if len(empty):
            assert (size[0] % 2, layout.components["Y"].step) == (1, 2)


# One pixel (or pair) of known color, as FFmpeg's byte order says: layout -> bytes of the sample named.
PACKED_BYTES = {
    "yuyv422": {"Y": [0, 2], "U": [1], "V": [3]},
    "yvyu422": {"Y": [0, 2], "U": [3], "V": [1]},
    "uyvy422": {"Y": [1, 3], "U": [0], "V": [2]},
    "vyuy422": {"Y": [1, 3], "U": [2], "V": [0]},
    "rgba": {"R": [0], "G": [1], "B": [2], "A": [3]},
    "bgra": {"R": [2], "G": [1], "B": [0], "A": [3]},
    "rgb24": {"R": [0], "G": [1], "B": [2]},
    "nv12": {"U": [0], "V": [1]},
    "nv21": {"U": [1], "V": [0]},
}


@pytest.mark.parametrize("name", PACKED_BYTES)
def test_orders_of_packed_samples(name):
    layout = pixel_layout(name)
    for component, where in PACKED_BYTES[name].items():
        part = layout.components[component]
        assert [part.offset + i * part.step for i in range(len(where))] == where


def test_10_10_10_2_has_its_fields_where_ffmpeg_has_them():
    """A pure color converted by FFmpeg shows which ten bits are red."""
    for name, shifts in (("x2rgb10le", (20, 10, 0)), ("x2bgr10le", (0, 10, 20))):
        layout = pixel_layout(name)
        assert [layout.components[c].shift for c in "RGBA"] == [*shifts, 30]
        for channel, component in enumerate("RGB"):
            pixels = np.zeros((2, 2, 3), dtype=np.uint8)
            pixels[..., channel] = 255
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24").reformat(format=name)
            element = int(np.frombuffer(bytes(frame.planes[0]), "<u4")[0])
            fields = {c: element >> layout.components[c].shift & 1023 for c in "RGB"}
            assert fields[component] >= 1020
            assert max(value for c, value in fields.items() if c != component) <= 3


def test_chroma_rounds_up():
    layout = pixel_layout("yuv420p")
    assert layout.component_size("U", 1, 1) == (1, 1)
    assert layout.component_size("V", 5, 3) == (3, 2)
    assert pixel_layout("yuv422p").component_size("U", 5, 3) == (3, 3)
    assert pixel_layout("yuyv422").plane_shape(0, 5, 3) == (3, 12)
    assert pixel_layout("nv12").plane_shape(1, 5, 3) == (2, 6)


def test_depths():
    assert {layout.bits for layout in LAYOUTS} == {8, 10, 16}
    assert pixel_layout("p010le").max_value == 1023
    assert pixel_layout("x2rgb10le").packed_element
    assert not pixel_layout("rgba").packed_element


def test_unknown_formats_are_refused():
    with pytest.raises(FormatError, match="pixel format 'yuv421p' is not one of gray, gray10le, yuv420p"):
        pixel_layout("yuv421p")
