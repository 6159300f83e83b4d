"""`texsamp replay`."""

import gzip
import json
import re
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from support import aub
from support.captures import buffer, capture_bytes
from support.programs import SET_UP, Program, data_address, objects
from support.replayed import paths
from texsamp.cli.main import app
from typer.testing import CliRunner

from texsamp.emulator import Capture, Gpu
from texsamp.emulator.commands import streamer
from texsamp.errors import CaptureError, FormatError
from texsamp.replay import job
from texsamp.replay import replay as run_replay
from texsamp.replay.differences import shown
from texsamp.state import RenderSurfaceState
from texsamp.state.commands_common import PipeControl
from texsamp.state.commands_media import MediaObjectWalker
from texsamp.state.commands_mi import MiBatchBufferEnd, MiNoop, MiStoreDataImm
from texsamp.surface.surface import Surface


@pytest.fixture
def captures(tmp_path):
    """A case of two submissions; each stores one dword into the luma of its own 4x2 NV12 picture."""
    files = []
    for number in range(2):
        commands = [MiNoop(), MiStoreDataImm(address=0x20000 + 8 * number, data=0x40302010)]
        batch = b"".join(command.pack() for command in (*commands, MiBatchBufferEnd()))
        target = {"bo_handle": 9, "fourcc": "NV12", "width": 4, "height": 2}
        target["planes"] = [{"offset": 0, "pitch": 8}, {"offset": 16, "pitch": 8}]
        path = tmp_path / f"made_{number:03d}.g7cap"
        parts = buffer(1, 0x10000, batch), buffer(9, 0x20000, bytes(24))
        path.write_bytes(capture_bytes(*parts, sequence=number, meta={"dst": target, "frame": number}))
        files.append(str(path))
    return files


def _run(*arguments):
    return CliRunner().invoke(app, ["replay", *map(str, arguments)])


def test_pictures_are_written_in_order(captures, tmp_path):
    result = _run(*reversed(captures), "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert [line.partition(":")[0] for line in result.output.splitlines()] == ["made_000", "made_001"]
    raw = (tmp_path / "out" / "made_001.raw").read_bytes()
    assert raw == bytes([0x10, 0x20, 0x30, 0x40] * 2 + [0] * 4)
    assert (tmp_path / "out" / "made_000.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["made_001.raw", "made_001.png"])
def test_files_that_exist_are_kept_unless_told_otherwise(captures, tmp_path, name):
    out = tmp_path / "out"
    out.mkdir()
    (out / name).write_bytes(b"precious")
    result = _run(*captures, "--out", out)
    assert (result.exit_code, f"{name}: exists already; -y" in result.output) == (1, True)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == {name: b"precious"}
    assert _run(*captures, "--out", out, "-y").exit_code == 0
    assert (out / name).read_bytes() != b"precious"


def test_surfaces_that_exist_are_kept_unless_told_otherwise(surface_of_halves, tmp_path):
    path, _ = surface_of_halves
    assert _run(path, "--out", tmp_path / "out").exit_code == 0
    result = _run(path, "--out", tmp_path / "out")
    assert (result.exit_code, "exists already; -y" in result.output) == (1, True)


def test_commands_pictures_and_differences_as_json(captures, tmp_path):
    (tmp_path / "made_000.raw").write_bytes(bytes([0x11, 0x20, 0x30, 0x40] + [0] * 8))
    (tmp_path / "made_001.raw").write_bytes(bytes([0x10, 0x20, 0x30, 0x40] * 2 + [0] * 4))
    result = _run(*captures, "--out", tmp_path / "out", "--expect", tmp_path, "--trace", "--json")
    assert result.exit_code == 1
    *commands, last = map(json.loads, result.stdout.splitlines())
    assert [(each["event"], each["name"]) for each in commands[:2]] == [
        ("command", "MI_NOOP"),
        ("command", "MI_STORE_DATA_IMM"),
    ]
    first, second = last["pictures"]
    assert (first["name"], first["png"]) == ("made_000", str(tmp_path / "out" / "made_000.png"))
    assert [(each["plane"], each["expected"], each["found"]) for each in first["differences"]] == [(0, 0x11, 0x10)]
    assert (second["compared"], second["differences"]) == (True, [])


@pytest.fixture
def garbled(tmp_path):
    """A case of three submissions; the second says of its picture what cannot be."""
    files = []
    for number, fourcc in enumerate(("NV12", "XYZ1", "NV12")):
        target = {"bo_handle": 9, "fourcc": fourcc, "width": 4, "height": 2}
        target["planes"] = [{"offset": 0, "pitch": 8}, {"offset": 16, "pitch": 8}]
        path = tmp_path / f"odd_{number:03d}.g7cap"
        parts = buffer(1, 0x10000, MiBatchBufferEnd().pack()), buffer(9, 0x20000, bytes(24))
        path.write_bytes(capture_bytes(*parts, sequence=number, meta={"dst": target, "frame": number}))
        files.append(str(path))
    return files


@pytest.mark.parametrize("reported", [False, True])
def test_a_picture_that_cannot_be_read_fails_alone(garbled, tmp_path, reported):
    """The status tells, also where all others are as expected."""
    for number in (0, 2):
        (tmp_path / f"odd_{number:03d}.raw").write_bytes(bytes(12))
    report = ("--report", tmp_path / "report.html") if reported else ()
    result = _run(*garbled, "--out", tmp_path / "out", "--expect", tmp_path, *report)
    assert result.exit_code == 1
    assert [line for line in result.stdout.splitlines() if line] == [
        f"odd_{number:03d}: {tmp_path / 'out'}/odd_{number:03d}.png, as expected" for number in (0, 2)
    ]
    (error,) = [line for line in result.stderr.splitlines() if line.startswith("texsamp: ")]
    assert error.endswith("odd_001.g7cap: 2 planes of layout 'XYZ1'")
    assert sorted(path.name for path in (tmp_path / "out").glob("*.raw")) == ["odd_000.raw", "odd_002.raw"]
    assert (tmp_path / "report.html").exists() is reported


def test_pictures_that_cannot_be_read_are_told_in_json_and_raised_in_python(garbled, tmp_path):
    last = json.loads(_run(*garbled, "--out", tmp_path / "out", "--json").stdout.splitlines()[-1])
    assert [each["name"] for each in last["pictures"]] == ["odd_000", "odd_002"]
    (unread,) = last["unread"]
    assert unread.endswith("odd_001.g7cap: 2 planes of layout 'XYZ1'")
    with pytest.raises(CaptureError, match="XYZ1"):
        run_replay(garbled, tmp_path / "again")
    assert (tmp_path / "again" / "odd_002.png").exists()


@pytest.mark.parametrize("strict", [False, True])
def test_a_submission_that_cannot_be_executed_fails_alone(captures, tmp_path, strict):
    """Unless --strict stops there."""
    target = {"bo_handle": 9, "fourcc": "NV12", "width": 4, "height": 2}
    target["planes"] = [{"offset": 0, "pitch": 8}, {"offset": 16, "pitch": 8}]
    batch = MiStoreDataImm(address=0x900000, data=1).pack() + MiBatchBufferEnd().pack() + MiNoop().pack()
    parts = buffer(1, 0x10000, batch), buffer(9, 0x20000, bytes(24))
    broken = tmp_path / "broken.g7cap"
    broken.write_bytes(capture_bytes(*parts, sequence=2, meta={"dst": target, "frame": 2}))
    last = tmp_path / "last.g7cap"
    parts = buffer(1, 0x10000, MiBatchBufferEnd().pack() + bytes(20)), buffer(9, 0x20000, bytes(24))
    last.write_bytes(capture_bytes(*parts, sequence=3, meta={"dst": target, "frame": 3}))
    result = _run(*captures, broken, last, "--out", tmp_path / "out", *(["--strict"] if strict else []))
    assert result.exit_code == 1
    assert re.search(r"^texsamp: \S*broken\.g7cap: .*0x900000", result.stderr, re.MULTILINE)
    listed = [line.partition(":")[0] for line in result.stdout.splitlines()]
    assert listed == ([] if strict else ["made_000", "made_001", "last"])
    assert (tmp_path / "out" / "made_001.png").exists()
    assert (tmp_path / "out" / "last.png").exists() is not strict


def test_a_picture_that_cannot_be_shown_fails_alone(captures, tmp_path, monkeypatch):
    def refuse(picture):
        if picture.name.endswith("made_000.g7cap"):
            raise FormatError("nobody shows this")
        return shown(picture)

    monkeypatch.setattr(job, "shown", refuse)
    result = _run(*captures, "--out", tmp_path / "out")
    assert (result.exit_code, [line.partition(":")[0] for line in result.stdout.splitlines()]) == (1, ["made_001"])
    assert "made_000.g7cap: cannot be shown: nobody shows this" in result.stderr


def test_trace_names_commands_and_fields(captures, tmp_path):
    lines = _run(captures[0], "--out", tmp_path, "--trace").output.splitlines()
    assert lines[0] == "made_000.g7cap 0x00010000 MI_NOOP "
    assert lines[1].startswith("made_000.g7cap 0x00010004 MI_STORE_DATA_IMM address=0x20000 data=0x40302010")
    assert lines[2].startswith("made_000.g7cap 0x00010014 MI_BATCH_BUFFER_END")


def test_trace_counts_the_threads_of_a_walk(tmp_path):
    walker = MediaObjectWalker(
        global_resolution_x=4, global_resolution_y=3, block_resolution_x=4, block_resolution_y=3,
        global_inner_unit_y=3, local_loop_count=3, local_outer_stride_y=1, local_inner_unit_x=1,
    )  # fmt: skip
    path = tmp_path / "walk.g7cap"
    path.write_bytes(Program([*SET_UP, walker], "nop (1)").contents)
    (line,) = [line for line in _run(path, "--out", tmp_path, "--trace").output.splitlines() if "WALKER" in line]
    assert "MEDIA_OBJECT_WALKER local_loop_count=3 block_resolution_y=3 block_resolution_x=4" in line
    assert line.endswith("global_inner_unit_y=3 x 1: 12 threads, 2 instructions each")


def test_trace_counts_what_the_engine_leaves_to_array_operations(tmp_path):
    """Of four instructions the dot product is none of the engine's."""
    kernel = """
        mov (8) r10.0<1>:f 2.0:f
        dp4 (8) r11.0<1>:f r10.0<8;8,1>:f r10.0<8;8,1>:f
        mov (8) r12.0<1>:f r11.0<8;8,1>:f
    """
    path = tmp_path / "products.g7cap"
    path.write_bytes(Program([*SET_UP, *objects(np.zeros((3, 8), np.uint32))], kernel).contents)
    (line,) = [line for line in _run(path, "--out", tmp_path, "--trace").output.splitlines() if "OBJECT" in line]
    assert line.endswith("MEDIA_OBJECT x 3: 3 threads, 4 instructions each, 1 by array operations")


def test_trace_counts_what_threads_overwrite_with_something_else(tmp_path):
    """Three threads write one block of two dwords: the first and the last alike, the second differs in one dword."""
    kernel = """
        mov (8) r100.0<1>:ud 0:ud
        mov (1) r100.2<1>:ud 7:ud
        mov (8) r101.0<1>:ud r1.0<8;8,1>:ud
        send (8) null:ud r100.0<8;8,1>:ud render_cache 0x040a8000:ud
    """
    surface = RenderSurfaceState(format="R8_UINT", base_address=data_address(0), width=2, height=1, pitch=64)
    rows = [[5, 6, 0, 0, 0, 0, 0, 0], [5, 7, 0, 0, 0, 0, 0, 0], [5, 6, 0, 0, 0, 0, 0, 0]]
    path = tmp_path / "overlap.g7cap"
    path.write_bytes(Program([*SET_UP, *objects(rows)], kernel, surfaces=[surface], data=[bytes(4096)]).contents)
    (line,) = [line for line in _run(path, "--out", tmp_path, "--trace").output.splitlines() if "OBJECT" in line]
    assert line.endswith("MEDIA_OBJECT x 3: 3 threads, 5 instructions each, 1 dwords overwritten")


def test_work_beyond_the_limit_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(streamer, "MOST_WORK", 2)
    path = tmp_path / "long.g7cap"
    path.write_bytes(Program([*SET_UP, *objects([[1]])], "nop (1)\n" * 9).contents)
    result = _run(path, "--out", tmp_path)
    assert result.exit_code == 1
    assert "more than the limit on executed work allows, 2 units" in result.output
    assert _run(path, "--out", tmp_path, "--work", 8).exit_code == 0


def test_stop_at(captures, tmp_path):
    result = _run(*captures, "--out", tmp_path, "--stop-at", 1)
    assert result.exit_code == 0
    assert (tmp_path / "made_000.raw").read_bytes() == bytes(12)
    assert not (tmp_path / "made_001.raw").exists()


def test_expected_pictures(captures, tmp_path):
    first = bytes([0x10, 0x20, 0x30, 0x40] + [0] * 8)
    (tmp_path / "made_000.raw").write_bytes(first)
    with gzip.open(tmp_path / "made_001.raw.gz", "wb") as file:
        file.write(bytes([0x10, 0x20, 0x30, 0x40] * 2 + [0] * 4))
    result = _run(*captures, "--out", tmp_path / "out", "--expect", tmp_path)
    assert result.exit_code == 0, result.output
    assert result.output.count(", as expected") == 2
    (tmp_path / "made_000.raw").write_bytes(first[:1] + b"\x25" + first[2:10] + b"\x02\x00")
    result = _run(*captures, "--out", tmp_path / "out", "--expect", tmp_path, "-y")
    assert result.exit_code == 1
    assert (
        "plane 0 differs first at byte 1 of row 0, 32 not 37 (maximum 5, mean 0.6250, PSNR 43.18 dB)" in result.output
    )
    assert "dB), written by made_000.g7cap: MI_STORE_DATA_IMM at 0x10004;" in result.output
    assert "plane 1 differs first at byte 2 of row 0, 0 not 2" in result.output
    assert "dB), written by the CPU, before made_000.g7cap" in result.output


@pytest.mark.parametrize("name", ["picture.png", "missing"])
def test_expected_pictures_are_in_a_folder(captures, tmp_path, name):
    (tmp_path / "picture.png").write_bytes(b"")
    result = _run(*captures, "--out", tmp_path / "out", "--expect", tmp_path / name)
    assert result.exit_code == 1
    assert f"{tmp_path / name}: expected pictures are in a folder, and this is none" in result.output
    assert not (tmp_path / "out").exists()


def test_expected_pictures_are_read_no_further_than_the_picture(captures, tmp_path):
    with gzip.open(tmp_path / "made_000.raw.gz", "wb", 1) as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
    tracemalloc.start()
    try:
        result = _run(captures[0], "--out", tmp_path / "out", "--expect", tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
    assert result.exit_code == 1
    assert "the expected picture has more than 12 bytes, not 12" in result.output


@pytest.mark.parametrize("contents", [None, b"short"])
def test_missing_and_unlike_expectations_fail(captures, tmp_path, contents):
    if contents is not None:
        (tmp_path / "made_000.raw").write_bytes(contents)
    result = _run(captures[0], "--out", tmp_path / "out", "--expect", tmp_path)
    assert result.exit_code == 1
    assert ("cannot be read" if contents is None else "the expected picture has 5 bytes, not 12") in result.output


def test_no_picture_is_not_as_expected(tmp_path):
    path = tmp_path / "nothing.g7cap"
    path.write_bytes(Program(SET_UP, "mov (8) r100.0<1>:ud 0:ud").contents)
    assert _run(path, "--out", tmp_path).exit_code == 0
    result = _run(path, "--out", tmp_path, "--expect", tmp_path)
    assert (result.exit_code, "no picture was made that could be compared" in result.output) == (1, True)


def test_captures_that_cannot_be_executed_fail_in_one_line(captures, tmp_path):
    bad = tmp_path / "bad_000.g7cap"
    bad.write_bytes(b"nothing")
    result = _run(bad, "--out", tmp_path)
    assert result.exit_code == 1
    assert result.output.startswith("texsamp: bad_000.g7cap: no G7CAP file")
    assert len(result.output.splitlines()) == 1
    result = _run(captures[0], "--out", captures[1])
    assert result.exit_code == 1
    assert "cannot be made" in result.output


@pytest.mark.parametrize("case", ["csc_nv12_rgbx", "csc_nv12_yuy2", "csc_i420_i420_scaled", "csc_rgbx_nv12"])
def test_captured_pictures_of_every_layout_become_png(case, tmp_path):
    (path,) = paths(case, 1)
    result = _run(path, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert np.frombuffer((tmp_path / f"{path.stem}.raw").read_bytes(), np.uint8).std() > 20
    assert (tmp_path / f"{path.stem}.png").stat().st_size > 10_000


def test_aub_files_are_executed_without_a_picture(tmp_path):
    batch = MiStoreDataImm(address=0x20000, data=1).pack() + MiBatchBufferEnd().pack()
    path = tmp_path / "trace.aub"
    memory = aub.write(0x10000, batch) + aub.write(0x20000, bytes(64))
    path.write_bytes(aub.header() + memory + aub.submission(0x10000) * 2)
    result = _run(path, "--out", tmp_path / "out", "--trace")
    assert result.exit_code == 0, result.output
    assert [line for line in result.output.splitlines() if "MI_STORE_DATA_IMM" in line] == [
        f"trace.aub:{number} 0x00010000 MI_STORE_DATA_IMM address=0x20000 data=1" for number in range(2)
    ]
    assert "nothing says where a picture is, and no media block was written" in result.output


def test_surfaces_of_aub_files_are_written_and_compared(tmp_path):
    (source,) = paths("copy_nv12", 1)
    capture = Capture.open(source)
    parts = [aub.write(buffer.address, capture.contents(buffer)) for buffer in capture.buffers]
    path = tmp_path / "copy.aub"
    path.write_bytes(b"".join([aub.header(), *parts, aub.submission(capture.batch_address)]))
    out = tmp_path / "out"
    result = _run(path, "--out", out)
    assert result.exit_code == 0, result.output
    files = sorted(file.name for file in out.iterdir())
    assert len(files) == 4 and all(file.startswith("copy_0_") for file in files)
    assert _run(path, "--out", tmp_path / "again", "--expect", out).exit_code == 0
    luma = next(file for file in sorted(out.iterdir()) if file.suffix == ".raw")
    data = bytearray(luma.read_bytes())
    data[5] ^= 1
    luma.write_bytes(data)
    result = _run(path, "--out", tmp_path / "again", "--expect", out, "-y")
    assert result.exit_code == 1
    assert "differs first at byte 5 of row 0" in result.output
    assert re.search(r"written by copy\.aub:0: MEDIA_OBJECT at 0x\w+: thread 0, render_cache message", result.output)


def test_devices_that_are_not_here_are_named(captures, tmp_path):
    result = _run(*captures, "--out", tmp_path, "--device", "cuda:999")
    assert result.exit_code == 1
    assert "cuda:999" in result.output or "CUDA cannot be used" in result.output


def test_the_trace_tells_what_is_forbidden_and_strict_stops_there(tmp_path):
    stalled = PipeControl(cs_stall=True)
    synchronized = PipeControl(
        cs_stall=True, render_target_flush=True, post_sync="WRITE_IMMEDIATE_DATA", address=data_address(0)
    )
    program = Program([synchronized, *[MiStoreDataImm(address=data_address(0))] * 8, stalled], data=[bytes(8)])
    path = tmp_path / "synchronized.g7cap"
    path.write_bytes(program.contents)
    traced = _run(path, "--out", tmp_path / "out", "--trace")
    assert traced.exit_code == 0, traced.output
    lines = traced.output.splitlines()
    assert lines[1] == "    note: write synchronization"
    assert lines[10] == "    note: read-back synchronization by eight stores"
    assert lines[12].startswith("    forbidden: cs_stall requires one of render_target_flush, ")
    stopped = _run(path, "--out", tmp_path / "out", "--strict")
    assert stopped.exit_code == 1
    assert "PIPE_CONTROL at 0x100" in stopped.output
    assert "cs_stall requires one of" in " ".join(stopped.output.split())


WRITE_ROW = """
    mov (8) r20.0<1>:ud 0:ud
    mov (1) r20.7<1>:ud 0xff:ud                                    # pixels that are written
    mov (8) r21.0<1>:ud r1.0<8;8,1>:ud                             # columns
    mov (8) r22.0<1>:ud r0.6<0;1,0>:ud                             # the group's row
    mov (8) r23.0<1>:f r1.0<8;8,1>:ud
    mul (8) r23.0<1>:f r23.0<8;8,1>:f 0.125:f
    mov (8) r24.0<1>:f r0.6<0;1,0>:ud
    mov (8) r25.0<1>:f 0.5:f
    mov (8) r26.0<1>:f 1.0:f
    send (8) null:ud r20.0<8;8,1>:ud render_cache 0x0e0b4000:ud    # typed write
"""


@pytest.fixture
def surface_of_halves(tmp_path):
    """A case that leaves one surface of R16G16B16A16_FLOAT, and its texels, (3, 8, 4)."""
    surface = Surface.from_array(np.zeros((3, 8, 4), np.float16), "R16G16B16A16_FLOAT", tiling="Y", device="cpu")
    submission = Gpu().submission(
        WRITE_ROW, groups=(1, 3), simd=8, surfaces=[surface], constants=np.arange(8, dtype=np.uint32)
    )
    path = tmp_path / "halves_000.g7cap"
    submission.save(path)
    texels = np.ones((3, 8, 4), np.float32)
    texels[:, :, 0], texels[:, :, 1], texels[:, :, 2] = np.arange(8) / 8, np.arange(3)[:, None], 0.5
    return path, texels


def test_surfaces_are_written_as_their_format_has_them(surface_of_halves, tmp_path):
    path, texels = surface_of_halves
    result = _run(path, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    raw, png = (next((tmp_path / "out").glob(f"*.{end}")) for end in ("raw", "png"))
    assert raw.read_bytes() == texels.astype(np.float16).tobytes()
    shown = np.asarray(Image.open(png))
    assert np.array_equal(shown, np.rint(texels[:, :, :3].clip(0, 1) * 255))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.uint8])
def test_surfaces_are_compared_as_numbers(surface_of_halves, tmp_path, kind):
    path, texels = surface_of_halves
    expected = texels.clip(0, 1) * 255 if kind is np.uint8 else texels
    case = tmp_path / "dispatch.raw"
    case.write_bytes(expected.astype(kind).tobytes())
    arguments = (path, "--out", tmp_path / "out", "--expect", tmp_path, "-y")
    result = _run(*arguments)
    if kind is not np.uint8:
        assert result.exit_code == 0, result.output
        assert ", as expected" in result.output
    else:  # 2/8 of 255 is 63.75; and 2 is 255 at most
        assert result.exit_code == 1
        assert re.search(r"differs first at byte \d+ of row 0, 127\.5 not 127 \(maximum 255, mean", result.output)
        assert re.search(r"written by \S*halves_000\.g7cap: GPGPU_WALKER at 0x\w+: render_cache message", result.output)
    expected[0, 4, 0] += 5 / 255 if kind is not np.uint8 else 0
    case.write_bytes(expected.astype(kind).tobytes())
    assert _run(*arguments).exit_code == 1
    assert _run(*arguments, "--tolerance", 255.01 if kind is np.uint8 else 5.01).exit_code == 0


def test_an_expectation_of_the_case_needs_a_picture_of_its_size(surface_of_halves, tmp_path):
    path, _ = surface_of_halves
    (tmp_path / "dispatch.raw").write_bytes(bytes(100))
    result = _run(path, "--out", tmp_path / "out", "--expect", tmp_path)
    assert result.exit_code == 1
    assert "the expected picture has 100 bytes, not 192" in result.output


@pytest.fixture
def two_frames(tmp_path):
    """Files of a case whose even submissions work in tiled memory and whose odd ones leave a frame each, and these."""
    files, frames = [], []
    for number, rows in enumerate((3, 2, 2, 3)):
        made = np.zeros((3, 8, 4), np.float16)
        surface = Surface.from_array(made, "R16G16B16A16_FLOAT", tiling=("Y", "linear")[number % 2], device="cpu")
        work = Gpu().submission(
            WRITE_ROW, groups=(1, rows), simd=8, surfaces=[surface], constants=np.arange(8, dtype=np.uint32)
        )
        buffers = [replace(each, handle=each.handle + 100 * number) for each in work.buffers]
        files.append(tmp_path / f"frames_{number:03d}.g7cap")
        replace(work, case="frames", buffers=buffers, sequence=number, meta={"frames": 2}).save(files[-1])
        made[:rows] = 1
        made[:rows, :, 0], made[:rows, :, 1], made[:rows, :, 2] = np.arange(8) / 8, np.arange(rows)[:, None], 0.5
        frames += [made] if number % 2 else []
    return files, np.stack(frames)


@pytest.mark.parametrize("name", ["frames.raw", "frames.ref.raw.gz"])
def test_frames_of_a_case_are_compared_with_the_surfaces_that_clients_can_read(two_frames, tmp_path, name):
    files, frames = two_frames
    packed = gzip.compress if name.endswith(".gz") else bytes
    (tmp_path / name).write_bytes(packed(frames.tobytes()))
    arguments = ("--out", tmp_path / "out", "--expect", tmp_path, "-y")
    result = _run(*files, *arguments)
    assert result.exit_code == 0, result.output
    compared = [line.partition("_")[2][:3] for line in result.output.splitlines() if ", as expected" in line]
    assert compared == ["001", "003"]
    frames[1, 2, 5, 0] += 0.25
    (tmp_path / name).write_bytes(packed(frames.tobytes()))
    result = _run(*files, *arguments)
    assert result.exit_code == 1
    assert re.search(r"frames_003_\S+: \S+: plane 0 differs first at byte \d+ of row 2", result.output)
    assert result.output.count(", as expected") == 1


def test_frames_that_are_missing_or_no_frames_fail(two_frames, tmp_path):
    files, frames = two_frames
    for contents, message in (
        (frames.tobytes()[:-1], "383 bytes are not 2 frames of the case"),
        (bytes(20), "the surfaces of 0 submissions are frames of 10 bytes, 2 frames are expected"),
    ):
        (tmp_path / "frames.raw").write_bytes(contents)
        result = _run(*files, "--out", tmp_path / "out", "--expect", tmp_path, "-y")
        assert result.exit_code == 1
        assert message in " ".join(result.output.split())
    (tmp_path / "frames.raw").write_bytes(frames.tobytes())
    result = _run(*files[:3], "--out", tmp_path / "out", "--expect", tmp_path, "-y")
    assert result.exit_code == 1
    assert "the surfaces of 1 submissions are frames of 192 bytes, 2 frames" in " ".join(result.output.split())
