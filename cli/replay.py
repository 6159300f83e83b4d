"""`texsamp replay`: execute a captured case."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from texsamp.emulator import Capture, LocatedCommand
from texsamp.emulator.commands.streamer import Executed
from texsamp.emulator.context.budget import MOST_TIMES
from texsamp.emulator.dispatch.runner import Dispatch
from texsamp.emulator.listing.words import fields_of
from texsamp.errors import CaptureError
from texsamp.replay import ReplayedPicture, in_words, threads_in_words
from texsamp.replay import replay as run_replay
from texsamp.state.commands_media import MediaObjectWalker

from .job_json import event_json, json_progress
from .options import DeviceOption
from .progress import frame_progress
from .values import as_json_value


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
    work: Annotated[
        int, typer.Option(min=1, max=MOST_TIMES, help="How many times the limit on work a submission may do.")
    ] = 1,
    device: DeviceOption = "cpu",
    report: Annotated[
        str | None, typer.Option(help="HTML file: pictures and differences, commands, states and kernels.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("-y", "--overwrite", help="Replace pictures and report if they exist.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print progress and the result as lines of JSON.")] = False,
) -> None:
    """Execute captured command buffers and write the pictures they make."""
    failed: list[str] = []

    def unread(error: CaptureError) -> None:
        failed.append(str(error))
        typer.echo(f"texsamp: {error}", err=True)

    observe = (_print_command_json if as_json else _print_command) if trace else None
    with json_progress(err=False) if as_json else frame_progress("replay") as progress:
        pictures = run_replay(
            captures,
            out,
            expect=expect,
            tolerance=tolerance,
            stop_at=stop_at,
            observe=observe,
            progress=progress,
            device=device,
            strict=strict,
            report=report,
            overwrite=overwrite,
            unread=unread,
            work=work,
        )
    if as_json:
        values = {"pictures": [_record(picture) for picture in pictures], "unread": failed}
        typer.echo(event_json("result", values))
    for picture in () if as_json else pictures:
        typer.echo(_line(picture))
    if not pictures and not failed and not as_json:
        typer.echo("executed; nothing says where a picture is, and no media block was written")
    if failed or any(picture.differences for picture in pictures):
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


def _print_command_json(capture: Capture, executed: Executed) -> None:
    located, dispatch = executed.located, executed.dispatch
    values = {
        "capture": capture.name,
        "address": located.address,
        "name": located.command.name,
        "fields": fields_of(located).strip(),
        "threads": None if dispatch is None else threads_in_words(dispatch),
        "forbidden": list(executed.warnings),
        "notes": list(executed.notes),
    }
    typer.echo(event_json("command", values))


def _record(picture: ReplayedPicture) -> dict[str, Any]:
    differences = [{name: as_json_value(value) for name, value in asdict(each).items()} for each in picture.differences]
    return {**asdict(picture), "raw": str(picture.raw), "png": str(picture.png), "differences": differences}


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
