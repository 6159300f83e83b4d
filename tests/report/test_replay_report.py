"""Reports of replayed cases: pictures and differences, commands with what they used, kernels; also in a browser."""

from __future__ import annotations

import json
import re
from html import unescape

import numpy as np
import pytest
from support.browser import Browser, needs_browser
from texsamp.cli.main import app
from typer.testing import CliRunner

from texsamp.emulator.drawing import Draw
from texsamp.errors import MediaError
from texsamp.replay import replay
from texsamp.report.replayed import ReplayReport, Row
from texsamp.sampler.sampler import Sampler
from texsamp.surface.surface import Surface

KERNEL = """
    pln (16) r120.0<1>:f r6.0<0;1,0>:f r2.0<8;8,1>:f
    pln (16) r122.0<1>:f r6.4<0;1,0>:f r2.0<8;8,1>:f
    send (16) r112.0<1>:ud r120.0<8;8,1>:ud sampler 0x08840001:ud
    send (16) null:ud r112.0<8;8,1>:ud render_cache 0x10031000:ud {EOT}
"""
HOSTILE = "<script>alert(1)&'\".g7cap"


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    """A draw of a texture under a hostile name, its picture, and one that is expected and differs in one byte."""
    pytest.importorskip("jinja2")
    folder = tmp_path_factory.mktemp("replayed")
    texture = Surface.from_array(np.arange(1024, dtype=np.uint8).reshape(16, 16, 4), tiling="X", device="cpu")
    target = Surface.from_array(np.zeros((20, 24, 4), np.uint8), tiling="Y", device="cpu")
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    draw = Draw(KERNEL, target, [corners, corners], topology="TRIFAN", surfaces=[texture], samplers=[Sampler()])
    (folder / HOSTILE).write_bytes(draw.submission().to_bytes())
    (made, *_) = replay([folder / HOSTILE], folder / "plain")
    data = bytearray(made.raw.read_bytes())
    data[4 * (24 * 7 + 5)] ^= 0x80
    (folder / "expected").mkdir()
    (folder / "expected" / made.raw.name).write_bytes(data)
    replay([folder / HOSTILE], folder / "out", expect=folder / "expected", report=folder / "report.html")
    return folder


def test_pictures_commands_states_and_kernels_are_there(case):
    html = (case / "report.html").read_text()
    (frame,) = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1])
    assert (frame["width"], frame["height"], frame["overview"]) == (24, 20, "")
    assert frame["reference"] != frame["distorted"]
    text = unescape(re.sub("<[^>]*>", " ", html))
    assert "plane 0 differs first at byte 20 of row 7" in text
    work = [row for row in html.split("<tr")[1:] if 'class="work"' in row.partition(">")[0]]
    assert len(work) == 1
    assert "3DPRIMITIVE" in work[0]
    assert "2 primitives, 120 pixels" in work[0]
    used = {number: text for number, text in re.findall(r'<dt id="(s\d+)">.*?<code>(.*?)</code>', html, re.DOTALL)}
    linked = [used[name] for name in re.findall(r'href="#(s\d+)"', work[0])]
    assert any("RENDER_SURFACE_STATE" in each and "width=16" in each for each in linked)
    assert any("SAMPLER_STATE" in each for each in linked)
    (kernel,) = re.findall(r'href="#(k\d+)"', work[0])
    listing = (
        unescape(re.search(rf'<details id="{kernel}">.*?<pre>(.*?)</pre>', html, re.DOTALL)[1]).strip("\n").split("\n")
    )
    assert listing[0].split()[:3] == ["0", "pln", "(16)"]
    assert "sampler 0x08840001:ud" in listing[2]


def test_names_are_text_and_nothing_comes_from_outside(case):
    html = (case / "report.html").read_text()
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert not re.search(r"https?://|src=[\"'](?!data:)|@import|url\(", html)


def test_the_command_writes_a_report_once(case, tmp_path):
    command = ["replay", str(case / HOSTILE), "--out", str(tmp_path / "out"), "--report", str(tmp_path / "r.html")]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert '"reference": null' in (tmp_path / "r.html").read_text()
    with pytest.raises(MediaError, match="exists already"):
        replay([case / HOSTILE], tmp_path / "out", report=tmp_path / "r.html")
    assert CliRunner().invoke(app, [*command, "-y"]).exit_code == 0
    (case / "broken.g7cap").write_bytes(b"?")
    assert CliRunner().invoke(app, [*command[:1], str(case / "broken.g7cap"), *command[2:4], "--report",
                                    str(tmp_path / "b.html")]).exit_code != 0  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "r.html"]


def test_long_cases_stay_small():
    """100 pictures, 20,000 commands, kernels without end: below 3 MB."""
    report, rng = ReplayReport(), np.random.default_rng(1)
    picture = np.repeat(np.repeat(rng.integers(0, 256, (90, 160, 3), np.uint8), 4, axis=0), 4, axis=1)
    for number in range(100):
        made = picture if number < 9 else picture[:16, :16]
        report.add_picture(f"p{number}", "", made, np.roll(made, 1, axis=1) if number in (3, 7) else None)
    for number in range(20_000):
        did = "2 threads" if number % 3 == 0 else ""
        report.add_command(Row("case_000.g7cap", number, "PIPE_CONTROL", "cs_stall=True " * 4, did, 0.1, (), (), ()))
        if number < 5000:
            report.state(f"surface {number}: RENDER_SURFACE_STATE " + "width=64 " * 20)
    report.kernel("long", [f"{16 * n:6x} mov (16) r10.0<1>:d r12.0<8;8,1>:d" for n in range(20_000)])
    html = report.html("long", "", ())
    assert len(html) < 3_000_000
    for said in ("20000 were executed. 1500 of them", "first 600 of 5000", "12000 more: texsamp inspect --kernels"):
        assert said in re.sub(r"\s+", " ", html)


@needs_browser
def test_a_browser_shows_what_the_controls_say(case, tmp_path):
    browser = Browser(tmp_path)
    document = browser.document(case / "report.html", "mode=difference&zoom=4&gain=1")
    assert 'data-drawn="difference"' in document
    assert ": 24x20 pixels from x 0, y 0 of 24x20." in document
