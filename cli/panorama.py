"""`texsamp panorama`: panoramas to cubes and back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from texsamp.device import get_device
from texsamp.errors import StateError
from texsamp.io.textures import CONTAINERS, PICTURES, picture_texels, read_texture_file, write_picture, write_texture
from texsamp.sampler.panorama import Projection, cube_to_panorama, panorama_to_cube
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.surface import Surface

from .options import DeviceOption, JsonOption
from .texture_options import OverwriteOption, TextureArgument, contents, facts, one_of, tell

_PROJECTIONS: tuple[Projection, ...] = get_args(Projection)


def _projection(value: str) -> str:
    return one_of("projection", _PROJECTIONS, value) or value


def panorama(
    source: TextureArgument,
    target: Annotated[str, typer.Argument(metavar="OUT", help="Texture file of a cube, or a picture or texture file.")],
    projection: Annotated[
        str, typer.Option(callback=_projection, help=f"What the panorama is: {', '.join(_PROJECTIONS)}.")
    ] = "equirectangular",
    size: Annotated[
        int | None, typer.Option(min=1, help="Side of a face, or width of the panorama, in texels.")
    ] = None,
    device: DeviceOption = "auto",
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a cube of a panorama, or a panorama of a cube."""
    suffix = Path(target).suffix.lower()
    if suffix not in (*CONTAINERS, *PICTURES):
        extensions = " ".join([*CONTAINERS, *PICTURES])
        raise StateError(f"{target}: the extension says no texture file or picture, use one of {extensions}")
    file = read_texture_file(source)
    given = Surface.from_images(file.images, device=device)
    kind = next(word for word in _PROJECTIONS if word == projection)
    is_cube = given.type == SurfaceType.SURFTYPE_CUBE
    if suffix in PICTURES and not is_cube:
        raise StateError(f"{target}: a cube has six faces, use one of {' '.join(CONTAINERS)}")
    made = (cube_to_panorama if is_cube else panorama_to_cube)(given, kind, size).images()
    if suffix in PICTURES:
        where = get_device(device)
        texels = where.download(picture_texels(made, device=where))
        lost = write_picture(target, texels, made.info, overwrite=overwrite, input_path=source)
    else:
        lost = write_texture(target, made, overwrite=overwrite, input_path=source)
    tell(target, contents(made), [*file.notes, *lost], as_json, {**facts(made), "levels": made.levels})
