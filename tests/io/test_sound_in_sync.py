"""Sound stays with the pictures in every container: when it starts late, has gaps, or lies between frames."""

import itertools
from fractions import Fraction
from pathlib import Path

import av
import pytest
from support import sync
from support.sync import offsets_s, write_part

from texsamp import process
from texsamp.io.output import program_stream
from texsamp.io.streams import unbroken_sound
from texsamp.io.streams.codecs import CONTAINERS, PLAYED_ON

MOMENTS_S = [0.4, 1.2]
WITH_SOUND = [name for name, choice in CONTAINERS.items() if choice.files != "numbered" and name != ".gif"]


def _moved(source: Path, target: Path, sound_s: float = 0, pictures_s: float = 0, holes: bool = False) -> Path:
    """The file with its streams moved; with ``holes``, sound begins at 0.25 s and lacks 0.7 to 1 s."""
    with av.open(source) as before, av.open(target, "w") as after:
        streams = [after.add_stream_from_template(stream) for stream in before.streams]
        for packet in before.demux():
            time = float((packet.pts or 0) * packet.time_base)
            is_sound = packet.stream.type == "audio"
            if not packet.size or (is_sound and holes and (time < 0.25 or 0.7 < time < 1)):
                continue
            ticks = round((sound_s if is_sound else pictures_s) / packet.time_base)
            packet.pts, packet.dts = packet.pts + ticks, packet.dts + ticks
            packet.stream = streams[packet.stream.index]
            after.mux(packet)
    return target


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory):
    """A clip with a sound of some codec, made once."""
    made: dict[str, Path] = {}

    def make(audio: str) -> Path:
        if audio not in made:
            made[audio] = tmp_path_factory.mktemp("clip") / "a.mkv"
            write_part(made[audio], MOMENTS_S, 40, 1.6, video="ffv1", audio=audio)
        return made[audio]

    return make


@pytest.mark.parametrize("extension", WITH_SOUND)
def test_sound_that_starts_late_and_has_gaps(tmp_path: Path, clip, extension: str) -> None:
    source = _moved(clip("aac"), tmp_path / "in.mkv", holes=True)
    notes = process(source, tmp_path / f"out{extension}", device="cpu").notes
    offsets = offsets_s(tmp_path / f"out{extension}")
    assert len(offsets) == 2
    assert max(map(abs, offsets)) < 0.025
    muxer = CONTAINERS[extension].muxer
    assert any("ms of silence fill the gaps" in note for note in notes) == (muxer in PLAYED_ON)


@pytest.mark.parametrize("extension", [".mkv", ".mp4", ".ts", ".webm", ".avi", ".mxf"])
def test_what_an_edit_list_hides_is_not_heard_before_the_pictures(tmp_path: Path, extension: str) -> None:
    """The clip was cut at 0.7 s without encoding anew, as phones and editors do."""
    write_part(tmp_path / "whole.mp4", MOMENTS_S, 40, 1.6, video="libx264", audio="aac")
    source = _moved(tmp_path / "whole.mp4", tmp_path / "in.mp4", -0.7, -0.7)
    with av.open(source) as container:
        assert sum(packet.is_discard for packet in container.demux(audio=0)) > 20
    process(source, tmp_path / f"out{extension}", device="cpu")
    (offset,) = offsets_s(tmp_path / f"out{extension}")
    assert abs(offset) < 0.025
    with av.open(tmp_path / f"out{extension}") as container:
        first_s = {stream.type: stream.start_time * stream.time_base for stream in container.streams}
    assert first_s["video"] - first_s["audio"] < 0.15  # of AAC a few packets, which its decoder needs


@pytest.mark.parametrize("audio", ["libmp3lame", "mp2", "ac3", "pcm_s16le", "pcm_s24le", "flac"])
@pytest.mark.parametrize("sound_s", [0, -0.15])
def test_avi_copies_sound_and_silence_of_its_codec(tmp_path: Path, clip, audio: str, sound_s: float) -> None:
    source = _moved(clip(audio), tmp_path / "in.mkv", sound_s, sound_s, holes=True)
    with av.open(source) as container:
        codec = container.streams.audio[0].codec_context.codec.canonical_name
    notes = process(source, tmp_path / "out.avi", device="cpu").notes
    assert any(note.startswith("avi holds no times of sound: ") for note in notes)
    assert not any("convert" in note for note in notes)
    with av.open(tmp_path / "out.avi") as container:
        assert container.streams.audio[0].codec_context.codec.canonical_name == codec
    assert max(map(abs, offsets_s(tmp_path / "out.avi"))) < 0.025


@pytest.mark.parametrize("sound_s", [0, 0.3])
def test_avi_takes_sound_of_long_packets_sample_by_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sound_s: float
) -> None:
    """Packets of 72 ms cannot be put within 25 ms of their place, and MP3 packets need those before them."""
    monkeypatch.setattr(sync, "RATE_HZ", 8000)
    write_part(tmp_path / "a.mkv", MOMENTS_S, 40, 1.6, video="ffv1", audio="libmp3lame")
    source = _moved(tmp_path / "a.mkv", tmp_path / "in.mkv", sound_s)
    notes = process(source, tmp_path / "out.avi", device="cpu").notes
    before, after = offsets_s(source), offsets_s(tmp_path / "out.avi")
    assert max(abs(a - b) for a, b in zip(before, after, strict=True)) < 0.001
    assert "audio stream 1 (mp3) is converted to pcm_s16le: avi cannot put packets of 72 ms in their place" in notes
    process(source, tmp_path / "copied.avi", device="cpu", copy_only=True)
    with av.open(tmp_path / "copied.avi") as container:
        assert container.streams.audio[0].codec_context.name.startswith("mp3")


def test_avi_names_how_far_off_sound_is_where_there_is_no_silence(
    tmp_path: Path, clip, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unbroken_sound._Silence, "packets", lambda *_: iter(()))
    source = _moved(clip("mp2"), tmp_path / "in.mkv", holes=True)
    notes = process(source, tmp_path / "out.avi", device="cpu").notes
    off_ms = round(-1000 * min(offsets_s(tmp_path / "out.avi")))
    (note,) = [note for note in notes if "from its place" in note]
    told_ms = int(note.split(" ms from its place")[0].rpartition(" ")[2])
    assert abs(told_ms - off_ms) <= 12  # the copied packets' own distance from the pictures


@pytest.mark.parametrize("extension", [".avi", ".mxf"])
def test_a_stream_of_sound_without_packets(tmp_path: Path, clip, extension: str) -> None:
    with av.open(clip("mp2")) as before, av.open(tmp_path / "in.mkv", "w") as after:
        streams = [after.add_stream_from_template(stream) for stream in before.streams]
        for packet in before.demux(before.streams.video[0]):
            if packet.size:
                packet.stream = streams[packet.stream.index]
                after.mux(packet)
    process(tmp_path / "in.mkv", tmp_path / f"out{extension}", device="cpu")
    with av.open(tmp_path / f"out{extension}") as container:
        assert sum(1 for _ in container.decode(video=0)) == 40


@pytest.mark.parametrize("extension", [".avi", ".mxf"])
def test_sound_that_comes_long_after_the_pictures_is_left_out(tmp_path: Path, clip, extension: str) -> None:
    """Silence up to a wrong time stamp, eleven days ahead, was written without an end."""
    source = _moved(clip("mp2"), tmp_path / "in.mkv", sound_s=3600)
    notes = process(source, tmp_path / f"out{extension}", device="cpu").notes
    assert any("are left out" in note for note in notes)
    with av.open(tmp_path / f"out{extension}") as container:
        assert (container.duration or 0) / av.time_base < 2


@pytest.mark.parametrize("extension", [".avi", ".mxf"])
def test_no_picture_is_lost_beside_shorter_sound(tmp_path: Path, extension: str) -> None:
    write_part(tmp_path / "in.mkv", MOMENTS_S, 60, 1.6, video="ffv1")
    process(tmp_path / "in.mkv", tmp_path / f"out{extension}", device="cpu")
    with av.open(tmp_path / f"out{extension}") as container:
        assert sum(1 for _ in container.decode(video=0)) == 60
    assert max(map(abs, offsets_s(tmp_path / f"out{extension}"))) < 0.025


@pytest.mark.parametrize("extension", [".avi", ".mxf", ".mpg"])
@pytest.mark.parametrize("pictures_s", [0.013, 0.02, 0.18])
def test_the_first_picture_lies_between_frames(tmp_path: Path, clip, extension: str, pictures_s: float) -> None:
    source = _moved(clip("mp2"), tmp_path / "in.mkv", pictures_s=pictures_s)
    process(source, tmp_path / f"out{extension}", device="cpu")
    before, after = offsets_s(source), offsets_s(tmp_path / f"out{extension}")
    assert max(abs(a - b) for a, b in zip(before, after, strict=True)) < 0.025


@pytest.mark.parametrize("extension", [".mpg", ".vob"])
def test_program_streams_give_every_picture_its_own_time(tmp_path: Path, clip, extension: str) -> None:
    """A packet that begins between the headers of a picture and the picture told the next one's time."""
    source, out = tmp_path / "in.mkv", tmp_path / f"out{extension}"
    write_part(source, [1.0, 2.4, 4.0], 125, 5.0, video="ffv1")
    process(source, out, device="cpu")
    with av.open(out) as container:
        times = [frame.pts * frame.time_base for frame in container.decode(video=0)]
    assert len(times) == 125
    assert {b - a for a, b in itertools.pairwise(times)} == {Fraction(1, 25)}
    assert max(map(abs, offsets_s(out))) < 0.025


@pytest.mark.parametrize("extension", [".mpg", ".vob"])
def test_program_streams_give_small_pictures_of_h264_their_times(tmp_path: Path, clip, extension: str) -> None:
    """Several that begin in one pack of 2048 bytes would share a time stamp."""
    out = tmp_path / f"out{extension}"
    result = process(clip("mp2"), out, device="cpu", codec="libx264")
    with av.open(out) as container:
        times = [frame.pts * frame.time_base for frame in container.decode(video=0)]
    assert {b - a for a, b in itertools.pairwise(times)} == {Fraction(1, 25)}
    assert not any("have no time" in note for note in result.notes)
    assert max(map(abs, offsets_s(out))) < 0.025


def test_pictures_without_a_time_are_counted(tmp_path: Path, clip, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_stream.PicturesApart, "packets", lambda _, packets: packets)
    notes = process(clip("mp2"), tmp_path / "out.mpg", device="cpu", codec="libx264").notes
    with av.open(tmp_path / "out.mpg") as container:
        untimed = sum(frame.pts is None for frame in container.decode(video=0))
    assert untimed > 30
    assert f"{untimed} of 40 pictures have no time in a program stream: readers go by the frame rate" in notes
