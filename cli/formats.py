"""`texsamp formats`: the surface format tables."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Annotated, Any

import typer

from texsamp.errors import StateError
from texsamp.state import SurfaceFormatInfo, later_surface_formats, media_formats, surface_formats
from texsamp.state.formats import CAPABILITIES, Channel, MediaFormatInfo
from texsamp.state.generations import check_generation

from .columns import print_columns
from .options import JsonOption

_COLUMNS = ("code", "name", "bits", "block", "channels", "DX10/OGL", "DX9", "can", "generation", "note")
_MEDIA_COLUMNS = ("code", "name", "bits", "planes", "messages", "generation", "note")
_CAPABILITIES_OF_GENERATION = 7
"""Generation whose capabilities the table of surface formats begins with."""


def formats(
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            help="Part of a name, a capability (can=filtering), bits=32, block=4x4 or space=srgb; "
            "of media formats part of a name, bits=16 or message=sample_8x8.",
        ),
    ] = None,
    media: Annotated[bool, typer.Option("--media", help="Media surface formats instead.")] = False,
    generation: Annotated[
        float | None,
        typer.Option(help="Capabilities on this generation, 7 by default; of media formats those that exist on it."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List surface formats: codes, bits, channels in memory order, what the sampler returns, what hardware can do."""
    if generation is not None:
        check_generation(generation)
    if media:
        _print_media(filters or [], generation, as_json)
    else:
        _print_surface(filters or [], generation or _CAPABILITIES_OF_GENERATION, as_json)


def _print_surface(filters: list[str], generation: float, as_json: bool) -> None:
    if generation < _CAPABILITIES_OF_GENERATION:
        raise StateError(
            f"the capabilities of surface formats are known from generation {_CAPABILITIES_OF_GENERATION}, "
            f"not on {generation:g}"
        )
    keys: dict[str, _Filter] = {
        "can": _one_of("can", CAPABILITIES.values(), lambda info, word: info.can(word, generation)),
        "bits": _bits,
        "block": _block,
        "space": _one_of("space", {i.color_space for i in surface_formats().values()}, _has_color_space),
    }
    tests = [_test(text, keys) for text in filters]
    tables = (surface_formats(), later_surface_formats())
    chosen, later = ([info for info in table.values() if all(test(info) for test in tests)] for table in tables)
    if as_json:
        typer.echo(json.dumps([_record(info, generation) for info in chosen + later]))
        return
    print_columns(_COLUMNS, [_row(info, generation) for info in chosen + later])
    typer.echo(f"{len(chosen)} of {len(tables[0])} formats, {len(later)} of {len(tables[1])} of later generations")


def _print_media(filters: list[str], generation: float | None, as_json: bool) -> None:
    messages = {message for info in media_formats() for message in info.messages}
    keys: dict[str, _Filter] = {
        "bits": _bits,
        "message": _one_of("message", messages, lambda info, message: message in info.messages),
    }
    tests = [_test(text, keys) for text in filters]
    known = [info for info in media_formats() if generation is None or info.generation <= generation]
    chosen = [info for info in known if all(test(info) for test in tests)]
    if as_json:
        typer.echo(json.dumps([asdict(info) for info in chosen]))
        return
    print_columns(_MEDIA_COLUMNS, [_media_row(info) for info in chosen])
    typer.echo(f"{len(chosen)} of {len(media_formats())} formats")


_Test = Callable[[Any], bool]
_Filter = Callable[[str], _Test]


def _test(text: str, keys: dict[str, _Filter]) -> _Test:
    """Whether a format passes the filter `text`; StateError if no format could be meant."""
    key, equals, value = text.partition("=")
    if not equals:
        return lambda info: text.upper() in info.name.upper()
    if key not in keys:
        raise StateError(f"no filter {key!r}; there are {', '.join(keys)}, or a part of a name")
    return keys[key](value)


def _one_of(key: str, words: Iterable[str], has: Callable[[Any, str], bool]) -> _Filter:
    known = sorted(words)

    def make(value: str) -> _Test:
        if value not in known:
            raise StateError(f"filter {key}={value}: there are {', '.join(known)}")
        return lambda info: has(info, value)

    return make


def _has_color_space(info: SurfaceFormatInfo, color_space: str) -> bool:
    return info.color_space == color_space


def _bits(value: str) -> _Test:
    if not re.fullmatch(r"[0-9]{1,4}", value):
        raise StateError(f"filter bits={value}: the number of bits is a whole number, as in bits=32")
    return lambda info: bool(info.bits == int(value))


def _block(value: str) -> _Test:
    if not re.fullmatch(r"[0-9]{1,4}x[0-9]{1,4}", value):
        raise StateError(f"filter block={value}: a block is WIDTHxHEIGHT, as in block=4x4")
    size = tuple(map(int, value.split("x")))
    return lambda info: (info.block_width, info.block_height) == size


def _capabilities(info: SurfaceFormatInfo, generation: float) -> list[str]:
    return [word for word in CAPABILITIES.values() if info.can(word, generation)]


def _record(info: SurfaceFormatInfo, generation: float) -> dict[str, Any]:
    return asdict(info) | {"capabilities": _capabilities(info, generation)}


def _row(info: SurfaceFormatInfo, generation: float) -> tuple[str, ...]:
    return (
        f"0x{info.code:03x}",
        info.name,
        str(info.bits),
        f"{info.block_width}x{info.block_height}",
        " ".join(map(_channel, info.channels)),
        "".join(info.map_dx10 or ()),
        "".join(info.map_dx9 or ()),
        " ".join(_capabilities(info, generation)),
        f"{info.generation:g}",
        info.note,
    )


def _channel(channel: Channel) -> str:
    place = "" if channel.offset is None or channel.bits is None else f"{channel.offset}+{channel.bits}"
    return f"{channel.name}:{channel.kind}{':' if place else ''}{place}"


def _media_row(info: MediaFormatInfo) -> tuple[str, ...]:
    return (
        str(info.code),
        info.name,
        f"{info.bits:g}",
        " ".join(info.planes),
        " ".join(info.messages),
        f"{info.generation:g}",
        info.note,
    )
