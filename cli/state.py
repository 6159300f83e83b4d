"""`texsamp state`: print, pack and unpack hardware states."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Annotated, Any

import typer

from texsamp.errors import StateError
from texsamp.state import Struct, preset, preset_names, presets
from texsamp.state.command import Command
from texsamp.state.registry import STRUCTURES
from texsamp.state.registry import structure as find_structure

from .columns import print_columns
from .values import as_json_value, as_text


def state(
    name: Annotated[str | None, typer.Argument(help="The structure or command, by the manual's name.")] = None,
    items: Annotated[list[str] | None, typer.Argument(help="HEX dwords, or field=value pairs.")] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List structures and commands.")] = False,
    preset_name: Annotated[str | None, typer.Option("--preset", help="Begin with this preset.")] = None,
    unpack: Annotated[bool, typer.Option("--unpack", help="The items are dwords: say what they mean.")] = False,
    pack: Annotated[bool, typer.Option("--pack", help="Set fields (field=value) and print the dwords alone.")] = False,
    lenient: Annotated[bool, typer.Option(help="With --unpack: accept reserved bits and illegal codes.")] = False,
    generation: Annotated[float | None, typer.Option(help="7 Ivy Bridge, 7.5 Haswell, 9, …")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print the fields and dwords of a state: its documentation, its defaults, a preset, or what dwords say.

    texsamp state MEDIA_SURFACE_STATE · texsamp state DEINTERLACE_SAMPLER_STATE --preset i965 ·
    texsamp state --unpack BINDING_TABLE_STATE 0x20 · texsamp state --pack MEDIA_SURFACE_STATE width=720 height=576
    """
    if list_all:
        _print_list(as_json)
        return
    if name is None:
        raise StateError("name a structure, or use --list")
    structure = find_structure(name)
    if unpack:
        _print_state(_unpacked(structure, items or [], lenient, generation), as_json)
        return
    built = _built(structure, items or [], preset_name, generation)
    if pack:
        typer.echo(" ".join(f"0x{dword:08x}" for dword in built.to_dwords()))
    elif items or preset_name:
        _print_state(built, as_json, preset_name)
    else:
        _print_description(structure, as_json)


def _unpacked(structure: type[Struct], items: list[str], lenient: bool, generation: float | None) -> Struct:
    try:
        dwords = [int(item.rstrip(","), 16) for item in items]
    except ValueError as error:
        raise StateError(f"{structure.name}: {error}") from None
    return structure.from_dwords(dwords, strict=not lenient, generation=generation)


def _built(structure: type[Struct], items: list[str], name: str | None, generation: float | None) -> Struct:
    values: dict[str, Any] = {}
    for item in items:
        field, equals, value = item.partition("=")
        if not equals:
            raise StateError(f"{structure.name}: {item!r} is not field=value")
        values[field] = [int(dword, 16) for dword in value.split(",")] if field == "tail" else value
    if name is not None:
        return preset(structure, name, **values)
    return structure(generation=generation, **values)


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


def _print_state(built: Struct, as_json: bool, preset_name: str | None = None) -> None:
    sources = presets().get((built.name, preset_name or ""), MappingProxyType({}))
    if as_json:
        dwords = [f"0x{dword:08x}" for dword in built.to_dwords()]
        fields = {name: as_json_value(value) for name, value in built.values().items()}
        typer.echo(json.dumps({"name": built.name, "dwords": dwords, "fields": fields}))
        return
    rows = [(built.rows[name].bits, name, as_text(value)) for name, value in built.values().items()]
    if sources:
        rows_with_source = [(*row, sources[row[1]].source if row[1] in sources else "") for row in rows]
        print_columns(("bits", "field", "value", "from"), rows_with_source)
    else:
        print_columns(("bits", "field", "value"), rows)
    for number, element in enumerate(built.elements if isinstance(built, Command) else ()):
        changed = " ".join(f"{name}={as_text(value)}" for name, value in element.changed().items())
        typer.echo(f"element {number}: {element.name} {changed}")
    for number, dword in enumerate(built.to_dwords()):
        typer.echo(f"DW{number} 0x{dword:08x}")
