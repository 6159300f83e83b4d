"""Deinterlacing judged on progressive video files of your own, against filters of others.

`python -m benchmarks.judged_files FILE... [--parts 3] [--csv DIRECTORY]`: every picture is taken for a moment of its
own, of which one field is given. So the truth is known, whatever the files show.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import av
import numpy as np

from benchmarks.judged import JudgedRow, frames_of, rows_of, scores_of
from benchmarks.judged_clips import Clip
from benchmarks.tables import show, write_csv

LENGTH = 14
"""Pictures of a part."""
_MOST_PICTURES = 6000
_LEAST_PX = 16


def parts_of(path: Path, count: int) -> list[Clip]:
    """Parts of a file's luma, spread over its length; fewer of a short one. Raises ValueError if there is none."""
    with av.open(str(path)) as container:
        pictures = sum(1 for _ in zip(range(_MOST_PICTURES), container.decode(video=0), strict=False))
    count = min(count, pictures // LENGTH)
    if not count:
        raise ValueError(f"{path.name}: {LENGTH} pictures at least are judged, found {pictures}")
    parts: list[Clip] = [[] for _ in range(count)]
    starts = [int((pictures - LENGTH) * (part + 0.5) / count) for part in range(count)]
    with av.open(str(path)) as container:
        for number, frame in zip(range(starts[-1] + LENGTH), container.decode(video=0), strict=False):
            if frame.interlaced_frame:
                raise ValueError(f"{path.name} is interlaced at picture {number}: nobody knows what its fields lack")
            height, width = (size // 2 * 2 for size in (frame.height, frame.width))
            if min(height, width) < _LEAST_PX:
                raise ValueError(f"{path.name}: {_LEAST_PX}x{_LEAST_PX} pixels at least, found {width}x{height}")
            for start, part in zip(starts, parts, strict=True):
                if start <= number < start + LENGTH:
                    part.append(np.ascontiguousarray(frame.to_ndarray(format="gray")[:height, :width]))
    return parts


def judged_files(paths: Sequence[Path], parts: int = 3) -> list[JudgedRow]:
    """Rows by file, and of their mean; ``worst_to_madi`` is of a part."""
    found = {path.name: [scores_of(part, frames_of("", part)) for part in parts_of(path, parts)] for path in paths}
    return list(rows_of("files", found))


def main() -> None:
    """Of the files named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--parts", type=int, default=3, help="of each file")
    parser.add_argument("--csv", type=Path, help="where to put judged_files.csv")
    asked = parser.parse_args()
    rows = judged_files(asked.files, asked.parts)
    show("judged_files", rows)
    if asked.csv:
        comment = f"{len(asked.files)} files, {asked.parts} parts of each at most"
        write_csv(asked.csv / "judged_files.csv", rows, comment)


if __name__ == "__main__":
    main()
