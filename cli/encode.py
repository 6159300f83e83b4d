"""`texsamp encode`: a picture or texture file in another format, with mip levels, as a texture file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, get_args

import typer

from texsamp.errors import StateError
from texsamp.io.textures import CONTAINERS, read_texture_file, write_texture
from texsamp.state.formats import surface_formats
from texsamp.surface.arrays import format_named
from texsamp.surface.images import TextureImages
from texsamp.surface.mips import MipEdge, MipFilter
from texsamp.surface.surface import Surface

from .options import DeviceOption
from .progress import echo_notes
from .texture_options import OverwriteOption, TextureArgument, checked_format, contents, one_of, supercompression_word

_SRGB = "_SRGB"


def _mips(value: str | None) -> str | None:
    return one_of("mips", get_args(MipFilter), value)


def _edge(value: str) -> str:
    return one_of("edge", get_args(MipEdge), value) or value


def encode(
    source: TextureArgument,
    target: Annotated[str, typer.Argument(metavar="OUT", help="Texture file: .dds, .ktx2 or .astc.")],
    format: Annotated[
        str,
        typer.Option(
            callback=checked_format,
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
) -> None:
    """Make a texture file of another format, with mip levels, from a picture or a texture file."""
    if Path(target).suffix.lower() not in CONTAINERS:
        raise StateError(f"{target}: the extension says no texture file, use one of {' '.join(CONTAINERS)}")
    if mips is None and (levels is not None or edge != "clamp"):
        raise StateError("--levels and --edge say how --mips makes levels, which is missing")
    file = read_texture_file(source)
    images, notes = _meant(file.images, format_named(format).color_space)
    chosen: MipFilter | None = next((word for word in get_args(MipFilter) if word == mips), None)
    wrapped: MipEdge = "wrap" if edge == "wrap" else "clamp"
    made = Surface.from_images(images, device=device).convert(format, mips=chosen, levels=levels, edge=wrapped).images()
    lost = write_texture(target, made, supercompression=supercompression, overwrite=overwrite, input_path=source)
    echo_notes([*file.notes, *notes, *lost])
    typer.echo(f"{target}: {contents(made)}")


def _meant(images: TextureImages, color_space: str) -> tuple[TextureImages, list[str]]:
    """The texture with its codes taken as SRGB where that is what OUT has: pictures do not say that theirs are."""
    srgb = images.format + _SRGB
    if color_space != "srgb" or images.info.color_space == "srgb" or srgb not in surface_formats():
        return images, []
    return replace(images, format=srgb), [f"codes of {images.format} are taken as SRGB, which the format of OUT is"]
