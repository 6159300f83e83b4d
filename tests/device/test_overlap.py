"""Frames on a GPU overlap as far as events let them, and events are enough.

The stand-in puts work off and does it in an order drawn by lot among those that streams and events allow. Where a wait
is missing, a frame is wrong or a kernel finds memory unwritten or gone: each wait is taken away once.
"""

from __future__ import annotations

import gc

import numpy as np
import pytest
from support.pretended_cuda import pretended_cuda
from support.ptx import Fault

import texsamp as ts
from texsamp.device.transfers import Transfers, Transit
from texsamp.video.frame import Frame

SIZE = WIDTH_PX, HEIGHT_PX = 34, 18
SEEDS = range(4)


@pytest.fixture
def cupy():
    with pretended_cuda() as module:
        yield module


def frames(count: int) -> list[Frame]:
    random = np.random.default_rng(7)
    shapes = [(HEIGHT_PX, WIDTH_PX), *[(HEIGHT_PX // 2, WIDTH_PX // 2)] * 2]
    flags = {"interlaced": True, "top_field_first": True}
    planes = [[random.integers(0, 256, shape, np.uint8) for shape in shapes] for _ in range(count)]
    return [Frame.from_arrays("yuv420p", each, *SIZE, "cpu", pts=n, **flags) for n, each in enumerate(planes)]


def played(text: str, device: str, late: int = 2) -> list[bytes]:
    """What a job writes, whose writer is some frames behind."""
    made: list[bytes] = []
    arriving = []

    def write() -> None:
        made.extend(plane.tobytes() for plane in arriving.pop(0)().to_arrays())

    for frame in ts.Pipeline.parse(text, device)(frames(6)):
        arriving.append(frame.start_download())
        del frame
        while len(arriving) > late:
            write()
    while arriving:
        write()
    return made


@pytest.mark.parametrize(
    "text",
    [
        "sharpen=44",
        "scale=40x20,procamp=contrast=1.1",
        "csc=matrix=bt709,deinterlace=mode=bob",
        "denoise",
        "deinterlace=mode=madi:rate=field,contrast=auto",
        "deinterlace=film=auto:rate=film",
    ],
)
def test_whatever_is_done_first_the_frames_are_the_same(cupy, text):
    expected = played(text, "cpu")
    for seed in SEEDS:
        with cupy.standin.deferring(seed):
            assert played(text, "cuda") == expected, seed


def test_frames_overlap(cupy):
    """A frame is uploaded while kernels of the one before are still to run, and downloaded after later ones have."""
    found = set()
    for seed in range(12):
        with cupy.standin.deferring(seed) as done:
            played("sharpen=44", "cuda")
        steps = [work.what for work in done if work.what in ("upload", "launch", "download")]
        seen = {what: 0 for what in ("upload", "launch", "download")}
        for what in steps:
            seen[what] += 1
            found |= {"upload"} if seen["upload"] > seen["launch"] + 1 else set()
            found |= {"download"} if seen["launch"] > seen["download"] + 1 else set()
    assert found == {"upload", "download"}


def without_waits(monkeypatch, cupy, waiter: str, waited_for: str) -> None:
    """From now on one stream does not wait for events of another."""
    device = ts.get_device("cuda")
    streams = {"kernels": device._stream, "up": device._transfers._up, "down": device._transfers._down}
    wait = cupy.cuda.Stream.wait_event

    def wait_event(stream, event) -> None:
        if not (stream is streams[waiter] and event.stream is streams[waited_for]):
            wait(stream, event)

    monkeypatch.setattr(cupy.cuda.Stream, "wait_event", wait_event)


def unkept_staging(monkeypatch, cupy) -> None:
    upload = Transfers.upload

    def forgetting(transfers, arrays):
        made = upload(transfers, arrays)
        transfers._staging.clear()
        return made

    monkeypatch.setattr(Transfers, "upload", forgetting)


def unwaited_download(monkeypatch, cupy) -> None:
    monkeypatch.setattr(Transit, "wait", lambda transit: setattr(transit, "_source", None))


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        lambda *them: without_waits(*them, "kernels", "up"),
        lambda *them: without_waits(*them, "down", "kernels"),
        lambda *them: without_waits(*them, "up", "kernels"),
        unkept_staging,
        unwaited_download,
    ],
    ids=["kernels", "download", "upload", "staging", "host"],
)
def test_a_wait_that_is_missing_is_found(cupy, monkeypatch, fault):
    expected = played("scale=40x20", "cpu")
    fault(monkeypatch, cupy)
    wrong = 0
    for seed in SEEDS:
        try:
            with cupy.standin.deferring(seed):
                wrong += played("scale=40x20", "cuda") != expected
        except Fault:
            wrong += 1
        gc.collect()
    assert wrong
