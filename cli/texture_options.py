"""Options of the commands that read a texture: which file, and which picture of it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from texsamp.errors import FormatError, StateError
from texsamp.io.textures import FACES, TextureFile, read_raw_image, read_texture_file
from texsamp.state.formats import surface_formats
from texsamp.surface.arrays import format_named
from texsamp.surface.images import TextureImages
from texsamp.surface.memory import size_px

from .options import open_input
from .progress import echo_notes


def checked_size(text: str | None) -> str | None:
    """A size as WIDTHxHEIGHT. Raises BadParameter."""
    if text is not None and not re.fullmatch(r"[0-9]{1,20}x[0-9]{1,20}", text):
        raise typer.BadParameter(f"must be WIDTHxHEIGHT in texels, as in 256x128, found {text!r}")
    if text is not None:
        with _bad_parameter():
            size_px(*map(int, text.split("x")))
    return text


def checked_format(name: str | None) -> str | None:
    """A format by any of its names. Raises BadParameter."""
    if name is not None:
        with _bad_parameter():
            format_named(name)
    return name


def formats_from(incomplete: str) -> list[str]:
    """The formats whose names begin so, for the shell."""
    return [name for name in surface_formats() if name.startswith(incomplete)]


@contextmanager
def _bad_parameter() -> Iterator[None]:
    try:
        yield
    except FormatError as error:
        raise typer.BadParameter(str(error)) from None


def one_of(name: str, words: tuple[str, ...], value: str | None) -> str | None:
    """A word that must be one of some. Raises BadParameter."""
    if value is not None and value not in words:
        raise typer.BadParameter(f"{name} must be one of {', '.join(words)}, found {value!r}")
    return value


def supercompression_word(value: str) -> str:
    """A way to pack KTX2 files. Raises BadParameter."""
    one_of("supercompression", ("none", "zstd", "zlib"), value)
    return value


def type_name(images: TextureImages) -> str:
    """1D, 2D, 3D or CUBE."""
    return images.type.name.removeprefix("SURFTYPE_")


def size_text(images: TextureImages, level: int = 0) -> str:
    """Sides of a level with x between."""
    return "x".join(map(str, images.level_size_px(level)[: 3 if type_name(images) == "3D" else 2]))


def contents(images: TextureImages) -> str:
    """Type, format, size, levels and layers in a line."""
    layers = f", {images.array_length} layers" if images.is_array else ""
    levels = f"{images.levels} level{'s' * (images.levels > 1)}"
    return f"{type_name(images)} {images.format} {size_text(images)}, {levels}{layers}"


def facts(images: TextureImages) -> dict[str, object]:
    """Type, format, size and layers for JSON."""
    return {
        "type": type_name(images),
        "format": images.format,
        "size_px": list(images.level_size_px(0)),
        "layers": images.array_length,
        "is_array": images.is_array,
    }


def tell(target: str, words: str, notes: Iterable[str], as_json: bool, values: dict[str, object]) -> None:
    """Say what was written: words on stdout and notes on stderr, or both and the values as one line of JSON."""
    if as_json:
        typer.echo(json.dumps({"output": target, **values, "notes": list(notes)}))
        return
    echo_notes(notes)
    typer.echo(f"{target}: {words}")


def _face(value: str | None) -> str | None:
    return one_of("face", FACES, value)


def size_of(text: str) -> tuple[int, int]:
    """Width and height of a checked size."""
    width, height = text.split("x")
    return int(width), int(height)


def read_input(source: str, format: str | None, size: str | None, size_option: str) -> TextureFile:
    """The texture: a file with a header, or raw elements of a format and a size. Raises StateError for one of them."""
    if (format is None) != (size is None):
        raise StateError(f"raw elements need both --format and {size_option}, files with a header neither")
    file = sys.stdin.buffer if source == "-" else source
    if format is None or size is None:
        return read_texture_file(file)
    return read_raw_image(file, format, *size_of(size))


TextureArgument = Annotated[
    str,
    typer.Argument(
        metavar="IN",
        callback=open_input,
        help="DDS, KTX, KTX2, ASTC or picture file, or raw elements; - is standard input.",
    ),
]
LayerOption = Annotated[
    int | None, typer.Option(min=0, help="Array slice, cube of an array, or slice of a volume; 0 by default.")
]
FaceOption = Annotated[
    str | None, typer.Option(callback=_face, help="Face of a cube: +x (the default), -x, +y, -y, +z or -z.")
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        callback=checked_format,
        autocompletion=formats_from,
        help="Format of raw elements, as in BC7_UNORM (see texsamp formats).",
    ),
]
RawSizeOption = Annotated[
    str | None, typer.Option(callback=checked_size, metavar="WxH", help="Size of raw elements in texels.")
]
OverwriteOption = Annotated[bool, typer.Option("-y", "--overwrite", help="Replace OUT if it exists.")]
