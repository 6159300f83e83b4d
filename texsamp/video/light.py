"""Light that changes from field to field: found in blocks, and taken out of the fields beside a field.

Equations (68) to (70) of docs/deinterlace.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from texsamp.device.base import Launch
from texsamp.device.params import params_type
from texsamp.video.frame import Frame
from texsamp.video.measurement import Hosts, Measurement, read_together
from texsamp.video.samples import Samples, source_record, target_record

_SUMS, _RELIT = params_type("LightSumsParams"), params_type("RelitParams")
BLOCK_PX, BLOCK_LINES = 32, 16
"""Of the blocks of a field."""
SUMS_BLOCKS = {"host": 16, "device": 8}
RELIT_TILES = {"host": (512, 8), "device": (128, 8)}
"""Blocks across; pixels and lines (a test holds them against the header)."""
UNIT = 4096
LEAST_LEVELS = 0.75
"""Blocks of 256 levels that change less on average have the same light."""
LEAST_BLOCKS = 12
"""Fewer could be explained by many lights."""
EXPLAINED = 3
"""Light explains what changes if no more than one part in so many is left with it."""
MOST = 4
"""Times the light of another field."""
_KEY = "light"
Sums = npt.NDArray[np.int64]


class Light(NamedTuple):
    """A sample of one field is (gain * sample + offset) / 4096 under the light of another."""

    gain: int = UNIT
    offset: int = 0


SAME = Light()


def unknown(*frames: Frame) -> list[Measurement[None]]:
    """What is to be measured of frames before their light can be compared; they keep it."""
    return [_block_sums(frame) for frame in frames if _KEY not in frame.described]


def _block_sums(frame: Frame) -> Measurement[None]:
    """What whole blocks of luma add up to: (field, row, column)."""
    device, luma = frame.device, Samples.of(frame, "Y")
    rows, columns = luma.height // (2 * BLOCK_LINES), luma.width // BLOCK_PX
    sums = device.empty((2 * rows, columns), "<u4")
    params = _SUMS(
        source=source_record(device, luma),
        sums=device.address(sums),
        pitch_B=int(sums.strides[0]),
        columns=columns,
        rows=rows,
    )
    tiles = -(-columns // SUMS_BLOCKS[device.tile_limits]), 2 * rows
    launches = (Launch(f"light_sums_{luma.type_name}", params, *tiles, (luma.array, sums)),) if sums.size else ()

    def keep(hosts: Hosts) -> None:
        frame.described[_KEY] = hosts[0].astype(np.int64).reshape(2, rows, columns)

    return Measurement(launches, (sums,), keep)


def light_between(source: Sums, target: Sums, bits: int, explained: float = EXPLAINED) -> Light:
    """How a field looks under the light of another, by their sums; as it is if not their light makes them differ."""
    s, t, pixels = source.ravel(), target.ravel(), BLOCK_PX * BLOCK_LINES
    before = int(np.abs(t - s).sum())
    if len(s) < LEAST_BLOCKS or before <= LEAST_LEVELS * (pixels << bits - 8) * len(s):
        return SAME
    sum_s, sum_t = int(s.sum()), int(t.sum())
    spread = len(s) * int((s * s).sum()) - sum_s**2
    if not spread:
        return SAME
    gain = _rounded(UNIT * (len(s) * int((s * t).sum()) - sum_s * sum_t), spread)
    offset = _rounded(UNIT * sum_t - gain * sum_s, len(s) * pixels)
    after = int(np.abs(UNIT * t - gain * s - offset * pixels).sum())
    possible = UNIT <= MOST * gain <= MOST**2 * UNIT
    return Light(gain, offset) if possible and explained * after < UNIT * before else SAME


def _rounded(dividend: int, divisor: int) -> int:
    return (2 * dividend + divisor) // (2 * divisor)


def under_light_of(
    parity: int, current: Frame, reference: Frame, explained: float = EXPLAINED
) -> tuple[Frame, Frame] | None:
    """Both frames under the light of a field of the first; None if they are."""
    read_together(current.device, unknown(current, reference))
    bits, target = current.layout.bits, current.described[_KEY][parity]
    own, other = (
        [light_between(sums, target, bits, explained) for sums in frame.described[_KEY]]
        for frame in (current, reference)
    )
    if all(light == SAME for light in (*own, *other)):
        return None
    return _relit(current, own), _relit(reference, other)


def light_differs(parity: int, first: Frame, other: int, second: Frame, explained: float = EXPLAINED) -> bool:
    """Whether a field of a frame and another one's have lights of their own."""
    read_together(first.device, unknown(first, second))
    sums = second.described[_KEY][other], first.described[_KEY][parity]
    return light_between(*sums, first.layout.bits, explained) != SAME


def explains_change(first: Frame, second: Frame) -> bool:
    """Whether two frames differ by their light."""
    read_together(first.device, unknown(first, second))
    return light_between(first.described[_KEY], second.described[_KEY], first.layout.bits) != SAME


def _relit(frame: Frame, lights: Sequence[Light]) -> Frame:
    """A frame with its fields under other lights, top field first; chroma keeps its zero."""
    device = frame.device
    out = Frame.empty(frame.layout, frame.width_px, frame.height_px, device)
    launches = []
    for name in frame.layout.components:
        source, target = Samples.of(frame, name), Samples.of(out, name)
        middle = 1 << source.bits - 1
        params = _RELIT(
            source=source_record(device, source),
            target=target_record(device, target),
            width=source.width,
            height=source.height,
            gains=[light.gain for light in lights],
            offsets=[light.offset if name == "Y" else (UNIT - light.gain) * middle for light in lights],
        )
        wide, high = RELIT_TILES[device.tile_limits]
        tiles = -(-source.width // wide), -(-source.height // high)
        launches.append(Launch(f"relit_{source.type_name}", params, *tiles, (source.array, target.array)))
    device.launch(*launches)
    return frame.like(frame.width_px, frame.height_px, out.planes)
