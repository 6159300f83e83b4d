"""What a job does, as lines of JSON for other programs: each has an ``event``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from fractions import Fraction
from time import perf_counter
from typing import Any

import typer

from texsamp.io.frame_hashes import FrameHash
from texsamp.plan import JobPlan
from texsamp.process import ProcessResult, ProgressCallback

_EVERY_S = 0.5
"""Time between two lines of progress."""


def event_json(event: str, values: dict[str, Any]) -> str:
    """A line."""
    return json.dumps({"event": event, **values}, default=_number)


def _number(value: object) -> float:
    if isinstance(value, Fraction):
        return float(value)
    raise TypeError(f"{value!r} has no place in JSON")


@contextmanager
def json_progress(*, err: bool) -> Iterator[ProgressCallback]:
    """A callback that prints a line (frames so far, frames in all or null, seconds) now and then."""
    start = perf_counter()
    due = start + _EVERY_S

    def update(frames: int, total: int | None) -> None:
        nonlocal due
        now = perf_counter()
        if now >= due:
            due = now + _EVERY_S
            values = {"frames": frames, "total": total, "seconds": round(now - start, 3)}
            typer.echo(event_json("progress", values), err=err)

    yield update


def result_json(result: ProcessResult, **more: str) -> str:
    """The result of a job, and what else there is to tell."""
    return event_json("result", {**asdict(result), "frames_per_second": result.frames_per_second, **more})


def plan_json(plan: JobPlan) -> str:
    """A plan."""
    return event_json("plan", asdict(plan))


def picture_json(picture: FrameHash) -> str:
    """The hash of a picture."""
    return event_json("picture", asdict(picture))
