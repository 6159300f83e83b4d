"""The shape of pixels stays, also where the codec's own stream does not say it."""

import subprocess
import sys
import zlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import pytest
from support.media import gray_ramp, write_video

import texsamp as ts
from texsamp.io.output.matroska_aspect import with_aspect

TAPE = Fraction(64, 45)


@pytest.fixture(scope="module")
def tape(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def shaped(container: Any, stream: Any) -> None:
        stream.codec_context.sample_aspect_ratio = TAPE
        stream.metadata["title"] = "side A"

    path = tmp_path_factory.mktemp("aspect") / "tape.mkv"
    return write_video(path, [gray_ramp(720, 64, n) for n in range(12)], codec="libx264", setup=shaped)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a.mkv", {"lossless": True}),
        ("a.webm", {}),
        ("a.mkv", {"codec": "libsvtav1"}),
        ("a.mkv", {"codec": "rawvideo"}),
        ("a.mkv", {"codec": "libx264", "bitrate": "1M", "two_pass": True}),
        ("a.mp4", {}),
        ("a.ts", {}),
        ("a.avi", {}),
    ],
)
def test_pixels_keep_their_shape_and_the_track_its_name(
    tape: Path, tmp_path: Path, name: str, options: dict[str, Any]
) -> None:
    out = tmp_path / name
    ts.process(tape, out, vf="sharpen=3", **options)
    with av.open(str(out)) as container:
        (stream,) = container.streams.video
        assert stream.sample_aspect_ratio == TAPE
        assert stream.metadata.get("title", "side A") == "side A"
        assert len(list(container.decode(stream))) == 12


@pytest.mark.parametrize("kind", ["mkv", "webm"])
def test_pixels_keep_their_shape_down_a_pipe(tape: Path, tmp_path: Path, kind: str) -> None:
    script = "from texsamp_script import main; main()"
    words = ["process", str(tape), "-", "--format", kind, "--vf", "sharpen=3"]
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, check=True)
    (tmp_path / "a").write_bytes(done.stdout)
    with av.open(str(tmp_path / "a")) as container:
        assert container.streams.video[0].sample_aspect_ratio == TAPE


def test_the_list_of_tracks_has_a_right_checksum_and_the_same_place(tape: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.mkv"
    ts.process(tape, out, vf="sharpen=3", lossless=True)
    data = out.read_bytes()
    place = data.rindex(b"\x16\x54\xae\x6b")  # the first is in the table of places
    count = 9 - data[place + 4].bit_length()
    size = int.from_bytes(data[place + 4 : place + 4 + count]) & ((1 << 7 * count) - 1)
    tracks = data[place + 4 + count :][:size]
    assert tracks[:2] == b"\xbf\x84"
    assert int.from_bytes(tracks[2:6], "little") == zlib.crc32(tracks[6:])
    assert data[place + 4 + count + size :][:4] in (b"\x12\x54\xc3\x67", b"\x1f\x43\xb6\x75", b"\xec\x01\x00\x00")


def test_a_header_that_is_cut_or_has_no_place_is_left(tape: Path) -> None:
    data = tape.read_bytes()
    assert with_aspect(data, TAPE, "matroska") is None
    for length in range(0, 600, 7):
        assert with_aspect(data[:length], TAPE, "matroska") is None


def test_where_neither_codec_nor_container_holds_it_a_note_says_so(tape: Path, tmp_path: Path) -> None:
    result = ts.process(tape, tmp_path / "a.nut", vf="sharpen=3")
    assert "the sample aspect 64:45 cannot be held by nut and is dropped" in result.notes
    result = ts.process(tape, tmp_path / "b.nut", vf="scale=1024:64")
    assert not any("aspect" in note for note in result.notes)


def test_a_stream_too_short_to_be_read_back_is_written(tape: Path, tmp_path: Path) -> None:
    assert ts.process(tape, tmp_path / "a.ts", vf="sharpen=3", frames=2).frames_out == 2
    with pytest.raises(av.FFmpegError):
        av.open(str(tmp_path / "a.ts"))
