"""What goes to stderr: notes, and the progress bar when stderr is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeRemainingColumn
from rich.progress import ProgressColumn as Column
from rich.text import Text

from texsamp.process import ProgressCallback


class _FramesPerSecond(Column):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f} fps" if task.speed else "- fps")


@contextmanager
def frame_progress(label: str) -> Iterator[ProgressCallback | None]:
    """A callback that draws the bar (frames, frames per second, time left), or None when there is nobody to see it."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _FramesPerSecond())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=None)

        def update(frames: int, total: int | None) -> None:
            progress.update(task, completed=frames, total=total)

        yield update


def echo_notes(notes: Iterable[str]) -> None:
    """Print what a job has to tell besides its result."""
    for note in notes:
        typer.echo(f"note: {note}", err=True)
