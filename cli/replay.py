"""`texsamp replay`: execute a captured case."""

from __future__ import annotations

from typing import Annotated

import typer

from texsamp.emulator import Capture, LocatedCommand
from texsamp.emulator.commands.streamer import Executed
from texsamp.emulator.dispatch.runner import Dispatch
from texsamp.emulator.listing.words import fields_of
from texsamp.replay import ReplayedPicture, in_words, threads_in_words
from texsamp.replay import replay as run_replay
from texsamp.state.commands_media import MediaObjectWalker

from .options import DeviceOption
from .progress import frame_progress


def replay(
    captures: Annotated[list[str], typer.Argument(help="The .g7cap files of one case, in any order, or an AUB file.")],
    out: Annotated[str, typer.Option(help="Folder for the pictures, as NAME.raw and NAME.png.")],
    expect: Annotated[
        str | None, typer.Option(help="Folder of expected pictures, NAME.raw or NAME.raw.gz; status 1 if one differs.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(min=0, help="Largest difference that still counts as expected, in steps of 1/255.")
    ] = 0,
    trace: Annotated[bool, typer.Option("--trace", help="Print every command that is executed.")] = False,
    stop_at: Annotated[
        int | None, typer.Option(min=0, help="Stop after this many commands; a run of MEDIA_OBJECT counts as one.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at what the manual forbids even where it can be executed.")
    ] = False,
    device: DeviceOption = "cpu",
    report: Annotated[
        str | None, typer.Option(help="HTML file: pictures and differences, commands, states and kernels.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("-y", "--overwrite", help="Replace the report if it exists.")] = False,
) -> None:
    """Execute captured command buffers and write the pictures they make."""
    with frame_progress("replay") as progress:
        pictures = run_replay(
            captures,
            out,
            expect=expect,
            tolerance=tolerance,
            stop_at=stop_at,
            observe=_print_command if trace else None,
            progress=progress,
            device=device,
            strict=strict,
            report=report,
            overwrite=overwrite,
        )
    for picture in pictures:
        typer.echo(_line(picture))
    if not pictures:
        typer.echo("executed; nothing says where a picture is, and no media block was written")
    if any(picture.differences for picture in pictures):
        raise typer.Exit(1)


def _print_command(capture: Capture, executed: Executed) -> None:
    located, dispatch = executed.located, executed.dispatch
    text = f"{capture.name} {located.address:#010x} {located.command.name}"
    if dispatch is None:
        typer.echo(text + fields_of(located))
    else:
        typer.echo(text + _dispatched(located, dispatch))
    for kind, lines in (("forbidden", executed.warnings), ("note", executed.notes)):
        for line in lines:
            typer.echo(f"    {kind}: {line}")


def _dispatched(located: LocatedCommand, dispatch: Dispatch) -> str:
    text = ""
    if isinstance(located.command, MediaObjectWalker):
        text = fields_of(located)
    if dispatch.primitives is not None:
        return f"{fields_of(located)}: {threads_in_words(dispatch)}"
    return f"{text} x {located.count}: {threads_in_words(dispatch)}"


def _line(picture: ReplayedPicture) -> str:
    text = f"{picture.name}: {picture.png}"
    if not picture.compared:
        return text
    if not picture.differences:
        return f"{text}, as expected"
    return f"{text}: {'; '.join(map(in_words, picture.differences))}"
