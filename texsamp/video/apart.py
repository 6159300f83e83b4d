"""Components of a frame as planes of their own, for kernels that are fast on whole vectors of neighbors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.video import packed10
from texsamp.video.frame import Frame
from texsamp.video.samples import SAMPLE_TYPES, Samples

_PARAMS = params_type("InterleavedParams")
_MAX_PLANES = _PARAMS.dtype["planes"].shape[0]

_Places = dict[str, tuple[int, int]]
"""By component, its first element in a row, and how many lie between that and the next one."""


def interleaved_launch(what: Literal["part", "join"], device: Device, mixed: Array, planes: Sequence[Array]) -> Launch:
    """Between a plane in which two to four others take turns, element by element, and those."""
    height, width = planes[0].shape
    none = [0] * (_MAX_PLANES - len(planes))
    params = _PARAMS(
        planes=[*map(device.address, planes), *none],
        mixed=device.address(mixed),
        plane_pitches_B=[*(plane.strides[0] for plane in planes), *none],
        mixed_pitch_B=mixed.strides[0],
        width=width,
        count=len(planes),
    )
    return Launch(f"{what}_{SAMPLE_TYPES[mixed.dtype.itemsize]}", params, 1, height, (mixed, *planes))


class Apart:
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
                self._divide(plane, {name: (part.offset, part.step) for name, part in parts.items()})

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
        for mixed, planes in reversed(self._mixed):
            frame.device.launch(interleaved_launch("join", frame.device, mixed, planes))

    def _divide(self, mixed: Array, places: _Places) -> None:
        """Planes for what a plane holds: packed 4:2:2 is luma, and a plane in which U and V take turns."""
        count = min(step for _, step in places.values())
        height, width = mixed.shape
        planes = list(self._frame.device.empty_all([(height, width // count)] * count, mixed.dtype))
        self._mixed.append((mixed, planes))
        for turn, plane in enumerate(planes):
            held = {name: at for name, at in places.items() if at[0] % count == turn}
            if len(held) > 1:
                self._divide(plane, {name: (offset // count, step // count) for name, (offset, step) in held.items()})
                continue
            (name,) = held
            was = self.samples[name]
            own = Samples(plane, was.width, was.height, was.bits, shift=was.shift)
            self.samples[name] = self._given.get(name, own)
            planes[turn] = self.samples[name].array
