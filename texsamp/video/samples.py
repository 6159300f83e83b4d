"""One component's samples inside a plane, as the kernels see them: an address, a pitch, a step and a shift."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from texsamp.cached import cached_property
from texsamp.device.base import Array, Device
from texsamp.errors import StateError
from texsamp.video.frame import Frame

SAMPLE_TYPES: dict[int, str] = {1: "u8", 2: "u16"}
"""Bytes per element to the sample type in kernel names."""


@dataclass(frozen=True, eq=False)
class Samples:
    """``height`` rows of ``width`` samples of ``bits`` bits; sample x is element ``offset + x * step`` of its row."""

    array: Array
    width: int
    height: int
    bits: int
    offset: int = 0
    step: int = 1
    shift: int = 0
    _address: int | None = field(default=None, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Without what is known of where the array lies: a copy's lies elsewhere."""
        return {part.name: getattr(self, part.name) for part in fields(self) if part.init}

    @classmethod
    def of(cls, frame: Frame, component: str) -> Samples:
        """The samples of one component of a frame (not of a packed 10:10:10:2 one)."""
        known: Samples | None = frame.described.get(component)
        if known is None:
            part = frame.layout.components[component]
            width, height = frame.layout.component_size(component, frame.width_px, frame.height_px)
            known = cls(frame.planes[part.plane], width, height, part.bits, part.offset, part.step, part.shift)
            frame.described[component] = known
        return known

    @classmethod
    def plane(cls, array: Array, bits: int) -> Samples:
        """A plane that holds nothing else."""
        height, width = array.shape
        return cls(array, width, height, bits)

    @property
    def max_value(self) -> int:
        """Largest sample value."""
        return (1 << self.bits) - 1

    @cached_property
    def type_name(self) -> str:
        """The sample type in kernel names: u8 or u16."""
        return SAMPLE_TYPES[self.array.dtype.itemsize]

    @cached_property
    def pitch_B(self) -> int:  # noqa: N802 - the unit
        """Bytes from one row to the next."""
        return int(self.array.strides[0])

    def address(self, device: Device) -> int:
        """Address of the first sample."""
        if self._address is None:
            found = device.address(self.array) + self.offset * int(self.array.dtype.itemsize)
            object.__setattr__(self, "_address", found)  # an array stays where it is
            return found
        return self._address


def require_alike(what: str, *planes: Samples) -> None:
    """Refuse planes that a kernel would read as if they had the size and the depth of the first: StateError."""
    found = [f"{p.width}x{p.height} of {p.bits} bits in {p.type_name}" for p in planes]
    for other in found[1:]:
        if other != found[0]:
            raise StateError(f"{what} must be alike in size and depth, found {found[0]} and {other}")


def require_shape(what: str, array: Array, shape: tuple[int, ...]) -> None:
    """Refuse an array that a kernel would read or write as if it had another shape: StateError."""
    if tuple(array.shape) != shape:
        raise StateError(f"{what} must have the shape {shape}, found {tuple(array.shape)}")


def plane_record(device: Device, src: Samples, dst: Samples | None) -> tuple[int, ...]:
    """Values of the kernels' SamplePlane; without a destination the kernel only reads."""
    address, pitch_B, step, shift = (
        (0, 0, 1, 0) if dst is None else (dst.address(device), dst.pitch_B, dst.step, dst.shift)
    )
    return (
        src.address(device),
        address,
        src.pitch_B,
        pitch_B,
        src.step,
        step,
        src.shift,
        shift,
        src.max_value,
        0,
    )


def source_record(device: Device, samples: Samples | None) -> tuple[int, ...]:
    """Values of the kernels' FieldSamples; without samples a null one."""
    if samples is None:
        return 0, 0, 1, 0, 0
    return samples.address(device), samples.pitch_B, samples.step, samples.shift, samples.max_value


def target_record(device: Device, samples: Samples) -> tuple[int, ...]:
    """Values of the kernels' FieldTarget."""
    return samples.address(device), samples.pitch_B, samples.step, samples.shift, 0
