"""Encoding on a GPU, with stand-ins for what FFmpeg does there and for CuPy: there is no NVENC here."""

from __future__ import annotations

import threading
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import av
import numpy as np
import pytest
from support.clips import random_pictures, read_clip, write_clip
from support.dlpack import described
from support.media import random_frames
from support.pretended_cuda import pretended_cuda

import texsamp as ts
from texsamp.errors import StateError
from texsamp.io.frames.av_frame import plane_view
from texsamp.io.output import hardware_encoder, writer
from texsamp.io.output.encode_request import EncodeRequest
from texsamp.io.output.encoder_options import encoder_options
from texsamp.io.streams import codecs
from texsamp.surface.pixel_layout import pixel_layout

SIZE = (48, 32)


@pytest.fixture
def cupy():
    with pretended_cuda() as module:
        yield module


@pytest.fixture
def nvenc(monkeypatch, cupy):
    """What FFmpeg was asked: libx264 in NVENC's place, and pictures copied from what planes on the GPU hold."""
    state = SimpleNamespace(ordinals=[], taken=[], failure=None, kept=[])
    add_software_stream = av.container.OutputContainer.add_stream

    def add_stream(container, codec, rate, ordinal):
        if state.failure is not None:
            raise state.failure
        state.ordinals.append(ordinal)
        return add_software_stream(container, "libx264", rate=rate)

    def imported(planes, pix_fmt, size, context):
        found = [described(plane.__dlpack__()) for plane in planes]
        pitch = found[0].strides_B[0]
        assert [each.strides_B for each in found] == [(pitch, each.dtype.itemsize) for each in found]
        assert pitch % 256 == 0
        assert found[1].address == found[0].address + size[1] * pitch, "NVENC looks for chroma behind the last row"
        assert (context.device_id, context.primary_ctx) == (0, True), "the context that is CuPy's"
        asked = [entry.what for entry in cupy.standin.log if entry.thread == threading.get_ident()]
        assert asked[-1] == "synchronize", "FFmpeg's stream waits for nobody"
        layout = pixel_layout(pix_fmt)
        assert [each.shape for each in found] == [layout.plane_shape(index, *size) for index in range(2)]
        picture = av.VideoFrame(*size, pix_fmt)
        for plane, target in zip(planes, picture.planes, strict=True):
            rows = np.frombuffer(target, layout.dtype).reshape(plane.shape[0], -1)
            rows[:, : plane.shape[1]] = plane.get()
        state.taken.append(pix_fmt)
        return picture

    monkeypatch.setattr(hardware_encoder, "add_stream", add_stream)
    monkeypatch.setattr(hardware_encoder, "imported", imported)
    monkeypatch.setitem(codecs.CODECS, "h264_nvenc", codecs.CodecSettings({"qp": "0"}))
    return state


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    return write_clip(tmp_path_factory.mktemp("clips") / "clip.mkv", random_pictures(6, SIZE, 3))


def process(clip, path, **options: Any):
    return ts.process(clip, path, "sharpen=44", **{"codec": "h264_nvenc", "device": "cuda", **options})


def same_as_on_the_cpu(clip, path, folder) -> bool:
    ts.process(clip, folder / "cpu.mkv", "sharpen=44", device="cpu", lossless=True)
    return np.array_equal(read_clip(folder / "cpu.mkv"), as_planar(path))


def as_planar(path) -> list[np.ndarray]:
    with av.open(path) as container:
        return [frame.reformat(format="yuv420p").to_ndarray() for frame in container.decode(video=0)]


def test_frames_go_to_the_encoder_where_they_are(nvenc, cupy, clip, tmp_path):
    cupy.standin.log.clear()
    result = process(clip, tmp_path / "out.mkv")
    assert nvenc.taken == ["nv12"] * 6
    assert set(nvenc.ordinals) == {0}
    frame_B = SIZE[0] * SIZE[1] * 3 // 2
    gets_of_the_test = [entry.detail for entry in cupy.standin.log if entry.what == "download"]
    assert frame_B not in gets_of_the_test, "planes are read by the stand-in for FFmpeg alone"
    assert not [note for note in result.notes if "CPU's memory" in note]
    assert same_as_on_the_cpu(clip, tmp_path / "out.mkv", tmp_path)


@pytest.mark.parametrize(("layout", "surface"), [("yuv420p10le", "p010le"), ("nv12", "nv12")])
def test_surfaces_hold_the_samples(nvenc, layout, surface):
    (frame,) = random_frames(layout, 34, 18, 1)
    there = frame.to("cuda")
    pictures, why = hardware_encoder.nvenc_pictures("hevc_nvenc", there, None, Fraction(25))
    assert (pictures.pix_fmt, why) == (surface, "")
    picture, expected = pictures.picture(there), ts.convert(frame, surface)
    for plane, wanted in zip(picture.planes, expected.planes, strict=True):
        np.testing.assert_array_equal(plane_view(plane, wanted.shape, wanted.dtype), wanted)


def test_off_sends_them_through_the_cpus_memory(nvenc, clip, tmp_path, monkeypatch):
    with pytest.raises(ts.MediaError, match="h264_nvenc cannot encode"):  # there is none
        process(clip, tmp_path / "out.mkv", hwaccel="off")
    assert nvenc.ordinals == nvenc.taken == []
    with pytest.raises(StateError, match="hwaccel must be auto or off, found 'no'"):
        ts.VideoWriter(tmp_path / "out.mkv", hwaccel="no")


@pytest.mark.parametrize(
    ("layout", "size", "pix_fmt", "why"),
    [
        ("yuv444p", SIZE, None, "from the GPU it takes 4:2:0 of 8 or 10 bits, found yuv444p"),
        ("yuv420p", SIZE, "yuv444p", "from the GPU it takes 4:2:0 of 8 or 10 bits, found yuv444p"),
        ("yuv420p", SIZE, "p010le", "from the GPU it takes 4:2:0 of 8 or 10 bits, found p010le"),
        ("yuv420p", (47, 32), None, "from the GPU it takes even sizes, found 47x32"),
    ],
)
def test_one_reason_for_what_it_does_not_take_there(nvenc, layout, size, pix_fmt, why):
    (frame,) = random_frames(layout, *size, 1)
    made = hardware_encoder.nvenc_pictures("hevc_nvenc", frame.to("cuda"), pix_fmt, Fraction(25))
    assert made == (None, why)


def test_one_note_where_the_device_cannot_be_opened(nvenc, clip, tmp_path, monkeypatch):
    nvenc.failure = av.error.ExternalError(1, "Cannot load libcuda.so.1")
    monkeypatch.setattr(writer, "NVENC", frozenset({"libx264"}))
    result = process(clip, tmp_path / "out.mkv", codec="libx264")
    notes = [note for note in result.notes if "CPU's memory" in note]
    assert len(notes) == 1
    assert notes[0].startswith("libx264 gets its frames through the CPU's memory: ")
    assert "Cannot load libcuda.so.1" in notes[0]
    assert len(as_planar(tmp_path / "out.mkv")) == 6


def test_bitrate_takes_the_place_of_a_quality():
    options = encoder_options("hevc_nvenc", EncodeRequest(bitrate="4M"))
    assert options == {"preset": "p5", "b": "4000000"}
    assert encoder_options("h264_nvenc", EncodeRequest(lossless=True)) == {"preset": "p5", "tune": "lossless"}
