"""`texsamp demo`: a short clip through the main job."""

from __future__ import annotations

from typing import Annotated

import typer

from texsamp.demo import FILTERS
from texsamp.demo import demo as run_demo

from .job_json import json_progress, result_json
from .options import DeviceOption
from .process import report
from .progress import frame_progress


def demo(
    directory: Annotated[str, typer.Argument(metavar="DIR", help="Folder for the results.")] = "demo",
    device: DeviceOption = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print progress and the result as lines of JSON.")] = False,
) -> None:
    """Scale and sharpen a generated clip.

    Writes the clip, the video made of it, and a picture of before and after; takes a few seconds.
    """
    with json_progress(err=False) if as_json else frame_progress("demo") as progress:
        result = run_demo(directory, device, progress)
    if as_json:
        typer.echo(result_json(result.process, clip=result.clip, picture=result.picture, vf=FILTERS))
        return
    typer.echo(f"clip:    {result.clip}")
    typer.echo(f"filters: {FILTERS}")
    typer.echo(f"picture: {result.picture} (left: the clip, its pixels doubled; right: the result)")
    report(result.process)
