"""States that commands refer to: in a small made-up submission, and in every capture of a real driver."""

import gzip
import json
from collections import Counter

import pytest
from support.captures import CAPTURES, buffer, capture_bytes, real_captures

from texsamp.emulator import Capture, CaseMemory, referenced_states, walk
from texsamp.errors import CaptureError
from texsamp.state import (
    BindingTableState,
    DeinterlaceSamplerState,
    MediaSurfaceState,
    RenderSurfaceState,
    Sample8x8SamplerState,
    Sampler8x8State,
    SamplerState,
    preset,
)
from texsamp.state.commands_common import StateBaseAddress
from texsamp.state.commands_media import InterfaceDescriptor, MediaInterfaceDescriptorLoad, MediaObject
from texsamp.state.commands_mi import MiBatchBufferEnd

STATES = 0x20000
PICTURE = 0x30000


def _opened(path):
    capture, memory = Capture.open(path), CaseMemory()
    memory.enter(capture)
    return capture, memory


def _submission(descriptor_index=0):
    commands = [
        StateBaseAddress(
            surface_state_base=STATES, surface_state_modify=True, dynamic_state_base=STATES, dynamic_state_modify=True
        ),
        MediaInterfaceDescriptorLoad(data_length=32, data_start=0x100),
        MediaObject(interface_descriptor=descriptor_index),
        MediaObject(interface_descriptor=descriptor_index),
        MiBatchBufferEnd(),
    ]
    table = [BindingTableState(surface_state_pointer=0x80), BindingTableState(surface_state_pointer=0xC0)]
    states = bytearray(0x1000)
    for offset, state in [
        (0x40, table[0]),
        (0x44, table[1]),
        (0x80, MediaSurfaceState(base_address=PICTURE, format="Y8_UNORM")),
        (0xC0, RenderSurfaceState(base_address=PICTURE)),
        (0x100, InterfaceDescriptor(binding_table_pointer=0x40, sampler_state_pointer=0x140, sampler_count=1)),
        (0x140, SamplerState(mag_filter="LINEAR", border_color_pointer=0x200)),
        (0x150, SamplerState(disable=True)),
        (0x160, SamplerState.from_dwords([0x40000000, 0, 0, 0], strict=False)),
    ]:
        states[offset : offset + len(state.pack())] = state.pack()
    return capture_bytes(
        buffer(1, 0x10000, b"".join(command.pack() for command in commands)),
        buffer(2, STATES, bytes(states), [(0x80, 3), (0xC4, 3)]),
        buffer(3, PICTURE, b"picture"),
    )


def _references(data):
    capture, memory = Capture.from_bytes(data), CaseMemory()
    memory.enter(capture)
    return referenced_states(capture, memory, list(walk(memory, capture.batch_address)))


def test_descriptor_binding_table_samplers_and_border_are_followed_once():
    found = _references(_submission())
    assert [(reference.address - STATES, reference.state.name) for reference in found] == [
        (0x100, "INTERFACE_DESCRIPTOR_DATA"),
        (0x80, "MEDIA_SURFACE_STATE"),
        (0xC0, "RENDER_SURFACE_STATE"),
        (0x140, "SAMPLER_STATE"),
        (0x200, "SAMPLER_BORDER_COLOR_STATE"),
        (0x150, "SAMPLER_STATE"),
    ]
    assert not any(reference.problem for reference in found)
    assert found[2].role == "interface descriptor 0 surface 1"


def test_a_descriptor_that_was_not_loaded_is_an_error():
    with pytest.raises(CaptureError, match="interface descriptor 1 of 1 is used"):
        _references(_submission(descriptor_index=1))


@pytest.fixture(scope="module")
def submissions():
    """Per capture: the commands' names, whether everything packs back to its bytes, the states referred to."""
    result = {}
    for path in real_captures():
        capture, memory = _opened(path)
        commands = list(walk(memory, capture.batch_address))
        same = all(
            memory.read(entry.address, len(data)) == data for entry in commands for data in [entry.command.pack()]
        )
        states = referenced_states(capture, memory, commands)
        same_states = all(
            memory.read(reference.address, len(data)) == data
            for reference in states
            for data in [reference.state.pack()]
        )
        result[path] = (Counter(entry.command.name for entry in commands), same and same_states, states)
    return result


@pytest.mark.slow
def test_every_command_of_every_capture_is_known_legal_and_packs_back(submissions):
    assert all(same for _, same, _ in submissions.values())
    names = sum((names for names, _, _ in submissions.values()), Counter())
    assert names["MI_BATCH_BUFFER_END"] == len(submissions)
    if len(submissions) == 339:
        assert (names["3DPRIMITIVE"], names["PIPE_CONTROL"], names["MEDIA_VFE_STATE"]) == (206, 2304, 202)


def test_every_referenced_state_of_every_capture_is_legal(submissions):
    names = Counter()
    for path, (_, _, states) in submissions.items():
        for reference in states:
            assert reference.problem is None, (path.name, reference)
            assert type(reference.state).unpack(reference.state.pack()) == reference.state
            names[reference.state.name] += 1
    if len(submissions) == 339:
        assert names["MEDIA_SURFACE_STATE"] == 384
        assert names["DEINTERLACE_SAMPLER_STATE"] == 65
        assert names["SAMPLER_8x8_STATE"] == 129


def test_what_the_index_lists_as_read_or_written_is_found(submissions):
    index = {entry["file"]: entry for entry in json.loads(gzip.decompress((CAPTURES / "index.json.gz").read_bytes()))}
    for path, (_, _, states) in submissions.items():
        entry = index[f"{path.parent.name}/{path.name}"]
        dwords = {reference.state.to_dwords() for reference in states}
        for surface in entry["surfaces"]:
            if surface["state_dw"] and surface["role"] != "bound" and surface["bo_handle"] is not None:
                assert tuple(int(dword, 16) for dword in surface["state_dw"]) in dwords, (path.name, surface)
        for sampler in entry["samplers"]:
            assert tuple(int(dword, 16) for dword in sampler["dw"]) in dwords, (path.name, sampler)


def _states(submissions, prefix, structure):
    found = [
        reference.state
        for path, (_, _, states) in submissions.items()
        for reference in states
        if path.name.startswith(prefix) and isinstance(reference.state, structure)
    ]
    if not found:
        pytest.skip(f"no captures {prefix}*")
    return found


@pytest.mark.parametrize(("prefix", "name"), [("di_", "i965"), ("dn_050_", "i965-dn")], ids=["di", "dn"])
def test_driver_states_are_the_preset_but_for_the_picture(submissions, prefix, name):
    of_the_picture = {"first_frame", "top_first", "mcdi_enable", "column_width"}
    for state in _states(submissions, prefix, DeinterlaceSamplerState):
        assert set(state.diff(preset(DeinterlaceSamplerState, name))) <= of_the_picture


@pytest.mark.parametrize("structure", [Sample8x8SamplerState, Sampler8x8State], ids=lambda cls: cls.name)
def test_driver_scaler_states_are_the_preset_but_for_pointers_and_tables(submissions, structure):
    for state in _states(submissions, "scale_up_704x576_hq_", structure):
        different = set(state.diff(preset(structure, "i965")))
        assert different <= {"sampler_8x8_state_pointer", "table_0x", "table_0y", "table_1x", "table_1y"}
