"""Pipelines whose Python goes on beside kernels: results are those of one thread, and nothing is read too early."""

import numpy as np
import pytest

import texsamp as ts
from texsamp.device import get_device, host_pool, threads
from texsamp.device.host_pool import HostPool
from texsamp.video.frame import Frame
from texsamp.video.stage import Stage

SIZE = WIDTH_PX, HEIGHT_PX = 256, 144
CHAINS = [
    *(f"deinterlace=mode={mode}:rate=field" for mode in ("bob", "madi", "mcdi", "hq", "best", "weave")),
    "deinterlace=film=auto:rate=film",
    *("denoise", "denoise=40", "denoise=fast", "denoise=hq"),
    *("scale=128x72", "scale=400x300:adaptive=on", "sharpen=auto"),
    "denoise,deinterlace=deint=all,scale=512x288,sharpen=44",
]


@pytest.fixture(autouse=True)
def default_threads():
    yield
    ts.set_threads(None)


@pytest.fixture
def late(monkeypatch):
    """Nothing runs before it is waited for, and memory that is given back is written to at once."""

    def overwritten(self: HostPool, buffer: host_pool.Buffer) -> None:
        buffer.memory[...] = 0xA5
        give_back(self, buffer)

    give_back = HostPool.give_back
    monkeypatch.setattr(HostPool, "give_back", overwritten)
    monkeypatch.setattr(host_pool, "_SMALLEST_B", 64)
    ts.set_threads(2)
    monkeypatch.setattr(threads, "_pool", threads._Pool(1))  # no thread beside the caller's


def frames() -> list[Frame]:
    random = np.random.default_rng(3)
    base = random.integers(0, 256, (3, 300, 520), np.uint8)
    shapes = [(HEIGHT_PX, WIDTH_PX), *[(HEIGHT_PX // 2, WIDTH_PX // 2)] * 2]
    made = []
    for n in range(5):
        planes = [
            np.roll(plane, 3 * n, 1)[:rows, :columns] for plane, (rows, columns) in zip(base, shapes, strict=True)
        ]
        flags = {"pts": n, "interlaced": True, "top_field_first": True}
        made.append(Frame.from_arrays("yuv420p", [plane.copy() for plane in planes], *SIZE, "cpu", **flags))
    return made


def played(pipeline: ts.Pipeline) -> list[bytes]:
    made = []
    for frame in pipeline(frames()):
        made += [plane.tobytes() for plane in frame.planes]
    return made


def expected(text: str) -> list[bytes]:
    ts.set_threads(1)
    made = played(ts.Pipeline.parse(text, "cpu"))
    ts.set_threads(None)
    return made


@pytest.fixture(params=CHAINS)
def chain(request) -> tuple[str, list[bytes]]:
    return request.param, expected(request.param)


@pytest.fixture
def sharpened() -> bytes:
    return expected("sharpen=44")[0]


def test_kernels_that_run_as_late_as_they_may_change_nothing(chain, late):
    text, want = chain
    pipeline = ts.Pipeline.parse(text, "cpu")
    assert pipeline.overlaps
    assert played(pipeline) == want


def test_pipelines_within_pipelines(late):
    inner = ts.Pipeline.parse("deinterlace=mode=madi:rate=field", "cpu")
    outer = ts.Pipeline([inner, *ts.Pipeline.parse("scale=400x300", "cpu").stages], "cpu")
    assert outer.overlaps
    assert played(outer) == expected("deinterlace=mode=madi:rate=field,scale=400x300")


class _Brightened(Stage):
    """Someone's stage, that reads pixels as numpy arrays."""

    def feed(self, frame):
        yield frame.like(*SIZE, [plane // 2 for plane in frame.planes])


def test_stages_that_read_pixels_find_them(late):
    own = ts.Pipeline([*ts.Pipeline.parse("deinterlace=mode=bob", "cpu").stages, _Brightened()], "cpu")
    assert not own.overlaps
    made = played(own)
    want = [(np.frombuffer(each, "u1") // 2).tobytes() for each in expected("deinterlace=mode=bob")]
    assert made == want


def test_a_stage_alone_waits(sharpened, late):
    (made,) = ts.Pipeline.parse("sharpen=44", "cpu").stages[0].feed(frames()[0])
    assert made.planes[0].tobytes() == sharpened


def test_whatever_is_given_out_within_is_done(sharpened, late):
    device, frame = get_device("cpu"), frames()[0]
    (stage,) = ts.Pipeline.parse("sharpen=44", "cpu").stages
    with device.overlap():
        for read in (device.download, device.copy, lambda plane: device.start_download([plane]).result()[0]):
            assert read(next(iter(stage.feed(frame))).planes[0]).tobytes() == sharpened
        plane = next(iter(stage.feed(frame))).planes[0]
        with device.current():
            assert plane.tobytes() == sharpened


def test_an_overlap_that_nobody_left_counts_no_more(sharpened, late):
    device, frame = get_device("cpu"), frames()[0]
    overlap = device.overlap()
    overlap.__enter__()
    del overlap  # as by Ctrl-C
    (made,) = ts.Pipeline.parse("sharpen=44", "cpu").stages[0].feed(frame)
    assert made.planes[0].tobytes() == sharpened
