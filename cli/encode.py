"""`texsamp encode`: a picture or texture file in another format, with mip levels, as a texture file or picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, get_args

import typer

from texsamp.device import get_device
from texsamp.errors import StateError
from texsamp.io.textures import (
    CONTAINERS,
    PICTURES,
    picture_texels,
    read_texture_file,
    write_picture,
    write_texture,
)
from texsamp.state.formats import surface_formats
from texsamp.surface.arrays import format_named
from texsamp.surface.images import TextureImages
from texsamp.surface.mips import MipEdge, MipFilter
from texsamp.surface.surface import Surface

from .options import DeviceOption, JsonOption
from .texture_options import (
    OverwriteOption,
    TextureArgument,
    checked_format,
    contents,
    facts,
    formats_from,
    one_of,
    supercompression_word,
    tell,
)

_SRGB = "_SRGB"


def _mips(value: str | None) -> str | None:
    return one_of("mips", get_args(MipFilter), value)


def _edge(value: str) -> str:
    return one_of("edge", get_args(MipEdge), value) or value


def encode(
    source: TextureArgument,
    target: Annotated[
        str,
        typer.Argument(
            metavar="OUT", help=f"Texture file ({' '.join(CONTAINERS)}), or picture ({' '.join(PICTURES)})."
        ),
    ],
    format: Annotated[
        str,
        typer.Option(
            callback=checked_format,
            autocompletion=formats_from,
            help="Format of OUT, as in BC7_UNORM_SRGB, ASTC_6x6, rgba8 or VK_FORMAT_R16_SFLOAT (see texsamp formats).",
        ),
    ],
    mips: Annotated[
        str | None, typer.Option(callback=_mips, help=f"Make smaller levels: {', '.join(get_args(MipFilter))}.")
    ] = None,
    levels: Annotated[int | None, typer.Option(min=1, help="How many levels in all; down to one texel.")] = None,
    edge: Annotated[
        str, typer.Option(callback=_edge, help="What lies beyond the edge of a level: clamp, or wrap for tiles.")
    ] = "clamp",
    supercompression: Annotated[
        str, typer.Option(callback=supercompression_word, help="Pack a KTX2 file: none, zstd or zlib.")
    ] = "none",
    device: DeviceOption = "auto",
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a texture file of another format, with mip levels, from a picture or a texture file.

    A picture keeps one level and slice; one of blocks shows what they decode to.
    """
    suffix = Path(target).suffix.lower()
    if suffix not in (*CONTAINERS, *PICTURES):
        extensions = " ".join([*CONTAINERS, *PICTURES])
        raise StateError(f"{target}: the extension says no texture file or picture, use one of {extensions}")
    if suffix in PICTURES and (mips is not None or supercompression != "none"):
        raise StateError(
            f"{target}: a picture has one level and is not packed, leave out --mips and --supercompression"
        )
    if mips is None and (levels is not None or edge != "clamp"):
        raise StateError("--levels and --edge say how --mips makes levels, which is missing")
    file = read_texture_file(source)
    images, notes = _meant(file.images, format_named(format).color_space)
    chosen: MipFilter | None = next((word for word in get_args(MipFilter) if word == mips), None)
    wrapped: MipEdge = "wrap" if edge == "wrap" else "clamp"
    made = Surface.from_images(images, device=device).convert(format, mips=chosen, levels=levels, edge=wrapped).images()
    if suffix in PICTURES:
        lost = _write_picture(target, made, overwrite, source, device)
    else:
        lost = write_texture(target, made, supercompression=supercompression, overwrite=overwrite, input_path=source)
    tell(target, contents(made), [*file.notes, *notes, *lost], as_json, {**facts(made), "levels": made.levels})


def _write_picture(target: str, images: TextureImages, overwrite: bool, source: str, device: str) -> list[str]:
    """Write the only picture of a texture. Raises StateError if there are more."""
    if images.levels > 1 or len(images.images[0]) > 1 or images.depth_px > 1:
        raise StateError(
            f"{target}: a picture has one level and slice, found {contents(images)}; texsamp decode picks one"
        )
    where = get_device(device)
    texels = where.download(picture_texels(images, device=where))
    return write_picture(target, texels, images.info, overwrite=overwrite, input_path=source)


def _meant(images: TextureImages, color_space: str) -> tuple[TextureImages, list[str]]:
    """The texture with its codes taken as SRGB where that is what OUT has: pictures do not say that theirs are."""
    srgb = images.format + _SRGB
    if color_space != "srgb" or images.info.color_space == "srgb" or srgb not in surface_formats():
        return images, []
    return replace(images, format=srgb), [f"codes of {images.format} are taken as SRGB, which the format of OUT is"]
