"""What a job would do, as text."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from texsamp.plan import InputPlan, JobPlan

from .counted import counted


def plan_text(plan: JobPlan) -> str:
    """A plan for people."""
    return "\n".join(_lines(plan))


def _lines(plan: JobPlan) -> Iterator[str]:
    yield f"in   {_input_text(plan.input)}"
    for step in plan.filters:
        yield f"     {step.text}: {step.width_px}x{step.height_px} {step.layout}, {_rate(step.frame_rate)}"
    output = plan.output
    if output is None:
        return
    for stream in output.streams:
        yield f"     {stream.kind} stream {stream.index} ({stream.codec}): {stream.fate}"
    size = f"{output.width_px}x{output.height_px}"
    yield f"out  {output.path}: {output.container}, {output.codec} {output.pix_fmt} {size}, {_rate(output.frame_rate)}"
    options = " ".join(f"{name}={value}" for name, value in output.options.items())
    yield f"     {options or 'no encoder options'}{', two passes' if plan.two_pass else ''}"


def _input_text(video: InputPlan) -> str:
    parts = [
        f"{video.container}, {video.codec} {video.pix_fmt} {video.width_px}x{video.height_px}",
        _rate(video.frame_rate) if video.frame_rate else "",
        f"{float(video.duration_s):.3f} s" if video.duration_s else "",
        counted(video.frames) if video.frames else "",
        video.field_order if video.field_order != "unknown" else "",
        "HDR10 metadata" if video.hdr else "",
    ]
    return f"{video.path}: {', '.join(part for part in parts if part)}"


def _rate(rate: Fraction) -> str:
    return f"{float(rate):.6g} frames/s"
