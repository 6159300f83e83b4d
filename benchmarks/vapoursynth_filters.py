"""VapourSynth's filters on planes of bytes: run by the Python that has it, without texsamp.

``python vapoursynth_filters.py FILTER SIGMA`` reads arrays from its standard input, one .npy of each plane of a 4:2:0
clip, and writes those of the result.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np
import vapoursynth as vs  # type: ignore[import-not-found,unused-ignore]

_TOP_FIRST = 2


def _clip(planes: list[Any]) -> Any:
    frames, height, width = planes[0].shape
    blank = vs.core.std.BlankClip(
        width=width, height=height, format=vs.YUV420P8, length=frames, fpsnum=25, fpsden=1, keep=False
    )

    def filled(n: int, f: Any) -> Any:
        frame = f.copy()
        for place, plane in enumerate(planes):
            np.asarray(frame[place])[...] = plane[n]
        return frame

    return vs.core.std.SetFieldBased(vs.core.std.ModifyFrame(blank, blank, filled), _TOP_FIRST)


def _planes(clip: Any) -> list[Any]:
    frames = [[np.array(frame[place]) for place in range(3)] for frame in clip.frames()]
    return [np.stack(plane) for plane in zip(*frames, strict=True)]


def _qtgmc(clip: Any, _sigma: float) -> Any:
    from vsdeinterlace import QTempGaussMC  # type: ignore[import-not-found,unused-ignore]

    return QTempGaussMC().deinterlace(clip)


def _znedi3(clip: Any, _sigma: float) -> Any:
    return vs.core.znedi3.nnedi3(clip, field=3, nsize=0, nns=4, qual=2)


def _vbm3d(clip: Any, sigma: float) -> Any:
    """Each plane by itself, in floats, for it knows no subsampled chroma; of nine pictures, as it was published."""
    strong: dict[str, Any] = {"profile": "np", "sigma": [sigma], "radius": 4}
    joined = {"radius": 4, "sample": 1}
    parts = []
    for plane in vs.core.std.SplitPlanes(vs.core.std.SetFieldBased(clip, 0)):
        noisy = vs.core.resize.Point(plane, format=vs.GRAYS)
        basic = vs.core.bm3d.VAggregate(vs.core.bm3d.VBasic(noisy, **strong), **joined)
        made = vs.core.bm3d.VAggregate(vs.core.bm3d.VFinal(noisy, basic, **strong), **joined)
        parts.append(vs.core.resize.Point(made, format=vs.GRAY8))
    return vs.core.std.ShufflePlanes(parts, [0, 0, 0], vs.YUV)


_FILTERS: dict[str, Callable[[Any, float], Any]] = {"qtgmc": _qtgmc, "znedi3": _znedi3, "vbm3d": _vbm3d}


def main() -> None:
    """See the module."""
    vs.core.num_threads = 1
    name, sigma = sys.argv[1], float(sys.argv[2])
    given = BytesIO(sys.stdin.buffer.read())
    for plane in _planes(_FILTERS[name](_clip([np.load(given) for _ in range(3)]), sigma)):
        np.save(sys.stdout.buffer, plane)


if __name__ == "__main__":
    main()
