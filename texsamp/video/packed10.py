"""10:10:10:2 elements taken apart into 16-bit planes and put together again (`texsamp.video.component_planes`)."""

from __future__ import annotations

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.surface.pixel_layout import PixelLayout
from texsamp.video.samples import Samples

_PARAMS = params_type("Packed10Params")
_CHANNELS = "RGBA"


def empty_channels(layout: PixelLayout, device: Device, width_px: int, height_px: int) -> dict[str, Samples]:
    """Uninitialized 16-bit planes for the four channels."""
    return {
        name: Samples.plane(device.empty((height_px, width_px), "<u2"), layout.components[name].bits)
        for name in _CHANNELS
    }


def _launch(kernel: str, device: Device, layout: PixelLayout, packed: Array, channels: dict[str, Samples]) -> Launch:
    planes = [channels[name] for name in _CHANNELS]
    height, width = packed.shape
    params = _PARAMS(
        planes=[plane.address(device) for plane in planes],
        packed=device.address(packed),
        plane_pitch_B=planes[0].pitch_B,
        packed_pitch_B=packed.strides[0],
        width=width,
        shifts=[layout.components[name].shift for name in _CHANNELS],
    )
    return Launch(kernel, params, 1, height, (packed, *(plane.array for plane in planes)))


def unpack(channels: dict[str, Samples], packed: Array, layout: PixelLayout, device: Device) -> None:
    """Read four channels from the plane of a 10:10:10:2 frame."""
    device.launch(_launch("unpack10", device, layout, packed, channels))


def pack(channels: dict[str, Samples], packed: Array, layout: PixelLayout, device: Device) -> None:
    """Write four channels into the plane of a 10:10:10:2 frame."""
    device.launch(_launch("pack10", device, layout, packed, channels))
