"""Tilings: where byte x of row y of a surface lies in memory.

A tile is a rectangle of a surface whose bytes lie together, 4096 of them in the classic tilings. Inside it every
address bit is one bit of x (in bytes), of y (in rows), of the slice of a volume, or of the sample number;
`address_bits` lists them, and everything else follows from that list. Tiles follow each other in rows across the pitch.

The seeds name the tilings (003:2080, 003:3159, 004:2339); the formulas of X, Y and W are printed in VLV 5 p. 12 and
HSW 5 p. 20-21. Those of TileYF and TileYS are Intel's GMM library's descriptors, which Mesa's drivers agree with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any

import numpy as np

from texsamp.cached import cached_property
from texsamp.device.arguments import is_integer
from texsamp.errors import StateError

__all__ = ["LINEAR", "TILINGS", "AddressSwizzle", "Addressing", "Coordinate", "Position", "Tiling", "tiling"]

Coordinate = Any


def wide(coordinate: Coordinate) -> Coordinate:
    """A coordinate in numbers that hold any offset: numpy's narrow ones would wrap around.

    Raises StateError for what is neither an integer nor a numpy array of integers.
    """
    if is_integer(coordinate):
        return int(coordinate)
    if isinstance(coordinate, np.ndarray) and coordinate.dtype.kind in "iu":
        return coordinate.astype(np.int64, copy=False)
    raise StateError(f"coordinates must be integers or numpy arrays of them, found {coordinate!r}")


"""An int, or an int64 array; functions of coordinates return what they are given."""

MAX_PITCH_B = 1 << 18
"""Largest pitch of a surface (003:2286-2288)."""


@dataclass(frozen=True)
class Tiling:
    """One tiling. ``address_bits``: which coordinate feeds each address bit of a tile, highest bit first.

    X counts bytes along a row, Y rows, Z slices of a volume, S samples; the bits of one coordinate keep their order.
    ``since`` and ``until`` are generations.
    """

    name: str
    address_bits: str
    since: float
    until: float

    @cached_property
    def masks(self) -> Mapping[str, int]:
        """For X, Y, Z and S: the address bits that the coordinate feeds."""
        low_first = self.address_bits[::-1]
        return MappingProxyType(
            {axis: sum(1 << bit for bit, letter in enumerate(low_first) if letter == axis) for axis in "XYZS"}
        )

    @cached_property
    def log2_extents(self) -> Mapping[str, int]:
        """For X, Y, Z and S: how many bits a tile has of it."""
        return MappingProxyType({axis: self.address_bits.count(axis) for axis in "XYZS"})

    @property
    def width_B(self) -> int:  # noqa: N802 - the unit
        """Bytes of one row of a tile; 1 if linear."""
        return 1 << self.log2_extents["X"]

    @property
    def height_rows(self) -> int:
        """Rows of a tile."""
        return 1 << self.log2_extents["Y"]

    @property
    def depth_slices(self) -> int:
        """Slices of a volume in one tile."""
        return 1 << self.log2_extents["Z"]

    @property
    def samples(self) -> int:
        """Samples of a pixel in one tile."""
        return 1 << self.log2_extents["S"]

    @property
    def size_B(self) -> int:  # noqa: N802 - the unit
        """Bytes of a tile."""
        return 1 << len(self.address_bits)

    @property
    def run_B(self) -> int:  # noqa: N802 - the unit
        """Neighboring bytes of a row that are neighbors in memory as well; the largest pitch if linear."""
        if not self.address_bits:
            return MAX_PITCH_B
        return 1 << (len(self.address_bits) - len(self.address_bits.rstrip("X")))

    def scatter(self, axis: str, value: Coordinate) -> Coordinate:
        """The coordinate's low bits at the address bits it feeds; higher bits of ``value`` are ignored."""
        place = value & 0
        for index, bit in enumerate(_bits(self.masks[axis])):
            place = place | (value >> index & 1) << bit
        return place

    def gather(self, axis: str, place: Coordinate) -> Coordinate:
        """The coordinate's low bits out of an address inside a tile: `scatter` undone."""
        value = place & 0
        for index, bit in enumerate(_bits(self.masks[axis])):
            value = value | (place >> bit & 1) << index
        return value


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


LINEAR = Tiling("linear", "", 4, 99)

_CLASSIC = (
    LINEAR,
    Tiling("X", "YYYXXXXXXXXX", 4, 99),
    Tiling("Y", "XXXYYYYYXXXX", 4, 99),
    Tiling("W", "XXXYYYYXYXYX", 5, 11),  # separate stencil
)

_FIRST_STANDARD_BIT = 12
_STANDARD = {  # bits of one element: the address bits of TileYS; TileYF has the lower twelve
    "2D": {
        8: "XYXYXYXY YYYYXXXX",
        16: "XYXYXYXY XYYYXXXX",
        32: "XYXYXYXY XYYYXXXX",
        64: "XYXYXYXY XXYYXXXX",
        128: "XYXYXYXY XXYYXXXX",
    },
    "3D": {
        8: "XYZXYZYZ ZZYYXXXX",
        16: "XYZXYZYZ ZZYYXXXX",
        32: "XYZXYZXY ZZYYXXXX",
        64: "XYZXYZXX ZZYYXXXX",
        128: "XYZXYZXX ZZYYXXXX",
    },
}


def _standard_tilings() -> list[Tiling]:
    """TileYF (4 KB) and TileYS (64 KB) of Gen9: they depend on the element, the dimension and the samples.

    The samples' bits take the place of the highest bits. Seed 000:34-75 confirms every extent: it lists the largest
    level that fits a mip tail, which is half a tile.
    """
    made = []
    for dimension, by_size in _STANDARD.items():
        for element_bits, spelled in by_size.items():
            large = spelled.replace(" ", "")
            small = large[-_FIRST_STANDARD_BIT:]
            for letter, bits in (("YF", small), ("YS", large)):
                for log2_samples in range(5 if dimension == "2D" else 1):
                    suffix = "_3D" if dimension == "3D" else f"_MSAA{1 << log2_samples}" if log2_samples else ""
                    name = f"{letter}_{element_bits}{suffix}"
                    made.append(Tiling(name, "S" * log2_samples + bits[log2_samples:], 9, 10))
    return made


TILINGS: Mapping[str, Tiling] = MappingProxyType({t.name: t for t in (*_CLASSIC, *_standard_tilings())})
"""Every tiling by name: linear, X, Y, W, and Gen9's YF_<bits> and YS_<bits>, alone, with _MSAA<n> or with _3D."""


def tiling(name: str) -> Tiling:
    """The tiling of this name. Raises StateError naming the known ones."""
    if name not in TILINGS:
        raise StateError(f"no tiling {name!r}; there are {', '.join(TILINGS)}")
    return TILINGS[name]


class AddressSwizzle(Enum):
    """Bit-6 swizzling: address bit 6 is exchanged for its exclusive or with these higher address bits.

    Machines with two interleaved memory channels up to Gen7 do so for X (BIT_9_10) and for Y and W (BIT_9); the modes
    with bit 11 occur where the processor swizzles in addition. Those with bit 17 of the physical address cannot be
    followed, as only the operating system knows that address. A public fact (the kernel driver's tiling interface).
    """

    NONE = ()
    BIT_9 = (9,)
    BIT_9_10 = (9, 10)
    BIT_9_11 = (9, 11)
    BIT_9_10_11 = (9, 10, 11)

    def apply(self, offset: Coordinate) -> Coordinate:
        """The swizzled offset of an offset, and the other way round."""
        for bit in self.value:
            offset = offset ^ (offset >> bit & 1) << 6
        return offset


@dataclass(frozen=True)
class Position:
    """A byte of a surface: byte ``x_B`` of row ``y_rows`` of slice ``z``, sample ``sample``."""

    x_B: Coordinate  # noqa: N815 - the unit
    y_rows: Coordinate
    z: Coordinate
    sample: Coordinate


@dataclass(frozen=True)
class Addressing:
    """A tiling with a pitch: byte (x, y) to offset from the surface's first byte, and back.

    ``pitch_B`` is the bytes from one row to the next before tiling, a multiple of the tile's width. (The pitch field of
    a stencil buffer holds twice this value, 004:2341.) ``slice_rows`` is the rows of one slice, a multiple of the
    tile's height; only tilings with slices or samples inside a tile use it.

    Raises StateError if a value is out of range or if swizzling meets a tiling that has none.
    """

    tiling: Tiling
    pitch_B: int  # noqa: N815 - the unit
    swizzle: AddressSwizzle = AddressSwizzle.NONE
    slice_rows: int = 0

    def __post_init__(self) -> None:
        t = self.tiling
        for name in ("pitch_B", "slice_rows"):  # numpy's integers wrap around
            if is_integer(value := getattr(self, name)):
                object.__setattr__(self, name, int(value))
        if not t.width_B <= self.pitch_B <= MAX_PITCH_B or self.pitch_B % t.width_B:
            raise StateError(
                f"pitch of tiling {t.name} must be a multiple of {t.width_B} bytes up to {MAX_PITCH_B}, "
                f"found {self.pitch_B}"
            )
        if self.swizzle is not AddressSwizzle.NONE and t.name not in ("X", "Y", "W"):
            raise StateError(f"only tilings X, Y and W can have bit-6 swizzling, found {t.name}")
        if self.slice_rows < 0 or self.slice_rows % t.height_rows:
            raise StateError(
                f"slice_rows of tiling {t.name} must be a multiple of {t.height_rows}, found {self.slice_rows}"
            )

    @property
    def tile_row_B(self) -> int:  # noqa: N802 - the unit
        """Bytes from one row of tiles to the next."""
        return self.pitch_B // self.tiling.width_B * self.tiling.size_B

    @property
    def tile_slice_B(self) -> int:  # noqa: N802 - the unit
        """Bytes from one layer of tiles to the next."""
        return self.slice_rows // self.tiling.height_rows * self.tile_row_B

    def offset_B(  # noqa: N802 - the unit
        self,
        x_B: Coordinate,  # noqa: N803
        y_rows: Coordinate,
        z: Coordinate = 0,
        sample: Coordinate = 0,
    ) -> Coordinate:
        """Offset of a byte from the surface's first byte; coordinates are not negative, x_B below the pitch."""
        t = self.tiling
        log2 = t.log2_extents
        x_B, y_rows, z, sample = wide(x_B), wide(y_rows), wide(z), wide(sample)
        tile_B = (
            (z >> log2["Z"]) * self.tile_slice_B
            + (y_rows >> log2["Y"]) * self.tile_row_B
            + (x_B >> log2["X"]) * t.size_B
        )
        place = t.scatter("X", x_B) | t.scatter("Y", y_rows) | t.scatter("Z", z) | t.scatter("S", sample)
        return tile_B + self.swizzle.apply(place)

    def position(self, offset_B: Coordinate) -> Position:  # noqa: N803
        """The byte that lies at an offset: `offset_B` undone."""
        t = self.tiling
        offset_B = wide(offset_B)
        layer, in_slice = (
            (offset_B // self.tile_slice_B, offset_B % self.tile_slice_B)
            if self.slice_rows
            else (
                offset_B & 0,
                offset_B,
            )
        )
        tile_row, in_row = in_slice // self.tile_row_B, in_slice % self.tile_row_B
        place = self.swizzle.apply(in_row % t.size_B)
        corner = {"X": in_row // t.size_B, "Y": tile_row, "Z": layer, "S": offset_B & 0}
        x, y, z, sample = ((corner[axis] << t.log2_extents[axis]) | t.gather(axis, place) for axis in "XYZS")
        return Position(x, y, z, sample)

    def size_B(self, rows: int) -> int:  # noqa: N802 - the unit
        """Bytes of memory that ``rows`` rows of one slice take: whole rows of tiles."""
        return -(-rows // self.tiling.height_rows) * self.tile_row_B

    def tables(self, z: int = 0, sample: int = 0) -> tuple[np.ndarray[Any, np.dtype[Any]], np.ndarray[Any, Any]]:
        """Place inside a tile of every byte column and of every row (of slice ``z`` and ``sample``), as int32.

        The place of a byte is the exclusive or of its column's and its row's entry.
        """
        t = self.tiling
        columns = self.swizzle.apply(t.scatter("X", np.arange(t.width_B)))
        rows = t.scatter("Y", np.arange(t.height_rows)) | t.scatter("Z", z) | t.scatter("S", sample)
        return columns.astype(np.int32), self.swizzle.apply(rows).astype(np.int32)
