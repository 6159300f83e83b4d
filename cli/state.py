"""`texsamp state`: print, pack and unpack hardware states."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import MappingProxyType
from typing import Annotated, Any

import typer

from texsamp.errors import StateError
from texsamp.state import Struct, preset, preset_names, presets
from texsamp.state.command import Command
from texsamp.state.presets import NOT_IN_PRESETS
from texsamp.state.registry import STRUCTURES
from texsamp.state.registry import structure as find_structure
from texsamp.state.words import as_text

from .columns import print_columns
from .options import JsonOption
from .values import as_json_value

_EXCLUDED = {
    "--list": ("a name", "--unpack", "--pack", "--preset", "--lenient", "--generation"),
    "--unpack": ("--pack", "--preset"),
    "--pack": ("--json",),
}


def _named(incomplete: str) -> list[str]:
    return [name for name in STRUCTURES if name.startswith(incomplete)]


def state(
    name: Annotated[
        str | None, typer.Argument(help="The structure or command, by the manual's name.", autocompletion=_named)
    ] = None,
    items: Annotated[list[str] | None, typer.Argument(help="HEX dwords, or field=value pairs.")] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List structures and commands.")] = False,
    preset_name: Annotated[str | None, typer.Option("--preset", help="Begin with this preset.")] = None,
    unpack: Annotated[bool, typer.Option("--unpack", help="The items are dwords: say what they mean.")] = False,
    pack: Annotated[bool, typer.Option("--pack", help="Set fields (field=value) and print the dwords alone.")] = False,
    lenient: Annotated[bool, typer.Option(help="With --unpack: accept reserved bits and illegal codes.")] = False,
    generation: Annotated[float | None, typer.Option(help="7 Ivy Bridge, 7.5 Haswell, 9, …")] = None,
    as_json: JsonOption = False,
) -> None:
    """Print the fields and dwords of a state: its documentation, its defaults, a preset, or what dwords say.

    texsamp state MEDIA_SURFACE_STATE · texsamp state DEINTERLACE_SAMPLER_STATE --preset i965 ·
    texsamp state --unpack BINDING_TABLE_STATE 0x20 · texsamp state --pack MEDIA_SURFACE_STATE width=720 height=576
    """
    _check_options(
        {
            "--list": list_all,
            "--unpack": unpack,
            "--pack": pack,
            "--preset": preset_name is not None,
            "--lenient": lenient,
            "--generation": generation is not None,
            "--json": as_json,
            "a name": name is not None,
        }
    )
    if list_all:
        _print_list(as_json)
        return
    if name is None:
        raise StateError("name a structure, or use --list")
    structure = find_structure(name)
    if unpack:
        _print_state(_unpacked(structure, items or [], lenient, generation), as_json)
        return
    values = _values(structure, items or [])
    if preset_name is None:
        built = structure(generation=generation, **values)
        note = ""
    else:
        built = preset(structure, preset_name, generation=generation, **values)
        note = _note(structure, values)
    if pack:
        typer.echo(" ".join(f"0x{dword:08x}" for dword in built.to_dwords()))
        if note:
            typer.echo(f"texsamp: {note}", err=True)
    elif items or preset_name or generation is not None:
        _print_state(built, as_json, preset_name, note)
    else:
        _print_description(structure, as_json)


def _check_options(given: dict[str, bool]) -> None:
    for option, excluded in _EXCLUDED.items():
        for other in excluded:
            if given[option] and given[other]:
                raise StateError(f"{option} does not go with {other}")
    if given["--lenient"] and not given["--unpack"]:
        raise StateError("--lenient needs --unpack")


def _hexadecimal(structure: type[Struct], text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        raise StateError(f"{structure.name}: {text!r} is no hexadecimal dword") from None


def _unpacked(structure: type[Struct], items: list[str], lenient: bool, generation: float | None) -> Struct:
    dwords = [_hexadecimal(structure, item.rstrip(",")) for item in items]
    return structure.from_dwords(dwords, strict=not lenient, generation=generation)


def _values(structure: type[Struct], items: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for item in items:
        field, equals, value = item.partition("=")
        if not equals:
            raise StateError(f"{structure.name}: {item!r} is not field=value")
        if field in values:
            raise StateError(f"{structure.name}: {field} is set twice")
        values[field] = [_hexadecimal(structure, d) for d in value.split(",")] if field == "tail" else value
    return values


def _note(structure: type[Struct], values: dict[str, Any]) -> str:
    unset = NOT_IN_PRESETS.get(structure.name)
    zero = [field for field in unset.fields if field not in values] if unset else []
    return f"{unset.reason}; left at zero here: {', '.join(zero)}" if unset and zero else ""


def _print_list(as_json: bool) -> None:
    rows = [
        (
            name,
            "command" if issubclass(structure, Command) else "structure",
            structure.dwords,
            structure.source,
            " ".join(preset_names(structure)),
        )
        for name, structure in STRUCTURES.items()
    ]
    columns = ("name", "what", "dwords", "source", "presets")
    if as_json:
        typer.echo(json.dumps([dict(zip(columns, row, strict=True)) for row in rows]))
    else:
        print_columns(columns, rows)


def _print_description(structure: type[Struct], as_json: bool) -> None:
    columns = ("bits", "field", "format", "legal", "meaning")
    rows = structure.describe()
    if as_json:
        typer.echo(json.dumps([dict(zip(columns, row, strict=True)) for row in rows]))
        return
    typer.echo(f"{structure.name}: {structure.dwords} dwords, source {structure.source}")
    typer.echo(f"{(structure.__doc__ or '').strip()}\n")
    print_columns(columns, rows)
    typer.echo("\ndefault: " + " ".join(f"0x{dword:08x}" for dword in structure().to_dwords()))


def _print_state(built: Struct, as_json: bool, preset_name: str | None = None, note: str = "") -> None:
    sources = presets().get((built.name, preset_name or ""), MappingProxyType({}))
    if as_json:
        dwords = [f"0x{dword:08x}" for dword in built.to_dwords()]
        fields = {name: as_json_value(value) for name, value in built.values().items()}
        document = {"name": built.name, "dwords": dwords, "fields": fields}
        typer.echo(json.dumps(document | ({"note": note} if note else {})))
        return
    rows = [
        (built.rows[name].bits, label, as_text(part), sources[name].source if name in sources else "")
        for name, value in built.values().items()
        for label, part in _lines(name, value)
    ]
    columns = ("bits", "field", "value", "from")[: 4 if sources else 3]
    print_columns(columns, [row[: len(columns)] for row in rows])
    for number, element in enumerate(built.elements if isinstance(built, Command) else ()):
        changed = " ".join(f"{name}={as_text(value)}" for name, value in element.changed().items())
        typer.echo(f"element {number}: {element.name} {changed}")
    for number, dword in enumerate(built.to_dwords()):
        typer.echo(f"DW{number} 0x{dword:08x}")
    if note:
        typer.echo(f"note: {note}")


def _lines(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Name and value, or for a table those of each row, lest lines get too long to read."""
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        for number, row in enumerate(value):
            yield f"{name}[{number}]", row
    else:
        yield name, value
