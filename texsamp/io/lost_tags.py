"""What a finished file does not hold of what it was given: only reading it back tells, muxers drop it silently."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO

import av

from texsamp.io.container import TAGS_ONLY, open_container
from texsamp.io.side_data import side_data_of

_STREAM_TAGS = ("language", "title")
"""The tags of a stream that players show."""


@dataclass(frozen=True)
class GivenTags:
    """What was put into a file: its metadata, the metadata of each stream in order, chapters, and a rotation."""

    metadata: Mapping[str, str] = field(default_factory=dict)
    streams: tuple[Mapping[str, str], ...] = ()
    chapters: int = 0
    rotated: bool = False

    @property
    def anything(self) -> bool:
        """Whether there is anything that could be lost."""
        tagged = any(name in tags for tags in self.streams for name in _STREAM_TAGS)
        return bool(self.metadata) or tagged or self.chapters > 0 or self.rotated


def _lower(tags: Mapping[str, str]) -> dict[str, str]:
    return {key.lower(): value for key, value in tags.items()}


def all_lost(given: GivenTags) -> list[str]:
    """One line for people about what pictures do not hold of what they were given."""
    kinds = ("metadata", given.metadata), ("chapters", given.chapters), ("rotation", given.rotated)
    lost = [name for name, value in kinds if value]
    return [f"pictures hold no {', '.join(lost)}: dropped"] if lost else []


def lost_tags(file: str | BytesIO, muxer: str, given: GivenTags) -> list[str]:
    """One line for people for each kind of thing that a file lacks, given by its path or as itself."""
    if not given.anything:
        return []
    lost = []
    with _opened(file, {} if given.rotated else TAGS_ONLY) as container:
        kept = _lower(container.metadata)
        missing = sorted(k for k, v in given.metadata.items() if k.lower() not in kept and v not in kept.values())
        if missing:
            lost.append(f"metadata {', '.join(missing)}")
        found = [s for s in container.streams if s.type != "data"]
        for number, (tags, stream) in enumerate(zip(given.streams, found, strict=False)):
            kept = _lower(stream.metadata)
            wanted = {k: v for k, v in _lower(tags).items() if k in _STREAM_TAGS and v != "und"}
            lost.extend(f"the {k} {v!r} of stream {number}" for k, v in wanted.items() if kept.get(k) != v)
        if len(container.chapters()) < given.chapters:
            lost.append(f"{given.chapters} chapters")
        if given.rotated and not _is_rotated(container):
            lost.append("the rotation")
    return [f"{what} cannot be held by {muxer} and is dropped" for what in lost]


def lost_in_pipe(head: BytesIO, muxer: str, given: GivenTags) -> list[str]:
    """The same of a file that went down a pipe, by what was written first; nothing is told if that cannot be read."""
    with contextlib.suppress(av.FFmpegError, OSError, ValueError):
        return lost_tags(head, muxer, given)
    return []


def _opened(file: str | BytesIO, options: dict[str, str]) -> av.container.InputContainer:
    if isinstance(file, str):
        return open_container(file, options)
    return av.open(file, "r", options=options, metadata_errors="replace")


def _is_rotated(container: av.container.InputContainer) -> bool:
    """Whether its first picture is; the beginning of a large file has none to ask."""
    picture = None
    with contextlib.suppress(av.FFmpegError):
        picture = next(container.decode(video=0), None)
    return picture is None or any(side.kind == "DISPLAYMATRIX" for side in side_data_of(picture))
