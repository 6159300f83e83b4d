"""File to file: how much of the wall time of a job is waiting for decode and encode, and how much is ours."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.clips import clip_path
from texsamp.process import process


@dataclass(frozen=True)
class JobRow:
    """One job; ``share`` is the part of the wall time spent in texsamp's stages."""

    job: str
    frames: int
    frames_per_s: float
    wall_s: float
    stages_s: float
    decode_wait_s: float
    encode_wait_s: float
    share: float


def end_to_end(seconds: float = 4.0) -> list[JobRow]:
    """A 1080p H.264 clip (made from a real 720p one) through scale and sharpen at default settings."""
    chain = "scale=1280x720:preset=ihd,sharpen=44"
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "1080p.mkv"
        process(clip_path("bigbuckbunny.mp4"), large, vf="scale=1920x1080", duration_s=seconds)
        jobs = (
            ("1080p H.264 to 720p H.264", large, chain),
            ("1080p H.264 to 1440p H.264", large, "scale=2560x1440,sharpen=44"),
        )
        rows = []
        for name, source, filters in jobs:
            result = process(source, Path(folder) / "out.mkv", vf=filters, overwrite=True)
            seconds = result.seconds
            rows.append(
                JobRow(
                    f"{name}: {filters}",
                    result.frames_out,
                    result.frames_per_second,
                    seconds.total,
                    seconds.kernels,
                    seconds.decode_wait,
                    seconds.encode_wait,
                    seconds.kernels / seconds.total,
                )
            )
    return rows
