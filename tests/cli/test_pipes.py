"""Pipes in: containers with sound through standard input and named pipes, read once, and never waited for in vain."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import av
import numpy as np
import pytest
from support.clips import random_pictures, read_clip, write_clip
from support.shell import COMMAND, one_line, texsamp
from support.sync import offsets_s, write_part

from texsamp.io.streams.codecs import PIPE_CONTAINERS


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds with sound in three containers."""
    folder = tmp_path_factory.mktemp("pipes")
    for name, codecs in (("a.mkv", ("libx264", "aac")), ("a.ts", ("mpeg2video", "mp2")), ("a.mp4", ("libx264", "aac"))):
        write_part(folder / name, [0.4, 1.2], 50, 2.0, video=codecs[0], audio=codecs[1])
    return folder


def feed(path: Path, data: bytes) -> threading.Thread:
    """Write into a named pipe from a thread; the reader may leave."""

    def write() -> None:
        with contextlib.suppress(BrokenPipeError):
            path.write_bytes(data)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


def sound(path: Path) -> list[tuple[int, bytes]]:
    with av.open(path) as container:
        return [(p.pts, bytes(p)) for p in container.demux(audio=0) if p.size]


@pytest.mark.parametrize("name", ["a.mkv", "a.ts"])
def test_a_named_pipe_gives_what_the_file_gives(clips: Path, tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = feed(tmp_path / "pipe", (clips / name).read_bytes())
    run = texsamp("process", "pipe", "piped.mkv", "--vf", "denoise=0", "--lossless", cwd=tmp_path)
    writer.join(10)
    assert run.returncode == 0, run.stderr
    assert texsamp("process", clips / name, "file.mkv", "--vf", "denoise=0", "--lossless", cwd=tmp_path).returncode == 0
    np.testing.assert_array_equal(read_clip(tmp_path / "piped.mkv"), read_clip(tmp_path / "file.mkv"))
    assert sound(tmp_path / "piped.mkv") == sound(tmp_path / "file.mkv")
    assert max(map(abs, offsets_s(tmp_path / "piped.mkv"))) < 0.025


def test_containers_come_through_standard_input(clips: Path, tmp_path: Path) -> None:
    run = texsamp("process", "-", "out.mkv", cwd=tmp_path, stdin=(clips / "a.mkv").read_bytes())
    assert run.returncode == 0, run.stderr
    assert len(sound(tmp_path / "out.mkv")) == len(sound(clips / "a.mkv"))
    cut = texsamp("process", "/dev/stdin", "cut.mkv", "--start", "1", "--duration", "0.6", cwd=tmp_path,
                  stdin=(clips / "a.mkv").read_bytes())  # fmt: skip
    assert cut.returncode == 0, cut.stderr
    assert len(read_clip(tmp_path / "cut.mkv")) == 15
    assert 0.5 < len(sound(tmp_path / "cut.mkv")) * 1024 / 48000 < 0.7
    assert abs(offsets_s(tmp_path / "cut.mkv")[0]) < 0.025


def test_an_mp4_with_its_index_last_is_read_from_a_file_and_refused_from_a_pipe(clips: Path, tmp_path: Path) -> None:
    with (clips / "a.mp4").open("rb") as file:
        run = subprocess.run([*COMMAND, "process", "-", "out.mkv"], cwd=tmp_path, stdin=file, check=False)
    assert run.returncode == 0
    assert len(sound(tmp_path / "out.mkv")) == len(sound(clips / "a.mp4"))
    large = write_clip(tmp_path / "large.mp4", random_pictures(30, (320, 180), seed=1), "libx264")
    refused = texsamp("process", "-", "no.mkv", cwd=tmp_path, stdin=large.read_bytes())
    assert refused.returncode == 1
    assert "an mp4 from a pipe needs its index first" in one_line(refused.stderr)


def test_y4m_comes_through_a_named_pipe(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "a.y4m", random_pictures(3, (32, 16), seed=1))
    os.mkfifo(tmp_path / "pipe")
    feed(tmp_path / "pipe", clip.read_bytes())
    assert texsamp("process", "pipe", "out.mkv", "--lossless", cwd=tmp_path).returncode == 0
    np.testing.assert_array_equal(read_clip(tmp_path / "out.mkv"), read_clip(clip))


@pytest.mark.parametrize("share", [0.0, 0.7, 1.0])
def test_sigterm_ends_a_run_that_waits_for_a_pipe(clips: Path, tmp_path: Path, share: float) -> None:
    """Nothing has come yet, a part has, all has but the end."""
    os.mkfifo(tmp_path / "pipe")
    run = subprocess.Popen([*COMMAND, "process", "pipe", "out.mkv"], cwd=tmp_path, stderr=subprocess.PIPE)
    with (tmp_path / "pipe").open("wb", buffering=0) as pipe:  # waits for the reader
        data = (clips / "a.mkv").read_bytes()
        pipe.write(data[: int(len(data) * share)])
        time.sleep(0.4)
        run.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        assert run.wait(10) == 143
        assert time.monotonic() - begin < 3  # two seconds and a busy machine
    assert {file.name for file in tmp_path.iterdir()} == {"pipe"}


def test_compare_reads_two_pipes(clips: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        os.mkfifo(tmp_path / name)
        feed(tmp_path / name, (clips / "a.ts").read_bytes())
    run = texsamp("compare", "--ref", "a", "--dist", "b", "--exact", cwd=tmp_path)
    assert run.stdout == b"identical: 50 frames\n", run.stderr


@pytest.mark.parametrize("word", PIPE_CONTAINERS)
def test_containers_go_to_standard_output_with_their_sound(clips: Path, tmp_path: Path, word: str) -> None:
    run = texsamp("process", clips / "a.mkv", "-", "--format", word, "--duration", "1", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    (tmp_path / "out").write_bytes(run.stdout)
    with av.open(tmp_path / "out") as container:
        assert PIPE_CONTAINERS[word].muxer in {*container.format.name.split(","), "matroska" * (word == "webm")}
        assert sum(1 for _ in container.decode(video=0)) == 25
    assert sound(tmp_path / "out")
    assert {file.name for file in tmp_path.iterdir()} == {"out"}


def test_what_goes_to_standard_output_is_what_the_file_holds(clips: Path, tmp_path: Path) -> None:
    arguments = ("--codec", "ffv1", "--vf", "sharpen=44")
    piped = texsamp("process", clips / "a.mkv", "-", "--format", "mkv", *arguments, cwd=tmp_path).stdout
    (tmp_path / "piped.mkv").write_bytes(piped)
    assert texsamp("process", clips / "a.mkv", "file.mkv", *arguments, cwd=tmp_path).returncode == 0
    np.testing.assert_array_equal(read_clip(tmp_path / "piped.mkv"), read_clip(tmp_path / "file.mkv"))
    assert sound(tmp_path / "piped.mkv") == sound(tmp_path / "file.mkv")


def test_formats_that_cannot_be_are_named(clips: Path, tmp_path: Path) -> None:
    cases = {
        ("-", "--format", "avi"): (2, "format must be one of y4m mkv"),
        ("out.mkv", "--format", "ts"): (2, "format 'ts' is for standard output"),
        ("-", "--crf", "20"): (1, "--format mkv makes it Matroska"),
    }
    for arguments, (status, words) in cases.items():
        run = texsamp("process", clips / "a.mkv", *arguments, cwd=tmp_path)
        assert (run.returncode, run.stdout) == (status, b"")
        assert words in one_line(run.stderr)
    assert not list(tmp_path.iterdir())


def test_a_dry_run_writes_nothing_of_the_container(clips: Path, tmp_path: Path) -> None:
    run = texsamp("process", clips / "a.mkv", "-", "--format", "mkv", "--dry-run", cwd=tmp_path)
    assert b"out  standard output: matroska, libx264" in run.stdout
    assert b"\x1aE\xdf\xa3" not in run.stdout


def test_a_container_whose_reader_leaves_ends_in_words(clips: Path, tmp_path: Path) -> None:
    arguments = [*COMMAND, "process", str(clips / "a.mkv"), "-", "--format", "mkv", "--codec", "rawvideo"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.read(10)
        run.stdout.close()
        words = run.stderr.read().decode()
    assert run.returncode == 1
    assert "standard output: the reader of the pipe has gone away" in words


def test_ctrl_c_ends_a_container_that_nobody_reads(clips: Path, tmp_path: Path) -> None:
    arguments = [*COMMAND, "process", str(clips / "a.mkv"), "-", "--format", "mkv", "--codec", "rawvideo"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.read(10)
        time.sleep(0.4)
        run.send_signal(signal.SIGINT)
        assert run.wait(10) == 130
        assert b"Traceback" not in run.stderr.read()
