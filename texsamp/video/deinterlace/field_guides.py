"""Fields with their borders repeated, in which motion is searched (docs/deinterlace-hq.md (61))."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.video.frame import Frame
from texsamp.video.samples import Samples, source_record

_FIELD, _HALF, _SUMS = (params_type(f"{name}Params") for name in ("FieldGuide", "HalfGuide", "FieldSums"))
BORDER_PX, BORDER_LINES = 64, 24
"""Samples around a field in its guide."""
SUMMED = 1024, 512
"""Samples and lines of the middle of a field that are summed, at most."""
PARTS = {"host": (256, 256), "device": (16, 32)}
"""Lines that are summed by column, and samples that are summed by line."""
TILE = 512, 16
"""Samples and rows (a test holds all against the header)."""


@dataclass(frozen=True, eq=False)
class FieldGuides:
    """The fields of a frame by parity: ``rows`` of each, at full depth, in 8 bits, and half as wide.

    sums: uint16, of both fields by strip and column, then by line and group (83).
    """

    LAUNCHES_BY: ClassVar = ("deep", "guide", "half", "sums", "rows")

    frame: Frame
    deep: Array
    guide: Array
    half: Array
    sums: Array
    rows: int

    @classmethod
    def of(cls, frame: Frame) -> FieldGuides:
        """Makes them."""
        device, luma = frame.device, Samples.of(frame, "Y")
        rows = (luma.height + 1) // 2 + 2 * BORDER_LINES
        pitch = (
            (luma.width + 2 * BORDER_PX + 63) // 64 | 1
        ) * 64  # odd, or lines of 1080p would share few sets of a cache
        shape = 2 * rows, pitch
        guide, half = device.empty(shape, "u1"), device.empty((shape[0], pitch // 2), "u1")
        deep = guide if luma.bits == 8 else device.empty(shape, "<u2")
        for array in (guide,) if deep is guide else (guide, deep):
            device.launch(_guide(device, luma, array, rows))
        params = _HALF(guide=device.address(guide), half=device.address(half), pitch_B=pitch, rows=shape[0])
        device.launch(Launch("half_guide", params, *_tiles(pitch // 2, shape[0]), (guide, half)))
        width, lines = _summed(luma)
        strip, group = PARTS[device.tile_limits]
        sums = device.empty((2 * (-(-lines // strip) * width + lines * -(-width // group)),), "<u2")
        made = cls(frame, deep, guide, half, sums, rows)
        made._add_up()
        return made

    @property
    def summed(self) -> tuple[int, int]:
        """Samples and lines of the middle of its fields that are summed."""
        return _summed(Samples.of(self.frame, "Y"))

    def _add_up(self) -> None:
        device, luma, (width, lines) = self.frame.device, Samples.of(self.frame, "Y"), self.summed
        if not lines:
            return
        pitch = int(self.guide.strides[0])
        params = _SUMS(
            guide=self.at(self.guide, 0) + (luma.height // 2 - lines) // 2 * pitch + (luma.width - width) // 2,
            sums=device.address(self.sums),
            pitch_B=pitch,
            apart_B=self.rows * pitch,
            of=(width, lines),
        )
        device.launch(
            Launch("field_sums", params, -(-lines // PARTS[device.tile_limits][0]), 2, (self.guide, self.sums))
        )

    def at(self, array: Array, parity: int) -> int:
        """Address of a field's first sample, in ``deep``, ``guide`` or ``half``."""
        border = BORDER_PX // (2 if array is self.half else 1)
        row = parity * self.rows + BORDER_LINES
        return self.frame.device.address(array) + row * int(array.strides[0]) + border * array.dtype.itemsize


def _summed(luma: Samples) -> tuple[int, int]:
    return min(luma.width, SUMMED[0]), min(luma.height // 2, SUMMED[1])


def _tiles(columns: int, rows: int) -> tuple[int, int]:
    return -(-columns // TILE[0]), -(-rows // TILE[1])


def _guide(device: Device, samples: Samples, array: Array, rows: int) -> Launch:
    pitch = int(array.strides[0])
    params = _FIELD(
        source=source_record(device, samples),
        guide=device.address(array),
        pitch_B=pitch,
        rows=rows,
        width=samples.width,
        height=samples.height,
        drop=0 if array.dtype.itemsize == 2 else samples.bits - 8,
    )
    kernel = f"field_guide_{'deep_' if array.dtype.itemsize == 2 else ''}{samples.type_name}"
    return Launch(kernel, params, *_tiles(array.shape[1], 2 * rows), (samples.array, array))
