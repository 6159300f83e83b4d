"""`texsamp bench`: how fast filters run on this machine."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from texsamp.bench import CHAINS, ChainSpeed
from texsamp.bench import bench as run_bench
from texsamp.video.stage_costs import StageCost

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
    profile: Annotated[
        bool, typer.Option("--profile", help="Tell what each filter takes, too: time, launches, memory.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure how many frames a second go through filters here.

    The frames are in memory: neither decoder nor encoder is timed. TEXSAMP_THREADS says on how many threads.
    """
    speeds = run_bench(chains or CHAINS, size_of(size), frames, device, profile)
    if as_json:
        typer.echo(json.dumps([_record(speed) for speed in speeds]))
        return
    typer.echo(f"{size}, {frames} frames, {speeds[0].device}, {speeds[0].threads} threads")
    rows = [(speed.vf, f"{speed.frames_per_second:.1f}", f"{1e3 / speed.frames_per_second:.2f}") for speed in speeds]
    print_columns(("filters", "frames/s", "ms a frame"), rows)
    if profile:
        typer.echo("\nOf a frame; bytes are those of the arrays that kernels were given, not counted by the processor.")
        print_columns(_COSTS, [_cost(stage) for speed in speeds for stage in speed.stages])


_COSTS = ("filter", "ms", "in kernels", "launches", "MB in", "MB out", "MB touched", "GB/s")


def _cost(stage: StageCost) -> tuple[str, ...]:
    sizes = (f"{size:.1f}" for size in (stage.read_MB, stage.written_MB, stage.touched_MB))
    rate = f"{stage.touched_MB / stage.kernels_ms:.1f}" if stage.kernels_ms else "-"
    return stage.stage, f"{stage.total_ms:.2f}", f"{stage.kernels_ms:.2f}", f"{stage.launches:.1f}", *sizes, rate


def _record(speed: ChainSpeed) -> dict[str, object]:
    return {**asdict(speed), "frames_per_second": speed.frames_per_second}
