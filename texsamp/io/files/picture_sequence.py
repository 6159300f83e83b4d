"""Sequences of numbered pictures as one video: which number is the first, and where numbers are missing."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from texsamp.errors import MediaError

_NUMBER = re.compile(r"%(?:0(\d+))?d")


@dataclass(frozen=True)
class PictureSequence:
    """The numbered files that a pattern like ``dir/out_%04d.png`` means: the first run of numbers without a gap."""

    first: int
    last: int
    later: int

    @property
    def notes(self) -> list[str]:
        """What people should know."""
        if not self.later:
            return []
        return [f"picture {self.last + 1} is missing: the sequence ends there, {self.later} later ones are not read"]


def find_sequence(path: str) -> PictureSequence | None:
    """The sequence that a path means, None if it names a file or has no number. Raises MediaError if nothing fits."""
    pattern, folder = picture_names(path), os.path.dirname(path)
    if pattern is None or os.path.exists(path) or "://" in path:
        return None
    matches = (
        pattern.fullmatch(entry) for entry in (os.listdir(folder or ".") if os.path.isdir(folder or ".") else ())
    )
    numbers = {int(match[1]) for match in matches if match}
    if not numbers:
        raise MediaError(f"{path}: no such file, and no file with a number in that place")
    last = first = min(numbers)
    while last + 1 in numbers:
        last += 1
    return PictureSequence(first, last, len(numbers) - (last - first + 1))


def first_file(path: str) -> str:
    """The file of a sequence's first picture; any other path itself."""
    sequence = find_sequence(path)
    return path if sequence is None else path % sequence.first


def picture_names(path: str) -> re.Pattern[str] | None:
    """What the names of a sequence's pictures look like, None if it is none.

    The number is group 1, and only as wide as it must be.
    """
    name = os.path.basename(path)
    found = _NUMBER.findall(name)
    if len(found) != 1:
        return None
    width = int(found[0] or 1)
    number = f"([0-9]{{{width}}}|[1-9][0-9]{{{width},}})"
    return re.compile(number.join(re.escape(part) for part in _NUMBER.sub("\0", name).split("\0")))
