"""Motion between the fields beside a field, and lines made of both of them (docs/deinterlace.md (61) to (66))."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.video.deinterlace.fields import Field
from texsamp.video.frame import Frame
from texsamp.video.samples import Samples, require_alike, require_shape, source_record, target_record

_GUIDE, _SEARCH = params_type("VectorGuideParams"), params_type("VectorSearchParams")
_SMOOTH, _VECTORED = params_type("VectorSmoothParams"), params_type("VectoredParams")
BLOCK_PX, BLOCK_LINES = 8, 4
"""A block: pixels across, missing lines down."""
GUIDE_PX, GUIDE_LINES = 64, 32
"""Samples around a field in its guide."""
GUIDE_TILE = 512, 16
SEARCH_BLOCKS = 32
VECTORED_TILES = {"host": (128, 8), "device": (64, 8)}
"""Tiles: samples and lines of a guide; blocks; pixels and missing lines (a test holds all against the header)."""
Weights = tuple[int, ...]
WEIGHTS: Weights = (
    *(5, 5, 8, 8, 3, 5, 7, 7, 4, 4, 6, 7, 5, 4, 6, 7, 5, 5, 6, 6),
    *(0, 4, 0, 4, 2, 4, 8, 4, 2, 3, 2, 5, 3, 4, 5, 6, 3, 4, 4, 6),
    *(4, 4, 0, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 0, 0, 3, 0, 0, 2),
    *(5, 5, 8, 8, 4, 4, 8, 6, 4, 3, 7, 5, 3, 3, 5, 5, 0, 3, 5, 4),
    *(0, 0, 0, 0, 3, 3, 3, 0, 2, 2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 0),
    *(3, 3, 0, 0, 3, 3, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    *(5, 4, 8, 7, 3, 0, 6, 3, 2, 0, 6, 3, 0, 0, 3, 2, 0, 0, 2, 0),
    *(0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    *(2, 2, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    *(7, 2, 8, 5, 2, 0, 4, 4, 3, 0, 7, 2, 0, 0, 2, 2, 0, 0, 0, 0),
    *(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    *(0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
)
"""Eighths of the compensated sample, by `benchmarks.fit_deinterlace`; (66)."""


@dataclass(frozen=True, eq=False)
class FieldVectors:
    """Of a field, by blocks of 8 pixels by 4 of the lines it lacks: the way to the field beside it in its own frame.

    x, y: int8, in quarters of a pixel and of a line of a field; the field beside it in the other frame is as far away
    on the other side. cost: uint16, the sum of 256 absolute differences, 65535 where it is not believed.
    """

    x: Array
    y: Array
    cost: Array

    @property
    def arrays(self) -> tuple[Array, ...]:
        """All of it."""
        return self.x, self.y, self.cost

    def compensated(self, field: Field, out: Frame, weights: Weights = WEIGHTS) -> Launch:
        """The launch that puts the compensated samples into luma of ``out``, as far as they can be believed."""
        device, reference = out.device, field.needed_reference("motions")
        current, other, target = (Samples.of(frame, "Y") for frame in (field.current, reference, out))
        require_shape("motion about a field", self.x, _blocks(field))
        params = _VECTORED(
            current=source_record(device, current),
            reference=source_record(device, other),
            target=target_record(device, target),
            x=device.address(self.x),
            y=device.address(self.y),
            cost=device.address(self.cost),
            pitch_B=int(self.x.strides[0]),
            cost_pitch_B=int(self.cost.strides[0]),
            width=current.width,
            height=current.height,
            parity=field.parity,
            scale=current.bits - 8,
            weights=weights,
        )
        wide, high = VECTORED_TILES[device.tile_limits]
        tiles = -(-current.width // wide), -(-((current.height + field.parity) // 2) // high)
        arrays = (current.array, other.array, target.array, *self.arrays)
        return Launch(f"vectored_{current.type_name}", params, *tiles, arrays)


@dataclass(frozen=True, eq=False)
class _Guides:
    """The fields of frames in 8 bits, with their borders repeated, by the frame's number and parity."""

    memory: Array
    rows: int
    frames: tuple[Frame, ...]

    @classmethod
    def of(cls, device: Device, frames: tuple[Frame, ...]) -> tuple[_Guides, list[Launch]]:
        luma = [Samples.of(frame, "Y") for frame in frames]
        require_alike("pictures that motion is searched in", *luma)
        width, height = luma[0].width, luma[0].height
        rows, pitch = (height + 1) // 2 + 2 * GUIDE_LINES, (width + 2 * GUIDE_PX + 63) // 64 * 64
        guides = cls(device.empty((2 * len(frames) * rows, pitch), "u1"), rows, frames)
        launches = []
        for number, samples in enumerate(luma):
            for parity in (0, 1):
                params = _GUIDE(
                    source=source_record(device, samples),
                    guide=device.address(guides.memory) + (2 * number + parity) * rows * pitch,
                    pitch_B=pitch,
                    rows=rows,
                    width=width,
                    height=height,
                    parity=parity,
                    drop=samples.bits - 8,
                )
                tiles = -(-pitch // GUIDE_TILE[0]), -(-rows // GUIDE_TILE[1])
                arrays = (samples.array, guides.memory)
                launches.append(Launch(f"vector_guide_{samples.type_name}", params, *tiles, arrays))
        return guides, launches

    def at(self, device: Device, frame: Frame, parity: int) -> int:
        """Address of a field's first sample."""
        number = next(n for n, other in enumerate(self.frames) if other is frame)
        pitch = int(self.memory.strides[0])
        line = (2 * number + parity) * self.rows + GUIDE_LINES
        return device.address(self.memory) + line * pitch + GUIDE_PX


def find_vectors(fields: Sequence[Field]) -> dict[int, FieldVectors]:
    """The motion about fields of a pair of frames, by the field's parity; none of fields that lack no lines."""
    fields = [field for field in fields if field.current.height_px + field.parity > 1]
    if not fields:
        return {}
    device, first = fields[0].current.device, fields[0]
    guides, launches = _Guides.of(device, (first.current, first.needed_reference("motions")))
    device.launch(*launches)
    steps = [_found(device, field, guides) for field in fields]
    device.launch(*(search for search, _, _ in steps))
    device.launch(*(smooth for _, smooth, _ in steps))
    return {field.parity: found for field, (_, _, found) in zip(fields, steps, strict=True)}


def _blocks(field: Field) -> tuple[int, int]:
    """Rows and columns."""
    lines = (field.current.height_px + field.parity) // 2
    return -(-lines // BLOCK_LINES), -(-field.current.width_px // BLOCK_PX)


def _found(device: Device, field: Field, guides: _Guides) -> tuple[Launch, Launch, FieldVectors]:
    current, reference = field.current, field.needed_reference("motions")
    rows, columns = _blocks(field)
    searched, found = (
        FieldVectors(*(device.empty((rows, columns), kind) for kind in ("i1", "i1", "<u2"))) for _ in range(2)
    )
    pointers = (
        guides.at(device, current, 1 - field.parity),
        guides.at(device, reference, 1 - field.parity),
        guides.at(device, current, field.parity),
        guides.at(device, reference, field.parity),
    )

    def search(to: FieldVectors) -> np.void:
        return _SEARCH(
            guides=pointers,
            x=device.address(to.x),
            y=device.address(to.y),
            cost=device.address(to.cost),
            guide_pitch_B=int(guides.memory.strides[0]),
            pitch_B=int(to.x.strides[0]),
            cost_pitch_B=int(to.cost.strides[0]),
            columns=columns,
        )

    smooth = _SMOOTH(
        to=search(found),
        x=device.address(searched.x),
        y=device.address(searched.y),
        cost=device.address(searched.cost),
        rows=rows,
        parity=field.parity,
    )
    tiles = -(-columns // SEARCH_BLOCKS), rows
    first = Launch("vector_search", search(searched), *tiles, (guides.memory, *searched.arrays))
    last = Launch("vector_smooth", smooth, *tiles, (guides.memory, *searched.arrays, *found.arrays))
    return first, last, found
