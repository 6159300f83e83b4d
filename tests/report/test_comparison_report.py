"""Reports of comparisons: what they hold, that nothing in them comes from outside, and that a browser can use them."""

from __future__ import annotations

import json
import re
import resource
import sys
from html import unescape

import imageio.v3 as imageio
import numpy as np
import pytest
from support.browser import Browser, needs_browser
from support.media import av_picture, write_video
from texsamp.cli.main import app
from typer.testing import CliRunner

from texsamp.compare import compare
from texsamp.errors import DeviceError, MediaError
from texsamp.report.comparison import ComparisonReport
from texsamp.report.page import templates
from texsamp.report.worst import Worst, shown, worst_place

HOSTILE = "<script>alert(1)</script>&'\".mkv"
SIZE = (300, 270)


@pytest.fixture(scope="module")
def videos(tmp_path_factory):
    """A video, and the same with noise at one place of frame 3, under a hostile name."""
    folder = tmp_path_factory.mktemp("report")
    pictures = [av_picture("yuv420p", *SIZE, 7) for _ in range(6)]
    write_video(folder / "a.mkv", pictures, codec="ffv1")
    luma = np.frombuffer(pictures[3].planes[0], np.uint8).reshape(SIZE[1], -1)
    luma[200:260, 220:290] ^= 0x55
    write_video(folder / "b.mkv", pictures, codec="ffv1")
    (folder / "b.mkv").rename(folder / HOSTILE.replace("/", "_"))
    return folder, folder / "a.mkv", folder / HOSTILE.replace("/", "_")


@pytest.fixture(scope="module")
def report(videos):
    folder, reference, distorted = videos
    compare(reference, distorted, report=folder / "report.html")
    return folder / "report.html"


def data_of(html: str) -> list[dict]:
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1])


def test_the_worst_place_is_shown(report):
    (frame,) = data_of(report.read_text())
    assert (frame["frame"], frame["width"], frame["height"]) == (3, 256, 256)
    assert (frame["total_width"], frame["total_height"]) == SIZE
    assert frame["x"] <= 220 and frame["x"] + 256 >= 290
    assert frame["y"] <= 200 and frame["y"] + 256 >= 260


def test_names_are_text_and_nothing_comes_from_outside(report):
    html = report.read_text()
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert "default-src 'none'" in unescape(html)
    assert not re.search(r"https?://|src=[\"'](?!data:)|@import|url\(", html)


def test_worst_place_is_that_of_an_exhaustive_search():
    random = np.random.default_rng(2)
    for height, width, size in ((40, 70, 32), (20, 20, 32), (33, 64, 32)):
        a, b = (random.integers(0, 256, (height, width)).astype(np.uint8) for _ in range(2))
        x, y, columns, rows = worst_place(a, b, size)
        error = (a.astype(int) - b) ** 2
        lefts, tops = ({*range(0, max(end, 0) + 1, 16), max(end, 0)} for end in (width - size, height - size))
        sums = {(left, top): error[top : top + size, left : left + size].sum() for left in lefts for top in tops}
        assert (columns, rows) == (min(size, width), min(size, height))
        assert sums[x, y] == max(sums.values())


def test_the_worst_frames_are_kept_apart():
    worst = Worst(2, apart=5)
    image = np.zeros((4, 4, 3), np.uint8)
    for frame, psnr in [(0, 40.0), (2, 30.0), (9, 35.0), (10, 36.0), (20, 20.0), (30, 50.0)]:
        if worst.wants(frame, psnr):
            worst.add(shown(frame, psnr, image, image, (0, 0, 4, 4), whole=False))
    assert [(made.frame, made.psnr) for made in worst.frames()] == [(20, 20.0), (2, 30.0)]
    assert worst.wants(25, 25.0), "five frames behind the worst are far enough"
    assert not worst.wants(24, 25.0)


def test_long_videos_keep_the_worst_score_of_every_piece():
    report = ComparisonReport()
    for frame in range(5000):
        report.add_scores("Y", 20.0 if frame == 3333 else 40.0, 1.0)
    html = report.html("long", ("a", "b"), {}, ())
    heights = [float(point.split(",")[1]) for point in re.search(r'points="([^"]*)"', html)[1].split()]
    assert len(heights) <= 2000
    assert max(heights) == 160.0
    assert "Every sample is the same" in html


def test_the_command_writes_a_report_once(videos, tmp_path):
    _, reference, distorted = videos
    command = ["compare", "--ref", str(reference), "--dist", str(distorted), "--report", str(tmp_path / "r.html")]
    assert CliRunner().invoke(app, [*command, "--full-pictures"]).exit_code == 0
    (frame,) = data_of((tmp_path / "r.html").read_text())
    assert (frame["x"], frame["width"], frame["height"]) == (0, *SIZE)
    with pytest.raises(MediaError, match="exists already"):
        compare(reference, distorted, report=tmp_path / "r.html")
    assert CliRunner().invoke(app, [*command, "--exact"]).exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_a_full_disk_is_named_with_the_report(videos, tmp_path):
    """A limit on the size of files fails as a full disk does."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(MediaError, match=r"r\.html: cannot be written: File too large"):
            compare(*videos[1:], report=tmp_path / "r.html")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@needs_browser
def test_a_browser_shows_what_the_controls_say(report, tmp_path):
    browser = Browser(tmp_path)
    document = browser.document(report, "mode=difference&zoom=1&gain=1")
    assert 'data-drawn="difference"' in document
    assert "Frame 3: 256x256 pixels from x" in document
    plain, gained = (
        imageio.imread(browser.picture(report, f"mode=difference&zoom=1&gain={gain}")).astype(int) for gain in (1, 8)
    )
    assert plain.shape == gained.shape
    assert (plain != gained).sum() > 1000


def test_a_report_without_jinja2_is_refused_before_anything_is_compared(videos, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    templates.cache_clear()
    looked_at = []
    with pytest.raises(DeviceError, match=r"pip install 'texsamp\[report\]'"):
        compare(videos[1], videos[2], lambda *seen: looked_at.append(seen), report=videos[0] / "never.html")
    assert not looked_at
    assert not (videos[0] / "never.html").exists()
