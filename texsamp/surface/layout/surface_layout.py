"""The layout of a surface: its description worked out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from texsamp.cached import cached_property
from texsamp.errors import StateError
from texsamp.surface.layout.alignment import alignment_unit, has_fixed_unit
from texsamp.surface.layout.description import SurfaceDescription, Usage
from texsamp.surface.layout.limits import MAX_SURFACE_B, limits_of
from texsamp.surface.layout.multisample import interleave
from texsamp.surface.layout.padding import padded_buffer_B, padded_rows_el
from texsamp.surface.layout.placement import Level, is_stack, levels_of, round_up, slice_pitch_rows
from texsamp.surface.tiling import Addressing, Coordinate, tiling, wide


class SurfaceLayout:
    """Where everything of a surface lies. Immutable.

    Its ``description`` has every choice filled in that was left open; layouts are equal if these are.

    A row of elements is a row of texels, or of blocks. Coordinates are integers, or numpy arrays of integers that
    broadcast.

    Raises StateError if the pitch is too small or against its rules, or the surface too large.
    """

    def __init__(self, description: SurfaceDescription) -> None:
        self.description = description
        self.element = description.element
        if description.is_buffer:
            self._lay_out_buffer()
        else:
            self._lay_out_image()
        self.description = self._resolved()
        if self.size_B > MAX_SURFACE_B:
            raise StateError(f"a surface may have {MAX_SURFACE_B} bytes, found {self.size_B}")

    def _lay_out_buffer(self) -> None:
        d = self.description
        self.unit = (1, 1)
        self.levels: tuple[Level, ...] = (Level(d.width_px, 1, 1, d.width_px, 1, 0, 0),)
        self.slice_pitch_el_rows = 1
        self.width_el, self.rows_el = d.width_px, 1
        self.pitch_B = self.element.size_B if d.pitch_B is None else d.pitch_B
        self.size_B = padded_buffer_B(d.width_px, self.pitch_B)

    def _lay_out_image(self) -> None:
        d, e = self.description, self.element
        self.unit = alignment_unit(d)
        self.levels = levels_of(d, self.unit)
        self.slice_pitch_el_rows = slice_pitch_rows(d, self.unit) // e.height_px
        below = 0 if is_stack(d) else (self._physical_slices - 1) * self.slice_pitch_el_rows
        self.width_el = max(level.right_px for level in self.levels) // e.width_px
        self.rows_el = below + max(level.bottom_rows for level in self.levels) // e.height_px
        self.pitch_B = self._pitch_B()
        rows, extra_B = padded_rows_el(d, self.rows_el)
        if d.tiling == "linear":
            self.size_B = rows * self.pitch_B + max(self.row_B - self.pitch_B, 0) + extra_B
        else:
            self.size_B = self.addressing.size_B(rows + -(-extra_B // self.pitch_B))

    def _resolved(self) -> SurfaceDescription:
        d = self.description
        if d.is_buffer:
            return replace(d, pitch_B=self.pitch_B)
        return replace(
            d,
            pitch_B=self.pitch_B,
            array_spacing=d.spacing,
            multisample_format=d.storage if d.samples > 1 else None,
            halign_px=None if has_fixed_unit(d) else self.unit[0],
            valign_rows=None if has_fixed_unit(d) else self.unit[1],
        )

    @property
    def _physical_slices(self) -> int:
        """Slices in memory: samples that are not interleaved have slices of their own (001:2449)."""
        d = self.description
        return d.slices * (1 if d.interleaved else d.samples)

    def _pitch_B(self) -> int:  # noqa: N802 - the unit
        """The pitch asked for, if it is legal, else the smallest legal one."""
        d, e = self.description, self.element
        multiple_B = tiling(d.tiling).width_B
        if d.usage is Usage.RENDER_TARGET and d.tiling == "linear":  # 003:2288: a multiple of the element, YUV of two
            multiple_B = e.size_B
        least_B = round_up(self.width_el * e.size_B, multiple_B)
        pitch_B = least_B if d.pitch_B is None else d.pitch_B
        if d.usage is Usage.TEXTURE and d.tiling == "linear":  # rows may overlap: drivers read tables so
            least_B = e.size_B
        if d.usage is Usage.RENDER_TARGET and d.tiling == "linear":  # padding may lie in the next row: nothing draws it
            least_B = max(level.last_column_end_px for level in self.levels) * e.size_B
        most_B = limits_of(d.generation).pitch_B
        if not least_B <= pitch_B <= most_B or pitch_B % multiple_B:
            raise StateError(
                f"pitch of this {d.tiling} surface must be a multiple of {multiple_B} bytes "
                f"from {least_B} to {most_B}, found {pitch_B}"
            )
        return pitch_B

    @property
    def row_B(self) -> int:  # noqa: N802 - the unit
        """Bytes of a row of elements, which may be more than the pitch of a linear surface."""
        return self.width_el * self.element.size_B

    @cached_property
    def addressing(self) -> Addressing:
        """Tiling and pitch, for `texsamp.surface.detile`. Raises StateError for a buffer, which has no rows."""
        if self.description.is_buffer:
            raise StateError("a buffer has no rows; its elements lie pitch_B bytes apart")
        return Addressing(tiling(self.description.tiling), self.pitch_B, self.description.swizzle)

    def origin_el(
        self, level: int = 0, layer: Coordinate = 0, z: Coordinate = 0, sample_slice: Coordinate = 0
    ) -> tuple[Coordinate, Coordinate]:
        """Column and row of elements at which a slice of a level begins.

        ``layer`` counts array slices, or cube faces (6 * cube + face; +X, -X, +Y, -Y, +Z, -Z: 001:2473), ``z`` slices
        of a volume, ``sample_slice`` slices of a pixel's samples.
        """
        d = self.description
        placed = self.levels[_require_index("level", level, len(self.levels))]
        layer = _require_index("layer", layer, d.slices)
        z = _require_index("z", z, placed.depth_px if d.depth_px > 1 else 1)
        sample_slice = _require_index("sample_slice", sample_slice, 1 if d.interleaved else d.samples)
        stacked = layer if is_stack(d) and d.slices > 1 else z
        x_px, y_rows = placed.slice_origin(stacked)
        x_el, y_el = x_px // self.element.width_px, y_rows // self.element.height_px
        if is_stack(d):
            return x_el, y_el
        physical = layer if d.interleaved else layer * d.samples + sample_slice
        return x_el, y_el + physical * self.slice_pitch_el_rows

    def place_el(
        self,
        x_px: Coordinate,
        y_px: Coordinate = 0,
        *,
        level: int = 0,
        layer: Coordinate = 0,
        z: Coordinate = 0,
        sample: Coordinate = 0,
    ) -> tuple[Coordinate, Coordinate]:
        """Column and row of the element that holds a texel, in the plane that the tiling cuts into tiles.

        ``sample`` is a sample number where samples are interleaved, else a sample slice (`sample_slice` of the pixel's
        MCS element). Raises StateError if a coordinate lies outside the level.
        """
        d, e = self.description, self.element
        width_px, height_px = self.level_size_px(level)
        x_px = _require_index("x_px", x_px, width_px)
        y_px = _require_index("y_px", y_px, height_px)
        sample = _require_index("sample", sample, d.samples)
        if d.interleaved:
            x_px, y_px = interleave(x_px, y_px, sample, d.samples)
            sample = 0
        x_el, y_el = self.origin_el(level, layer, z, sample)
        return x_el + x_px // e.width_px, y_el + y_px // e.height_px

    def offset_B(  # noqa: N802 - the unit
        self,
        x_px: Coordinate,
        y_px: Coordinate = 0,
        *,
        level: int = 0,
        layer: Coordinate = 0,
        z: Coordinate = 0,
        sample: Coordinate = 0,
    ) -> Coordinate:
        """Bytes from the surface's first byte to the element that holds a texel; arguments as of `place_el`."""
        x_el, y_el = self.place_el(x_px, y_px, level=level, layer=layer, z=z, sample=sample)
        if self.description.is_buffer:
            return x_el * self.pitch_B
        return self.addressing.offset_B(x_el * self.element.size_B, y_el)

    def level_size_px(self, level: int) -> tuple[int, int]:
        """Texels (pixels, not samples) of a level: width and height."""
        _require_index("level", level, len(self.levels))
        if self.description.interleaved:
            return self.description.width_px, self.description.height_px
        return self.levels[level].width_px, self.levels[level].height_px

    def __reduce__(self) -> tuple[type[SurfaceLayout], tuple[SurfaceDescription]]:
        return SurfaceLayout, (self.description,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SurfaceLayout) and self.description == other.description

    def __hash__(self) -> int:
        return hash(self.description)

    def __repr__(self) -> str:
        return f"SurfaceLayout({self.description!r})"


def _require_index(name: str, value: Coordinate, count: int) -> Coordinate:
    """The coordinate in numbers that hold any offset. Raises StateError unless all of it is from 0 to ``count`` - 1."""
    if type(value) is int and 0 <= value < count:  # most are: numpy takes 20 us
        return value
    checked = wide(value)
    least, most = (np.min(checked), np.max(checked)) if np.size(checked) else (0, 0)
    if least < 0 or most >= count:
        found = f"{least} to {most}" if np.ndim(checked) else checked
        raise StateError(f"{name} must be from 0 to {count - 1}, found {found}")
    return checked
