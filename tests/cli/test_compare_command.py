"""`texsamp compare`: scores, exactness, and clips that cannot be compared."""

import json

import numpy as np
import pytest
from PIL import Image
from support.clips import random_pictures, write_clip
from support.shell import one_line
from texsamp.cli.main import app
from typer.testing import CliRunner

from texsamp.quality import psnr, ssim

WIDTH, HEIGHT = 48, 32
runner = CliRunner()


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    pictures = random_pictures(4, (WIDTH, HEIGHT), seed=3)
    write_clip(folder / "a.mkv", pictures)
    write_clip(folder / "a.y4m", pictures)
    damaged = [picture.copy() for picture in pictures]
    damaged[2][7, 5] ^= 0x40
    damaged[2][7, 9] ^= 0x40
    damaged[3][HEIGHT, 0] ^= 1  # the first sample of U
    write_clip(folder / "b.mkv", damaged)
    write_clip(folder / "short.mkv", pictures[:3])
    write_clip(folder / "small.mkv", random_pictures(4, (WIDTH // 2, HEIGHT), seed=3))
    folder.joinpath("pictures.npy").write_bytes(b"")
    np.save(folder / "pictures.npy", np.stack([np.stack(pictures), np.stack(damaged)]))
    return folder


def compare(clips, ref, dist, *options):
    return runner.invoke(app, ["compare", "--ref", str(clips / ref), "--dist", str(clips / dist), *options])


def test_exact_names_the_first_difference(clips):
    reference, damaged = np.load(clips / "pictures.npy")
    result = compare(clips, "a.mkv", "b.mkv", "--exact")
    assert result.exit_code == 1
    expected = f"frame 2, plane Y, x 5, y 7: reference {reference[2][7, 5]}, distorted {damaged[2][7, 5]}"
    assert result.stdout == f"different: {expected}\n"


def test_exact_as_json(clips):
    result = compare(clips, "a.mkv", "b.mkv", "--exact", "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert (found["identical"], found["frame"], found["plane"], found["x"], found["y"]) == (False, 2, "Y", 5, 7)


def test_exact_on_equal_clips_of_different_containers(clips):
    result = compare(clips, "a.mkv", "a.y4m", "--exact")
    assert (result.exit_code, result.stdout) == (0, "identical: 4 frames\n")
    assert json.loads(compare(clips, "a.mkv", "a.y4m", "--exact", "--json").stdout) == {"identical": True, "frames": 4}


def test_scores_are_those_of_the_planes(clips):
    reference, damaged = np.load(clips / "pictures.npy")
    result = compare(clips, "a.mkv", "b.mkv", "--json")
    assert result.exit_code == 0
    scores = json.loads(result.stdout)
    luma = scores["planes"]["Y"]
    planes = reference[2][:HEIGHT], damaged[2][:HEIGHT]
    assert not scores["identical"]
    assert scores["frames"] == 4
    assert luma["psnr_min"] == pytest.approx(psnr(*planes, 255))
    assert luma["psnr_mean"] == pytest.approx(psnr(*planes, 255) + 10 * np.log10(4))
    assert luma["ssim_min"] == pytest.approx(ssim(*planes, 255))
    assert luma["psnr_worst_frame"] == luma["ssim_worst_frame"] == 2
    assert scores["planes"]["U"]["psnr_worst_frame"] == 3
    assert scores["planes"]["V"]["psnr_min"] is None
    assert scores["planes"]["V"]["ssim_min"] == 1.0


def test_table_shows_every_plane(clips):
    lines = compare(clips, "a.mkv", "b.mkv").stdout.splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.split()[:1] in (["Y"], ["U"], ["V"])}
    assert set(rows) == {"Y", "U", "V"}
    assert rows["V"] == ["inf", "inf", "0", "1.000000", "1.000000", "0"]


@pytest.mark.parametrize("options", [[], ["--exact"]], ids=["scores", "exact"])
@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("short.mkv", "the distorted stream ends after 3 frames, the reference stream goes on"),
        ("small.mkv", "sizes differ: reference Y 48x32, U 24x16, V 24x16; distorted Y 24x32"),
        ("missing.mkv", "missing.mkv"),
    ],
)
def test_clips_that_cannot_be_compared(clips, other, message, options):
    result = compare(clips, "a.mkv", other, *options)
    assert result.exit_code == 1
    assert message in one_line(result.stderr.encode())
    assert result.stdout == ""


def test_different_formats_are_refused(clips):
    ten_bits = runner.invoke(
        app, ["process", str(clips / "a.mkv"), str(clips / "ten.mkv"), "--lossless", "--pix-fmt", "yuv420p10le", "-y"]
    )
    assert ten_bits.exit_code == 0, ten_bits.output
    result = compare(clips, "a.mkv", "ten.mkv")
    assert result.exit_code == 1
    assert "Y of 8 bits, U of 8 bits, V of 8 bits cannot be compared with Y of 10 bits" in result.stderr


def test_conversions_before_the_comparison_are_told(clips):
    """Twelve bits are compared as ten: that "identical" needs a note."""
    for name in ("twelve.mkv", "again.mkv"):
        options = ["--codec", "ffv1", "--pix-fmt", "yuv420p12le", "-y"]
        made = runner.invoke(app, ["process", str(clips / "a.mkv"), str(clips / name), *options])
        assert made.exit_code == 0, made.output
    result = compare(clips, "twelve.mkv", "again.mkv", "--exact")
    assert (result.exit_code, result.stdout) == (0, "identical: 4 frames\n")
    assert "twelve.mkv: yuv420p12le is converted to yuv420p10le (12 bits become 10)" in result.stderr


@pytest.mark.parametrize("options", [(), ("--exact",), ("--json",)])
def test_only_one_video_is_standard_input(clips, options):
    piped = (clips / "a.y4m").read_bytes()
    result = runner.invoke(app, ["compare", "--ref", "-", "--dist", "-", *options], input=piped)
    assert result.exit_code == 2
    assert result.stderr == "texsamp: ref and dist cannot both be standard input\n"


def test_one_frame_is_no_frames(tmp_path):
    Image.new("RGB", (64, 48)).save(tmp_path / "a.png")
    assert " 1 frame " in compare(tmp_path, "a.png", "a.png").stdout
    assert compare(tmp_path, "a.png", "a.png", "--exact").stdout == "identical: 1 frame\n"
