"""`info`, `demo`, `bench`, help, and a start that stays quick."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import av
import imageio.v3 as imageio
import numpy as np
import pytest
from support.shell import COMMAND, one_line, texsamp
from texsamp.cli.main import app
from texsamp.cli.man import man_page
from typer.main import get_command
from typer.testing import CliRunner

import texsamp as ts
from texsamp.demo import demo
from texsamp.io import pattern_clip

ROOT = Path(__file__).resolve().parent.parent.parent
runner = CliRunner()


def test_info_names_versions_devices_and_level():
    result = runner.invoke(app, ["info"])
    assert result.exit_code == 0
    rows = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert rows["texsamp"] == ts.__version__
    assert rows["FFmpeg"] == av.ffmpeg_version_info
    assert rows["PyAV"] == av.__version__
    assert "device cpu" in result.stdout
    assert "device cuda" in result.stdout
    assert "cpu level" in result.stdout


def test_the_version_is_one_line_and_no_command_is_needed():
    result = runner.invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"texsamp {ts.__version__}\n")


def test_demo_writes_the_video_and_the_picture(tmp_path):
    result = runner.invoke(app, ["demo", str(tmp_path / "out"), "--device", "cpu"])
    assert result.exit_code == 0, result.output
    assert "50 frames in, 50 out" in result.stdout
    with av.open(tmp_path / "out" / "scaled.mp4") as container:
        stream = container.streams.video[0]
        assert (stream.width, stream.height, stream.average_rate) == (1280, 720, 25)
        assert sum(1 for _ in container.decode(video=0)) == 50
    picture = imageio.imread(tmp_path / "out" / "before-after.png")
    assert picture.shape == (640, 1284, 3)
    before, after = picture[:, :640].astype(int), picture[:, 644:].astype(int)
    assert np.ptp(after) > 100
    assert 0 < np.abs(before - after).mean() < 60  # the same picture, not the same pixels
    again = runner.invoke(app, ["demo", str(tmp_path / "out"), "--device", "cpu", "--json"])
    assert again.exit_code == 0
    told = json.loads(again.stdout.splitlines()[-1])
    assert (told["event"], told["frames_in"], told["clip"]) == ("result", 50, str(tmp_path / "out" / "clip.mkv"))


def stop(done, _total):
    if done == 3:
        raise KeyboardInterrupt


def test_an_interrupted_demo_leaves_nothing_behind(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        demo(tmp_path / "new" / "out", "cpu", stop)
    assert list(tmp_path.iterdir()) == []


def test_a_failing_demo_leaves_no_folder_behind(tmp_path):
    with pytest.raises(ts.DeviceError):
        demo(tmp_path / "out", "cuda:999")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_demo_keeps_what_was_there(tmp_path):
    for name in ("mine.txt", "scaled.mp4"):
        (tmp_path / name).write_text("precious")
    with pytest.raises(KeyboardInterrupt):
        demo(tmp_path, "cpu", stop)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "mine.txt": "precious",
        "scaled.mp4": "precious",
    }


def test_demo_into_a_file_is_one_line(tmp_path):
    (tmp_path / "taken").touch()
    run = texsamp("demo", "taken", cwd=tmp_path)
    assert run.returncode == 1
    assert "taken: cannot be made" in one_line(run.stderr)


def test_demo_on_a_device_that_cannot_be_is_bad_usage(tmp_path):
    run = texsamp("demo", "--device", "gpu", cwd=tmp_path)
    assert run.returncode == 2
    assert b"device must be auto, cpu, cuda or cuda:N, found 'gpu'" in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_bench_measures_the_chains_that_are_asked_for():
    result = runner.invoke(app, ["bench", "scale=32x16", "deinterlace", "--size", "64x48", "--frames", "3", "--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    assert [(row["vf"], row["frames"], row["width_px"]) for row in rows] == [
        ("scale=32x16", 3, 64),
        ("deinterlace", 3, 64),
    ]
    assert all(row["frames_per_second"] == row["frames"] / row["seconds"] for row in rows)
    words = runner.invoke(app, ["bench", "sharpen", "--size", "64x48", "--frames", "1"]).stdout.splitlines()
    assert words[1].split() == ["filters", "frames/s", "ms", "a", "frame"]
    assert words[2].startswith("sharpen ")


def test_bench_tells_what_each_filter_takes():
    arguments = ["bench", "scale=32x16,sharpen", "--size", "64x48", "--frames", "2", "--profile"]
    (speed,) = json.loads(runner.invoke(app, [*arguments, "--json"]).stdout)
    scale, sharpen = speed["stages"]
    assert [scale["stage"], sharpen["stage"]] == ["scale=32x16", "sharpen"]
    assert (scale["read_MB"], scale["written_MB"]) == (64 * 48 * 1.5e-6, 32 * 16 * 1.5e-6)
    assert scale["written_MB"] == sharpen["read_MB"]
    assert scale["launches"] >= 1
    assert scale["touched_MB"] > scale["read_MB"] + scale["written_MB"]
    assert scale["total_ms"] > scale["kernels_ms"] > 0
    words = runner.invoke(app, arguments).stdout.splitlines()
    assert words[-3].split()[0] == "filter"
    assert [line.split()[0] for line in words[-2:]] == ["scale=32x16", "sharpen"]


@pytest.mark.parametrize(
    "arguments", [("sharper",), ("--size", "1x9000"), ("--frames", "0")], ids=["filter", "size", "frames"]
)
def test_bench_measures_nothing_that_cannot_be(arguments):
    assert runner.invoke(app, ["bench", *arguments]).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("process a b --gop 0", ("'--gop'", "1", "0")),
        ("process a b --threads 257", ("'--threads'", "256", "257")),
        ("process a b --frames many", ("'--frames'", "integer", "many")),
        ("process a b --frames 1.5", ("'--frames'", "integer", "1.5")),
        ("process a b --crf good", ("'--crf'", "good")),
        ("process a b --hwaccel on", ("'--hwaccel'", "'on' is not one of 'auto', 'off'")),
        ("view a --port 65536", ("'--port'", "65535", "65536")),
    ],
)
def test_values_are_told_with_their_limit(arguments, said):
    result = runner.invoke(app, arguments.split())
    (words,) = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert result.exit_code == 2
    assert all(part in words for part in said)
    assert "Value error" not in words


def test_info_as_json():
    found = json.loads(runner.invoke(app, ["info", "--json"]).stdout)
    assert (found["texsamp"], found["versions"]["PyAV"]) == (ts.__version__, av.__version__)
    assert found["cpu_level"] in found["cpu_levels"]


COMMANDS = get_command(app).commands


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_json(command):
    result = runner.invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert "Usage" in result.stdout
    assert "--json" in result.stdout
    assert command in runner.invoke(app, ["--help"]).stdout


def test_the_man_page_is_the_help():
    page = man_page()
    assert page == (ROOT / "docs" / "texsamp.1").read_text(encoding="utf-8"), "python -m texsamp.cli.man makes it"
    assert [line.split()[2] for line in page.splitlines() if line.startswith(".SS texsamp ")] == list(COMMANDS)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("texsamp rep", ["replay"]),
        ("texsamp state BINDING", ["BINDING_TABLE_STATE", "BINDING_TABLE_STATE_GEN9"]),
        ("texsamp encode a.png b.dds --format BC6", ["BC6H_SF16", "BC6H_UF16"]),
        ("texsamp process a.mkv b.mkv --vf denoise,sh", ["denoise,sharpen"]),
    ],
    ids=["commands", "structures", "formats", "filters"],
)
def test_shells_complete_words(words, found):
    asked = {"_TEXSAMP_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    assert sorted(runner.invoke(app, [], env=asked, prog_name="texsamp").stdout.split()) == found


@pytest.mark.parametrize(
    ("shell", "file"),
    [("bash", ".bashrc"), ("zsh", ".zfunc/_texsamp"), ("fish", ".config/fish/completions/texsamp.fish")],
)
def test_completion_is_installed_for_the_shell(shell, file, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    result = runner.invoke(app, ["--install-completion", shell], prog_name="texsamp")
    assert result.exit_code == 0, result.output
    assert "texsamp" in (tmp_path / file).read_text()


def test_view_says_its_address_in_json(tmp_path, monkeypatch):
    monkeypatch.setattr("texsamp.view.server.ViewServer.serve", lambda self: None)
    imageio.imwrite(tmp_path / "a.png", np.zeros((4, 4, 3), np.uint8))
    result = runner.invoke(app, ["view", str(tmp_path / "a.png"), "--no-browser", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["url"].startswith("http://127.0.0.1:")


def with_redirection(redirection, *arguments, folder, buffered=True):
    environment = {**os.environ, "PYTHONUNBUFFERED": "" if buffered else "1"}
    line = f"{shlex.join([*COMMAND, *arguments])} {redirection}"
    return subprocess.run(
        ["sh", "-c", line], cwd=folder, env=environment, capture_output=True, timeout=120, check=False
    )


class TestStreams:
    @pytest.mark.parametrize("buffered", [True, False], ids=["buffered", "unbuffered"])
    @pytest.mark.parametrize(
        "arguments", [("formats",), ("info",), ("process", "--filters"), ("--help",)], ids=" ".join
    )
    def test_a_full_disk_is_one_line(self, tmp_path, arguments, buffered):
        run = with_redirection(">/dev/full", *arguments, folder=tmp_path, buffered=buffered)
        assert run.returncode == 1
        assert one_line(run.stderr) == "texsamp: standard output: cannot be written: No space left on device"

    def test_closed_output_is_one_line(self, tmp_path):
        run = with_redirection(">&-", "info", folder=tmp_path)
        assert run.returncode == 1
        assert one_line(run.stderr) == "texsamp: standard output is closed"

    @pytest.mark.parametrize(
        "arguments",
        [("process", "-", "out.mkv"), ("compare", "--ref", "-", "--dist", "b.mkv")],
        ids=["process", "compare"],
    )
    def test_closed_input_is_one_line(self, tmp_path, arguments):
        run = with_redirection("<&-", *arguments, folder=tmp_path)
        assert run.returncode == 1
        assert one_line(run.stderr) == "texsamp: standard input is closed"
        assert list(tmp_path.iterdir()) == []

    def test_closed_stderr_loses_words_only(self, tmp_path):
        with ts.VideoWriter(tmp_path / "in.mkv", lossless=True) as writer:
            for frame in pattern_clip(64, 48, 3):
                writer.write(frame)
        run = with_redirection("2>&-", "process", "in.mkv", "out.mkv", "--vf", "sharpen", folder=tmp_path)
        assert run.returncode == 0
        assert b"3 frames in, 3 out" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("process", "-i", "a.mkv", "b.mkv"), "No such option: -i (FFmpeg's -i: IN and OUT are given by themselves"),
        (("process", "a.mkv", "b.mkv", "-vf", "denoise"), "No such option: -v (FFmpeg's -vf: --vf)"),
        (("process", "a.mkv", "b.mkv", "-crf", "20"), "(FFmpeg's -crf: --crf)"),
        (("process", "a.mkv", "b.mkv", "-c", "copy"), "(FFmpeg's -c: not needed: sound and subtitles are copied"),
        (("-i", "a.mkv", "b.mkv"), "texsamp process IN OUT)"),
        ((__file__, "b.mkv"), "(for a video: texsamp process IN OUT)"),
    ],
)
def test_options_of_ffmpeg_are_told_in_this_programs_words(arguments, message):
    result = runner.invoke(app, list(arguments))
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    "arguments", [("process", "--none"), ("decode", "-f", "x"), ("none.mkv", "b.mkv"), ("process",)]
)
def test_other_mistakes_are_told_as_they_are(arguments):
    result = runner.invoke(app, list(arguments))
    assert result.exit_code == 2
    assert "(FFmpeg" not in result.stderr
    assert "texsamp process IN OUT)" not in result.stderr
