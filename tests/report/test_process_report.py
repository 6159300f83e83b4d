"""Reports of processed videos: both videos over time, pairs of frames, and nothing left behind by jobs that fail."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from support.browser import Browser, needs_browser
from support.media import av_picture, write_video

from texsamp.errors import FormatError, MediaError
from texsamp.process import process
from texsamp.report.processed import ProcessReport

NAME = "<script>alert(1)<&'\".mkv"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    pytest.importorskip("jinja2")
    made = tmp_path_factory.mktemp("processed")
    write_video(made / NAME, [av_picture("yuv420p", 96, 64, seed) for seed in range(10)], codec="ffv1")
    process(made / NAME, made / "out.mkv", "procamp=brightness=20", lossless=True, report=made / "report.html")
    return made


def data_of(html):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1])


def test_both_videos_are_there_over_time_and_as_pairs(folder):
    html = (folder / "report.html").read_text()
    assert [frame["label"] for frame in data_of(html)] == [f"Frame {number}" for number in (0, 2, 4, 6, 8)]
    assert all(frame["reference"] and frame["reference"] != frame["distorted"] for frame in data_of(html))
    for name in ("Motion", "Noise", "Levels of the source", "Levels of what was made"):
        assert f"{name} over time" in html
    assert "10 in, 10 out" in html and "procamp" in html
    assert "<script>alert" not in html and "&lt;script&gt;alert(1)" in html
    assert not re.search(r"https?://|src=[\"'](?!data:)|@import|url\(", html)


def test_frames_of_other_sizes_and_times_stand_alone():
    report, small, large = ProcessReport(), np.zeros((4, 4, 3), np.uint8), np.ones((8, 8, 3), np.uint8)
    for number in range(30):
        report.add_source(small[..., 0], 8, number if number < 3 else None, lambda: small)
        report.add_made(small[..., 0], 8, number, lambda n=number: large if n == 1 else small)
    pairs = data_of(report.html("t", ("a", "b"), (), ()))
    assert [pair["label"] for pair in pairs] == [f"Frame {number}" for number in range(0, 30, 4)]
    assert [pair["reference"] is not None for pair in pairs] == [True, *[False] * 7]


def test_jobs_that_fail_leave_no_report(folder, tmp_path):
    with pytest.raises(MediaError, match="exists already"):
        process(folder / NAME, tmp_path / "o.mkv", report=folder / "report.html")
    with pytest.raises(MediaError, match="the report is to be written over the video"):
        process(folder / NAME, tmp_path / "o.mkv", report=tmp_path / "o.mkv")
    with pytest.raises((MediaError, FormatError)):
        process(folder / NAME, tmp_path / "o.mkv", codec="nothing", report=tmp_path / "r.html")
    assert not list(tmp_path.iterdir())


@needs_browser
def test_a_browser_shows_it(folder, tmp_path):
    assert 'data-drawn="flicker"' in Browser(tmp_path).document(folder / "report.html", "mode=flicker")
