"""NVENC: frames on an NVIDIA GPU become FFmpeg's pictures there, by DLPack, and never touch the host."""

from __future__ import annotations

import os
from fractions import Fraction
from typing import Any, cast

import av
from av.codec.hwaccel import HWAccel
from av.video.frame import CudaContext
from av.video.stream import VideoStream

from texsamp.device import CudaDevice
from texsamp.io.frames.av_frame import tag_picture
from texsamp.surface.pixel_layout import PixelLayout, pixel_layout
from texsamp.video.conversion import convert
from texsamp.video.frame import Frame

NVENC = frozenset({"av1_nvenc", "h264_nvenc", "hevc_nvenc"})
"""FFmpeg's encoders that take pictures from a GPU."""

_SURFACES = {"yuv420p": "nv12", "nv12": "nv12", "nv21": "nv12", "yuv420p10le": "p010le", "p010le": "p010le"}
"""What holds the same samples as a layout and is taken from a GPU."""

_PITCH_B = 256
"""Rows of a surface begin at multiples of it, as in FFmpeg's own."""


class NvencPictures:
    """Pictures for one encoder, on the GPU that its frames are on; ``pix_fmt`` is how the samples lie there."""

    def __init__(self, device: CudaDevice, layout: PixelLayout) -> None:
        self.pix_fmt = layout.name
        self._device, self._layout = device, layout
        self._context = CudaContext(device_id=device.ordinal, primary_ctx=True)

    def add_stream(self, container: av.container.OutputContainer, codec: str, rate: Fraction) -> VideoStream:
        """The stream of an encoder that takes such pictures."""
        return add_stream(container, codec, rate, self._device.ordinal)

    def picture(self, frame: Frame) -> av.VideoFrame:
        """A frame as a picture; returns when its samples are there, which FFmpeg's own stream would not wait for."""
        device, layout = self._device, self._layout
        frame = convert(frame, layout)
        height, width = frame.height_px, frame.width_px
        pitch = -(-width * layout.dtype.itemsize // _PITCH_B) * _PITCH_B // layout.dtype.itemsize
        whole = device.empty((height + height // 2, pitch), layout.dtype)  # NVENC finds chroma behind the last row
        planes = whole[:height, :width], whole[height:, :width]
        with device.current():
            for plane, source in zip(planes, frame.planes, strict=True):
                plane[...] = source
        device.mark()()
        picture = imported(planes, self.pix_fmt, (width, height), self._context)
        tag_picture(picture, frame.color)
        return picture


def add_stream(container: av.container.OutputContainer, codec: str, rate: Fraction, ordinal: int) -> VideoStream:
    """A stream whose encoder works on a GPU, in CuPy's own context. Raises av.FFmpegError without one."""
    hwaccel = HWAccel("cuda", device=str(ordinal), options={"primary_ctx": "1"})
    return cast(VideoStream, container.add_stream(codec, rate=rate, hwaccel=hwaccel))


def imported(planes: tuple[Any, ...], pix_fmt: str, size: tuple[int, int], context: CudaContext) -> av.VideoFrame:
    """A picture over planes on a GPU, which it keeps alive."""
    return av.VideoFrame.from_dlpack(planes, pix_fmt, *size, device_id=context.device_id, cuda_context=context)


def nvenc_pictures(codec: str, first: Frame, pix_fmt: str | None, rate: Fraction) -> tuple[NvencPictures | None, str]:
    """What makes pictures of frames like the first one where they are, or None and why that cannot be.

    ``pix_fmt`` is the pixel format asked for.
    """
    device, name = first.device, first.layout.name
    assert isinstance(device, CudaDevice)
    surface = _SURFACES.get(name)
    if surface is None or _SURFACES.get(pix_fmt or name) != surface:
        return None, f"from the GPU it takes 4:2:0 of 8 or 10 bits, found {pix_fmt or name}"
    if first.width_px % 2 or first.height_px % 2:
        return None, f"from the GPU it takes even sizes, found {first.width_px}x{first.height_px}"
    try:
        with av.open(os.devnull, "w", format="null") as trial:  # a stream that could not be added would stay
            add_stream(trial, codec, rate, device.ordinal)
    except (av.FFmpegError, NotImplementedError) as error:
        return None, str(error)
    return NvencPictures(device, pixel_layout(surface)), ""
