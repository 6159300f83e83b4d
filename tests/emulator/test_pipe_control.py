"""PIPE_CONTROL: the manual's tables of restrictions and effects, and the recipes of synchronization."""

import pytest
from support.programs import SET_UP, Program, data_address, objects

from texsamp.emulator.commands.pipe_control_rules import effects, kinds, violations
from texsamp.errors import CaptureError
from texsamp.state.commands_common import PipeControl
from texsamp.state.commands_mi import MiLoadRegisterImm, MiStoreDataImm, MiStoreRegisterMem
from texsamp.state.registry import structure

AT = data_address(0)
WRITE = {"post_sync": "WRITE_IMMEDIATE_DATA"}
MEDIA = {"MEDIA_VFE_STATE", "MEDIA_CURBE_LOAD", "MEDIA_INTERFACE_DESCRIPTOR_LOAD"}
STALL = {"cs_stall": True, "pixel_scoreboard_stall": True}
BROKEN = [
    ({}, ["a PIPE_CONTROL with no arguments is invalid"]),
    ({"lri_post_sync": True, **WRITE}, ["lri_post_sync requires post_sync NO_WRITE"]),
    ({"snapshot_reset": True}, ["snapshot_reset requires cs_stall"]),
    ({"media_state_clear": True}, ["media_state_clear requires cs_stall"]),
    ({"indirect_state_disable": True}, ["indirect_state_disable requires cs_stall"]),
    ({"tlb_invalidate": True}, ["tlb_invalidate requires cs_stall", "tlb_invalidate requires a post_sync write"]),
    ({"store_data_index": True}, ["store_data_index requires a post_sync write"]),
    ({"depth_stall": True, "render_target_flush": True}, ["depth_stall requires render_target_flush clear"]),
    ({"depth_stall": True, "depth_flush": True}, ["depth_stall requires depth_flush clear"]),
    (
        {"cs_stall": True, "texture_invalidate": True},
        [
            "cs_stall requires one of render_target_flush, depth_flush, pixel_scoreboard_stall, depth_stall "
            "or a post_sync write"
        ],
    ),
]
LEGAL = [
    {"lri_post_sync": True}, {"notify": True}, {"snapshot_reset": True, **STALL}, {"media_state_clear": True, **STALL},
    {"indirect_state_disable": True, **STALL}, {"tlb_invalidate": True, **STALL, **WRITE},
    {"store_data_index": True, **WRITE}, {"depth_stall": True}, {"cs_stall": True, **WRITE},
    {"cs_stall": True, "depth_stall": True}, {"cs_stall": True, "render_target_flush": True}, {"depth_flush": True},
    {"vertex_invalidate": True, "constant_invalidate": True, "state_invalidate": True, "instruction_invalidate": True},
]  # fmt: skip


@pytest.mark.parametrize(("fields", "expected"), BROKEN)
def test_every_restriction_is_told(fields, expected):
    assert list(violations(PipeControl(address=AT, immediate=3, **fields))) == expected


@pytest.mark.parametrize("fields", LEGAL)
def test_what_the_tables_allow_is_legal(fields):
    assert violations(PipeControl(address=AT, **fields)) == ()


@pytest.mark.parametrize(
    ("bits", "row"),
    [
        ("0000", (None, None, None, None)),
        ("0001", (True, False, None, False)),
        ("0010", (False, False, None, True)),
        ("0011", (True, False, False, True)),
        *((f"{flush}1{reads}{vertices}", (True, True, True, bool(reads)))
          for flush in (0, 1) for reads in (0, 1) for vertices in (0, 1)),
        *((f"10{reads}{vertices}", (True, True, True, bool(reads))) for reads in (0, 1) for vertices in (0, 1)),
    ],
)  # fmt: skip
def test_the_truth_table(bits, row):
    """Seed 002:443-465: flush, notify, read-only and vertex caches; its column of markers is No without one sent."""
    flush, notify, reads, vertices = (bit == "1" for bit in bits)
    found = effects(
        PipeControl(data_cache_flush=flush, notify=notify, texture_invalidate=reads, vertex_invalidate=vertices)
    )
    assert [a or False for a in found] == [a or False for a in row]
    assert (found.invalidate_pulse is None) == (bits == "0000")


def test_the_kinds_of_synchronization():
    flush = {"render_target_flush": True}
    assert kinds(PipeControl(constant_invalidate=True)) == ("top-of-pipe synchronization",)
    assert kinds(PipeControl(notify=True)) == ("end-of-pipe synchronization",)
    assert kinds(PipeControl(post_sync="WRITE_TIMESTAMP")) == ()
    assert kinds(PipeControl(**WRITE, **flush)) == ("write synchronization",)
    assert kinds(PipeControl(**WRITE, **flush, cs_stall=True, tlb_invalidate=True)) == (
        "write synchronization",
        "read-back synchronization by TLB invalidation",
    )
    assert kinds(PipeControl(**flush)) == ()


def _notes(*commands):
    return [note for done in Program(commands, data=[bytes(64)]).run() for note in done.notes]


def test_eight_stores_are_the_other_recipe_of_reading_back():
    start = PipeControl(cs_stall=True, data_cache_flush=True, address=AT, **WRITE)
    store, done = MiStoreDataImm(address=AT + 8), "read-back synchronization by eight stores"
    assert _notes(start, *[store] * 8) == ["write synchronization", done]
    assert _notes(start, *[store] * 7) == ["write synchronization"]
    assert _notes(*[store] * 9) == []
    between = MiLoadRegisterImm(register_offset=0x2600)
    assert _notes(start, *[store] * 4, between, *[store] * 4) == ["write synchronization"]
    assert _notes(start, *[store] * 7, start, *[store] * 8).count(done) == 1


def test_a_post_sync_register_write():
    program = Program(
        [
            PipeControl(lri_post_sync=True, address=0x2600, immediate=77),
            MiStoreRegisterMem(register_offset=0x2600, memory_address=AT),
        ],
        data=[bytes(8)],
    )
    program.run()
    assert program.data().view("<u4").tolist() == [77, 0]


def test_media_state_and_pointers_of_constants_are_forgotten():
    constants = structure("3DSTATE_CONSTANT_VS")()
    program = Program([*SET_UP, constants, PipeControl(indirect_state_disable=True, **STALL)])
    program.run()
    names = {name for name, _ in program.context.last}
    assert "3DSTATE_CONSTANT_VS" not in names
    assert {"MEDIA_VFE_STATE", "MEDIA_CURBE_LOAD", "MEDIA_INTERFACE_DESCRIPTOR_LOAD", "PIPELINE_SELECT"} <= names
    program = Program([*SET_UP, constants, PipeControl(media_state_clear=True, **STALL)])
    program.run()
    assert {name for name, _ in program.context.last} == names - MEDIA | {"3DSTATE_CONSTANT_VS"}
    assert program.context.vfe is None
    with pytest.raises(CaptureError, match="needs the media pipeline selected and MEDIA_VFE_STATE set"):
        Program([*SET_UP, PipeControl(media_state_clear=True, **STALL), *objects([[1]])], "nop (1)").run()
