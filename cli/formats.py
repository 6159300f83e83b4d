"""`texsamp formats`: the surface format tables."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from texsamp.errors import StateError
from texsamp.state import SurfaceFormatInfo, media_formats, surface_formats
from texsamp.state.formats import CAPABILITIES, Channel

from .columns import print_columns

_COLUMNS = ("code", "name", "bits", "block", "channels", "DX10/OGL", "DX9", "can", "note")


def formats(
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter", help="Part of a name, a capability (can=filtering), bits=32, block=4x4 or space=srgb."
        ),
    ] = None,
    media: Annotated[bool, typer.Option("--media", help="Media surface formats instead.")] = False,
    generation: Annotated[float, typer.Option(help="Capabilities on this generation.")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List surface formats: codes, bits, channels in memory order, what the sampler returns, what hardware can do."""
    if media:
        _print_media(as_json)
        return
    chosen = [info for info in surface_formats().values() if all(_matches(info, f, generation) for f in filters or [])]
    if as_json:
        typer.echo(json.dumps([_record(info, generation) for info in chosen]))
        return
    print_columns(_COLUMNS, [_row(info, generation) for info in chosen])
    typer.echo(f"{len(chosen)} of {len(surface_formats())} formats")


def _matches(info: SurfaceFormatInfo, text: str, generation: float) -> bool:
    key, equals, value = text.partition("=")
    if not equals:
        return text.upper() in info.name
    if key == "can":
        return info.can(value, generation)
    values = {"bits": str(info.bits), "block": f"{info.block_width}x{info.block_height}", "space": info.color_space}
    if key not in values:
        raise StateError(f"no filter {key!r}; there are can, {', '.join(values)}, or a part of a name")
    return values[key] == value


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
        info.note,
    )


def _channel(channel: Channel) -> str:
    place = "" if channel.offset is None or channel.bits is None else f"{channel.offset}+{channel.bits}"
    return f"{channel.name}:{channel.kind}{':' if place else ''}{place}"


def _print_media(as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps([asdict(info) for info in media_formats()]))
        return
    rows = [
        (str(info.code), info.name, f"{info.bits:g}", " ".join(info.planes), " ".join(info.messages),
         f"{info.generation:g}", info.note)
        for info in media_formats()
    ]  # fmt: skip
    print_columns(("code", "name", "bits", "planes", "messages", "generation", "note"), rows)
