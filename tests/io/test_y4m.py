"""YUV4MPEG2: what FFmpeg and we exchange, every header field, and hostile input."""

import io
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.media import av_picture, random_frames

from texsamp import ColorTags, MediaError
from texsamp.io import VideoReader, VideoWriter
from texsamp.io.input.y4m import MAX_FRAME_B, MAX_HEADER_B, MAX_SIDE_PX, Y4mSource, parse_header

GOOD = b"YUV4MPEG2 W4 H2 F25:1 Ip A1:1 C420jpeg\n"
FRAME = b"FRAME\n" + bytes(range(12))


def source(data: bytes) -> Y4mSource:
    return Y4mSource(io.BytesIO(data), "test")


def header(text: str) -> Any:
    return parse_header(f"YUV4MPEG2 {text}".encode(), "test")


def test_planes_are_the_bytes_of_the_file() -> None:
    (frame,) = source(GOOD + FRAME).frames()
    assert [plane.tolist() for plane in frame.planes] == [[[0, 1, 2, 3], [4, 5, 6, 7]], [[8, 9]], [[10, 11]]]
    assert not any(plane.flags.writeable for plane in frame.planes)
    assert (frame.pts, frame.duration, frame.time_base, frame.sample_aspect) == (0, 1, Fraction(1, 25), 1)


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("W4 H2 F30000:1001", "frame_rate", Fraction(30000, 1001)),
        ("W4 H2 F0:0", "frame_rate", None),
        ("W4 H2", "frame_rate", None),
        ("W4 H2 A16:11", "sample_aspect", Fraction(16, 11)),
        ("W4 H2 A0:0", "sample_aspect", None),
        ("W4 H2 It", "interlace", "tff"),
        ("W4 H2 Ib", "interlace", "bff"),
        ("W4 H2 Ip", "interlace", "progressive"),
        ("W4 H2 I?", "interlace", "unknown"),
        ("W4 H2", "pix_fmt", "yuv420p"),
        ("W4 H2 C422", "pix_fmt", "yuv422p"),
        ("W4 H2 C444p10 XYSCSS=444P10", "pix_fmt", "yuv444p10le"),
        ("W4 H2 Cmono", "pix_fmt", "gray"),
        ("W4 H2 C420paldv", "chroma_location", 3),
        ("W4 H2 C420mpeg2", "chroma_location", 1),
        ("W4 H2 C420jpeg", "chroma_location", 2),
        ("W4 H2 XCOLORRANGE=FULL", "full_range", True),
        ("W4 H2 XCOLORRANGE=LIMITED", "full_range", False),
        ("W4 H2 XSOMETHING=ELSE Zunknown", "full_range", None),
        ("H2  W4", "width_px", 4),
        ("W4 H2 XYSCSS=420JPEG XYSCSS=420JPEG XX", "width_px", 4),
    ],
)
def test_header_fields(text: str, field: str, value: Any) -> None:
    assert getattr(header(text), field) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("W4", "has no height"),
        ("H4", "has no width"),
        ("W0 H2", f"width must be 1 to {MAX_SIDE_PX}, found '0'"),
        ("W-4 H2", "width must be 1 to"),
        ("W4 H32769", f"height must be 1 to {MAX_SIDE_PX}, found '32769'"),
        ("W99999999999999999999 H2", "width must be 1 to"),
        ("W4.5 H2", "width must be 1 to .*, found '4.5'"),
        ("W\xb2 H2", "width must be 1 to"),
        ("W4 H2 F25", r"F \(frame rate\) must be two numbers N:D, found '25'"),
        ("W4 H2 F-25:1", "must be two numbers"),
        ("W4 H2 F9999999999:1", "is limited to 2147483647"),
        ("W4 H2 A1:x", r"A \(sample aspect\) must be two numbers"),
        ("W4 H2 Ix", "interlacing must be one of p t b m"),
        ("W4 H2 W6", "gives W twice, the second time '6'"),
        ("W4 H2 F25:1 F30:1", "gives F twice"),
        ("W4 H2 C420 C422", "gives C twice"),
        ("W4 H2 XCOLORRANGE=FULL XCOLORRANGE=LIMITED", "gives XCOLORRANGE twice"),
        ("W4 H2 C421", "color space '421' is not one of 420, 420jpeg"),
    ],
)
def test_bad_headers_name_the_field_and_its_value(text: str, message: str) -> None:
    with pytest.raises(MediaError, match=message):
        parse_header(f"YUV4MPEG2 {text}".encode("latin-1"), "test")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "ends inside a y4m stream header|not a YUV4MPEG2"),
        (b"RIFF", "not a YUV4MPEG2 stream, it starts with b'RIFF'"),
        (b"YUV4MPEG2 W4 H2", "ends inside a y4m stream header"),
        (b"YUV4MPEG2 " + b"X" * MAX_HEADER_B + b"\n", f"stream header is limited to {MAX_HEADER_B} bytes"),
        (b"YUV4MPEG2 W32768 H32768 C444p16\n", f"frame is limited to {MAX_FRAME_B} bytes, found 6442450944"),
    ],
)
def test_bad_streams_are_refused_before_anything_is_allocated(data: bytes, message: str) -> None:
    with pytest.raises(MediaError, match=message):
        source(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"FRAME", "ends inside a y4m frame header"),
        (b"FRAMES\n" + bytes(12), "frame 0 must begin with FRAME, found b'FRAMES'"),
        (b"FRAME\n" + bytes(11), "ends inside y4m frame 0: 12 bytes are needed, found 11"),
        (FRAME + b"FRAME " + b"x" * MAX_HEADER_B + b"\n", "frame header is limited to"),
        (FRAME + b"\xff\n", "frame 1 must begin with FRAME"),
        (b"FRAME Iq\n" + bytes(12), "frame 0 has unknown interlacing 'q'"),
        (b"FRAME Itx\n" + bytes(12), "frame 0 has unknown interlacing 'tx'"),
    ],
)
def test_bad_frames_are_named_by_number(data: bytes, message: str) -> None:
    with pytest.raises(MediaError, match=message):
        list(source(GOOD + data).frames())


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        ("tip", (True, True, 0)),
        ("Tpp", (False, True, 1)),
        ("bii", (True, False, 0)),
        ("Bpp", (False, False, 1)),
        ("1pp", (False, None, 0)),
        ("2pp", (False, None, 2)),
        ("3pp", (False, None, 4)),
    ],
)
def test_mixed_streams_say_per_frame_how_it_is_shown(parameter: str, expected: tuple[Any, ...]) -> None:
    data = GOOD.replace(b"Ip", b"Im") + f"FRAME I{parameter}\n".encode() + bytes(12)
    (frame,) = source(data).frames()
    assert (frame.interlaced, frame.top_field_first, frame.repeat_fields) == expected
    with pytest.raises(MediaError, match="frame 0 of a mixed stream does not say"):
        list(source(GOOD.replace(b"Ip", b"Im") + FRAME).frames())


@settings(max_examples=300, deadline=None)
@given(
    head=st.binary(max_size=60),
    position=st.integers(0, len(GOOD) + 2 * len(FRAME)),
    cut=st.integers(0, 20),
    junk=st.binary(max_size=20),
)
def test_damaged_streams_give_frames_or_a_media_error(head: bytes, position: int, cut: int, junk: bytes) -> None:
    whole = GOOD + FRAME + FRAME
    for data in (whole[:position] + junk + whole[position + cut :], b"YUV4MPEG2 " + head, head):
        try:
            for frame in source(data).frames():
                assert frame.width_px <= MAX_SIDE_PX
        except MediaError as error:
            assert "test" in str(error)


FFMPEG_FORMATS = [
    *("yuv420p", "yuv422p", "yuv444p", "gray", "yuv411p", "yuva444p"),
    *("yuv420p10le", "yuv422p10le", "yuv444p10le", "gray10le", "yuv420p12le", "gray12le", "yuv444p16le"),
]


@pytest.mark.parametrize("size", [(16, 8), (17, 9)], ids=str)
@pytest.mark.parametrize("pix_fmt", FFMPEG_FORMATS)
def test_ffmpegs_files_are_read_as_ffmpeg_reads_them(tmp_path: Path, pix_fmt: str, size: tuple[int, int]) -> None:
    path = tmp_path / "a.y4m"
    with av.open(path, "w", container_options={"strict": "-1"}, options={"strict": "-1"}) as container:
        stream = container.add_stream("wrapped_avframe", rate=25)
        stream.width, stream.height, stream.pix_fmt = *size, pix_fmt
        for number in range(2):
            picture = av_picture(pix_fmt, *size, number)
            picture.pts, picture.time_base = number, Fraction(1, 25)
            container.mux(stream.encode(picture))
        container.mux(stream.encode(None))
    with VideoReader(path) as reader, av.open(path) as container:
        assert reader.info.container == "yuv4mpegpipe"
        assert reader.info.pix_fmt == pix_fmt
        count = 0
        for frame, picture in zip(reader, container.decode(video=0), strict=True):
            same = picture.reformat(format=reader.layout.name)
            for plane, other in zip(frame.planes, same.planes, strict=True):
                line = np.frombuffer(other, np.uint8).reshape(plane.shape[0], -1)[:, : plane.shape[1] * plane.itemsize]
                if pix_fmt == reader.layout.name:
                    assert np.array_equal(plane, line.view(plane.dtype))
            count += 1
    assert count == 2


@pytest.mark.parametrize("layout", ["yuv420p", "yuv422p", "yuv444p", "gray", "yuv420p10le", "yuv444p10le", "gray10le"])
def test_ffmpeg_reads_our_files(tmp_path: Path, layout: str) -> None:
    frames = random_frames(
        layout,
        17,
        9,
        2,
        interlaced=True,
        top_field_first=False,
        sample_aspect=Fraction(16, 11),
        color=ColorTags(full_range=True),
    )
    with VideoWriter(tmp_path / "a.y4m", frame_rate=Fraction(24000, 1001)) as writer:
        for frame in frames:
            writer.write(frame)
    with av.open(tmp_path / "a.y4m", format="yuv4mpegpipe") as container:
        stream = container.streams.video[0]
        assert stream.average_rate == Fraction(24000, 1001)
        assert stream.sample_aspect_ratio == Fraction(16, 11)
        pictures = list(container.decode(stream))
        assert stream.codec_context.field_order == 3  # bottom field first
        assert pictures[0].color_range == 2
    for frame, picture in zip(frames, pictures, strict=True):
        assert picture.format.name == layout
        for plane, other in zip(frame.planes, picture.planes, strict=True):
            line = np.frombuffer(other, np.uint8).reshape(plane.shape[0], -1)[:, : plane.shape[1] * plane.itemsize]
            assert np.array_equal(plane, line.view(plane.dtype))


@pytest.mark.parametrize("location", [1, 2, 3])
@pytest.mark.parametrize("full_range", [True, False, None])
def test_tags_survive(tmp_path: Path, location: int, full_range: bool | None) -> None:
    color = ColorTags(full_range=full_range, chroma_location=location)
    (frame,) = random_frames("yuv420p", 8, 8, 1, color=color)
    with VideoWriter(tmp_path / "a.y4m") as writer:
        writer.write(frame)
    with VideoReader(tmp_path / "a.y4m") as reader:
        assert next(reader).color == color


def test_frame_count_of_a_file_is_known(tmp_path: Path) -> None:
    (tmp_path / "a.y4m").write_bytes(GOOD + FRAME * 7)
    with VideoReader(tmp_path / "a.y4m") as reader:
        assert (reader.frame_count, reader.duration_s) == (7, Fraction(7, 25))


def test_rgb_becomes_full_chroma_with_a_note(tmp_path: Path) -> None:
    with VideoWriter(tmp_path / "a.y4m") as writer:
        writer.write(random_frames("rgb24", 16, 8, 1)[0])
    assert any("rgb24 is converted to yuv444p" in note for note in writer.notes)
    with VideoReader(tmp_path / "a.y4m") as reader:
        assert (reader.layout.name, reader.color.full_range) == ("yuv444p", False)


def test_12_bits_become_10(tmp_path: Path) -> None:
    samples = np.arange(0, 4096, 16, dtype="<u2")
    (tmp_path / "a.y4m").write_bytes(b"YUV4MPEG2 W16 H16 F25:1 Cmono12\nFRAME\n" + samples.tobytes())
    with VideoReader(tmp_path / "a.y4m") as reader:
        (frame,) = reader
    assert np.abs(frame.planes[0].ravel().astype(int) - (samples >> 2)).max() <= 1  # FFmpeg dithers
    assert reader.notes == ["gray12le is converted to gray10le (12 bits become 10)"]
