"""Media files made on the spot with PyAV alone, and frames to fill them with."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from texsamp import Frame
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS


def random_frame(layout_name: str, width: int, height: int, seed: int = 0, **properties: Any) -> Frame:
    """A frame of random samples; unused bits of an element are zero, except that RGB 10-bit has opaque alpha."""
    layout = PIXEL_LAYOUTS[layout_name]
    random = np.random.default_rng(seed)
    planes = []
    for index in range(layout.plane_count):
        parts = [c for c in layout.components.values() if c.plane == index]
        masks = {((1 << c.bits) - 1) << c.shift for c in parts}  # one for all, unless one element holds several
        mask = sum(masks)
        shape = layout.plane_shape(index, width, height)
        plane = random.integers(0, 1 << 32, shape, dtype=np.uint64) & np.uint64(mask)
        if layout.packed_element:
            plane |= np.uint64(3 << 30)
        planes.append(plane.astype(layout.dtype))
    return Frame.from_arrays(layout_name, planes, width, height, "cpu", **properties)


def random_frames(layout_name: str, width: int, height: int, count: int, **properties: Any) -> list[Frame]:
    """Frames of random samples at 25 frames per second."""
    return [
        random_frame(layout_name, width, height, n, pts=n, duration=1, time_base=Fraction(1, 25), **properties)
        for n in range(count)
    ]


def assert_same_samples(a: Frame, b: Frame) -> None:
    """Every component equal, whatever the two layouts are."""
    assert (a.width_px, a.height_px) == (b.width_px, b.height_px)
    for name in a.layout.components:
        part_a, part_b = a.layout.components[name], b.layout.components[name]
        left = (np.asarray(a.component(name)) >> part_a.shift) & ((1 << part_a.bits) - 1)
        right = (np.asarray(b.component(name)) >> part_b.shift) & ((1 << part_b.bits) - 1)
        assert np.array_equal(left, right), name


def av_picture(pix_fmt: str, width: int, height: int, seed: int = 0) -> av.VideoFrame:
    """An FFmpeg picture whose planes hold random bytes (of little value for formats with unused bits)."""
    picture = av.VideoFrame(width, height, pix_fmt)
    random = np.random.default_rng(seed)
    for plane in picture.planes:
        np.frombuffer(plane, np.uint8)[:] = random.integers(0, 256, plane.buffer_size, dtype=np.uint8)
    return picture


def gray_ramp(width: int, height: int, number: int) -> av.VideoFrame:
    """An easily coded 4:2:0 picture; its brightness tells which one it is."""
    picture = av.VideoFrame(width, height, "yuv420p")
    for index, plane in enumerate(picture.planes):
        np.frombuffer(plane, np.uint8)[:] = 128 if index else 16 + 4 * number % 220
    return picture


def write_video(
    path: Path,
    pictures: Sequence[av.VideoFrame],
    codec: str = "libx264",
    rate: Fraction | int = 25,
    times: Sequence[int] | None = None,
    time_base: Fraction | None = None,
    options: dict[str, str] | None = None,
    setup: Callable[[Any, Any], None] | None = None,
    before_close: Callable[[Any], None] | None = None,
    stamp: str | None = None,
    container_options: dict[str, str] | None = None,
) -> Path:
    """Encode pictures; ``setup(container, stream)`` may add to the file, ``stamp`` sets the field order of each."""
    with av.open(path, "w", container_options=container_options) as container:
        stream = container.add_stream(codec, rate=rate, options=options or {})
        stream.width, stream.height, stream.pix_fmt = pictures[0].width, pictures[0].height, pictures[0].format.name
        base = time_base or 1 / Fraction(rate)
        stream.codec_context.time_base = base
        if setup is not None:
            setup(container, stream)
        if stamp is not None:
            pictures = _stamped(pictures, stamp)
        for number, picture in enumerate(pictures):
            picture.pts, picture.time_base = (times[number] if times else number), base
            container.mux(stream.encode(picture))
        container.mux(stream.encode(None))
        if before_close is not None:
            before_close(container)
    return path


def _stamped(pictures: Sequence[av.VideoFrame], order: str) -> list[av.VideoFrame]:
    graph = av.filter.Graph()
    source = graph.add_buffer(pictures[0], time_base=Fraction(1, 25))
    graph.link_nodes(source, graph.add("setfield", order), graph.add("buffersink")).configure()
    result = []
    for picture in pictures:
        graph.push(picture)
        result.append(graph.pull())
    return result
