"""What notebooks show: pictures and tables of values, and the cells of docs/notebooks as they were run."""

from __future__ import annotations

import base64
import importlib.util
import io
import json
import re
from pathlib import Path

import imageio.v3 as imageio
import numpy as np
import pytest

import texsamp as ts
from texsamp.batch import BatchResult
from texsamp.batch.job import JobOutcome
from texsamp.draw import draw_quad, quad_sampler
from texsamp.io import pattern_clip
from texsamp.process import ProcessResult, ProcessSeconds
from texsamp.quality import Comparison
from texsamp.quality.comparison import PlaneScores
from texsamp.replay.job import ReplayedPicture
from texsamp.report import ReportPage

DOCS = Path(__file__).resolve().parent.parent / "docs"
HOSTILE = "<script>alert(1)</script>\"'&"


def maker():
    spec = importlib.util.spec_from_file_location("notebooks_make", DOCS / "notebooks" / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def picture(png):
    return imageio.imread(io.BytesIO(png))


def in_html(html):
    return picture(base64.b64decode(re.search(r"base64,([^\"]+)", html)[1]))


@pytest.mark.parametrize("path", sorted((DOCS / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_show_what_is_kept_in_them(path):
    kept = json.loads(path.read_text())
    found = maker().run(kept)
    for cell, again in zip(kept["cells"], found["cells"], strict=True):
        for before, after in zip(cell.get("outputs", []), again.get("outputs", []), strict=True):
            data, made = before.get("data", {}), after.get("data", {})
            pictures = [base64.b64decode(each["image/png"]) for each in (data, made) if "image/png" in each]
            assert len(pictures) in (0, 2)
            if pictures:  # packed by another zlib they are other bytes
                assert np.array_equal(*map(picture, pictures))
            beside = {"image/png": "", **({"text/plain": ""} if "text/html" in data else {})}  # words may tell seconds
            plain = [{**each, **beside} for each in (data, made)]
            assert plain[0] == plain[1]
            assert before.get("text") == after.get("text")
    assert sum(bool(cell.get("outputs")) for cell in kept["cells"]) >= 4
    assert path.stat().st_size < 160 << 10


def test_frames_are_pictures():
    frame = next(iter(pattern_clip(40, 24, 1)))
    assert np.array_equal(picture(frame._repr_png_()), frame.to_rgb())
    assert np.array_equal(in_html(frame._repr_html_()), frame.to_rgb())


@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "R8G8B8A8_UNORM_SRGB"])
def test_surfaces_are_pictures_of_their_slices(format):
    texels = np.full((6, 8, 8, 4), 255, np.uint8)
    texels[..., :3] = np.arange(6)[:, None, None, None] * 40
    surface = ts.Surface.from_array(texels, format, type="CUBE", mips="box", device="cpu")
    shown = np.hstack(list(np.asarray(surface)))[..., :3]
    assert np.array_equal(picture(surface._repr_png_()), shown)
    assert np.array_equal(in_html(surface._repr_html_()), shown)
    multisample = ts.Surface.from_array(texels[0][None].repeat(4, 0), samples=4, tiling="Y", device="cpu")
    assert picture(multisample._repr_png_()).shape == (8, 8, 3)
    buffer = ts.Surface.from_array(np.zeros((5, 4), np.uint8), type="BUFFER", device="cpu")
    assert buffer._repr_png_() is None
    assert "Surface BUFFER" in buffer._repr_html_()


def test_coordinates_and_drawings_are_pictures():
    grid = ts.quad_grid((32, 16), "perspective=0:0.9", device="cpu")
    shown = picture(grid._repr_png_())
    assert not shown[~grid.visible].any()
    assert np.array_equal(shown[grid.inside][:, 0], np.round(255 * grid.u[grid.inside].clip(0, 1)))
    images = ts.Surface.from_array(np.full((4, 4, 4), 255, np.uint8), device="cpu").images()
    drawing = draw_quad(images, quad_sampler("nearest"), (32, 16), device="cpu")
    assert in_html(drawing._repr_html_()).shape == (16, 32, 3)


def test_states_are_tables_of_their_fields():
    html = ts.Sampler(mip_filter="linear").state._repr_html_()
    assert re.search(r"<th[^>]*>mip_filter</th><th[^>]*>LINEAR", html)
    assert re.search(r"<td[^>]*>min_filter</td>|<th[^>]*>min_filter</th>", html)


def test_results_are_tables_and_their_words_are_text(tmp_path):
    (tmp_path / "a.png").write_bytes(next(iter(pattern_clip(8, 8, 1)))._repr_png_())
    values = [
        ProcessResult(HOSTILE, 3, 6, ProcessSeconds(1, 1, 1, 0, 3), (HOSTILE,)),
        BatchResult((JobOutcome(ts.Job("a", HOSTILE), error=HOSTILE),)),
        ReplayedPicture(HOSTILE, tmp_path / "a.raw", tmp_path / "a.png", False, ()),
        Comparison(3, {HOSTILE: PlaneScores(30.5, 20.25, 1, 0.5, 0.25, 2)}),
    ]
    for value in values:
        html = value._repr_html_()
        assert "<script" not in html
        assert "&lt;script&gt;" in html
    assert re.findall(r"<td[^>]*>([\d.]+)</td>", html) == ["30.500", "20.250", "1", "0.50000", "0.25000", "2"]


def test_reports_are_framed_by_themselves(tmp_path):
    (tmp_path / "r.html").write_text(f"<p title='\"'>{HOSTILE}</p>")
    html = ReportPage(tmp_path / "r.html")._repr_html_()
    assert html.count("<") == 2 and 'sandbox="allow-scripts"' in html
    with pytest.raises(ts.MediaError, match="cannot be read"):
        ReportPage(tmp_path / "none.html")._repr_html_()
