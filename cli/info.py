"""`texsamp info`: what is installed and what it can run on."""

from __future__ import annotations

import json
import platform

import typer

import texsamp
from texsamp.device.cpu import chosen_level
from texsamp.device.levels import supported_levels
from texsamp.io import ffmpeg_versions

from .options import JsonOption


def info(as_json: JsonOption = False) -> None:
    """Show versions, devices and the CPU level.

    Says why CUDA is not there, if it is not.
    """
    if as_json:
        typer.echo(json.dumps(_record()))
        return
    rows = {
        "texsamp": texsamp.__version__,
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        "cpu level": f"{chosen_level()} (this processor runs {', '.join(supported_levels())})",
        **{f"device {name}": text for name, text in texsamp.devices().items()},
        **ffmpeg_versions(),
    }
    width = max(map(len, rows))
    for name, text in rows.items():
        typer.echo(f"{name:<{width}}  {text}")


def _record() -> dict[str, object]:
    return {
        "texsamp": texsamp.__version__,
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cpu_level": chosen_level(),
        "cpu_levels": list(supported_levels()),
        "devices": texsamp.devices(),
        "versions": ffmpeg_versions(),
    }
