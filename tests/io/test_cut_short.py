"""Whether files that end early are known by their bytes: whole ones never, cut ones always."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from texsamp.io.cut_short import complaints, early_end

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
