"""One video of a batch, as words that travel to whatever process works on it."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from time import monotonic

from texsamp.device.arguments import check_kind, is_integer, is_real, short
from texsamp.errors import StateError, TexsampError
from texsamp.io import EncodeOptions
from texsamp.process import process
from texsamp.segments.cut import check_segments
from texsamp.segments.pool import Pools

Report = Callable[[int, int | None], None]
"""Told how many frames of a job have gone in, and how many there will be (None when unknown)."""
_REPORT_EVERY_S = 0.5
_PIECE_B = 1 << 20


@dataclass(frozen=True)
class Job:
    """A call of `texsamp.process`, never its frames; paths are absolute, so that they mean the same everywhere.

    ``segments``: how many processes work on parts of it at once (`texsamp.process`).
    ``hashes``: whether the list of picture hashes is written beside the output (``TARGET.hashes.txt``).
    """

    source: str
    target: str
    vf: str = ""
    device: str = "auto"
    start_s: float | None = None
    duration_s: float | None = None
    frames: int | None = None
    strict: bool = False
    autorotate: bool = True
    hashes: bool = False
    segments: int = 1
    encoding: EncodeOptions = field(default_factory=EncodeOptions)

    def __post_init__(self) -> None:
        for name in ("source", "target", "vf", "device"):
            check_kind(f"{name} of a job", getattr(self, name), str)
        for name in ("strict", "autorotate", "hashes"):
            check_kind(f"{name} of a job", getattr(self, name), bool)
        for name in ("start_s", "duration_s"):
            value = getattr(self, name)
            if value is not None and not (is_real(value) and 0 <= value < math.inf):
                raise StateError(f"{name} of a job must be a finite number of at least 0, found {short(value)}")
        if self.frames is not None and not (is_integer(self.frames) and self.frames >= 1):
            raise StateError(f"frames of a job must be an integer of at least 1, found {short(self.frames)}")
        check_segments(self.segments, (self.start_s, self.duration_s, self.frames))
        check_kind("encoding of a job", self.encoding, dict)

    @property
    def key(self) -> str:
        """What the journal knows it by: its words, and size and time of its input. Raises OSError without one."""
        found = os.stat(self.source)
        words = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(f"{words} {found.st_size} {found.st_mtime_ns}".encode()).hexdigest()[:32]

    @property
    def hash_list(self) -> str | None:
        """Where the list of hashes goes."""
        return f"{self.target}.hashes.txt" if self.hashes else None


@dataclass(frozen=True)
class JobOutcome:
    """What came of a job: ``error`` says why it failed. ``sha256`` is that of the file that was written."""

    job: Job
    error: str | None = None
    frames_out: int = 0
    seconds: float = 0.0
    size_B: int = 0  # noqa: N815 - the unit
    sha256: str = ""
    notes: tuple[str, ...] = ()
    skipped: bool = False


def run_job(
    job: Job, threads: int | None = None, report: Report | None = None, pools: Pools | None = None
) -> JobOutcome:
    """Do a job, in place of what a run that was lost may have left of it. What texsamp refuses is an outcome."""
    try:
        done = process(
            job.source, job.target, job.vf, job.device, threads, overwrite=True, start_s=job.start_s,
            duration_s=job.duration_s, frames=job.frames, strict=job.strict, autorotate=job.autorotate,
            manifest=job.hash_list, progress=None if report is None else _now_and_then(report), segments=job.segments,
            pools=pools, **job.encoding,
        )  # fmt: skip
        size_B, sha256 = file_hash(job.target)
    except TexsampError as error:
        return JobOutcome(job, error=str(error))
    except OSError as error:
        return JobOutcome(job, error=f"{error.filename or job.target}: {error.strerror or error}")
    return JobOutcome(job, None, done.frames_out, done.seconds.total, size_B, sha256, done.notes)


def file_hash(path: str) -> tuple[int, str]:
    """Bytes of a file, and their SHA-256."""
    sha, size_B = hashlib.sha256(), 0
    with open(path, "rb") as file:
        while piece := file.read(_PIECE_B):
            sha.update(piece)
            size_B += len(piece)
    return size_B, sha.hexdigest()


def _now_and_then(report: Report) -> Report:
    due = monotonic()

    def update(frames: int, total: int | None) -> None:
        nonlocal due
        now = monotonic()
        if now >= due:
            due = now + _REPORT_EVERY_S
            report(frames, total)

    return update
