"""Motion between fields, and lines made of both (docs/deinterlace-hq.md (61) to (67), (72) to (74), (76), (79))."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.video.deinterlace.field import Field
from texsamp.video.deinterlace.field_guides import FieldGuides
from texsamp.video.frame import Frame
from texsamp.video.samples import Samples, require_alike, require_shape, target_record

_SHIFT = params_type("FieldShiftParams")
_COARSE, _FINE = params_type("VectorCoarseParams"), params_type("VectorFineParams")
_ASIDE, _VECTORED = params_type("VectorAsideParams"), params_type("VectoredParams")
_SMOOTH = params_type("SmoothParams")
_COMBS_B, _SMOOTH_B = 6, 8
BLOCK_PX, BLOCK_LINES = 16, 4
"""A block: pixels across, missing lines down."""
COARSE_BLOCKS = {"host": 64, "device": 32}
FINE_BLOCKS = {"host": 128, "device": 32}
VECTORED_TILES = {"host": (256, 16), "device": (64, 8)}
"""Tiles: blocks; pixels and missing lines (a test holds all against the header)."""
SMOOTH_TILES = {"host": (256, 4), "device": (64, 2)}
"""Tiles: pixels and rows of blocks (a test holds all against the header)."""
DOUBTED = 65535
"""The cost of a vector that is not believed."""
CALM = 256
"""What blocks that stand cost less than; where a field is limited, they are left as they are (80)."""
WEIGHTS = bytes(
    (
        *(6, 5, 4, 5, 8, 7, 6, 5, 6, 3, 3, 0, 8, 8, 7, 4, 7, 5, 0, 8, 8, 3, 7, 0, 8, 8, 2, 7, 8, 2, 2, 0),
        *(3, 3, 3, 3, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 8, 0, 0, 0),
        *(6, 5, 3, 4, 8, 7, 6, 6, 8, 6, 3, 2, 8, 6, 6, 0, 8, 6, 3, 3, 8, 7, 7, 0, 8, 5, 0, 0, 8, 0, 0, 0),
        *(0, 2, 2, 2, 0, 0, 2, 2, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4, 2, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0),
        *(6, 5, 4, 4, 7, 7, 6, 5, 7, 7, 3, 4, 8, 7, 5, 4, 8, 6, 0, 0, 8, 7, 2, 2, 6, 0, 0, 0, 8, 4, 0, 0),
        *(0, 2, 2, 2, 0, 2, 2, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 7, 3, 0, 0, 0, 3, 0, 0, 5, 0, 0, 0),
        *(6, 6, 5, 5, 7, 7, 6, 5, 7, 7, 4, 3, 8, 7, 5, 2, 7, 4, 2, 0, 7, 5, 3, 0, 7, 3, 0, 0, 7, 3, 0, 2),
        *(0, 4, 3, 2, 7, 6, 3, 0, 0, 3, 2, 0, 6, 5, 2, 0, 6, 2, 0, 0, 5, 4, 0, 0, 7, 0, 0, 0, 6, 0, 0, 0),
        *(7, 6, 6, 6, 8, 7, 6, 5, 7, 7, 3, 0, 7, 7, 4, 2, 6, 6, 4, 0, 6, 5, 4, 0, 7, 7, 0, 0, 0, 3, 2, 5),
        *(7, 0, 3, 0, 8, 6, 2, 0, 0, 4, 2, 0, 8, 8, 0, 0, 0, 3, 0, 0, 4, 3, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0),
        *(2, 3, 3, 4, 7, 6, 6, 6, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 8, 0, 0, 6, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(0, 2, 2, 3, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(0, 2, 3, 4, 5, 5, 6, 7, 0, 3, 3, 2, 0, 2, 6, 0, 2, 2, 4, 0, 0, 3, 0, 0, 3, 7, 0, 0, 0, 0, 0, 0),
        *(0, 2, 2, 2, 3, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 2, 0, 0, 0, 0, 0, 0),
        *(0, 2, 4, 5, 2, 5, 7, 6, 0, 4, 5, 2, 3, 6, 8, 8, 0, 4, 5, 0, 0, 5, 8, 0, 0, 8, 8, 0, 0, 6, 8, 0),
        *(0, 2, 2, 2, 3, 2, 2, 0, 0, 2, 2, 0, 0, 2, 0, 0, 0, 3, 2, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0),
        *(0, 4, 5, 5, 3, 7, 8, 7, 4, 6, 7, 3, 5, 8, 8, 3, 5, 6, 6, 2, 3, 6, 8, 8, 4, 8, 7, 0, 2, 7, 3, 8),
        *(0, 2, 3, 2, 0, 2, 2, 2, 4, 2, 3, 0, 3, 5, 2, 0, 0, 2, 2, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0),
        *(4, 6, 7, 5, 8, 8, 8, 8, 5, 4, 5, 2, 6, 8, 8, 8, 7, 8, 4, 0, 0, 8, 8, 4, 3, 0, 2, 0, 0, 8, 3, 2),
        *(2, 2, 4, 2, 8, 7, 6, 4, 0, 3, 2, 0, 0, 8, 4, 0, 8, 0, 0, 0, 8, 4, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0),
        *(2, 2, 2, 2, 3, 2, 3, 4, 2, 0, 4, 0, 2, 4, 8, 0, 2, 8, 0, 0, 0, 8, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0),
        *(2, 2, 2, 2, 5, 3, 4, 3, 2, 0, 0, 0, 4, 4, 3, 0, 0, 0, 0, 0, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(0, 2, 3, 3, 0, 3, 5, 7, 3, 2, 2, 0, 0, 0, 3, 8, 2, 0, 0, 0, 0, 0, 2, 0, 5, 8, 0, 0, 8, 0, 0, 0),
        *(2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(0, 0, 2, 3, 0, 2, 3, 4, 3, 2, 2, 5, 2, 0, 3, 0, 3, 2, 2, 2, 3, 0, 3, 2, 7, 3, 3, 0, 7, 3, 0, 0),
        *(3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0, 0, 0, 0),
        *(2, 0, 2, 3, 0, 0, 2, 4, 3, 3, 2, 7, 0, 2, 2, 3, 5, 8, 5, 0, 6, 0, 4, 0, 6, 8, 8, 0, 3, 8, 8, 0),
        *(3, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(2, 0, 4, 2, 0, 3, 5, 5, 2, 4, 0, 0, 0, 0, 8, 7, 0, 4, 0, 0, 0, 6, 8, 0, 7, 6, 0, 0, 2, 3, 6, 7),
        *(0, 7, 2, 2, 7, 4, 3, 3, 8, 6, 2, 0, 7, 5, 0, 3, 0, 0, 0, 2, 0, 7, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0),
        *(6, 5, 5, 4, 8, 8, 7, 7, 3, 4, 5, 8, 8, 7, 5, 0, 2, 5, 0, 6, 8, 7, 4, 2, 5, 0, 7, 8, 7, 5, 2, 2),
        *(2, 3, 3, 3, 0, 0, 3, 2, 0, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 3, 5, 0, 0),
        *(5, 5, 4, 3, 8, 8, 6, 2, 6, 6, 0, 8, 8, 5, 2, 0, 4, 3, 0, 5, 7, 7, 2, 3, 4, 0, 0, 0, 2, 0, 5, 2),
        *(0, 2, 2, 2, 2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(5, 4, 4, 4, 8, 7, 5, 4, 4, 4, 3, 2, 7, 6, 3, 2, 4, 4, 0, 0, 7, 4, 4, 0, 4, 5, 0, 0, 4, 2, 0, 2),
        *(0, 0, 2, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(6, 5, 5, 5, 8, 7, 6, 4, 4, 4, 0, 0, 7, 6, 3, 2, 2, 0, 0, 0, 4, 4, 3, 0, 3, 0, 0, 0, 0, 2, 0, 3),
        *(2, 2, 2, 2, 3, 2, 2, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0),
        *(7, 5, 4, 4, 8, 7, 6, 4, 6, 2, 0, 0, 6, 5, 3, 0, 3, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(5, 2, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(3, 4, 3, 3, 8, 8, 5, 4, 0, 2, 3, 2, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(2, 3, 3, 2, 4, 2, 2, 2, 0, 0, 0, 0, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(2, 3, 3, 3, 8, 8, 7, 3, 2, 4, 4, 2, 7, 6, 2, 6, 0, 3, 0, 2, 2, 0, 0, 5, 0, 5, 4, 0, 0, 0, 0, 4),
        *(2, 2, 2, 2, 2, 0, 0, 2, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(0, 3, 4, 4, 4, 7, 7, 5, 0, 3, 3, 0, 0, 2, 2, 0, 0, 0, 3, 0, 0, 2, 3, 3, 0, 0, 0, 0, 0, 0, 0, 3),
        *(0, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(0, 4, 4, 3, 5, 6, 6, 5, 0, 2, 3, 3, 0, 4, 4, 2, 0, 0, 2, 2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 2),
        *(0, 2, 2, 2, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(3, 4, 4, 3, 5, 7, 6, 4, 0, 0, 0, 0, 2, 3, 4, 3, 0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 2, 3),
        *(2, 0, 0, 0, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(3, 3, 2, 3, 2, 3, 2, 0, 3, 2, 2, 2, 2, 0, 0, 0, 3, 0, 3, 0, 0, 0, 0, 8, 4, 0, 0, 0, 0, 0, 2, 0),
        *(3, 3, 2, 2, 4, 3, 3, 3, 2, 2, 0, 0, 3, 2, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 2, 8, 0, 0, 0, 0, 0, 0),
        *(2, 3, 3, 4, 0, 2, 3, 3, 2, 4, 3, 0, 0, 0, 2, 0, 2, 4, 3, 2, 3, 0, 2, 2, 0, 0, 0, 0, 0, 0, 2, 0),
        *(2, 2, 3, 2, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(0, 0, 0, 2, 0, 0, 2, 3, 2, 2, 2, 2, 0, 3, 0, 2, 0, 3, 0, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2),
        *(2, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(2, 0, 0, 3, 0, 0, 2, 3, 2, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3),
        *(2, 2, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        *(2, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 2, 2),
        *(2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    )
)
"""Eighths of the compensated sample, by `benchmarks.fit_deinterlace`; (66)."""


@dataclass(frozen=True, eq=False)
class FieldVectors:
    """Of a field, by blocks of 16 pixels by 4 of the lines it lacks: the way to the field beside it in its own frame.

    x, y: int8, in quarters of a pixel and of a line of a field; the field beside it in the other frame is as far away
    on the other side. aside: int8, in quarters of a pixel, how far right of the middle between both the field is.
    cost: uint16, the sum of 256 absolute differences, 65535 where it is not believed. shift: int32, in pixels and lines
    of a field, where the fields beside it are to be seen from, then where that of its own parity in the other frame is,
    by (83). guides: of the field's frame and of the other one. weights: how far they are followed.
    """

    LAUNCHES_BY: ClassVar = ("x", "y", "aside", "cost", "shift", "followed", "weights")

    x: Array
    y: Array
    aside: Array
    cost: Array
    shift: Array
    guides: tuple[FieldGuides, FieldGuides]
    weights: bytes = WEIGHTS

    @property
    def followed(self) -> tuple[Array, Array, int]:
        """What of the guides samples are taken from, and how many rows they have for each field."""
        own, other = self.guides
        return own.deep, other.deep, own.rows

    @property
    def arrays(self) -> tuple[Array, ...]:
        """What was found of blocks."""
        return self.x, self.y, self.aside, self.cost

    def compensated(self, field: Field, out: Frame) -> Launch:
        """The launch that puts the compensated samples into luma of ``out``, as far as they can be believed."""
        device, reference, (own, other) = out.device, field.needed_reference("motions"), self.guides
        current, target = Samples.of(field.current, "Y"), Samples.of(out, "Y")
        require_alike("a field, its reference and its frame", current, Samples.of(reference, "Y"), target)
        require_shape("motion about a field", self.x, _blocks(field))
        params = _VECTORED(
            own=own.at(own.deep, 1 - field.parity),
            other=other.at(other.deep, 1 - field.parity),
            field=own.at(own.deep, field.parity),
            beyond=other.at(other.deep, field.parity),
            shift=device.address(self.shift),
            target=target_record(device, target),
            x=device.address(self.x),
            y=device.address(self.y),
            aside=device.address(self.aside),
            cost=device.address(self.cost),
            guide_pitch_B=int(own.deep.strides[0]),
            pitch_B=int(self.x.strides[0]),
            cost_pitch_B=int(self.cost.strides[0]),
            width=current.width,
            height=current.height,
            parity=field.parity,
            scale=current.bits - 8,
            max=2**current.bits - 1,
            calm=CALM if field.limited else 0,
            weights=self.weights,
        )
        wide, high = VECTORED_TILES[device.tile_limits]
        tiles = -(-current.width // wide), -(-_lines(field) // high)
        arrays = (own.deep, other.deep, target.array, *self.arrays, self.shift)
        return Launch(f"vectored_{current.type_name}", params, *tiles, arrays)

    def smoothed(self, field: Field, out: Frame, noise: Array | None) -> tuple[Launch, Launch]:
        """The launches that make what the field's own lines tell better than luma of ``out`` does, (79).

        noise: that of `matches.Matches`, if it is known.
        """
        device, own, target = out.device, self.guides[0], Samples.of(out, "Y")
        require_shape("motion about a field", self.x, _blocks(field))
        rows, columns = self.x.shape
        sums = device.empty((rows, columns * _SMOOTH_B), "u1")
        params = _SMOOTH(
            field=own.at(own.deep, field.parity),
            target=target_record(device, target),
            x=device.address(self.x),
            y=device.address(self.y),
            cost=device.address(self.cost),
            noise=0 if noise is None else device.address(noise),
            sums=device.address(sums),
            guide_pitch_B=int(own.deep.strides[0]),
            pitch_B=int(self.x.strides[0]),
            cost_pitch_B=int(self.cost.strides[0]),
            sums_pitch_B=int(sums.strides[0]),
            width=target.width,
            height=target.height,
            parity=field.parity,
            scale=target.bits - 8,
            max=2**target.bits - 1,
        )
        wide, high = SMOOTH_TILES[device.tile_limits]
        tiles = -(-target.width // wide), -(-rows // high)
        arrays = (own.deep, target.array, self.x, self.y, self.cost, sums, *(() if noise is None else (noise,)))
        measured, lines = (f"{name}_{target.type_name}" for name in ("smooth_sums", "smooth_lines"))
        return Launch(measured, params, *tiles, arrays), Launch(lines, params, *tiles, arrays)

    def moving_share(self) -> float:
        """Share of the blocks, 0 to 1, whose vector is believed and leads elsewhere."""
        device = self.guides[0].frame.device
        x, y, cost, shift = device.start_download([self.x, self.y, self.cost, self.shift]).result()
        return float((((x != 0) | (y != 0) | shift[:2].any()) & (cost != DOUBTED)).mean())


def find_vectors(fields: Sequence[Field], known: Iterable[FieldGuides] = ()) -> dict[int, FieldVectors]:
    """The motion about fields of a pair of frames, by the field's parity; none of fields that lack no lines.

    ``known`` are guides that were made before; those of frames that are not among them are made.
    """
    fields = [field for field in fields if _lines(field)]
    if not fields:
        return {}
    device, first = fields[0].current.device, fields[0]
    frames = first.current, first.needed_reference("motions")
    require_alike("pictures that motion is searched in", *(Samples.of(frame, "Y") for frame in frames))
    found = [next((one for one in known if one.frame is frame), None) or FieldGuides.of(frame) for frame in frames]
    steps = [_found(device, field, _of(field.current, found)) for field in fields]
    for launches in zip(*(launches for launches, _ in steps), strict=True):
        device.launch(*launches)
    return {field.parity: vectors for field, (_, vectors) in zip(fields, steps, strict=True)}


def _of(frame: Frame, guides: Sequence[FieldGuides]) -> tuple[FieldGuides, FieldGuides]:
    """Those of two frames, this one's first."""
    one, other = guides
    return (one, other) if one.frame is frame else (other, one)


def _lines(field: Field) -> int:
    """That it lacks."""
    return (field.current.height_px + field.parity) // 2


def _blocks(field: Field) -> tuple[int, int]:
    """Rows and columns."""
    return -(-_lines(field) // BLOCK_LINES), -(-field.current.width_px // BLOCK_PX)


def _found(
    device: Device, field: Field, guides: tuple[FieldGuides, FieldGuides]
) -> tuple[tuple[Launch, ...], FieldVectors]:
    rows, columns = _blocks(field)
    parities = 1 - field.parity, field.parity
    halves = tuple(one.at(one.half, parity) for parity in parities for one in guides)
    wholes = tuple(one.at(one.guide, parity) for parity in parities for one in guides)
    large = (rows + 1) // 2, (columns + 1) // 2
    coarse_x, coarse_y = device.empty(large, "i1"), device.empty(large, "i1")
    x, y, aside, cost = (device.empty((rows, columns), kind) for kind in ("i1", "i1", "i1", "<u2"))
    combs = device.empty((rows, columns * _COMBS_B), "u1")
    shift = device.empty((4,), "<i4")
    found = FieldVectors(x, y, aside, cost, shift, guides)
    own, other = (one.sums for one in guides)
    apart = _SHIFT(
        own=device.address(own),
        other=device.address(other),
        shift=device.address(shift),
        of=guides[0].summed,
        parity=field.parity,
    )
    coarse = _COARSE(
        halves=halves,
        shift=device.address(shift),
        x=device.address(coarse_x),
        y=device.address(coarse_y),
        guide_pitch_B=int(guides[0].half.strides[0]),
        pitch_B=int(coarse_x.strides[0]),
        columns=large[1],
    )
    fine = _FINE(
        guides=wholes,
        shift=device.address(shift),
        coarse_x=device.address(coarse_x),
        coarse_y=device.address(coarse_y),
        x=device.address(found.x),
        y=device.address(found.y),
        cost=device.address(found.cost),
        combs=device.address(combs),
        guide_pitch_B=int(guides[0].guide.strides[0]),
        coarse_pitch_B=int(coarse_x.strides[0]),
        pitch_B=int(found.x.strides[0]),
        cost_pitch_B=int(found.cost.strides[0]),
        combs_pitch_B=int(combs.strides[0]),
        columns=columns,
        rows=rows,
        parity=field.parity,
    )
    beside = _ASIDE(
        combs=device.address(combs),
        aside=device.address(found.aside),
        combs_pitch_B=int(combs.strides[0]),
        pitch_B=int(aside.strides[0]),
        columns=columns,
        rows=rows,
    )
    wide, narrow = COARSE_BLOCKS[device.tile_limits], FINE_BLOCKS[device.tile_limits]
    in_halves = (*(one.half for one in guides), shift, coarse_x, coarse_y)
    in_wholes = (*(one.guide for one in guides), shift, coarse_x, coarse_y, x, y, cost, combs)
    launches = (
        Launch("field_shift", apart, 1, 1, (own, other, shift)),
        Launch("vector_coarse", coarse, -(-large[1] // wide), large[0], in_halves),
        Launch("vector_fine", fine, -(-columns // narrow), rows, in_wholes),
        Launch("vector_aside", beside, -(-columns // narrow), rows, (combs, aside)),
    )
    return launches, found
