"""FFmpeg's own psnr and ssim filters, run through PyAV: the independent voice of the quality tests."""

from fractions import Fraction

import av
import av.filter
import numpy as np


def ffmpeg_metric(name: str, reference: np.ndarray, distorted: np.ndarray, pixel_format: str) -> dict[str, str]:
    """Metadata that FFmpeg's filter ``name`` attaches to one gray frame."""
    height, width = reference.shape
    graph = av.filter.Graph()
    inputs = [
        graph.add_buffer(width=width, height=height, format=av.VideoFormat(pixel_format), time_base=Fraction(1, 25))
        for _ in range(2)
    ]
    metric = graph.add(name)
    for index, buffer in enumerate(inputs):
        buffer.link_to(metric, 0, index)
    sink = graph.add("buffersink")
    metric.link_to(sink)
    graph.configure()
    for buffer, plane in zip(inputs, (distorted, reference), strict=True):
        frame = av.VideoFrame.from_ndarray(plane, format=pixel_format)
        frame.pts, frame.time_base = 0, Fraction(1, 25)
        buffer.push(frame)
        buffer.push(None)
    return dict(sink.pull().metadata)


def noisy_pair(bits: int, shape: tuple[int, int], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A smooth random plane and the same plane with noise."""
    random = np.random.default_rng(seed)
    top = (1 << bits) - 1
    walk = random.normal(size=shape).cumsum(axis=0).cumsum(axis=1)
    clean = (walk - walk.min()) / np.ptp(walk) * top
    noisy = clean + random.normal(scale=top / 25, size=shape)
    dtype = np.uint8 if bits == 8 else np.dtype("<u2")
    return clean.astype(dtype), np.clip(noisy, 0, top).astype(dtype)
