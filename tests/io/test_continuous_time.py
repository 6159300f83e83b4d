"""Transport streams that were joined, whose time stamps start again: time goes on, and is told alike everywhere."""

import csv
import itertools
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from texsamp import process
from texsamp.io import VideoReader

WITH_NEW_START = "time stamps start again within the file: time goes on"


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
