"""What a finished file does not hold of what it was given: only reading it back tells, muxers drop it silently."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from io import BytesIO

import av

from texsamp.errors import MediaError
from texsamp.io.input.container import TAGS_ONLY, open_container
from texsamp.io.input.side_data import side_data_of

_STREAM_TAGS = ("language", "title")
"""The tags of a stream that players show."""


@dataclass(frozen=True)
class GivenTags:
    """What was put into a file: its metadata, that of each stream in order, chapters, a rotation, pixels not square."""

    metadata: Mapping[str, str] = field(default_factory=dict)
    streams: tuple[Mapping[str, str], ...] = ()
    chapters: int = 0
    rotated: bool = False
    aspect: Fraction | None = None

    @property
    def anything(self) -> bool:
        """Whether there is anything that could be lost."""
        tagged = any(name in tags for tags in self.streams for name in _STREAM_TAGS)
        return bool(self.metadata) or tagged or self.chapters > 0 or self.pictured

    @property
    def pictured(self) -> bool:
        """Whether some of it may stand in the pictures' own stream."""
        return self.rotated or self.aspect is not None


def _lower(tags: Mapping[str, str]) -> dict[str, str]:
    return {key.lower(): value for key, value in tags.items()}


def all_lost(given: GivenTags) -> list[str]:
    """One line for people about what pictures do not hold of what they were given."""
    kinds = ("metadata", given.metadata), ("chapters", given.chapters), ("rotation", given.rotated)
    lost = [name for name, value in kinds if value]
    return [f"pictures hold no {', '.join(lost)}: dropped"] if lost else []


def lost_tags(file: str | BytesIO, muxer: str, given: GivenTags) -> list[str]:
    """One line for people for each kind of thing that a file lacks, given by its path or as itself.

    Of a pipe that is what was written first. Nothing is told if it cannot be read: FFmpeg opens no transport
    stream of a few packets.
    """
    if given.anything:
        with contextlib.suppress(av.FFmpegError, OSError, ValueError, MediaError):
            return _lost(file, muxer, given)
    return []


def _lost(file: str | BytesIO, muxer: str, given: GivenTags) -> list[str]:
    lost = []
    with _opened(file, {} if given.pictured else TAGS_ONLY) as container:
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
            lost.append("one chapter" if given.chapters == 1 else f"{given.chapters} chapters")
        if given.rotated and not _is_rotated(container):
            lost.append("the rotation")
        if given.aspect is not None and not _has_aspect(container, given.aspect):
            lost.append(f"the sample aspect {given.aspect.numerator}:{given.aspect.denominator}")
    return [
        f"{what} cannot be held by {muxer} and {'are' if what.endswith(' chapters') else 'is'} dropped" for what in lost
    ]


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


def _has_aspect(container: av.container.InputContainer, aspect: Fraction) -> bool:
    """Whether its video has pixels of a shape, or nearly: some codecs have few to choose from."""
    kept = next((stream.sample_aspect_ratio for stream in container.streams.video), None)
    return kept is not None and abs(kept - aspect) < aspect / 100
