"""Components of a frame as planes of their own, for kernels that are fast on whole vectors of neighbors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.surface.pixel_layout import Component
from texsamp.video import packed10
from texsamp.video.frame import Frame
from texsamp.video.samples import SAMPLE_TYPES, Samples

_PARAMS = params_type("InterleavedParams")
_MAX_PLANES = _PARAMS.dtype["planes"].shape[0]


def interleaved_launch(what: Literal["part", "join"], device: Device, mixed: Array, planes: Sequence[Array]) -> Launch:
    """Between a plane in which two to four others take turns, element by element, and those, by turns."""
    height, width = mixed.shape
    none = [0] * (_MAX_PLANES - len(planes))
    params = _PARAMS(
        planes=[*map(device.address, planes), *none],
        mixed=device.address(mixed),
        plane_pitches_B=[*(plane.strides[0] for plane in planes), *none],
        mixed_pitch_B=mixed.strides[0],
        width=width // len(planes),
        count=len(planes),
    )
    return Launch(f"{what}_{SAMPLE_TYPES[mixed.dtype.itemsize]}", params, 1, height, (mixed, *planes))


class ComponentPlanes:
    """The components of a frame, each where neighbors lie side by side.

    Those that take turns in a plane get planes of their own, uninitialized until `part` fills them; `join` writes them
    to the frame. Others are the frame's own. A GPU's threads read what they like, so there 10:10:10:2 alone is parted.
    """

    samples: dict[str, Samples]

    def __init__(self, frame: Frame, given: Mapping[str, Samples] | None = None, *, turns: bool = True) -> None:
        """``given`` are planes that are components already, bit by bit: `join` reads those, and `planes` has them.

        Without ``turns`` 10:10:10:2 alone is parted.
        """
        layout, device = frame.layout, frame.device
        self.planes = list(frame.planes)
        self._frame, self._given = frame, given or {}
        self._mixed: list[tuple[Array, list[Array]]] = []
        if layout.packed_element:
            self.samples = packed10.empty_channels(layout, device, frame.width_px, frame.height_px)
            return
        self.samples = {name: Samples.of(frame, name) for name in layout.components}
        for name, part in layout.components.items():
            if part.step == 1 and name in self._given:
                self.samples[name] = self._given[name]
                self.planes[part.plane] = self._given[name].array
        if not turns or device.tile_limits != "host" or layout.has_spare_elements(frame.width_px):
            return
        for number, plane in enumerate(frame.planes):
            parts = {name: part for name, part in layout.components.items() if part.plane == number}
            if len(parts) > 1:
                self._divide(plane, parts)

    def part(self) -> dict[str, Samples]:
        """The samples, read from the frame."""
        frame = self._frame
        if frame.layout.packed_element:
            packed10.unpack(self.samples, frame.planes[0], frame.layout, frame.device)
        for mixed, planes in self._mixed:
            frame.device.launch(interleaved_launch("part", frame.device, mixed, planes))
        return self.samples

    def join(self) -> None:
        """Write the samples to the frame."""
        frame = self._frame
        if frame.layout.packed_element:
            packed10.pack(self.samples, frame.planes[0], frame.layout, frame.device)
        for mixed, planes in self._mixed:
            frame.device.launch(interleaved_launch("join", frame.device, mixed, planes))

    def _divide(self, mixed: Array, parts: dict[str, Component]) -> None:
        """Planes for what takes turns in a plane: in packed 4:2:2 luma has two of four, its samples twice as many."""
        layout, turns = self._frame.layout, max(part.step for part in parts.values())
        height, width = mixed.shape
        shapes = [(height, width // part.step) for part in parts.values()]
        planes = dict(zip(parts, self._frame.device.empty_all(shapes, layout.dtype), strict=True))
        for name, plane in planes.items():
            was = self.samples[name]
            own = Samples(plane, was.width, was.height, was.bits, shift=was.shift)
            self.samples[name] = self._given.get(name, own)
        holders = {turn: name for name, part in parts.items() for turn in range(part.offset, turns, part.step)}
        self._mixed.append((mixed, [self.samples[holders[turn]].array for turn in range(turns)]))
