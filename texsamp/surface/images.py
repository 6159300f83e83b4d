"""A texture as files keep it: the elements of every level and slice, tightly packed, without tiling or padding."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.errors import FormatError
from texsamp.state.formats import SurfaceFormatInfo, surface_format
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.layout.description import CUBE_FACES

Bytes = bytes | bytearray | memoryview


@dataclass(frozen=True)
class TextureImages:
    """What a DDS, KTX, KTX2 or ASTC file holds, and what a `Surface` is made of.

    type: SURFTYPE_1D, _2D, _3D or _CUBE; format: the manual's name. Sizes are those of level 0.
    array_length: slices of an array, or cubes of a cube array; ``is_array`` tells an array of one from no array.
    images: ``images[level][slice]``, rows of elements (texels or blocks) without padding. Slices of a cube are faces
        (+X -X +Y -Y +Z -Z), cube by cube; a level of a volume is one image with all its slices, front to back.

    Raises FormatError if an image has not the number of bytes that its level needs.
    """

    type: SurfaceType
    format: str
    width_px: int
    height_px: int
    images: tuple[tuple[Bytes, ...], ...]
    depth_px: int = 1
    array_length: int = 1
    is_array: bool = False

    def __post_init__(self) -> None:
        slices = self.array_length * (CUBE_FACES if self.type == SurfaceType.SURFTYPE_CUBE else 1)
        for level, images in enumerate(self.images):
            if len(images) != slices:
                raise FormatError(f"level {level} must have {slices} slices, found {len(images)}")
            for index, image in enumerate(images):
                found_B = memoryview(image).nbytes
                if found_B != self.image_size_B(level):
                    raise FormatError(
                        f"slice {index} of level {level} must have {self.image_size_B(level)} bytes, found {found_B}"
                    )

    @property
    def info(self) -> SurfaceFormatInfo:
        """Row of the format table."""
        return surface_format(self.format)

    @property
    def levels(self) -> int:
        """Mip levels held."""
        return len(self.images)

    def level_size_px(self, level: int) -> tuple[int, int, int]:
        """Width, height and depth of a level."""
        return max(self.width_px >> level, 1), max(self.height_px >> level, 1), max(self.depth_px >> level, 1)

    def image_size_B(self, level: int) -> int:  # noqa: N802 - the unit
        """Bytes of one image of a level."""
        return image_size_B(self.info, *self.level_size_px(level))


def image_size_B(info: SurfaceFormatInfo, width_px: int, height_px: int, depth_px: int = 1) -> int:  # noqa: N802
    """Bytes of the tightly packed elements of an image; rows of formats below a byte are whole bytes."""
    columns, rows = -(-width_px // info.block_width), -(-height_px // info.block_height)
    return -(-columns * info.bits // 8) * rows * depth_px
