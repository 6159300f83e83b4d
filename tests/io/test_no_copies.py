"""From the decoder through the filters to the encoder no plane is copied: the memory itself is handed on."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.media import av_picture, random_frames, write_video

import texsamp as ts
from texsamp.io.frames.av_frame import picture_in, picture_over
from texsamp.io.input import picture_reader
from texsamp.io.output import video_encoder
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """Planes copied on the way in and on the way out, frame by frame."""
    found: dict[str, list[int]] = {"in": [], "out": []}
    frame_of, picture_in = picture_reader.frame_of, video_encoder.picture_in

    def elsewhere(frame: ts.Frame, picture: Any) -> int:
        pointers = [plane.buffer_ptr for plane in picture.planes]
        return sum(a.ctypes.data != b for a, b in zip(frame.planes, pointers, strict=True))

    def incoming(picture: Any, *arguments: Any, **properties: Any) -> ts.Frame:
        frame = frame_of(picture, *arguments, **properties)
        found["in"].append(elsewhere(frame, picture))
        return frame

    def outgoing(frame: ts.Frame, *arguments: Any) -> Any:
        picture = picture_in(frame, *arguments)
        found["out"].append(elsewhere(frame, picture))
        return picture

    monkeypatch.setattr(picture_reader, "frame_of", incoming)
    monkeypatch.setattr(video_encoder, "picture_in", outgoing)
    return found


def clip(path: Path, pix_fmt: str, width: int, height: int) -> Path:
    return write_video(path, [av_picture(pix_fmt, width, height, n) for n in range(3)], "ffv1")


@pytest.mark.parametrize(
    ("pix_fmt", "size", "filters", "name", "codec"),
    [
        ("yuv420p", (96, 64), "sharpen=44", "out.mkv", "libx264"),
        ("yuv420p", (72, 36), "", "out.mkv", "libx264"),
        ("yuv420p", (72, 36), "denoise,scale=100x50,procamp=contrast=1.1", "out.mkv", "libx264"),
        ("yuv420p", (72, 36), "deinterlace=mode=bob:deint=all,sharpen=44", "out.mpg", "mpeg2video"),
        ("yuv422p10le", (72, 36), "denoise=20", "out.mkv", "ffv1"),
        ("nv12", (72, 36), "scale=100x50", "out.mkv", "libx264"),
        ("gray", (37, 29), "scale=45x33", "out.mkv", "ffv1"),
    ],
)
def test_nothing_is_copied(tmp_path, copied, pix_fmt, size, filters, name, codec):
    stored = "yuv420p" if pix_fmt == "nv12" else pix_fmt  # FFV1 has no nv12
    source = clip(tmp_path / "in.mkv", stored, *size)
    if pix_fmt != stored:
        filters = f"csc=format={pix_fmt},{filters}"
    result = ts.process(source, tmp_path / name, filters, device="cpu", codec=codec, pix_fmt=pix_fmt)
    assert copied["in"] == [0] * result.frames_in
    first, *frames = copied["out"]  # a picture of the first frame only tells its format
    assert frames == [0] * result.frames_out, first


@pytest.mark.parametrize(
    ("pix_fmt", "size", "name", "codec", "planes", "why"),
    [
        ("yuv420p", (37, 29), "out.mkv", "ffv1", 3, "PyAV takes no odd size of subsampled chroma"),
        ("rgb24", (48, 32), "out.nut", "rawvideo", 1, "nor packed pixels"),
        ("yuv420p", (48, 32), "out.avi", "ffvhuff", 3, "threads of whole pictures would let go of them at any time"),
    ],
)
def test_what_is_copied(tmp_path, copied, pix_fmt, size, name, codec, planes, why):
    pictures = random_frames(pix_fmt, *size, 3)
    with ts.VideoWriter(tmp_path / name, codec=codec, pix_fmt=pix_fmt) as writer:
        for frame in pictures:
            writer.write(frame)
    assert copied["out"] == [planes] * 4, why


@pytest.mark.parametrize("codec", ["libx264", "mpeg2video", "ffv1"])
def test_what_an_encoder_holds_back_is_not_used_again(tmp_path, monkeypatch, codec):
    """The same bytes as from copies, though the memory of frames that are gone is handed out at once."""
    source = clip(tmp_path / "in.mkv", "yuv420p", 480, 272)
    options = {"libx264": {"threads": "1"}, "mpeg2video": {"bf": "2"}, "ffv1": {}}[codec]
    job = {"device": "cpu", "codec": codec, "options": options, "pix_fmt": "yuv420p"}
    graph = "deinterlace=mode=bob:deint=all,sharpen=44,scale=512x288"
    ts.process(source, tmp_path / "lent.mkv", graph, **job)
    monkeypatch.setattr(video_encoder, "picture_in", lambda frame, pix_fmt, lend=False: picture_in(frame, pix_fmt))
    ts.process(source, tmp_path / "copied.mkv", graph, **job)
    with ts.VideoReader(tmp_path / "lent.mkv") as lent, ts.VideoReader(tmp_path / "copied.mkv") as copied:
        for a, b in zip(lent, copied, strict=True):
            assert all(np.array_equal(p, q) for p, q in zip(a.planes, b.planes, strict=True))


def test_memory_comes_back_when_the_encoder_is_done(tmp_path):
    gone = []
    with ts.VideoWriter(tmp_path / "out.mkv", codec="mpeg2video", pix_fmt="yuv420p") as writer:
        for frame in random_frames("yuv420p", 64, 32, 5):
            gone += [weakref.ref(plane) for plane in frame.planes]
            writer.write(frame)
        del frame
    gc.collect()
    assert [ref() for ref in gone] == [None] * 15


def test_planes_nobody_may_write_to_are_lent_and_stay_as_they_are():
    (frame,) = random_frames("yuv420p", 64, 32, 1)
    for plane in frame.planes:
        plane.flags.writeable = False
    picture = picture_over(frame)
    assert [plane.buffer_ptr for plane in picture.planes] == [plane.ctypes.data for plane in frame.planes]
    assert not any(plane.flags.writeable for plane in frame.planes)


@pytest.mark.parametrize("layout", PIXEL_LAYOUTS)
def test_rows_of_new_frames_begin_where_ffmpeg_wants_them(layout):
    frame = ts.Frame.empty(layout, 37, 29, "cpu")
    assert all(plane.strides[0] % 16 == 0 for plane in frame.planes)
