"""Writing: complete or not there, sensible defaults, and every refusal in one clear line."""

import gc
import os
import signal
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
from support.media import assert_same_samples, gray_ramp, random_frames, write_video

from texsamp import FormatError, Frame, MediaError, StateError
from texsamp.io import VideoReader, VideoWriter, pattern_clip
from texsamp.io.streams.codecs import CONTAINERS


@pytest.fixture
def frames() -> list[Frame]:
    return list(pattern_clip(64, 48, 5))


def write(path: Path, frames: list[Frame], **options: Any) -> list[str]:
    with VideoWriter(path, **options) as writer:
        for frame in frames:
            writer.write(frame)
    return writer.notes


def stored(path: Path) -> tuple[str, str]:
    """Codec and pixel format."""
    with av.open(path) as container:
        context = container.streams.video[0].codec_context
        return context.name, context.pix_fmt


@pytest.mark.parametrize("extension", [*(name for name, row in CONTAINERS.items() if row.files == "one"), ".y4m"])
def test_every_container_has_a_working_default(tmp_path: Path, frames: list[Frame], extension: str) -> None:
    notes = write(tmp_path / f"a{extension}", frames)
    with VideoReader(tmp_path / f"a{extension}") as reader:
        assert len(list(reader)) == 5
        assert reader.frame_rate == 25
    played_everywhere = "H.264 in 8-bit 4:2:0 is written: common players take it"
    assert notes == ([played_everywhere] if extension in (".mp4", ".m4v", ".mov") else []) or extension in (
        ".gif",
        ".y4m",
    )
    assert os.listdir(tmp_path) == [f"a{extension}"]


@pytest.mark.parametrize(
    ("name", "layout", "expected"),
    [
        ("a.mp4", "yuv420p", ("h264", "yuv420p")),
        ("a.mkv", "yuv420p10le", ("h264", "yuv420p10le")),
        ("a.mkv", "p010le", ("h264", "yuv420p10le")),
        ("a.mp4", "nv12", ("h264", "yuv420p")),
        ("a.mkv", "yuyv422", ("h264", "yuv422p")),
        ("a.mkv", "yuv444p", ("h264", "yuv444p")),
        ("a.webm", "yuv420p", ("vp9", "yuv420p")),
        ("a.avi", "yuv420p", ("mpeg4", "yuv420p")),
        ("a.mpg", "yuv420p", ("mpeg2video", "yuv420p")),
    ],
)
def test_depth_and_chroma_of_the_frames_are_kept(
    tmp_path: Path, name: str, layout: str, expected: tuple[str, str]
) -> None:
    write(tmp_path / name, random_frames(layout, 64, 48, 2))
    assert stored(tmp_path / name) == expected


def test_conversions_for_the_encoder_are_noted(tmp_path: Path) -> None:
    assert any(
        "yuyv422 is converted to yuv422p" in n for n in write(tmp_path / "a.mkv", random_frames("yuyv422", 64, 48, 1))
    )
    notes = write(tmp_path / "a.webm", random_frames("yuv420p10le", 64, 48, 1))
    assert any("yuv420p10le is converted to yuv420p (10 bits become 8)" in note for note in notes)
    notes = write(tmp_path / "b.mp4", random_frames("rgba", 64, 48, 1))
    assert any("alpha is dropped" in note for note in notes)


def test_the_inputs_own_format_is_taken_where_the_encoder_has_it(tmp_path: Path) -> None:
    source = tmp_path / "a.mkv"
    write(source, random_frames("rgba", 32, 16, 2), lossless=True)
    assert stored(source) == ("ffv1", "bgra")
    pictures = [gray_ramp(32, 16, n).reformat(format="gbrp12le") for n in range(2)]
    write_video(tmp_path / "b.mkv", pictures, "ffv1")
    with VideoReader(tmp_path / "b.mkv") as reader:
        write(tmp_path / "c.mkv", list(reader), reader=reader, codec="libx265")
        assert reader.layout.name == "rgb48le"
    assert stored(tmp_path / "c.mkv") == ("hevc", "gbrp12le")


def test_codec_quality_and_format_can_be_chosen(tmp_path: Path, frames: list[Frame]) -> None:
    write(tmp_path / "a.mkv", frames, codec="libx265", crf=30, pix_fmt="yuv420p10")
    assert stored(tmp_path / "a.mkv") == ("hevc", "yuv420p10le")
    sizes = []
    for crf in (5, 45):
        write(tmp_path / f"{crf}.mkv", list(pattern_clip(128, 96, 10)), crf=crf)
        sizes.append((tmp_path / f"{crf}.mkv").stat().st_size)
    assert sizes[0] > 3 * sizes[1]
    write(tmp_path / "g.mkv", frames, options={"preset": "ultrafast", "g": "1"})
    with av.open(tmp_path / "g.mkv") as container:
        assert all(p.is_keyframe for p in container.demux(video=0) if p.size)


REFUSALS = [
    ("a.mkv", {"codec": "nonsense"}, "codec 'nonsense' is not a video encoder"),
    ("a.mkv", {"codec": "aac"}, "codec 'aac' is not a video encoder"),
    ("a.webm", {"codec": "libx264"}, "webm files cannot hold libx264"),
    ("a.mpg", {"crf": 20}, "codec mpeg2video has no crf, found crf 20"),
    ("a.mkv", {"crf": 52}, "crf of libx264 must be 0 to 51, found 52"),
    ("1%d%d.png", {}, r"1%d%d\.png: the name of a sequence holds one number, found 2"),
    ("a.avi", {"codec": "mpeg4", "lossless": True}, "codec mpeg4 has no lossless mode"),
    ("a.ts", {"codec": "rawvideo"}, "raw video is written to|cannot hold"),
    ("a.xyz", {}, r"its extension '\.xyz' is that of none: use one of \.mkv"),
    ("a", {}, "it has no extension: use one of"),
    ("none/a.mkv", {}, "there is no directory 'none'"),
    ("a.y4m", {"crf": 20}, "y4m is uncompressed"),
    ("a.y4m", {"pix_fmt": "rgb24"}, "y4m is written as .*, found 'rgb24'"),
]


@pytest.mark.parametrize(("name", "options", "message"), REFUSALS)
def test_refusals_come_before_any_work(tmp_path: Path, name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(MediaError, match=message) as caught:
        VideoWriter(tmp_path / name, **options)
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == []


LATE_REFUSALS = [
    ("a.mkv", {"pix_fmt": "nonsense"}, "takes no pixel format 'nonsense'"),
    ("a.mkv", {"options": {"colour": "red"}}, "codec libx264 has no option colour"),
    ("a.mkv", {"options": {"preset": "warp"}}, "cannot encode 64x48 yuv420p.*preset"),
]


@pytest.mark.parametrize(("name", "options", "message"), LATE_REFUSALS)
def test_encoder_refusals_name_the_reason_and_leave_nothing(
    tmp_path: Path, frames: list[Frame], name: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(MediaError, match=message) as caught:
        write(tmp_path / name, frames, **options)
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_encoders_limits_on_size_are_named(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match=r"libx264 cannot encode 33x17 yuv420p into mp4: .*divisible"):
        write(tmp_path / "a.mp4", random_frames("yuv420p", 33, 17, 1))


@pytest.mark.parametrize(
    ("codec", "layout", "size", "hint"),
    [
        ("libx264", "yuv420p", (33, 17), "; use an even size (scale to -2 keeps the aspect) or --pix-fmt yuv444p"),
        ("libx265", "yuv420p", (64, 33), "; use an even size (scale to -2 keeps the aspect) or --pix-fmt yuv444p"),
        ("libx264", "yuv422p", (33, 64), "; use an even size (scale to -2 keeps the aspect) or --pix-fmt yuv444p"),
    ],
)
def test_odd_sizes_come_with_the_way_out(
    tmp_path: Path, codec: str, layout: str, size: tuple[int, int], hint: str
) -> None:
    frames = random_frames(layout, *size, 1)
    with pytest.raises(MediaError) as caught:
        write(tmp_path / "a.mkv", frames, codec=codec)
    assert str(caught.value).endswith(hint)
    write(tmp_path / "a.mkv", frames, codec=codec, pix_fmt="yuv444p")
    with pytest.raises(MediaError) as caught:
        write(tmp_path / "b.mkv", random_frames("yuv420p", 64, 48, 1), options={"preset": "warp"})
    assert "even size" not in str(caught.value)


def test_picture_beyond_ffmpegs_limit_is_named_with_its_size(tmp_path: Path) -> None:
    frame = Frame.from_arrays("gray", [np.zeros((16384, 16384), np.uint8)], 16384, 16384, "cpu")
    with pytest.raises(MediaError, match=r"16384x16384 gray: .* must be below 268435455, found 272646144"):
        write(tmp_path / "a.mkv", [frame], lossless=True)


@pytest.mark.parametrize(
    ("name", "have", "wanted"),
    [
        ("a.mkv", "yuv444p", "yuv420p"),
        ("a.mkv", "yuv420p10le", "yuv420p"),
        ("a.mkv", "rgb24", "gray"),
        ("a.y4m", "yuv422p", "yuv420p"),
        ("a.y4m", "yuv420p10le", "yuv420p"),
    ],
)
def test_lossless_and_a_format_that_loses_exclude_each_other(tmp_path: Path, name: str, have: str, wanted: str) -> None:
    frames = random_frames(have, 32, 16, 1)
    message = f"--lossless and --pix-fmt {wanted} exclude each other: {wanted} holds less than {have}"
    with pytest.raises(StateError, match=message):
        write(tmp_path / name, frames, lossless=True, pix_fmt=wanted)
    assert not list(tmp_path.iterdir())
    write(tmp_path / name, frames, pix_fmt=wanted)


def test_lossless_and_a_wider_format_go_together(tmp_path: Path) -> None:
    write(tmp_path / "a.mkv", random_frames("yuv420p", 32, 16, 1), lossless=True, pix_fmt="yuv444p10le")
    assert stored(tmp_path / "a.mkv")[1] == "yuv444p10le"


def test_lossless_refuses_what_the_codec_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="libx264 cannot hold rgb24 without loss"):
        write(tmp_path / "a.mp4", random_frames("rgb24", 64, 48, 1), lossless=True)


@pytest.mark.parametrize("layout", ["yuv420p", "yuv422p10le", "rgba", "rgba64le", "gray"])
@pytest.mark.parametrize("size", [(3, 3), (1, 1), (1, 5000), (5000, 3), (4, 7), (15, 2), (16, 15)], ids=str)
def test_lossless_default_takes_the_smallest_pictures(tmp_path: Path, layout: str, size: tuple[int, int]) -> None:
    frames = random_frames(layout, *size, 2)
    write(tmp_path / "a.mkv", frames, lossless=True)
    with VideoReader(tmp_path / "a.mkv") as reader:
        for written, read in zip(frames, reader, strict=True):
            assert_same_samples(written, read)


def test_what_is_no_frame_and_no_option_is_refused(tmp_path: Path, frames: list[Frame]) -> None:
    with pytest.raises(TypeError, match=r"nothing of the name 'crv': known are codec, crf, "):
        VideoWriter(tmp_path / "a.mkv", crv=20)  # type: ignore[call-arg]
    with VideoWriter(tmp_path / "a.mkv") as writer:
        writer.write(frames[0])
        with pytest.raises(FormatError, match="a writer takes a Frame, found ndarray"):
            writer.write(frames[0].to_arrays()[0])  # type: ignore[arg-type]


def test_existing_output_is_kept_unless_overwriting(tmp_path: Path, frames: list[Frame]) -> None:
    path = tmp_path / "a.mkv"
    path.write_text("precious")
    with pytest.raises(MediaError, match="exists already"):
        VideoWriter(path)
    assert path.read_text() == "precious"
    with VideoWriter(path, overwrite=True) as writer:
        assert path.read_text() == "precious"
        for frame in frames:
            writer.write(frame)
        assert path.read_text() == "precious"
    assert stored(path)[0] == "h264"


def test_file_that_appears_meanwhile_is_kept(tmp_path: Path, frames: list[Frame]) -> None:
    path = tmp_path / "a.mkv"
    with pytest.raises(MediaError, match="appeared while"), VideoWriter(path) as writer:
        writer.write(frames[0])
        path.write_text("precious")
    assert os.listdir(tmp_path) == ["a.mkv"]
    assert path.read_text() == "precious"


def test_output_must_not_be_the_input(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mkv", [gray_ramp(64, 48, n) for n in range(5)])
    (tmp_path / "link.mkv").symlink_to(path)
    with VideoReader(path) as reader:
        for name in ("a.mkv", "./a.mkv", "link.mkv"):
            with pytest.raises(MediaError, match="the output is the input"):
                VideoWriter(tmp_path / name, reader, overwrite=True)
    assert len(os.listdir(tmp_path)) == 2


def test_what_is_no_regular_file_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.mkv")
    with pytest.raises(MediaError, match="not a regular file"):
        VideoWriter(tmp_path / "pipe.mkv", overwrite=True)
    (tmp_path / "folder.mkv").mkdir()
    with pytest.raises(MediaError, match="is a directory"):
        VideoWriter(tmp_path / "folder.mkv", overwrite=True)
    with pytest.raises(MediaError, match="is a directory"):
        VideoWriter(f"{tmp_path}/new.mkv/")
    with pytest.raises(MediaError, match="is a directory"):  # not: has no extension
        VideoWriter(tmp_path)
    (tmp_path / "loop.mkv").symlink_to(tmp_path / "loop.mkv")
    with pytest.raises(MediaError, match="a symbolic link that leads to itself"):
        VideoWriter(tmp_path / "loop.mkv", overwrite=True)


@pytest.mark.parametrize("name", ["a.mkv", "a.y4m"])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("written", [0, 3])
def test_interrupted_writer_leaves_nothing(
    tmp_path: Path, frames: list[Frame], name: str, error: type[BaseException], written: int
) -> None:
    before = threading.active_count()
    with pytest.raises(error), VideoWriter(tmp_path / name) as writer:
        for frame in frames[:written]:
            writer.write(frame)
        raise error
    assert os.listdir(tmp_path) == []
    assert threading.active_count() == before


@pytest.mark.parametrize(("given", "stored"), [(29.97, Fraction(2997, 100)), (12, 12), (Fraction(24000, 1001),) * 2])
def test_a_rate_may_be_any_number(tmp_path: Path, given: float, stored: Fraction) -> None:
    with VideoWriter(tmp_path / "a.mp4", frame_rate=given) as writer:
        for frame in random_frames("yuv420p", 32, 32, 3):
            writer.write(replace(frame, pts=None, duration=None, time_base=None))
    with VideoReader(tmp_path / "a.mp4") as reader:
        assert reader.frame_rate == stored


@pytest.mark.parametrize("rate", [0, -1, 1001, float("nan"), "25", True])
def test_a_rate_that_is_none_is_refused(tmp_path: Path, rate: Any) -> None:
    with pytest.raises(StateError, match=f"frame_rate must be above 0 to 1000, found {rate!r}"):
        VideoWriter(tmp_path / "a.mp4", frame_rate=rate)
    with pytest.raises(StateError, match="reader of a writer must be of type VideoReader"):
        VideoWriter(tmp_path / "a.mp4", "in.mkv")  # type: ignore[arg-type]


def test_closed_and_forgotten_writers_leave_nothing(tmp_path: Path, frames: list[Frame]) -> None:
    writer = VideoWriter(tmp_path / "a.mkv")
    writer.write(frames[0])
    writer.close()
    assert os.listdir(tmp_path) == []
    with pytest.raises(MediaError, match="is closed"):
        writer.write(frames[0])
    with pytest.raises(MediaError, match="is closed"):
        writer.commit()
    forgotten = VideoWriter(tmp_path / "b.mkv")
    forgotten.write(frames[0])
    thread = forgotten._thread
    del forgotten
    gc.collect()
    thread.join(5)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["a.mkv", "a.y4m"])
def test_no_frame_is_an_error_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    with pytest.raises(MediaError, match="no frame to write"), VideoWriter(tmp_path / name):
        pass
    assert os.listdir(tmp_path) == []


def test_process_killed_by_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom texsamp.io import VideoWriter, pattern_clip\n"
        f"with VideoWriter({str(tmp_path / 'a.mkv')!r}) as w:\n"
        "    print('go', flush=True)\n    for f in pattern_clip(64, 48, 10**6): w.write(f)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"go\n"
        assert os.listdir(tmp_path) != []
        process.send_signal(signal.SIGINT)
        assert process.wait(20) != 0
    assert os.listdir(tmp_path) == []


def test_temporary_file_is_next_to_the_output_with_its_extension(tmp_path: Path, frames: list[Frame]) -> None:
    with VideoWriter(tmp_path / "film.mkv") as writer:
        writer.write(frames[0])
        (name,) = os.listdir(tmp_path)
        assert name.endswith(".mkv")
        assert name != "film.mkv"
    assert os.listdir(tmp_path) == ["film.mkv"]
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "film.mkv").stat().st_mode & 0o777 == 0o666 & ~mask


@pytest.mark.parametrize("name", ["a.mkv", "a.y4m"])
def test_size_change_is_refused(tmp_path: Path, frames: list[Frame], name: str) -> None:
    with pytest.raises(MediaError, match="frame 1 is 32x16, the file is 64x48"), VideoWriter(tmp_path / name) as writer:
        writer.write(frames[0])
        writer.write(next(pattern_clip(32, 16, 1)))
    assert os.listdir(tmp_path) == []


def test_encoders_error_reaches_the_caller_of_write(tmp_path: Path, frames: list[Frame]) -> None:
    writer = VideoWriter(tmp_path / "a.mkv", pix_fmt="nonsense")
    with pytest.raises(MediaError, match="nonsense"):
        for frame in frames * 100:
            writer.write(frame)
    writer.close()
    assert os.listdir(tmp_path) == []


def test_times_that_do_not_increase_are_moved_and_noted(tmp_path: Path, frames: list[Frame]) -> None:
    stuck = [replace(frame, pts=min(frame.pts, 2), time_base=Fraction(1, 25)) for frame in frames]
    notes = write(tmp_path / "a.mkv", stuck)
    assert notes == ["time stamps do not fit the file from frame 3 on: frames are moved later"]
    with VideoReader(tmp_path / "a.mkv") as reader:
        assert [f.pts for f in reader] == [0, 40, 80, 120, 160]


def test_frames_without_times_follow_at_the_frame_rate(tmp_path: Path, frames: list[Frame]) -> None:
    bare = [replace(frame, pts=None, duration=None, time_base=None) for frame in frames]
    write(tmp_path / "a.mkv", bare, frame_rate=Fraction(50))
    with VideoReader(tmp_path / "a.mkv") as reader:
        assert [f.pts for f in reader] == [0, 20, 40, 60, 80]


def test_frames_already_written_are_not_changed(tmp_path: Path, frames: list[Frame]) -> None:
    copies = [[np.array(plane) for plane in frame.planes] for frame in frames]
    write(tmp_path / "a.mkv", frames)
    for frame, planes in zip(frames, copies, strict=True):
        for plane, copy in zip(frame.planes, planes, strict=True):
            assert np.array_equal(plane, copy)


def test_standard_output_is_y4m() -> None:
    code = (
        "from texsamp.io import VideoWriter, pattern_clip\n"
        "with VideoWriter('-') as w:\n    for f in pattern_clip(16, 8, 2): w.write(f)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    header, rest = done.stdout.split(b"\n", 1)
    assert header.startswith(b"YUV4MPEG2 W16 H8 F25:1 Ip A1:1 C420mpeg2")
    assert len(rest) == 2 * (len(b"FRAME\n") + 16 * 8 * 3 // 2)


def test_reader_of_the_pipe_that_goes_away_is_named() -> None:
    code = (
        "from texsamp.io import VideoWriter, pattern_clip\n"
        "with VideoWriter('-') as w:\n    for f in pattern_clip(640, 480, 50): w.write(f)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(100)
        process.stdout.close()
        assert b"MediaError: standard output: the reader of the pipe has gone away" in process.stderr.read()
        assert process.wait(20) == 1


def test_pictures_of_one_rate_keep_it_exactly(tmp_path: Path) -> None:
    rate = Fraction(30000, 1001)
    for name in ("a.mp4", "a.ts", "a.avi", "a.y4m", "a.mpg"):
        write(tmp_path / name, list(pattern_clip(64, 48, 12, rate)))
        with VideoReader(tmp_path / name) as reader:
            assert reader.frame_rate == rate, name


@pytest.mark.parametrize("codec", ["libx264", "libx265", "libsvtav1", "mpeg2video"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_shortest_videos_are_complete(tmp_path: Path, codec: str, count: int) -> None:
    for name in ("a.mkv", "a.mp4"):
        write(tmp_path / name, list(pattern_clip(64, 64, count)), codec=codec)
        with VideoReader(tmp_path / name) as reader:
            assert [f.pts * f.time_base for f in reader] == [Fraction(n, 25) for n in range(count)]


def test_encoders_do_not_chatter(tmp_path: Path) -> None:
    """Progress and messages belong to the program; encoders write straight to standard error."""
    code = (
        "from texsamp.io import VideoWriter, pattern_clip\n"
        "for c in ('libx264', 'libx265', 'libvpx-vp9', 'libsvtav1', 'ffv1'):\n"
        f"    with VideoWriter({str(tmp_path)!r} + '/' + c + '.mkv', codec=c) as w:\n"
        "        for f in pattern_clip(64, 64, 2): w.write(f)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
