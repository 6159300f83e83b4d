"""Frames of files by number and time are those that iterating gives; pipes have neither; whole videos as arrays."""

from __future__ import annotations

import itertools
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import av
import numpy as np
import pytest

import texsamp as ts
from texsamp.io import pattern_clip

ENCODINGS = {
    "open.mkv": {"codec": "libx264", "gop": 12},  # times rounded to milliseconds, B-frames
    "b.mp4": {"codec": "libx264", "gop": 9},
    "field.ts": {"codec": "mpeg2video"},  # counted by decoding
    "intra.avi": {"codec": "mjpeg"},
    "vp9.webm": {"codec": "libvpx-vp9"},  # hidden pictures
    "plain.y4m": {},
    "picture_%03d.png": {},
}


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    for name, encoding in ENCODINGS.items():
        with ts.VideoWriter(folder / name, **encoding) as writer:
            for frame in pattern_clip(64, 48, frames=40):
                writer.write(frame)
    return folder


def same(found, expected):
    return found.pts == expected.pts and all(map(np.array_equal, found.to_arrays(), expected.to_arrays()))


@pytest.mark.parametrize("name", ENCODINGS)
def test_frames_by_number_are_those_of_the_iteration(clips, name):
    with ts.VideoReader(clips / name) as reader:
        assert len(reader) == 40
        third = [next(reader) for _ in range(3)][2]
        assert same(reader[2], third)
        expected = list(ts.VideoReader(clips / name))
        for number in (39, 0, 13, 14, -1, -27):
            assert same(reader[number], expected[number]), number
        assert same(next(reader), expected[3]), "the iteration has moved"
        for part in (slice(5, 9), slice(None, None, -13), slice(38, 99), slice(4, 4)):
            assert [f.pts for f in reader[part]] == [f.pts for f in expected[part]]
        for number in (40, -41):
            with pytest.raises(IndexError, match=rf"0 to 39, or -1 to -40 from the end, found {number}"):
                reader[number]


@pytest.mark.parametrize("name", ["open.mkv", "field.ts", "plain.y4m"])
def test_at_is_the_frame_that_is_shown_then(clips, name):
    with ts.VideoReader(clips / name) as reader:
        for time_s, number in ((0, 0), (0.038, 0), (0.04, 1), (Fraction(1, 2), 12), (0.53, 13), (1.59, 39)):
            assert same(reader.at(time_s), reader[number]), time_s
        with pytest.raises(ts.StateError, match=r"the last frame ends at 1\.600 s, found 1\.7 s"):
            reader.at(1.7)
        with pytest.raises(ts.StateError, match="must not be negative"):
            reader.at(-1)


@pytest.mark.parametrize("name", ["b.mp4", "field.ts"])
def test_threads_share_a_reader(clips, name):
    expected = list(ts.VideoReader(clips / name))
    numbers = np.random.default_rng(5).integers(0, 40, 60)
    with ts.VideoReader(clips / name) as reader, ThreadPoolExecutor(4) as threads:
        for number, found in zip(numbers, threads.map(reader.__getitem__, numbers), strict=True):
            assert same(found, expected[number]), number


def test_a_part_has_its_own_numbers(clips):
    whole = list(ts.VideoReader(clips / "b.mp4"))
    with ts.VideoReader(clips / "b.mp4", start_s=0.4, duration_s=0.4) as reader:
        assert len(reader) == 10
        assert same(reader[0], whole[10])
        assert same(reader[9], whole[19])
        assert same(reader.at(0.5), whole[12])
        with pytest.raises(ts.StateError, match="no frame is shown yet"):
            reader.at(0.1)
    with ts.VideoReader(clips / "b.mp4", max_frames=7) as reader:
        assert (len(reader), same(reader[-1], whole[6])) == (7, True)


def test_a_pipe_has_no_length_and_no_numbers(clips, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    if not (child := os.fork()):
        with open(clips / "plain.y4m", "rb") as source, open(pipe, "wb") as target:
            shutil.copyfileobj(source, target)
        os._exit(0)
    with ts.VideoReader(pipe) as reader:
        for ask in (len, lambda it: it[0], lambda it: it.at(0)):
            with pytest.raises(TypeError, match="is a pipe, which is read once"):
                ask(reader)
        assert bool(reader)
        assert len(list(reader)) == 40
    os.waitpid(child, 0)


def test_listing_frames_decodes_them_once(clips):
    with ts.VideoReader(clips / "field.ts") as reader:
        begun = iter(reader)
        with pytest.raises(TypeError, match="ask before iterating"):
            len(reader)
        assert len(list(begun)) == 40


def test_rgb_frames_are_displayed_ones(clips):
    with ts.VideoReader(clips / "b.mp4", rgb=True) as reader:
        assert reader.layout.name == "rgb24"
        for made, plain in zip(reader, ts.VideoReader(clips / "b.mp4"), strict=True):
            assert np.array_equal(made.planes[0].reshape(48, 64, 3), plain.to_rgb())
        assert reader[20].layout.name == "rgb24"


def test_progress_gives_the_frames_and_draws_for_people_only(clips, monkeypatch, capsys):
    with ts.VideoReader(clips / "b.mp4") as reader:
        assert len(list(ts.progress(reader))) == 40
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich knows the terminal by itself
    with ts.VideoReader(clips / "b.mp4") as reader:
        assert len(list(ts.progress(reader, label="frames of b"))) == 40
    drawn = capsys.readouterr().err
    assert "frames of b" in drawn
    assert "40/40" in drawn
    assert list(ts.progress(iter([1, 2]))) == [1, 2]


class TestArrays:
    def test_what_is_written_is_read(self, tmp_path):
        pictures = np.random.default_rng(1).integers(0, 256, (5, 6, 8, 3), dtype=np.uint8)
        path = tmp_path / "a.mkv"
        assert ts.write_frames(path, pictures, 50, codec="ffv1", pix_fmt="bgr0") == 5
        assert np.array_equal(ts.read_frames(path), pictures)
        assert np.array_equal(ts.read_frames(path, start_s=0.04, max_frames=2), pictures[2:4])
        with av.open(path) as container:
            assert container.streams.video[0].average_rate == 50

    def test_frames_keep_their_times(self, tmp_path):
        ts.write_frames(tmp_path / "f.mp4", itertools.islice(pattern_clip(32, 16, frames=9, rate=10), 4))
        assert [f.pts * f.time_base for f in ts.VideoReader(tmp_path / "f.mp4")] == [Fraction(n, 10) for n in range(4)]

    def test_what_is_no_picture_is_refused_and_leaves_no_file(self, tmp_path):
        good = np.zeros((4, 4, 3), np.uint8)
        for wrong, found in (
            (np.zeros((4, 4), np.uint8), r"uint8 \(4, 4\)"),
            (good / 2, "float64"),
            ("words", "picture 1"),
        ):
            with pytest.raises(ts.FormatError, match=found):
                ts.write_frames(tmp_path / "a.mkv", [good, wrong])
            assert not list(tmp_path.iterdir())
        for rate in (0, -1, 1001, "25"):
            with pytest.raises(ts.StateError, match="frame_rate must be above 0 to 1000"):
                ts.write_frames(tmp_path / "a.mkv", [good], rate)
