"""ASTC blocks of three dimensions, which are no surface format of the hardware: decoded to volumes of texels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np

from texsamp.device import get_device
from texsamp.device.base import Array, Device, Launch
from texsamp.device.given import GivenArray
from texsamp.device.params import params_type
from texsamp.errors import FormatError
from texsamp.surface.codec.astc import PROFILES
from texsamp.surface.memory import flat_bytes, side_px, size_px

BLOCK_B = 16
TILE_COLUMNS = 32
"""ASTC_VOLUME_COLUMNS of `kernels/block_astc_volume.h` (a test holds them together)."""

FOOTPRINTS = (
    (3, 3, 3), (4, 3, 3), (4, 4, 3), (4, 4, 4), (5, 4, 4), (5, 5, 4), (5, 5, 5), (6, 5, 5), (6, 6, 5), (6, 6, 6),
)  # fmt: skip
"""Width, height and depth of a block, in the order of Khronos's numbers."""

_PARAMS = params_type("AstcVolumeParams")
_NAME = re.compile(
    r"(?:VK_FORMAT_|GL_COMPRESSED_(?:RGBA|(?P<gl>SRGB8_ALPHA8))_)?ASTC_(?P<sides>\dX\dX\d)"
    r"(?P<kind>_UNORM|_SRGB|_UNORM_SRGB|_SFLOAT|)(?:_BLOCK)?(?:_EXT|_OES)?"
)


@dataclass(frozen=True)
class VolumeFormat:
    """A footprint with a profile: linear, srgb or hdr. texels: the surface format that decoded texels have."""

    block: tuple[int, int, int]
    profile: str

    @property
    def texels(self) -> str:
        """The surface format of what blocks decode to."""
        names = {"linear": "R8G8B8A8_UNORM", "srgb": "R8G8B8A8_UNORM_SRGB", "hdr": "R16G16B16A16_FLOAT"}
        return names[self.profile]

    def blocks(self, width: int, height: int, depth: int) -> tuple[int, int, int]:
        """Blocks along each axis of a volume of so many texels."""
        columns, rows, layers = (
            -(-side // step) for side, step in zip((width, height, depth), self.block, strict=True)
        )
        return columns, rows, layers

    def size_B(self, width: int, height: int, depth: int) -> int:  # noqa: N802 - the unit
        """Bytes of the blocks of a volume."""
        columns, rows, layers = self.blocks(width, height, depth)
        return columns * rows * layers * BLOCK_B


@cache
def volume_format(name: str) -> VolumeFormat | None:
    """The format that a name says (``ASTC_4x4x4_SRGB``, or Vulkan's or OpenGL's), in any case; None if it is none."""
    found = _NAME.fullmatch(name.upper())
    if found is None:
        return None
    width, height, depth = (int(side) for side in found["sides"].split("X"))
    if (width, height, depth) not in FOOTPRINTS:
        return None
    is_srgb = found["gl"] or "SRGB" in found["kind"]
    return VolumeFormat((width, height, depth), "srgb" if is_srgb else "hdr" if "SFLOAT" in found["kind"] else "linear")


def decode_volume(
    data: GivenArray, format: str, width: int, height: int, depth: int, *, device: Device | str = "auto"
) -> Array:
    """Decode the three-dimensional ASTC blocks of one volume.

    data: the blocks, slice by slice of blocks, row by row, as `texsamp.decode` takes them.
    format: ``ASTC_4x4x4_UNORM``, ``ASTC_4x4x4_SRGB`` or ``ASTC_4x4x4_SFLOAT`` (HDR), or a name of Vulkan or OpenGL;
        3x3x3 to 6x6x6.
    width, height, depth: in texels, 1 to 65536.

    Returns (depth, height, width, 4): uint8 (the encoded values of SRGB), or float16 of SFLOAT. Illegal blocks are
    magenta, or NaN in the HDR profile.

    Raises FormatError for other formats, sizes out of range and data of another size.
    Source: Khronos Data Format Specification 1.4, "ASTC Compressed Texture Image Formats".
    """
    known = volume_format(format) if isinstance(format, str) else None
    if known is None:
        sides = ", ".join("x".join(map(str, block)) for block in FOOTPRINTS)
        raise FormatError(f"format must be ASTC_4x4x4_UNORM, _SRGB or _SFLOAT, of {sides}, found {format!r}")
    (width, height), depth = size_px(width, height), side_px("depth", depth)
    where = get_device(device)
    blocks = flat_bytes(data, where)
    size_B = known.size_B(width, height, depth)
    if blocks.size != size_B:
        counts = "x".join(map(str, known.blocks(width, height, depth)))
        raise FormatError(
            f"{format} of {width}x{height}x{depth} texels has {counts} blocks of {BLOCK_B} bytes, {size_B} bytes in "
            f"all; found {blocks.size}"
        )
    if where.address(blocks) % 4:
        blocks = where.copy(blocks)
    is_hdr = known.profile == "hdr"
    texels = where.empty((depth, height, width, 4), np.float16 if is_hdr else np.uint8)
    where.launch(_launch(where, known, blocks, texels))
    return texels


def _launch(device: Device, format: VolumeFormat, blocks: Array, texels: Array) -> Launch:
    depth, height, width, _ = texels.shape
    columns, rows, layers = format.blocks(width, height, depth)
    block_width, block_height, block_depth = format.block
    params = _PARAMS(
        blocks=device.address(blocks),
        texels=device.address(texels),
        width=width,
        height=height,
        depth=depth,
        block_width=block_width,
        block_height=block_height,
        block_depth=block_depth,
        profile=PROFILES.index(format.profile),
    )
    kernel = "astc_volume_float16" if format.profile == "hdr" else "astc_volume_unorm8"
    return Launch(kernel, params, -(-columns // TILE_COLUMNS), rows * layers, (blocks, texels))
