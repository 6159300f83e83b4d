"""`texsamp process`: a video through filters into another video."""

from __future__ import annotations

from typing import Annotated

import typer

from texsamp.device.threads import MAX_THREADS
from texsamp.io import EncodeOptions
from texsamp.io.input.hardware_decoder import HwAccelChoice
from texsamp.plan import plan
from texsamp.process import ProcessResult
from texsamp.process import process as run_process
from texsamp.video.filter_docs import filters_help
from texsamp.video.pipeline import Pipeline

from .counted import counted
from .encoder_options import (
    AutorotateOption,
    BitrateOption,
    CodecOption,
    CopyOnlyOption,
    EncoderOption,
    FormatOption,
    GopOption,
    LosslessOption,
    PixFmtOption,
    PresetOption,
    TuneOption,
    encoder_options,
)
from .job_json import json_progress, plan_json, result_json
from .job_plan import plan_text
from .options import (
    CrfOption,
    DeviceOption,
    DurationOption,
    SegmentsOption,
    StartOption,
    StrictOption,
    filters_from,
    open_input,
)
from .progress import echo_notes, frame_progress


def _show_filters(wanted: bool) -> None:
    if wanted:
        typer.echo(filters_help(), nl=False)
        raise typer.Exit


def process(
    source: Annotated[
        str, typer.Argument(metavar="IN", callback=open_input, help="Video to read; - is standard input.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="OUT", help="Video to write; - is standard output, as --format says.")
    ],
    vf: Annotated[
        str,
        typer.Option(
            autocompletion=filters_from, help="Filters, as in scale=1280x720:preset=ihd,sharpen=44 (see --filters)."
        ),
    ] = "",
    device: DeviceOption = "auto",
    threads: Annotated[
        int | None, typer.Option(min=1, max=MAX_THREADS, help="Threads of CPU kernels and decoder.")
    ] = None,
    codec: CodecOption = None,
    crf: CrfOption = None,
    pix_fmt: PixFmtOption = None,
    format: FormatOption = None,
    lossless: LosslessOption = False,
    preset: PresetOption = None,
    tune: TuneOption = None,
    bitrate: BitrateOption = None,
    gop: GopOption = None,
    segments: SegmentsOption = 1,
    two_pass: Annotated[bool, typer.Option("--two-pass", help="Run twice, to divide --bitrate better.")] = False,
    encoder_option: EncoderOption = None,
    copy_only: CopyOnlyOption = False,
    start: StartOption = None,
    duration: DurationOption = None,
    frames: Annotated[int | None, typer.Option(min=1, help="Read this many frames.")] = None,
    strict: StrictOption = False,
    autorotate: AutorotateOption = True,
    hwaccel: Annotated[
        HwAccelChoice, typer.Option(help="Whether NVDEC and NVENC work on the GPU that the filters run on.")
    ] = "auto",
    overwrite: Annotated[bool, typer.Option("-y", "--overwrite", help="Replace OUT if it exists.")] = False,
    stats: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write what the filters measure here, as CSV: one row per frame.")
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the contrast curves here (.png, .svg, .pdf); needs matplotlib."),
    ] = None,
    manifest: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a hash of every picture before it is encoded here (see hash)."),
    ] = None,
    report_to: Annotated[
        str | None,
        typer.Option("--report", metavar="FILE", help="Write a page for the browser here: both videos over time."),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say how faithful each part of the filters is.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and write nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print progress and the result as lines of JSON.")] = False,
    _filters: Annotated[
        bool, typer.Option("--filters", is_eager=True, callback=_show_filters, help="List all filters and leave.")
    ] = False,
) -> None:
    """Run filters over a video."""
    piped = target == "-"  # standard output carries the video then, and words go to stderr
    pipeline = Pipeline.parse(vf, device)
    if explain:
        typer.echo(pipeline.describe(), err=piped)
    encoding = EncodeOptions(
        codec=codec,
        crf=crf,
        pix_fmt=pix_fmt,
        format=format,
        lossless=lossless,
        preset=preset,
        tune=tune,
        bitrate=bitrate,
        gop=gop,
        options=encoder_options(encoder_option),
        copy_only=copy_only,
    )
    if dry_run:
        made = plan(
            source,
            target,
            pipeline,
            overwrite=overwrite,
            start_s=start,
            duration_s=duration,
            frames=frames,
            two_pass=two_pass,
            strict=strict,
            autorotate=autorotate,
            **encoding,
        )
        if not as_json:
            echo_notes(made.notes)
        typer.echo(plan_json(made) if as_json else plan_text(made))
        return
    with json_progress(err=piped) if as_json else frame_progress("process") as progress:
        result = run_process(
            source,
            target,
            vf,
            device,
            threads=threads,
            segments=segments,
            two_pass=two_pass,
            overwrite=overwrite,
            progress=progress,
            stats=stats,
            plot=plot,
            manifest=manifest,
            report=report_to,
            strict=strict,
            autorotate=autorotate,
            start_s=start,
            duration_s=duration,
            frames=frames,
            hwaccel=hwaccel,
            **encoding,
        )
    if as_json:
        typer.echo(result_json(result), err=piped)
    else:
        report(result, err=piped)


def report(result: ProcessResult, *, err: bool = False) -> None:
    """Print what a job did: its notes on stderr, one line with its figures on stdout (stderr with ``err``)."""
    echo_notes(result.notes)
    seconds = result.seconds
    where = (
        f"{seconds.segments:.2f} s waiting for segments"
        if seconds.segments
        else f"{seconds.decode_wait:.2f} s waiting for the decoder, {seconds.kernels:.2f} s in filters, "
        f"{seconds.encode_wait:.2f} s waiting for the encoder"
    )
    typer.echo(
        f"{result.output}: {counted(result.frames_in)} in, {result.frames_out} out, {seconds.total:.2f} s "
        f"({result.frames_per_second:.1f} frames/s): {where}",
        err=err,
    )
