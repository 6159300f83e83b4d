"""`texsamp bench`: how fast filters run on this machine."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from texsamp.bench import CHAINS, ChainSpeed
from texsamp.bench import bench as run_bench

from .columns import print_columns
from .options import DeviceOption, JsonOption
from .texture_options import checked_size, size_of


def bench(
    chains: Annotated[
        list[str] | None, typer.Argument(help="Filters, as for process; several kinds if none are given.")
    ] = None,
    size: Annotated[
        str, typer.Option(callback=checked_size, metavar="WxH", help="Size of the clip in pixels.")
    ] = "1920x1080",
    frames: Annotated[int, typer.Option(min=1, help="Frames through each.")] = 24,
    device: DeviceOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Measure how many frames a second go through filters here.

    The frames are in memory: neither decoder nor encoder is timed. TEXSAMP_THREADS says on how many threads.
    """
    speeds = run_bench(chains or CHAINS, size_of(size), frames, device)
    if as_json:
        typer.echo(json.dumps([_record(speed) for speed in speeds]))
        return
    typer.echo(f"{size}, {frames} frames, {speeds[0].device}, {speeds[0].threads} threads")
    rows = [(speed.vf, f"{speed.frames_per_second:.1f}", f"{1e3 / speed.frames_per_second:.2f}") for speed in speeds]
    print_columns(("filters", "frames/s", "ms a frame"), rows)


def _record(speed: ChainSpeed) -> dict[str, object]:
    return {**asdict(speed), "frames_per_second": speed.frames_per_second}
