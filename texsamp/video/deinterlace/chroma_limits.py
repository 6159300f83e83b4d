"""Chroma within what the fields beside a field show of it (docs/deinterlace.md (80))."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from texsamp.device.base import Device, Launch
from texsamp.device.params import params_type
from texsamp.video.frame import Frame
from texsamp.video.samples import Samples, source_record, target_record

_LIMITS = params_type("DeinterlaceLimitsParams")

TILE = 256, 8
"""Samples and missing lines of the kernel's tiles (a test holds them against the header)."""


def limited_chroma(parity: int, current: Frame, reference: Frame, out: Frame) -> Iterator[Launch]:
    """The launches that limit the chroma of ``out``, a field of ``current`` as other methods have made it a frame.

    U and V that alternate in a plane of their own are limited together.
    """
    for name in out.layout.chroma_parts:
        yield _limited(out.device, parity, *(_of_plane(frame, name) for frame in (current, reference, out)))


def _limited(device: Device, parity: int, current: Samples, reference: Samples, target: Samples) -> Launch:
    params = _LIMITS(
        current=source_record(device, current),
        reference=source_record(device, reference),
        target=target_record(device, target),
        width=current.width,
        height=current.height,
        parity=parity,
        scale=current.bits - 8,
    )
    tiles = -(-current.width // TILE[0]), -(-(current.height + parity) // 2 // TILE[1])
    arrays = current.array, reference.array, target.array
    return Launch(f"deinterlace_limits_{current.type_name}", params, *tiles, arrays)


def _of_plane(frame: Frame, name: str) -> Samples:
    samples = Samples.of(frame, name)
    return replace(samples, width=2 * samples.width, step=1) if frame.layout.interleaves_chroma else samples
