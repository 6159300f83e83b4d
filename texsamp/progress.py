"""A bar on standard error while frames go by, where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TypeVar

from texsamp.io import VideoReader

Item = TypeVar("Item")


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """A callback that draws the bar (frames, frames per second, time left), or None when there is nobody to see it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # slow to import
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft
    from rich.text import Text

    class FramesPerSecond(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:.1f} fps" if task.speed else "- fps")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), FramesPerSecond(), TimeLeft())
    with Progress(*columns, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task(label, total=None)
        yield lambda done, total: drawn.update(task, completed=done, total=total)


def progress(frames: Iterable[Item], total: int | None = None, label: str = "frames") -> Iterator[Item]:
    """The same frames, with a bar for people: ``for frame in ts.progress(pipeline(reader), reader.frame_count)``.

    total: how many there will be; None: what a reader or sequence says, else unknown. Without a terminal on standard
    error nothing is drawn.
    """
    total = _count_of(frames) if total is None else total
    with progress_bar(label) as tell:
        for done, frame in enumerate(frames, start=1):
            yield frame
            if tell is not None:
                tell(done, total)


def _count_of(frames: object) -> int | None:
    if isinstance(frames, VideoReader):
        return frames.frame_count  # an estimate, for which nothing is read
    return len(frames) if isinstance(frames, Sized) else None
