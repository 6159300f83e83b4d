"""A video frame: planes on a device, and everything that must survive the trip through the pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from types import UnionType
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np

from texsamp.cached import cached_property
from texsamp.device import get_device
from texsamp.device.arguments import check_kind, is_bool, is_integer, short
from texsamp.device.base import Array, Device
from texsamp.device.given import GivenArray
from texsamp.errors import FormatError, StateError
from texsamp.shown.html import figure
from texsamp.shown.pictures import png
from texsamp.surface.pixel_layout import PixelLayout, pixel_layout
from texsamp.video.hdr import HdrMetadata

Statistics = Mapping[str, int | float | str | None]
"""Figures about a frame by name; None where there is none."""


@dataclass(frozen=True)
class ColorTags:
    """Color description of a frame, as the code points of ITU-T H.273 that FFmpeg uses (2 = unspecified).

    ``full_range`` is None when unknown; ``chroma_location`` is FFmpeg's: 0 unspecified, 1 left, 2 center, 3 top left,
    and what is unknown means left.
    """

    matrix: int = 2
    primaries: int = 2
    transfer: int = 2
    full_range: bool | None = None
    chroma_location: int = 0

    def __post_init__(self) -> None:
        for name, last in _LAST_CODES.items():
            value = getattr(self, name)
            if not is_integer(value) or not 0 <= value <= last:
                raise StateError(f"{name} of color tags must be an integer from 0 to {last}, found {short(value)}")
        if not (self.full_range is None or is_bool(self.full_range)):
            raise StateError(f"full_range of color tags must be True, False or None, found {short(self.full_range)}")


_LAST_CODES = {"matrix": 255, "primaries": 255, "transfer": 255, "chroma_location": 255}
"""The highest code point that each tag has room for."""


def _check_size(width_px: int, height_px: int) -> None:
    if not (is_integer(width_px) and is_integer(height_px) and width_px >= 1 and height_px >= 1):
        raise FormatError(f"frame size must be integers of at least 1x1, found {width_px}x{height_px}")


class FrameProperties(TypedDict, total=False):
    """What a frame knows beside its pixels, by keyword; as in `Frame`."""

    pts: int | None
    duration: int | None
    time_base: Fraction | None
    interlaced: bool
    top_field_first: bool | None
    repeat_fields: int | None
    sample_aspect: Fraction | None
    color: ColorTags
    hdr: HdrMetadata | None
    damaged: bool
    statistics: Statistics


@dataclass(frozen=True, eq=False, repr=False)
class Frame:
    """One picture and its place in the stream.

    ``planes[i]`` is an array of shape ``layout.plane_shape(i, width_px, height_px)`` (rows may be padded, elements of a
    row are contiguous). ``pts`` and ``duration`` count ``time_base`` seconds. ``top_field_first`` is None when unknown;
    ``repeat_fields`` is the number of extra fields to show (soft telecine), None when unknown. ``hdr`` is HDR10's
    static metadata. ``damaged`` says that the decoder made up a part of the picture. ``statistics`` is what the stages
    that made the frame have to tell about it, if someone wants to know; ``figures`` measures what the last of them has
    to tell: a pipeline calls it or drops it. ``converted_from`` is the layout that a pipeline gives it back behind the
    filters that do not take it, ``alpha_of`` the frame whose alpha it then gets. ``denoise_history`` is what the
    denoiser has left of luma, one byte per 4x4 block, on the same device; other pixels than its own have none.
    """

    LAUNCHES_BY: ClassVar = ("layout", "width_px", "height_px", "planes")

    layout: PixelLayout
    width_px: int
    height_px: int
    planes: tuple[Array, ...]
    device: Device
    pts: int | None = None
    duration: int | None = None
    time_base: Fraction | None = None
    interlaced: bool = False
    top_field_first: bool | None = None
    repeat_fields: int | None = None
    sample_aspect: Fraction | None = None
    color: ColorTags = field(default_factory=ColorTags)
    hdr: HdrMetadata | None = None
    damaged: bool = False
    statistics: Statistics = field(default_factory=dict, compare=False, repr=False)
    figures: Callable[[], Statistics] | None = field(default=None, compare=False, repr=False)
    denoise_history: Array | None = field(default=None, compare=False, repr=False)
    converted_from: PixelLayout | None = field(default=None, compare=False, repr=False)
    alpha_of: Frame | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        self._check_planes()
        for name, kind in _KINDS.items():
            if (value := getattr(self, name)) is not None:
                check_kind(f"{name} of a frame", value, kind)
        for name in ("pts", "duration", "repeat_fields"):
            value = getattr(self, name)
            if value is not None and not is_integer(value):
                raise StateError(f"{name} of a frame must be an integer or None, found {short(value)}")
        for name in ("time_base", "sample_aspect"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise StateError(f"{name} of a frame must be above 0, found {value}")

    def _check_planes(self) -> None:
        check_kind("layout of a frame", self.layout, PixelLayout)
        check_kind("device of a frame", self.device, Device)
        _check_size(self.width_px, self.height_px)
        if len(self.planes) != self.layout.plane_count:
            raise FormatError(
                f"planes of a {self.layout.name} frame must be {self.layout.plane_count}, found {len(self.planes)}"
            )
        for index, plane in enumerate(self.planes):
            shape = self.layout.plane_shape(index, self.width_px, self.height_px)
            if plane.shape != shape or plane.dtype != self.layout.dtype:
                raise FormatError(
                    f"plane {index} of a {self.width_px}x{self.height_px} {self.layout.name} frame must be {shape} "
                    f"{self.layout.dtype}, found {plane.shape} {plane.dtype}"
                )
            if shape[1] > 1 and plane.strides[1] != plane.itemsize:
                raise FormatError(
                    f"elements of a row must be contiguous: plane {index} has {plane.itemsize}-byte elements "
                    f"{plane.strides[1]} bytes apart; numpy.ascontiguousarray copies them together"
                )

    @cached_property
    def described(self) -> dict[str, Any]:
        """What has been said of its components, by name (`Samples.of`): the same for all filters that read them."""
        return {}

    @classmethod
    def empty(cls, layout: PixelLayout | str, width_px: int, height_px: int, device: Device | str = "auto") -> Frame:
        """A frame with uninitialized planes on a device; elements that hold no sample (odd packed 4:2:2) are 0."""
        layout = pixel_layout(layout) if isinstance(layout, str) else layout
        check_kind("layout of a frame", layout, PixelLayout)
        where = get_device(device)
        _check_size(width_px, height_px)
        shapes = [layout.plane_shape(i, width_px, height_px) for i in range(layout.plane_count)]
        planes = where.empty_all(shapes, layout.dtype)
        if layout.has_spare_elements(width_px):
            with where.current():
                for plane in planes:
                    plane[...] = 0
        return cls(layout, width_px, height_px, planes, where)

    @classmethod
    def from_arrays(
        cls,
        layout: PixelLayout | str,
        planes: Sequence[GivenArray],
        width_px: int,
        height_px: int,
        device: Device | str = "auto",
        **properties: Unpack[FrameProperties],
    ) -> Frame:
        """A frame over existing arrays; they are copied only if they live on another device."""
        layout = pixel_layout(layout) if isinstance(layout, str) else layout
        check_kind("layout of a frame", layout, PixelLayout)
        check_kind("planes of a frame", planes, Iterable)
        where = get_device(device)
        return cls(layout, width_px, height_px, tuple(where.upload(p) for p in planes), where, **properties)

    def like(self, width_px: int, height_px: int, planes: Sequence[Array], layout: PixelLayout | None = None) -> Frame:
        """The same moment of the stream with other pixels."""
        known = {name: value for name, value in self.__dict__.items() if name != "described"}
        known.update(layout=layout or self.layout, width_px=width_px, height_px=height_px, planes=tuple(planes))
        made = object.__new__(Frame)  # in a third of the time that dataclasses.replace takes
        made.__dict__.update(known, denoise_history=None)
        made._check_planes()
        return made

    def told(self, **known: object) -> Frame:
        """The same pixels with something else known about them: fields by name, as `dataclasses.replace` takes them.

        Nothing is checked, since planes that have been are: a stage makes several such frames of each.
        """
        made = object.__new__(Frame)
        made.__dict__.update(self.__dict__, **known)
        return made

    def with_color(self, color: ColorTags) -> Frame:
        """The same picture with other color tags."""
        return self.told(color=color)

    def to(self, device: Device | str) -> Frame:
        """The frame on another device (itself if it is already there)."""
        where = get_device(device)
        if where is self.device:
            return self
        history = () if self.denoise_history is None else (self.denoise_history,)
        arrays = where.upload_all(self.device.start_download((*self.planes, *history)).result())
        planes, rest = arrays[: len(self.planes)], arrays[len(self.planes) :]
        return replace(self, planes=planes, device=where, denoise_history=rest[0] if rest else None)

    def start_download(self) -> Callable[[], Frame]:
        """Begin to bring the planes to the CPU; the function waits for them and gives the frame there."""
        cpu = get_device("cpu")
        if self.device is cpu:
            return lambda: self
        coming = self.device.start_download(self.planes)
        return lambda: replace(self, planes=coming.result(), device=cpu, denoise_history=None)

    def component(self, name: str) -> Array:
        """Strided view of one component's elements, shape (rows, columns); 10:10:10:2 elements stay packed.

        Raises FormatError for a component that the layout has not.
        """
        if name not in self.layout.components:
            known = ", ".join(self.layout.components)
            raise FormatError(f"components of {self.layout.name} are {known}, found {name!r}")
        part = self.layout.components[name]
        columns, _ = self.layout.component_size(name, self.width_px, self.height_px)
        return self.planes[part.plane][:, part.offset :: part.step][:, :columns]

    def plane(self, index: int) -> Array:
        """A plane by its number, an array of (rows, elements) on the frame's device. Raises FormatError."""
        if not 0 <= index < len(self.planes):
            raise FormatError(f"planes of {self.layout.name} are 0 to {len(self.planes) - 1}, found {index}")
        return self.planes[index]

    def __array__(self, *_: object, **__: object) -> np.ndarray[Any, np.dtype[Any]]:
        """Refused: numpy would make an array of one object."""
        raise TypeError(
            f"a {self.layout.name} frame is no single array: take np.asarray(frame.plane(0)), "
            "frame.component(name) for one component, or frame.to_arrays() for all planes on the CPU"
        )

    def __eq__(self, other: object) -> bool:
        """Whether both are the same picture at the same place of a stream; on which devices does not count."""
        if not isinstance(other, Frame):
            return NotImplemented
        return self._told() == other._told() and all(
            np.array_equal(mine, others) for mine, others in zip(self.to_arrays(), other.to_arrays(), strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def _told(self) -> list[object]:
        """What is compared beside the pixels."""
        return [getattr(self, f.name) for f in fields(self) if f.compare and f.name not in ("planes", "device")]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled with its pixels, and for its device; without a measurement that nobody has asked for yet."""
        cpu = replace(self.start_download()(), figures=None)
        values = {f.name: getattr(cpu, f.name) for f in fields(self)}
        planes = tuple(np.ascontiguousarray(plane) for plane in cpu.planes)
        return _restored, (values | {"planes": planes}, self.device)

    def __repr__(self) -> str:
        time_s = None if self.pts is None or self.time_base is None else float(self.pts * self.time_base)
        when = "" if time_s is None else f", {time_s:.3f} s"
        scan = ", interlaced" if self.interlaced else ""
        damaged = ", damaged" if self.damaged else ""
        return f"<Frame {self.layout.name} {self.width_px}x{self.height_px}{when}{scan}{damaged}, {self.device.name}>"

    def to_rgb(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """The picture as displayed, on the CPU: uint8 (height, width, 3), for Pillow, matplotlib and models.

        The matrix and range are those of the color tags, as `texsamp.convert` takes them; HDR stays as it is coded.
        """
        from texsamp.video.conversion import convert  # which is made of frames

        rows = convert(self, "rgb24").to("cpu").planes[0]
        return np.array(rows).reshape(self.height_px, self.width_px, 3)

    def to_arrays(self) -> tuple[np.ndarray[Any, np.dtype[Any]], ...]:
        """The planes as numpy arrays."""
        return tuple(self.device.download(p) for p in self.planes)

    def _repr_png_(self) -> bytes:
        return png(self.to_rgb())

    def _repr_html_(self) -> str:
        return figure(self._repr_png_(), repr(self).strip("<>"))


_KINDS: dict[str, type | UnionType] = {
    "time_base": Fraction,
    "interlaced": bool | np.bool_,
    "top_field_first": bool | np.bool_,
    "sample_aspect": Fraction,
    "color": ColorTags,
    "hdr": HdrMetadata,
    "damaged": bool | np.bool_,
}
"""Of what types the properties of a frame are that are not None."""


def _restored(values: dict[str, Any], device: Device) -> Frame:
    return Frame(**values | {"device": get_device("cpu")}).to(device)


def check_frame(given: object, taker: str) -> None:
    """Raises FormatError if a caller from Python gave something else than a frame."""
    if not isinstance(given, Frame):
        raise FormatError(f"{taker} takes a Frame, found {type(given).__name__}; Frame.from_arrays makes one of arrays")
