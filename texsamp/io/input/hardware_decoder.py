"""NVDEC: pictures that FFmpeg decodes on an NVIDIA GPU become frames there, by DLPack, and never touch the host."""

from __future__ import annotations

from typing import Any, Literal, get_args

import av
from av.codec.hwaccel import HWAccel

from texsamp.device import CudaDevice, Device
from texsamp.errors import StateError
from texsamp.io.input.stream_info import StreamInfo
from texsamp.surface.pixel_layout import PixelLayout, pixel_layout
from texsamp.video.conversion import convert
from texsamp.video.frame import Frame

HwAccelChoice = Literal["auto", "off"]

_PRIMARY_CONTEXT = 1
"""FFmpeg's AV_CUDA_USE_PRIMARY_CONTEXT: its memory is then CuPy's, too."""

_NVDEC_LAYOUTS = {"yuv420p": "nv12", "yuv420p10le": "p010le"}
"""Pixel formats of streams that are decoded there, and those of NVDEC's surfaces, which hold the same samples."""


def check_hwaccel(hwaccel: object) -> None:
    """Raises StateError for what is neither auto nor off."""
    if hwaccel not in get_args(HwAccelChoice):
        raise StateError(f"hwaccel must be {' or '.join(get_args(HwAccelChoice))}, found {hwaccel!r}")


def hardware_decoder(device: Device, info: StreamInfo) -> HWAccel | None:
    """What tells FFmpeg to decode a stream on the device; None if it is no GPU or the stream is not for NVDEC."""
    even = info.width_px % 2 == 0 and info.height_px % 2 == 0
    if not isinstance(device, CudaDevice) or info.pix_fmt not in _NVDEC_LAYOUTS or not even:
        return None
    return HWAccel("cuda", device=str(device.ordinal), flags=_PRIMARY_CONTEXT, is_hw_owned=True)


def decodes_on_gpu(stream: av.VideoStream) -> bool:
    """Whether a stream's decoder took the device that its container was opened with."""
    return bool(stream.codec_context.is_hwaccel)


def is_on_gpu(picture: av.VideoFrame) -> bool:
    """Whether a picture is in a GPU's memory."""
    return bool(picture.format.name == "cuda")


def on_host(picture: av.VideoFrame, pix_fmt: str) -> av.VideoFrame:
    """The picture in CPU memory; one from a GPU has the pixel format given, that of its stream."""
    return picture.reformat(format=pix_fmt) if is_on_gpu(picture) else picture


class _Plane:
    """A plane for CuPy, whose wish for a stream FFmpeg refuses.

    FFmpeg fills surfaces on the legacy default stream, which all kernels of texsamp are in order with.
    """

    def __init__(self, plane: Any) -> None:
        self._plane = plane

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self._plane.__dlpack_device__()
        return device

    def __dlpack__(self, **_: Any) -> Any:
        return self._plane.__dlpack__()


def frame_on_gpu(picture: av.VideoFrame, layout: PixelLayout, device: Device, **properties: Any) -> Frame:
    """A frame of the stream's own pixel layout on the device, of a picture that was decoded there."""
    assert picture.sw_format is not None
    stored = pixel_layout(picture.sw_format.name)
    shapes = [stored.plane_shape(i, picture.width, picture.height) for i in range(stored.plane_count)]
    planes = [device.upload(_Plane(p)).reshape(shape) for p, shape in zip(picture.planes, shapes, strict=True)]
    return convert(Frame(stored, picture.width, picture.height, tuple(planes), device, **properties), layout)
