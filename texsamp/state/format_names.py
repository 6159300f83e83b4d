"""Other names of surface formats: those of DXGI, Vulkan and OpenGL, and short ones such as ``rgba8`` or ``rg16f``."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

DXGI_PREFIX = "DXGI_FORMAT_"
VULKAN_PREFIX = "VK_FORMAT_"

_SHORT = re.compile(r"(S?)(RGBA|BGRA|RGB|RG|R|LA|L|A|I)(8|16|32)(UNORM|SNORM|UINT|SINT|FLOAT|UI|I|F|)(SRGB|)")
_KINDS = {"": "UNORM", "F": "FLOAT", "UI": "UINT", "I": "SINT"}
_WORDS = {
    "RGB565": "B5G6R5_UNORM",
    "RGB5A1": "B5G5R5A1_UNORM",
    "RGBA4": "B4G4R4A4_UNORM",
    "RGB10A2": "R10G10B10A2_UNORM",
    "RGB10A2UI": "R10G10B10A2_UINT",
    "RGB9E5": "R9G9B9E5_SHAREDEXP",
    "R11FG11FB10F": "R11G11B10_FLOAT",
    "SRGB8ALPHA8": "R8G8B8A8_UNORM_SRGB",
    "R11G11B10F": "R11G11B10_FLOAT",
    "RG11B10F": "R11G11B10_FLOAT",
    **dict.fromkeys(("DEPTHCOMPONENT16", "D16"), "R16_UNORM"),
    **dict.fromkeys(("DEPTHCOMPONENT24", "DEPTH24STENCIL8", "D24S8"), "R24_UNORM_X8_TYPELESS"),
    **dict.fromkeys(("DEPTHCOMPONENT32F", "D32F"), "R32_FLOAT"),
    **dict.fromkeys(("DEPTH32FSTENCIL8", "D32FS8"), "R32_FLOAT_X8X24_TYPELESS"),
    **dict.fromkeys(("STENCILINDEX8", "S8"), "R8_UINT"),
}
"""What short names do not follow from letters and bits, without what is no letter or digit."""

_LONG = (("LUMINANCEALPHA", "LA"), ("LUMINANCE", "L"), ("INTENSITY", "I"), ("ALPHA", "A"))
"""Channels as OpenGL writes them out."""
_LUMINANCE_AND_ALPHA = re.compile(r"(S?)LUMINANCE(\d+)ALPHA\2")
_OWNERS = re.compile("(_EXT|_ARB|_OES)$")


def format_rows(name: str) -> Iterator[dict[str, str]]:
    """Rows of a table of files' formats: dxgi_formats.csv, vk_formats.csv, gl_formats.csv, dds_masks.csv, ..."""
    with files("texsamp.state").joinpath("data", name).open(encoding="utf-8") as file:
        yield from csv.DictReader(file)


def manual_name(word: str) -> str | None:
    """The manual's name of a format that goes by another one, in any case; None if nobody calls a format so."""
    return _tables().get(word.upper()) or _short(word)


@cache
def _tables() -> dict[str, str]:
    prefixes = {"dxgi_formats.csv": DXGI_PREFIX, "vk_formats.csv": VULKAN_PREFIX, "gl_compressed.csv": ""}
    return {
        (prefix + row["name"]).upper(): row["format"]
        for table, prefix in prefixes.items()
        for row in format_rows(table)
        if row["format"]
    }


def _short(word: str) -> str | None:
    plain = re.sub("[^A-Z0-9]", "", _OWNERS.sub("", word.upper()).removeprefix("GL_"))
    plain = _LUMINANCE_AND_ALPHA.sub(r"\1LA\2", plain)
    for long, letters in _LONG if plain not in _WORDS else ():
        plain = plain.replace(long, letters)
    found = _SHORT.fullmatch(plain)
    if plain in _WORDS or found is None:
        return _WORDS.get(plain)
    before, letters, bits, kind, after = found.groups()
    channels = "".join(letter + bits for letter in letters)
    return f"{channels}_{_KINDS.get(kind, kind)}{'_SRGB' if before or after else ''}"
