"""Film mode from file to file: our telecine is FFmpeg's, times are even, and the table and the words at the end."""

import csv
import shutil
import subprocess
from fractions import Fraction

import av
import numpy as np
import pytest
from support.shell import texsamp
from support.telecine import fields_of, real_pictures, telecined, video

import texsamp as ts
from texsamp.io.clips import pattern_clip
from texsamp.video.film.cadence import CADENCES

FFMPEG = shutil.which("ffmpeg")
PATTERNS = {"32": "32", "22": "2", "2332": "2332", "32322": "32322", "2224": "2224", "euro": "222222222223"}


@pytest.fixture(scope="module")
def source():
    return real_pictures("bikes.mp4", 40, (160, 64, 320, 144))


def write(path, pictures, rate, *options, layout="gray", codec=("-pix_fmt", "gray", "-c:v", "ffv1")):
    """Gray pictures, losslessly if nothing else is said, through FFmpeg's filters."""
    height, width = pictures[0].shape
    command = [FFMPEG, "-y", "-v", "error", "-f", "rawvideo", "-pix_fmt", layout, "-s", f"{width}x{height}"]
    command += ["-r", str(rate), "-i", "-", *options, *codec, str(path)]
    chroma = bytes([128]) * (height * width // 2 if layout == "yuv420p" else 0)
    subprocess.run(command, input=b"".join(p.tobytes() + chroma for p in pictures), check=True, timeout=60)


@pytest.mark.skipif(FFMPEG is None, reason="needs an ffmpeg binary")
@pytest.mark.parametrize("top_first", [True, False])
@pytest.mark.parametrize("cadence", PATTERNS)
def test_our_telecine_is_ffmpegs(cadence, top_first, source, tmp_path):
    first = "top" if top_first else "bottom"
    filters = f"telecine=pattern={PATTERNS[cadence]}:first_field={first}"
    write(tmp_path / "t.mkv", source, 24, "-vf", filters)
    with av.open(tmp_path / "t.mkv") as container:
        theirs = [frame.to_ndarray() for frame in container.decode(video=0)]
    ours = telecined(source, fields_of(len(source), CADENCES[cadence]), top_first)
    assert abs(len(theirs) - len(ours)) <= 2
    for n, (a, b) in enumerate(zip(ours[:-2], theirs, strict=False)):
        assert np.array_equal(a, b), n


LYING = {
    "ffv1": ("-pix_fmt", "yuv420p", "-c:v", "ffv1"),
    "x264": ("-pix_fmt", "yuv420p", "-c:v", "libx264", "-crf", "12", "-flags", "+ilme+ildct"),
    "mpeg2": ("-pix_fmt", "yuv420p", "-c:v", "mpeg2video", "-q:v", "2", "-flags", "+ilme+ildct"),
    "prores": ("-pix_fmt", "yuv422p10le", "-c:v", "prores_ks", "-flags", "+ildct"),
}


@pytest.mark.skipif(FFMPEG is None, reason="needs an ffmpeg binary")
@pytest.mark.parametrize("codec", LYING)
def test_film_is_found_whatever_encoders_flag(codec, source, tmp_path):
    """Of one that FFmpeg telecines they flag both orders, frames of two pictures alone, or none."""
    write(tmp_path / "t.mkv", source, "24000/1001", "-vf", "telecine=pattern=23", layout="yuv420p", codec=LYING[codec])
    made = ts.process(tmp_path / "t.mkv", tmp_path / "f.mkv", "deinterlace=film=auto:rate=film", lossless=True)
    assert any("film 3:2 locked for" in note for note in made.notes)
    with ts.VideoReader(tmp_path / "t.mkv") as reader:
        flags = {(frame.interlaced, frame.interlaced and frame.top_field_first) for frame in reader}
    lies = {(True, False): "flagged bottom field first, but move top", (False, False): "not flagged as interlaced"}
    for told in (lies[flag] for flag in flags & set(lies)):
        assert any(told in note and note.endswith(")") for note in made.notes), (
            "what was found and what to ask for else"
        )
    assert abs(made.frames_out - len(source)) <= 2
    with ts.VideoReader(tmp_path / "f.mkv") as reader:
        shown = [frame.component("Y").astype(np.float64) for frame in reader]
    scale = 4 if codec == "prores" else 1
    errors = np.array([[np.square(one / scale - other).mean() for other in source] for one in shown])
    assert set(errors.argmin(1)) == set(range(len(source)))
    assert errors.min(1).max() < 16, "no two pictures are woven"


def test_a_file_of_film_becomes_one_of_pictures(source, tmp_path):
    with ts.VideoWriter(tmp_path / "in.mkv", codec="ffv1") as writer:
        for frame in video(telecined(source, fields_of(len(source), (3, 2)))):
            writer.write(frame)
    options = ["--vf", "deinterlace=film=auto:rate=film", "--lossless", "--stats", "film.csv"]
    run = texsamp("process", "in.mkv", "out.mkv", *options, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert b"note: film 3:2 locked for 100 % of the fields" in run.stderr
    assert b"0 cadence breaks" in run.stderr
    with ts.VideoReader(tmp_path / "out.mkv") as reader:
        made = list(reader)
    found = {n for f in made for n, p in enumerate(source) if np.array_equal(f.planes[0], p)}
    assert len(found) >= len(source) - 2
    times = [frame.pts * frame.time_base for frame in made]
    even = Fraction(1001, 24000)
    assert all(abs(t - times[4] - (n - 4) * even) < Fraction(2, 1000) for n, t in enumerate(times) if 4 <= n < 38)
    with open(tmp_path / "film.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(made)
    assert {row["deinterlace_cadence"] for row in rows[4:-2]} == {"3:2"}
    assert all(int(row["deinterlace_v10"]) >= 0 for row in rows)


def test_video_that_is_no_film_says_so(tmp_path):
    with ts.VideoWriter(tmp_path / "in.mkv", codec="ffv1") as writer:
        for frame in pattern_clip(64, 48, 12, interlaced=True):
            writer.write(frame)
    result = ts.process(tmp_path / "in.mkv", tmp_path / "out.mkv", vf="deinterlace=film=auto", device="cpu")
    assert (result.frames_in, result.frames_out) == (12, 12)
    assert "film: no cadence was found: every frame was deinterlaced" in result.notes
