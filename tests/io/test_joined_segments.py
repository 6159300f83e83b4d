"""Videos that are encoded in segments: the same pictures as of one run, with all the rest of the file around them."""

import os
import signal
import subprocess
import sys
import time

import av
import pytest
from support.media import gray_ramp, write_video
from support.segments import here, shorten
from texsamp.cli.main import app
from typer.testing import CliRunner

import texsamp as ts
from texsamp.io.frame_hashes import read_hashes
from texsamp.segments.joined import _Encode

SHORT, WARM = 30, 12


@pytest.fixture(autouse=True)
def short_segments(monkeypatch):
    shorten(monkeypatch, SHORT, WARM)


def pictures(path):
    """Hashes and times of what a player shows."""
    return [(found.digest, found.pts * found.time_base) for found in ts.hash_frames(path, device="cpu")]


def packets(path, kind):
    with av.open(path) as container:
        return [
            [(p.pts * p.time_base, bytes(p)) for p in container.demux(stream) if p.size]
            for stream in container.streams
            if stream.type == kind
        ]


def both(source, folder, name, vf="", **encoding):
    """The same in one run and in three segments."""
    one, joined = folder / f"one-{name}", folder / name
    ts.process(source, one, vf, "cpu", manifest=folder / "one.txt", **encoding)
    made = ts.process(source, joined, vf, "cpu", segments=3, pools=here, manifest=folder / "all.txt", **encoding)
    assert (folder / "one.txt").read_text() == (folder / "all.txt").read_text()
    return one, joined, made


@pytest.mark.parametrize("name", ["a.mkv", "a.mp4", "a.ts", "a.avi", "a.webm", "a.m3u8"])
def test_lossless_pictures_and_times_are_those_of_one_run(rich_mkv, tmp_path, name):
    one, joined, made = both(rich_mkv, tmp_path, name, "sharpen=20", lossless=True)
    assert "filtered in 3 segments" in made.notes
    assert (made.frames_in, made.frames_out) == (100, 100)
    assert pictures(joined) == pictures(one)


@pytest.mark.parametrize("encoding", [{}, {"codec": "libx265"}, {"codec": "mpeg2video"}, {"codec": "libsvtav1"}])
def test_each_segment_begins_with_a_key_frame_and_every_picture_is_there(rich_mkv, tmp_path, encoding):
    one, joined, _ = both(rich_mkv, tmp_path, "a.mkv", "scale=96x72", gop=1000, preset=None, **encoding)
    assert [time for _, time in pictures(joined)] == [time for _, time in pictures(one)]
    with av.open(joined) as container:
        keys = [p.pts * p.time_base * 25 for p in container.demux(video=0) if p.is_keyframe]
    assert {round(key) for key in keys} >= {0, 33, 66}


def test_sound_subtitles_chapters_and_tags_are_there_once(rich_mkv, tmp_path):
    one, joined, _ = both(rich_mkv, tmp_path, "a.mkv", crf=30)
    for kind in ("audio", "subtitle"):
        assert packets(joined, kind) == packets(one, kind)
    with av.open(one) as a, av.open(joined) as b:
        assert a.chapters() == b.chapters()
        assert dict(a.metadata) == dict(b.metadata)
        assert [stream.type for stream in a.streams] == [stream.type for stream in b.streams]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.mkv", "all.txt", "one-a.mkv", "one.txt"]


@pytest.mark.parametrize("vf", ["denoise=hq,scale=48x40", "deinterlace=mode=hq:deint=all:rate=field", "contrast"])
def test_filters_that_remember_are_told(rich_mkv, tmp_path, vf):
    one, joined, _ = both(rich_mkv, tmp_path, "a.mkv", vf, lossless=True)
    assert pictures(joined) == pictures(one)


def test_what_cannot_be_cut_is_one_run_and_says_why(rich_mkv, tmp_path):
    def notes(name, vf="", **more):
        ts.process(rich_mkv, tmp_path / f"one-{name}", vf, "cpu", **more)
        made = ts.process(rich_mkv, tmp_path / name, vf, "cpu", segments=2, pools=here, **more)
        assert pictures(tmp_path / name) == pictures(tmp_path / f"one-{name}")
        return made.notes[-1]

    assert notes("a.y4m") == "filtered as a whole: y4m is written picture by picture"
    assert "FFmpeg's filters do not travel" in notes("a.mkv", "hflip", codec="ffv1")
    short = write_video(tmp_path / "short.mkv", [gray_ramp(64, 48, n) for n in range(9)])
    made = ts.process(short, tmp_path / "b.mkv", segments=2, pools=here)
    assert "it is too short to be cut" in made.notes[-1]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"stats": "a.csv"}, "statistics and segments exclude each other"),
        ({"two_pass": True, "bitrate": "1M"}, "two passes and segments exclude each other"),
        ({"start_s": 1.0}, "segments are those of a whole file"),
        ({"vf": ts.Pipeline([], "cpu")}, "give the filters as text"),
        ({"segments": 0}, "must be an integer from 1 to 1024, found 0"),
    ],
)
def test_what_segments_exclude_is_refused(rich_mkv, tmp_path, given, words):
    with pytest.raises(ts.StateError, match=words):
        ts.process(rich_mkv, tmp_path / "a.mkv", **{"segments": 2, **given})
    assert not list(tmp_path.iterdir())


def test_a_segment_that_fails_leaves_nothing(rich_mkv, tmp_path, monkeypatch):
    def fail(self, frames):
        if self.path.endswith("1.part"):
            raise ts.MediaError("a segment cannot be written: No space left on device")
        return original(self, frames)

    original = _Encode.__call__
    monkeypatch.setattr(_Encode, "__call__", fail)
    with pytest.raises(ts.MediaError, match="No space left"):
        ts.process(rich_mkv, tmp_path / "a.mkv", segments=2, pools=here, manifest=tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())


SCRIPT = f"""
import sys
import texsamp as ts
from texsamp.segments import cut
cut.SHORTEST, cut.WARM_UP = {SHORT}, {WARM}
if __name__ == "__main__":
    ts.process(sys.argv[1], sys.argv[2], "scale=640x480", "cpu", segments=2, codec="ffv1")
"""


@pytest.mark.slow
def test_nothing_is_left_when_everything_is_killed(rich_mkv, tmp_path):
    """Neither a process nor, after the next run, a file."""
    psutil = pytest.importorskip("psutil")
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, str(tmp_path / "script.py"), str(rich_mkv), str(tmp_path / "out" / "a.mkv")]
    (tmp_path / "out").mkdir()
    run = subprocess.Popen(command)
    while not list((tmp_path / "out").glob(".*/*.part")):
        assert run.poll() is None
        time.sleep(0.02)
    workers = psutil.Process(run.pid).children(recursive=True)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    _, alive = psutil.wait_procs(workers, timeout=10)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
    assert not (tmp_path / "out" / "a.mkv").exists()
    subprocess.run(command, check=True, timeout=60)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.mkv"]
    assert len(pictures(tmp_path / "out" / "a.mkv")) == 100


def test_the_command_says_what_came_of_it(rich_mkv, tmp_path, monkeypatch):
    monkeypatch.setattr("texsamp.segments.agreed.processes", here)
    target = str(tmp_path / "a.mkv")
    ran = CliRunner().invoke(app, ["process", str(rich_mkv), target, "--vf", "scale=96x72", "--segments", "2"])
    assert ran.exit_code == 0, ran.output
    assert "note: filtered in 2 segments" in ran.stderr
    assert "100 frames in, 100 out" in ran.stdout and "s waiting for segments" in ran.stdout


def test_a_list_of_another_process_is_that_of_this_one(rich_mkv, tmp_path):
    ts.process(rich_mkv, tmp_path / "a.mkv", "scale=96x72", "cpu", segments=3, pools=here, manifest=tmp_path / "a.txt")
    found = [picture.digest for picture in ts.hash_frames(rich_mkv, "scale=96x72", "cpu")]
    assert read_hashes(tmp_path / "a.txt") == found
