"""`texsamp process`: a video through filters into another video."""

from __future__ import annotations

from typing import Annotated

import typer

from texsamp.device.threads import MAX_THREADS
from texsamp.process import ProcessResult
from texsamp.process import process as run_process
from texsamp.video.filter_docs import filters_help
from texsamp.video.pipeline import Pipeline

from .options import CrfOption, DeviceOption, DurationOption, StartOption, open_input
from .progress import echo_notes, frame_progress


def _show_filters(wanted: bool) -> None:
    if wanted:
        typer.echo(filters_help(), nl=False)
        raise typer.Exit


def process(
    source: Annotated[
        str, typer.Argument(metavar="IN", callback=open_input, help="Video to read; - is standard input, as y4m.")
    ],
    target: Annotated[str, typer.Argument(metavar="OUT", help="Video to write; - is standard output, as y4m.")],
    vf: Annotated[str, typer.Option(help="Filters, as in scale=1280x720:preset=ihd,sharpen=44 (see --filters).")] = "",
    device: DeviceOption = "auto",
    threads: Annotated[
        int | None, typer.Option(min=1, max=MAX_THREADS, help="Threads of CPU kernels and decoder.")
    ] = None,
    codec: Annotated[str | None, typer.Option(help="Video encoder; by default it follows from OUT.")] = None,
    crf: CrfOption = None,
    pix_fmt: Annotated[str | None, typer.Option(help="Pixel format to encode; by default that of the result.")] = None,
    lossless: Annotated[bool, typer.Option("--lossless", help="Encode without loss.")] = False,
    start: StartOption = None,
    duration: DurationOption = None,
    frames: Annotated[int | None, typer.Option(min=1, help="Read this many frames.")] = None,
    overwrite: Annotated[bool, typer.Option("-y", "--overwrite", help="Replace OUT if it exists.")] = False,
    stats: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write what the filters measure here, as CSV: one row per frame.")
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the contrast curves here (.png, .svg, .pdf); needs matplotlib."),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say how faithful each part of the filters is.")] = False,
    _filters: Annotated[
        bool, typer.Option("--filters", is_eager=True, callback=_show_filters, help="List all filters and leave.")
    ] = False,
) -> None:
    """Run filters over a video."""
    piped = target == "-"  # standard output carries the video then, and words go to stderr
    pipeline = Pipeline.parse(vf, device)
    if explain:
        typer.echo(pipeline.describe(), err=piped)
    with frame_progress("process") as progress:
        result = run_process(
            source,
            target,
            pipeline,
            threads=threads,
            codec=codec,
            crf=crf,
            pix_fmt=pix_fmt,
            lossless=lossless,
            overwrite=overwrite,
            start_s=start,
            duration_s=duration,
            frames=frames,
            progress=progress,
            stats=stats,
            plot=plot,
        )
    report(result, err=piped)


def report(result: ProcessResult, *, err: bool = False) -> None:
    """Print what a job did: its notes on stderr, one line with its figures on stdout (stderr with ``err``)."""
    echo_notes(result.notes)
    seconds = result.seconds
    typer.echo(
        f"{result.output}: {result.frames_in} frames in, {result.frames_out} out, {seconds.total:.2f} s "
        f"({result.frames_per_second:.1f} frames/s): {seconds.decode_wait:.2f} s waiting for the decoder, "
        f"{seconds.kernels:.2f} s in filters, {seconds.encode_wait:.2f} s waiting for the encoder",
        err=err,
    )
