"""`texsamp.process` from Python: counts, times, notes, progress, and cancelling."""

import numpy as np
import pytest
from support.clips import random_pictures, read_clip, write_clip

from texsamp.errors import DeviceError, FormatError, MediaError, StateError
from texsamp.process import process
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline
from texsamp.video.scale import Scale
from texsamp.video.stage import Stage

SIZE = (48, 32)


@pytest.fixture
def clip(tmp_path):
    return write_clip(tmp_path / "in.mkv", random_pictures(5, SIZE, seed=21))


class EverySecond(Stage):
    """Drops every second frame."""

    def __init__(self):
        self.number = 0

    def feed(self, frame):
        self.number += 1
        return (frame,) if self.number % 2 else ()


class Failing(Stage):
    """Raises an error at the third frame."""

    def __init__(self, error):
        self.error, self.number = error, 0

    def feed(self, frame):
        self.number += 1
        if self.number == 3:
            raise self.error
        yield frame


def test_counts_frames_and_times(clip, tmp_path):
    result = process(clip, tmp_path / "out.mkv", Pipeline([EverySecond()], device="cpu"), lossless=True)
    assert (result.frames_in, result.frames_out) == (5, 3)
    assert result.output == str(tmp_path / "out.mkv")
    seconds = result.seconds
    parts = seconds.decode_wait + seconds.kernels + seconds.encode_wait
    assert 0 < parts <= seconds.total
    assert result.frames_per_second == 3 / seconds.total
    np.testing.assert_array_equal(read_clip(tmp_path / "out.mkv"), read_clip(clip)[::2])


def test_result_is_the_pipelines(clip, tmp_path):
    process(clip, tmp_path / "out.mkv", "scale=96x20:preset=ihd,sharpen=50", device="cpu", lossless=True)
    width, height = SIZE
    pipeline = Pipeline.parse("scale=96x20:preset=ihd,sharpen=50", device="cpu")
    for source, result in zip(read_clip(clip), read_clip(tmp_path / "out.mkv"), strict=True):
        chroma = source[height:].reshape(2, height // 2, width // 2)
        frame = Frame.from_arrays("yuv420p", [source[:height], *chroma], width, height, "cpu")
        (expected,) = pipeline([frame])
        np.testing.assert_array_equal(result.ravel(), np.concatenate([p.ravel() for p in expected.to_arrays()]))


def test_accepts_a_pipeline_or_text(clip, tmp_path):
    process(clip, tmp_path / "text.mkv", "scale=24x16", device="cpu", lossless=True)
    process(clip, tmp_path / "stages.mkv", Pipeline([Scale(24, 16)], device="cpu"), lossless=True)
    np.testing.assert_array_equal(read_clip(tmp_path / "text.mkv"), read_clip(tmp_path / "stages.mkv"))


def test_progress_is_told_frames_and_total(clip, tmp_path):
    calls = []
    process(clip, tmp_path / "out.mkv", progress=lambda done, total: calls.append((done, total)))
    assert [done for done, _ in calls] == [1, 2, 3, 4, 5]
    assert {total for _, total in calls} <= {5, None}


def test_interlaced_frames_are_told(tmp_path):
    header = b"YUV4MPEG2 W16 H8 F25:1 It A1:1 C420jpeg\n"
    (tmp_path / "in.y4m").write_bytes(header + 3 * (b"FRAME\n" + bytes(16 * 8 * 3 // 2)))
    filtered = process(tmp_path / "in.y4m", tmp_path / "a.mkv", "scale=8x8", device="cpu")
    assert "3 of 3 frames are interlaced: filters take them as progressive" in filtered.notes
    assert not any("interlaced" in note for note in process(tmp_path / "in.y4m", tmp_path / "b.mkv").notes)
    for vf, told in (("hflip,scale=32x16", True), ("yadif,scale=32x16", False), ("denoise,yadif,sharpen", False)):
        notes = process(tmp_path / "in.y4m", tmp_path / "c.mkv", vf, overwrite=True).notes
        assert any("filters take them as progressive" in note for note in notes) == told


def test_frames_limit(clip, tmp_path):
    assert process(clip, tmp_path / "out.mkv", frames=2).frames_in == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt(), FormatError("bad"), RuntimeError("worse")], ids=repr)
def test_any_error_removes_the_unfinished_output(clip, tmp_path, error):
    with pytest.raises(type(error)):
        process(clip, tmp_path / "out.mkv", Pipeline([Failing(error)], device="cpu"))
    assert [path.name for path in tmp_path.iterdir()] == ["in.mkv"]


def test_an_interrupted_job_keeps_the_file_it_was_to_replace(clip, tmp_path):
    (tmp_path / "out.mkv").write_bytes(b"precious")
    with pytest.raises(KeyboardInterrupt):
        process(clip, tmp_path / "out.mkv", Pipeline([Failing(KeyboardInterrupt())], device="cpu"), overwrite=True)
    assert (tmp_path / "out.mkv").read_bytes() == b"precious"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"vf": "scale=0x0"}, StateError),
        ({"vf": None}, StateError),
        ({"device": "gpu"}, DeviceError),
        ({"threads": 0}, DeviceError),
        ({"threads": 1.5}, DeviceError),
        ({"frames": 1.5}, StateError),
        ({"frames": True}, StateError),
        ({"frames": 0}, StateError),
        ({"codec": "h999"}, MediaError),
        ({"pix_fmt": "yuv999"}, MediaError),
    ],
    ids=[
        "filter",
        "no text",
        "device",
        "threads",
        "part of a thread",
        "part of a frame",
        "bool",
        "no frame",
        "codec",
        "pixel format",
    ],
)
def test_bad_options(clip, tmp_path, options, error):
    with pytest.raises(error):
        process(clip, tmp_path / "out.mkv", **options)
    assert [path.name for path in tmp_path.iterdir()] == ["in.mkv"]


def test_input_and_output_may_not_be_one_file(clip):
    before = clip.read_bytes()
    with pytest.raises(MediaError):
        process(clip, clip, overwrite=False)
    assert clip.read_bytes() == before
