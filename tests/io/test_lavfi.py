"""FFmpeg's filters inside a pipeline: what they do to pictures, size, rate, time and tags, and what is refused."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import av
import numpy as np
import pytest
from support.media import random_frame, random_frames

import texsamp as ts
from texsamp.errors import StateError
from texsamp.io.lavfi import split_chain
from texsamp.video import foreign


def run(text: str, frames: list[ts.Frame]) -> list[ts.Frame]:
    return list(ts.Pipeline.parse(text, "cpu")(frames))


def planes(frame: ts.Frame) -> list[np.ndarray[Any, Any]]:
    return [np.asarray(plane) for plane in frame.to_arrays()]


FLIPPED = {"hflip": np.s_[:, ::-1], "vflip": np.s_[::-1, :]}


@pytest.mark.parametrize("name", FLIPPED)
@pytest.mark.parametrize("layout", ["yuv420p", "yuv444p10le", "gray", "gray10le"])
def test_a_filter_runs_by_its_own_name_and_keeps_the_layout(name: str, layout: str) -> None:
    frames = random_frames(layout, 36, 20, 3)
    results = run(name, frames)
    for before, after in zip(frames, results, strict=True):
        assert after.layout is before.layout
        assert (after.pts, after.duration, after.time_base) == (before.pts, before.duration, before.time_base)
        for a, b in zip(planes(before), planes(after), strict=True):
            np.testing.assert_array_equal(a[FLIPPED[name]], b)


@pytest.mark.parametrize("text", ["crop=16:8:4:2", "lavfi='crop=16:8:4:2'", 'lavfi="crop=w=16:h=8:x=4:y=2"'])
def test_both_ways_of_writing_it(text: str) -> None:
    frame = random_frame("yuv444p", 36, 20)
    (result,) = run(text, [frame])
    for before, after in zip(planes(frame), planes(result), strict=True):
        np.testing.assert_array_equal(before[2:10, 4:20], after)


def test_stages_of_both_kinds_in_a_row() -> None:
    frames = random_frames("yuv420p", 64, 48, 2)
    text = "scale=32x24,lavfi='hflip,vflip',hflip,vflip,sharpen=20,pad=40:30"
    results = run(text, frames)
    assert [(f.width_px, f.height_px) for f in results] == [(40, 30)] * 2
    expected = run("scale=32x24,sharpen=20", frames)
    np.testing.assert_array_equal(planes(results[0])[0][:24, :32], planes(expected[0])[0])


def test_rate_and_time_change_and_the_end_is_flushed() -> None:
    frames = random_frames("yuv420p", 16, 16, 5)
    doubled = run("fps=50", frames)
    assert [f.pts * f.time_base for f in doubled] == [Fraction(n, 50) for n in range(10)]
    assert {f.duration * f.time_base for f in doubled} == {Fraction(1, 50)}
    backwards = run("reverse", frames)
    assert all(np.array_equal(a, b) for a, b in zip(planes(backwards[0]), planes(frames[-1]), strict=True))
    third = run("select='not(mod(n,3))'", frames)
    assert [f.pts for f in third] == [0, 3]
    assert run("select=0", frames) == []


def test_a_pipeline_runs_again_over_the_next_stream() -> None:
    pipeline = ts.Pipeline.parse("fps=50", "cpu")
    for _ in range(2):
        assert len(list(pipeline(random_frames("yuv420p", 16, 16, 3)))) == 6


def test_sizes_that_change_within_a_stream() -> None:
    frames = [random_frame("gray", 20, 10, pts=0, duration=1, time_base=Fraction(1, 25)),
              random_frame("gray", 30, 12, pts=1, duration=1, time_base=Fraction(1, 25))]  # fmt: skip
    assert [(f.width_px, f.height_px) for f in run("transpose=clock", frames)] == [(10, 20), (12, 30)]


def test_aspect_color_fields_and_hdr_are_carried() -> None:
    color = ts.ColorTags(9, 9, 16, False, 3)
    (frame,) = random_frames(
        "yuv420p10le", 32, 16, 1, color=color, sample_aspect=Fraction(4, 3), interlaced=True, top_field_first=False
    )
    (result,) = run("null", [frame])
    assert (result.color, result.sample_aspect, result.layout) == (color, Fraction(4, 3), frame.layout)
    assert (result.interlaced, result.top_field_first) == (True, False)
    (turned,) = run("transpose=clock", [frame])
    assert (turned.sample_aspect, turned.width_px) == (Fraction(3, 4), 16)
    (reset,) = run("setsar=1,setfield=prog", [frame])
    assert (reset.sample_aspect, reset.interlaced) == (1, False)
    (unknown,) = run("hflip", [random_frame("gray", 4, 4)])
    assert unknown.sample_aspect is None


def test_each_frame_keeps_what_is_known_of_it_whatever_its_new_place() -> None:
    frames = random_frames("yuv420p", 16, 16, 4)
    frames = [replace(f, damaged=n == 1, statistics={"number": n}) for n, f in enumerate(frames)]
    assert [f.statistics["number"] for f in run("reverse", frames)] == [3, 2, 1, 0]
    assert [f.damaged for f in run("select='gte(n,1)',scale=8x8", frames)] == [True, False, False]


def test_a_conversion_by_ffmpeg_is_noted() -> None:
    pipeline = ts.Pipeline.parse("lavfi='format=gray'", "cpu")
    (result,) = pipeline(random_frames("yuv420p", 16, 16, 1))
    assert result.layout.name == "gray"
    assert pipeline.stages[0].notes == ("FFmpeg's filters 'format=gray' make gray of yuv420p",)
    kept = ts.Pipeline.parse("lutyuv=y=val+8", "cpu")
    assert next(kept(random_frames("yuv420p", 16, 16, 1))).layout.name == "yuv420p"
    assert not [note for note in kept.stages[0].notes if "make" in note]


REFUSED = [
    ("lavfi=nonsense", "this FFmpeg has no filter 'nonsense'"),
    ("lavfi=croop=3", r"this FFmpeg has no filter 'croop' \(did you mean 'crop'\?\)"),
    ("lavfi=nnedi3x,hflip", "this FFmpeg has no filter 'nnedi3x'"),
    ("lavfi=ivtc", "this FFmpeg has no filter 'ivtc'; texsamp's own is deinterlace=film=auto:rate=film"),
    ("resize=3", "unknown filter 'resize': known are .*; texsamp's own is scale=1280x720"),
    ("crop=foo=3", "FFmpeg's filter 'crop' does not take 'foo=3': No such option: foo"),
    ("overlay", "FFmpeg's filter 'overlay' is not one with one video in and one out"),
    ("split", "is not one with one video in and one out"),
    ("volume=2", "is not one with one video in and one out"),
    ("color=red", "is not one with one video in and one out"),
    ("lavfi='[in]hflip[out]'", r"one input and one output: found '\['"),
    ("lavfi='hflip;vflip'", "one input and one output: found ';'"),
    ("lavfi='hflip,,vflip'", "a filter without a name"),
    ("lavfi=", "a filter without a name"),
    ("lavfi='hflip", "a quote ' does not end"),
    ("lut3d=look.png", "filter 'lut3d': file must be the name of a .cube file, found 'look.png'"),
    ("scal=3", r"unknown filter 'scal': known are denoise, .*any of FFmpeg's.*\(did you mean 'scale'\?\)"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[text for text, _ in REFUSED])
def test_what_cannot_run_is_refused_before_any_frame(text: str, message: str) -> None:
    with pytest.raises(StateError, match=message) as caught:
        ts.Pipeline.parse(text, "cpu")
    assert "\n" not in str(caught.value)


def test_pictures_that_do_not_fit_are_refused_with_ffmpegs_reason() -> None:
    with pytest.raises(StateError, match=r"FFmpeg's filters 'crop=100:100' do not take 16x16 yuv420p: Invalid too big"):
        run("crop=100:100", random_frames("yuv420p", 16, 16, 1))


def test_ffmpegs_quoting_is_undone_once() -> None:
    assert split_chain(r"select='not(mod(n\,3))',drawtext=text=a\,b\\:c , hflip") == [
        ("select", r"not(mod(n\,3))"),
        ("drawtext", r"text=a,b\:c"),
        ("hflip", ""),
    ]


def test_explain_says_whose_it_is() -> None:
    text = ts.Pipeline.parse("scale=32x18,crop=16:16,lavfi='negate,hflip'", "cpu").describe()
    assert 'lavfi="crop=16:16"\n  FFmpeg         crop: Crop the input video (libavfilter ' in text
    assert "  FFmpeg         hflip: Horizontally flip the input video (libavfilter " in text


def test_ffmpegs_form_of_a_filter_of_ours_runs_with_a_word_about_ours() -> None:
    (stage,) = ts.Pipeline.parse("yadif", "cpu").stages
    assert stage.notes == ("FFmpeg's yadif runs; texsamp's own is deinterlace",)


@pytest.mark.parametrize("name", sorted(foreign.OURS_INSTEAD))
def test_every_suggestion_runs(name: str) -> None:
    stages = ts.Pipeline.parse(foreign.OURS_INSTEAD[name], "cpu").stages
    assert not isinstance(stages[0], ts.Lavfi)


def test_the_stage_can_be_made_in_python() -> None:
    frame = random_frame("gray", 8, 4)
    (result,) = ts.Pipeline([ts.Lavfi("hflip")], "cpu")([frame])
    np.testing.assert_array_equal(planes(result)[0], planes(frame)[0][:, ::-1])
    assert "hflip" in av.filter.filters_available
