"""Damaged input: what FFmpeg marks or says is told with count and time, and `strict` makes it an error."""

import csv
from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest
from support.clips import random_pictures
from support.media import write_video
from support.shell import texsamp

from texsamp import MediaError, process
from texsamp.compare import compare, compare_exactly
from texsamp.io import VideoReader

FRAMES = 30
FIRST_DAMAGED = 10


def _write(path: Path, codec: str, damaged: bool) -> Path:
    """A clip of 30 frames; in the damaged one, bytes in the middle of packets 10 to 14 are others."""
    layout = "yuvj420p" if codec == "mjpeg" else "yuv420p"
    arrays = random_pictures(FRAMES, (128, 96), seed=6)
    pictures = [av.VideoFrame.from_ndarray(array, "yuv420p").reformat(format=layout) for array in arrays]
    clean = write_video(path.with_stem("clean"), pictures, codec)
    if not damaged:
        return clean
    random = np.random.default_rng(1)

    def change(number: int, data: bytes) -> bytes:
        if not FIRST_DAMAGED <= number < FIRST_DAMAGED + 5:
            return data
        changed = np.frombuffer(data, np.uint8).copy()
        changed[len(data) // 4 :: 97] = random.integers(0, 256, changed[len(data) // 4 :: 97].size)
        return changed.tobytes()

    return _changed(clean, path, change)


def _changed(clean: Path, path: Path, change: Callable[[int, bytes], bytes]) -> Path:
    """The clip with other bytes in its packets."""
    with av.open(clean) as source, av.open(path, "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        for number, packet in enumerate(source.demux(video=0)):
            if packet.size:
                made = av.Packet(change(number, bytes(packet)))
                made.pts, made.dts, made.time_base, made.stream = packet.pts, packet.dts, packet.time_base, stream
                made.is_keyframe = packet.is_keyframe
                target.mux(made)
    return path


CODECS = ["libx264", "mpeg2video", "mpeg4", "ffv1", "mjpeg"]


@pytest.mark.parametrize("codec", CODECS)
def test_damaged_pictures_are_counted_with_the_time_of_the_first(tmp_path: Path, codec: str) -> None:
    path = _write(tmp_path / "bad.mkv", codec, damaged=True)
    with VideoReader(path) as reader:
        damaged = [float(frame.pts * frame.time_base) for frame in reader if frame.damaged]
    assert 1 <= len(damaged) <= 10
    assert abs(damaged[0] - FIRST_DAMAGED / 25) < 0.17  # arithmetic decoders notice late, or not at all
    (note,) = (note for note in reader.notes if "damaged, the first" in note)
    assert note.startswith(f"{len(damaged)} picture")
    assert f"damaged, the first at {damaged[0]:.3f} s" in note


@pytest.mark.parametrize("codec", CODECS)
def test_whole_pictures_are_not_called_damaged(tmp_path: Path, codec: str) -> None:
    with VideoReader(_write(tmp_path / "a.mkv", codec, damaged=False), strict=True) as reader:
        assert not any(frame.damaged for frame in reader)
    assert not any("damaged" in note for note in reader.notes)


@pytest.mark.parametrize("threads", [1, 3])
def test_one_thread_finds_as_much_as_several(tmp_path: Path, threads: int) -> None:
    with VideoReader(_write(tmp_path / "bad.mkv", "libx264", damaged=True), threads=threads) as reader:
        assert any(frame.damaged for frame in reader)


@pytest.mark.parametrize("lost", [1, 2, 4])
def test_threads_lose_no_picture_when_one_of_the_last_packets_is_broken(tmp_path: Path, lost: int) -> None:
    clean = _write(tmp_path / "bad.mkv", "libx264", damaged=False)
    broken = bytes(10 * [0x7F, 0xFF, 0xFF, 0xFF])
    _changed(clean, tmp_path / "bad.mkv", lambda number, data: broken if number == FRAMES - lost else data)
    counts = []
    for threads in (1, 2, 3, None):
        with VideoReader(tmp_path / "bad.mkv", threads=threads) as reader:
            counts.append(sum(1 for _ in reader))
            assert any("could not be decoded" in note for note in reader.notes)
    assert counts == [FRAMES - 1] * 4


def test_strict_stops_at_the_first_damaged_picture(tmp_path: Path) -> None:
    path = _write(tmp_path / "bad.mkv", "mpeg2video", damaged=True)
    with pytest.raises(MediaError, match=r"bad\.mkv: is damaged: its picture at 0\.\d\d\d s is incomplete"):
        process(path, tmp_path / "out.mkv", strict=True)
    assert {file.name for file in tmp_path.iterdir()} == {"bad.mkv", "clean.mkv"}
    with VideoReader(path, strict=True, max_frames=5) as reader:  # what is not asked for may be damaged
        assert len(list(reader)) == 5


def test_strict_refuses_a_file_that_ends_early(tmp_path: Path) -> None:
    data = _write(tmp_path / "a.mkv", "mpeg4", damaged=False).read_bytes()
    (tmp_path / "half.mkv").write_bytes(data[: len(data) // 2])
    with pytest.raises(MediaError, match="is damaged: "), VideoReader(tmp_path / "half.mkv", strict=True) as reader:
        list(reader)


def test_statistics_mark_damaged_frames(tmp_path: Path) -> None:
    path = _write(tmp_path / "bad.mkv", "ffv1", damaged=True)
    result = process(
        path, tmp_path / "out.mkv", "deinterlace=rate=field:deint=all", stats=tmp_path / "s.csv", device="cpu"
    )
    marks = [int(row["damaged"]) for row in csv.DictReader((tmp_path / "s.csv").open())]
    assert len(marks) == 2 * FRAMES
    assert [n for n, mark in enumerate(marks) if mark] == list(range(2 * FIRST_DAMAGED, 2 * FIRST_DAMAGED + 10))
    assert any(note.startswith("5 pictures are damaged, the first at 0.400 s") for note in result.notes)


def test_compare_tells_and_refuses_damage(tmp_path: Path) -> None:
    path = _write(tmp_path / "bad.mkv", "ffv1", damaged=True)
    clean = tmp_path / "clean.mkv"
    notes = compare(clean, path).notes
    assert [note.startswith(f"{path}: 5 pictures are damaged") for note in notes] == [True]
    for function in (compare, compare_exactly):
        with pytest.raises(MediaError, match=r"bad\.mkv: is damaged"):
            function(clean, path, strict=True)


def test_damage_is_told_with_an_error_that_it_may_have_caused(tmp_path: Path) -> None:
    path = _write(tmp_path / "bad.avi", "mpeg4", damaged=True)
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    run = texsamp("compare", "--ref", "clean.avi", "--dist", "bad.avi", cwd=tmp_path)
    *notes, error = run.stderr.decode().splitlines()
    assert (run.returncode, run.stdout) == (1, b"")
    assert "ends after" in error
    assert any(note.startswith("note: bad.avi: ") and "pictures are damaged" in note for note in notes)
