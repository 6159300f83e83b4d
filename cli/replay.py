"""`texsamp replay`: execute a captured case."""

from __future__ import annotations

from typing import Annotated

import typer

from texsamp.emulator import Capture, LocatedCommand
from texsamp.emulator.commands.streamer import Executed
from texsamp.emulator.dispatch.runner import Dispatch
from texsamp.replay import ReplayedPicture
from texsamp.replay import replay as run_replay
from texsamp.state.commands_media import MediaObjectWalker

from .inspect import fields_of
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
        text = (
            f"{fields_of(located)}: {dispatch.primitives} primitives, {dispatch.pixels} pixels, {dispatch.threads} "
            f"threads, {dispatch.steps} instructions"
        )
        return text
    overwritten = f", {dispatch.overwritten} dwords overwritten" if dispatch.overwritten else ""
    return f"{text} x {located.count}: {dispatch.threads} threads, {dispatch.steps} instructions each{overwritten}"


def _line(picture: ReplayedPicture) -> str:
    text = f"{picture.name}: {picture.png}"
    if not picture.compared:
        return text
    if not picture.differences:
        return f"{text}, as expected"
    details = [
        f"plane {d.plane} differs first at byte {d.x} of row {d.y}, {d.found:g} not {d.expected:g} "
        f"(maximum {d.maximum:g}, mean {d.mean:.4f}, PSNR {d.psnr_dB:.2f} dB), written by {d.writer}"
        for d in picture.differences
    ]
    return f"{text}: {'; '.join(details)}"
