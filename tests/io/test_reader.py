"""Reading: what is decoded, where it lies, which part of it, and how it fails."""

import gc
import os
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from support.media import av_picture, gray_ramp, write_video

from texsamp import MediaError, StateError
from texsamp.io import VideoReader, VideoWriter
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.pipeline import Pipeline

FRAMES = 100


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four seconds with B frames and a key frame every 12."""
    path = tmp_path_factory.mktemp("reader") / "clip.mkv"
    return write_video(path, [gray_ramp(64, 48, n) for n in range(FRAMES)], options={"g": "12", "bf": "2"})


def brightness(frames: Any) -> list[int]:
    return [int(frame.planes[0][0, 0]) for frame in frames]


def expected(*numbers: int) -> list[int]:
    return [16 + 4 * n % 220 for n in numbers]


def assert_frames(found: Any, *numbers: int) -> None:
    levels = brightness(found)
    assert len(levels) == len(numbers)
    assert np.abs(np.subtract(levels, expected(*numbers))).max() <= 2


def test_frames_come_in_display_order_with_their_times(clip: Path) -> None:
    with VideoReader(clip) as reader:
        frames = list(reader)
    assert_frames(frames, *range(FRAMES))
    assert [f.pts * f.time_base for f in frames] == [Fraction(n, 25) for n in range(FRAMES)]
    assert {f.duration * f.time_base for f in frames} == {Fraction(1, 25)}


def test_properties_of_a_stream(clip: Path) -> None:
    with VideoReader(clip) as reader:
        assert (reader.width_px, reader.height_px, reader.layout.name) == (64, 48, "yuv420p")
        assert (reader.frame_rate, reader.time_base, reader.frame_count) == (25, Fraction(1, 1000), FRAMES)
        assert reader.duration_s == 4
        assert reader.info.codec == "h264"
        assert reader.info.container.startswith("matroska")
        assert (reader.rotation, reader.display_matrix, reader.notes) == (0, None, [])


@pytest.mark.parametrize("name", sorted({"yuv420p", "yuv420p10le", "nv12", "yuyv422", "rgba", "gray", "rgb24"}))
def test_planes_are_views_on_the_decoders_memory(tmp_path: Path, name: str) -> None:
    path = write_video(tmp_path / "a.nut", [av_picture(name, 64, 48, 1)] * 2, codec="rawvideo")
    with VideoReader(path) as reader:
        for frame in reader:
            for plane in frame.planes:
                assert not plane.flags.owndata
                assert not plane.flags.writeable
                assert plane.strides[1] == plane.itemsize


def test_frames_outlive_their_reader(clip: Path) -> None:
    with VideoReader(clip) as reader:
        frames = list(reader)
    del reader
    gc.collect()
    assert_frames(frames, *range(FRAMES))


def decode_with_pyav(path: Path, layout: str) -> list[list[np.ndarray]]:
    with av.open(path) as container:
        pictures = [p.reformat(format=layout) for p in container.decode(video=0)]
        return [[np.array(plane) for plane in picture.planes] for picture in pictures]


@pytest.mark.parametrize(
    ("codec", "pix_fmt", "layout"),
    [
        ("libx264", "yuv420p10le", "yuv420p10le"),
        ("libx264", "yuv422p", "yuv422p"),
        ("ffv1", "yuv420p12le", "yuv420p10le"),
        ("ffv1", "yuva420p", "yuv420p"),
        ("ffv1", "yuv411p", "yuv422p"),
        ("ffv1", "yuv410p", "yuv420p"),
        ("ffv1", "yuv440p", "yuv444p"),
        ("ffv1", "gbrp10le", "x2rgb10le"),
        ("ffv1", "gbrp12le", "rgb48le"),
        ("ffv1", "bgr0", "rgb24"),
        ("ffv1", "gray16le", "gray10le"),
        ("png", "pal8", "rgba"),
        ("png", "rgb48be", "rgb48le"),
        ("png", "ya8", "gray"),
        ("png", "monob", "gray"),
        ("mjpeg", "yuvj420p", "yuv420p"),
        ("prores_ks", "yuva444p10le", "yuv444p10le"),
        ("dvvideo", "yuv411p", "yuv422p"),
    ],
)
def test_every_pixel_format_arrives_in_a_layout_with_a_note(
    tmp_path: Path, codec: str, pix_fmt: str, layout: str
) -> None:
    size = (720, 480) if codec == "dvvideo" else (64, 48)
    rate = Fraction(30000, 1001) if codec == "dvvideo" else 25
    suffix = {"dvvideo": ".avi", "png": ".mov"}.get(codec, ".mkv")
    path = write_video(tmp_path / f"a{suffix}", [av_picture(pix_fmt, *size, n) for n in range(2)], codec, rate)
    with VideoReader(path) as reader:
        frames = list(reader)
    assert len(frames) == 2
    assert reader.layout is PIXEL_LAYOUTS[layout]
    assert all(frame.layout is reader.layout for frame in frames)
    stored = reader.info.pix_fmt
    if stored not in (layout, "yuvj420p"):
        assert any(f"{stored} is converted to {layout}" in note for note in reader.notes)
    else:
        assert reader.notes == []


def test_full_range_jpeg_is_the_same_memory_with_another_name(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.avi", [av_picture("yuvj422p", 64, 48, 1)], "mjpeg")
    with VideoReader(path) as reader:
        (frame,) = reader
    assert frame.layout.name == "yuv422p"
    assert frame.color.full_range is True
    assert not frame.planes[0].flags.owndata
    with av.open(path) as container:
        picture = next(container.decode(video=0))
        luma = np.frombuffer(picture.planes[0], np.uint8).reshape(48, -1)[:, :64]
    assert np.array_equal(frame.planes[0], luma)


@pytest.mark.parametrize("size", [(62, 46), (33, 17), (1, 1), (2, 3)], ids=str)
def test_cropped_and_odd_sizes(tmp_path: Path, size: tuple[int, int]) -> None:
    """H.264 codes whole macroblocks and crops; its planes are narrower than their rows in memory."""
    pictures = [gray_ramp(*size, n) for n in range(3)]
    source = [p.reformat(format="yuv444p") for p in pictures]
    path = write_video(tmp_path / "a.mkv", source, options={"qp": "0"})
    with VideoReader(path) as reader:
        frames = list(reader)
    for frame, picture in zip(frames, source, strict=True):
        assert frame.planes[0].shape == size[::-1]
        assert np.array_equal(frame.planes[0], picture.to_ndarray()[0])


def test_size_change_within_a_stream_is_per_frame_and_noted(tmp_path: Path) -> None:
    parts = []
    for number, size in enumerate([(64, 48), (96, 32)]):
        part = write_video(tmp_path / f"{number}.h264", [gray_ramp(*size, n) for n in range(4)], options={"bf": "0"})
        parts.append(part.read_bytes())
    path = tmp_path / "both.h264"
    path.write_bytes(b"".join(parts))
    with VideoReader(path) as reader:
        assert [(f.width_px, f.height_px) for f in reader] == [(64, 48)] * 4 + [(96, 32)] * 4
    assert any("64x48 to 96x32" in note for note in reader.notes)


def test_elementary_streams_get_times_from_their_rate(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.h264", [gray_ramp(64, 48, n) for n in range(10)], options={"bf": "0"})
    with VideoReader(path) as reader:
        times = [f.pts * f.time_base for f in reader]
    assert np.diff([float(t) for t in times]) == pytest.approx(0.04)


@pytest.mark.parametrize("suffix", [".mkv", ".mp4", ".ts", ".y4m", ".avi"])
@pytest.mark.parametrize(
    ("cut", "numbers"),
    [
        ({"start_s": 1}, range(25, FRAMES)),
        ({"start_s": 1.0, "duration_s": 0.4}, range(25, 35)),
        ({"duration_s": 0.2}, range(5)),
        ({"max_frames": 7}, range(7)),
        ({"start_s": 0.52, "max_frames": 3}, range(13, 16)),
        ({"start_s": 0.5, "max_frames": 1}, range(13, 14)),
        ({"start_s": 3.96}, range(99, 100)),
        ({"start_s": 0, "duration_s": 100}, range(FRAMES)),
    ],
    ids=str,
)
def test_cuts_are_exact_to_the_frame(
    tmp_path_factory: pytest.TempPathFactory, clip: Path, suffix: str, cut: dict[str, Any], numbers: range
) -> None:
    path = clip.with_name(f"cut{suffix}")
    if not path.exists():
        codec = {".y4m": "wrapped_avframe", ".avi": "ffv1"}.get(suffix, "libx264")
        write_video(path, [gray_ramp(64, 48, n) for n in range(FRAMES)], codec, options={"g": "12"})
    with VideoReader(path, **cut) as reader:
        count = reader.frame_count
        assert_frames(reader, *numbers)
    assert count is None or abs(count - len(numbers)) <= 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start_s": 50}, "nothing at 50.000 s, its last frame begins at 3.960 s"),
        ({"start_s": 3.99}, "nothing at 3.990 s, its last frame begins at 3.960 s"),
        ({"start_s": 1.01, "duration_s": 0.01}, "between 1.010 s and 1.020 s, the next begins at 1.040 s"),
        ({"start_s": 1e300}, r"start must be at most 1000000000 s, found 1e\+300 s"),
        ({"start_s": float("inf")}, "start must be a number of seconds from 0 to 1000000000, found inf"),
        ({"duration_s": 0}, "duration must be more than 0.001 s, found 0 s"),
        ({"duration_s": 1e-9}, "duration must be more than 0.001 s, found 1e-09 s"),
        ({"start_s": -1}, "start must not be negative, found -1"),
        ({"duration_s": -0.5}, "duration must not be negative"),
        ({"start_s": "soon"}, "start must be a number of seconds from 0 to 1000000000, found 'soon'"),
        ({"max_frames": 0}, "at least 1, found 0"),
        ({"threads": 0}, "at least 1, found 0"),
        ({"max_frames": True}, "frames to read must be an integer of at least 1, found True"),
        ({"max_frames": 2.0}, "frames to read must be an integer of at least 1, found 2.0"),
        ({"threads": 1.5}, "decoding threads must be an integer of at least 1, found 1.5"),
        ({"threads": "2"}, "decoding threads must be an integer of at least 1, found '2'"),
    ],
)
def test_impossible_cuts_are_named(clip: Path, arguments: dict[str, Any], message: str) -> None:
    of_the_file = message.startswith(("nothing", "between"))
    with pytest.raises(MediaError if of_the_file else StateError, match=message):
        VideoReader(clip, **arguments)


def test_missing_empty_and_foreign_files_are_named(tmp_path: Path, clip: Path) -> None:
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "text.mp4").write_text("this is not a video\n" * 100)
    cases = {
        "none.mkv": "no such file",
        "empty.mp4": "the file is empty",
        "text.mp4": "cannot be opened",
        "": "directory",
    }
    for name, message in cases.items():
        with pytest.raises(MediaError, match=message) as caught:
            VideoReader(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_sound_without_pictures_is_named(tmp_path: Path) -> None:
    with av.open(tmp_path / "a.wav", "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1600), np.int16), "s16", "stereo")
        frame.sample_rate = 8000
        container.mux(stream.encode(frame))
    with pytest.raises(MediaError, match=r"no video stream \(found audio\)"):
        VideoReader(tmp_path / "a.wav")


def test_truncated_file_gives_what_is_there(tmp_path: Path, clip: Path) -> None:
    data = clip.read_bytes()
    (tmp_path / "half.mkv").write_bytes(data[: len(data) // 2])
    for _ in range(2):
        with VideoReader(tmp_path / "half.mkv") as reader:
            found = len(list(reader))
        assert 0 < found < FRAMES
        assert any("the file is damaged or ends early: " in note for note in reader.notes)
    mp4 = write_video(tmp_path / "a.mp4", [gray_ramp(64, 48, n) for n in range(20)])
    (tmp_path / "half.mp4").write_bytes(mp4.read_bytes()[:800])
    with pytest.raises(MediaError, match=r"half\.mp4"):
        VideoReader(tmp_path / "half.mp4")


def _void_last_cluster(path: Path) -> None:
    """The last cluster becomes padding (a void element), which no demuxer complains about."""
    data = bytearray(path.read_bytes())
    cluster = data.rindex(b"\x1f\x43\xb6\x75")
    size_at = cluster + 4
    size_B = 9 - data[size_at].bit_length()
    content = int.from_bytes(data[size_at : size_at + size_B], "big") & ((1 << 7 * size_B) - 1)
    length = 4 + size_B + content
    data[cluster : cluster + 9] = b"\xec\x01" + (length - 9).to_bytes(7, "big")
    path.write_bytes(data)


@pytest.mark.parametrize("sound", [False, True])
def test_stream_that_ends_before_its_declared_end_is_noted(tmp_path: Path, rich_mkv: Path, sound: bool) -> None:
    """With sound the container's length is not the video's: the tag of the stream tells that."""
    with (
        av.open(rich_mkv) as whole,
        av.open(tmp_path / "a.mkv", "w", options={"cluster_time_limit": "1000"}) as copy,
    ):
        wanted = [whole.streams.video[0], *whole.streams.audio[: int(sound)]]
        streams = {stream.index: copy.add_stream_from_template(stream) for stream in wanted}
        for packet in whole.demux(wanted):
            if packet.dts is not None:
                packet.stream = streams[packet.stream.index]
                copy.mux(packet)
    _void_last_cluster(tmp_path / "a.mkv")
    with VideoReader(tmp_path / "a.mkv") as reader:
        assert 0 < len(list(reader)) < 100
    assert len(reader.notes) == 1
    assert "its video ends at " in reader.notes[0]
    assert "declared are 4.000 s" in reader.notes[0]


def test_longer_sound_is_no_sign_of_damage(rich_mkv: Path, tmp_path: Path) -> None:
    path = tmp_path / "short.mkv"
    with VideoReader(rich_mkv, max_frames=25) as reader:
        frames = list(reader)
    with VideoReader(rich_mkv) as reader, VideoWriter(path, reader) as writer:
        for frame in frames:
            writer.write(frame)
        list(reader)
    with av.open(path) as container:
        assert container.duration > 3 * av.time_base
    with VideoReader(path) as reader:
        assert len(list(reader)) == 25
    assert reader.notes == []


def test_other_threads_log_stays_off_standard_error() -> None:
    code = (
        "import threading, av.logging\nfrom texsamp.io.files.ffmpeg_log import captured_log\n"
        "with captured_log(av.logging.ERROR) as log:\n"
        "    other = threading.Thread(target=av.logging.log, args=(av.logging.ERROR, 'h264', 'damaged'))\n"
        "    other.start(); other.join()\nprint(log)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"[]\n", b"")


def test_damaged_packets_are_counted(tmp_path: Path) -> None:
    """Zeroed slices in an MPEG-TS: decoding goes on, and says that something was wrong."""
    path = write_video(tmp_path / "a.mkv", [av_picture("yuv420p", 64, 48, n) for n in range(20)], "ffv1")
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 3000] = bytes(3000)
    path.write_bytes(data)
    with VideoReader(path) as reader:
        found = len(list(reader))
    assert 0 < found < 20 or reader.notes


@pytest.mark.parametrize("consumed", [0, 1, 5])
def test_stopping_early_ends_the_decoding_thread(clip: Path, consumed: int) -> None:
    before = threading.active_count()
    with VideoReader(clip) as reader:
        for _ in range(consumed):
            next(reader)
    assert threading.active_count() <= before
    with pytest.raises(StateError, match="is closed"):
        list(reader)


def test_forgotten_reader_ends_its_thread(clip: Path) -> None:
    before = threading.active_count()
    reader = VideoReader(clip)
    next(reader)
    thread = reader._thread
    del reader
    gc.collect()
    thread.join(5)
    assert threading.active_count() <= before


def test_error_while_reading_reaches_the_consumer(tmp_path: Path) -> None:
    path = tmp_path / "a.y4m"
    path.write_bytes(b"YUV4MPEG2 W4 H4 F25:1 C420\n" + (b"FRAME\n" + bytes(24)) * 3 + b"FRAME\n" + bytes(10))
    with VideoReader(path) as reader:
        for _ in range(3):
            next(reader)
        with pytest.raises(MediaError, match=r"ends inside y4m frame 3: 24 bytes are needed, found 10"):
            next(reader)


def test_decoding_runs_on_another_thread(clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from texsamp.io.input import av_source

    threads = set()
    original = av_source.AvSource._packets

    def spy(self: Any) -> Any:
        for packet in original(self):
            threads.add(threading.current_thread().name)
            yield packet

    monkeypatch.setattr(av_source.AvSource, "_packets", spy)
    with VideoReader(clip) as reader:
        list(reader)
    assert threads == {"texsamp-decode"}


def test_colon_in_a_file_name_is_no_protocol(tmp_path: Path) -> None:
    path = write_video(tmp_path / "plain.mkv", [gray_ramp(64, 48, n) for n in range(2)])
    odd = tmp_path / "concat:a b%03d'.mkv"
    path.rename(odd)
    with VideoReader(odd) as reader:
        assert len(list(reader)) == 2


def test_standard_input_is_y4m(tmp_path: Path) -> None:
    code = "from texsamp.io import VideoReader\nr = VideoReader('-', max_frames=2)\nprint(len(list(r)), r.width_px)"
    y4m = b"YUV4MPEG2 W4 H4 F25:1 C420\n" + (b"FRAME\n" + bytes(24)) * 3
    done = subprocess.run([sys.executable, "-c", code], input=y4m, capture_output=True, check=True)
    assert done.stdout.split() == [b"2", b"4"]
    done = subprocess.run([sys.executable, "-c", code], input=b"RIFF....", capture_output=True, check=False)
    assert b"MediaError: standard input: cannot be opened: Invalid data" in done.stderr
    done = subprocess.run([sys.executable, "-c", code], input=b"", capture_output=True, check=False)
    assert b"MediaError: standard input: ended before its first byte" in done.stderr


def test_a_closed_reader_is_no_empty_video(clip: Path) -> None:
    with VideoReader(clip) as reader:
        pipeline = Pipeline.parse("sharpen=3")
        later = pipeline(reader)
        next(reader)
    for ask in (
        lambda: next(later),
        lambda: next(reader),
        lambda: reader[0],
        lambda: reader.at(0),
        lambda: len(reader),
    ):
        with pytest.raises(StateError, match=r"clip\.mkv is closed: its frames are read within `with`"):
            ask()
    with VideoReader(clip) as reader:
        assert list(reader)
    assert next(reader, None) is None  # its last frame had been taken


def test_reader_of_a_silent_pipe_can_be_closed() -> None:
    """Nobody writes after the first frame; closing must not wait for more."""
    code = "from texsamp.io import VideoReader\nr = VideoReader('-')\nnext(r)\nr.close()\nprint('closed', flush=True)"
    read_end, write_end = os.pipe()
    with subprocess.Popen([sys.executable, "-c", code], stdin=read_end, stdout=subprocess.PIPE) as process:
        os.write(write_end, b"YUV4MPEG2 W4 H4 F25:1 C420\nFRAME\n" + bytes(24))
        assert process.stdout is not None
        assert process.stdout.readline() == b"closed\n"
        os.close(write_end)
        os.close(read_end)
        assert process.wait(10) == 0


def test_unreadable_files_are_named(clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(MediaError, match=r"clip\.mkv: cannot be opened: Permission denied"):
        VideoReader(clip)
