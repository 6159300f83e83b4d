"""Pixel format conversion: which layout each becomes, what is exact, and which matrix and range it uses."""

from typing import Any

import av
import numpy as np
import pytest
from support.media import assert_same_samples, random_frame

from texsamp import ColorTags, Frame, MediaError
from texsamp.io.frames.av_frame import frame_of, picture_of
from texsamp.io.frames.convert import conversion_note, convert, matrix_for, nearest_layout
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS

NEAREST = {
    "yuv420p": "yuv420p",
    "yuvj420p": "yuv420p",
    "yuvj440p": "yuv444p",
    "yuv411p": "yuv422p",
    "yuvj411p": "yuv422p",
    "yuv410p": "yuv420p",
    "yuv440p": "yuv444p",
    "yuv440p12le": "yuv444p10le",
    "nv16": "yuv422p",
    "nv24": "yuv444p",
    "nv42": "yuv444p",
    "yuv420p9le": "yuv420p10le",
    "yuv422p16be": "yuv422p10le",
    "p010be": "yuv420p10le",
    "p016le": "yuv420p10le",
    "p210le": "yuv422p10le",
    "y210le": "yuv422p10le",
    "yuva420p": "yuv420p",
    "yuva444p12le": "yuv444p10le",
    "ayuv64le": "yuv444p10le",
    "gray": "gray",
    "gray9le": "gray10le",
    "gray12le": "gray10le",
    "gray16be": "gray10le",
    "grayf32le": "gray10le",
    "ya8": "gray",
    "ya16le": "gray10le",
    "monob": "gray",
    "monow": "gray",
    "pal8": "rgba",
    "rgb565le": "rgb24",
    "rgb8": "rgb24",
    "bgr24": "rgb24",
    "0rgb": "rgb24",
    "bgr0": "rgb24",
    "argb": "rgba",
    "gbrp": "rgb24",
    "gbrap": "rgba",
    "gbrp9le": "x2rgb10le",
    "gbrp10le": "x2rgb10le",
    "gbrap10le": "rgba64le",
    "gbrp12le": "rgb48le",
    "gbrp16be": "rgb48le",
    "gbrpf32le": "rgb48le",
    "bgra64le": "rgba64le",
    "xyz12le": "rgb48le",
    "bayer_rggb8": "rgb24",
    "bayer_rggb16le": "rgb48le",
}


@pytest.mark.parametrize(("pix_fmt", "layout"), NEAREST.items())
def test_every_kind_of_format_has_a_nearest_layout(pix_fmt: str, layout: str) -> None:
    assert nearest_layout(pix_fmt).name == layout


def all_pixel_formats() -> list[str]:
    """Every format that any decoder or encoder of this FFmpeg names."""
    names = set()
    for codec in av.codecs_available:
        for mode in ("r", "w"):
            try:
                names.update(f.name for f in av.Codec(codec, mode).video_formats or ())
            except ValueError:
                continue
    return sorted(names)


def test_every_format_of_every_codec_can_be_converted() -> None:
    names = all_pixel_formats()
    assert len(names) > 60
    for name in names:
        if not av.VideoFormat(name, 16, 16).components:  # a hardware surface
            with pytest.raises(MediaError, match="no pixels in memory"):
                nearest_layout(name)
            continue
        picture = av.VideoFrame(32, 16, name)
        for plane in picture.planes:
            np.frombuffer(plane, np.uint8)[:] = 0
        frame = frame_of(picture, nearest_layout(name))
        assert (frame.width_px, frame.height_px) == (32, 16), name


EXACT = [
    ("nv12", "yuv420p"),
    ("nv21", "yuv420p"),
    ("yuyv422", "yuv422p"),
    ("uyvy422", "yuv422p"),
    ("yvyu422", "yuv422p"),
    ("vyuy422", "yuv422p"),
    ("p010le", "yuv420p10le"),
    ("rgba", "bgra"),
    ("rgb24", "rgba"),
]


BOTH_WAYS = [*EXACT, *((b, a) for a, b in EXACT if (b, a) not in [("yuv422p", "vyuy422"), ("rgba", "rgb24")])]


@pytest.mark.parametrize("color_range", [None, True, False])
@pytest.mark.parametrize(("source", "target"), BOTH_WAYS)
def test_rearrangements_are_exact(source: str, target: str, color_range: bool | None) -> None:
    width = 36 if target == "p010le" else 37  # FFmpeg 8.1 leaves out the last chroma column of an odd width
    frame = random_frame(source, width, 20, color=ColorTags(full_range=color_range))
    back = frame_of(convert(picture_of(frame), target), PIXEL_LAYOUTS[target])
    for name in set(frame.layout.components) & set(back.layout.components) - {"A"}:
        assert_same_component(frame, back, name)


def test_conversion_does_not_depend_on_thread_timing() -> None:
    # Slices of an odd width overrun into the next one: on several threads this failed once in some thousand times.
    frame = random_frame("yuv422p", 37, 20)
    picture = picture_of(frame)
    for _ in range(6000):
        assert_same_component(frame, frame_of(convert(picture, "uyvy422"), PIXEL_LAYOUTS["uyvy422"]), "Y")


def assert_same_component(a: Frame, b: Frame, name: str) -> None:
    values = []
    for frame in (a, b):
        part = frame.layout.components[name]
        values.append((np.asarray(frame.component(name)) >> part.shift) & ((1 << part.bits) - 1))
    assert np.array_equal(*values), name


@pytest.mark.parametrize("pix_fmt", ["gbrp10le", "gbrp", "gbrap", "gbrap16le", "bgr24", "gray10be", "yuv420p10be"])
def test_formats_that_a_layout_can_hold_arrive_exactly(pix_fmt: str) -> None:
    layout = nearest_layout(pix_fmt)
    frame = random_frame(layout.name, 24, 10)
    there = convert(picture_of(frame), pix_fmt)
    assert_same_samples(frame, frame_of(there, layout))


def gray_picture(pix_fmt: str, full_range: int) -> av.VideoFrame:
    picture = av.VideoFrame(16, 16, pix_fmt)
    levels = np.arange(256, dtype=np.uint16).reshape(16, 16)
    plane = np.frombuffer(picture.planes[0], np.uint8)
    if pix_fmt == "gray":
        plane.reshape(16, -1)[:, :16] = levels
    else:
        plane.view("<u2").reshape(16, -1)[:, :16] = levels << 4
    picture.color_range = full_range
    return picture


@pytest.mark.parametrize("color_range", [0, 1, 2])
@pytest.mark.parametrize(("source", "target"), [("gray", "yuv420p"), ("gray", "yuv444p"), ("gray12le", "gray10le")])
def test_luma_keeps_its_range_between_gray_and_yuv(source: str, target: str, color_range: int) -> None:
    result = frame_of(gray_picture(source, color_range), PIXEL_LAYOUTS[target])
    levels = np.arange(256).reshape(16, 16)
    if "10" in target:
        assert np.abs(result.planes[0].astype(int) - (levels << 2)).max() <= 1  # FFmpeg dithers
    else:
        assert np.array_equal(result.planes[0], levels)
    assert result.color.matrix == 2  # still unknown
    for plane in result.planes[1:]:
        assert (np.asarray(plane) == 128).all()


@pytest.mark.parametrize("full", [True, False])
def test_gray_is_displayed_by_its_range(full: bool) -> None:
    frame = Frame.from_arrays(
        "gray", [np.full((16, 16), 16, np.uint8)], 16, 16, "cpu", color=ColorTags(full_range=full)
    )
    rgb = frame_of(picture_of(frame), PIXEL_LAYOUTS["rgb24"])
    assert (np.asarray(rgb.planes[0]) == (16 if full else 0)).all()


def test_rgb_becomes_full_range_gray() -> None:
    frame = Frame.from_arrays("rgb24", [np.full((16, 48), 255, np.uint8)], 16, 16, "cpu")
    gray = frame_of(picture_of(frame), PIXEL_LAYOUTS["gray"])
    assert (np.asarray(gray.planes[0]) == 255).all()
    assert gray.color.full_range is True


KR_KB = {1: (0.2126, 0.0722), 6: (0.299, 0.114), 9: (0.2627, 0.0593)}


def rgb_of(y: float, u: float, v: float, matrix: int, full: bool) -> np.ndarray:
    """ITU-T H.273 equations, 8 bits."""
    kr, kb = KR_KB[matrix]
    luma = y / 255 if full else (y - 16) / 219
    cb, cr = ((c - 128) / (255 if full else 224) for c in (u, v))
    r, b = luma + 2 * (1 - kr) * cr, luma + 2 * (1 - kb) * cb
    g = (luma - kr * r - kb * b) / (1 - kr - kb)
    return np.clip(np.array([r, g, b]) * 255, 0, 255)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("matrix", [1, 6, 9, 2])
@pytest.mark.parametrize("color", [(120, 90, 160), (60, 140, 110), (200, 128, 128)], ids=str)
def test_rgb_follows_the_matrix_and_range_of_the_tags(color: tuple[int, ...], matrix: int, full: bool) -> None:
    planes = [np.full((16, 16), value, np.uint8) for value in color]
    frame = Frame.from_arrays("yuv444p", planes, 16, 16, "cpu", color=ColorTags(matrix=matrix, full_range=full))
    result = frame_of(picture_of(frame), PIXEL_LAYOUTS["rgb24"], color=frame.color)
    expected = rgb_of(*color, 6 if matrix == 2 else matrix, full)  # unknown: BT.601 below 720 rows
    assert np.abs(result.planes[0].reshape(-1, 3) - expected).max() <= 2
    assert (result.color.matrix, result.color.full_range) == (0, True)
    assert frame_of(picture_of(frame), frame.layout, color=frame.color).color == frame.color


@pytest.mark.parametrize(("height", "matrix"), [(576, 6), (719, 6), (720, 1), (1080, 1)])
def test_unknown_matrix_depends_on_the_height(height: int, matrix: int) -> None:
    assert matrix_for(2, height) == matrix
    assert matrix_for(9, height) == 9
    picture = av.VideoFrame(16, height, "rgb24")
    np.frombuffer(picture.planes[0], np.uint8)[:] = 90
    result = convert(picture, "yuv444p")
    assert (result.colorspace, result.color_range) == (matrix, 1)


@pytest.mark.parametrize(
    ("source", "target", "note"),
    [
        ("yuv440p", "yuv444p", "yuv440p is converted to yuv444p"),
        (
            "yuva420p16le",
            "yuv420p10le",
            "yuva420p16le is converted to yuv420p10le (16 bits become 10, alpha is dropped)",
        ),
        ("gbrp10le", "x2rgb10le", "gbrp10le is converted to x2rgb10le"),
    ],
)
def test_notes_say_what_is_lost(source: str, target: str, note: str) -> None:
    assert conversion_note(source, target) == note


@pytest.mark.parametrize(
    "use", [lambda: nearest_layout("nonsense"), lambda: convert(av.VideoFrame(4, 4, "gray"), "nonsense")]
)
def test_unknown_formats_are_named(use: Any) -> None:
    with pytest.raises(MediaError, match="pixel format 'nonsense' is unknown"):
        use()


def test_converting_to_the_same_format_is_the_same_picture() -> None:
    picture = av.VideoFrame(16, 16, "yuv420p")
    assert convert(picture, "yuv420p") is picture
