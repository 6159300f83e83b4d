"""Pictures of a sequence, playlists with their segments, and MXF: complete, in order, or not there at all."""

import os
import re
import subprocess
import sys
import threading
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image
from support.media import assert_same_samples, random_frames
from support.shell import COMMAND

import texsamp as ts
from texsamp import Frame, MediaError
from texsamp.io import VideoReader, VideoWriter, write_png
from texsamp.io.files import output_folder
from texsamp.io.files.checked_files import CheckedFiles


def write(path: Path, frames: list[Frame], **options: Any) -> list[str]:
    with VideoWriter(path, **options) as writer:
        for frame in frames:
            writer.write(frame)
    return writer.notes


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


@pytest.mark.parametrize(
    ("extension", "layout", "mode"),
    [
        ("png", "rgb24", "RGB"),
        ("png", "gray", "L"),
        ("png", "yuv420p", "RGB"),
        ("png", "rgba64le", "RGBA"),
        ("tif", "rgb24", "RGB"),
        ("tiff", "yuv422p10le", "RGB"),
        ("jpg", "yuv420p", "RGB"),
        ("jpeg", "rgb24", "RGB"),
    ],
)
def test_a_picture_of_each_frame(tmp_path: Path, extension: str, layout: str, mode: str) -> None:
    frames = random_frames(layout, 32, 16, 3)
    write(tmp_path / f"out_%03d.{extension}", frames)
    assert names(tmp_path) == [f"out_00{n}.{extension}" for n in (1, 2, 3)]
    with Image.open(tmp_path / f"out_002.{extension}") as picture:
        assert (picture.size, picture.mode) == ((32, 16), mode)
        if layout in ("rgb24", "gray") and "jp" not in extension:
            expected = np.asarray(frames[1].to_arrays()[0]).reshape(np.asarray(picture).shape)
            np.testing.assert_array_equal(np.asarray(picture), expected)


def test_sixteen_bits_stay_and_the_sequence_reads_back(tmp_path: Path) -> None:
    frames = random_frames("rgba64le", 20, 10, 3)
    write(tmp_path / "a%d.png", frames, lossless=True)
    with VideoReader(tmp_path / "a%d.png") as reader:
        for before, after in zip(frames, reader, strict=True):
            assert_same_samples(before, after)


def zlib_effort(path: Path) -> int:
    """What the stream of a PNG says about itself: 0 fastest, 1 levels 2 to 5, 2 level 6, 3 above."""
    data = path.read_bytes()
    return data[data.index(b"IDAT") + 5] >> 6


@pytest.mark.parametrize("options", [{}, {"lossless": True}])
@pytest.mark.parametrize("layout", ["rgb24", "rgba64le"])
def test_png_takes_little_time(tmp_path: Path, layout: str, options: dict[str, Any]) -> None:
    write(tmp_path / "a.png", random_frames(layout, 64, 64, 1), **options)
    assert zlib_effort(tmp_path / "a.png") == 1


def test_png_is_as_small_as_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "a.png", random_frames("rgb24", 64, 64, 1), options={"compression_level": "9"})
    assert zlib_effort(tmp_path / "a.png") == 3


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_png_of_textures_takes_little_time(tmp_path: Path, dtype: type) -> None:
    texels = np.random.default_rng(1).integers(0, 255, (64, 64, 4)).astype(dtype)
    name = {np.uint8: "R8G8B8A8_UNORM", np.uint16: "R16G16B16A16_UNORM"}[dtype]
    ts.Surface.from_array(texels, format=name).save(tmp_path / "a.dds")
    subprocess.run([*COMMAND, "decode", "a.dds", "a.png"], cwd=tmp_path, check=True, capture_output=True)
    write_png(tmp_path / "b.png", np.zeros((64, 64, 3), np.uint8))
    assert [zlib_effort(tmp_path / name) for name in ("a.png", "b.png")] == [1, 1]


def test_one_picture_has_a_plain_name_and_more_are_refused(tmp_path: Path) -> None:
    frames = random_frames("rgb24", 8, 8, 2)
    write(tmp_path / "one.png", frames[:1])
    assert names(tmp_path) == ["one.png"]
    with pytest.raises(MediaError, match=r"two\.png: names one picture, and there are more: write .*two_%04d\.png"):
        write(tmp_path / "two.png", frames)
    assert names(tmp_path) == ["one.png"]


def test_percent_signs_in_the_folder_are_just_letters(tmp_path: Path) -> None:
    folder = tmp_path / "50%d %%"
    folder.mkdir()
    write(folder / "a_%02d.png", random_frames("rgb24", 8, 8, 2))
    write(folder / "c.png", random_frames("rgb24", 8, 8, 1))
    assert names(folder) == ["a_01.png", "a_02.png", "c.png"]
    with pytest.raises(MediaError, match="FFmpeg writes no playlist to a path with a % in it"):
        VideoWriter(folder / "b.m3u8")


def test_nothing_is_replaced_unasked_and_old_pictures_go_with_overwrite(tmp_path: Path) -> None:
    frames = random_frames("rgb24", 8, 8, 4)
    (tmp_path / "x_note.png").write_text("mine")
    write(tmp_path / "x_%02d.png", frames)
    with pytest.raises(MediaError, match=r"x_01\.png exists already"):
        VideoWriter(tmp_path / "x_%02d.png")
    write(tmp_path / "x_%02d.png", frames[:2], overwrite=True)
    assert names(tmp_path) == ["x_01.png", "x_02.png", "x_note.png"]
    with VideoReader(tmp_path / "x_%02d.png") as reader, pytest.raises(MediaError, match="the output is the input"):
        VideoWriter(tmp_path / "x_%02d.png", reader, overwrite=True)
    with pytest.raises(MediaError, match="there is no directory 'none'"):
        VideoWriter(tmp_path / "none" / "x_%02d.png")


@pytest.mark.parametrize("output", ["x_%d.png", "x_0%d.png", "x_02.png"])
def test_pictures_that_are_read_are_never_replaced(tmp_path: Path, output: str) -> None:
    write(tmp_path / "x_%02d.png", random_frames("rgb24", 8, 8, 3))
    with pytest.raises(MediaError, match="the output is the input"):
        ts.process(tmp_path / "x_%02d.png", tmp_path / output, frames=1, overwrite=True)
    assert names(tmp_path) == ["x_01.png", "x_02.png", "x_03.png"]


def test_segments_of_the_playlist_that_is_read_are_never_replaced(tmp_path: Path) -> None:
    write(tmp_path / "a.m3u8", random_frames("yuv420p", 32, 32, 3))
    (segment,) = tmp_path.glob("*.ts")
    before = segment.read_bytes()
    for output in (segment, tmp_path / "a.m3u8"):
        with pytest.raises(MediaError, match="the output is the input"):
            ts.process(tmp_path / "a.m3u8", output, overwrite=True)
    assert segment.read_bytes() == before


@pytest.mark.parametrize("name", ["a_%04d.png", "a.m3u8"])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_interrupted_runs_leave_nothing(tmp_path: Path, name: str, error: type[BaseException]) -> None:
    before = threading.active_count()
    with pytest.raises(error), VideoWriter(tmp_path / name) as writer:
        for frame in random_frames("yuv420p", 32, 32, 3):
            writer.write(frame)
        assert all(name.startswith(".") for name in names(tmp_path))
        raise error
    assert names(tmp_path) == []
    assert threading.active_count() == before


def test_a_file_that_cannot_be_moved_takes_the_others_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[str] = []

    def replace(source: Path, target: Path) -> None:
        if len(moved) == 2:
            raise OSError(28, "No space left on device")
        os.rename(source, target)
        moved.append(Path(target).name)

    monkeypatch.setattr(output_folder.os, "replace", replace)
    with pytest.raises(MediaError, match=r"a3\.png cannot be put in place: No space left on device"):
        write(tmp_path / "a%d.png", random_frames("rgb24", 8, 8, 4))
    assert moved == ["a1.png", "a2.png"]
    assert names(tmp_path) == []


def test_what_pictures_cannot_hold_is_named(tmp_path: Path, rich_mkv: Path) -> None:
    notes = ts.process(rich_mkv, tmp_path / "a%03d.jpg", frames=2).notes
    assert "audio stream 0 (flac, ger) is dropped: image2 cannot hold it" in notes
    assert "pictures hold no metadata, chapters: dropped" in notes


def test_a_playlist_comes_with_its_segments_and_is_moved_last(
    tmp_path: Path, rich_mkv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = []
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr(output_folder.os, "replace", lambda a, b: (os.rename(a, b), moved.append(Path(b).name)))
    notes = ts.process(rich_mkv, tmp_path / "show.m3u8", gop=25).notes
    assert any("audio stream 0 (flac, ger) is converted to aac: hls cannot hold it" in note for note in notes)
    assert moved[-1] == "show.m3u8"
    assert sorted(moved) == names(tmp_path)[1:] == ["show.m3u8", "show_00000.ts"]
    assert names(tmp_path / "elsewhere") == []
    playlist = (tmp_path / "show.m3u8").read_text()
    assert re.findall(r"^[^#].*$", playlist, re.MULTILINE) == ["show_00000.ts"]
    assert "#EXT-X-ENDLIST" in playlist
    with av.open(tmp_path / "show.m3u8") as container:
        assert [len(container.streams.audio), len(container.streams.video)] == [2, 1]
    with VideoReader(tmp_path / "show.m3u8") as reader:
        assert len(list(reader)) == 100


def test_segments_begin_every_six_seconds(tmp_path: Path) -> None:
    frames = random_frames("yuv420p", 32, 32, 1)
    with VideoWriter(tmp_path / "a.m3u8") as writer:
        for number in range(70):
            writer.write(Frame.from_arrays("yuv420p", frames[0].to_arrays(), 32, 32, "cpu", pts=number, duration=1,
                                           time_base=Fraction(1, 5)))  # fmt: skip
    assert names(tmp_path) == ["a.m3u8", "a_00000.ts", "a_00001.ts", "a_00002.ts"]
    lengths = re.findall(r"#EXTINF:([0-9.]+)", (tmp_path / "a.m3u8").read_text())
    assert [float(length) for length in lengths] == pytest.approx([6, 6, 2], abs=0.2)


def test_mxf_holds_mpeg2_and_pcm(tmp_path: Path, rich_mkv: Path) -> None:
    notes = ts.process(rich_mkv, tmp_path / "a.mxf").notes
    assert any("audio stream 0 (flac, ger) is converted to pcm_s16le: mxf cannot hold it" in note for note in notes)
    with av.open(tmp_path / "a.mxf") as container:
        kinds = [s.codec_context.codec.canonical_name for s in container.streams if s.type in ("video", "audio")]
        assert kinds == ["mpeg2video", "pcm_s16le", "pcm_s16le"]
        assert container.streams.audio[0].rate == 48000
        assert sum(1 for _ in container.decode(video=0)) == 100
        samples = sum(frame.samples for frame in container.decode(audio=0)) if container.seek(0) is None else 0
    assert samples / 48000 == pytest.approx(4, abs=0.05)


def test_mxf_repeats_pictures_where_time_stamps_leave_gaps(tmp_path: Path) -> None:
    """It has no time stamps: pictures that follow each other at once would leave the sound behind."""
    frames = random_frames("yuv420p", 64, 48, 4)
    placed = [replace(frame, pts=pts) for frame, pts in zip(frames, (2, 3, 6, 7), strict=True)]
    notes = write(tmp_path / "a.mxf", placed, lossless=True)
    assert notes == ["mxf holds a constant frame rate: 4 pictures are repeated where others are missing"]
    with VideoReader(tmp_path / "a.mxf") as reader:
        for found, expected in zip(reader, (0, 0, 0, 1, 1, 1, 2, 3), strict=True):
            assert_same_samples(found, frames[expected])


@pytest.mark.parametrize(("rate", "hint"), [(Fraction(2997, 100), "fps=30000/1001"), (Fraction(1000), "fps=60")])
def test_a_rate_that_is_refused_is_told_with_one_that_is_not(tmp_path: Path, rate: Fraction, hint: str) -> None:
    with pytest.raises(MediaError, match=f"; {hint} as the last filter makes a rate it takes$"):
        write(tmp_path / "a.mpg", random_frames("yuv420p", 64, 48, 2), frame_rate=rate)


FULL = """
import os, resource, sys
from texsamp import Frame, MediaError
from texsamp.io import VideoWriter
from support.media import random_frames
frames = random_frames("yuv420p", 256, 256, 6)
resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))
for name in ("a.m3u8", "a_%d.png", "a.mxf", "a_%d.jpg", "a.mp4"):
    try:
        with VideoWriter(name) as writer:
            for frame in frames:
                writer.write(frame)
    except MediaError as error:
        print(error)
print(os.listdir("."))
"""


def test_a_full_disk_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[1])
    run = subprocess.run(
        [sys.executable, "-c", FULL], cwd=tmp_path, env={**os.environ, "PYTHONPATH": tests}, capture_output=True,
        timeout=120, check=True,
    )  # fmt: skip
    *errors, left = run.stdout.decode().splitlines()
    assert len(errors) == 5
    assert all("File too large" in error for error in errors)
    assert left == "[]"


def test_a_full_disk_raises_once_per_playlist() -> None:
    files = CheckedFiles()
    segment, playlist = (files.open("/dev/full", 2, {}) for _ in range(2))
    data = bytes(100_000)
    with pytest.raises(OSError, match="No space left"):
        segment.write(data)
    assert playlist.write(data) == len(data)
    playlist.close()
    segment.close()
    assert "No space left" in str(files.failure)
