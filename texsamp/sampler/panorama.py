"""Panoramas to cubes and back: equirectangular and octahedral ones by the sampler, crosses of faces by copying."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np

from texsamp.errors import FormatError, StateError
from texsamp.sampler.arguments import require_surface
from texsamp.sampler.sample import sample
from texsamp.sampler.sampler import Sampler
from texsamp.state.formats import SurfaceFormatInfo
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.memory import MAX_SIDE_PX
from texsamp.surface.surface import Surface

Projection = Literal["equirectangular", "octahedral", "cross"]

_FACES = 6
_CROSSES = {
    # Columns and rows; column, row and half turns of +X -X +Y -Y +Z -Z.
    (4, 3): ((2, 1, 0), (0, 1, 0), (1, 0, 0), (1, 2, 0), (1, 1, 0), (3, 1, 0)),
    (3, 4): ((2, 1, 0), (0, 1, 0), (1, 0, 0), (1, 2, 0), (1, 1, 0), (1, 3, 1)),
}
_FACE_AXES = np.array(
    [
        # What s (to the right), t (down) and 1 stand for: Direct3D's and OpenGL's faces.
        [[0, 0, -1], [0, -1, 0], [1, 0, 0]],
        [[0, 0, 1], [0, -1, 0], [-1, 0, 0]],
        [[1, 0, 0], [0, 0, 1], [0, 1, 0]],
        [[1, 0, 0], [0, 0, -1], [0, -1, 0]],
        [[1, 0, 0], [0, -1, 0], [0, 0, 1]],
        [[-1, 0, 0], [0, -1, 0], [0, 0, -1]],
    ],
    np.float64,
)

Numbers = np.ndarray[Any, np.dtype[Any]]


def panorama_to_cube(panorama: Surface, projection: Projection, size_px: int | None = None) -> Surface:
    """A cube of a 2D panorama.

    projection: ``equirectangular`` (the middle looks along -Z, +X to the right, +Y up), ``octahedral`` (+Z in the
        middle, +X to the right, +Y down, -Z in the corners), or ``cross`` (4x3 or 3x4 faces, copied).
    size_px: of a face; None for a quarter of the width (equirectangular), half (octahedral), the cross's own.

    The result is RGBA of as many bits as the panorama's colors need. Raises StateError for other projections, sizes and
    surfaces.
    """
    _check(panorama, projection, SurfaceType.SURFTYPE_2D)
    if projection == "cross":
        return _cross_to_cube(panorama, size_px)
    size = _side(size_px, panorama.width_px // (4 if projection == "equirectangular" else 2))
    s, t = _centers(size, size)
    directions = np.stack([s, t, np.ones_like(s)], -1)[None] @ _FACE_AXES[:, None]
    u, v = _places(directions, projection)
    texels_of_turn = panorama.width_px * (1.0 if projection == "equirectangular" else 2.0)
    values = _sampled(panorama, ("wrap", "clamp", "clamp"), texels_of_turn / (4 * size), u, v)
    return Surface.from_array(values, _plain(panorama.info), type="CUBE", device=panorama.device)


def cube_to_panorama(cube: Surface, projection: Projection, width_px: int | None = None) -> Surface:
    """A 2D panorama of a cube (its first, of an array): the inverse of `panorama_to_cube`.

    width_px: None for four faces (equirectangular, cross) or two (octahedral). Equirectangular panoramas are half as
    high, octahedral ones square, crosses 4x3 faces. Raises StateError for other projections, sizes and surfaces.
    """
    _check(cube, projection, SurfaceType.SURFTYPE_CUBE)
    if projection == "cross":
        return _cube_to_cross(cube, width_px)
    if projection == "equirectangular":
        width = _side(width_px, 4 * cube.width_px)
        if width % 2:
            raise StateError(f"an equirectangular panorama is twice as wide as high, found a width of {width}")
        s, t = _centers(width, width // 2)
        longitude, latitude = s * np.pi, -t * np.pi / 2
        x, y, z = np.sin(longitude) * np.cos(latitude), np.sin(latitude), -np.cos(longitude) * np.cos(latitude)
    else:
        width = _side(width_px, 2 * cube.width_px)
        x, y = _centers(width, width)
        z = 1 - np.abs(x) - np.abs(y)
        fold = np.maximum(-z, 0)
        x, y = x - np.copysign(fold, x), y - np.copysign(fold, y)
    texels_of_turn = width * (1.0 if projection == "equirectangular" else 2.0)
    values = _sampled(cube, ("clamp", "clamp", "clamp"), 4 * cube.width_px / texels_of_turn, x, y, z)
    return Surface.from_array(values, _plain(cube.info), device=cube.device)


def _check(surface: Surface, projection: str, wanted: SurfaceType) -> None:
    require_surface(surface)
    if projection not in get_args(Projection):
        raise StateError(f"projection must be one of {', '.join(get_args(Projection))}, found {projection!r}")
    if surface.type != wanted or surface.description.is_array:
        word = wanted.name.removeprefix("SURFTYPE_")
        raise StateError(f"a {word} surface that is no array is needed, found {surface!r}")


def _side(given: int | None, otherwise: int) -> int:
    side = max(otherwise, 1) if given is None else given
    if not 1 <= side <= MAX_SIDE_PX:
        raise StateError(f"size must be from 1 to {MAX_SIDE_PX} texels, found {side}")
    return side


def _centers(width: int, height: int) -> tuple[Numbers, Numbers]:
    """Texel centers from -1 to 1, to the right and down."""
    across, down = ((np.arange(count) + 0.5) / count * 2 - 1 for count in (width, height))
    s, t = np.meshgrid(across, down)
    return s, t


def _places(directions: Numbers, projection: str) -> tuple[Numbers, Numbers]:
    """Coordinates in a panorama of directions (..., 3)."""
    x, y, z = np.moveaxis(directions, -1, 0)
    if projection == "equirectangular":
        return np.arctan2(x, -z) / (2 * np.pi) + 0.5, 0.5 - np.arctan2(y, np.hypot(x, z)) / np.pi
    x, y, z = (part / np.abs(directions).sum(-1) for part in (x, y, z))
    fold = np.maximum(-z, 0)
    return (x + np.copysign(fold, x) + 1) / 2, (y + np.copysign(fold, y) + 1) / 2


def _sampled(surface: Surface, address: Any, texels_per_sample: float, *at: Numbers) -> Any:
    """Samples of float32, from smaller levels where samples lie more than a texel apart."""
    lod = max(math.log2(texels_per_sample), 0.0)
    source = surface.with_mips("box") if lod > 0 and surface.levels == 1 else surface
    coordinates = [source.device.upload(each.astype(np.float32)) for each in at]
    return sample(source, Sampler(address=address, mip_filter="linear"), *coordinates, lod=lod)


def _plain(info: SurfaceFormatInfo) -> str:
    """The RGBA format that holds what the sampler returns of another."""
    kinds, bits = {channel.kind for channel in info.channels}, max(channel.bits or 0 for channel in info.channels)
    if kinds & {"uint", "sint", "index"}:
        raise FormatError(f"{info.name} has numbers that are not filtered")
    if not kinds <= {"unorm", "pad"}:
        return "R32G32B32A32_FLOAT" if bits == 32 else "R16G16B16A16_FLOAT"
    if bits > 8:
        return "R16G16B16A16_UNORM"
    return "R8G8B8A8_UNORM_SRGB" if info.color_space == "srgb" else "R8G8B8A8_UNORM"


def _cross_to_cube(cross: Surface, size_px: int | None) -> Surface:
    shape = next(((c, r) for c, r in _CROSSES if cross.width_px * r == cross.height_px * c), None)
    if shape is None or cross.width_px % shape[0]:
        raise StateError(f"a cross has 4x3 or 3x4 faces, found {cross.width_px}x{cross.height_px} texels")
    size = cross.width_px // shape[0]
    if size_px not in (None, size):
        raise StateError(f"faces of a cross are copied: their size is {size}, found {size_px}")
    texels = cross.device.download(cross.to_array())
    faces = []
    for column, row, half_turns in _CROSSES[shape]:
        face = texels[row * size : (row + 1) * size, column * size : (column + 1) * size]
        faces.append(np.rot90(face, 2 * half_turns))
    return Surface.from_array(np.stack(faces), cross.format, type="CUBE", device=cross.device)


def _cube_to_cross(cube: Surface, width_px: int | None) -> Surface:
    size = cube.width_px
    if width_px not in (None, 4 * size):
        raise StateError(f"faces of a cross are copied: its width is {4 * size}, found {width_px}")
    faces = cube.device.download(cube.to_array())
    made = np.zeros((3 * size, 4 * size, faces.shape[-1]), faces.dtype)
    for face, (column, row, _) in zip(faces[:_FACES], _CROSSES[4, 3], strict=True):
        made[row * size : (row + 1) * size, column * size : (column + 1) * size] = face
    return Surface.from_array(made, cube.format, device=cube.device)
