"""What can be seen of a surface: everything that follows from its layout and its window, whatever its texels are."""

from __future__ import annotations

from collections.abc import Iterator

from texsamp.state.formats import SurfaceFormatInfo
from texsamp.state.render_surface import RenderSurfaceState, SurfaceType
from texsamp.surface.arrays import channel_count, pixel_axes
from texsamp.surface.choices import require_index
from texsamp.surface.elements import Place
from texsamp.surface.layout import SurfaceDescription, SurfaceLayout, SurfaceView
from texsamp.surface.layout.description import CUBE_FACES


class Seen:
    """Type, format, sizes and counts. Levels and slices count from the view's first."""

    def __init__(self, view: SurfaceView) -> None:
        self.surface_view = view

    @property
    def layout(self) -> SurfaceLayout:
        """Where everything lies."""
        return self.surface_view.layout

    @property
    def description(self) -> SurfaceDescription:
        """Type, format, sizes of level 0 in memory, tiling, ... of the whole layout, also beyond the view."""
        return self.layout.description

    @property
    def state(self) -> RenderSurfaceState:
        """RENDER_SURFACE_STATE of Gen7. Raises StateError if it cannot express the surface."""
        return self.surface_view.state()

    @property
    def info(self) -> SurfaceFormatInfo:
        """Row of the format table."""
        return self.description.info

    @property
    def format(self) -> str:
        """The manual's name of the format."""
        return self.info.name

    @property
    def type(self) -> SurfaceType:
        """SURFTYPE_*."""
        return self.description.type

    @property
    def levels(self) -> int:
        """Mip levels that can be seen."""
        return self.surface_view.levels

    @property
    def layers(self) -> int:
        """Array slices, or cubes of a cube array, that can be seen; 1 for volumes."""
        d = self.description
        if d.is_buffer:
            return 1
        first = self.surface_view.first_layer
        return d.array_length - (-(-first // CUBE_FACES) if self._is_cube else first)

    @property
    def faces(self) -> int:
        """6 for cubes, else 1."""
        return CUBE_FACES if self._is_cube else 1

    @property
    def samples(self) -> int:
        """Samples of a pixel."""
        return self.description.samples

    @property
    def width_px(self) -> int:
        """Texels of the first level that can be seen; entries of a buffer."""
        return self.level_size_px(0)[0]

    @property
    def height_px(self) -> int:
        """Rows of texels of the first level."""
        return self.level_size_px(0)[1]

    @property
    def depth_px(self) -> int:
        """Slices of the first level of a volume; else 1."""
        return self.level_size_px(0)[2]

    def level_size_px(self, level: int) -> tuple[int, int, int]:
        """Width, height and depth of a level. Raises StateError for levels that cannot be seen."""
        require_index("level", level, self.levels)
        view, d = self.surface_view, self.description
        width, height = view.layout.level_size_px(level + view.first_level)
        depth = max(d.depth_px >> level + view.first_level, 1)
        return (width - view.first_layer if d.is_buffer else width), height, depth

    @property
    def shape(self) -> tuple[int, ...]:
        """Of level 0 as an array: slices and samples, if there are any, height (not of 1D), width, channels."""
        d = self.description
        has_slices = d.is_array or self._is_cube or self.type == SurfaceType.SURFTYPE_3D
        slices = (self._slices(0),) if has_slices else ()
        samples = (self.samples,) if self.samples > 1 else ()
        sides = (self.height_px, self.width_px)[1 - pixel_axes(self.type) :]
        return (*slices, *samples, *sides, channel_count(self.info))

    @property
    def _is_cube(self) -> bool:
        return self.type == SurfaceType.SURFTYPE_CUBE

    def _slices(self, level: int) -> int:
        return self.layers * self.faces * self.level_size_px(level)[2]

    def _places(self, level: int) -> Iterator[Place]:
        for index in range(self._slices(level)):
            for sample in range(self.samples):
                yield Place(level, index, sample)
