"""What a texture file's header says, within limits that keep memory and time in bounds before anything is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from texsamp.errors import FormatError
from texsamp.state.formats import SurfaceFormatInfo
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import Bytes, TextureImages, image_size_B
from texsamp.surface.layout.description import CUBE_FACES
from texsamp.surface.memory import MAX_SIDE_PX

MAX_ARRAY_LENGTH = 2048
"""Most slices of an array, or cubes: what Gen7 and Direct3D 11 have, too."""

MAX_TEXTURE_B = 1 << 31
"""Most bytes of a texture: what a Gen7 surface can have."""


@dataclass(frozen=True)
class Geometry:
    """Sizes of a texture of a file, checked. array_length: slices of an array, or cubes.

    Raises FormatError naming the limit and the value found.
    """

    type: SurfaceType
    info: SurfaceFormatInfo
    width_px: int
    height_px: int = 1
    depth_px: int = 1
    array_length: int = 1
    is_array: bool = False
    levels: int = 1

    def __post_init__(self) -> None:
        sides = (("width", self.width_px), ("height", self.height_px), ("depth", self.depth_px))
        for name, side in sides:
            if not 1 <= side <= MAX_SIDE_PX:
                raise FormatError(f"{name} must be from 1 to {MAX_SIDE_PX} texels, found {side}")
        if not 1 <= self.array_length <= MAX_ARRAY_LENGTH:
            raise FormatError(f"array slices must be from 1 to {MAX_ARRAY_LENGTH}, found {self.array_length}")
        full_chain = max(self.width_px, self.height_px, self.depth_px).bit_length()
        if not 1 <= self.levels <= full_chain:
            size = f"{self.width_px}x{self.height_px}x{self.depth_px}"
            raise FormatError(f"levels of a texture of {size} must be from 1 to {full_chain}, found {self.levels}")
        if self.type == SurfaceType.SURFTYPE_1D and (self.height_px, self.depth_px) != (1, 1):
            raise FormatError(f"a 1D texture has one row, found {self.height_px}x{self.depth_px}")
        if self.type == SurfaceType.SURFTYPE_1D and self.info.block_height > 1:
            raise FormatError(f"a 1D texture has no blocks of {self.info.block_height} rows, found {self.info.name}")
        if self.type == SurfaceType.SURFTYPE_CUBE and self.width_px != self.height_px:
            raise FormatError(f"cube faces must be square, found {self.width_px}x{self.height_px}")
        if self.type == SurfaceType.SURFTYPE_3D and self.array_length > 1:
            raise FormatError(f"a volume must have one slice of an array, found {self.array_length}")
        if self.type != SurfaceType.SURFTYPE_3D and self.depth_px > 1:
            raise FormatError(f"only a volume has a depth, found {self.depth_px}")
        if self.size_B > MAX_TEXTURE_B:
            raise FormatError(f"a texture must have at most {MAX_TEXTURE_B} bytes, found {self.size_B}")

    @classmethod
    def of(cls, images: TextureImages) -> Geometry:
        """That of a texture that is to be written."""
        return cls(
            type=images.type,
            info=images.info,
            width_px=images.width_px,
            height_px=images.height_px,
            depth_px=images.depth_px,
            array_length=images.array_length,
            is_array=images.is_array,
            levels=images.levels,
        )

    @property
    def slices(self) -> int:
        """Images of a level."""
        return self.array_length * (CUBE_FACES if self.type == SurfaceType.SURFTYPE_CUBE else 1)

    @property
    def size_B(self) -> int:  # noqa: N802 - the unit
        """Bytes of all levels."""
        return self.slices * sum(map(self.image_size_B, range(self.levels)))

    def level_size_px(self, level: int) -> tuple[int, int, int]:
        """Width, height and depth of a level."""
        return max(self.width_px >> level, 1), max(self.height_px >> level, 1), max(self.depth_px >> level, 1)

    def image_size_B(self, level: int) -> int:  # noqa: N802 - the unit
        """Bytes of one image of a level, without padding."""
        return image_size_B(self.info, *self.level_size_px(level))

    def with_images(self, images: Sequence[Sequence[Bytes]]) -> TextureImages:
        """The texture: ``images[level][slice]``."""
        return TextureImages(
            type=self.type,
            format=self.info.name,
            width_px=self.width_px,
            height_px=self.height_px,
            depth_px=self.depth_px,
            images=tuple(map(tuple, images)),
            array_length=self.array_length,
            is_array=self.is_array or self.array_length > 1,
        )


def ktx_geometry(
    info: SurfaceFormatInfo, width: int, height: int, depth: int, layers: int, faces: int, levels: int
) -> Geometry:
    """Sizes as KTX and KTX2 headers give them: 0 stands for a dimension, an array or a mip chain that is not there.

    Raises FormatError for those that make no texture.
    """
    if faces not in (1, CUBE_FACES):
        raise FormatError(f"faces must be 1 or {CUBE_FACES}, found {faces}")
    surface_type = SurfaceType.SURFTYPE_3D if depth else SurfaceType.SURFTYPE_2D if height else SurfaceType.SURFTYPE_1D
    if faces == CUBE_FACES:
        if surface_type != SurfaceType.SURFTYPE_2D:
            raise FormatError(f"a cube must have a height and no depth, found {height} and {depth}")
        surface_type = SurfaceType.SURFTYPE_CUBE
    elif surface_type == SurfaceType.SURFTYPE_3D and not height:
        raise FormatError(f"a volume must have a height, found {height}")
    return Geometry(
        type=surface_type,
        info=info,
        width_px=width,
        height_px=height or 1,
        depth_px=depth or 1,
        array_length=layers or 1,
        is_array=layers > 0,
        levels=levels or 1,
    )
