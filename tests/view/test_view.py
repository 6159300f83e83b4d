"""Videos and textures in the browser: what the server answers and refuses, and that controls change pixels."""

from __future__ import annotations

import http.client
import io
import json
import threading
from contextlib import contextmanager
from fractions import Fraction
from urllib.parse import quote, urlsplit

import imageio.v3 as imageio
import numpy as np
import pytest
from support.browser import needs_browser
from support.devtools import Page
from support.media import av_picture, write_video
from texsamp.cli.main import app
from typer.testing import CliRunner

import texsamp as ts
from texsamp.video.filters import FILTERS
from texsamp.view import open_view
from texsamp.view.controls import chain_controls, filter_controls

HOSTILE = "<script>alert(1)</script>&'\"".replace("/", "_")
SIZE, COUNT = (48, 32), 12
RIGHT, SPACE = ("ArrowRight", 39), (" ", 32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("view")
    write_video(folder / f"{HOSTILE}.mkv", [av_picture("yuv420p", *SIZE, n) for n in range(COUNT)], codec="ffv1")
    random = np.random.default_rng(3)
    texels = random.integers(0, 256, (6, 16, 16, 4), np.uint8)
    ts.Surface.from_array(texels, type="CUBE", mips="box").save(folder / f"{HOSTILE}.dds")
    ts.Surface.from_array(random.normal(size=(4, 8, 8, 1)), "R32_FLOAT", type="3D").save(folder / "volume.dds")
    return folder


@contextmanager
def served(path, *chains):
    with open_view(path, chains, "cpu") as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        try:
            yield server
        finally:
            server.stop()
            thread.join()


def get(server, what, host=None, token=None):
    """Status, body and headers."""
    address = urlsplit(server.url)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.putrequest("GET", f"/{token or address.path.strip('/')}/{what}", skip_host=True)
    connection.putheader("Host", host or f"127.0.0.1:{server.port}")
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body, answer.headers


def image(server, what):
    status, body, _ = get(server, what)
    assert status == 200, body
    return imageio.imread(io.BytesIO(body))


def test_a_frame_is_what_the_chain_makes_of_the_video(folder):
    path, vf = folder / f"{HOSTILE}.mkv", "denoise=20,scale=96x64"
    with ts.VideoReader(path) as reader:
        expected = [made.to_rgb() for made in ts.Pipeline.parse(vf, "cpu")(reader)]
    with served(path) as server:
        for number in (0, 5, COUNT - 1):
            assert np.array_equal(image(server, f"frame?n={number}&vf={quote(vf)}"), expected[number])
        status, body, _ = get(server, f"values?n=5&vf={quote('scale=96x64')}&x=3&y=2")
    assert status == 200
    with ts.VideoReader(path) as reader:
        made = list(ts.Pipeline.parse("scale=96x64", "cpu")(reader))[5]
    y, u, v = (np.asarray(made.component(name)) for name in "YUV")
    assert json.loads(body) == {"Y": y[2, 3], "U": u[1, 1], "V": v[1, 1]}


def test_parts_whose_time_starts_again_follow_one_another(tmp_path):
    """Their pictures have the same times twice."""
    parts = []
    for part in range(2):
        pictures = [av_picture("yuv420p", *SIZE, 20 * part + n) for n in range(12)]
        parts.append(write_video(tmp_path / f"{part}.ts", pictures, codec="mpeg2video").read_bytes())
    path = tmp_path / "joined.ts"
    path.write_bytes(b"".join(parts))
    with ts.VideoReader(path) as reader:
        expected = [frame.to_rgb() for frame in reader]
    assert len(expected) == 24
    with served(path) as server:
        for number in (0, 3, 11, 12, 15, 23):
            assert np.array_equal(image(server, f"frame?n={number}&vf="), expected[number])


def _later(stamp: bytes, ticks: int) -> bytes:
    """A time stamp of a packetized elementary stream, moved: 33 bits of 90 kHz among marker bits."""
    high, middle, low = stamp[0] >> 1 & 7, int.from_bytes(stamp[1:3]) >> 1, int.from_bytes(stamp[3:5]) >> 1
    moved = (high << 30 | middle << 15 | low) + ticks
    parts = (moved >> 15 & 0x7FFF) << 1 | 1, (moved & 0x7FFF) << 1 | 1
    return bytes([stamp[0] & 0xF0 | moved >> 30 << 1 | 1]) + b"".join(part.to_bytes(2) for part in parts)


@pytest.mark.parametrize("ahead_s", [3, 600])
def test_pictures_behind_a_wrong_time_stamp_are_those_of_the_video(tmp_path, ahead_s):
    """They were one off, or the picture with the wrong time stood for all that follow."""
    pictures = [av_picture("yuv420p", *SIZE, n) for n in range(24)]
    path = write_video(tmp_path / "a.ts", pictures, codec="mpeg2video", options={"bf": "0"})
    data = bytearray(path.read_bytes())
    places = [place for place in range(0, len(data), 188) if data.find(b"\0\0\1\xe0", place, place + 188) >= 0]
    header = data.index(b"\0\0\1\xe0", places[9])
    stamp = slice(header + 9, header + 14)
    data[stamp] = _later(data[stamp], ahead_s * 90000)
    path.write_bytes(data)
    with ts.VideoReader(path) as reader:
        expected = [frame.to_rgb() for frame in reader]
    assert len(expected) == 24
    with served(path) as server:
        for number in (8, 10, 11, 20):
            assert np.array_equal(image(server, f"frame?n={number}&vf="), expected[number])


def test_only_who_knows_the_address_and_names_this_host_is_answered(folder):
    with served(folder / "volume.dds") as server:
        assert get(server, "")[0] == get(server, "", host=f"localhost:{server.port}")[0] == 200
        for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", f"127.0.0.1:{server.port + 1}"):
            assert get(server, "state", host)[:2] == (403, f"only 127.0.0.1:{server.port} is served here".encode())
        for what, token in (("state", "guess"), ("state", "%2e%2e"), ("../server.py", None), ("video.html", None)):
            assert get(server, what, token=token)[0] == 404
        headers = get(server, "")[2]
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "Access-Control-Allow-Origin" not in headers
    with served(folder / "volume.dds") as again:
        assert urlsplit(again.url).path != urlsplit(server.url).path
        assert len(urlsplit(again.url).path) > 20


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("frame?n=99", "there are frames 0 to 11, found 99"),
        ("frame?n=x", "n must be an integer"),
        ("frame?n=0&vf=sharpness", "sharpness"),
        ("values?n=0&x=48&y=0", "the picture is 48x32, found x 48"),
        ("chain?vf=scale", "scale"),
    ],
)
def test_what_cannot_be_shown_is_said(folder, what, words):
    with served(folder / f"{HOSTILE}.mkv") as server:
        status, body, _ = get(server, what)
    assert status == 422
    assert words in body.decode()


def test_every_filter_of_the_table_has_controls_that_write_it_again():
    rows = {row["name"]: row for row in filter_controls()}
    assert list(rows) == [row.name for row in FILTERS]
    for row in FILTERS:
        for example in row.examples:
            (stage,) = chain_controls(example)
            options = rows[stage["filter"]]["options"]
            assert {option["control"]["type"] for option in options} <= {"range", "choice", "either", "text"}
            words = [f"{o['key']}={stage['values'][o['key']]}" for o in options]
            (again,) = chain_controls(f"{row.name}={':'.join(words)}")
            assert again == stage
    assert chain_controls("hflip")[0]["filter"] is None


def test_texels_are_shown_by_level_face_channel_and_range(folder):
    surface = ts.Surface.open(folder / f"{HOSTILE}.dds", device="cpu")
    with served(folder / f"{HOSTILE}.dds") as server:
        state = json.loads(get(server, "state")[1])
        assert (state["faces"], state["layers"]) == (["+x", "-x", "+y", "-y", "+z", "-z"], [1] * 5)
        texels = surface.to_array(1, face="-y")
        assert np.array_equal(image(server, "picture?level=1&face=-y&channels=rgb"), texels[..., :3])
        assert np.array_equal(image(server, "picture?level=1&face=-y&channels=a"), texels[..., 3])
        half = image(server, "picture?level=1&face=-y&channels=g&low=0&high=510")
        assert np.array_equal(half, np.round(texels[..., 1] / 2).astype(np.uint8))
        found = json.loads(get(server, "values?level=1&face=-y&x=2&y=5")[1])
        assert list(found.values()) == texels[5, 2].tolist()
        alpha = texels[..., 3:] / 255
        light = np.where((np.add.outer(np.arange(8) // 8, np.arange(8) // 8)) % 2, 153.0, 204.0)[..., None]
        expected = np.round(texels[..., :3] * alpha + light * (1 - alpha)).astype(np.uint8)
        assert np.array_equal(image(server, "picture?level=1&face=-y&channels=rgba"), expected)
        assert get(server, "picture?level=9")[0] == get(server, "picture?low=3&high=3")[0] == 422


def test_slices_of_volumes_have_exact_values(folder):
    volume = np.asarray(ts.Surface.open(folder / "volume.dds", device="cpu").to_array())
    with served(folder / "volume.dds") as server:
        assert json.loads(get(server, "values?layer=2&x=4&y=6")[1]) == {"r": float(volume[2, 6, 4, 0])}
        shown = image(server, "picture?layer=2&channels=rgb&low=-1&high=1")
        assert np.array_equal(shown[..., 0], np.round(255 * ((volume[2, ..., 0] + 1.0) / 2).clip(0, 1)))


def test_what_is_neither_video_nor_texture_is_refused(folder, tmp_path):
    (tmp_path / "x").write_text("nothing")
    with pytest.raises(ts.MediaError, match="nor is it a texture"):
        open_view(tmp_path / "x")
    with pytest.raises(ts.MediaError, match="no such file"):
        open_view(tmp_path / "none")
    with pytest.raises(ts.StateError, match="sharpness"):
        open_view(folder / f"{HOSTILE}.mkv", ["sharpness"])
    with served(folder / "volume.dds") as server, pytest.raises(ts.MediaError, match=f"port {server.port} of 127"):
        open_view(folder / "volume.dds", port=server.port)


def test_the_command_tells_where(folder, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("texsamp.view.server.ViewServer.serve", lambda server: None)
    ran = CliRunner().invoke(
        app, ["view", str(folder / f"{HOSTILE}.mkv"), "--vf", "sharpen", "--vf", "", "--device", "cpu"]
    )
    assert ran.exit_code == 0, ran.output
    assert ran.stdout == f"{opened[0]} (Ctrl-C ends)\n"
    CliRunner().invoke(app, ["view", str(folder / "volume.dds"), "--no-browser"])
    assert len(opened) == 1


def pixels_of(page, selector):
    """What a picture of the page shows: mean of each of its rows."""
    return page.value(
        f"(async () => {{ const image = document.querySelector({json.dumps(selector)}); await image.decode();"
        "const canvas = document.createElement('canvas'); canvas.width = image.naturalWidth;"
        "canvas.height = image.naturalHeight; const context = canvas.getContext('2d'); context.drawImage(image, 0, 0);"
        "return Array.from(context.getImageData(0, 0, canvas.width, canvas.height).data); })()"
    )


@needs_browser
def test_sliders_of_the_page_change_pixels(folder, tmp_path):
    path = folder / f"{HOSTILE}.mkv"
    with served(path, "sharpen=0", "") as server, Page(tmp_path, server.url) as page:
        page.until("document.body.dataset.ready === '1'")
        assert page.value("document.getElementById('name').textContent") == f"{HOSTILE}.mkv"
        assert page.value("document.querySelectorAll('script').length") == 2
        before = pixels_of(page, ".chain img")
        assert before == pixels_of(page, ".chain:last-child img")
        page.value("document.getElementById('0-0-level-other').focus()")
        for _ in range(30):
            page.press(*RIGHT)
        page.until("document.querySelector('.chain').dataset.shown === '0 sharpen=level=30'")
        page.until("!document.querySelector('.waiting')")
        assert pixels_of(page, ".chain img") != before
        assert before == pixels_of(page, ".chain:last-child img")
        page.value("document.getElementById('after').focus()")
        page.press(*SPACE)
        page.until("document.querySelector('.chain').dataset.shown === '1 sharpen=level=30'")
        page.value("document.querySelector('.chain img').focus()")
        page.press(*RIGHT)
        page.until("[...document.querySelectorAll('.values')].every((e) => e.textContent.startsWith('x 1, y 0: Y '))")
        page.value("history.replaceState(null, '', location.hash)")
        assert "vf=sharpen%3Dlevel%3D30" in page.value("location.hash")
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        dark = imageio.imread(io.BytesIO(page.picture()))
        assert dark[:20].mean() < 60
        assert page.told == []
        assert all(url.startswith((server.url, "blob:", "data:")) for url in page.requests)


@needs_browser
@pytest.mark.parametrize("wide_px", [1280, 400])
def test_a_picture_fits_the_window_in_the_shape_that_players_show(tmp_path, wide_px):
    """Of a portrait video no line is out of sight, and anamorphic pixels are not square."""

    def tall(container, stream):
        stream.codec_context.sample_aspect_ratio = Fraction(3, 2)

    path = write_video(tmp_path / "tall.mkv", [av_picture("yuv420p", 24, 96, n) for n in range(3)], setup=tall)
    with served(path, "sharpen=9", "") as server, Page(tmp_path, server.url) as page:
        page.call("Emulation.setDeviceMetricsOverride", width=wide_px, height=700, deviceScaleFactor=1, mobile=False)
        page.until("document.body.dataset.ready === '1'")
        box = "document.querySelector('.chain img').getBoundingClientRect()"
        assert page.value(f"{box}.width / {box}.height") == pytest.approx(24 * 1.5 / 96, rel=0.02)
        assert page.value(f"{box}.height") <= 0.8 * 700
        assert "24x96 yuv420p, pixels of 3:2, at" in page.value("document.querySelector('.told').textContent")
        page.value("document.getElementById('zoom').value = '2'")
        page.value("document.getElementById('zoom').dispatchEvent(new Event('change'))")
        assert page.value(f"[{box}.width, {box}.height]") == [72, 192]
        slider = "document.getElementById('0-0-level-other').getBoundingClientRect().width"
        assert page.value(slider) > 80
        assert page.value("document.documentElement.scrollWidth <= innerWidth")


@needs_browser
def test_texture_controls_change_pixels(folder, tmp_path):
    with served(folder / f"{HOSTILE}.dds") as server, Page(tmp_path, server.url) as page:
        page.until("document.body.dataset.ready === '1'")
        surface = ts.Surface.open(folder / f"{HOSTILE}.dds", device="cpu")
        page.value("document.getElementById('channels').focus()")
        page.press("r", 82)
        page.press("ArrowDown", 40)
        for level, name in enumerate(("level=0", "level=1")):
            page.value("document.getElementById('level').focus()")
            if level:
                page.press(*RIGHT)
            page.until(f"(document.body.dataset.shown || '').startsWith('{name}&')")
            page.until("document.getElementById('channels').value === 'rgb' && !document.querySelector('.waiting')")
            page.until(f"document.querySelector('#picture img').naturalWidth === {16 >> level}")
        shown = np.array(pixels_of(page, "#picture img")).reshape(8, 8, 4)
        assert np.array_equal(shown[..., :3], surface.to_array(1, face="+x")[..., :3])
        page.value("document.querySelector('#picture img').focus()")
        page.press(*RIGHT)
        texel = surface.to_array(1, face="+x")[0, 1].tolist()
        told = ", ".join(f"{name} {value}" for name, value in zip("rgba", texel, strict=True))
        page.until(f"document.getElementById('values').textContent === 'x 1, y 0: {told}'")
        assert page.told == []
        assert all(url.startswith((server.url, "blob:", "data:")) for url in page.requests)
