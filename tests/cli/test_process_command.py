"""`texsamp process` as people run it: results, pipes, errors as one line, exit codes, Ctrl-C."""

import json
import os
import pty
import re
import signal
import subprocess
import time

import av
import imageio
import numpy as np
import pytest
from support.clips import random_pictures, read_clip, write_clip
from support.shell import COMMAND, one_line, texsamp
from texsamp.cli import job_json

SIZE = (64, 36)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("clips")
    write_clip(path / "in.mkv", random_pictures(6, SIZE, seed=11))
    write_clip(path / "in.y4m", random_pictures(6, SIZE, seed=11))
    return path


def test_scales_and_sharpens(folder):
    run = texsamp("process", "in.mkv", "out.mkv", "--vf", "scale=128x72:preset=ihd,sharpen=44", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert re.match(rb"out\.mkv: 6 frames in, 6 out, [\d.]+ s \([\d.]+ frames/s\)", run.stdout)
    with av.open(folder / "out.mkv") as container:
        stream = container.streams.video[0]
        assert (stream.width, stream.height) == (128, 72)
    assert len(read_clip(folder / "out.mkv")) == 6


def test_one_frame_is_no_frames(folder):
    run = texsamp("process", "in.mkv", "one.mkv", "--frames", "1", cwd=folder)
    assert run.stdout.startswith(b"one.mkv: 1 frame in, 1 out")


def test_two_options_that_exclude_each_other_are_bad_usage(folder):
    run = texsamp("process", "in.mkv", "both.mkv", "--crf", "10", "--lossless", cwd=folder)
    assert run.returncode == 2
    assert "crf 10" in one_line(run.stderr)
    assert "exclude each other" in one_line(run.stderr)


def test_no_filter_and_lossless_changes_no_sample(folder):
    assert texsamp("process", "in.mkv", "same.mkv", "--lossless", cwd=folder).returncode == 0
    for a, b in zip(read_clip(folder / "in.mkv"), read_clip(folder / "same.mkv"), strict=True):
        np.testing.assert_array_equal(a, b)


def test_statistics_go_to_a_table(folder):
    options = ["--vf", "denoise=auto,scale=32x18", "--stats", "out.csv"]
    run = texsamp("process", "in.mkv", "stats.mkv", *options, cwd=folder)
    assert run.returncode == 0, run.stderr
    header, *rows = (folder / "out.csv").read_text().splitlines()
    assert header == "frame,time_s,damaged,denoise_noise_y,denoise_noise_u,denoise_noise_v"
    assert [row.split(",")[:2] for row in rows] == [[str(n), f"{n / 25:g}"] for n in range(6)]
    assert all(float(row.split(",")[2]) >= 0 for row in rows)
    again = texsamp("process", "in.mkv", "again.mkv", *options, cwd=folder)
    assert again.returncode == 1
    assert "out.csv: exists already; -y or --overwrite (in Python overwrite=True) replaces it" in one_line(again.stderr)
    assert not (folder / "again.mkv").exists()


def test_contrast_curves_are_columns_and_are_drawn(folder):
    pytest.importorskip("matplotlib")
    options = ["--vf", "contrast=8", "--stats", "curve.csv", "--plot", "curve.png"]
    run = texsamp("process", "in.mkv", "contrast.mkv", *options, cwd=folder)
    assert run.returncode == 0, run.stderr
    header = (folder / "curve.csv").read_text().splitlines()[0].split(",")
    assert {"contrast_mean", "contrast_skin_pixels", "contrast_in0", "contrast_out11"} <= set(header)
    drawn = imageio.v3.imread(folder / "curve.png")
    assert drawn.shape[0] > 300
    assert len(np.unique(drawn.reshape(-1, drawn.shape[2]), axis=0)) > 10


@pytest.mark.parametrize(
    ("name", "filters", "message"),
    [
        ("curve.txt", "contrast", "must end in one of .pdf, .png, .svg"),
        ("none.png", "sharpen", "there is no curve to draw: put contrast among the filters"),
        ("none.png", "contrast=0", ""),
    ],
)
def test_drawings_that_cannot_be(folder, name, filters, message):
    pytest.importorskip("matplotlib")
    run = texsamp("process", "in.mkv", "drawn.mkv", "-y", "--vf", filters, "--plot", name, cwd=folder)
    assert run.returncode == (1 if message else 0)
    assert message in run.stderr.decode()
    assert (folder / name).exists() == (not message)


def test_two_reports_under_one_name(folder):
    names = ["--stats", "two.svg", "--plot", "./two.svg"]
    run = texsamp("process", "in.mkv", "two.mkv", "--vf", "contrast", *names, cwd=folder)
    assert run.returncode == 1
    assert one_line(run.stderr) == "texsamp: ./two.svg: the drawing would be written over the statistics"
    assert not list(folder.glob("two.*"))


def test_lossless_and_a_lossy_format_are_bad_usage(folder):
    run = texsamp("process", "in.mkv", "less.mkv", "--lossless", "--pix-fmt", "gray", cwd=folder)
    assert run.returncode == 2
    assert "--lossless and --pix-fmt gray exclude each other" in one_line(run.stderr)
    assert not (folder / "less.mkv").exists()


def test_part_of_a_clip(folder):
    run = texsamp("process", "in.mkv", "part.mkv", "--lossless", "--start", "0.08", "--frames", "2", cwd=folder)
    assert run.returncode == 0, run.stderr
    found, whole = read_clip(folder / "part.mkv"), read_clip(folder / "in.mkv")
    assert len(found) == 2
    np.testing.assert_array_equal(found, whole[2:4])


def test_devices_threads_and_encoder_options(folder):
    options = ["--device", "cpu", "--threads", "2", "--codec", "ffv1", "--pix-fmt", "yuv444p"]
    run = texsamp("process", "in.mkv", "options.mkv", "--vf", "scale=32x18", *options, cwd=folder)
    assert run.returncode == 0, run.stderr
    with av.open(folder / "options.mkv") as container:
        stream = container.streams.video[0]
        assert (stream.codec_context.name, stream.codec_context.pix_fmt) == ("ffv1", "yuv444p")


class TestPipes:
    def test_y4m_both_ways(self, folder):
        data = (folder / "in.y4m").read_bytes()
        run = texsamp("process", "-", "-", "--vf", "scale=32x18", cwd=folder, stdin=data)
        assert run.returncode == 0, run.stderr
        assert run.stdout.startswith(b"YUV4MPEG2 W32 H18 F25:1")
        assert run.stdout.count(b"FRAME") == 6
        assert b"-: 6 frames in, 6 out" in run.stderr

    def test_pipe_and_file_give_the_same_picture(self, folder):
        texsamp("process", "in.mkv", "file.mkv", "--vf", "sharpen=60", "--lossless", "-y", cwd=folder)
        run = texsamp("process", "in.mkv", "-", "--vf", "sharpen=60", cwd=folder)
        (folder / "piped.y4m").write_bytes(run.stdout)
        np.testing.assert_array_equal(read_clip(folder / "file.mkv"), read_clip(folder / "piped.y4m"))

    def test_a_reader_that_leaves_early_is_no_traceback(self, folder):
        write_clip(folder / "large.mkv", random_pictures(30, (320, 180), seed=1))
        process = subprocess.Popen(
            [*COMMAND, "process", "large.mkv", "-"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        process.stdout.read(100)
        process.stdout.close()
        errors = process.stderr.read().decode()
        assert process.wait(60) == 1
        assert "Traceback" not in errors


@pytest.mark.parametrize("start", ["0.08", "00:00:00.08", "0:00.08"])
def test_times_as_people_write_them(folder, start):
    run = texsamp(
        "process", "in.mkv", "cut.mkv", "--lossless", "--start", start, "--duration", "0:00.12", "-y", cwd=folder
    )
    assert run.returncode == 0, run.stderr
    np.testing.assert_array_equal(read_clip(folder / "cut.mkv"), read_clip(folder / "in.mkv")[2:5])


def test_ffmpegs_filters_run_beside_ours(folder):
    vf = "hflip,scale=iw/2:ih/2,lavfi='crop=16:8,vflip'"
    run = texsamp("process", "in.mkv", "mixed.mkv", "--vf", vf, "--lossless", "--explain", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert "  FFmpeg         crop: Crop the input video (libavfilter " in run.stdout.decode()
    assert read_clip(folder / "mixed.mkv")[0].shape == (12, 16)


class TestJson:
    def test_progress_and_result_are_lines(self, folder):
        run = texsamp("process", "in.mkv", "json.mp4", "--json", cwd=folder)
        assert run.returncode == 0, run.stderr
        assert run.stderr == b""
        *progress, result = [json.loads(line) for line in run.stdout.splitlines()]
        assert all((line["event"], line["total"]) == ("progress", 6) for line in progress)
        assert (result["event"], result["output"], result["frames_out"]) == ("result", "json.mp4", 6)
        assert result["notes"] == ["H.264 in 8-bit 4:2:0 is written: common players take it"]
        assert set(result["seconds"]) == {"decode_wait", "kernels", "encode_wait", "segments", "total"}

    def test_progress_comes_twice_a_second(self, monkeypatch, capsys):
        seconds = iter([10.0, 10.4, 10.5, 10.9, 11.1])
        monkeypatch.setattr(job_json, "perf_counter", lambda: next(seconds))
        with job_json.json_progress(err=False) as update:
            for frames in range(1, 5):
                update(frames, None)
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert lines == [
            {"event": "progress", "frames": 2, "total": None, "seconds": 0.5},
            {"event": "progress", "frames": 4, "total": None, "seconds": 1.1},
        ]

    def test_keeps_out_of_a_piped_video(self, folder):
        run = texsamp("process", "in.mkv", "-", "--json", cwd=folder)
        assert run.stdout.startswith(b"YUV4MPEG2")
        assert json.loads(run.stderr.splitlines()[-1])["frames_out"] == 6


class TestDryRun:
    def test_says_what_would_be_done_and_writes_nothing(self, folder):
        before = sorted(folder.iterdir())
        run = texsamp("process", "in.mkv", "dry.mp4", "--vf", "scale=iw*2:-2,hflip", "--dry-run", cwd=folder)
        assert run.returncode == 0, run.stderr
        assert run.stdout.decode().splitlines() == [
            "in   in.mkv: matroska,webm, ffv1 yuv420p 64x36, 25 frames/s, 0.240 s, 6 frames",
            "     scale=iw*2x-2: 128x72 yuv420p, 25 frames/s",
            '     lavfi="hflip": 128x72 yuv420p, 25 frames/s',
            "     video stream 0 (ffv1): processed",
            "out  dry.mp4: mp4, libx264 yuv420p 128x72, 25 frames/s",
            "     preset=medium crf=18",
        ]
        assert run.stderr == b"note: H.264 in 8-bit 4:2:0 is written: common players take it\n"
        assert sorted(folder.iterdir()) == before

    def test_as_json(self, folder):
        run = texsamp("process", "in.mkv", "dry.mkv", "--dry-run", "--json", "--gop", "7", cwd=folder)
        plan = json.loads(run.stdout)
        assert (plan["event"], plan["input"]["frame_rate"], plan["output"]["options"]["g"]) == ("plan", 25.0, "7")

    def test_refusals_are_the_jobs(self, folder):
        assert texsamp("process", "in.mkv", "dry.mkv", "--dry-run", "--vf", "crop=999:9", cwd=folder).returncode == 2
        assert texsamp("process", "nowhere.mkv", "dry.mkv", "--dry-run", cwd=folder).returncode == 1


class TestExplain:
    def test_goes_to_stdout(self, folder):
        run = texsamp("process", "in.mkv", "ex.mkv", "--vf", "scale=32x18", "--explain", cwd=folder)
        text = run.stdout.decode()
        assert "scale=32x18\n" in text
        assert "ours           positions of align=center" in text

    def test_keeps_out_of_a_piped_video(self, folder):
        run = texsamp("process", "in.mkv", "-", "--vf", "scale=32x18", "--explain", cwd=folder)
        assert run.stdout.startswith(b"YUV4MPEG2")
        assert b"positions of align" in run.stderr

    def test_filters_lists_the_table(self, folder):
        run = texsamp("process", "--filters", cwd=folder)
        assert run.returncode == 0
        assert b"scale=WIDTHxHEIGHT" in run.stdout
        assert b"sharpen=LEVEL" in run.stdout


class TestErrors:
    @pytest.mark.parametrize(
        ("vf", "message"),
        [
            ("scal=4x4", "unknown filter 'scal': known are denoise, deinterlace, "),
            ("scale=4x4:preset=idh", "(did you mean 'ihd'?)"),
            ("sharpen=99", "level must be auto or an integer from 0 to 64, found '99'"),
            ("scale=-1:-1", "scale needs a width or a height"),
        ],
    )
    def test_bad_filters_are_bad_usage(self, folder, vf, message):
        run = texsamp("process", "in.mkv", "never.mkv", "--vf", vf, cwd=folder)
        assert run.returncode == 2
        assert message in one_line(run.stderr)
        assert run.stdout == b""
        assert not (folder / "never.mkv").exists()

    def test_filter_the_pictures_do_not_fit_leaves_no_file(self, folder):
        run = texsamp("process", "in.mkv", "never.mkv", "--vf", "scale=32x18:adaptive=all", cwd=folder)
        assert run.returncode == 2
        assert "yuv420p" in one_line(run.stderr)
        assert sorted(p.name for p in folder.iterdir() if "never" in p.name) == []

    @pytest.mark.parametrize(
        "arguments",
        [
            ["process", "in.mkv"],
            ["process", "in.mkv", "x.mkv", "--threads", "0"],
            ["process", "in.mkv", "x.mkv", "--frames", "none"],
            ["process", "in.mkv", "x.mkv", "--speed"],
            ["proces"],
        ],
        ids=["no output", "threads", "frames", "option", "command"],
    )
    def test_bad_usage(self, folder, arguments):
        run = texsamp(*arguments, cwd=folder)
        assert run.returncode == 2
        assert b"Traceback" not in run.stderr
        assert run.stdout == b""

    def test_missing_file(self, folder):
        run = texsamp("process", "nowhere.mkv", "never.mkv", cwd=folder)
        assert run.returncode == 1
        assert "nowhere.mkv" in one_line(run.stderr)

    def test_file_that_is_no_video(self, folder):
        (folder / "text.mkv").write_text("words, not pictures\n" * 50)
        run = texsamp("process", "text.mkv", "never.mkv", cwd=folder)
        assert run.returncode == 1
        assert "text.mkv" in one_line(run.stderr)

    def test_existing_output_is_kept(self, folder):
        (folder / "kept.mkv").write_bytes(b"precious")
        run = texsamp("process", "in.mkv", "kept.mkv", cwd=folder)
        assert run.returncode == 1
        assert "kept.mkv" in one_line(run.stderr)
        assert (folder / "kept.mkv").read_bytes() == b"precious"
        assert texsamp("process", "in.mkv", "kept.mkv", "-y", cwd=folder).returncode == 0
        assert len(read_clip(folder / "kept.mkv")) == 6

    @pytest.mark.parametrize(
        ("option", "value", "message"),
        [
            ("--device", "gpu", "device must be auto, cpu, cuda or cuda:N, found 'gpu'"),
            ("--device", "", "device must be auto, cpu, cuda or cuda:N, found ''"),
            ("--crf", "nan", "found nan"),
            ("--crf", "-5", "-5"),
            ("--start", "inf", "found inf"),
            ("--start", "-1", "-1"),
            ("--start", "1:60", "must be seconds or [HH:]MM:SS, found 1:60"),
            ("--start", "1:2:3:4", "found 1:2:3:4"),
            ("--duration", "soon", "must be seconds or [HH:]MM:SS, found soon"),
            ("--duration", "1.5:00", "found 1.5:00"),
            ("--duration", "nan", "found nan"),
        ],
    )
    def test_values_wrong_on_every_machine_are_bad_usage(self, folder, option, value, message):
        run = texsamp("process", "nowhere.mkv", "never.mkv", option, value, cwd=folder)
        assert run.returncode == 2
        assert message in run.stderr.decode()
        assert option in run.stderr.decode()
        assert b"Traceback" not in run.stderr

    @pytest.mark.parametrize(("option", "value"), [("--duration", "0"), ("--frames", "0"), ("--start", "1e10")])
    def test_parts_that_no_file_has_are_bad_usage(self, folder, option, value):
        run = texsamp("process", "in.mkv", "never.mkv", option, value, cwd=folder)
        assert (run.returncode, b"Traceback" in run.stderr) == (2, False)
        assert option.strip("-") in run.stderr.decode()
        assert not (folder / "never.mkv").exists()

    def test_a_bad_number_of_threads_in_the_environment_is_bad_usage(self, folder, monkeypatch):
        monkeypatch.setenv("TEXSAMP_THREADS", "abc")
        run = texsamp("process", "in.mkv", "never.mkv", "--vf", "sharpen", cwd=folder)
        assert run.returncode == 2
        assert "TEXSAMP_THREADS must be an integer from 1 to 256, found 'abc'" in one_line(run.stderr)

    @pytest.mark.parametrize(
        ("source", "options", "message"),
        [
            ("-", ["--two-pass", "--bitrate", "1M"], "two passes read the input twice: it must be a file, found -"),
            ("in.mkv", ["--two-pass"], "give one, as in --bitrate 4M"),
            ("in.mkv", ["--bitrate", "fast"], "bitrate must be from 1k to 10G bits per second, as in 4M, found 'fast'"),
            ("in.mkv", ["--encoder-option", "refs"], "write KEY=VALUE, found 'refs'"),
        ],
    )
    def test_bad_encoder_options_are_bad_usage(self, folder, source, options, message):
        run = texsamp("process", source, "never.mkv", *options, cwd=folder)
        assert run.returncode == 2
        assert message in run.stderr.decode()
        assert not list(folder.glob("*never*"))

    def test_unknown_encoder(self, folder):
        run = texsamp("process", "in.mkv", "never.mkv", "--codec", "h999", cwd=folder)
        assert run.returncode == 1
        assert "h999" in one_line(run.stderr)
        assert not list(folder.glob("*never*"))

    def test_output_in_a_missing_folder(self, folder):
        run = texsamp("process", "in.mkv", "no/such/folder/out.mkv", cwd=folder)
        assert run.returncode == 1
        assert "no/such/folder" in one_line(run.stderr)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_interrupted_runs_leave_nothing_behind(tmp_path, number, status):
    write_clip(tmp_path / "long.mkv", random_pictures(60, (320, 180), seed=2) * 10)
    process = subprocess.Popen(
        [*COMMAND, "process", "long.mkv", "out.mkv", "--vf", "scale=1920x1080,sharpen"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # The tests themselves may run under nohup; no thread of theirs runs here.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # noqa: PLW1509
    )
    while len(list(tmp_path.iterdir())) < 2:  # until the temporary file is there
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.send_signal(number)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == status
    assert b"Traceback" not in errors
    assert output == b""
    assert [path.name for path in tmp_path.iterdir()] == ["long.mkv"]


@pytest.mark.slow
def test_nohup_is_heeded(tmp_path):
    write_clip(tmp_path / "long.mkv", random_pictures(20, (320, 180), seed=2))
    process = subprocess.Popen(
        ["nohup", *COMMAND, "process", "long.mkv", "out.mkv", "--vf", "scale=640x360,sharpen"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while len(list(tmp_path.iterdir())) < 2:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.send_signal(signal.SIGHUP)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert (tmp_path / "out.mkv").exists()


class TestProgress:
    def test_is_silent_when_stderr_is_no_terminal(self, folder):
        run = texsamp("process", "in.mkv", "silent.mkv", cwd=folder)
        assert run.returncode == 0
        assert run.stderr == b""

    def test_shows_frames_on_a_terminal_and_keeps_stdout_clean(self, folder):
        write_clip(folder / "bar.mkv", random_pictures(30, (320, 180), seed=1))
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [*COMMAND, "process", "bar.mkv", "shown.mkv", "--vf", "scale=960x540"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        )
        os.close(theirs)
        drawn = b""
        try:
            while chunk := os.read(ours, 4096):
                drawn += chunk
        except OSError:  # the terminal's way of saying that the other side is gone
            pass
        finally:
            os.close(ours)
        output = process.stdout.read()
        assert process.wait(60) == 0
        assert re.search(rb"\d+/30", drawn)
        assert b"fps" in drawn
        assert output.startswith(b"shown.mkv: 30 frames in")
