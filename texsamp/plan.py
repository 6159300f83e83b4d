"""What a job would do, found out with its first frames and without writing anything."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Unpack

from texsamp.device import Device
from texsamp.device.arguments import path_text
from texsamp.io import EncodeOptions, VideoReader, VideoWriter
from texsamp.io.output.plan import OutputPlan
from texsamp.io.output.rate import output_frame_rate
from texsamp.process import check_passes, field_advice
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline, stage_text

LOOK_AHEAD_FRAMES = 16
"""Frames that are read to see what filters make of them."""


@dataclass(frozen=True)
class InputPlan:
    """The input's video: container, codec, format and size as stored; rate in frames per second, length in seconds.

    None is unknown. ``hdr`` tells whether there is static HDR metadata.
    """

    path: str
    container: str
    codec: str
    pix_fmt: str
    width_px: int
    height_px: int
    frame_rate: Fraction | None
    duration_s: Fraction | None
    frames: int | None
    field_order: str
    hdr: bool


@dataclass(frozen=True)
class FilterPlan:
    """One filter as text, and the frames that leave it."""

    text: str
    layout: str
    width_px: int
    height_px: int
    frame_rate: Fraction


@dataclass(frozen=True)
class JobPlan:
    """What `process` would do. ``output`` is None if the first frames give none."""

    input: InputPlan
    filters: tuple[FilterPlan, ...]
    output: OutputPlan | None
    two_pass: bool
    notes: tuple[str, ...]


def plan(
    src: str | os.PathLike[str],
    dst: str | os.PathLike[str],
    vf: str | Pipeline = "",
    device: Device | str = "auto",
    overwrite: bool = False,
    start_s: float | None = None,
    duration_s: float | None = None,
    frames: int | None = None,
    two_pass: bool = False,
    strict: bool = False,
    autorotate: bool = True,
    **encoding: Unpack[EncodeOptions],
) -> JobPlan:
    """What `process` would do with the same arguments; what it would refuse at its beginning is refused here, too.

    The first frames are decoded and filtered, and the encoder is opened; nothing stays on the disk. Raises as `process`
    does.
    """
    pipeline = vf if isinstance(vf, Pipeline) else Pipeline.parse(vf, device)
    if two_pass:
        check_passes(path_text(src), encoding)
    with VideoReader(src, start_s, duration_s, frames, strict=strict, autorotate=autorotate) as reader:
        writer = VideoWriter(dst, reader, overwrite=overwrite, **encoding)
        try:
            results = list(islice(reader, LOOK_AHEAD_FRAMES))
            filters = []
            for stage in pipeline.stages:
                results = [made for frame in results for made in stage.feed(frame.to(pipeline.device))]
                results += stage.flush()
                if results:
                    filters.append(_filter_plan(stage_text(stage), results[0], reader))
            output = writer.plan(results[0].to("cpu")) if results else None
        finally:
            writer.close()
        stage_notes = (note for stage in pipeline.stages for note in stage.notes)
        nothing = () if results else (f"the first {LOOK_AHEAD_FRAMES} frames give no frame",)
        notes = (*reader.notes, *field_advice(reader, pipeline), *stage_notes, *writer.notes, *nothing)
        return JobPlan(_input_plan(reader), tuple(filters), output, two_pass, notes)


def _input_plan(reader: VideoReader) -> InputPlan:
    info = reader.info
    return InputPlan(
        info.path,
        info.container,
        info.codec,
        info.pix_fmt,
        info.width_px,
        info.height_px,
        info.frame_rate,
        reader.duration_s,
        reader.frame_count,
        info.field_order,
        reader.first_frame.hdr is not None,
    )


def _filter_plan(text: str, frame: Frame, reader: VideoReader) -> FilterPlan:
    rate = output_frame_rate(frame, reader)
    return FilterPlan(text, frame.layout.name, frame.width_px, frame.height_px, rate)
