"""VapourSynth's filters as contenders, in a process of their own: its wheels ask for a newer Python than texsamp.

TEXSAMP_VAPOURSYNTH names that Python (benchmarks/README.md says what to install for it).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import av
import numpy as np

from benchmarks.clips import planes

PYTHON = os.environ.get("TEXSAMP_VAPOURSYNTH", "")
_FILTERS = Path(__file__).with_name("vapoursynth_filters.py")


def through_vapoursynth(name: str, clip: Sequence[av.VideoFrame], sigma: float = 0.0) -> list[list[np.ndarray]]:
    """Frames of 4:2:0, top field first, through one of its filters on one thread: planes of each frame."""
    given = BytesIO()
    for plane in zip(*(planes(frame) for frame in clip), strict=True):
        np.save(given, np.stack(plane))
    command = [PYTHON, "-W", "ignore", str(_FILTERS), name, str(sigma)]
    made = BytesIO(subprocess.run(command, input=given.getvalue(), stdout=subprocess.PIPE, check=True).stdout)
    return [list(frame) for frame in zip(*(np.load(made) for _ in range(3)), strict=True)]
