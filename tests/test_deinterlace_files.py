"""Deinterlacing from file to file, and its quality on real clips against FFmpeg's filters."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from support.interlaced import interlace
from test_real_clips import CLIPS, clip, luma, psnr, to_texsamp

import texsamp as ts
from texsamp.io.clips import pattern_clip
from texsamp.io.frames.av_frame import frame_of
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS


def interlaced_file(path: Path, frames: int = 6) -> Path:
    with ts.VideoWriter(path, codec="ffv1") as writer:
        for frame in pattern_clip(64, 48, frames, interlaced=True):
            writer.write(frame)
    return path


@pytest.mark.parametrize(("rate", "count", "per_second"), [("frame", 6, 25), ("field", 12, 50)])
def test_a_file_is_deinterlaced_at_either_rate(rate, count, per_second, tmp_path):
    source, target = interlaced_file(tmp_path / "in.mkv"), tmp_path / "out.mkv"
    result = ts.process(source, target, vf=f"deinterlace=rate={rate}", device="cpu", lossless=True)
    assert (result.frames_in, result.frames_out) == (6, count)
    assert not any("interlaced" in note for note in result.notes)
    with ts.VideoReader(target) as reader:
        assert reader.frame_rate == per_second
        found = list(reader)
    times = [frame.pts * frame.time_base for frame in found]
    assert [round(1000 * (t - times[0])) for t in times] == [1000 * n // per_second for n in range(count)]
    assert not any(frame.interlaced for frame in found)
    pipeline = ts.Pipeline([ts.Deinterlace(rate=rate)], "cpu")
    with ts.VideoReader(source) as reader:
        for expected, frame in zip(pipeline(reader), found, strict=True):
            for a, b in zip(expected.to_arrays(), frame.to_arrays(), strict=True):
                assert np.array_equal(a, b)


def test_deinterlacing_comes_before_scaling_and_sharpening(tmp_path):
    source = interlaced_file(tmp_path / "in.mkv")
    result = ts.process(source, tmp_path / "a.mkv", vf="deinterlace=madi:field,scale=96x72,sharpen=44", device="cpu")
    assert result.frames_out == 12
    assert not any("interlaced" in note for note in result.notes)
    late = ts.process(source, tmp_path / "b.mkv", vf="scale=96x72,deinterlace", device="cpu")
    assert "6 of 6 frames are interlaced: filters take them as progressive" in late.notes


def test_a_progressive_file_passes_with_a_note(tmp_path):
    with ts.VideoWriter(tmp_path / "in.mkv", codec="ffv1") as writer:
        for frame in pattern_clip(64, 48, 3):
            writer.write(frame)
    result = ts.process(tmp_path / "in.mkv", tmp_path / "out.mkv", vf="deinterlace", device="cpu", lossless=True)
    assert result.frames_out == 3
    assert any("no frame is flagged as interlaced" in note for note in result.notes)


@pytest.mark.parametrize("width", [64, 61, 3])
def test_411_is_deinterlaced_as_422_with_chroma_doubled_across(width):
    """Seed 003:1176-1181: a sample of 4:1:1 stays where it is, between two there is their mean."""
    rng, columns = np.random.default_rng(width), np.arange(-(-width // 2))
    read, expected = [], []
    for number in range(3):
        picture, wide = av.VideoFrame(width, 20, "yuv411p"), []
        for index, plane in enumerate(picture.planes):
            samples = rng.integers(0, 256, (20, plane.line_size)).astype("u1")
            plane.update(samples)
            samples = samples[:, : -(-width // 4) if index else width]
            if index:
                c0, c1 = (samples[:, np.minimum(columns // 2 + k, samples.shape[1] - 1)].astype(int) for k in (0, 1))
                samples = np.where(columns % 2, (c0 + c1 + 1) // 2, c0)
            wide.append(np.ascontiguousarray(samples, dtype="u1"))
        read.append(frame_of(picture, PIXEL_LAYOUTS["yuv422p"], pts=number))
        expected.append(ts.Frame.from_arrays("yuv422p", wide, width, 20, "cpu", pts=number))
    stage = [ts.Deinterlace(rate="field", deint="all")]
    made = [list(ts.Pipeline(stage, "cpu")(frames)) for frames in (read, expected)]
    assert len(made[0]) == 6
    for a, b in zip(*made, strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(a.to_arrays(), b.to_arrays(), strict=True))


def by_ffmpeg(name: str, frames: list[ts.Frame]) -> list[np.ndarray]:
    """Luma of FFmpeg's yadif or bwdif at field rate."""
    graph = av.filter.Graph()
    size = {"width": frames[0].width_px, "height": frames[0].height_px}
    nodes = [graph.add_buffer(**size, format="gray", time_base=Fraction(1, 25))]
    nodes += [graph.add(name, "mode=1:parity=tff"), graph.add("buffersink")]
    graph.link_nodes(*nodes).configure()
    made: list[np.ndarray] = []

    def push(picture: av.VideoFrame | None) -> None:
        graph.push(picture)
        while True:
            try:
                made.append(graph.pull().to_ndarray())
            except (av.error.BlockingIOError, av.error.EOFError):
                return

    for number, frame in enumerate(frames):
        picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame.planes[0]), format="gray")
        picture.pts = number
        push(picture)
    push(None)
    return made


@pytest.mark.parametrize(("mode", "peer", "more_dB"), [("madi", "yadif", 0.5), ("hq", "bwdif", 0.5)])
@pytest.mark.parametrize("name", CLIPS)
def test_real_clips_are_better_than_with_ffmpeg(name, mode, peer, more_dB):
    """A progressive clip, made interlaced, comes back at field rate: PSNR-Y of the whole against the clip."""
    with av.open(str(clip(name))) as container:
        pictures = [frame for _, frame in zip(range(40), container.decode(video=0), strict=False)]
    source = [luma(picture) for picture in pictures]
    frames = interlace([to_texsamp(picture) for picture in pictures])
    made = [frame.planes[0] for frame in ts.Pipeline([ts.Deinterlace(mode, "field")], "cpu")(frames)]
    scores = [psnr(np.stack(source), np.stack(result)) for result in (made, by_ffmpeg(peer, frames))]
    assert len(made) == 40
    assert scores[0] >= scores[1] + more_dB


@pytest.mark.parametrize("top_first", [True, False])
@pytest.mark.parametrize("name", CLIPS)
def test_motion_compensation_costs_nothing_on_real_clips(name, top_first):
    with av.open(str(clip(name))) as container:
        pictures = [frame for _, frame in zip(range(40), container.decode(video=0), strict=False)]
    source = np.stack([luma(picture)[40:240, 100:500] for picture in pictures])
    frames = interlace(
        [ts.Frame.from_arrays("gray", [np.ascontiguousarray(p)], 400, 200, "cpu") for p in source], top_first
    )
    madi, mcdi = (
        np.stack([frame.planes[0] for frame in ts.Pipeline([ts.Deinterlace(mode, "field")], "cpu")(frames)])
        for mode in ("madi", "mcdi")
    )
    assert psnr(source, mcdi) >= psnr(source, madi)


@pytest.mark.parametrize("top_first", [True, False])
def test_motion_compensation_is_worth_a_decibel_on_a_pan(top_first):
    """A sharp picture that moves by two pixels from field to field."""
    with av.open(str(clip("bigbuckbunny.mp4"))) as container:
        picture = luma([frame for _, frame in zip(range(40), container.decode(video=0), strict=False)][-1])
    source = [np.ascontiguousarray(picture[200:400, 2 * n : 2 * n + 400]) for n in range(16)]
    frames = interlace([ts.Frame.from_arrays("gray", [plane], 400, 200, "cpu") for plane in source], top_first)
    scores = {}
    for mode in ("madi", "mcdi", "hq"):
        made = [frame.planes[0] for frame in ts.Pipeline([ts.Deinterlace(mode, "field")], "cpu")(frames)]
        scores[mode] = psnr(np.stack(source), np.stack(made))
    assert scores["mcdi"] >= scores["madi"] + 1
    assert scores["hq"] >= scores["mcdi"] + 1
