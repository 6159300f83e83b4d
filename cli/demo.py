"""`texsamp demo`: a short clip through the main job."""

from __future__ import annotations

from typing import Annotated

import typer

from texsamp.demo import FILTERS
from texsamp.demo import demo as run_demo

from .options import DeviceOption
from .process import report
from .progress import frame_progress


def demo(
    directory: Annotated[str, typer.Argument(metavar="DIR", help="Folder for the results.")] = "demo",
    device: DeviceOption = "auto",
) -> None:
    """Scale and sharpen a generated clip.

    Writes the clip, the video made of it, and a picture of before and after; takes a few seconds.
    """
    with frame_progress("demo") as progress:
        result = run_demo(directory, device, progress)
    typer.echo(f"clip:    {result.clip}")
    typer.echo(f"filters: {FILTERS}")
    typer.echo(f"picture: {result.picture} (left: the clip, its pixels doubled; right: the result)")
    report(result.process)
