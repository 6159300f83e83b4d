"""Small clips, written with PyAV alone, and their pictures read back the same way."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np


def random_pictures(frames: int, size: tuple[int, int], seed: int) -> list[np.ndarray]:
    """Smooth random pictures as FFmpeg lays out planar 4:2:0: rows of Y, then U, then V, as one array each."""
    random = np.random.default_rng(seed)
    width, height = size
    pictures = []
    for _ in range(frames):
        walk = random.normal(size=(height * 3 // 2, width)).cumsum(axis=1)
        pictures.append(((walk - walk.min()) / np.ptp(walk) * 255).astype(np.uint8))
    return pictures


def write_clip(path: Path, pictures: list[np.ndarray], codec: str = "ffv1", rate: int = 25) -> Path:
    """Encode pictures, ``rate`` a second; y4m by its name."""
    height, width = pictures[0].shape[0] * 2 // 3, pictures[0].shape[1]
    with av.open(path, "w") as container:
        stream = container.add_stream("wrapped_avframe" if path.suffix == ".y4m" else codec, rate=rate)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for number, picture in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(picture, format="yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def read_clip(path: Path) -> list[np.ndarray]:
    """Decoded pictures in their own format."""
    with av.open(path) as container:
        return [frame.to_ndarray() for frame in container.decode(video=0)]
