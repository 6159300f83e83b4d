"""Transport streams that were joined, whose time stamps start again: time goes on, and is told alike everywhere."""

import csv
import io
import itertools
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from support.sync import offsets_s, write_part

from texsamp import process
from texsamp.io import VideoReader
from texsamp.io.input.container import packets_of
from texsamp.io.input.continuous_time import ContinuousTime

WITH_NEW_START = "time stamps start again or jump within the file: time goes on"


def _write(path: Path, count: int, b_frames: int) -> bytes:
    """Video at 25 frames per second, and as much silence."""
    with av.open(path, "w", format="mpegts") as container:
        video = container.add_stream("mpeg2video", rate=25)
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        video.codec_context.max_b_frames = b_frames
        audio = container.add_stream("mp2", rate=48000)
        for number in range(count):
            frame = av.VideoFrame.from_ndarray(np.full((72, 64), 20 + 5 * number, np.uint8), "yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, 25)
            container.mux(video.encode(frame))
        for number in range(count * 48000 // 25 // 1152):
            sound = av.AudioFrame.from_ndarray(np.zeros((1, 2 * 1152), np.int16), "s16", "stereo")
            sound.sample_rate, sound.pts, sound.time_base = 48000, 1152 * number, Fraction(1, 48000)
            container.mux(audio.encode(sound))
        container.mux([*video.encode(None), *audio.encode(None)])
    return path.read_bytes()


@pytest.fixture(scope="module", params=[0, 2])
def joined(request, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("joined")
    path = folder / "joined.ts"
    path.write_bytes(b"".join(_write(folder / f"{count}.ts", count, request.param) for count in (12, 9, 10)))
    return path


def test_frames_go_on_after_a_new_start(joined):
    with VideoReader(joined) as reader:
        times = [frame.pts * frame.time_base for frame in reader]
        assert WITH_NEW_START in reader.notes
    steps = {b - a for a, b in itertools.pairwise(times)}
    assert len(times) == 31
    assert steps == {Fraction(1, 25)}


@pytest.mark.parametrize("filters", ["denoise=0", "deinterlace=rate=field:deint=all"])
def test_statistics_tell_the_times_of_the_output(joined, filters, tmp_path):
    out, table = tmp_path / "out.mkv", tmp_path / "out.csv"
    process(joined, out, filters, stats=table, device="cpu")
    told = [float(row["time_s"]) for row in csv.DictReader(table.open())]
    with av.open(out) as container:
        written = [frame.time for frame in container.decode(video=0)]
    assert told == pytest.approx(written, abs=0.001)
    assert len(told) == (31 if filters == "denoise=0" else 62)


def test_sound_goes_on_with_the_pictures(joined, tmp_path):
    out = tmp_path / "out.mkv"
    result = process(joined, out, "denoise=0", device="cpu")
    assert not any("were not copied" in note or "moved later" in note for note in result.notes)
    with av.open(joined) as before, av.open(out) as after:
        counts = [sum(p.size > 0 for p in c.demux(c.streams.audio[0])) for c in (before, after)]
    assert counts[0] == counts[1]
    with av.open(out) as container:
        times = [p.pts * p.time_base for p in container.demux(container.streams.audio[0]) if p.size]
    assert max(b - a for a, b in itertools.pairwise(times)) < Fraction(4, 100)


def test_a_file_in_one_piece_is_as_before(joined, tmp_path):
    with VideoReader(joined.parent / "12.ts") as reader:
        assert [round(f.pts * f.time_base * 25) for f in reader][:3] == [1, 2, 3]
        assert WITH_NEW_START not in reader.notes


@pytest.mark.parametrize(
    ("video", "audio", "longer_s"), [("mpeg2video", "mp2", 0.022), ("libx264", "aac", 0.15), ("libx264", "aac", -0.1)]
)
def test_sound_stays_with_the_pictures_over_eight_joints(video, audio, longer_s, tmp_path):
    """The sound of each part is longer or shorter than its pictures, which must not add up."""
    parts = [write_part(tmp_path / "a.ts", [0.4], 25, 1 + longer_s, video=video, audio=audio) for _ in range(8)]
    (tmp_path / "joined.ts").write_bytes(b"".join(parts))
    for name in ("out.mkv", "out.mp4"):
        result = process(tmp_path / "joined.ts", tmp_path / name, "denoise=0", device="cpu", strict=True)
        offsets = offsets_s(tmp_path / name)
        assert len(offsets) == 8
        assert max(map(abs, offsets)) < 0.025
        assert WITH_NEW_START in result.notes
        assert any("packets of sound at joints were left out" in note for note in result.notes) == (longer_s > 0)


def _packets(*times):
    """Packets (stream, time in 1/25 s, place in the file) of a video of index 0 and a sound of index 1."""
    container = av.open(io.BytesIO(), "w", format="nut")
    streams = [container.add_stream("mpeg2video", rate=25), container.add_stream("mp2", rate=48000)]
    for index, ticks, place in times:
        packet = av.Packet(b"x")
        packet.stream, packet.time_base, packet.dts, packet.pts = streams[index], Fraction(1, 25), ticks, ticks
        packet.duration = 1
        yield _Placed(packet, place)


class _Placed:
    """A packet with a place in the file, which PyAV's cannot be given."""

    def __init__(self, packet, place):
        self.__dict__.update(packet=packet, pos=place)

    def __getattr__(self, name):
        return getattr(self.packet, name)

    def __setattr__(self, name, value):
        setattr(self.packet, name, value)


@pytest.mark.parametrize(
    ("packets", "moved"),
    [
        # sound of the new part comes first, and waits for the video to tell the distance
        ([(0, 50, 1), (1, 50, 2), (1, 2, 3), (0, 0, 4), (1, 3, 5)], [(0, 50), (1, 50), (1, 53), (0, 51), (1, 54)]),
        # sound of the old part comes last, and keeps its time
        ([(1, 49, 1), (0, 50, 2), (0, 0, 4), (1, 50, 3), (1, 1, 5)], [(1, 49), (0, 50), (0, 51), (1, 50), (1, 52)]),
        # the new part's sound does not fall back: its place tells
        ([(1, 9, 1), (0, 50, 2), (0, 5, 3), (1, 10, 4)], [(1, 9), (0, 50), (0, 51), (1, 56)]),
        # sound alone starts again
        ([(0, 50, 1), (1, 50, 2), (1, 2, 3), (0, 51, 4), (1, 3, 5)], [(0, 50), (1, 50), (0, 51), (1, 51), (1, 52)]),
        # both jump, the video first
        ([(1, 49, 1), (0, 50, 2), (0, 900, 4), (1, 50, 3), (1, 901, 5)], [(1, 49), (0, 50), (0, 51), (1, 50), (1, 52)]),
        # both jump, sound first
        ([(0, 50, 1), (1, 50, 2), (1, 902, 3), (0, 900, 4)], [(0, 50), (1, 50), (1, 53), (0, 51)]),
        # a picture stands while sound goes on
        (
            [(0, 50, 1), (1, 290, 2), (1, 480, 3), (0, 500, 4), (1, 481, 5)],
            [(0, 50), (1, 290), (1, 480), (0, 500), (1, 481)],
        ),
        # sound pauses while pictures go on
        (
            [(0, 50, 1), (1, 50, 2), (0, 290, 3), (0, 530, 4), (1, 540, 5), (0, 531, 6)],
            [(0, 50), (1, 50), (0, 290), (0, 530), (1, 540), (0, 531)],
        ),
        # sound is astray, ahead and back
        (
            [(0, 50, 1), (1, 50, 2), (1, 9000, 3), (1, 9001, 4), (0, 51, 5), (1, 53, 6)],
            [(0, 50), (1, 50), (0, 51), (1, 51), (1, 52), (1, 53)],
        ),
        # sound is astray where video starts again: silence of hours filled AVI
        (
            [(0, 50, 1), (1, 50, 2), (1, 9000, 3), (1, 9001, 4), (0, 20, 5), (1, 22, 6)],
            [(0, 50), (1, 50), (1, 51), (1, 52), (0, 51), (1, 53)],
        ),
        # sound is astray, behind and back
        (
            [(0, 950, 1), (1, 950, 2), (1, 5, 3), (0, 951, 5), (1, 952, 6)],
            [(0, 950), (1, 950), (0, 951), (1, 951), (1, 952)],
        ),
        # a wrong time stamp, ahead and back
        ([(0, 50, 1), (0, 9000, 2), (0, 52, 3), (1, 53, 4)], [(0, 50), (0, 51), (0, 52), (1, 53)]),
    ],
)
def test_streams_are_moved_with_the_video(packets, moved):
    found = [(p.stream.index, p.dts) for p in ContinuousTime(leader=0, jumps=True).moved(_packets(*packets))]
    assert found == moved


def test_jumps_are_kept_where_a_file_has_one_clock():
    """As in Matroska and MP4: what lies between is meant."""
    packets = [(0, 50, 1), (1, 50, 2), (0, 900, 3), (1, 900, 4)]
    found = [(p.stream.index, p.dts) for p in ContinuousTime(leader=0, jumps=False).moved(_packets(*packets))]
    assert found == [packet[:2] for packet in packets]


@pytest.mark.parametrize("with_sound", [True, False])
def test_recordings_that_were_joined_follow_each_other_whatever_the_time_was(with_sound, tmp_path):
    """The second was made ten minutes later: neither pictures nor sound wait for it."""
    write_part(tmp_path / "a.ts", [0.4], 25, 1)
    for offset_s in (0, 600):
        with (
            av.open(tmp_path / "a.ts") as source,
            av.open(tmp_path / f"{offset_s}.ts", "w", options={"output_ts_offset": str(offset_s)}) as target,
        ):
            kept = list(source.streams)[: 2 if with_sound else 1]
            copies = {stream: target.add_stream_from_template(stream) for stream in kept}
            for packet in source.demux(*kept):
                if packet.size:
                    packet.stream = copies[packet.stream]
                    target.mux(packet)
    (tmp_path / "joined.ts").write_bytes(b"".join((tmp_path / f"{at_s}.ts").read_bytes() for at_s in (0, 600, 0)))
    result = process(tmp_path / "joined.ts", tmp_path / "out.mp4", "denoise=0", device="cpu", strict=True)
    assert WITH_NEW_START in result.notes
    with av.open(tmp_path / "out.mp4") as container:
        assert container.duration / av.time_base == pytest.approx(3, abs=0.06)
    if with_sound:
        assert max(map(abs, offsets_s(tmp_path / "out.mp4"))) < 0.025


@pytest.mark.parametrize("start_s", [None, 0.2, 1.2])
def test_a_transport_stream_whose_clock_runs_over_is_whole(tmp_path, start_s):
    """FFmpeg gives times below 0 to what comes before; mp4 would hide that."""
    write_part(tmp_path / "a.ts", [0.4, 1.4], 50, 2.0, video="libx264", audio="aac")
    with (
        av.open(tmp_path / "a.ts") as source,
        av.open(tmp_path / "over.ts", "w", options={"output_ts_offset": "95442.6"}) as target,
    ):
        streams = [target.add_stream_from_template(stream) for stream in source.streams]
        for packet in source.demux():
            if packet.size:
                packet.stream = streams[packet.stream.index]
                target.mux(packet)
    with VideoReader(tmp_path / "over.ts") as reader:
        assert reader.info.start_s < 0 < 50 / 25 + reader.info.start_s  # the clock runs over within the file
    result = process(tmp_path / "over.ts", tmp_path / "out.mp4", start_s=start_s, device="cpu")
    with av.open(tmp_path / "out.mp4") as container:
        shown = sum(1 for _ in container.decode(video=0))
    assert shown == result.frames_out == 50 - round(25 * (start_s or 0))
    offsets = offsets_s(tmp_path / "out.mp4")
    assert len(offsets) == (1 if start_s == 1.2 else 2)
    assert max(map(abs, offsets)) < 0.025


def test_a_stream_that_begins_later_does_not_end_the_others():
    """PyAV asks itself for the end of a stream that it does not know, if its memory happens to hold a byte there."""

    class Container:
        def demux(self, *streams):
            yield from streams
            raise IndexError("list index out of range")

    assert list(packets_of(Container(), 1, 2)) == [1, 2]
