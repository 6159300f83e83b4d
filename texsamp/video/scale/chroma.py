"""Subsampled chroma at every pixel, by the scaler's four-tap filter (texsamp's own; the color pipe repeats it)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.surface.pixel_layout import PixelLayout
from texsamp.video.component_planes import ComponentPlanes
from texsamp.video.frame import Frame
from texsamp.video.presets.avs import adaptive_parameters
from texsamp.video.samples import Samples
from texsamp.video.scale.avs import AvsPlane
from texsamp.video.scale.positions import CHROMA_SITING_2X, PHASES, Positions
from texsamp.video.scale.tables import AvsTables

_PRESET = "lanczos3"
_FIELD_SITING_2X = (Fraction(1, 2), Fraction(3, 2))
"""Of 4:2:0: the first chroma row of a field lies a quarter, or three quarters, of its lines below its first line."""


@dataclass(frozen=True)
class Doubling:
    """How the color pipe makes the same on its way in: taps by phase, and where line 0 lies in chroma, in 1/32."""

    taps: Array
    line_0: int


def doubling(frame: Frame, layout: PixelLayout) -> Doubling | None:
    """What the pipe needs for full chroma without planes of it, where it gains: 8-bit planes to pixels, on a CPU."""
    siting_x, siting_y = CHROMA_SITING_2X.get(frame.color.chroma_location, CHROMA_SITING_2X[0])
    source = frame.layout
    planes = source.dtype.itemsize == 1 and source.subsampling("U") == (1, 1) and source.components["U"].step == 1
    count = len(layout.components)  # bytes of a pixel that is stored in one go
    pixels = layout.dtype.itemsize == 1 and all(part.step == count >= 3 for part in layout.components.values())
    if frame.device.tile_limits != "host" or not planes or not pixels or "A" in source.components:
        return None
    if frame.interlaced or siting_x:
        return None
    return Doubling(_doubling_taps(frame.device), -(siting_y * PHASES // 4))


@lru_cache(maxsize=8)
def _doubling_taps(device: Device) -> Array:
    return device.upload(np.ascontiguousarray(_tables().table_1x, np.int16))


@lru_cache(maxsize=1)
def _tables() -> AvsTables:
    return AvsTables.from_preset(_PRESET, Fraction(1), Fraction(1), stored_rows=False, narrow_rgb=False)


def full_chroma(frame: Frame) -> dict[str, Samples]:
    """U and V of a frame as planes of the picture's size, sited as its tags say; rows of 4:2:0 fields stay theirs."""
    device, layout = frame.device, frame.layout
    width, height = frame.width_px, frame.height_px
    log2_x, log2_y = layout.subsampling("U")
    siting_x, siting_y = CHROMA_SITING_2X.get(frame.color.chroma_location, CHROMA_SITING_2X[0])
    made = {
        name: Samples.plane(device.empty((height, width), layout.dtype), layout.components[name].bits) for name in "UV"
    }
    sources = ComponentPlanes(frame).part()
    fields = 2 if frame.interlaced and log2_y and min(height, sources["U"].height) > 1 else 1
    for field in range(fields):
        pairs = [(_lines(sources[name], field, fields), _lines(made[name], field, fields)) for name in "UV"]
        source, target = pairs[0]
        siting = _FIELD_SITING_2X[field] if fields == 2 else Fraction(siting_y)
        plan = _plan(
            device,
            (source.width, source.height),
            (target.width, target.height),
            (log2_x, log2_y),
            (Fraction(siting_x), siting),
        )
        device.launch(*plan.launches(pairs, None))
    return made


@lru_cache(maxsize=8)  # as every frame of a video asks for the same
def _plan(
    device: Device,
    source_px: tuple[int, int],
    target_px: tuple[int, int],
    log2: tuple[int, int],
    siting_2x: tuple[Fraction, Fraction],
) -> AvsPlane:
    across, down = (_positions(*axis) for axis in zip(target_px, log2, siting_2x, strict=True))
    return AvsPlane(device, source_px, (across, down), _tables(), adaptive_parameters("i965"))


def _positions(count: int, log2: int, siting_2x: Fraction) -> Positions:
    """Where samples 0 to count - 1 of the picture lie in its chroma, in 1/32 of chroma's samples; all are exact."""
    offset = int(siting_2x * PHASES) // 2 if log2 else 0
    return np.asarray((PHASES * np.arange(count) - offset) >> log2, np.int32)


def _lines(samples: Samples, field: int, fields: int) -> Samples:
    """Every line, or those of a field."""
    if fields == 1:
        return samples
    array = samples.array[field::fields]
    return replace(samples, array=array, height=int(array.shape[0]))
