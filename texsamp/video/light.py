"""Light that changes from field to field: found in blocks, and taken out of the fields beside a field.

Equations (68) to (70) of docs/deinterlace-hq.md.
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
    """What whole blocks of luma add up to: (field, block)."""
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
        frame.described[_KEY] = hosts[0].astype(np.int64).reshape(2, rows * columns)

    return Measurement(launches, (sums,), keep)


def lights_between(sources: Sums, target: Sums, bits: int, explained: float = EXPLAINED) -> list[Light]:
    """How fields look under the light of another, by their sums; as they are if not their light makes them differ.

    ``sources`` is (fields, blocks), ``target`` (blocks).
    """
    count, blocks = sources.shape
    pixels, least = BLOCK_PX * BLOCK_LINES, LEAST_LEVELS * (BLOCK_PX * BLOCK_LINES << bits - 8) * blocks
    before = np.abs(sources - target).sum(1).tolist()
    if blocks < LEAST_BLOCKS or max(before) <= least:
        return [SAME] * count
    by_field = sources.sum(1).tolist(), (sources * sources).sum(1).tolist(), (sources @ target).tolist()
    total = int(target.sum())
    found = [
        SAME if change <= least else _fit(blocks, own, squares, products, total)
        for change, own, squares, products in zip(before, *by_field, strict=True)
    ]
    gains, offsets = np.array(found).T[..., np.newaxis]
    after = np.abs(UNIT * target - gains * sources - offsets * pixels).sum(1).tolist()
    return [
        light if explained * left < UNIT * change else SAME
        for light, left, change in zip(found, after, before, strict=True)
    ]


def _fit(blocks: int, total: int, squares: int, products: int, wanted: int) -> Light:
    """The light that leads from one field's sums to another's with the least squares; as it is if none can."""
    spread = blocks * squares - total**2
    if not spread:
        return SAME
    gain = _rounded(UNIT * (blocks * products - total * wanted), spread)
    offset = _rounded(UNIT * wanted - gain * total, blocks * BLOCK_PX * BLOCK_LINES)
    return Light(gain, offset) if UNIT <= MOST * gain <= MOST**2 * UNIT else SAME


def _rounded(dividend: int, divisor: int) -> int:
    return (2 * dividend + divisor) // (2 * divisor)


def under_light_of(
    parity: int, current: Frame, reference: Frame, explained: float = EXPLAINED
) -> tuple[Frame, Frame] | None:
    """Both frames under the light of a field of the first; None if they are."""
    read_together(current.device, unknown(current, reference))
    fields = np.concatenate([frame.described[_KEY] for frame in (current, reference)])
    lights = lights_between(fields, fields[parity], current.layout.bits, explained)
    if all(light == SAME for light in lights):
        return None
    return _relit(current, lights[:2]), _relit(reference, lights[2:])


def light_differs(parity: int, first: Frame, other: int, second: Frame, explained: float = EXPLAINED) -> bool:
    """Whether a field of a frame and another one's have lights of their own."""
    read_together(first.device, unknown(first, second))
    source, target = second.described[_KEY][other], first.described[_KEY][parity]
    return lights_between(source[np.newaxis], target, first.layout.bits, explained) != [SAME]


def explains_change(first: Frame, second: Frame) -> bool:
    """Whether two frames differ by their light."""
    read_together(first.device, unknown(first, second))
    source, target = first.described[_KEY].reshape(1, -1), second.described[_KEY].ravel()
    return lights_between(source, target, first.layout.bits) != [SAME]


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
