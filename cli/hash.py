"""`texsamp hash`: a hash of every picture that filters make, to be listed or checked."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from texsamp.hashes import first_hash_difference, hash_frames
from texsamp.io.frame_hashes import HashList, read_hashes

from .counted import counted
from .encoder_options import AutorotateOption
from .job_json import picture_json
from .options import (
    DeviceOption,
    DurationOption,
    JsonOption,
    SegmentsOption,
    StartOption,
    StrictOption,
    VfOption,
    open_input,
)
from .progress import echo_notes, frame_progress


def hash_pictures(
    source: Annotated[str, typer.Argument(metavar="IN", callback=open_input, help="Video to read.")],
    vf: VfOption = "",
    check: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Compare with this list instead; status 1 if a picture differs."),
    ] = None,
    device: DeviceOption = "auto",
    start: StartOption = None,
    duration: DurationOption = None,
    frames: Annotated[int | None, typer.Option(min=1, help="Read this many frames.")] = None,
    segments: SegmentsOption = 1,
    strict: StrictOption = False,
    autorotate: AutorotateOption = True,
    as_json: JsonOption = False,
) -> None:
    """List SHA-256 of every picture that the filters make, before any encoding.

    The list has the format of FFmpeg's framehash; process --manifest writes the same; with --json it is a line of JSON
    for each picture. Every device, processor and
    number of threads gives the same hashes, so that a job can be checked on another machine.
    """
    listed = None if check is None else read_hashes(check)
    notes: list[str] = []
    with frame_progress("hash") as progress:
        found = hash_frames(
            source, vf, device, start, duration, frames, progress, strict, autorotate, segments, notes.append
        )
        if listed is None:
            text = HashList()
            for picture in found:
                typer.echo(picture_json(picture) if as_json else text.add(picture), nl=as_json)
            echo_notes(notes)
            return
        count, difference = first_hash_difference(listed, found)
    echo_notes(notes)
    if as_json:
        values: dict[str, object] = {"identical": difference is None, "frames": count}
        if difference is not None:
            values |= {"frame": difference.frame, "listed": difference.listed, "found": difference.found}
        typer.echo(json.dumps(values))
    elif difference is None:
        typer.echo(f"identical: {counted(count)}")
    else:
        typer.echo(
            f"different: frame {difference.frame}: "
            f"listed {difference.listed or 'nothing'}, found {difference.found or 'nothing'}"
        )
    if difference is not None:
        raise typer.Exit(1)
