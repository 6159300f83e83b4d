"""What is not processed is carried over: audio, subtitles, attachments, chapters, tags, times, aspect, rotation."""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from support.media import gray_ramp, write_video
from support.shell import COMMAND

from texsamp import Frame, MediaError
from texsamp.io import VideoReader, VideoWriter
from texsamp.io.streams import copying


def copy(source: Path, target: Path, reading: dict[str, Any] | None = None, **writing: Any) -> list[str]:
    with VideoReader(source, **reading or {}) as reader, VideoWriter(target, reader, **writing) as writer:
        for frame in reader:
            writer.write(frame)
    return [*reader.notes, *writer.notes]


def packets(path: Path, index: int) -> list[tuple[Fraction, bytes]]:
    """Time in seconds and content of a stream's packets."""
    with av.open(path) as container:
        return [(p.pts * p.time_base, bytes(p)) for p in container.demux(container.streams[index]) if p.size]


def index_of(path: Path, kind: str, language: str) -> int:
    with av.open(path) as container:
        return next(s.index for s in container.streams if s.type == kind and s.metadata.get("language") == language)


def test_mkv_keeps_every_stream_in_order_with_its_tags(tmp_path: Path, rich_mkv: Path) -> None:
    out = tmp_path / "out.mkv"
    assert copy(rich_mkv, out) == []
    with av.open(rich_mkv) as before, av.open(out) as after:
        for a, b in zip(before.streams, after.streams, strict=True):
            assert a.type == b.type
            assert a.metadata.get("language") == b.metadata.get("language")
            assert a.metadata.get("title") == b.metadata.get("title")
            assert int(a.disposition) == int(b.disposition)
        assert after.metadata["title"] == "A title"
        assert after.metadata["DATE_RELEASED"] == "1999"
        chapters = after.chapters()
        assert [c["metadata"]["title"] for c in chapters] == ["One", "Two"]
        assert [c["start"] * c["time_base"] for c in chapters] == [0, Fraction(3, 2)]
        attachment = next(s for s in after.streams if s.type == "attachment")
        assert (attachment.name, attachment.mimetype) == ("font.ttf", "application/x-truetype-font")
        assert attachment.data == next(s for s in before.streams if s.type == "attachment").data


@pytest.mark.parametrize(("kind", "language"), [("audio", "ger"), ("audio", "eng"), ("subtitle", "eng")])
def test_copied_packets_are_the_same_bytes_at_the_same_time(
    tmp_path: Path, rich_mkv: Path, kind: str, language: str
) -> None:
    out = tmp_path / "out.mkv"
    copy(rich_mkv, out)
    before = packets(rich_mkv, index_of(rich_mkv, kind, language))
    assert len(before) >= 3
    assert packets(out, index_of(out, kind, language)) == before


def test_streams_are_interleaved_by_time(tmp_path: Path, rich_mkv: Path) -> None:
    out = tmp_path / "out.mkv"
    copy(rich_mkv, out)
    latest = Fraction(0)
    with av.open(out) as container:
        for packet in container.demux():
            if packet.size and packet.dts is not None and packet.stream.type != "subtitle":
                time = packet.dts * packet.time_base
                assert time > latest - 1
                latest = max(latest, time)


def test_mp4_names_what_it_drops(tmp_path: Path, rich_mkv: Path) -> None:
    out = tmp_path / "out.mp4"
    notes = copy(rich_mkv, out, copy_only=True)
    assert any("subtitle" in note and "eng" in note and "dropped" in note for note in notes)
    assert any("attachment" in note and "dropped" in note for note in notes)
    with av.open(out) as container:
        assert [s.type for s in container.streams if s.type in ("audio", "video")] == ["audio", "video", "audio"]
        assert [s.metadata["language"] for s in container.streams.audio] == ["ger", "eng"]
        assert [c["metadata"]["title"] for c in container.chapters()] == ["One", "Two"]
        assert container.metadata["title"] == "A title"


def test_y4m_names_what_it_drops(tmp_path: Path, rich_mkv: Path) -> None:
    notes = copy(rich_mkv, tmp_path / "out.y4m")
    assert any("1 attachment, 2 audio, 1 subtitle" in note for note in notes)


def test_cut_keeps_sound_and_picture_together(tmp_path: Path, rich_mkv: Path) -> None:
    out = tmp_path / "out.mkv"
    copy(rich_mkv, out, {"start_s": 1.0, "duration_s": 2.0})
    with VideoReader(out) as reader:
        frames = list(reader)
    assert [f.pts * f.time_base for f in frames] == [Fraction(n, 25) for n in range(50)]
    brightness = [int(f.planes[0][0, 0]) for f in frames]
    assert abs(brightness[0] - (16 + 4 * 25)) <= 2
    assert abs(brightness[-1] - (16 + 4 * 74 % 220)) <= 2
    for language in ("ger", "eng"):
        before = packets(rich_mkv, index_of(rich_mkv, "audio", language))
        expected = [(time - 1, data) for time, data in before if 1 <= time < 3]
        assert packets(out, index_of(out, "audio", language)) == expected
    text = packets(out, index_of(out, "subtitle", "eng"))
    assert [(float(time), data) for time, data in text] == [(0.0, b"second line")]
    with av.open(out) as container:
        chapters = [(c["start"] * c["time_base"], c["end"] * c["time_base"]) for c in container.chapters()]
    assert chapters == [(0, Fraction(1, 2)), (Fraction(1, 2), 2)]


def test_subtitle_that_reaches_into_the_cut_is_kept_from_there(tmp_path: Path, rich_mkv: Path) -> None:
    out = tmp_path / "out.mkv"
    copy(rich_mkv, out, {"start_s": 2.0})
    assert [(float(t), d) for t, d in packets(out, index_of(out, "subtitle", "eng"))] == [
        (0.0, b"second line"),
        (1.0, b"third line"),
    ]


def test_frame_limit_ends_the_sound_too(tmp_path: Path, rich_mkv: Path) -> None:
    out = tmp_path / "out.mkv"
    copy(rich_mkv, out, {"max_frames": 20})
    assert max(time for time, _ in packets(out, index_of(out, "audio", "ger"))) < Fraction(20, 25)


def test_writer_ends_the_sound_where_the_caller_stopped(tmp_path: Path, rich_mkv: Path) -> None:
    out = tmp_path / "out.mkv"
    with VideoReader(rich_mkv) as reader, VideoWriter(out, reader) as writer:
        for _, frame in zip(range(25), reader, strict=False):
            writer.write(frame)
    assert 0.9 < max(time for time, _ in packets(out, index_of(out, "audio", "ger"))) < 1.1


@pytest.mark.parametrize("extension", [".mkv", ".mp4", ".mov"])
def test_color_tags_aspect_and_chroma_location_survive(tmp_path: Path, rich_mkv: Path, extension: str) -> None:
    out = tmp_path / f"out{extension}"
    copy(rich_mkv, out)
    with VideoReader(rich_mkv) as before, VideoReader(out) as after:
        assert after.sample_aspect == before.sample_aspect == Fraction(16, 11)
        assert (after.color.matrix, after.color.primaries, after.color.transfer) == (6, 6, 6)
        assert after.color.full_range is False
        assert after.color.chroma_location == before.color.chroma_location == 1


def test_full_range_survives(tmp_path: Path) -> None:
    def full(container: Any, stream: Any) -> None:
        stream.codec_context.color_range = 2

    source = write_video(tmp_path / "a.mkv", [gray_ramp(64, 48, n) for n in range(5)], setup=full)
    copy(source, tmp_path / "b.mp4")
    with VideoReader(tmp_path / "b.mp4") as reader:
        assert reader.color.full_range is True


@pytest.mark.parametrize("extension", [".mp4", ".mov", ".mkv"])
def test_rotation_survives(tmp_path: Path, extension: str) -> None:
    source = write_video(
        tmp_path / "a.mp4",
        [gray_ramp(64, 48, n) for n in range(5)],
        setup=lambda _, stream: stream.set_display_rotation(90),
    )
    copy(source, tmp_path / f"b{extension}", {"autorotate": False})
    for path in (source, tmp_path / f"b{extension}"):
        with VideoReader(path, autorotate=False) as reader:
            assert reader.rotation == 90
            with av.open(path) as container:
                assert next(container.decode(video=0)).rotation == 90


VFR_TIMES = [0, 40, 73, 113, 200, 210, 333, 500, 1000, 1001]


@pytest.mark.parametrize("extension", [".mkv", ".mp4", ".mov"])
def test_variable_frame_rate_times_pass_unchanged(tmp_path: Path, extension: str) -> None:
    pictures = [gray_ramp(64, 48, n) for n in range(len(VFR_TIMES))]
    source = write_video(tmp_path / "a.mkv", pictures, times=VFR_TIMES, time_base=Fraction(1, 1000))
    with VideoReader(source) as reader:
        assert [(f.pts, f.time_base) for f in reader] == [(t, Fraction(1, 1000)) for t in VFR_TIMES]
    copy(source, tmp_path / f"b{extension}")
    with VideoReader(tmp_path / f"b{extension}") as reader:
        assert [f.pts * f.time_base for f in reader] == [Fraction(t, 1000) for t in VFR_TIMES]


@pytest.mark.parametrize("extension", [".avi", ".y4m"])
def test_constant_rate_containers_say_that_times_are_not_kept(tmp_path: Path, extension: str) -> None:
    pictures = [gray_ramp(64, 48, n) for n in range(len(VFR_TIMES))]
    source = write_video(tmp_path / "a.mkv", pictures, times=VFR_TIMES, time_base=Fraction(1, 1000))
    notes = copy(source, tmp_path / f"b{extension}")
    assert any("time stamps" in note for note in notes)


def test_stream_that_starts_late_starts_at_zero(tmp_path: Path) -> None:
    source = write_video(tmp_path / "a.ts", [gray_ramp(64, 48, n) for n in range(10)], times=range(250, 260))
    copy(source, tmp_path / "b.mkv")
    with VideoReader(source) as before, VideoReader(tmp_path / "b.mkv") as after:
        assert before.info.start_s == 10
        assert [f.pts * f.time_base for f in after] == [Fraction(n, 25) for n in range(10)]


def halved(frames: Iterator[Frame]) -> Iterator[Frame]:
    """Two frames for one, as a deinterlacer at field rate makes them."""
    for frame in frames:
        base = frame.time_base / 2
        for number in range(2):
            yield replace(frame, pts=2 * frame.pts + number * frame.duration, time_base=base)


def test_twice_the_frames_are_written_at_twice_the_rate(tmp_path: Path, rich_mkv: Path) -> None:
    out = tmp_path / "out.mkv"
    with VideoReader(rich_mkv, max_frames=10) as reader, VideoWriter(out, reader) as writer:
        for frame in halved(reader):
            writer.write(frame)
    with VideoReader(out) as reader:
        assert reader.frame_rate == 50
        assert [f.pts * f.time_base for f in reader] == [Fraction(n, 50) for n in range(20)]


def test_cover_picture_stays_a_cover(tmp_path: Path) -> None:
    png = tmp_path / "cover.png"
    with av.open(png, "w", format="image2") as container:
        stream = container.add_stream("png", rate=1)
        stream.width = stream.height = 16
        stream.pix_fmt = "rgb24"
        container.mux(stream.encode(av.VideoFrame.from_ndarray(np.zeros((16, 16, 3), np.uint8), "rgb24")))
        container.mux(stream.encode(None))
    source = write_video(
        tmp_path / "a.mkv",
        [gray_ramp(64, 48, n) for n in range(5)],
        setup=lambda container, _: container.add_attachment("cover.png", "image/png", png.read_bytes()),
    )
    for extension in (".mkv", ".mp4"):
        out = tmp_path / f"b{extension}"
        assert all("players" in note for note in copy(source, out))
        with av.open(out) as container:
            cover = container.streams.video[1]
            assert int(cover.disposition) & 1024
            assert bytes(next(p for p in container.demux(cover))) == png.read_bytes()
        with VideoReader(out) as reader:
            assert (reader.width_px, sum(1 for _ in reader)) == (64, 5)


def test_transport_streams_are_not_filled_with_unreadable_data(tmp_path: Path, rich_mkv: Path) -> None:
    out = tmp_path / "out.ts"
    notes = copy(rich_mkv, out, copy_only=True)
    assert any("audio stream 0 (flac, ger) is dropped: mpegts cannot hold it" in note for note in notes)
    with av.open(out) as container:
        assert [s.type for s in container.streams] == ["video", "audio"]
        assert container.streams.audio[0].codec_context.name == "aac"


def test_tags_that_a_muxer_loses_silently_are_named(tmp_path: Path, rich_mkv: Path) -> None:
    assert "metadata DATE_RELEASED cannot be held by mp4 and is dropped" in copy(rich_mkv, tmp_path / "out.mp4")
    notes = copy(rich_mkv, tmp_path / "out.ts", copy_only=True)
    assert any("2 chapters cannot be held by mpegts" in note for note in notes)
    assert any("the title 'Commentary' of stream 1 cannot be held" in note for note in notes)


def _subpicture(stop: int | None) -> bytes:
    """A line of a DVD's subtitles, which ends after so many 1/88 s or stays."""
    lines = b"\0\1" * 4
    begin = bytes.fromhex("03 3210 04 fff0 05 00000f 000003 06 0004 0008 01 ff")
    place = 4 + len(lines)
    following = place if stop is None else place + 4 + len(begin)
    commands = bytes(2) + following.to_bytes(2) + begin
    if stop is not None:
        commands += stop.to_bytes(2) + following.to_bytes(2) + b"\2\xff"
    return (place + len(commands)).to_bytes(2) + place.to_bytes(2) + lines + commands


@pytest.mark.parametrize(("stop", "shown_s"), [(44, 0.5), (None, 1.0)])
def test_subtitles_of_dvds_are_shown_in_mp4_as_long_as_they_say(
    tmp_path: Path, stop: int | None, shown_s: float
) -> None:
    """Players hide the last of a track that does not say how long it is shown; one without an end stays."""
    with av.open(tmp_path / "in.mkv", "w") as container:
        video, text = container.add_stream("mpeg2video", rate=25), container.add_stream("dvdsub")  # type: ignore[call-overload]
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        for number in range(75):
            picture = gray_ramp(64, 48, number)
            picture.pts, picture.time_base = number, Fraction(1, 25)
            container.mux(video.encode(picture))
            if number % 25 == 24 and number < 50:
                packet = av.Packet(_subpicture(stop))
                packet.stream, packet.time_base = text, Fraction(1, 1000)
                packet.pts = packet.dts = 1000 * (number + 1) // 25
                container.mux(packet)
        container.mux(video.encode(None))
    copy(tmp_path / "in.mkv", tmp_path / "out.mp4")
    with av.open(tmp_path / "out.mp4") as container:
        shown = [(float(p.pts * p.time_base), float(p.duration * p.time_base))
                 for p in container.demux(subtitles=0) if p.size]  # fmt: skip
    assert [begin for begin, _ in shown] == pytest.approx([1, 2], abs=0.05)
    assert shown[-1][1] == pytest.approx(shown_s, abs=0.05)


CAMERA = {
    "com.apple.quicktime.make": "Apple",
    "com.apple.quicktime.model": "iPhone 12",
    "com.apple.quicktime.location.ISO6709": "+52.5000+013.4000/",
    "creation_time": "2020-05-05T10:00:00.000000Z",
}


@pytest.mark.parametrize(
    ("tags", "kept"),
    [
        (CAMERA, CAMERA),
        ({"make": "Canon", "model": "EOS"}, {"make": "Canon", "model": "EOS"}),
        ({**CAMERA, "title": "A title"}, {"title": "A title"}),
    ],
)
def test_tags_of_cameras_are_kept_where_no_title_is_lost_for_them(
    tmp_path: Path, tags: dict[str, str], kept: dict[str, str]
) -> None:
    """Make, model and place of phones were lost in MP4 and MOV; a list of keys has no title that players look for."""
    source = write_video(
        tmp_path / "in.mov",
        [gray_ramp(64, 48, 1)],
        setup=lambda container, _: container.metadata.update(tags),
        container_options={"movflags": "use_metadata_tags"},
    )
    for target in (tmp_path / "out.mp4", tmp_path / "out.mov"):
        notes = copy(source, target)
        assert any("is dropped" in note for note in notes) == ("title" in tags)
        with av.open(target) as container:
            assert {**container.metadata, **kept} == dict(container.metadata)
            assert (b"keys" in target.read_bytes()) == (
                "title" not in tags and (tags == CAMERA or target.suffix == ".mp4")
            )


@pytest.mark.parametrize("word", ["mkv", "mp4", "ts", "flv", "nut"])
def test_a_pipe_tells_of_what_the_file_tells(tmp_path: Path, rich_mkv: Path, word: str) -> None:
    """What went down it cannot be read back: its beginning is kept."""

    def lost(*arguments: str) -> list[str]:
        command = [*COMMAND, "process", str(rich_mkv), *arguments]
        run = subprocess.run(command, capture_output=True, cwd=tmp_path, check=True)
        return sorted(line for line in run.stderr.decode().splitlines() if "be held by" in line)

    told = lost("-", "--format", word)
    assert told == lost(f"out.{word}")
    assert any("2 chapters" in line for line in told) == (word in {"ts", "flv"})


def test_a_large_picture_is_not_taken_for_a_rotation_that_is_lost(tmp_path: Path) -> None:
    """The kept beginning of a pipe may end within the first picture."""
    source = write_video(
        tmp_path / "a.mp4",
        [gray_ramp(64, 48, n) for n in range(2)],
        setup=lambda _, stream: stream.set_display_rotation(90),
    )
    arguments = ["-", "--format", "mkv", "--no-autorotate", "--codec", "rawvideo", "--vf", "scale=2560x1920"]
    command = [*COMMAND, "process", str(source), *arguments]
    run = subprocess.run(command, capture_output=True, cwd=tmp_path, check=True)
    assert len(run.stdout) > 2 * 2560 * 1920
    assert b"rotation" not in run.stderr


def test_rotation_that_a_muxer_loses_is_named(tmp_path: Path) -> None:
    source = write_video(
        tmp_path / "a.mp4",
        [gray_ramp(64, 48, n) for n in range(5)],
        setup=lambda _, stream: stream.set_display_rotation(90),
    )
    assert "the rotation cannot be held by avi and is dropped" in copy(
        source, tmp_path / "b.avi", {"autorotate": False}
    )
    assert "the rotation" not in " ".join(copy(source, tmp_path / "b.mp4", {"autorotate": False}))


def pcm_beside_video(path: Path, channels: int) -> Path:
    """Matroska and AVI store how many channels PCM has, and not which ones."""
    layout = f"{channels}C"
    with av.open(path, "w") as container:
        video = container.add_stream("mpeg4", rate=25)
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        audio = container.add_stream("pcm_s16le", rate=48000, layout=layout)
        sound = av.AudioFrame.from_ndarray(np.arange(48000 * channels // 5, dtype=np.int16)[None], "s16", layout)
        sound.sample_rate, sound.pts, sound.time_base = 48000, 0, Fraction(1, 48000)
        for stream, frames in ((video, [gray_ramp(64, 48, n) for n in range(5)]), (audio, [sound])):
            for frame in [*frames, None]:
                container.mux(stream.encode(frame))
    return path


@pytest.mark.parametrize(("channels", "layout"), [(2, "stereo"), (6, "5.1")])
@pytest.mark.parametrize("suffix", [".mkv", ".avi"])
def test_pcm_without_channel_names_gets_the_usual_ones_in_mp4(
    tmp_path: Path, suffix: str, channels: int, layout: str
) -> None:
    source = pcm_beside_video(tmp_path / f"a{suffix}", channels)
    with av.open(source) as container:
        audio = container.streams.audio[0]
        index = audio.index
        assert audio.codec_context.layout.name == f"{channels} channels"
    assert any(f"does not name its channels: {layout} is written" in n for n in copy(source, tmp_path / "b.mp4"))
    with av.open(tmp_path / "b.mp4") as container:
        assert container.streams.audio[0].codec_context.layout.name == layout
    assert b"".join(d for _, d in packets(tmp_path / "b.mp4", index)) == b"".join(d for _, d in packets(source, index))
    assert copy(source, tmp_path / "b.mkv") == []


def test_pcm_with_channels_that_no_one_names_is_dropped_from_mp4(tmp_path: Path) -> None:
    source = pcm_beside_video(tmp_path / "a.mkv", 9)
    assert "audio stream 1 (pcm_s16le) is dropped: mp4 cannot hold it" in copy(source, tmp_path / "b.mp4")
    assert copy(source, tmp_path / "b.mkv") == []


def test_failure_at_the_end_of_a_file_tells_ffmpegs_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = pcm_beside_video(tmp_path / "a.mkv", 2)
    monkeypatch.setattr(copying, "_must_guess_layout", lambda *_: False)
    with pytest.raises(MediaError, match=r"cannot be completed: .*channel.* \(Invalid argument\)"):
        copy(source, tmp_path / "b.mp4")
