"""HDR files to files of standard range."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.media import gray_ramp, write_video
from texsamp.cli.main import app
from typer.testing import CliRunner

import texsamp as ts

MASTER = "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(40000000,50)"


@pytest.fixture(scope="module")
def hdr10(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def pq(_: Any, stream: Any) -> None:
        context = stream.codec_context
        context.color_primaries, context.color_trc, context.colorspace, context.color_range = 9, 16, 9, 1

    return write_video(
        tmp_path_factory.mktemp("hdr") / "hdr10.mkv",
        [gray_ramp(64, 48, n).reformat(format="yuv420p10le") for n in range(3)],
        codec="libx265",
        options={"x265-params": f"log-level=error:master-display={MASTER}:max-cll=800,123"},
        setup=pq,
    )


@pytest.mark.parametrize("name", ["out.mp4", "out.mkv"])
def test_a_file_is_mapped_and_tagged(hdr10, tmp_path, name):
    result = ts.process(hdr10, tmp_path / name, vf="tonemap", device="cpu")
    assert not any("HDR" in note or "tonemap" in note for note in result.notes)
    with ts.VideoReader(tmp_path / name) as reader:
        frames = list(reader)
    assert len(frames) == 3
    for frame in frames:
        assert (frame.color.matrix, frame.color.primaries, frame.color.transfer) == (1, 1, 1)
        assert frame.color.full_range is False
        assert frame.hdr is None


def test_a_file_is_mapped_by_its_metadata(hdr10, tmp_path):
    """MaxCLL, not the mastering display."""
    ts.process(hdr10, tmp_path / "out.mkv", vf="tonemap", device="cpu", lossless=True)
    (made,) = ts.ToneMap(800).feed(ts.VideoReader(hdr10).first_frame)
    with ts.VideoReader(tmp_path / "out.mkv") as reader:
        for a, b in zip(reader.first_frame.to_arrays(), made.to_arrays(), strict=True):
            assert np.array_equal(a, b)


def test_statistics_have_both_peaks(hdr10, tmp_path):
    ts.process(hdr10, tmp_path / "out.mkv", vf="tonemap=auto", device="cpu", stats=tmp_path / "stats.csv")
    header, *rows = (tmp_path / "stats.csv").read_text().splitlines()
    used, measured = (header.split(",").index(f"tonemap_{name}") for name in ("peak", "measured"))
    assert [float(row.split(",")[used]) >= 203 for row in rows] == [True] * 3
    assert [0 < float(row.split(",")[measured]) < 203 for row in rows] == [True] * 3  # it is a dark picture


def test_the_command_refuses_standard_range(tmp_path):
    source = write_video(tmp_path / "in.mkv", [gray_ramp(64, 48, n) for n in range(2)], codec="ffv1")
    words = ["process", str(source), str(tmp_path / "out.mkv"), "--vf", "tonemap", "--device", "cpu"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1
    assert "does not say whether it is PQ or HLG" in result.output
    assert not (tmp_path / "out.mkv").exists()
