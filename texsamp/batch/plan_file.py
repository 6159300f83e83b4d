"""Which jobs: files, folders and a template for names, or a plan in TOML."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from texsamp.batch.job import Job
from texsamp.errors import MediaError, StateError
from texsamp.io import EncodeOptions

EXTENSIONS = frozenset(
    ".avi .dv .flv .m2ts .m2v .m4v .mkv .mov .mp4 .mpeg .mpg .mts .mxf .nut .ogv .ts .vob .webm .wmv .y4m".split()
)
"""What is taken from a folder; a file that is named is taken whatever it is called."""
PICTURES = frozenset(".avif .bmp .exr .heic .heif .jpeg .jpg .jxl .png .tga .tif .tiff .webp".split())
"""What is taken from a folder without videos: beside those, pictures are their covers."""
_SAME_NAME, _OTHER_NAMES = frozenset(".jpeg .jpg .png .tif .tiff".split()), {True: "{stem}.png", False: "{stem}.mkv"}
"""Pictures that can be written keep their names; what others and videos are called."""
_LIMIT_B = 16 << 20
"""Bytes of a plan."""
_OWN = tuple(field.name for field in fields(Job) if field.name not in ("source", "target", "encoding"))
_ENCODING = tuple(EncodeOptions.__annotations__)


def videos_of(inputs: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Files, and the videos in folders and theirs, or their pictures where none is a video, each folder's by name.

    Raises MediaError for what is neither.
    """
    found: list[Path] = []
    for name in map(Path, inputs):
        if name.is_dir():
            files = sorted(path for path in name.rglob("*") if path.is_file())
            inside = [path for path in files if path.suffix.lower() in EXTENSIONS]
            inside = inside or [path for path in files if path.suffix.lower() in PICTURES]
            if not inside:
                raise MediaError(f"{name}: there is no video and no picture in this folder")
            found += inside
        elif name.exists():
            found.append(name)
        else:
            raise MediaError(f"{name}: there is no such file")
    return found


def _usual_name(path: Path) -> str:
    """What an output is called if nobody says it: a picture's is a picture."""
    kind = path.suffix.lower()
    return "{name}" if kind in _SAME_NAME else _OTHER_NAMES[kind in PICTURES]


def jobs_for(inputs: Iterable[str | os.PathLike[str]], out_dir: Path, name: str | None, common: Job) -> list[Job]:
    """A job for each video or picture.

    ``name``: of its output, with {stem}, {name}, {folder} and {number} (from 1) filled in. None: {stem}.mkv; of
    pictures {name}, or {stem}.png where such a picture cannot be written.
    """
    jobs = []
    for number, path in enumerate(videos_of(inputs), start=1):
        try:
            made = (name or _usual_name(path)).format(
                stem=path.stem, name=path.name, folder=path.parent.name, number=number
            )
        except (KeyError, IndexError, ValueError, AttributeError):
            raise StateError(
                f"a name may have {{stem}}, {{name}}, {{folder}} and {{number}} to be filled in, found {name!r}"
            ) from None
        jobs.append(replace(common, source=os.path.abspath(path), target=os.path.abspath(out_dir / made)))
    return jobs


def read_plan(path: str | os.PathLike[str], out_dir: Path, common: Job) -> list[Job]:
    """The jobs of a plan: tables ``[[jobs]]`` with ``source`` and ``target``, and options of `process` over all or one.

    Paths count from the plan's folder and from ``out_dir``. Raises StateError for what is no plan.
    """
    plan = Path(path)
    try:
        if (size_B := plan.stat().st_size) > _LIMIT_B:
            raise StateError(f"{plan}: a plan has at most {_LIMIT_B} bytes, found {size_B}")
        values = tomllib.loads(plan.read_text(encoding="utf-8"))
    except OSError as error:
        raise MediaError(f"{plan}: cannot be read: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StateError(f"{plan}: is no plan in TOML: {error}") from None
    tables = values.pop("jobs", None)
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise StateError(f"{plan}: a plan lists its jobs as [[jobs]]")
    common = _with(plan, common, values)
    return [_job(plan, out_dir, common, table, number) for number, table in enumerate(tables, start=1)]


def _job(plan: Path, out_dir: Path, common: Job, table: dict[str, Any], number: int) -> Job:
    ends = [table.pop(name, None) for name in ("source", "target")]
    if not all(isinstance(end, str) and end for end in ends):
        raise StateError(f"{plan}: job {number} needs a source and a target")
    source, target = (os.path.abspath(folder / end) for folder, end in zip((plan.parent, out_dir), ends, strict=True))
    return replace(_with(plan, common, table), source=source, target=target)


def _with(plan: Path, job: Job, values: dict[str, Any]) -> Job:
    own = {name: value for name, value in values.items() if name in _OWN}
    encoding = {name: value for name, value in values.items() if name in _ENCODING}
    unknown = sorted(set(values) - set(own) - set(encoding))
    if unknown:
        legal = ", ".join(sorted({*_OWN, *_ENCODING}))
        raise StateError(f"{plan}: {unknown[0]!r} is no option of a job; there are {legal}")
    merged: EncodeOptions = {**job.encoding, **encoding}  # type: ignore[typeddict-item]
    return replace(job, **own, encoding=merged)


def refuse_shared_targets(jobs: Sequence[Job]) -> None:
    """StateError for what is no job, if two jobs write one file, or one writes what another reads."""
    for job in jobs:
        if not isinstance(job, Job):
            raise StateError(f"a batch takes Jobs, found {job!r}")
    written: dict[str, Job] = {}
    read = {os.path.realpath(job.source) for job in jobs}
    for job in jobs:
        for path in (job.target, job.hash_list):
            if path is None:
                continue
            other = written.setdefault(os.path.realpath(path), job)
            if other is not job:
                raise StateError(f"{path}: is to be written for {other.source} and for {job.source}")
            if os.path.realpath(path) in read:
                raise StateError(f"{path}: is to be written and to be read")
