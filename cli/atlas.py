"""`texsamp atlas`: how this machine's OpenGL driver filters."""

from __future__ import annotations

import json

import typer

from texsamp.atlas import Driver, OpenGl, Ours, atlas_page, measured

from .options import JsonOption


def atlas(as_json: JsonOption = False) -> None:
    """Measure how this machine's OpenGL driver filters, beside texsamp, as a page of Markdown."""
    drivers: list[Driver] = [OpenGl(), Ours()]
    if as_json:
        typer.echo(json.dumps({driver.name: measured(driver) for driver in drivers}))
    else:
        typer.echo(atlas_page(drivers), nl=False)
