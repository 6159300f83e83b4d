"""`texsamp inspect`: what a captured command buffer says."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import groupby
from typing import Annotated, Any

import typer

from texsamp.emulator import Capture, CaseMemory, LocatedCommand, StateReference, open_captures, referenced_states, walk
from texsamp.emulator.eu.isa.text import text
from texsamp.emulator.listing.programs import StartedKernel, started_kernels
from texsamp.emulator.listing.words import changed, fields_of
from texsamp.state import Struct
from texsamp.state.decode import RawCommand

from .columns import print_columns
from .options import JsonOption
from .values import as_json_value, printable


def inspect(
    capture: Annotated[str, typer.Argument(help="A .g7cap or AUB file.")],
    full: Annotated[
        bool, typer.Option("--full", help="Print every command; else a run of one command is one line.")
    ] = False,
    lenient: Annotated[bool, typer.Option(help="Go on at commands with reserved bits or illegal codes.")] = False,
    state: Annotated[bool, typer.Option("--state", help="Decode the states; else each is one line.")] = False,
    kernels: Annotated[bool, typer.Option("--kernels", help="Disassemble the kernels the commands start.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Print a capture's buffers, its commands and the states they refer to; nothing is executed.

    Of an AUB file all submissions, one after the other (with --json, unless there is one, an array of them). JSON holds
    every command and state decoded, and with --kernels the kernels.
    """
    memory = CaseMemory()
    documents = []
    for number, opened in enumerate(open_captures(capture)):
        memory.enter(opened)
        commands = list(walk(memory, opened.batch_address, length=opened.batch_length, strict=not lenient))
        states = referenced_states(opened, memory, commands)
        started = started_kernels(memory, commands) if kernels else []
        if as_json:
            documents.append(_document(opened, commands, states) | _kernel_document(started, kernels))
            continue
        typer.echo("\n" * bool(number), nl=False)
        _print_capture(opened)
        _print_commands(commands, full)
        _print_states(states, decoded=state)
        _print_kernels(started)
    if as_json:
        typer.echo(json.dumps(documents if len(documents) != 1 else documents[0]))


def _print_capture(capture: Capture) -> None:
    typer.echo(
        printable(
            f"{capture.name}: submission {capture.sequence} of {capture.case}, {capture.device}, ring {capture.ring}"
        )
    )
    typer.echo(f"commands from {capture.batch_address:#010x}\n")
    rows = [
        (b.index, f"{b.address:#010x}", b.size, printable(b.tiling), b.stride or "", len(b.relocations), b.handle,
         printable(b.name))
        for b in capture.buffers
    ]  # fmt: skip
    print_columns(("buffer", "address", "bytes", "tiling", "stride", "relocations", "handle", "name"), rows)


def _print_commands(commands: Iterable[LocatedCommand], full: bool) -> None:
    typer.echo("\ncommands, with the fields that differ from their defaults")
    for _, group in groupby(enumerate(commands), key=lambda item: item[0] if full else item[1].command.name):
        run = [located for _, located in group]
        times = f" x {len(run)}, the first:" if len(run) > 1 else ""
        typer.echo(f"{run[0].address:#010x} {run[0].command.name}{times}{fields_of(run[0])}")


def _print_states(states: Iterable[StateReference], *, decoded: bool) -> None:
    typer.echo("\nstates" + ", with the fields that differ from their defaults" * decoded)
    for reference in states:
        problem = f"\n  illegal: {reference.problem}" if reference.problem else ""
        typer.echo(f"{reference.address:#010x} {reference.state.name} ({reference.role}){problem}")
        fields = changed(reference.state)
        if decoded and fields:
            typer.echo(f"  {fields}")


def _print_kernels(started: Iterable[StartedKernel]) -> None:
    for kernel in started:
        typer.echo(f"\nkernel at {kernel.address:#010x} ({kernel.role}), {len(kernel.instructions)} instructions")
        for located in kernel.instructions:
            typer.echo(f"{located.offset:6x} {text(located.instruction)}")


def _kernel_document(started: Iterable[StartedKernel], asked: bool) -> dict[str, Any]:
    if not asked:
        return {}
    return {
        "kernels": [
            {
                "address": kernel.address,
                "role": kernel.role,
                "instructions": [
                    {"offset": located.offset, "text": text(located.instruction)} for located in kernel.instructions
                ],
            }
            for kernel in started
        ]
    }


def _document(capture: Capture, commands: list[LocatedCommand], states: list[StateReference]) -> dict[str, Any]:
    return {
        "capture": {
            "name": capture.name,
            "case": capture.case,
            "sequence": capture.sequence,
            "device": capture.device,
            "ring": capture.ring,
            "context": capture.context,
            "batch_address": capture.batch_address,
            "meta": capture.meta,
        },
        "buffers": [
            {
                "address": b.address,
                "size": b.size,
                "tiling": b.tiling,
                "stride": b.stride,
                "handle": b.handle,
                "name": b.name,
            }
            for b in capture.buffers
        ],
        "commands": [{"address": located.address} | _record(located.command) for located in commands],
        "states": [
            {"address": reference.address, "role": reference.role, "problem": reference.problem}
            | _record(reference.state)
            for reference in states
        ],
    }


def _record(state: Struct | RawCommand) -> dict[str, Any]:
    if isinstance(state, RawCommand):
        return {"name": state.name, "dwords": list(state.dwords)}
    fields = {name: as_json_value(value) for name, value in state.values().items()}
    return {"name": state.name, "dwords": list(state.to_dwords()), "fields": fields}
