"""Where levels and slices lie, in texels: mip placement, distance of slices, volumes, cubes."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.errors import StateError
from texsamp.state.render_surface import ArraySpacing, SurfaceType
from texsamp.surface.layout.description import MipLayout, SurfaceDescription, Usage
from texsamp.surface.layout.multisample import INTERLEAVED_SCALE
from texsamp.surface.tiling import Coordinate


def round_up(value: int, multiple: int) -> int:
    """The next multiple."""
    return -(-value // multiple) * multiple


@dataclass(frozen=True)
class Level:
    """One level: its size, its padded size (w_L, h_L), and where its first slice begins.

    In a volume 2**columns_log2 slices lie side by side; elsewhere a level holds one slice.
    """

    width_px: int
    height_px: int
    depth_px: int
    padded_width_px: int
    padded_height_rows: int
    x_px: int
    y_rows: int
    columns_log2: int = 0

    def slice_origin(self, z: Coordinate) -> tuple[Coordinate, Coordinate]:
        """Where slice ``z`` of a volume begins: 2**L slices to a line (001:2522-2530)."""
        return (
            self.x_px + (z & ((1 << self.columns_log2) - 1)) * self.padded_width_px,
            self.y_rows + (z >> self.columns_log2) * self.padded_height_rows,
        )

    @property
    def right_px(self) -> int:
        """First column that no slice of the level reaches."""
        return self.x_px + min(self.depth_px, 1 << self.columns_log2) * self.padded_width_px

    @property
    def bottom_rows(self) -> int:
        """First row that no slice of the level reaches."""
        return self.y_rows + -(-self.depth_px >> self.columns_log2) * self.padded_height_rows

    @property
    def last_column_end_px(self) -> int:
        """First column that holds no texel of the level."""
        return self.right_px - self.padded_width_px + self.width_px

    @property
    def last_row_end(self) -> int:
        """First row that holds no texel of the level."""
        return self.bottom_rows - self.padded_height_rows + self.height_px


def is_stack(description: SurfaceDescription) -> bool:
    """Whether slices are stacked level by level: volumes, and cubes before Ironlake (001:2459)."""
    old_cube = description.type == SurfaceType.SURFTYPE_CUBE and description.generation < 5
    return description.type == SurfaceType.SURFTYPE_3D or old_cube


def _minified(size: int, level: int) -> int:
    return max(size >> level, 1)  # 001:2279-2287


def _level0(description: SurfaceDescription) -> tuple[int, int]:
    """W_0 and H_0; interleaved samples widen them first (IVB 1.1 p. 108, SNB 1.1 p. 111)."""
    d = description
    if not d.interleaved:
        return d.width_px, d.height_px
    scale_x, scale_y = INTERLEAVED_SCALE[d.samples]
    return round_up(d.width_px, 2) * scale_x, round_up(d.height_px, 2) * scale_y


def levels_of(description: SurfaceDescription, unit: tuple[int, int]) -> tuple[Level, ...]:
    """Every level of a surface with an alignment unit."""
    return _stacked(description, unit) if is_stack(description) else _flat(description, unit)


def _flat(description: SurfaceDescription, unit: tuple[int, int]) -> tuple[Level, ...]:
    """MIPLAYOUT_BELOW: 1 below 0, 2 right of 1, the rest below 2; _RIGHT: 1 right of 0, the rest below 1 (001:2313)."""
    (width, height), (i, j) = _level0(description), unit
    right = description.mip_layout is MipLayout.RIGHT and not description.is_array  # 001:2399: arrays are always BELOW
    made: list[Level] = []
    x = y = 0
    for number in range(description.levels):
        size = _minified(width, number), _minified(height, number)
        padded = round_up(size[0], i), round_up(size[1], j)
        made.append(Level(*size, 1, *padded, x, y))
        if number == (0 if right else 1):
            x += padded[0]
        else:
            y += padded[1]
    return tuple(made)


def _stacked(description: SurfaceDescription, unit: tuple[int, int]) -> tuple[Level, ...]:
    i, j = unit
    made: list[Level] = []
    y = 0
    for number in range(description.levels):
        depth = (
            _minified(description.depth_px, number)
            if description.type == SurfaceType.SURFTYPE_3D
            else description.slices  # 001:2459: six faces on every level
        )
        size = _minified(description.width_px, number), _minified(description.height_px, number)
        rows = slice_pitch_rows(description, unit) if description.generation >= 9 else round_up(size[1], j)
        made.append(Level(*size, depth, round_up(size[0], i), rows, 0, y, number))
        y = made[-1].bottom_rows
    return tuple(made)


def slice_pitch_rows(description: SurfaceDescription, unit: tuple[int, int]) -> int:
    """QPitch in rows of texels: from one array slice to the next; on Gen9 as the state says.

    h0 + h1 + 11 j up to Gen6 (001:2407), + 12 j from Gen7 (IVB 1.1 p. 111-112); h0 alone
    for LOD0 spacing (003:2120) and for stencil buffers before Gen7 (001:2419). Sandy Bridge adds 4 rows to 4x surfaces
    of height 1, 5, 9, … (erratum, SNB 1.1 p. 115).
    """
    d, (_, height), j = description, _level0(description), unit[1]
    if d.generation >= 9:
        least = max(level.y_rows + level.padded_height_rows for level in _flat(d, unit))
        rows = least if d.slice_rows is None else d.slice_rows
        if rows < least or rows % j:
            raise StateError(f"rows from slice to slice must be a multiple of {j} from {least} on, found {rows}")
        return rows
    h0, h1 = round_up(height, j), round_up(_minified(height, 1), j)
    if d.spacing == ArraySpacing.LOD0 or (d.usage is Usage.STENCIL and d.generation < 7):
        return h0
    erratum = 4 if d.generation == 6 and d.samples > 1 and d.height_px % 4 == 1 else 0
    return h0 + h1 + (11 if d.generation < 7 else 12) * j + erratum
