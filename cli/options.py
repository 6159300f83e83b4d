"""Options whose values are checked before any file is opened: what fails there is bad usage."""

from __future__ import annotations

import math
import sys
from typing import Annotated

import typer

from texsamp.device import check_device_name
from texsamp.errors import DeviceError, MediaError


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


def _non_negative(value: float | None) -> float | None:
    if value is not None and not 0 <= value < math.inf:
        raise typer.BadParameter(f"must be a finite number of at least 0, found {value:g}")
    return value


DeviceOption = Annotated[str, typer.Option(callback=_device_name, help="auto, cpu, cuda or cuda:N.")]
CrfOption = Annotated[
    float | None, typer.Option(callback=_non_negative, help="Quality of the encoder; lower is better.")
]
StartOption = Annotated[float | None, typer.Option(callback=_non_negative, help="Begin at this time, in seconds.")]
DurationOption = Annotated[float | None, typer.Option(callback=_non_negative, help="Read this many seconds.")]
