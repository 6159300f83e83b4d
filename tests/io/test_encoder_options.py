"""Preset, tune, bit rate, key frames, two passes and any other option reach the encoder, or are refused by name."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from support.media import av_picture, random_frames, write_video

import texsamp as ts
from texsamp.errors import MediaError, StateError
from texsamp.io import VideoWriter
from texsamp.io.output.encode_request import EncodeRequest, PassLog
from texsamp.io.output.encoder_options import encoder_options, parse_bitrate


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pictures = [av_picture("yuv420p", 128, 96, n) for n in range(24)]
    return write_video(tmp_path_factory.mktemp("source") / "a.mkv", pictures, "ffv1")


def x264_settings(path: Path) -> dict[str, str]:
    """What x264 says of itself inside the stream."""
    with av.open(path) as container:
        data = bytes(container.streams.video[0].codec_context.extradata or b"")
        data += b"".join(bytes(p) for p in container.demux(video=0))
    text = data[data.index(b"options: ") + 9 :].split(b"\0")[0].decode()
    return dict(word.split("=", 1) for word in text.split() if "=" in word)


def key_frames(path: Path) -> list[int]:
    with av.open(path) as container:
        return [n for n, frame in enumerate(container.decode(video=0)) if frame.key_frame]


def test_preset_tune_and_gop_reach_the_encoder(tmp_path: Path, source: Path) -> None:
    ts.process(source, tmp_path / "a.mkv", preset="veryfast", tune="grain", gop=5)
    told = x264_settings(tmp_path / "a.mkv")
    assert (told["subme"], told["aq"], told["keyint"]) == ("2", "1:0.50", "5")
    found = key_frames(tmp_path / "a.mkv")
    assert max(b - a for a, b in pairwise([*found, 24])) <= 5


def test_options_are_added_to_ours_and_go_before_them(tmp_path: Path, source: Path) -> None:
    ts.process(source, tmp_path / "a.mkv", crf=30, options={"x264-params": "no-deblock=1", "refs": "1", "crf": "33"})
    told = x264_settings(tmp_path / "a.mkv")
    assert (told["deblock"][0], told["ref"], told["crf"]) == ("0", "1", "33.0")


@pytest.mark.parametrize("codec", ["libx264", "libx265"])
def test_two_passes_hit_the_bitrate(tmp_path: Path, source: Path, codec: str) -> None:
    tmp_path = tmp_path / "it's 1:2 = a\\b"
    tmp_path.mkdir()
    seen: list[int] = []
    result = ts.process(
        source,
        tmp_path / "a.mkv",
        two_pass=True,
        bitrate="800k",
        codec=codec,
        preset="fast",
        progress=lambda done, _: seen.append(done),
    )
    assert seen == [*range(1, 25)] * 2
    assert (result.frames_in, result.frames_out) == (24, 24)
    assert [path.name for path in tmp_path.iterdir()] == ["a.mkv"]
    if codec == "libx264":
        told = x264_settings(tmp_path / "a.mkv")
        assert (told["rc"], told["bitrate"]) == ("2pass", "800")


def test_bitrates_have_units() -> None:
    assert [parse_bitrate(text) for text in ("4M", "2.5m", "800k", 64000, "1G")] == [
        4_000_000,
        2_500_000,
        800_000,
        64_000,
        10**9,
    ]
    for wrong in ("", "4 MB", "-1", "999", "11G", "1e6", "nan", True, "4MM"):
        with pytest.raises(StateError, match="bitrate must be from 1k to 10G"):
            parse_bitrate(wrong)


@pytest.mark.parametrize("codec", ["libx264", "libx265", "libvpx-vp9", "libsvtav1", "mpeg4", "mpeg2video"])
def test_a_bitrate_takes_the_place_of_the_quality(codec: str) -> None:
    options = encoder_options(codec, EncodeRequest(bitrate="1M"))
    assert options["b"] == "1000000"
    assert not {"crf", "global_quality"} & set(options)


REFUSALS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"crf": 20, "lossless": True}, StateError, "crf 20 and lossless exclude each other"),
    ({"preset": "slow", "codec": "ffv1"}, MediaError, r"codec ffv1 has no option preset$"),
    ({"bitrate": "1M", "crf": 20}, StateError, "bitrate 1M and crf 20 exclude each other"),
    ({"bitrate": "1M", "lossless": True, "codec": "libx264"}, StateError, "bitrate 1M and lossless exclude each other"),
    ({"gop": 0}, StateError, "gop must be an integer from 1 to 1000000 frames, found 0"),
    ({"codec": "ffv1", "bitrate": "1M"}, MediaError, "codec ffv1 follows no bitrate"),
    ({"codec": "prores_ks", "bitrate": "1M"}, MediaError, "codec prores_ks follows no bitrate"),
    ({"codec": "ffv1", "preset": "fast"}, MediaError, "codec ffv1 has no option preset"),
    ({"options": {"presett": "fast"}}, MediaError, r"codec libx264 has no option presett \(did you mean 'preset'\?\)"),
    ({"codec": "mpeg4", "bitrate": 10**6, "pass_log": PassLog(1, "x")}, MediaError, "these can: libx264, libx264rgb"),
]


@pytest.mark.parametrize(("options", "error", "message"), REFUSALS)
def test_what_does_not_go_is_refused_before_any_work(
    tmp_path: Path, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        VideoWriter(tmp_path / "a.mkv", **options)
    assert not list(tmp_path.iterdir())


def test_two_passes_need_a_bitrate_and_a_file(tmp_path: Path, source: Path) -> None:
    with pytest.raises(StateError, match="give one, as in --bitrate 4M"):
        ts.process(source, tmp_path / "a.mkv", two_pass=True)
    for pipe in ("-", "/dev/null"):
        with pytest.raises(StateError, match="read the input twice: it must be a file, found"):
            ts.process(pipe, tmp_path / "a.mkv", two_pass=True, bitrate="1M")
    with pytest.raises(MediaError, match="y4m is uncompressed: bitrate, pass_log cannot be given"):
        ts.process(source, tmp_path / "a.y4m", two_pass=True, bitrate="1M")


def stored(path: Path) -> tuple[str, str, str]:
    with av.open(path) as container:
        context = container.streams.video[0].codec_context
        return context.name, context.pix_fmt, context.codec_tag


@pytest.mark.parametrize("name", ["a.mp4", "a.mov", "a.m4v"])
@pytest.mark.parametrize("layout", ["yuv420p", "yuv444p", "yuv422p10le", "rgb24", "nv12", "gray"])
def test_players_get_8_bit_420_unless_someone_chose(tmp_path: Path, name: str, layout: str) -> None:
    def write(**options: Any) -> list[str]:
        with VideoWriter(tmp_path / name, overwrite=True, **options) as writer:
            for frame in random_frames(layout, 32, 16, 1):
                writer.write(frame)
        return writer.notes

    notes = write()
    assert stored(tmp_path / name) == ("h264", "yuv420p", "avc1")
    note = next(note for note in notes if note.startswith("H.264 in 8-bit 4:2:0 is written: common players take it"))
    assert ("--pix-fmt" in note) == (layout in ("yuv444p", "yuv422p10le", "gray"))
    if layout == "yuv422p10le":
        assert not [note for note in write(pix_fmt="yuv422p10le") if "players" in note]
        assert stored(tmp_path / name)[1] == "yuv422p10le"
        assert not [note for note in write(codec="libx264") if "players" in note]
        assert not [note for note in write(lossless=True) if "players" in note]


@pytest.mark.parametrize(("transfer", "word"), [(16, "PQ"), (18, "HLG")])
def test_hdr_becomes_hevc_main_10(tmp_path: Path, transfer: int, word: str) -> None:
    color = ts.ColorTags(9, 9, transfer)
    with VideoWriter(tmp_path / "a.mp4") as writer:
        for frame in random_frames("yuv422p10le", 32, 32, 2, color=color):
            writer.write(frame)
    assert f"HEVC Main 10 is written: players take HDR ({word}) as that" in writer.notes
    assert stored(tmp_path / "a.mp4") == ("hevc", "yuv420p10le", "hvc1")
    with ts.VideoReader(tmp_path / "a.mp4") as reader:
        assert (reader.color.primaries, reader.color.transfer) == (9, transfer)


@pytest.mark.parametrize(
    ("size", "layout", "transfer", "options", "expected"),
    [
        ((64, 64), "yuv420p10le", 16, {}, ("libdav1d", "yuv420p10le")),
        ((64, 96), "yuv444p10le", 18, {"crf": 40}, ("libdav1d", "yuv420p10le")),
        ((64, 64), "yuv420p", 16, {}, ("vp9", "yuv420p")),
        ((64, 64), "yuv420p10le", 1, {}, ("vp9", "yuv420p")),
        ((62, 64), "yuv420p10le", 16, {}, ("vp9", "yuv420p")),
        ((65, 64), "yuv420p10le", 16, {}, ("vp9", "yuv420p")),
        ((64, 64), "yuv420p10le", 16, {"codec": "libvpx-vp9"}, ("vp9", "yuv420p")),
        ((64, 64), "yuv420p10le", 16, {"options": {"cpu-used": "8"}}, ("vp9", "yuv420p")),
    ],
)
def test_hdr_in_webm_becomes_av1(
    tmp_path: Path,
    size: tuple[int, int],
    layout: str,
    transfer: int,
    options: dict[str, Any],
    expected: tuple[str, str],
) -> None:
    with VideoWriter(tmp_path / "a.webm", **options) as writer:
        for frame in random_frames(layout, *size, 2, color=ts.ColorTags(9, 9, transfer)):
            writer.write(frame)
    assert stored(tmp_path / "a.webm")[:2] == expected
    told = any(note.startswith("AV1 of 10 bits is written") for note in writer.notes)
    assert told == (expected[0] == "libdav1d")
    with ts.VideoReader(tmp_path / "a.webm") as reader:
        assert reader.color.transfer == transfer


def test_odd_sizes_keep_the_chroma_that_makes_them_possible(tmp_path: Path) -> None:
    with VideoWriter(tmp_path / "a.mp4") as writer:
        for frame in random_frames("yuv444p", 33, 17, 1):
            writer.write(frame)
    assert stored(tmp_path / "a.mp4")[1] == "yuv444p"
    with av.open(tmp_path / "a.mp4") as container:
        assert np.shape(next(container.decode(video=0)).to_ndarray(format="gray")) == (17, 33)
