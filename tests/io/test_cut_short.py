"""Whether files that end early are known by their bytes: whole ones never, cut ones always."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from support.sync import write_part

from texsamp.errors import MediaError
from texsamp.io import VideoReader
from texsamp.io.input.cut_short import complaints, early_end
from texsamp.io.input.nut_end import nut_end

RNG = np.random.default_rng(3)


def gif(path: Path, frames: int, colors: int) -> bytes:
    pictures = [Image.fromarray(RNG.integers(0, colors, (40, 50), np.uint8)).convert("P") for _ in range(frames)]
    pictures[0].save(path, save_all=True, append_images=pictures[1:], comment=b"a;b,c!" * 60, loop=0)
    return path.read_bytes()


@pytest.mark.parametrize(("frames", "colors"), [(1, 2), (1, 256), (3, 256)])
def test_a_gif_is_whole_to_its_last_byte_alone(tmp_path: Path, frames: int, colors: int) -> None:
    data = gif(tmp_path / "a.gif", frames, colors)
    assert early_end("gif", str(tmp_path / "a.gif"), 1) is None
    for size in {*range(14), *RNG.integers(14, len(data), 200).tolist(), len(data) - 1}:
        (tmp_path / "b.gif").write_bytes(data[:size])
        assert early_end("gif", str(tmp_path / "b.gif"), 1) == "it has no trailer"
    (tmp_path / "b.gif").write_bytes(data + bytes(9))  # what follows the trailer is nobody's
    assert early_end("gif", str(tmp_path / "b.gif"), 1) is None


@pytest.mark.parametrize(
    ("name", "container", "video", "audio", "words"),
    [
        ("a.ts", "mpegts", "libx264", "aac", "its last packet has"),
        ("a.m2ts", "mpegts", "mpeg2video", "mp2", "its last packet has"),
        ("a.ogg", "ogg", "libvpx", "libopus", "its last page has"),
        ("a.nut", "nut", "libx264", "aac", "its last packet has"),
    ],
)
def test_a_stream_of_packets_or_pages_ends_with_a_whole_one(
    tmp_path: Path, name: str, container: str, video: str, audio: str, words: str
) -> None:
    """Whole files pass, cut ones are refused by ``strict``; what is cut between two packets nobody can tell."""
    write_part(tmp_path / name, [0.4], 50, 2.0, video=video, audio=audio, size=(160, 90))
    data, cut = (tmp_path / name).read_bytes(), tmp_path / f"cut-{name}"
    assert early_end(container, str(tmp_path / name), 1) is None
    assert len(list(VideoReader(tmp_path / name, strict=True))) == 50
    told = []
    for size in (sizes := RNG.integers(len(data) // 2, len(data), 60).tolist()):
        cut.write_bytes(data[:size])
        told += [size] * (early_end(container, str(cut), 1) or "").startswith(words)
    assert len(told) >= len(sizes) - 6
    cut.write_bytes(data + bytes(100))  # what follows is nobody's
    assert early_end(container, str(cut), 1) is None
    for size in range(7):
        cut.write_bytes(data[:size])
        assert early_end(container, str(cut), 1) is None
    cut.write_bytes(data[: min(told)])
    with pytest.raises(MediaError, match=words), VideoReader(cut, strict=True) as reader:
        list(reader)


def test_random_bytes_end_in_words(tmp_path: Path) -> None:
    for size in range(3, 3000, 37):
        data = RNG.integers(0, 256, size, np.uint8).tobytes()
        (tmp_path / "a.gif").write_bytes(data)
        assert early_end("gif", str(tmp_path / "a.gif"), 1) in (None, "it has no trailer")
        for codec, magic in {
            "exr": b"v/1\x01\x02\0\0\0",
            "sunrast": b"Y\xa6j\x95",
            "qoi": b"qoif",
            "jpegls": b"",
        }.items():
            assert complaints(codec, magic + data) in ([], ["the picture ends early"])
            assert complaints(codec, magic + data[:3]) == ["the picture ends early"]


def test_what_is_no_file_here_is_not_looked_at(tmp_path: Path) -> None:
    assert early_end("gif", "http://127.0.0.1/a.gif", 1) is None
    assert early_end("dv", str(tmp_path / "none.dv"), 144000) is None
    assert complaints("exr", b"") == []


def test_the_end_of_a_nut_file_is_found_in_its_frames(tmp_path: Path) -> None:
    """Lies in its tables and frames end as no knowledge, or as some packet; never in a loop."""
    write_part(tmp_path / "a.nut", [0.4], 50, 2.0, video="libx264", audio="aac", size=(160, 90))
    data = (tmp_path / "a.nut").read_bytes()
    for _ in range(300):
        lie = bytearray(data)
        for at in RNG.integers(25, 400, 3).tolist() + RNG.integers(0, len(data), 2).tolist():
            lie[at] = RNG.integers(0, 256)
        words = nut_end(io.BytesIO(bytes(lie)))
        assert words is None or words.startswith("its last packet has")
