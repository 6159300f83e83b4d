"""What goes to stderr: notes, and the progress bar when stderr is a terminal."""

from __future__ import annotations

from collections.abc import Iterable

import typer

from texsamp.progress import progress_bar as frame_progress

__all__ = ["echo_notes", "frame_progress"]


def echo_notes(notes: Iterable[str]) -> None:
    """Print what a job has to tell besides its result."""
    for note in notes:
        typer.echo(f"note: {note}", err=True)
