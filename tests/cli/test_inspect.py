"""`texsamp inspect`."""

import json

import typer
from support import aub
from support.captures import buffer, capture_bytes
from texsamp.cli.inspect import inspect
from typer.testing import CliRunner

from texsamp.emulator.eu.isa.assembler import assemble
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import VertexBuffers, VertexBufferState
from texsamp.state.commands_common import StateBaseAddress
from texsamp.state.commands_media import InterfaceDescriptor, MediaInterfaceDescriptorLoad, MediaObject
from texsamp.state.commands_mi import MiBatchBufferEnd, MiLoadRegisterImm, MiNoop
from texsamp.state.decode import RawCommand

COMMANDS = [
    MiLoadRegisterImm(register_offset=0x20C0, data=0x400040),
    VertexBuffers(tail=[VertexBufferState(pitch=16)]),
    RawCommand("MI_LOAD_SCAN_LINES_INCL", "mi", (0x09000000, 0x1234)),
    MiNoop(),
    MiNoop(),
    MiBatchBufferEnd(),
]


def _run(tmp_path, *options, commands=COMMANDS, more=(), **changes):
    path = tmp_path / "small_000.g7cap"
    path.write_bytes(capture_bytes(buffer(1, 0x10000, b"".join(c.pack() for c in commands)), *more, **changes))
    app = typer.Typer()
    app.command()(inspect)
    return CliRunner().invoke(app, [str(path), *options])


def test_text_names_registers_elements_and_runs(tmp_path):
    text = _run(tmp_path).output
    assert "MI_LOAD_REGISTER_IMM INSTPM=0x00400040" in text
    assert "\n  pitch=16" in text
    assert "MI_LOAD_SCAN_LINES_INCL 0x09000000 0x00001234" in text
    assert "MI_NOOP x 2" in text
    assert _run(tmp_path, "--full").output.count("MI_NOOP") == 2


def test_json_holds_every_dword(tmp_path):
    document = json.loads(_run(tmp_path, "--json").output)
    assert [entry["name"] for entry in document["commands"]] == [command.name for command in COMMANDS]
    assert document["commands"][0]["dwords"] == list(COMMANDS[0].to_dwords())
    assert document["buffers"][0]["address"] == 0x10000
    assert document["states"] == []


def test_kernels_are_disassembled(tmp_path):
    kernel = assemble("add (8) r1.0<1>:d r2.0<8;8,1>:d 1:d\nsend (8) null:ud r127.0<8;8,1>:ud spawner 0x10:ud {EOT}")
    commands = [
        StateBaseAddress(dynamic_state_base=0x20000, dynamic_state_modify=True),
        MediaInterfaceDescriptorLoad(data_length=32, data_start=0),
        MediaObject(),
        MiBatchBufferEnd(),
    ]
    states = buffer(2, 0x20000, InterfaceDescriptor(kernel_start=0x20040).pack().ljust(64, b"\0") + kernel)
    text = _run(tmp_path, "--kernels", commands=commands, more=[states]).output
    assert "kernel at 0x00020040 (interface descriptor 0), 2 instructions" in text
    assert "     0 add (8) r1.0<1>:d r2.0<8;8,1>:d 0x00000001:d" in text
    assert "kernel at" not in _run(tmp_path, commands=commands, more=[states]).output
    (found,) = json.loads(_run(tmp_path, "--kernels", "--json", commands=commands, more=[states]).output)["kernels"]
    assert found["address"] == 0x20040
    assert [line["offset"] for line in found["instructions"]] == [0, 16]
    assert "kernels" not in json.loads(_run(tmp_path, "--json", commands=commands, more=[states]).output)


def test_states_are_decoded(tmp_path):
    commands = [
        StateBaseAddress(dynamic_state_base=0x20000, dynamic_state_modify=True),
        MediaInterfaceDescriptorLoad(data_length=32, data_start=0),
        MediaObject(),
        MiBatchBufferEnd(),
    ]
    states = buffer(2, 0x20000, InterfaceDescriptor(kernel_start=0x20040).pack().ljust(64, b"\0"))
    line = "0x00020000 INTERFACE_DESCRIPTOR_DATA (interface descriptor 0)\n"
    assert line in _run(tmp_path, commands=commands, more=[states]).output
    assert "kernel_start" not in _run(tmp_path, commands=commands, more=[states]).output
    assert line + "  kernel_start=0x20040" in _run(tmp_path, "--state", commands=commands, more=[states]).output
    found = json.loads(_run(tmp_path, "--json", commands=commands, more=[states]).output)["states"][0]
    assert found["fields"]["kernel_start"] == 0x20040


def test_illegal_commands_need_lenient(tmp_path):
    bad = [RawCommand("PIPELINE_SELECT", "single", (0x69040100,)), MiBatchBufferEnd()]
    assert isinstance(_run(tmp_path, commands=bad).exception, CaptureError)
    assert "PIPELINE_SELECT" in _run(tmp_path, "--lenient", commands=bad).output


def test_control_characters_of_names_are_escaped(tmp_path):
    text = _run(tmp_path, tag="\x1b[2Jcase", bo0_name="a\nb\x07", bo0_tiling="\x9bm").output
    assert r"\x1b[2Jcase" in text
    assert r"a\nb\x07" in text
    assert r"\x9bm" in text
    assert not {"\x1b", "\x07", "\x9b"} & set(text)


def test_the_batch_length_is_honored(tmp_path):
    error = _run(tmp_path, batch_len=4).exception
    assert isinstance(error, CaptureError)
    assert "12 bytes, but the batch ends at 0x10004" in str(error)


def _aub(tmp_path, submissions):
    path = tmp_path / "trace.aub"
    parts = [aub.header(), aub.page_table(), aub.write(0x10000, b"".join(c.pack() for c in COMMANDS))]
    path.write_bytes(b"".join([*parts, aub.submission(0x10000) * submissions]))
    return path


def test_all_submissions_of_an_aub_file_are_printed(tmp_path):
    app = typer.Typer()
    app.command()(inspect)
    path = str(_aub(tmp_path, 2))
    text = CliRunner().invoke(app, [path]).output
    assert "trace.aub:0: submission 0 of trace.aub, ivb_gt2, ring render" in text
    assert text.count("MI_LOAD_REGISTER_IMM INSTPM=0x00400040") == 2
    first, second = json.loads(CliRunner().invoke(app, [path, "--json"]).output)
    assert first["commands"] == second["commands"] and second["capture"]["sequence"] == 1
    one = json.loads(CliRunner().invoke(app, [str(_aub(tmp_path, 1)), "--json"]).output)
    assert one["commands"] == first["commands"]
