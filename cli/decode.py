"""`texsamp decode`: a texture file into a picture, into another texture file, or into words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from texsamp.device import get_device
from texsamp.errors import StateError
from texsamp.io.textures import CONTAINERS, PICTURES, TextureFile, picture_texels, write_picture, write_texture
from texsamp.surface.codec.formats import ROUNDINGS

from .columns import print_columns
from .options import DeviceOption
from .progress import echo_notes
from .texture_options import (
    FaceOption,
    FormatOption,
    LayerOption,
    OverwriteOption,
    RawSizeOption,
    TextureArgument,
    contents,
    facts,
    one_of,
    read_input,
    size_text,
    supercompression_word,
    tell,
)

_LEVEL_COLUMNS = ("level", "size", "images", "bytes of each")


def _rounding(value: str | None) -> str | None:
    return one_of("rounding", tuple(ROUNDINGS), value)


def decode(
    source: TextureArgument,
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="OUT",
            help="Picture (.png, .tga, .exr, .hdr, or .npy for an array), or texture file (.dds, .ktx, .ktx2, .astc) "
            "with all levels and slices as they are.",
        ),
    ] = None,
    info: Annotated[bool, typer.Option("--info", help="Print what is inside instead.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what is told as JSON.")] = False,
    level: Annotated[int | None, typer.Option(min=0, help="Mip level of the picture; 0 by default.")] = None,
    layer: LayerOption = None,
    face: FaceOption = None,
    format: FormatOption = None,
    size: RawSizeOption = None,
    rounding: Annotated[
        str | None,
        typer.Option(callback=_rounding, help=f"Policy of BC1 to BC5: {', '.join(ROUNDINGS)}; d3d by default."),
    ] = None,
    supercompression: Annotated[
        str, typer.Option(callback=supercompression_word, help="Pack a KTX2 file: none, zstd or zlib.")
    ] = "none",
    device: DeviceOption = "auto",
    overwrite: OverwriteOption = False,
) -> None:
    """Decode a texture file to a picture, or convert it to another kind of texture file."""
    if info == (target is not None):
        raise StateError("decode needs either OUT or --info")
    picture_options = {"level": level, "layer": layer, "face": face, "rounding": rounding}
    given = [f"--{name}" for name, value in picture_options.items() if value is not None]
    if info and (given or supercompression != "none"):
        raise StateError(f"--info tells of the whole file, found {' '.join(given) or '--supercompression'}")
    file = read_input(source, format, size, "--size")
    if target is None:
        _print_info(source, file, as_json)
        return
    if Path(target).suffix.lower() in CONTAINERS:
        if given:
            raise StateError(f"texture files keep all levels and slices as they are, found {' '.join(given)}")
        notes = write_texture(
            target, file.images, supercompression=supercompression, overwrite=overwrite, input_path=source
        )
        lost = [f"alpha is {file.alpha}, which {target} does not say"] if file.alpha not in ("", "straight") else []
        values = {**facts(file.images), "levels": file.images.levels}
        tell(target, contents(file.images), [*file.notes, *notes, *lost], as_json, values)
        return
    if supercompression != "none":
        raise StateError(f"--supercompression is for KTX2 files, found {target}")
    if Path(target).suffix.lower() not in PICTURES:
        extensions = " ".join([*PICTURES, *CONTAINERS])
        raise StateError(f"{target}: the extension says no picture or texture file, use one of {extensions}")
    where = get_device(device)
    chosen = (level or 0, layer or 0, face)
    texels = where.download(picture_texels(file.images, *chosen, rounding=rounding, device=where))
    notes = write_picture(target, texels, file.images.info, overwrite=overwrite, input_path=source)
    height, width, channels = texels.shape
    of = f"level {level or 0} of {file.images.levels}, {file.images.format}"
    words = f"{width}x{height}, {channels} channel{'s' * (channels > 1)} of {texels.dtype}, {of}"
    values = {
        "size_px": [width, height],
        "channels": channels,
        "dtype": str(texels.dtype),
        "level": level or 0,
        "levels": file.images.levels,
        "format": file.images.format,
    }
    tell(target, words, [*file.notes, *notes], as_json, values)


def _record(source: str, file: TextureFile) -> dict[str, Any]:
    images = file.images
    levels = [
        {
            "size_px": list(images.level_size_px(level)),
            "images": len(slices),
            "image_B": images.image_size_B(level),
        }
        for level, slices in enumerate(images.images)
    ]
    total_B = sum(len(slices) * images.image_size_B(level) for level, slices in enumerate(images.images))
    return {
        "file": source,
        "container": file.container,
        **facts(images),
        "stored_format": file.stored_format,
        "alpha": file.alpha or None,
        "bytes": total_B,
        "levels": levels,
        "notes": list(file.notes),
    }


def _print_info(source: str, file: TextureFile, as_json: bool) -> None:
    record = _record(source, file)
    if as_json:
        typer.echo(json.dumps(record))
        return
    images = file.images
    rows = {
        "file": source,
        "container": file.container,
        "type": f"{record['type']}{' array' * images.is_array}",
        "format": f"{images.format} (in the file: {file.stored_format})",
        "size": size_text(images),
        "levels": images.levels,
        "layers": images.array_length,
        "alpha": file.alpha or "not said",
        "bytes": record["bytes"],
    }
    width = max(map(len, rows))
    for name, text in rows.items():
        typer.echo(f"{name:<{width}}  {text}")
    levels = [
        (level, size_text(images, level), len(slices), images.image_size_B(level))
        for level, slices in enumerate(images.images)
    ]
    print_columns(_LEVEL_COLUMNS, levels)
    echo_notes(file.notes)
