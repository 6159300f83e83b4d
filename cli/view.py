"""`texsamp view`: a video or a texture in the browser."""

from __future__ import annotations

import json
import webbrowser
from contextlib import suppress
from typing import Annotated

import typer

from texsamp.view import open_view

from .options import DeviceOption, JsonOption


def view(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A video, a texture file or a picture.")],
    vf: Annotated[
        list[str] | None, typer.Option(help="Filters, as for process; given several times, chains stand side by side.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to serve; 0 takes a free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the browser, too.")] = True,
    device: DeviceOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Look at frames through filters, or at a texture's levels, layers and faces, in the browser of this machine.

    Ctrl-C ends it. Only this machine reaches the page, and only by the address that is printed.
    """
    with open_view(file, vf or (), device, port) as server:
        typer.echo(json.dumps({"url": server.url}) if as_json else f"{server.url} (Ctrl-C ends)")
        if browser:
            webbrowser.open(server.url)
        with suppress(KeyboardInterrupt):
            server.serve()
