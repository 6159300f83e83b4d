"""The journal of a folder of results: what has been begun and what is done, so that running again continues."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from texsamp.batch.job import Job, JobOutcome
from texsamp.errors import MediaError
from texsamp.io.files.output_file import REPLACED_BY

NAME = "texsamp-batch.jsonl"
_LIMIT_B = 1 << 30
"""Bytes of a journal: millions of jobs."""


class Journal:
    """Lines of JSON in the folder of the results; each is on the disk before work goes on.

    One run at a time has it: a second one is refused. A line that a killed run has left incomplete counts as not
    written. A run that began nothing leaves nothing. Raises MediaError for what cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self._new_folders = [each for each in (folder, *folder.parents) if not each.exists()]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = open(self.path, "a+b")  # noqa: SIM115 - this class is the context manager
        except OSError as error:
            raise MediaError(f"{self.path}: cannot be written: {error.strerror or error}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.stat(self.path)  # a run that began nothing may have taken it away just now
        except OSError:
            self._file.close()
            raise MediaError(f"{folder}: another batch is writing there") from None
        self._done: dict[str, dict[str, Any]] = {}
        self._begun: set[str] = set()
        self._read()

    def _read(self) -> None:
        if (size_B := self.path.stat().st_size) > _LIMIT_B:
            raise MediaError(f"{self.path}: a journal has at most {_LIMIT_B} bytes, found {size_B}")
        self._file.seek(0)
        lines = self._file.read().split(b"\n")
        for line in lines[:-1]:
            try:
                entry = json.loads(line)
                job, event, target = entry["job"], entry["event"], entry["target"]
            except (ValueError, TypeError, KeyError):
                continue  # of a run that was killed; what it tells of is done again
            self._begun.add(str(target))
            if event == "done":
                self._done[str(job)] = entry
        if lines[-1]:
            self._file.write(b"\n")

    def done(self, key: str, job: Job) -> JobOutcome | None:
        """What came of a job in an earlier run, if it is still there."""
        entry = self._done.get(key)
        if entry is None or entry["target"] != job.target or not os.path.isfile(job.target):
            return None
        if os.path.getsize(job.target) != entry.get("size_B") or not os.path.exists(job.hash_list or job.target):
            return None
        figures = {name: entry.get(name, 0) for name in ("frames_out", "seconds", "size_B")}
        return JobOutcome(job, None, **figures, sha256=str(entry.get("sha256", "")), skipped=True)

    def refuse_foreign(self, job: Job, *, overwrite: bool) -> None:
        """MediaError if a job would replace a file that no run of this journal has begun to write."""
        for path in (job.target, job.hash_list):
            if path is not None and os.path.exists(path) and not overwrite and job.target not in self._begun:
                raise MediaError(f"{path}: exists already; {REPLACED_BY}")

    def begin(self, key: str, job: Job) -> None:
        """A job is about to run."""
        self._begun.add(job.target)
        self._write(key, job, "begun", {})

    def end(self, key: str, outcome: JobOutcome) -> None:
        """A job has ended."""
        if outcome.error is not None:
            self._write(key, outcome.job, "failed", {"error": outcome.error})
            return
        names = ("frames_out", "seconds", "size_B", "sha256", "notes")
        self._write(key, outcome.job, "done", {name: getattr(outcome, name) for name in names})

    def _write(self, key: str, job: Job, event: str, values: dict[str, Any]) -> None:
        words = {"event": event, "job": key, "source": job.source, "target": job.target, **values}
        try:
            self._file.write(json.dumps(words).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise MediaError(f"{self.path}: cannot be written: {error.strerror or error}") from error

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # what could not be written is told already, and fails again here
            if os.fstat(self._file.fileno()).st_size == 0:
                self.path.unlink()
                for each in self._new_folders:
                    each.rmdir()  # unless something is in it
        with suppress(OSError):
            self._file.close()
