"""Commands: headers, lengths, tails, the opcode map and register names."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from texsamp.errors import StateError
from texsamp.state.command import Command, header_form
from texsamp.state.commands_3d import BindingTablePointers, VertexBuffers, VertexBufferState
from texsamp.state.commands_common import PipeControl, PipelineSelect, StateBaseAddress
from texsamp.state.commands_media import GpgpuWalker, MediaObject
from texsamp.state.commands_mi import MiBatchBufferStart, MiLoadRegisterImm
from texsamp.state.commands_sampler import ChromaKey, MonofilterSize, PaletteLoad0
from texsamp.state.decode import RawCommand, command_header, decode_command, opcodes
from texsamp.state.registers import register_name, register_ranges, registers
from texsamp.state.registry import STRUCTURES

COMMANDS = sorted((cls for cls in STRUCTURES.values() if issubclass(cls, Command)), key=lambda command: command.name)
VARIABLE = [cls for cls in COMMANDS if cls.tail_dwords]


@pytest.mark.parametrize("cls", COMMANDS, ids=lambda cls: cls.name)
def test_every_command_decodes_to_its_own_structure(cls):
    command = cls()
    header = command_header(command.to_dwords()[0], command.generation)
    assert header.structure is cls
    assert header.dwords == len(command.to_dwords())
    assert cls.name.startswith(header.name)
    assert decode_command(command.pack(), generation=command.generation) == command


@pytest.mark.parametrize("cls", VARIABLE, ids=lambda cls: cls.name)
@settings(derandomize=True, deadline=None, max_examples=10)
@given(data=st.data())
def test_variable_commands_keep_any_tail(cls, data):
    least, most = cls.tail_count
    count = data.draw(st.integers(least, min(most, least + 5)))
    tail = data.draw(
        st.lists(st.integers(0, 2**32 - 1), min_size=count * cls.tail_dwords, max_size=count * cls.tail_dwords)
    )
    command = cls(tail=tail)
    assert command.tail == tuple(tail)
    assert cls.unpack(command.pack(), strict=False) == command
    assert eval(repr(command), {cls.__name__: cls}) == command
    assert command_header(command.to_dwords()[0], command.generation).dwords == len(command.to_dwords())


@pytest.mark.parametrize("cls", VARIABLE, ids=lambda cls: cls.name)
def test_variable_commands_refuse_other_sizes(cls):
    sizes = [cls.dwords * 4 - 4, (cls.dwords + (cls.tail_count[1] + 1) * cls.tail_dwords) * 4]
    for size in sizes:
        with pytest.raises(StateError, match=rf"{cls.name} has {cls.dwords} dwords and .* found {size} bytes"):
            cls.unpack(bytes(size))


def test_header_forms():
    assert command_header(0x71000014).dwords == 22
    assert command_header(0x71000014).pipeline == "media"
    assert command_header(0x69040001).dwords == 1
    assert command_header(0x54300004) == command_header(0x54000004)
    assert command_header(0x79170101).dwords == 259
    assert command_header(0x71050109).dwords == 11
    assert header_form(0x20000000) is None


def test_commands_without_a_body_keep_their_dwords():
    data = (0x12345678).to_bytes(4, "little") * 2
    raw = decode_command((0x09000000).to_bytes(4, "little") + data)
    assert raw == RawCommand("MI_LOAD_SCAN_LINES_INCL", "mi", (0x09000000, 0x12345678))
    assert raw.pack() == (0x09000000).to_bytes(4, "little") + data[:4]


def test_unknown_and_cut_commands_name_their_offset():
    with pytest.raises(StateError, match=r"at byte 0x4: unknown command header 0x20000000 on generation 7"):
        decode_command(bytes(4) + (0x20000000).to_bytes(4, "little"), 4)
    with pytest.raises(StateError, match=r"at byte 0x0: 3DSTATE_CHROMA_KEY needs 16 bytes, found 4"):
        decode_command(ChromaKey().pack()[:4])
    with pytest.raises(StateError, match=r"at byte 0x0: PIPELINE_SELECT\.reserved"):
        decode_command((0x69040100).to_bytes(4, "little"))
    with pytest.raises(StateError, match="unknown command header 0x78000000"):
        command_header(0x78000000, 7)
    assert command_header(0x78000000, 5).name == "3DSTATE_PIPELINED_POINTERS"


def test_generations_choose_the_body():
    assert command_header(0x61010006, 5).structure.name == "STATE_BASE_ADDRESS_GEN5"
    assert command_header(0x61010004, 4).structure.name == "STATE_BASE_ADDRESS_GEN4"
    assert command_header(0x61010008, 7).structure is StateBaseAddress


def test_length_is_filled_in_and_must_agree():
    assert ChromaKey().to_dwords()[0] == 0x79040002
    assert MonofilterSize(width=7, height=3).to_dwords() == (0x79110000, 7 << 3 | 3)
    assert PaletteLoad0(tail=range(256)).to_dwords()[0] == 0x790200FF
    with pytest.raises(StateError, match=r"3DSTATE_CHROMA_KEY\.length"):
        ChromaKey(length=5)
    with pytest.raises(StateError, match=r"PIPE_CONTROL\.length .* says 4 dwords, found 5"):
        PipeControl.from_dwords([0x7A000002, 0, 0, 0, 0])
    with pytest.raises(StateError, match="says 4 dwords, found 5"):
        PipeControl(length=4, tail=[0])
    with pytest.raises(StateError, match="not all 32-bit values"):
        PaletteLoad0(tail=[-1])


def test_tails_are_structures_where_the_manual_has_one():
    buffers = [VertexBufferState(index=3, pitch=16), VertexBufferState(index=4, null_buffer=True)]
    command = VertexBuffers(tail=buffers)
    assert command.to_dwords()[0] == 0x78080007
    assert command.elements == tuple(buffers)
    assert command.replace(tail=buffers[:1]).elements == (buffers[0],)
    bad = list(command.to_dwords())
    bad[1] |= 0x800000
    with pytest.raises(StateError, match=r"VERTEX_BUFFERS element 0: VERTEX_BUFFER_STATE\.reserved"):
        VertexBuffers.from_dwords(bad)
    assert VertexBuffers.from_dwords(bad, strict=False).elements[0].index == 3


def test_opcode_of_another_command_is_refused():
    with pytest.raises(StateError, match=r"3DSTATE_CHROMA_KEY\.opcode \(DW0 31:16\)"):
        ChromaKey.from_dwords([0x79050002, 0, 0, 0])


def test_replace_keeps_tail_and_flags():
    command = MediaObject(interface_descriptor=2, tail=range(16))
    assert command.to_dwords()[0] == 0x71000014
    assert command.replace(interface_descriptor=3).tail == tuple(range(16))


def test_load_register_pairs():
    command = MiLoadRegisterImm(register_offset=0x20C0, data=0x00400040, tail=[0x2400, 1])
    assert command.writes == ((0x20C0, 0x00400040), (0x2400, 1))
    assert command.to_dwords()[0] == 0x11000003


def test_stages_share_one_layout():
    command = STRUCTURES["3DSTATE_BINDING_TABLE_POINTERS_GS"](pointer=0x40)
    assert isinstance(command, BindingTablePointers)
    assert command.stage == "GS"
    assert command.to_dwords() == (0x78290000, 0x40)
    constants = STRUCTURES["3DSTATE_CONSTANT_PS"](read_lengths=(1, 2, 3, 4), buffers=(0x20, 0x40, 0x60, 0x80))
    assert constants.to_dwords() == (0x78170005, 0x20001, 0x40003, 0x20, 0x40, 0x60, 0x80)


def test_walker_counts_are_stored_minus_one():
    walker = GpgpuWalker(simd_size="SIMD16", threads_x=4, end_x=7, end_y=1, end_z=1, right_mask=0xFFFF)
    assert walker.to_dwords() == (0x71050009, 0, 1 << 30 | 3, 0, 7, 0, 1, 0, 1, 0xFFFF, 0)


def test_pipeline_select_is_one_dword():
    assert PipelineSelect(selection="MEDIA").to_dwords() == (0x69040001,)


def test_pipe_control_and_batch_start_number_the_page_tables_oppositely():
    assert PipeControl(address_space="GGTT").to_dwords()[1] == 1 << 24
    assert MiBatchBufferStart(address_space="PPGTT").to_dwords()[0] & 1 << 8


def test_opcode_map_is_consistent():
    seen = {}
    for opcode in opcodes():
        form = header_form(opcode.header)
        assert form is not None
        for other in seen.get(opcode.header, ()):
            assert opcode.since > other.until or opcode.until < other.since
        seen.setdefault(opcode.header, []).append(opcode)
    assert len(seen) > 140


def test_register_names():
    assert register_name(0x20C0) == "INSTPM"
    assert register_name(0x2404) == "MI_PREDICATE_SRC0+4"
    assert register_name(0x2999) == "0x02999 (instruction, memory and interrupt control, logical contexts, statistics)"
    assert register_name(0x1F000) == "0x1f000"
    offsets = [register.offset for register in registers()]
    assert offsets == sorted(set(offsets))
    assert all(part.first < part.last for part in register_ranges())
