"""Decoding on a GPU, with stand-ins for FFmpeg's hardware pictures and for CuPy: there is no NVDEC here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import av
import numpy as np
import pytest
from support.clips import random_pictures, write_clip
from support.dlpack import capsule
from support.pretended_cuda import pretended_cuda

import texsamp as ts
from texsamp.errors import MediaError, StateError
from texsamp.io.frames.av_frame import plane_view
from texsamp.io.input import av_source
from texsamp.surface.pixel_layout import pixel_layout

SURFACES = {"yuv420p": "nv12", "yuv420p10le": "p010le"}


class HardwarePlane:
    """PyAV's plane of a CUDA picture: no buffer, and DLPack without a stream; chroma has an axis of its own."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, self._array.data.device_id)

    def __dlpack__(self, *, stream: int | None = None) -> Any:
        if stream is not None:
            raise NotImplementedError("CUDA stream synchronization is not supported.")
        return capsule(self._array, self._array.data.ptr, self.__dlpack_device__())


class HardwarePicture:
    """A decoded picture as FFmpeg leaves it on a GPU: NV12 or P010, with padded rows."""

    def __init__(self, picture: av.VideoFrame, cupy: Any) -> None:
        self._picture = picture
        stored = picture.reformat(format=SURFACES[picture.format.name])
        self.format, self.sw_format = SimpleNamespace(name="cuda"), stored.format
        layout = pixel_layout(stored.format.name)
        self.planes = []
        for index, plane in enumerate(stored.planes):
            shape = layout.plane_shape(index, stored.width, stored.height)
            padded = np.zeros((shape[0], shape[1] + 64), layout.dtype)
            padded[:, : shape[1]] = plane_view(plane, shape, layout.dtype)
            rows = cupy.asarray(padded)
            if index:
                rows = rows.reshape(shape[0], -1, 2)
            self.planes.append(HardwarePlane(rows[:, : shape[1] // (2 if index else 1)]))

    def reformat(self, format: str) -> av.VideoFrame:
        return self._picture.reformat(format=format)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._picture, name)


@pytest.fixture
def cupy():
    with pretended_cuda() as module:
        yield module


@pytest.fixture
def nvdec(monkeypatch, cupy):
    """What containers were opened with; decoders that take a device make hardware pictures from then on."""
    opened, real_open, real_decode = [], av_source.open_container, av_source.AvSource._decode_packet
    state = SimpleNamespace(opened=opened, takes=True, failure=None, falls_back=False)

    def open_container(path, options=None, hwaccel=None):
        opened.append(hwaccel)
        if hwaccel is not None and state.failure is not None:
            raise MediaError(f"{path}: {state.failure}")
        return real_open(path, options)

    def decode(source, packet):
        pictures = real_decode(source, packet)
        on_gpu = source._hwaccel is not None and not state.falls_back
        return [HardwarePicture(picture, cupy) for picture in pictures] if on_gpu else pictures

    monkeypatch.setattr(av_source, "open_container", open_container)
    monkeypatch.setattr(av_source, "decodes_on_gpu", lambda stream: state.takes)
    monkeypatch.setattr(av_source.AvSource, "_decode_packet", decode)
    return state


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    return write_clip(tmp_path_factory.mktemp("clips") / "clip.mkv", random_pictures(6, (48, 32), 3))


def planes(frames: list[ts.Frame]) -> list[tuple[Any, ...]]:
    return [(frame.pts, frame.layout.name, [p.tobytes() for p in frame.to_arrays()]) for frame in frames]


def read(path, **options: Any) -> tuple[list[ts.Frame], list[str]]:
    with ts.VideoReader(path, **options) as reader:
        return list(reader), reader.notes


def test_frames_are_on_the_gpu_and_those_of_the_cpu(nvdec, cupy, clip):
    expected, notes = read(clip)
    assert nvdec.opened == [None]
    cupy.standin.log.clear()
    found, found_notes = read(clip, decode_on="cuda")
    assert {frame.device.name for frame in found} == {"cuda:0"}
    assert planes(found) == planes(expected)
    assert found_notes == notes
    hwaccel = nvdec.opened[-1]
    assert hwaccel.is_hw_owned
    assert (hwaccel.device_id, hwaccel.flags) == (0, 1), "the primary context, which is CuPy's"


def test_ten_bits(nvdec, tmp_path):
    path = tmp_path / "ten.mkv"
    with av.open(path, "w") as container:
        stream = container.add_stream("ffv1", rate=25)
        stream.width, stream.height, stream.pix_fmt = 32, 16, "yuv420p10le"
        rows = np.random.default_rng(4).integers(0, 1024, (24, 32), np.uint16)
        container.mux(stream.encode(av.VideoFrame.from_ndarray(rows, format="yuv420p10le")))
        container.mux(stream.encode(None))
    found, _ = read(path, decode_on="cuda")
    assert found[0].device.name == "cuda:0"
    assert planes(found) == planes(read(path)[0])


def test_a_pipeline_uploads_nothing_of_what_was_decoded_there(nvdec, cupy, clip, tmp_path):
    frame_B = 48 * 32 * 3 // 2
    uploads = {}
    for hwaccel in ("auto", "off"):
        cupy.standin.log.clear()
        ts.process(clip, tmp_path / f"{hwaccel}.y4m", "sharpen=44", device="cuda", hwaccel=hwaccel)
        uploads[hwaccel] = [entry.detail for entry in cupy.standin.log if entry.what == "upload"].count(frame_B)
    assert uploads == {"auto": 0, "off": 6}
    assert (tmp_path / "auto.y4m").read_bytes() == (tmp_path / "off.y4m").read_bytes()


def test_off_leaves_decoding_to_the_cpu(nvdec, clip, tmp_path):
    ts.process(clip, tmp_path / "out.y4m", "sharpen=44", device="cuda", hwaccel="off")
    ts.process(clip, tmp_path / "cpu.y4m", "sharpen=44", device="cpu")
    assert nvdec.opened == [None, None]
    assert (tmp_path / "out.y4m").read_bytes() == (tmp_path / "cpu.y4m").read_bytes()
    with pytest.raises(StateError, match="hwaccel must be auto or off, found 'on'"):
        ts.process(clip, tmp_path / "out.y4m", hwaccel="on")


def test_one_note_where_ffmpeg_has_no_decoder(nvdec, clip):
    nvdec.takes = False
    found, notes = read(clip, decode_on="cuda")
    assert [note for note in notes if "CPU" in note] == ["decoded on the CPU: FFmpeg has no NVDEC decoder for ffv1"]
    assert planes(found) == planes(read(clip)[0])


def test_one_note_where_the_device_cannot_be_opened(nvdec, clip):
    nvdec.failure, nvdec.takes = "cannot be opened: Cannot load libcuda.so.1", False
    found, notes = read(clip, decode_on="cuda")
    assert [note for note in notes if "CPU" in note] == [
        "decoded on the CPU: cannot be opened: Cannot load libcuda.so.1"
    ]
    assert planes(found) == planes(read(clip)[0])


def test_one_note_where_nvdec_gives_up_on_the_stream(nvdec, clip):
    nvdec.falls_back = True
    found, notes = read(clip, decode_on="cuda")
    assert [note for note in notes if "CPU" in note] == ["decoded on the CPU: NVDEC does not take this stream"]
    assert planes(found) == planes(read(clip)[0])


@pytest.mark.parametrize(("pix_fmt", "size"), [("yuv444p", (32, 16)), ("yuv420p", (31, 16))])
def test_what_nvdec_is_not_asked_for(nvdec, tmp_path, pix_fmt, size):
    path = tmp_path / "other.mkv"
    with av.open(path, "w") as container:
        stream = container.add_stream("ffv1", rate=25)
        stream.width, stream.height, stream.pix_fmt = *size, pix_fmt
        container.mux(stream.encode(av.VideoFrame(*size, pix_fmt)))
        container.mux(stream.encode(None))
    found, notes = read(path, decode_on="cuda")
    assert (len(found), found[0].device.name, notes) == (1, "cpu", read(path)[1])
    assert nvdec.opened == [None, None]
