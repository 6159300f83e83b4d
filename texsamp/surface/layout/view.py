"""A surface as its state describes it: from RENDER_SURFACE_STATE alone to the address of any texel, and back."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.cached import cached_property
from texsamp.errors import StateError
from texsamp.state.formats import SurfaceFormat, surface_format
from texsamp.state.gen9 import RenderSurfaceStateGen9
from texsamp.state.render_surface import (
    HorizontalAlign,
    MultisampleFormat,
    RenderSurfaceState,
    SampleCount,
    SurfaceType,
    TileWalk,
    VerticalAlign,
)
from texsamp.surface.layout.description import BUFFERS, CUBE_FACES, SurfaceDescription, Usage
from texsamp.surface.layout.gen9 import describe
from texsamp.surface.layout.placement import Level, is_stack
from texsamp.surface.layout.surface_layout import SurfaceLayout
from texsamp.surface.tiling import AddressSwizzle, Coordinate, wide

_SAMPLES = {SampleCount.COUNT_1: 1, SampleCount.COUNT_4: 4, SampleCount.COUNT_8: 8}
_SAMPLE_COUNTS = {samples: code for code, samples in _SAMPLES.items()}
_HALIGN_PX = {HorizontalAlign.HALIGN_4: 4, HorizontalAlign.HALIGN_8: 8}
_VALIGN_ROWS = {VerticalAlign.VALIGN_2: 2, VerticalAlign.VALIGN_4: 4}
_WALKS = {"X": TileWalk.XMAJOR, "Y": TileWalk.YMAJOR}
_PAGE_B = 4096


@dataclass(frozen=True)
class SurfaceView:
    """A layout at a graphics address, as far as a surface state lets it be seen.

    first_level: Surface Min LOD, added to the level (003:2471). first_layer: Minimum Array Element, added to the layer.
    x_offset_px, y_offset_rows: from the base address to the surface, in the tiled plane (003:2412-2465).
    line_stride, line_offset: 1 and 0 or 1 for one field of an interleaved surface (003:2094-2106).
    resource_min_lod: the most detailed level that is present; what is before it reads as out of bounds (003:2607-2615).
    """

    layout: SurfaceLayout
    base_address: int
    first_level: int = 0
    first_layer: int = 0
    x_offset_px: int = 0
    y_offset_rows: int = 0
    line_stride: int = 0
    line_offset: int = 0
    resource_min_lod: float = 0.0

    def __post_init__(self) -> None:
        d, e = self.layout.description, self.layout.element
        if d.tiling != "linear" and self.base_address % _PAGE_B:  # 003:2201
            raise StateError(
                f"base address of a tiled surface must be a multiple of {_PAGE_B}, found {self.base_address:#x}"
            )
        if d.tiling == "linear" and (self.x_offset_px or self.y_offset_rows):  # 003:2427
            raise StateError(
                f"a linear surface has no X and Y offset, found {self.x_offset_px} and {self.y_offset_rows}"
            )
        if self.x_offset_px % e.width_px or self.y_offset_rows % e.height_px:
            raise StateError(
                f"X and Y offset of {d.format} must be multiples of {e.width_px} and {e.height_px}, "
                f"found {self.x_offset_px} and {self.y_offset_rows}"
            )
        if self.first_level >= len(self.layout.levels):
            raise StateError(f"first level must be from 0 to {len(self.layout.levels) - 1}, found {self.first_level}")
        if self.line_stride and d.is_compressed:  # 003:2099
            raise StateError(f"the vertical line stride of {d.format} must be 0, found {self.line_stride}")

    @classmethod
    def from_state(
        cls,
        state: RenderSurfaceState | RenderSurfaceStateGen9,
        *,
        usage: Usage = Usage.TEXTURE,
        swizzle: AddressSwizzle = AddressSwizzle.NONE,
        generation: float = 7,
        wide_samples: bool = False,
    ) -> SurfaceView:
        """The view that a surface state describes; a state of Gen9 decides on its generation itself.

        wide_samples: of a state of Gen7, as `SurfaceDescription` has it. The mip count is read as the sampler reads it;
        as a render target's it would name one level. Raises StateError or FormatError if the state describes no memory
        or breaks a rule of layout.
        """
        if isinstance(state, RenderSurfaceStateGen9):
            described, first_layer = describe(state, usage, swizzle)
            return cls(
                SurfaceLayout(described),
                state.base_address,
                0 if described.is_buffer else state.surface_min_lod,
                first_layer,
                state.x_offset,
                state.y_offset,
                state.vertical_line_stride,
                state.vertical_line_stride_offset,
                state.resource_min_lod,
            )
        if state.surface_type in BUFFERS:
            first = state.min_structure if state.surface_type == SurfaceType.SURFTYPE_STRBUF else 0
            buffer = SurfaceDescription(
                state.surface_type,
                state.format.name,
                state.entries + first,
                pitch_B=state.pitch,
                generation=generation,
            )
            return cls(SurfaceLayout(buffer), state.base_address, first_layer=first)
        volume = state.surface_type == SurfaceType.SURFTYPE_3D
        cube = state.surface_type == SurfaceType.SURFTYPE_CUBE
        counted = state.depth if state.surface_array or cube else 1
        first_layer = 0 if volume else state.min_array_element
        samples = _SAMPLES[state.samples]
        fixed_unit = surface_format(state.format).block_height > 1 or usage in (Usage.DEPTH, Usage.STENCIL)
        levels = min(state.surface_min_lod + state.mip_count + 1, _full_chain(state))
        layers = counted + (-(-first_layer // CUBE_FACES) if cube else first_layer)
        # the unit says where other images begin: Mesa clears stencil as one image of R32G32B32A32_UINT with VALIGN_2
        one_target = levels == layers == 1 and samples == 1 and not volume and usage is Usage.RENDER_TARGET
        valign_rows = None if fixed_unit or one_target else _VALIGN_ROWS[state.vertical_alignment]
        tiled = ("X", "Y")[state.tile_walk] if state.tiled else "linear"
        description = SurfaceDescription(
            state.surface_type,
            state.format.name,
            state.width,
            state.height,
            state.depth if volume else 1,
            layers,
            is_array=bool(state.surface_array),
            levels=levels,
            samples=samples,
            tiling=tiled,
            usage=usage,
            pitch_B=state.pitch,
            halign_px=None if fixed_unit else _HALIGN_PX[state.horizontal_alignment],
            valign_rows=valign_rows,
            array_spacing=state.array_spacing,
            multisample_format=state.multisample_format if samples > 1 else None,
            field_access=bool(state.vertical_line_stride),
            swizzle=swizzle,
            generation=generation,
            wide_samples=wide_samples,
        )
        return cls(
            SurfaceLayout(description),
            state.base_address,
            state.surface_min_lod,
            first_layer,
            state.x_offset,
            state.y_offset,
            state.vertical_line_stride,
            state.vertical_line_stride_offset,
            state.resource_min_lod,
        )

    @cached_property
    def size_B(self) -> int:  # noqa: N802 - the unit
        """Bytes from the base address on that hold every texel that can be seen, without padding."""
        layout, e = self.layout, self.layout.element
        if layout.description.is_buffer:
            return layout.description.width_px * layout.pitch_B
        unseen = -self.first_layer % CUBE_FACES if layout.description.type == SurfaceType.SURFTYPE_CUBE else 0
        below = unseen * layout.slice_pitch_el_rows if not is_stack(layout.description) else 0  # of the last cube
        if layout.description.tiling == "linear":
            return max(self._end_of_level_B(level, below) for level in layout.levels)
        rows = (
            (layout.rows_el - below - 1 << self.line_stride) + self.line_offset + 1 + self.y_offset_rows // e.height_px
        )
        return layout.addressing.size_B(rows)

    def _end_of_level_B(self, level: Level, below: int) -> int:  # noqa: N802 - the unit
        """Where the last texel of a linear level ends. below: rows of elements of slices that cannot be seen."""
        layout, e = self.layout, self.layout.element
        slices_rows = layout.rows_el - max(each.bottom_rows for each in layout.levels) // e.height_px - below
        last_row = slices_rows + -(-level.last_row_end // e.height_px) - 1
        last_line = (last_row << self.line_stride) + self.line_offset
        return last_line * layout.pitch_B + -(-level.last_column_end_px // e.width_px) * e.size_B

    @cached_property
    def levels(self) -> int:
        """Levels that can be seen."""
        return len(self.layout.levels) - self.first_level

    def state(self) -> RenderSurfaceState:
        """The RENDER_SURFACE_STATE of Gen7 that describes this view.

        Raises StateError if the state cannot express it: tilings other than linear, X and Y, or another generation.
        """
        layout, d = self.layout, self.layout.description
        if int(d.generation) != 7 or d.tiling == "W":
            raise StateError(
                f"RENDER_SURFACE_STATE describes linear, X and Y on generation 7, "
                f"found {d.tiling} on generation {d.generation:g}"
            )
        common = {
            "surface_type": d.type,
            "format": SurfaceFormat[d.info.name],
            "base_address": self.base_address,
            "pitch": layout.pitch_B,
        }
        if d.is_buffer:
            first = {"min_structure": self.first_layer} if d.type == SurfaceType.SURFTYPE_STRBUF else {}
            return RenderSurfaceState(entries=d.width_px - self.first_layer, **common, **first)
        volume = d.type == SurfaceType.SURFTYPE_3D
        first_element = -(-self.first_layer // CUBE_FACES) if d.type == SurfaceType.SURFTYPE_CUBE else self.first_layer
        return RenderSurfaceState(
            **common,
            surface_array=int(d.is_array),
            vertical_alignment=VerticalAlign.VALIGN_4 if layout.unit[1] == 4 else VerticalAlign.VALIGN_2,
            horizontal_alignment=HorizontalAlign.HALIGN_8 if layout.unit[0] == 8 else HorizontalAlign.HALIGN_4,
            tiled=int(d.tiling != "linear"),
            tile_walk=_WALKS.get(d.tiling, TileWalk.XMAJOR),
            vertical_line_stride=self.line_stride,
            vertical_line_stride_offset=self.line_offset,
            array_spacing=d.spacing,
            cube_faces=(1 << CUBE_FACES) - 1 if d.type == SurfaceType.SURFTYPE_CUBE else 0,
            height=d.height_px,
            width=d.width_px,
            depth=d.depth_px if volume else d.array_length - first_element,
            min_array_element=self.first_layer,
            multisample_format=d.storage if d.samples > 1 else MultisampleFormat.MSS,
            samples=_SAMPLE_COUNTS[d.samples],
            x_offset=self.x_offset_px,
            y_offset=self.y_offset_rows,
            surface_min_lod=self.first_level,
            mip_count=self.levels - 1,
            resource_min_lod=self.resource_min_lod,
        )

    def address(
        self,
        x_px: Coordinate,
        y_px: Coordinate = 0,
        *,
        level: int = 0,
        layer: Coordinate = 0,
        z: Coordinate = 0,
        sample: Coordinate = 0,
    ) -> Coordinate:
        """Graphics address of the element that holds a texel; level and layer count from the view's first.

        Raises StateError if a coordinate lies outside what the view shows.
        """
        layout, e = self.layout, self.layout.element
        if layout.description.is_buffer:
            return self.base_address + layout.offset_B(wide(x_px) + self.first_layer)
        level, layer = level + self.first_level, wide(layer) + self.first_layer
        x_el, y_el = layout.place_el(x_px, y_px, level=level, layer=layer, z=z, sample=sample)
        x_el = x_el + self.x_offset_px // e.width_px
        y_el = (y_el << self.line_stride) + self.line_offset + self.y_offset_rows // e.height_px
        return self.base_address + layout.addressing.offset_B(x_el * e.size_B, y_el)


def _full_chain(state: RenderSurfaceState) -> int:
    volume = state.depth if state.surface_type == SurfaceType.SURFTYPE_3D else 1
    return max(state.width, state.height, volume).bit_length()
