"""Recorded launches: sent again where arrays lie elsewhere, as the function itself would launch them."""

from __future__ import annotations

import gc
import pickle
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from texsamp import Frame, set_threads
from texsamp.device import recorded
from texsamp.device.base import Array, Device, Launch
from texsamp.device.cpu import CpuDevice
from texsamp.device.params import params_type, pointer_places_B
from texsamp.device.recorded import Recorded
from texsamp.video.light import RELIT_TILES
from texsamp.video.samples import Samples, source_record, target_record

_RELIT = params_type("RelitParams")


class Counting(CpuDevice):
    """Counts launches that Python has described, and those that were sent again."""

    def __init__(self) -> None:
        super().__init__()
        self.described = self.again = 0

    def launch(self, *launches: Launch) -> None:
        self.described += len(launches)
        super().launch(*launches)

    def send(self, repeated: Any, kept: object) -> None:
        self.again += sum(repeated.counts)
        super().send(repeated, kept)


@pytest.fixture(params=[1, 3], ids=["alone", "3 threads"])
def device(request):
    set_threads(request.param)
    yield Counting()
    set_threads(None)


def gray(device: Device, seed: int, width: int = 40, height: int = 12) -> Frame:
    plane = np.random.default_rng(seed).integers(0, 256, (height, width), dtype=np.uint8)
    return Frame.from_arrays("gray", [plane], width, height, device)


def relit(frame: Frame, gain: int) -> Array:
    """Launches a kernel that multiplies a picture by ``gain`` / 4096."""
    return relit_plane(frame.device, frame.planes[0], gain)


def relit_plane(device: Device, plane: Array, gain: int) -> Array:
    height, width = plane.shape
    out = device.empty((height, width), "u1")
    params = _RELIT(
        source=source_record(device, Samples.plane(plane, 8)),
        target=target_record(device, Samples.plane(out, 8)),
        width=width,
        height=height,
        gains=[gain, gain],
        offsets=[0, 0],
    )
    device.launch(Launch("relit_u8", params, 1, -(-height // RELIT_TILES["host"][1]), (plane, out)))
    return out


def over(array: Array, frame: Frame) -> Frame:
    return frame.like(frame.width_px, frame.height_px, [array])


def twice(frame: Frame, gain: int = 2048) -> Array:
    """Half of half of a picture, by way of an array that is gone then."""
    return relit(over(relit(frame, gain), frame), gain)


def of(frame: Frame) -> np.ndarray:
    return np.asarray(frame.planes[0])


def quarter(frame: Frame) -> np.ndarray:
    half = (of(frame).astype(int) * 2048 + 2048) // 4096
    return (half * 2048 + 2048) // 4096


def test_the_third_call_of_a_kind_is_sent(device):
    """The first may be the only one, and the second is recorded."""
    function = Recorded(twice)
    for seed in range(5):
        frame = gray(device, seed)
        assert np.array_equal(function(device, frame), quarter(frame))
    assert (device.described, device.again) == (4, 6)


@pytest.mark.parametrize(
    "other",
    [
        lambda device: (gray(device, 1), 1024),
        lambda device: (gray(device, 1, 41, 12), 2048),
        lambda device: (gray(device, 1, 40, 13), 2048),
        lambda device: (over(of(gray(device, 1, 80, 12))[:, :40], gray(device, 1)), 2048),
    ],
    ids=["value", "width", "height", "pitch"],
)
def test_another_value_size_or_pitch_is_another_kind(device, other):
    function = Recorded(twice)
    for _ in range(3):
        function(device, gray(device, 0), 2048)
    frame, gain = other(device)
    for _ in range(3):
        assert np.array_equal(function(device, frame, gain), twice(frame, gain))
    assert device.again == 4  # the last of either


def test_results_are_memory_of_their_own(device):
    function = Recorded(twice)
    frames = [gray(device, seed) for seed in range(6)]
    found = [function(device, frame) for frame in frames]
    for one, frame in zip(found, frames, strict=True):
        assert np.array_equal(one, quarter(frame))


@dataclass(frozen=True, eq=False)
class Result:
    """Of what functions here return."""

    made: Array
    view: Array
    given: Frame
    arrays: dict[str, list[Array]]
    words: str


def test_results_hold_arrays_views_and_arguments(device):
    def function(frames: list[Frame], word: str) -> Result:
        made = relit(frames[0], 2048)
        return Result(made, made[2:9, 3::2], frames[1], {"planes": [frames[0].planes[0], made]}, word)

    known = Recorded(function)
    for seed in range(4):
        frames = [gray(device, seed), gray(device, seed + 10)]
        found, expected = known(device, frames, "word"), function(frames, "word")
        assert np.array_equal(found.made, expected.made)
        assert np.array_equal(found.view, expected.view)
        assert found.view.strides == expected.view.strides
        assert found.view.base is not None
        assert found.given is frames[1]
        assert found.arrays["planes"][0] is frames[0].planes[0]
        assert found.arrays["planes"][1] is found.made
        assert found.words == "word"
    assert device.again == 2


def test_arguments_that_are_one_are_another_kind(device):
    """What a function does may depend on it."""

    def function(first: Frame, second: Frame) -> Array:
        return relit(first, 4096 if first is second else 2048)

    known = Recorded(function)
    for seed in range(4):
        one, other = gray(device, seed), gray(device, seed + 10)
        assert np.array_equal(known(device, one, one), of(one))
        assert np.array_equal(known(device, one, other), function(one, other))
    assert device.again == 4


def test_which_arguments_are_one_is_part_of_the_kind(device):
    def function(*frames: Frame) -> list[Array]:
        return [relit(frame, 2048) for frame in frames if frame is frames[0]]

    known = Recorded(function)
    for seed in range(4):
        one, other = gray(device, seed), gray(device, seed + 10)
        assert len(known(device, one, other, one)) == 2
        assert len(known(device, one, other, other)) == 1


def test_arrays_by_themselves(device):
    known = Recorded(relit_plane)
    for seed in range(4):
        for height in (12, 7):
            array = of(gray(device, seed, 40, height))
            assert np.array_equal(known(device, device, array, 2048), relit_plane(device, array, 2048))
    assert device.again == 4


def test_results_that_lie_where_something_else_was(device):
    """What has died is not what a pointer leads to."""

    def function(frame: Frame) -> Array:
        relit_plane(device, frame.planes[0][:140], 1024)  # of as many units of pooled memory
        return relit(frame, 2048)

    known = Recorded(function)
    for seed in range(4):
        frame = gray(device, seed, 512, 150)
        assert np.array_equal(known(device, frame), relit(frame, 2048))
    assert device.again == 4


def test_arguments_that_overlapped_and_do_no_more(device):
    def function(first: Frame, second: Frame) -> tuple[Array, Array]:
        return relit(first, 2048), relit(second, 2048)

    known = Recorded(function)
    whole = gray(device, 0, 40, 16)
    for _ in range(3):
        known(device, *(whole.like(40, 12, [of(whole)[begin : begin + 12]]) for begin in (0, 4)))
    first, second = gray(device, 1), gray(device, 2)
    assert all(map(np.array_equal, known(device, first, second), function(first, second)))


def test_arrays_that_shared_memory_and_do_no_more(device):
    """Nothing tells into which of two arrays in one place a recorded pointer led."""

    def function(first: Frame, second: Frame) -> tuple[Array, Array]:
        return relit(first, 2048), relit(second, 1024)

    known = Recorded(function)
    frame = gray(device, 0)
    for _ in range(3):
        known(device, frame, frame.like(40, 12, [of(frame)[:]]))
    first, second = gray(device, 1), gray(device, 2)
    assert all(map(np.array_equal, known(device, first, second), function(first, second)))


@pytest.mark.parametrize(
    "does",
    [
        lambda device, frame: device.copy(relit(frame, 2048)),
        lambda device, frame: device.upload(device.download(relit(frame, 2048)) // 2),
        lambda device, frame: relit(over(of(frame).copy(), frame), 2048),
        lambda device, frame: of(frame)[2:],
    ],
    ids=["a copy", "an upload", "a pointer elsewhere", "a view of an argument"],
)
def test_what_is_not_made_by_launches_is_done_anew(device, does):
    known = Recorded(lambda frame: does(device, frame))
    for seed in range(5):
        frame = gray(device, seed)
        assert np.array_equal(known(device, frame), does(device, frame))
    assert device.again == 0


def test_metadata_of_frames_is_never_recorded(device):
    """A frame that a function makes has some that its kind does not tell."""
    known = Recorded(lambda frame: over(relit(frame, 2048), frame))
    for seed in range(4):
        assert known(device, gray(device, seed).told(pts=seed)).pts == seed


def test_errors_end_a_recording(device):
    def function(frame: Frame) -> Array:
        out = relit(frame, 2048)
        if calls.pop():
            raise ValueError("in the middle")
        return out

    known, calls = Recorded(function), [False, False, True, False]
    frame = gray(device, 7)
    known(device, frame)
    with pytest.raises(ValueError, match="in the middle"):
        known(device, frame)
    calls[:] = [False, False]  # recorded now, then sent
    for _ in range(2):
        assert np.array_equal(known(device, frame), relit(frame, 2048))
    assert (calls, device.again) == ([False], 1)


def test_one_recording_within_another(device):
    inner = Recorded(twice)
    outer = Recorded(lambda frame: relit(over(inner(device, frame), frame), 8192))
    for seed in range(5):
        frame = gray(device, seed)
        assert np.array_equal(outer(device, frame), 2 * quarter(frame))
    assert device.again == 9


def test_few_kinds_are_kept(device, monkeypatch):
    monkeypatch.setattr(recorded, "MOST_KINDS", 2)
    known = Recorded(twice)
    for _ in range(4):
        for width in (8, 9, 10):
            frame = gray(device, 1, width)
            assert np.array_equal(known(device, frame), quarter(frame))
    assert device.again == 0
    for _ in range(2):
        known(device, frame)
    assert device.again == 2


def test_recordings_stay_in_their_process(device):
    known = Recorded(twice)
    before = pickle.dumps(known)
    for _ in range(3):
        known(device, gray(device, 0))
    assert pickle.dumps(known) == before
    frame = gray(device, 5)
    assert np.array_equal(pickle.loads(before)(device, frame), quarter(frame))


def test_recordings_keep_no_arrays(device):
    known = Recorded(twice)
    for seed in range(4):
        frame = gray(device, seed)
        given, made = (weakref.ref(array) for array in (frame.planes[0], known(device, frame)))
        del frame
        gc.collect()
        assert given() is None
        assert made() is None


def test_another_device_is_another_kind():
    known, devices = Recorded(twice), (Counting(), Counting())
    for seed in range(4):
        for device in devices:
            frame = gray(device, seed)
            assert np.array_equal(known(device, frame), quarter(frame))
    assert [device.again for device in devices] == [4, 4]


@pytest.mark.parametrize(
    ("struct", "places"),
    [
        ("RelitParams", (0, 24)),
        ("VectorCoarseParams", (0, 8, 16, 24, 32, 40, 48)),
        ("DeinterlaceStmmParams", (0, 24, 48, 56, 120)),
    ],
)
def test_places_of_pointers(struct, places):
    """Also within structs and rows of a struct."""
    assert pointer_places_B(params_type(struct).dtype) == places
