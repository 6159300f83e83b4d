"""Surface and media surface formats: the data files under `data/` as records and as enumerated codes."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from texsamp.errors import FormatError
from texsamp.state.format_names import manual_name
from texsamp.state.kinds import Codes

CAPABILITIES = MappingProxyType(
    {
        "S": "sampling",
        "F": "filtering",
        "H": "shadow",
        "K": "chroma_key",
        "R": "render_target",
        "B": "blend",
        "V": "vertex",
        "O": "stream_out",
        "C": "color_processing",
        "W": "typed_write",
        "T": "typed_read",
        "A": "typed_atomic",
    }
)
"""Letters of the data file's capability column and the words they stand for."""


@dataclass(frozen=True, slots=True)
class Channel:
    """One channel of an element: letter, number kind, and bit place (None inside compressed blocks and planes)."""

    name: str
    kind: str
    offset: int | None
    bits: int | None


@dataclass(frozen=True, slots=True)
class SurfaceFormatInfo:
    """One row of the format table.

    bits: of one block (`block_width` x `block_height` texels; 1 x 1 for plain formats).
    channels: in memory order, least significant first; `X` is padding, `P` a palette index, `E` a shared exponent.
    map_dx10, map_dx9: what the sampler returns as R, G, B, A in that border color mode; None: cannot be sampled so.
    capabilities: words of `CAPABILITIES` on Gen7; later: (word, first generation) pairs beyond it.
    """

    code: int
    name: str
    bits: int
    block_width: int
    block_height: int
    channels: tuple[Channel, ...]
    map_dx10: tuple[str, ...] | None
    map_dx9: tuple[str, ...] | None
    capabilities: frozenset[str]
    later: tuple[tuple[str, float], ...]
    color_space: str
    generation: float
    note: str

    def can(self, capability: str, generation: float = 7) -> bool:
        """Whether the format has a capability (a word of `CAPABILITIES`) on a generation."""
        if capability not in CAPABILITIES.values():
            raise FormatError(f"no capability {capability!r}; there are {', '.join(CAPABILITIES.values())}")
        return capability in self.capabilities or any(w == capability and generation >= g for w, g in self.later)


@dataclass(frozen=True, slots=True)
class MediaFormatInfo:
    """One meaning of a media surface format code: planes are `channels:subsampling` words, `messages` who reads it."""

    code: int
    name: str
    bits: float
    planes: tuple[str, ...]
    messages: tuple[str, ...]
    generation: float
    note: str


def _table(name: str) -> Iterator[dict[str, str]]:
    with files("texsamp.state").joinpath("data", name).open(encoding="utf-8") as file:
        yield from csv.DictReader(file)


def _channel(text: str) -> Channel:
    name, kind, *place = text.split(":")
    return Channel(name, kind, *(int(number) for number in place)) if place else Channel(name, kind, None, None)


def _surface_table(name: str) -> MappingProxyType[str, SurfaceFormatInfo]:
    table = {}
    for row in _table(name):
        width, height = row["block"].split("x")
        later = tuple((CAPABILITIES[word[0]], int(word[1:]) / 10) for word in row["later"].split())
        table[row["name"]] = SurfaceFormatInfo(
            code=int(row["code"], 16),
            name=row["name"],
            bits=int(row["bits"]),
            block_width=int(width),
            block_height=int(height),
            channels=tuple(_channel(text) for text in row["channels"].split()),
            map_dx10=tuple(row["map_dx10"].split()) or None,
            map_dx9=tuple(row["map_dx9"].split()) or None,
            capabilities=frozenset(CAPABILITIES[letter] for letter in row["capabilities"]),
            later=later,
            color_space=row["color_space"],
            generation=float(row["generation"]),
            note=row["note"],
        )
    return MappingProxyType(table)


@cache
def surface_formats() -> MappingProxyType[str, SurfaceFormatInfo]:
    """Every surface format by the manual's name, in the order of the codes."""
    return _surface_table("surface_formats.csv")


@cache
def later_surface_formats() -> MappingProxyType[str, SurfaceFormatInfo]:
    """Formats whose codes only later generations have (ASTC), by name, in the order of the codes.

    Codes from 0x200 on set the ASTC_Enable bit of the later SURFACE_STATE (seed 003:2619). Sources: Mesa's isl_format.h
    and isl_format.c, Intel's gmmlib.
    """
    return _surface_table("surface_formats_gen9.csv")


@cache
def media_formats() -> tuple[MediaFormatInfo, ...]:
    """Every meaning of every media surface format code."""
    return tuple(
        MediaFormatInfo(
            code=int(row["code"]),
            name=row["name"],
            bits=float(row["bits"]),
            planes=tuple(row["planes"].split()),
            messages=tuple(row["messages"].split()),
            generation=float(row["generation"]),
            note=row["note"],
        )
        for row in _table("media_formats.csv")
    )


@cache
def _by_key() -> dict[str | int, SurfaceFormatInfo]:
    every = (*surface_formats().values(), *later_surface_formats().values())
    return {info.code: info for info in every} | {info.name.upper(): info for info in every}


def surface_format(key: str | int) -> SurfaceFormatInfo:
    """Row of one format, of any generation, by name or code; FormatError if there is none.

    Names are the manual's, or those of DXGI, Vulkan, OpenGL, or short ones (`format_names`), in any case.
    """
    info = _by_key().get(int(key) if isinstance(key, int) else key.upper()) if isinstance(key, int | str) else None
    if info is None and isinstance(key, str):
        info = _by_key().get((manual_name(key) or "").upper())
    if info is None:
        if isinstance(key, str):
            raise FormatError(
                f"no surface format {key!r}: `texsamp formats` lists the manual's, and names as in DXGI, Vulkan and "
                "OpenGL go, too, also short ones (rgba8, rg16f, bc7)"
            )
        raise FormatError(
            f"no surface format {key!r}; codes run from 0x000 to 0x1ff with {len(surface_formats())} names, "
            f"those of ASTC from 0x200 to 0x37f with {len(later_surface_formats())}"
        )
    return info


_enum: Any = Codes
SurfaceFormat: type[Codes] = _enum(
    "SurfaceFormat", {name: (info.code, info.note, info.generation) for name, info in surface_formats().items()}
)
"""Codes of SURFACE_FORMAT fields; members by name, `SurfaceFormat["R8_UNORM"]`."""
