"""Multisampled surfaces: interleaved samples, sample slices, and the control surface (MCS) that points at them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from texsamp.errors import StateError
from texsamp.surface.tiling import Coordinate

if TYPE_CHECKING:
    from texsamp.surface.layout.description import SurfaceDescription

INTERLEAVED_SCALE = {4: (2, 2), 8: (4, 2)}
"""IMS: samples to factors of width and height. A pair of pixels stays together: the sample number's bits go into bit 1
of y and bits 1 (and 2) of x. The sizes are printed (IVB 1.1 p. 108), the bits are a public driver's."""

_MCS_BITS = {4: 2, 8: 3}  # 001:2427-2441: bits of one sample's slice number
_MCS_FORMAT = {4: "R8_UINT", 8: "R32_UINT"}  # 001:2423

MCS_CLEAR = {4: 0xFF, 8: 0x00FFFFFF}
"""Samples to the MCS element that says "all samples have the clear color" (001:2433, 001:2443)."""


def _require_samples(samples: int) -> None:
    if samples not in INTERLEAVED_SCALE:
        raise StateError(f"samples must be one of {', '.join(map(str, INTERLEAVED_SCALE))}, found {samples}")


def interleave(x_px: Coordinate, y_rows: Coordinate, sample: Coordinate, samples: int) -> tuple[Coordinate, Coordinate]:
    """Where a sample of pixel (x, y) lies in an interleaved (IMS) plane; StateError unless 4 or 8 samples."""
    _require_samples(samples)
    x = (x_px >> 1) * 2 * INTERLEAVED_SCALE[samples][0] | (sample & 1) << 1 | x_px & 1
    if samples == 8:
        x = x | (sample & 4)
    return x, (y_rows >> 1) << 2 | sample & 2 | y_rows & 1


def uninterleave(x: Coordinate, y: Coordinate, samples: int) -> tuple[Coordinate, Coordinate, Coordinate]:
    """Pixel (x, y) and sample that lie at a place of an interleaved plane: `interleave` undone."""
    _require_samples(samples)
    high = x & 4 if samples == 8 else x & 0
    scale = INTERLEAVED_SCALE[samples][0]
    return (x // (2 * scale)) << 1 | x & 1, (y >> 2) << 1 | y & 1, high | y & 2 | (x >> 1) & 1


def sample_slice(mcs: Coordinate, sample: Coordinate, samples: int) -> Coordinate:
    """Which sample slice holds a sample's color, by its pixel's MCS element; meaningless if that is `MCS_CLEAR`."""
    _require_samples(samples)
    bits = _MCS_BITS[samples]
    return mcs >> bits * sample & (1 << bits) - 1


def pack_mcs(slices: tuple[int, ...]) -> int:
    """The MCS element that puts sample k into slice ``slices[k]``; StateError if that element means "clear"."""
    samples = len(slices)
    _require_samples(samples)
    for slice_number in slices:
        if not 0 <= slice_number < samples:
            raise StateError(f"sample slices run from 0 to {samples - 1}, found {slice_number}")
    element = sum(number << _MCS_BITS[samples] * k for k, number in enumerate(slices))
    if element == MCS_CLEAR[samples]:
        raise StateError(f"all samples in slice {samples - 1} cannot be expressed: {element:#x} means clear")
    return element


def mcs_description(description: SurfaceDescription, pitch_B: int | None = None) -> SurfaceDescription:  # noqa: N803
    """The MCS of a surface: one element per pixel, tiled in Y, the same size, slices and alignment (003:2519-2526).

    Raises StateError if the surface does not store its samples in slices.
    """
    if description.samples == 1 or description.interleaved:
        raise StateError(
            f"only surfaces with samples in slices have an MCS, found {description.samples} samples"
            f"{', interleaved' if description.interleaved else ''}"
        )
    return replace(
        description,
        format=_MCS_FORMAT[description.samples],
        samples=1,
        tiling="Y",
        pitch_B=pitch_B,
        valign_rows=4,
        array_spacing=description.spacing,
        multisample_format=None,
    )
