"""`texsamp batch`: many videos, on many processes."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.table import Table

from texsamp.batch.job import Job, JobOutcome
from texsamp.batch.plan_file import jobs_for, read_plan
from texsamp.batch.run import BatchProgress, BatchResult
from texsamp.batch.run import batch as run_batch
from texsamp.device.threads import MAX_THREADS
from texsamp.errors import StateError
from texsamp.io import EncodeOptions

from .encoder_options import (
    AutorotateOption,
    BitrateOption,
    CodecOption,
    CopyOnlyOption,
    EncoderOption,
    GopOption,
    LosslessOption,
    PixFmtOption,
    PresetOption,
    TuneOption,
    encoder_options,
)
from .options import CrfOption, DeviceOption, DurationOption, SegmentsOption, StartOption, StrictOption, VfOption
from .progress import echo_notes


def batch(
    inputs: Annotated[
        list[str], typer.Argument(metavar="PLAN|IN...", help="A plan (.toml), or videos, pictures and folders of them.")
    ],
    out_dir: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the results and of the journal.")],
    vf: VfOption = "",
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of each result, with {stem}, {name}, {folder} and {number} filled in; by default {stem}.mkv, of "
            "pictures {name}.",
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Processes of this machine; by default one for two cores.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A dask scheduler whose workers do it: tcp://HOST:PORT.")
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, max=MAX_THREADS, help="Threads of each process.")] = None,
    device: DeviceOption = "auto",
    codec: CodecOption = None,
    crf: CrfOption = None,
    pix_fmt: PixFmtOption = None,
    lossless: LosslessOption = False,
    preset: PresetOption = None,
    tune: TuneOption = None,
    bitrate: BitrateOption = None,
    gop: GopOption = None,
    encoder_option: EncoderOption = None,
    copy_only: CopyOnlyOption = False,
    start: StartOption = None,
    duration: DurationOption = None,
    frames: Annotated[int | None, typer.Option(min=1, help="Read this many frames of each.")] = None,
    segments: SegmentsOption = 1,
    strict: StrictOption = False,
    autorotate: AutorotateOption = True,
    manifest: Annotated[
        bool, typer.Option("--manifest", help="Write the hashes of each one's pictures beside it (see hash).")
    ] = False,
    overwrite: Annotated[bool, typer.Option("-y", "--overwrite", help="Replace results that exist.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what comes of each as a line of JSON.")] = False,
) -> None:
    """Run filters over many videos, each in a process of its own.

    A video that fails fails alone, and the status is 1. The folder's journal knows what is done: the same command
    again does the rest, also after a crash.
    """
    if workers is not None and scheduler is not None:
        raise StateError("processes are a scheduler's or this machine's: give --scheduler or --workers")
    encoding: dict[str, Any] = {
        "codec": codec, "crf": crf, "pix_fmt": pix_fmt, "lossless": lossless, "preset": preset, "tune": tune,
        "bitrate": bitrate, "gop": gop, "options": encoder_options(encoder_option), "copy_only": copy_only,
    }  # fmt: skip
    common = Job(
        "", "", vf, device, start, duration, frames, strict, autorotate, manifest, segments,
        EncodeOptions(**{key: value for key, value in encoding.items() if _is_told(value)}),  # type: ignore[typeddict-item]
    )  # fmt: skip
    plans = [given for given in inputs if given.lower().endswith(".toml")]
    if plans and len(inputs) > 1:
        raise StateError(f"a plan stands alone, found {len(inputs) - 1} more beside {plans[0]}")
    jobs = read_plan(plans[0], out_dir, common) if plans else jobs_for(inputs, out_dir, name, common)
    logging.disable()  # dask's, of connections that an interrupted run has closed; what matters comes as an error
    with _progress(as_json) as progress:
        result = run_batch(jobs, out_dir, workers, scheduler, threads, overwrite, progress, _show_dashboard)
    if not as_json:
        _print_summary(result)
    if result.failed:
        raise typer.Exit(1)


def _is_told(value: object) -> bool:
    """Whether an option was given: a crf of 0 was."""
    return value is not None and value is not False and value != {}


def _show_dashboard(address: str) -> None:
    typer.echo(f"dashboard: {address}", err=True)


@contextmanager
def _progress(as_json: bool) -> Iterator[Callable[[BatchProgress], None]]:
    """A line of JSON for each job that ends; or bars of those that run, where there is a terminal, and its notes."""
    if as_json:
        yield lambda news: None if news.outcome is None else typer.echo(json.dumps(_jsonable(news.outcome)))
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    bars: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as shown:

        def update(news: BatchProgress) -> None:
            job = news.job
            if news.outcome is None:
                if job.target not in bars:
                    bars[job.target] = shown.add_task(Path(job.source).name, total=None)
                shown.update(bars[job.target], completed=news.frames, total=news.total)
                return
            if job.target in bars:
                shown.remove_task(bars.pop(job.target))
            echo_notes(f"{job.source}: {text}" for text in news.outcome.notes)

        yield update


def _jsonable(outcome: JobOutcome) -> dict[str, Any]:
    values = asdict(outcome)
    job = values.pop("job")
    return {"event": "job", "source": job["source"], "target": job["target"], **values}


def _print_summary(result: BatchResult) -> None:
    table = Table(box=None)
    for heading in ("", "video", "frames", "seconds", "MB"):
        table.add_column(heading, justify="left" if heading in ("", "video") else "right", overflow="fold")
    for outcome in result.outcomes:
        state = "failed" if outcome.error is not None else "there" if outcome.skipped else "done"
        figures = [str(outcome.frames_out), f"{outcome.seconds:.1f}", f"{outcome.size_B / 1e6:.1f}"]
        table.add_row(state, outcome.job.target, *(figures if outcome.error is None else [""] * 3))
    Console(width=120, highlight=False).print(table)
    for outcome in result.failed:
        typer.echo(f"texsamp: {outcome.error}", err=True)
