"""A plan says what a job would do: it agrees with the job, and leaves nothing on the disk."""

import os
from fractions import Fraction
from pathlib import Path

import av
import pytest
from support.clips import random_pictures, write_clip
from support.media import gray_ramp, write_video

import texsamp as ts
from texsamp.errors import MediaError, StateError


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def add_sound(container, _):
        add_sound.stream = container.add_stream("flac", rate=48000, layout="stereo")

    def play(container):
        frame = av.AudioFrame(format="s16", layout="stereo", samples=4800)
        frame.sample_rate, frame.pts, frame.time_base = 48000, 0, Fraction(1, 48000)
        for plane in frame.planes:
            plane.update(bytes(plane.buffer_size))
        for item in (frame, None):
            container.mux(add_sound.stream.encode(item))

    pictures = [gray_ramp(64, 48, n) for n in range(30)]
    path = tmp_path_factory.mktemp("source") / "in.mkv"
    return write_video(path, pictures, setup=add_sound, before_close=play, options={"preset": "ultrafast"})


JOBS = [
    ("out.mp4", "scale=iw/2:-2,hflip", {}),
    ("out.webm", "deinterlace=rate=field:deint=all:parity=tff", {"crf": 40}),
    ("out.mkv", "fps=10,crop=32:16", {"lossless": True}),
    ("out.mkv", "", {"bitrate": "200k", "two_pass": True, "preset": "ultrafast", "copy_only": True}),
    ("out.mxf", "", {}),
    ("out.m3u8", "scale=32x32", {"codec": "libx265"}),
    ("out.y4m", "transpose=clock", {}),
    ("out_%02d.png", "scale=20x10", {"frames": 2}),
]


@pytest.mark.parametrize(("name", "vf", "options"), JOBS, ids=[name for name, _, _ in JOBS])
def test_the_job_does_what_the_plan_says(tmp_path: Path, source: Path, name: str, vf: str, options: dict) -> None:
    plan = ts.plan(source, tmp_path / name, vf, "cpu", **options)
    assert os.listdir(tmp_path) == []
    assert (plan.input.width_px, plan.input.height_px, plan.input.frame_rate, plan.input.codec) == (64, 48, 25, "h264")
    assert len(plan.filters) == len(ts.Pipeline.parse(vf, "cpu").stages)
    result = ts.process(source, tmp_path / name, vf, "cpu", **options)
    assert set(plan.notes) <= set(result.notes)
    made = next(tmp_path / file for file in sorted(os.listdir(tmp_path)))
    assert plan.output is not None
    with av.open(made) as container:
        video = container.streams.video[0]
        context = video.codec_context
        assert (context.width, context.height) == (plan.output.width_px, plan.output.height_px)
        assert av.Codec(plan.output.codec, "w").canonical_name == context.codec.canonical_name
        assert context.pix_fmt in (plan.output.pix_fmt, plan.output.pix_fmt.replace("yuvj", "yuv"))
        if "png" not in name:
            assert video.guessed_rate == plan.output.frame_rate
        kept = [stream for stream in plan.output.streams if stream.kind == "audio" and stream.fate != "dropped"]
        assert len(container.streams.audio) == len(kept)
        for stream, fate in zip(container.streams.audio, kept, strict=True):
            expected = stream.codec_context.codec.canonical_name
            words = fate.fate.split()
            assert (fate.codec if words == ["copied"] else av.Codec(words[-1], "w").canonical_name) == expected


def test_every_filter_is_shown_with_what_leaves_it(source: Path, tmp_path: Path) -> None:
    plan = ts.plan(source, tmp_path / "a.mkv", "scale=32x24,fps=50,lavfi='format=gray'", "cpu")
    found = [(step.text, step.layout, step.width_px, step.height_px, step.frame_rate) for step in plan.filters]
    assert found == [
        ("scale=32x24", "yuv420p", 32, 24, 25),
        ('lavfi="fps=50"', "yuv420p", 32, 24, 50),
        ('lavfi="format=gray"', "gray", 32, 24, 50),
    ]


def test_what_the_job_would_refuse_the_plan_refuses(source: Path, tmp_path: Path) -> None:
    (tmp_path / "kept.mkv").write_text("mine")
    with pytest.raises(MediaError, match="exists already"):
        ts.plan(source, tmp_path / "kept.mkv")
    with pytest.raises(StateError, match="two passes divide a bitrate"):
        ts.plan(source, tmp_path / "a.mkv", two_pass=True)
    with pytest.raises(MediaError, match=r"cannot encode 64x48 yuv420p.*preset"):
        ts.plan(source, tmp_path / "a.mkv", preset="warp")
    with pytest.raises(StateError, match="do not take 64x48"):
        ts.plan(source, tmp_path / "a.mkv", "crop=100:100")
    assert os.listdir(tmp_path) == ["kept.mkv"]


def test_filters_that_give_no_frame_at_first_leave_the_output_open(source: Path, tmp_path: Path) -> None:
    plan = ts.plan(source, tmp_path / "a.mkv", "select=0,hflip", "cpu")
    assert (plan.filters, plan.output) == ((), None)
    assert plan.notes == ("the first 16 frames give no frame",)


def test_input_without_sound(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "a.mkv", random_pictures(3, (32, 16), seed=1))
    plan = ts.plan(clip, tmp_path / "b.mkv")
    assert plan.output is not None
    assert [(s.index, s.kind, s.fate) for s in plan.output.streams] == [(0, "video", "processed")]
