"""A long file filtered in one segment and in two, each by a process with one kernel thread, to the same hashes."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import perf_counter

import av

from benchmarks.clips import decoded
from texsamp.io.frame_hashes import FrameHash
from texsamp.segments.agreed import SegmentNote
from texsamp.segments.cut import Segment, plan_segments
from texsamp.segments.hashed import hash_segments

_COPIES, _RATE = 6, 25
_FILTERS = (
    "scale=1920x1080,sharpen=44",
    "deinterlace=mode=madi:deint=all:rate=field,scale=1280x720",
    "deinterlace=mode=hq:deint=all:rate=field",
)


@dataclass(frozen=True)
class SegmentRow:
    """speedup: of two processes against one, the shorter of two runs each, in turns.

    again: segments that were filtered once more, since filters remember more than they are warmed up with.
    """

    filters: str
    pictures: int
    one_s: float
    two_s: float
    speedup: float
    again: int


def segments() -> list[SegmentRow]:
    """Copies of a clip in one file of H.264, filtered and hashed."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "long.mkv")
        _write(path)
        return [_row(path, filters) for filters in _FILTERS]


def _write(path: str) -> None:
    pictures = list(decoded("bigbuckbunny.mp4"))
    with av.open(path, "w") as container:
        stream = container.add_stream("libx264", rate=_RATE, options={"crf": "18", "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = pictures[0].width, pictures[0].height, "yuv420p"
        for number, picture in enumerate(pictures * _COPIES):
            picture.pts, picture.time_base = number, 1 / Fraction(_RATE)
            container.mux(stream.encode(picture))
        container.mux(stream.encode(None))


def _row(path: str, filters: str) -> SegmentRow:
    best: dict[int, float] = {}
    hashes: list[list[FrameHash]] = []
    told: list[SegmentNote] = []
    for count in (1, 2) * 2:
        whole = Segment(path, filters, "cpu")
        begin = perf_counter()
        hashes.append(list(hash_segments(whole, plan_segments(whole, count), told.append, threads=1)))
        best[count] = min(best.get(count, float("inf")), perf_counter() - begin)
    assert all(found == hashes[0] for found in hashes)
    return SegmentRow(filters, len(hashes[0]), best[1], best[2], best[1] / best[2], len(told[-1].again))
