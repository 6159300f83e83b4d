"""`texsamp compare`: how close one video is to another."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from texsamp.compare import compare as compare_videos
from texsamp.compare import compare_exactly
from texsamp.errors import StateError
from texsamp.quality import Comparison

from .counted import counted
from .options import StrictOption, open_input
from .progress import echo_notes, frame_progress


def compare(
    ref: Annotated[str, typer.Option(callback=open_input, help="The reference video; - is standard input.")],
    dist: Annotated[str, typer.Option(callback=open_input, help="The video to judge.")],
    exact: Annotated[
        bool, typer.Option("--exact", help="Only look for the first difference; status 1 if there is one.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON; PSNR is null where planes are identical.")
    ] = False,
    report: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a page for the browser: scores over time, the worst frames."),
    ] = None,
    full_pictures: Annotated[
        bool, typer.Option("--full-pictures", help="Whole frames in the report, not their worst places.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("-y", "--overwrite", help="Replace the report if it exists.")] = False,
    strict: StrictOption = False,
) -> None:
    """Score a video against its reference.

    PSNR and SSIM of every plane: mean, minimum and worst frame; frames count from 0. The mean PSNR is that of
    the mean squared error. SSIM is that of FFmpeg's ssim filter (8x8 windows).
    """
    if ref == dist == "-":
        raise StateError("ref and dist cannot both be standard input")
    if exact and report is not None:
        raise StateError("a report has scores: --exact looks only for the first difference")
    if exact:
        _exact(ref, dist, as_json, strict)
        return
    with frame_progress("compare") as progress:
        scores = compare_videos(ref, dist, progress, strict, report, full_pictures, overwrite)
    echo_notes(scores.notes)
    if as_json:
        typer.echo(json.dumps(_jsonable(scores.comparison)))
    else:
        _print_table(scores.comparison)


def _exact(ref: str, dist: str, as_json: bool, strict: bool) -> None:
    with frame_progress("compare") as progress:
        result = compare_exactly(ref, dist, progress, strict)
    echo_notes(result.notes)
    found = result.difference
    if found is None:
        text = json.dumps({"identical": True, "frames": result.frames})
        typer.echo(text if as_json else f"identical: {counted(result.frames)}")
        return
    sample = found.sample
    if as_json:
        typer.echo(json.dumps({"identical": False, "frame": found.frame, "plane": found.plane, **asdict(sample)}))
    else:
        typer.echo(
            f"different: frame {found.frame}, plane {found.plane}, x {sample.x}, y {sample.y}: "
            f"reference {sample.reference}, distorted {sample.distorted}"
        )
    raise typer.Exit(1)


def _jsonable(result: Comparison) -> dict[str, Any]:
    planes = {
        name: {key: None if math.isinf(value) else value for key, value in asdict(scores).items()}
        for name, scores in result.planes.items()
    }
    return {"identical": result.identical, "frames": result.frames, "planes": planes}


def _print_table(result: Comparison) -> None:
    table = Table(title=counted(result.frames), box=None)
    for heading in ("plane", "PSNR mean dB", "min dB", "worst frame", "SSIM mean", "min", "worst frame"):
        table.add_column(heading, justify="right")
    for name, s in result.planes.items():
        table.add_row(
            name,
            f"{s.psnr_mean:.3f}",
            f"{s.psnr_min:.3f}",
            str(s.psnr_worst_frame),
            f"{s.ssim_mean:.6f}",
            f"{s.ssim_min:.6f}",
            str(s.ssim_worst_frame),
        )
    Console(width=100, highlight=False).print(table)
