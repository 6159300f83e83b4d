"""Options whose values are checked before any file is opened: what fails there is bad usage."""

from __future__ import annotations

import math
import re
import sys
from typing import Annotated

import typer

from texsamp.device import check_device_name
from texsamp.errors import DeviceError, MediaError
from texsamp.segments.cut import MOST
from texsamp.video.filters import FILTERS


def open_input(path: str) -> str:
    """The path of an input, unless it is standard input and the caller has closed that. Raises MediaError."""
    if path == "-" and sys.stdin is None:
        raise MediaError("standard input is closed")
    return path


def _device_name(name: str) -> str:
    try:
        check_device_name(name)
    except DeviceError as error:
        raise typer.BadParameter(str(error)) from None
    return name


def time_s(text: str) -> float:
    """Seconds of a time that people write: 90, 1:30, 00:01:30.5. Raises BadParameter."""
    parts = text.strip().split(":")
    sizes_fit = len(parts) == 1 or all(re.fullmatch(r"[0-5]?[0-9](\.[0-9]+)?", part) for part in parts[1:])
    if not sizes_fit or len(parts) > 3 or not all(re.fullmatch(r"[0-9]{1,12}", part) for part in parts[:-1]):
        raise typer.BadParameter(f"must be seconds or [HH:]MM:SS, found {text}")
    try:
        seconds = float(parts[-1])
    except ValueError:
        raise typer.BadParameter(f"must be seconds or [HH:]MM:SS, found {text}") from None
    return sum(int(part) * 60.0**power for power, part in enumerate(reversed(parts[:-1]), start=1)) + seconds


def _non_negative(value: float | None) -> float | None:
    if value is not None and not 0 <= value < math.inf:
        raise typer.BadParameter(f"must be a finite number of at least 0, found {value:g}")
    return value


def filters_from(incomplete: str) -> list[str]:
    """Filter text with its last filter's name in full, for the shell."""
    before, comma, begun = incomplete.rpartition(",")
    return [f"{before}{comma}{each.name}" for each in FILTERS if each.name.startswith(begun)]


DeviceOption = Annotated[str, typer.Option(callback=_device_name, help="auto, cpu, cuda or cuda:N.")]
CrfOption = Annotated[
    float | None, typer.Option(callback=_non_negative, help="Quality of the encoder; lower is better.")
]
StartOption = Annotated[
    float | None,
    typer.Option(callback=_non_negative, parser=time_s, metavar="TIME", help="Begin here: seconds or HH:MM:SS."),
]
DurationOption = Annotated[
    float | None,
    typer.Option(callback=_non_negative, parser=time_s, metavar="TIME", help="Read so much: seconds or HH:MM:SS."),
]
SegmentsOption = Annotated[
    int,
    typer.Option(
        min=1,
        max=MOST,
        help="Work on so many parts of the file at once, each in a process of its own (see docs/batch.md).",
    ),
]
StrictOption = Annotated[bool, typer.Option("--strict", help="Fail if the input is damaged.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
VfOption = Annotated[str, typer.Option(autocompletion=filters_from, help="Filters, as for process.")]
