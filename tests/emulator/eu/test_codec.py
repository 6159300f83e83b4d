"""Instructions from bytes and back, as text and back, and every kernel of the captures of real drivers."""

import gzip
import json
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.captures import CAPTURES, real_captures

from texsamp.emulator import Capture, CaseMemory, walk
from texsamp.emulator.eu.execute import Program
from texsamp.emulator.eu.isa.assembler import assemble, parse
from texsamp.emulator.eu.isa.codec import decode, encode, extent_B, kernel
from texsamp.emulator.eu.isa.compaction import compacted, expanded
from texsamp.emulator.eu.isa.instruction import Compaction
from texsamp.emulator.eu.isa.text import text
from texsamp.emulator.listing.programs import started_kernels
from texsamp.errors import CaptureError, StateError

UNUSED = 0x1F << 42 | 0xFFFFFFFF << 96
"""Bits of a second source: set at times in instructions that have none."""


@cache
def _kernels():
    """Different kernels of all captures, and per capture what its index says of its kernels."""
    real_captures()
    with gzip.open(CAPTURES / "index.json.gz") as file:
        index = {entry["file"]: entry for entry in json.load(file)}
    seen, found = {}, {}
    for path in real_captures():
        if path.parent.name == "vpp" and int(path.stem[-3:]) > 2:
            continue  # further frames run the same kernels
        capture, memory = Capture.open(path), CaseMemory()
        memory.enter(capture)
        commands = list(walk(memory, capture.batch_address, length=capture.batch_length, runs=True))
        name = f"{path.parent.name}/{path.name}"
        found[name] = Counter()
        for started in started_kernels(memory, commands):
            buffer = memory.find(started.address)
            offset = started.address - buffer.address
            found[name][buffer.handle, offset, len(started.instructions)] += 1
            last = started.instructions[-1]
            size = last.offset + last.instruction.size_B
            seen.setdefault(bytes(memory.image(buffer.handle)[offset : offset + size]), started)
    return seen, found, index


def test_kernels_are_those_of_the_index():
    _, found, index = _kernels()
    for name, kernels in found.items():
        expected = [(k["bo_handle"], k["bo_offset"], k["instructions"]) for k in index[name]["kernels"] or []]
        assert kernels == Counter(expected), name


@pytest.mark.slow
def test_every_captured_instruction_survives_decoding_and_encoding():
    seen, _, _ = _kernels()
    count = 0
    for data, started in seen.items():
        for located in started.instructions:
            instruction, at = located.instruction, located.offset
            assert encode(instruction) == data[at : at + instruction.size_B], f"{at:#x} {text(instruction)}"
            assert decode(encode(instruction)) == instruction
            count += 1
    assert len(seen) > 70
    assert count > 13000


def test_unused_bits_of_captured_instructions_are_where_nothing_reads():
    for started in _kernels()[0].values():
        for located in started.instructions:
            instruction = located.instruction
            allowed = UNUSED if instruction.opcode.sources == 1 else 0
            if instruction.jip is not None:
                allowed = ((1 << 64) - 1) << 32
            assert not instruction.rest & ~allowed, text(instruction)


@pytest.mark.slow
def test_text_of_every_captured_instruction_is_assembled_to_it():
    for started in _kernels()[0].values():
        for located in started.instructions:
            instruction = located.instruction
            again = parse(text(instruction))
            assert text(again) == text(instruction)
            same = replace(again, rest=instruction.rest, compaction=instruction.compaction)
            assert same == instruction, text(instruction)


def test_every_captured_video_instruction_can_be_executed():
    folder = {path.name for path in real_captures("vpp/*.g7cap")}
    assert folder
    for data, started in _kernels()[0].items():
        if started.role.startswith("interface") and len(started.instructions) not in (50, 59, 206, 267):
            program = Program(data)
            for located in started.instructions:
                program.prepared(located.offset)


def test_random_words_are_refused_or_survive():
    rng = np.random.default_rng(1)
    survived = 0
    for _ in range(4000):
        data = bytearray(rng.bytes(16))
        data[0] = int(rng.choice([1, 2, 16, 24, 34, 49, 64, 65, 91, 126]))
        try:
            instruction = decode(bytes(data))
        except CaptureError:
            continue
        survived += 1
        size = instruction.size_B
        assert encode(instruction) == bytes(data[:size]), text(instruction)
        if instruction.compaction is None and "function" not in text(instruction):
            try:
                again = parse(text(instruction))
            except StateError:
                continue  # reserved codes have no names
            assert replace(again, rest=instruction.rest) == instruction, text(instruction)
    assert survived > 400


def test_all_compact_forms_survive():
    rng = np.random.default_rng(2)
    for _ in range(2000):
        word = int.from_bytes(rng.bytes(8), "little") & ~0x7F | 1 | 1 << 29
        wide, compaction = expanded(word)
        assert compacted(wide, compaction) == word
    with pytest.raises(StateError, match="no compact form: the control table lacks"):
        compacted(0xFFFF00, Compaction(0))


def test_compact_instructions_can_be_assembled():
    line = "mov (8) r10.0<1>:f r12.0<8;8,1>:f"
    short, long = assemble(line + " {Compact}"), assemble(line)
    assert (len(short), len(long)) == (8, 16)
    assert replace(decode(short), compaction=None) == decode(long)
    short = assemble("add (8) r10.0<1>:f r12.0<8;8,1>:f r14.0<8;8,1>:f {Compact}")
    assert text(decode(short)) == "add (8) r10.0<1>:f r12.0<8;8,1>:f r14.0<8;8,1>:f {Compact}"
    with pytest.raises(StateError, match="line 2: no compact form"):
        assemble("nop (1)\nmov (8) r10.3<1>:f r12.0<8;4,2>:ud {Compact}")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (127, "unknown opcode 127"),
        (1 | 6 << 21, "execution size code 6 is reserved"),
        (1 | 2 << 32, "register file 2"),
        (1 | 3 << 32, "the destination cannot be an immediate"),
        (1 | 1 << 37 | 7 << 85, "vertical stride code 7 of source 0 is reserved"),
        (1 | 1 << 37 | 5 << 82, "width code 5 of source 0 is reserved"),
    ],
)
def test_illegal_instructions_name_their_offset(word, message):
    with pytest.raises(CaptureError, match=f"instruction at offset 0x10 .*{message}"):
        decode(bytes(16) + word.to_bytes(16, "little"), 16)


def test_cut_off_instructions_and_kernels():
    data = assemble("nop (1)\nnop (1)")
    with pytest.raises(CaptureError, match="instruction at offset 0x10: 8 bytes of 16"):
        decode(data[:24], 16)
    with pytest.raises(CaptureError, match="instruction at offset 0x20: 0 bytes of 16"):
        list(kernel(data))


def test_a_kernel_ends_where_nothing_jumps_beyond():
    end = "send (8) null:ud r127.0<8;8,1>:ud spawner 0x02000010:ud {EOT}"
    jump = "(+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud over"
    data = assemble(f"{jump}\n{end}\nover:\n{end}\nnop (1)")
    assert [located.offset for located in kernel(data)] == [0, 16, 32]


@pytest.mark.parametrize(
    ("lines", "is_known"),
    [
        (["mov (8) r10.0<1>:d r20.0<8;8,1>:d"], True),
        (["(+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud over", "END", "over:"], True),
        (["(+f0.0) if (16) jip=over uip=over", "END", "over:", "endif (16) jip=next", "next:"], True),
        (["again:", "(+f0.0) break (8) jip=there uip=there", "there:", "(+f0.0) while (8) jip=again"], True),
        (["mov (8) r10.0<1>:f r12.0<8;8,1>:f {Compact}"], True),
        (["mov (1) ip.0<1>:ud 0:ud"], False),
        (["mov (8) ip.0<1>:ud r1.0<8;8,1>:ud {Compact}"], False),
        (["jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud r10.0<0;1,0>:d"], False),
        (["jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud -64:d"], False),
        (["call (2) r10.0<1>:ud jip=there", "there:"], False),
        (["ret (2) null:ud r10.0<2;2,1>:ud"], False),
    ],
)
def test_how_far_a_kernel_reaches_is_told_where_it_can_be(lines, is_known):
    end = "send (8) null:ud r127.0<8;8,1>:ud spawner 0x02000010:ud {EOT}"
    data = assemble("\n".join([*lines, "END"]).replace("END", end))
    size = len(data) if is_known else None
    assert [extent_B(data + behind) for behind in (b"", bytes(100), data, b"\xff" * 100)] == [size] * 4
    assert extent_B(data[:-1]) is None
