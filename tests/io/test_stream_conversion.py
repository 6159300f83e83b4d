"""Sound and text that a container cannot hold are there all the same, in another codec, at the same time."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from support.media import gray_ramp, write_video

import texsamp as ts

RATE = 48000
BEEPS_S = (0.5, 1.5, 2.5)
TEXTS = [(0.2, 0.9, "first line"), (1.0, 2.6, "second line"), (3.0, 3.5, "third line")]


def sound(path: Path) -> tuple[np.ndarray, int, str, str]:
    """Samples of the first channel from the first picture on, their rate, the codec and the layout."""
    with av.open(path) as container:
        stream = container.streams.audio[0]
        begin = next(container.decode(video=0)).time
        container.seek(0)
        samples = np.zeros(0, np.float32)
        for frame in container.decode(stream):
            at = round((frame.time - begin) * frame.sample_rate)
            heard = frame.to_ndarray().reshape(-1, 1) if frame.format.is_packed else frame.to_ndarray().T
            first = heard.reshape(frame.samples, -1)[:, 0].astype(np.float32)
            first /= np.iinfo(np.int16).max if frame.format.name.startswith("s16") else 1
            first = first[max(-at, 0) :]
            samples = np.concatenate([samples, np.zeros(max(at - len(samples), 0), np.float32), first])
        return samples, stream.rate, stream.codec_context.codec.canonical_name, stream.layout.name


def texts(path: Path) -> list[tuple[float, float, str]]:
    with av.open(path) as container:
        stream = container.streams.subtitles[0]
        found = []
        for packet in container.demux(stream):
            for text in stream.decode2(packet) or () if packet.size else ():
                start = float(packet.pts * packet.time_base)
                end = start + float(packet.duration * packet.time_base)
                found.append((round(start, 2), round(end, 2), text.ass.decode().split(",", 8)[8]))
        return found


def beeping(path: Path, codec: str, layout: str = "stereo", rate: int = RATE) -> Path:
    """Three seconds of video with a short beep at each of `BEEPS_S`."""

    def add(container, _):
        add.stream = container.add_stream(codec, rate=rate, layout=layout)

    def play(container):
        count = av.AudioLayout(layout).nb_channels
        times = np.arange(3 * rate) / rate
        tone = sum(np.where((times >= t) & (times < t + 0.1), np.sin(2 * np.pi * 1000 * times), 0) for t in BEEPS_S)
        pcm = np.repeat((tone * 16000).astype(np.int16), count)[None]
        frame = av.AudioFrame.from_ndarray(pcm, "s16", layout)
        frame.sample_rate, frame.pts, frame.time_base = rate, 0, Fraction(1, rate)
        for item in (frame, None):
            container.mux(add.stream.encode(item))

    pictures = [gray_ramp(64, 48, n) for n in range(75)]
    return write_video(path, pictures, setup=add, before_close=play, options={"preset": "ultrafast"})


def onsets(samples: np.ndarray, rate: int) -> list[float]:
    loud = np.abs(samples) > 0.1
    starts = np.flatnonzero(loud & ~np.concatenate([[False], loud[:-1]]))
    kept = [s for n, s in enumerate(starts) if n == 0 or s - starts[n - 1] > rate // 4]
    return [s / rate for s in kept]


@pytest.mark.parametrize(
    ("source", "codec", "layout", "rate", "target", "expected"),
    [
        ("a.mkv", "aac", "stereo", 48000, "b.webm", ("opus", "stereo", 48000)),
        ("a.mkv", "flac", "5.1(side)", 44100, "b.webm", ("opus", "5.1", 48000)),
        ("a.mkv", "flac", "mono", 44100, "b.ts", ("aac", "mono", 44100)),
        ("a.mkv", "ac3", "stereo", 48000, "b.flv", ("aac", "stereo", 48000)),
        ("a.mkv", "libopus", "stereo", 48000, "b.mpg", ("mp2", "stereo", 48000)),
        ("a.mkv", "flac", "5.1", 48000, "b.mpg", ("mp2", "stereo", 48000)),
        ("a.mkv", "pcm_s16le", "stereo", 8000, "b.webm", ("opus", "stereo", 8000)),
    ],
)
def test_sound_is_converted_in_place(tmp_path, source, codec, layout, rate, target, expected) -> None:
    made = beeping(tmp_path / source, codec, layout, rate)
    result = ts.process(made, tmp_path / target)
    assert any("audio stream 1" in n and "is converted to" in n and "cannot hold it" in n for n in result.notes)
    samples, _, name, found_layout = sound(tmp_path / target)
    assert (name, found_layout) == expected[:2]
    rate = 48000 if name == "opus" else expected[2]  # Opus is always decoded at 48 kHz
    assert onsets(samples, rate) == pytest.approx(BEEPS_S, abs=0.01)
    assert len(samples) / rate == pytest.approx(3, abs=0.06)


def test_sound_stays_in_sync_after_a_cut(tmp_path) -> None:
    made = beeping(tmp_path / "a.mkv", "aac")
    ts.process(made, tmp_path / "b.webm", start_s=1, duration_s=1)
    samples, rate, _, _ = sound(tmp_path / "b.webm")
    assert onsets(samples, rate) == pytest.approx([0.5], abs=0.01)
    assert len(samples) / rate == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(("target", "codec"), [("b.mp4", "mov_text"), ("b.mov", "mov_text"), ("b.webm", "webvtt")])
def test_text_subtitles_are_converted_in_place(tmp_path, rich_mkv, target, codec) -> None:
    notes = ts.process(rich_mkv, tmp_path / target).notes
    muxer = {"b.mp4": "mp4", "b.mov": "mov", "b.webm": "webm"}[target]
    assert f"subtitle stream 3 (subrip, eng) is converted to {codec}: {muxer} cannot hold it" in notes
    assert texts(tmp_path / target) == TEXTS
    with av.open(tmp_path / target) as container:
        assert container.streams.subtitles[0].codec_context.codec.canonical_name == codec
        assert container.streams.subtitles[0].metadata["language"] == "eng"
    back = ts.process(tmp_path / target, tmp_path / "back.mkv").notes
    assert not [note for note in back if "dropped" in note and "subtitle" in note]
    for found, expected in zip(texts(tmp_path / "back.mkv"), TEXTS, strict=True):
        assert found[:2] == pytest.approx(expected[:2], abs=0.025)  # Matroska begins with the sound's priming samples
        assert found[2] == expected[2]


@pytest.mark.parametrize("extension", ["mpg", "vob"])
def test_program_streams_get_no_text_under_another_name(tmp_path, rich_mkv, extension) -> None:
    notes = ts.process(rich_mkv, tmp_path / f"b.{extension}").notes
    assert any("subtitle stream 3 (subrip, eng) is dropped" in note for note in notes)
    with av.open(tmp_path / f"b.{extension}") as container:
        assert not [stream for stream in container.streams if stream.type == "subtitle"]


def test_copy_only_drops_as_before(tmp_path, rich_mkv) -> None:
    notes = ts.process(rich_mkv, tmp_path / "b.webm", copy_only=True).notes
    assert "audio stream 0 (flac, ger) is dropped: webm cannot hold it" in notes
    assert "subtitle stream 3 (subrip, eng) is dropped: webm cannot hold it" in notes
    assert "attachment stream 4 (font.ttf) is dropped: webm cannot hold it" in notes
    with av.open(tmp_path / "b.webm") as container:
        assert [stream.type for stream in container.streams] == ["video"]
