"""Golden rows of the temporal filters: number, time, length and hash of every frame, the same in every run.

After an intended change of results: `python tests/video/test_temporal_golden.py > tests/data/temporal_golden.csv`.
"""

import hashlib
import itertools
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from texsamp.device import set_threads
from texsamp.device.threads import thread_count
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline

GOLDEN = Path(__file__).parents[1] / "data" / "temporal_golden.csv"
WIDTH, HEIGHT = 140, 38
TIMES = (0, 2, 4, 7, 9, 11, 13, 15, 20, 22, 24, 26)
"""Of a rate that varies; the picture changes at the eighth frame, and one before it has no length."""
VIDEO = (
    "denoise",
    "denoise=64",
    "denoise=preset=i965:chroma=off",
    "deinterlace=mode=bob:rate=field",
    "deinterlace=mode=weave:rate=field",
    "deinterlace=mode=madi:rate=frame",
    "deinterlace=mode=madi:rate=field",
    "deinterlace=mode=mcdi:rate=field",
    "deinterlace=mode=mcdi:rate=field:preset=i965:scenecut=off",
    "deinterlace=mode=hq:rate=field",
    "denoise,deinterlace=mode=mcdi:rate=field",
)
FILM = ("deinterlace=film=auto:rate=film", "deinterlace=film=auto:rate=field", "denoise,deinterlace=film=32:rate=film")


def picture(time: int, scene: int, step: int) -> np.ndarray:
    """Slanted stripes that move to the left by ``step`` pixels, over them a still box; a little noise."""
    y, x = np.mgrid[:HEIGHT, :WIDTH].astype(np.int64)
    moving = x + step * time
    value = 30 + 90 * scene + (5 * moving + 3 * y) % 97 + (moving * moving // 7 + 11 * y) % 31
    value[8:24, 20:60] = 60 + (7 * (x + y) % 50)[8:24, 20:60]
    noise = ((x * 40503 ^ y * 30011 ^ time * 52361) * 2654435761 >> 13) % 5
    return (value + noise).astype(np.uint8)


def frame(fields: tuple[int, int], scene: int, pts: int | None, duration: int | None, step: int = 2) -> Frame:
    """A 4:2:0 frame whose fields are of two times."""
    luma = np.where(np.arange(HEIGHT)[:, None] % 2, picture(fields[1], scene, step), picture(fields[0], scene, step))
    chroma = [np.ascontiguousarray(luma[k * 2 : k * 2 + HEIGHT // 2, ::2] // 2 + 60) for k in (0, 4)]
    told = {"interlaced": True, "top_field_first": True, "time_base": Fraction(1, 50)}
    return Frame.from_arrays("yuv420p", [luma, *chroma], WIDTH, HEIGHT, "cpu", pts=pts, duration=duration, **told)


def interlaced_video() -> list[Frame]:
    last = {n: b - a for n, (a, b) in enumerate(itertools.pairwise(TIMES)) if n != 5}
    return [frame((2 * n, 2 * n + 1), int(n > 7), pts, last.get(n)) for n, pts in enumerate(TIMES)]


def telecined_film() -> list[Frame]:
    shown = [time for time, count in enumerate([2, 3] * 8) for _ in range(count)]
    return [frame((a, b), 0, 2 * n, 2, step=5) for n, (a, b) in enumerate(zip(shown[::2], shown[1::2], strict=True))]


def rows(filters: str) -> list[str]:
    made = Pipeline.parse(filters, "cpu")(interlaced_video() if filters in VIDEO else telecined_film())
    return [f'"{filters}",{n},{each.pts},{each.duration},{each.time_base},{_hash(each)}' for n, each in enumerate(made)]


def _hash(made: Frame) -> str:
    digest = hashlib.sha256()
    for name in made.layout.components:
        digest.update(np.ascontiguousarray(made.component(name)).tobytes())
    return digest.hexdigest()[:16]


@pytest.mark.parametrize("filters", [*VIDEO, *FILM])
def test_five_runs_give_the_same_rows(filters):
    """Those of the table, where film mode's decisions have no part."""
    golden = [line for line in GOLDEN.read_text().splitlines() if line.startswith(f'"{filters}",')]
    expected = golden if filters in VIDEO else rows(filters)
    assert len(expected) >= len(TIMES)
    before = thread_count()
    try:
        for threads in (before, 1, 2, 3, before):
            set_threads(threads)
            assert rows(filters) == expected
    finally:
        set_threads(None)


if __name__ == "__main__":
    print("filters,frame,pts,duration,time_base,hash")
    for each in VIDEO:
        print("\n".join(rows(each)))
