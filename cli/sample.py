"""`texsamp sample`: a picture of a textured quad."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, get_args

import typer

from texsamp.draw import FILTERS, MONO_FILTERS, draw_quad, quad_sampler
from texsamp.errors import StateError
from texsamp.io.textures import PICTURES, write_picture
from texsamp.sampler.sampler import Address

from .options import DeviceOption, JsonOption
from .texture_options import (
    FaceOption,
    FormatOption,
    LayerOption,
    OverwriteOption,
    TextureArgument,
    checked_size,
    facts,
    one_of,
    read_input,
    size_of,
    tell,
)

ADDRESSES: tuple[str, ...] = get_args(Address)
_BORDER_CHANNELS = 4


def _filter(word: str) -> str:
    one_of("filter", (*FILTERS, *MONO_FILTERS), word)
    return word


def _address(text: str) -> str:
    for word in text.split(","):
        one_of("address", ADDRESSES, word)
    return text


def _border(text: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(word) for word in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) != _BORDER_CHANNELS:
        raise StateError(f"border takes red, green, blue and alpha with commas between, found {text!r}")
    return tuple(_finite("border", number) for number in numbers)


def _finite(name: str, number: float) -> float:
    if not math.isfinite(number):
        raise StateError(f"{name} must be finite, found {number}")
    return number


def _finite_option(param: typer.CallbackParam, number: float | None) -> float | None:
    return None if number is None else _finite(str(param.name), number)


def sample(
    source: TextureArgument,
    target: Annotated[
        str,
        typer.Argument(
            metavar="OUT", help="Picture: .png, or .exr, .hdr or .npy for the sampler's floats (linear for sRGB)."
        ),
    ],
    size: Annotated[str, typer.Option(callback=checked_size, metavar="WxH", help="Size of the picture in pixels.")],
    transform: Annotated[
        str,
        typer.Option(
            help="What is done to the quad, which fills the picture at first, step by step: scale=X:Y, "
            "rotate=DEGREES, translate=X:Y, perspective=X:Y, as in rotate=30,scale=0.5."
        ),
    ] = "",
    filter: Annotated[
        str,
        typer.Option(
            callback=_filter,
            help="nearest, linear; mipnearest, trilinear: linear, in the nearest mip level or between two; aniso2, 4, "
            "... 16: anisotropic, up to so many times; ewa2, ... 16: along an ellipse; mono1x1 to mono7x7: for MONO8.",
        ),
    ] = "trilinear",
    address: Annotated[
        str,
        typer.Option(
            callback=_address,
            help=f"Beyond the texture, for all axes or for each: {', '.join(ADDRESSES)}. Cubes are seamless always.",
        ),
    ] = "wrap",
    border: Annotated[str, typer.Option(metavar="R,G,B,A", help="Border color.")] = "0,0,0,0",
    plane: Annotated[
        bool, typer.Option("--plane", help="Go on beyond the quad's edges, as the address modes say.")
    ] = False,
    lod: Annotated[
        float | None,
        typer.Option(callback=_finite_option, help="Level of detail, instead of what the picture asks for."),
    ] = None,
    bias: Annotated[
        float | None, typer.Option(callback=_finite_option, help="Is added to the level of detail.")
    ] = None,
    level: Annotated[int, typer.Option(min=0, help="Mip level to begin with.")] = 0,
    layer: LayerOption = None,
    face: FaceOption = None,
    format: FormatOption = None,
    texture_size: Annotated[
        str | None, typer.Option(callback=checked_size, metavar="WxH", help="Size of raw elements in texels.")
    ] = None,
    device: DeviceOption = "auto",
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Draw a texture file as a quad: scaled, turned, moved, in perspective, with every filter and address mode."""
    extension = Path(target).suffix.lower()
    if extension not in PICTURES:
        raise StateError(f"{target}: the extension says no picture, use one of {' '.join(PICTURES)}")
    sampler = quad_sampler(filter, address.split(","), _border(border))
    file = read_input(source, format, texture_size, "--texture-size")
    drawing = draw_quad(
        file.images,
        sampler,
        size_of(size),
        transform,
        level=level,
        layer=layer or 0,
        face=face,
        plane=plane,
        lod=lod,
        bias=bias,
        floats=extension != ".png",
        device=device,
    )
    notes = write_picture(target, drawing.texels, drawing.info, overwrite=overwrite, input_path=source)
    images = file.images
    texture = f"{images.format} {images.width_px}x{images.height_px}"
    levels = f"{drawing.levels} level{'s' * (drawing.levels > 1)}"
    tell(
        target,
        f"{size}, 4 channels of {drawing.texels.dtype}, {texture} through {filter}, {levels}",
        [*file.notes, *drawing.notes, *notes],
        as_json,
        {
            "size_px": list(size_of(size)),
            "dtype": str(drawing.texels.dtype),
            "filter": filter,
            "texture": facts(images),
            "levels": drawing.levels,
        },
    )
