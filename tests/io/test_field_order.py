"""Interlacing of every frame is known when reading and kept when writing."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from support.media import av_picture, gray_ramp, random_frames, write_video

from texsamp.io import VideoReader, VideoWriter
from texsamp.io.frames.field_order import Mpeg2Flags

FIELD_CODING = 0x40000 | 0x20000000  # AV_CODEC_FLAG_INTERLACED_DCT and _ME


def interlaced_coding(_: Any, stream: Any) -> None:
    stream.codec_context.flags |= FIELD_CODING


def interlaced_mpeg2(path: Path, order: str) -> Path:
    pictures = [av_picture("yuv420p", 64, 48, n) for n in range(9)]
    return write_video(path, pictures, codec="mpeg2video", setup=interlaced_coding, stamp=order)


def fields(path: Path) -> set[tuple[bool, bool | None]]:
    with VideoReader(path) as reader:
        return {(frame.interlaced, frame.top_field_first) for frame in reader}


@pytest.mark.parametrize("extension", [".mkv", ".ts", ".mpg"])
@pytest.mark.parametrize(("order", "top_first"), [("tff", True), ("bff", False)])
def test_mpeg2_field_order_is_read_frame_by_frame(tmp_path: Path, order: str, top_first: bool, extension: str) -> None:
    path = interlaced_mpeg2(tmp_path / f"a{extension}", order)
    with VideoReader(path) as reader:
        frames = list(reader)
    assert len(frames) == 9
    assert {(f.interlaced, f.top_field_first, f.repeat_fields) for f in frames} == {(True, top_first, 0)}
    assert reader.info.field_order == order


def test_progressive_frames_are_not_interlaced(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mkv", [gray_ramp(64, 48, n) for n in range(5)])
    assert fields(path) == {(False, None)}


def test_odd_heights_have_a_field_order_too(tmp_path: Path) -> None:
    pictures = [av_picture("yuv420p", 48, 35, n) for n in range(3)]
    path = write_video(tmp_path / "a.mkv", pictures, codec="mpeg2video", setup=interlaced_coding, stamp="tff")
    assert fields(path) == {(True, True)}


@pytest.mark.parametrize("top_first", [True, False])
@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("a.mkv", "libx264"),
        ("a.mp4", "libx264"),
        ("a.ts", "libx264"),
        ("a.mkv", "mpeg2video"),
        ("a.avi", "mpeg4"),
        ("a.mkv", "ffv1"),
        ("a.mov", "prores_ks"),
        ("a.y4m", None),
    ],
)
def test_field_order_survives_writing(tmp_path: Path, name: str, codec: str | None, top_first: bool) -> None:
    frames = random_frames("yuv420p", 64, 48, 4, interlaced=True, top_field_first=top_first)
    with VideoWriter(tmp_path / name, codec=codec) as writer:
        for frame in frames:
            writer.write(frame)
    assert fields(tmp_path / name) == {(True, top_first)}
    with VideoReader(tmp_path / name) as reader:  # H.264 tells it twice, in messages and by the order of its fields
        assert reader.info.field_order in ("unknown", "tff" if top_first else "bff")


@pytest.mark.parametrize(("extension", "codec", "pix_fmt"), [(".mkv", "rawvideo", "yuv420p"), (".mov", "png", "gray")])
@pytest.mark.parametrize(("written", "top_first"), [(4, True), (5, False)])
def test_fields_that_only_the_container_orders_are_as_ffmpeg_writes_them(
    tmp_path: Path, extension: str, codec: str, pix_fmt: str, written: int, top_first: bool
) -> None:
    """The ffmpeg program writes top first as TB (4), whose name says the contrary."""

    def ordered(_: Any, stream: Any) -> None:
        stream.codec_context.field_order = written

    pictures = [av_picture(pix_fmt, 64, 48, n) for n in range(3)]
    path = write_video(tmp_path / f"a{extension}", pictures, codec=codec, setup=ordered)
    assert fields(path) == {(True, top_first)}


def test_codec_without_field_flags_says_so(tmp_path: Path) -> None:
    with VideoWriter(tmp_path / "a.webm") as writer:
        for frame in random_frames("yuv420p", 64, 48, 2, interlaced=True, top_field_first=True):
            writer.write(frame)
    assert any("cannot flag interlaced" in note for note in writer.notes)


def test_mixed_frames_are_named(tmp_path: Path) -> None:
    first, second = random_frames("yuv420p", 64, 48, 2)
    frames = [first, random_frames("yuv420p", 64, 48, 2, interlaced=True, top_field_first=True)[1]]
    with VideoWriter(tmp_path / "a.mkv", lossless=True) as writer:
        for frame in frames:
            writer.write(frame)
    assert any("interlaced frames among others" in note for note in writer.notes)
    assert second.pts == frames[1].pts


def set_repeat_flags(packet: bytes, top_first: bool, repeat: bool) -> bytes:
    """The packet with the flags of its picture coding extension replaced; a progressive frame."""
    at = next(m.start() for m in re.finditer(rb"\x00\x00\x01\xb5[\x80-\x8f]", packet))
    changed = bytearray(packet)
    changed[at + 7] = changed[at + 7] & ~0x82 | top_first << 7 | repeat << 1
    changed[at + 8] |= 0x80
    return bytes(changed)


def test_soft_telecine_flags_reach_their_frames(tmp_path: Path) -> None:
    """Flags are set in the packets of a stream with B frames; frames come out reordered, each with its own."""
    cadence = [(True, True), (False, False), (False, True), (True, False)]
    source = write_video(
        tmp_path / "a.mkv",
        [gray_ramp(64, 48, n) for n in range(12)],
        codec="mpeg2video",
        options={"bf": "2"},
        setup=interlaced_coding,  # the sequence may then hold interlaced frames, as that of soft telecine does
    )
    flagged = tmp_path / "b.mkv"
    expected = {}
    with av.open(source) as old, av.open(flagged, "w") as new:
        stream = new.add_stream_from_template(old.streams.video[0], opaque=True)
        for number, packet in enumerate(p for p in old.demux() if p.size):
            top_first, repeat = cadence[number % 4]
            changed = av.Packet(set_repeat_flags(bytes(packet), top_first, repeat))
            changed.pts, changed.dts, changed.time_base = packet.pts, packet.dts, packet.time_base
            changed.is_keyframe = packet.is_keyframe
            changed.stream = stream
            expected[packet.pts] = (int(repeat), top_first if repeat else None)
            new.mux(changed)
    with VideoReader(flagged) as reader:
        found = {frame.pts: (frame.repeat_fields, frame.top_field_first) for frame in reader}
    assert found == expected


def extension_bytes(kind: int, *rest: int) -> bytes:
    return b"\x00\x00\x01\xb5" + bytes([kind << 4 | rest[0], *rest[1:]])


@pytest.mark.parametrize(
    ("progressive_sequence", "top_first", "repeat", "progressive_frame", "fields_shown_again"),
    [
        (False, True, True, True, 1),
        (False, False, True, True, 1),
        (False, True, True, False, 0),
        (False, True, False, True, 0),
        (True, False, True, True, 2),
        (True, True, True, True, 4),
    ],
)
def test_mpeg2_repeat_flags_as_the_standard_counts_them(
    progressive_sequence: bool, top_first: bool, repeat: bool, progressive_frame: bool, fields_shown_again: int
) -> None:
    sequence = extension_bytes(1, 4, 0x80 | progressive_sequence << 3, 0, 1, 0)
    picture = extension_bytes(8, 15, 0xFF, 0xF3, top_first << 7 | repeat << 1, progressive_frame << 7)
    assert Mpeg2Flags(sequence).read(picture) == (fields_shown_again, top_first)
    assert Mpeg2Flags(b"").read(sequence + picture) == (fields_shown_again, top_first)


@pytest.mark.parametrize("size", range(13))
def test_truncated_mpeg2_headers_say_nothing(size: int) -> None:
    picture = extension_bytes(8, 15, 0xFF, 0xF3, 0x82, 0x80)
    found = Mpeg2Flags(picture[:size]).read(picture[:size])
    assert found is None if size < len(picture) else found == (1, True)


def test_fields_differ_where_the_clip_moves() -> None:
    from texsamp.io import pattern_clip

    (frame,) = pattern_clip(64, 48, 1, interlaced=True)
    (still,) = pattern_clip(64, 48, 1)
    luma, other = np.asarray(frame.planes[0]), np.asarray(still.planes[0])
    assert np.array_equal(luma[::2], other[::2])
    assert not np.array_equal(luma[1::2], other[1::2])
    assert frame.time_base == Fraction(1, 25)
