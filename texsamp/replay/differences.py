"""How a picture differs from the expected one, and how both are shown."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.pictures import Picture
from texsamp.state.formats import surface_format
from texsamp.surface.texels import load_texels
from texsamp.video.frame import Frame

LAYOUTS = {
    "NV12": "nv12", "I420": "yuv420p", "YUY2": "yuyv422", "UYVY": "uyvy422", "RGBX": "rgba", "BGRX": "bgra",
    "RGBA": "rgba", "BGRA": "bgra", "R8": "gray",
}  # fmt: skip
"""Pixel layouts by the clients' names; what the fourth byte of RGBX holds is not looked at."""
_MAX_SAMPLE = 255
_ROW_OF_A_BUFFER_B = 256


@dataclass(frozen=True)
class PlaneDifference:
    """How a plane differs from the expected one, in bytes; of texels that are not bytes in steps of 1/255.

    x, y: byte column and row of the first that differs, of values of several bytes the last one. expected, found: what
    is there. writer: the command, thread, message and state it comes from.
    """

    plane: int
    x: int
    y: int
    expected: float
    found: float
    maximum: float
    mean: float
    psnr_dB: float  # noqa: N815 - the unit
    writer: str


def in_words(difference: PlaneDifference) -> str:
    """A difference in a line."""
    return (
        f"plane {difference.plane} differs first at byte {difference.x} of row {difference.y}, "
        f"{difference.found:g} not {difference.expected:g} (maximum {difference.maximum:g}, "
        f"mean {difference.mean:.4f}, PSNR {difference.psnr_dB:.2f} dB), written by {difference.writer}"
    )


def as_expected(picture: Picture, expected: bytes) -> Picture:
    """What a picture would be if it were as expected."""
    if _are_bytes(picture):
        ends = np.cumsum([plane.size for plane in picture.planes])
        parts = np.split(np.frombuffer(expected, np.uint8), ends[:-1])
        planes = tuple(part.reshape(plane.shape) for plane, part in zip(picture.planes, parts, strict=True))
        return replace(picture, planes=planes)
    rows = np.frombuffer(expected, np.uint8).reshape(picture.height_rows, -1)
    return replace(picture, planes=(rows,), format=sizes_of(picture)[len(expected)])


def shown(picture: Picture) -> Frame:
    """What a person gets to see: of a buffer rows of 256 bytes, the last one filled with zeros."""
    planes, width, rows = picture.planes, picture.width_px, picture.height_rows
    if picture.format:
        shown = np.nan_to_num(_texels(picture.raw(), picture, picture.format)).clip(0, _MAX_SAMPLE)
        return Frame.from_arrays("rgba", [np.rint(shown).astype(np.uint8).reshape(rows, -1)], width, rows, device="cpu")
    if rows == 1 and width > _ROW_OF_A_BUFFER_B:
        rows, width = -(-width // _ROW_OF_A_BUFFER_B), _ROW_OF_A_BUFFER_B
        plane = np.zeros((rows, width), np.uint8)
        plane.ravel()[: picture.width_px] = planes[0][0]
        planes = (plane,)
    contiguous = [np.ascontiguousarray(plane) for plane in planes]
    return Frame.from_arrays(LAYOUTS[picture.fourcc], contiguous, width, rows, device="cpu")


def _texels(data: bytes, picture: Picture, format: str) -> NDArray[np.float64]:
    """Texels as R, G, B and A in steps of 1/255, or as the integers they are, (rows, columns, 4)."""
    integers = format.endswith(("UINT", "SINT"))
    kind = np.dtype(np.int32 if format.endswith("SINT") else np.uint32 if integers else np.float32)
    size = picture.width_px, picture.height_rows
    loaded = load_texels(data, format, *size, channels="rgba", dtype=kind, device="cpu")
    texels: NDArray[np.float64] = loaded.astype(np.float64)
    if len({channel.name for channel in surface_format(format).channels} & set("RGBA")) == 1:
        texels = np.concatenate([np.repeat(texels[:, :, :1], 3, axis=2), texels[:, :, 3:]], axis=2)
    return texels if integers else texels * _MAX_SAMPLE


def _are_bytes(picture: Picture) -> bool:
    """Whether a picture is compared byte by byte."""
    return not picture.format or all(channel.bits == 8 for channel in surface_format(picture.format).channels)


def sizes_of(picture: Picture) -> dict[int, str]:
    """Formats that an expected picture can have, by its size in bytes."""
    pixels = picture.width_px * picture.height_rows
    others = {} if _are_bytes(picture) else {4 * pixels: "R8G8B8A8_UNORM", 16 * pixels: "R32G32B32A32_FLOAT"}
    return others | {len(picture.raw()): picture.format}


def differences(picture: Picture, expected: bytes) -> list[PlaneDifference]:
    """Of every plane that differs at all; nobody has been asked who wrote it."""
    pairs: list[tuple[NDArray[Any], NDArray[Any]]]
    if not _are_bytes(picture):
        found = _texels(picture.raw(), picture, picture.format)
        wanted = _texels(expected, picture, sizes_of(picture)[len(expected)])
        pairs = [(found.reshape(len(found), -1), wanted.reshape(len(found), -1))]
        unit_B = picture.planes[0].shape[1] / pairs[0][0].shape[1]
    else:
        pairs = list(zip(picture.planes, as_expected(picture, expected).planes, strict=True))
        unit_B = 1.0
    differences = (_difference(number, *pair, unit_B) for number, pair in enumerate(pairs))
    return [difference for difference in differences if difference is not None]


def _difference(
    number: int,
    found: NDArray[Any],
    wanted: NDArray[Any],
    unit_B: float,  # noqa: N803 - the unit
) -> PlaneDifference | None:
    errors = np.abs(found.astype(np.float64) - wanted.astype(np.float64))
    errors[np.isnan(found) & np.isnan(wanted)] = 0
    errors[np.isnan(errors)] = np.inf
    places = np.argwhere(errors)
    if not len(places):
        return None
    row, column = (int(at) for at in places[0])
    root = math.sqrt(np.square(errors).mean())
    return PlaneDifference(
        plane=number,
        x=max(math.ceil((column + 1) * unit_B) - 1, 0),
        y=row,
        expected=wanted[row, column].item(),
        found=found[row, column].item(),
        maximum=errors.max().item(),
        mean=errors.mean().item(),
        psnr_dB=20 * math.log10(_MAX_SAMPLE / root) if math.isfinite(root) else -math.inf,
        writer="",
    )
