"""Pipelines on a GPU: what a frame costs in copies, launches and waits, and that its copies wait for no other frame.

The stand-in for CuPy executes the kernels' PTX and logs what it is asked, so results are compared with the CPU's too.
"""

from __future__ import annotations

import gc
import re
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from support.pretended_cuda import pretended_cuda

import texsamp as ts
from texsamp.surface.pixel_layout import pixel_layout
from texsamp.video.frame import Frame

ROOT = Path(__file__).resolve().parent.parent.parent
WIDTH_PX, HEIGHT_PX = 66, 50
LONG = {"denoise=fast", "denoise=hq"}
"""Filters that take the stand-in for a GPU seconds."""
SIMPLE = {"scale=80x64", "sharpen=44", "procamp=contrast=1.1", "csc=matrix=bt709", "deinterlace=mode=bob:deint=all"}

ROW = re.compile(r"^\| `([^`]+)` \| (\d+) \| (\d) \| .*\|$", re.MULTILINE)
COSTS = {
    filters: (int(launches), int(read_backs))
    for filters, launches, read_backs in ROW.findall((ROOT / "docs" / "architecture.md").read_text())
}
"""Launches and read-backs of a frame by filter, when it runs steadily; the reasons are there, too."""


@pytest.fixture
def cupy():
    with pretended_cuda() as module:
        yield module


def frames(count: int, layout: str = "yuv420p") -> list[Frame]:
    random, kind = np.random.default_rng(5), pixel_layout(layout)
    shapes = [kind.plane_shape(plane, WIDTH_PX, HEIGHT_PX) for plane in range(kind.plane_count)]
    return [
        Frame.from_arrays(
            layout,
            [random.integers(0, 256, shape).astype(kind.dtype) for shape in shapes],
            *(WIDTH_PX, HEIGHT_PX, "cpu"),
            pts=pts,
        )
        for pts in range(count)
    ]


def arrays(made: list[Frame]) -> list[bytes]:
    return [plane.tobytes() for frame in made for plane in frame.to_arrays()]


def test_simple_filters_take_one_launch_and_wait_for_none():
    assert {COSTS[text] for text in SIMPLE} == {(1, 0)}


@pytest.mark.parametrize(
    "text", [pytest.param(text, marks=pytest.mark.slow) if text in LONG else text for text in COSTS]
)
def test_a_frame_is_carried_once_each_way_and_nobody_waits_but_the_writer(cupy, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("look.cube").write_text("LUT_1D_SIZE 2\n0 0 0\n1 1 1\n")
    source = frames(12)
    pipeline, log, arriving, costs = ts.Pipeline.parse(text, "cuda"), cupy.standin.log, [], []
    for frame in source:
        log.clear()
        coming = [made.start_download() for made in pipeline.feed(frame)]
        costs.append(Counter(entry.what for entry in log))
        arriving += coming
    launches, read_backs = COSTS[text]
    steady = costs[-1]
    assert steady["launch"] == launches
    assert steady["upload"] == 1
    assert steady["download"] == len(coming) + read_backs
    assert steady["synchronize"] == read_backs, "of the launching thread"
    arriving += [made.start_download() for made in pipeline.flush()]
    log.clear()
    made = [arrive() for arrive in arriving]
    assert [entry.what for entry in log] == ["synchronize"] * len(made), "one event for each frame"
    assert arrays(made) == arrays(list(ts.Pipeline.parse(text, "cpu")(source)))


def test_copies_have_streams_of_their_own_and_wait_for_their_own_frame_only(cupy):
    """A frame's upload waits for nothing that later frames' kernels or downloads do: so they overlap."""
    pipeline, log = ts.Pipeline.parse("sharpen=44", "cuda"), cupy.standin.log
    kept = []
    for frame in frames(6):
        log.clear()
        (made,) = pipeline.feed(frame)
        kept = [*kept[-1:], made.start_download()]
    streams = {what: next(entry.stream for entry in log if entry.what == what) for what in ("upload", "download")}
    kernels = next(entry.stream for entry in log if entry.what == "launch")
    assert len({kernels, *streams.values()}) == 3
    assert all(stream.non_blocking for stream in streams.values())
    waits = [(entry.stream, entry.detail.stream) for entry in log if entry.what == "wait"]
    assert waits.count((kernels, streams["upload"])) == 1, "kernels find what was uploaded"
    assert waits.count((streams["download"], kernels)) == 1, "the download what they made"
    before_upload = [entry for entry in log[: [e.what for e in log].index("upload")] if entry.what == "wait"]
    released = [entry.detail for entry in before_upload if entry.stream is streams["upload"]]
    current = [entry.detail for entry in log if entry.what == "record"]
    assert not set(map(id, released)) & set(map(id, current)), "of a frame before the last: its kernels are long done"


def test_memory_of_uploads_is_used_again_when_the_frame_is_gone(cupy):
    device = ts.get_device("cuda")
    first = frames(1)[0].to(device)
    address = device.address(first.planes[0])
    plane = first.planes[1]
    del first
    second = frames(1)[0].to(device)
    assert device.address(second.planes[0]) != address, "a view of it lives"
    del plane
    gc.collect()
    assert device.address(frames(1)[0].to(device).planes[0]) == address


def test_a_download_that_nobody_waits_for_keeps_its_memory_from_the_next_kernel(cupy):
    device = ts.get_device("cuda")
    on_device = frames(1)[0].to(device)
    arriving = on_device.start_download()
    cupy.standin.log.clear()
    del arriving, on_device
    gc.collect()
    waiting = next(entry for entry in cupy.standin.log if entry.what == "wait")
    assert waiting.stream is device._stream
    assert waiting.detail.stream is not device._stream


@pytest.mark.parametrize("layout", ["gray", "nv12", "yuv444p10le", "rgb24", "uyvy422", "x2rgb10le"])
def test_every_layout_comes_back_as_it_went(cupy, layout):
    (frame,) = frames(1, layout)
    back = frame.to("cuda").to("cpu")
    assert arrays([back]) == arrays([frame])
    assert (back.layout, back.pts) == (frame.layout, frame.pts)


def test_planes_of_different_memory_come_in_one_copy(cupy):
    frame = frames(1)[0].to("cuda")
    planes = [frame.device.copy(plane) for plane in frame.planes]
    cupy.standin.log.clear()
    back = frame.like(WIDTH_PX, HEIGHT_PX, planes).start_download()()
    assert Counter(entry.what for entry in cupy.standin.log)["download"] == 1
    assert arrays([back]) == arrays(frames(1))


def test_a_writer_takes_frames_from_a_gpu_and_waits_on_its_own_thread(cupy, tmp_path):
    pipeline = ts.Pipeline.parse("sharpen=44", "cuda")
    with ts.VideoWriter(tmp_path / "out.y4m", frame_rate=25) as writer:
        cupy.standin.log.clear()
        here = threading.get_ident()
        waited = _threads_that_synchronize(cupy)
        for frame in pipeline(frames(4)):
            writer.write(frame)
    assert len(waited) == 4
    assert here not in waited
    with ts.VideoReader(tmp_path / "out.y4m") as reader:
        written = arrays(list(reader))
    assert written == arrays(list(ts.Pipeline.parse("sharpen=44", "cpu")(frames(4))))


def _threads_that_synchronize(cupy) -> list[int]:
    """Thread of every wait for an event from now on."""
    found: list[int] = []
    synchronize = cupy.cuda.Event.synchronize

    def noted(event) -> None:
        found.append(threading.get_ident())
        synchronize(event)

    cupy.cuda.Event.synchronize = noted
    return found
