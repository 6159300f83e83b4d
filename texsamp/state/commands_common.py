"""Render commands every pipeline shares: base addresses, synchronization, prefetch (seeds 001:3-466, 002:250-556)."""

from texsamp.state.base import Field
from texsamp.state.command import Command
from texsamp.state.kinds import Codes, address, enum, flag, minus_one, unsigned


class PostSyncOperation(Codes):
    """What PIPE_CONTROL writes when everything before it is done."""

    NO_WRITE = 0
    WRITE_IMMEDIATE_DATA = 1
    WRITE_PS_DEPTH_COUNT = 2
    WRITE_TIMESTAMP = 3


class PostSyncTable(Codes):
    """Page table PIPE_CONTROL's write goes through; the codes are the opposite of MI_BATCH_BUFFER_START's."""

    PPGTT = 0, "per process"
    GGTT = 1, "global"


class Pipeline(Codes):
    """Pipeline of the commands that follow."""

    PIPELINE_3D = 0
    MEDIA = 1
    GPGPU = 2


class PipeControl(
    Command, name="PIPE_CONTROL", header=0x7A000000, dwords=4, source="002:398-556", tail=1, tail_count=(0, 1)
):
    """Synchronization: flushes, invalidations, stalls and a write; the optional fifth dword is the high immediate."""

    address_space = Field(1, 24, 24, enum(PostSyncTable), "page table of the write")
    lri_post_sync = Field(1, 23, 23, flag, "register write instead of the memory write")
    store_data_index = Field(1, 21, 21, flag, "the address is an index into the status page")
    cs_stall = Field(1, 20, 20, flag, "command streamer waits")
    snapshot_reset = Field(1, 19, 19, flag, "reset the global snapshot count")
    tlb_invalidate = Field(1, 18, 18, flag, "invalidate the TLB")
    sync_gfdt = Field(1, 17, 17, flag, "flush lines with the graphics data type bit")
    media_state_clear = Field(1, 16, 16, flag, "forget the media state")
    post_sync = Field(1, 15, 14, enum(PostSyncOperation), "write")
    depth_stall = Field(1, 13, 13, flag, "wait for depth")
    render_target_flush = Field(1, 12, 12, flag, "flush the render target cache")
    instruction_invalidate = Field(1, 11, 11, flag, "invalidate the instruction cache")
    texture_invalidate = Field(1, 10, 10, flag, "invalidate the texture cache")
    indirect_state_disable = Field(1, 9, 9, flag, "forget indirect state pointers")
    notify = Field(1, 8, 8, flag, "interrupt")
    pipe_control_flush = Field(1, 7, 7, flag, "wait for writes of earlier PIPE_CONTROLs")
    data_cache_flush = Field(1, 5, 5, flag, "flush the data cache")
    vertex_invalidate = Field(1, 4, 4, flag, "invalidate the vertex fetch cache")
    constant_invalidate = Field(1, 3, 3, flag, "invalidate the constant cache")
    state_invalidate = Field(1, 2, 2, flag, "invalidate the state cache")
    pixel_scoreboard_stall = Field(1, 1, 1, flag, "stall at the pixel scoreboard")
    depth_flush = Field(1, 0, 0, flag, "flush the depth cache")
    address = Field(2, 31, 2, address, "byte address of the write")
    immediate = Field(3, 31, 0, unsigned, "low dword of the immediate")


class PipelineSelect(Command, name="PIPELINE_SELECT", header=0x69040000, source="002:250-258"):
    """Select the pipeline."""

    selection = Field(0, 1, 0, enum(Pipeline), "pipeline")


class StateBaseAddress(
    Command, name="STATE_BASE_ADDRESS", header=0x61010000, dwords=10, source="002:250-258", until=7.5
):
    """Base addresses of all state (Gen6 and Gen7); an address or bound changes only if its modify bit is set."""

    general_state_base = Field(1, 31, 12, address, "scratch space and stateless messages")
    general_state_mocs = Field(1, 11, 8, unsigned, "cache control")
    stateless_mocs = Field(1, 7, 4, unsigned, "cache control of stateless messages")
    stateless_write_through = Field(1, 3, 3, flag, "stateless messages write through")
    general_state_modify = Field(1, 0, 0, flag, "take over the base")
    surface_state_base = Field(2, 31, 12, address, "binding tables and surface states")
    surface_state_mocs = Field(2, 11, 8, unsigned, "cache control")
    surface_state_modify = Field(2, 0, 0, flag, "take over the base")
    dynamic_state_base = Field(3, 31, 12, address, "samplers, border colors, descriptors, constants, pixel state")
    dynamic_state_mocs = Field(3, 11, 8, unsigned, "cache control")
    dynamic_state_modify = Field(3, 0, 0, flag, "take over the base")
    indirect_object_base = Field(4, 31, 12, address, "indirect data of MEDIA_OBJECT")
    indirect_object_mocs = Field(4, 11, 8, unsigned, "cache control")
    indirect_object_modify = Field(4, 0, 0, flag, "take over the base")
    instruction_base = Field(5, 31, 12, address, "kernels")
    instruction_mocs = Field(5, 11, 8, unsigned, "cache control")
    instruction_modify = Field(5, 0, 0, flag, "take over the base")
    general_state_bound = Field(6, 31, 12, address, "first address behind; 0: no check")
    general_state_bound_modify = Field(6, 0, 0, flag, "take over the bound")
    dynamic_state_bound = Field(7, 31, 12, address, "first address behind; 0: no check")
    dynamic_state_bound_modify = Field(7, 0, 0, flag, "take over the bound")
    indirect_object_bound = Field(8, 31, 12, address, "first address behind; 0 and FFFFF000h: no check")
    indirect_object_bound_modify = Field(8, 0, 0, flag, "take over the bound")
    instruction_bound = Field(9, 31, 12, address, "first address behind; 0: no check")
    instruction_bound_modify = Field(9, 0, 0, flag, "take over the bound")


class StateBaseAddressGen5(
    Command, name="STATE_BASE_ADDRESS_GEN5", header=0x61010000, dwords=8, source="001:240-339", since=5, until=5
):
    """Base addresses of Ironlake: samplers still come from the general state base."""

    general_state_base = Field(1, 31, 12, address, "general state, samplers included")
    general_state_modify = Field(1, 0, 0, flag, "take over the base")
    surface_state_base = Field(2, 31, 12, address, "binding tables and surface states")
    surface_state_modify = Field(2, 0, 0, flag, "take over the base")
    indirect_object_base = Field(3, 31, 12, address, "indirect data of MEDIA_OBJECT")
    indirect_object_modify = Field(3, 0, 0, flag, "take over the base")
    instruction_base = Field(4, 31, 12, address, "kernels")
    instruction_modify = Field(4, 0, 0, flag, "take over the base")
    general_state_bound = Field(5, 31, 12, address, "first address behind; 0: no check")
    general_state_bound_modify = Field(5, 0, 0, flag, "take over the bound")
    indirect_object_bound = Field(6, 31, 12, address, "first address behind; 0 and FFFFF000h: no check")
    indirect_object_bound_modify = Field(6, 0, 0, flag, "take over the bound")
    instruction_bound = Field(7, 31, 12, address, "first address behind; 0: no check")
    instruction_bound_modify = Field(7, 0, 0, flag, "take over the bound")


class StateBaseAddressGen4(
    Command, name="STATE_BASE_ADDRESS_GEN4", header=0x61010000, dwords=6, source="001:143-238", since=4, until=4.5
):
    """Base addresses before Ironlake: kernels come from the general state base."""

    general_state_base = Field(1, 31, 12, address, "general state, samplers and kernels included")
    general_state_modify = Field(1, 0, 0, flag, "take over the base")
    surface_state_base = Field(2, 31, 12, address, "binding tables and surface states")
    surface_state_modify = Field(2, 0, 0, flag, "take over the base")
    indirect_object_base = Field(3, 31, 12, address, "indirect data of MEDIA_OBJECT")
    indirect_object_modify = Field(3, 0, 0, flag, "take over the base")
    general_state_bound = Field(4, 31, 12, address, "first address behind; 0: no check")
    general_state_bound_modify = Field(4, 0, 0, flag, "take over the bound")
    indirect_object_bound = Field(5, 31, 12, address, "first address behind; 0 and FFFFF000h: no check")
    indirect_object_bound_modify = Field(5, 0, 0, flag, "take over the bound")


class StateSip(Command, name="STATE_SIP", header=0x61020000, dwords=2, source="001:434-466", since=4):
    """System routine for exceptions."""

    pointer = Field(1, 31, 4, address, "kernel, from Instruction Base")


class SwTessBaseAddress(
    Command,
    name="SWTESS_BASE_ADDRESS",
    header=0x61030000,
    dwords=2,
    source="002:724 and volume 1 part 1 of Ivy Bridge, page 28",
    since=7,
):
    """Where patches of software tessellation have their domain points."""

    base_address = Field(1, 31, 12, address, "domain points")
    mocs = Field(1, 11, 8, unsigned, "cache control")


class ConstantBuffer(Command, name="CONSTANT_BUFFER", header=0x60020000, dwords=2, source="001:3-55", since=4, until=5):
    """Load constants into the URB (before Sandy Bridge)."""

    valid = Field(0, 8, 8, flag, "there is a buffer")
    start_address = Field(1, 31, 6, address, "from General State Base, or absolute (INSTPM)")
    lines = Field(1, 5, 0, minus_one, "64-byte units")


class StatePrefetch(Command, name="STATE_PREFETCH", header=0x60030000, dwords=2, source="001:390-430", since=4):
    """Hint: fetch state into the cache."""

    pointer = Field(1, 31, 6, address, "byte address")
    lines = Field(1, 2, 0, minus_one, "64-byte lines")


class StatePointerInvalidate(
    Command, name="STATE_POINTER_INVALIDATE", header=0x68020000, source="001:343-386", since=4.5, until=5
):
    """Forget state pointers."""

    pipelined = Field(0, 2, 2, flag, "3DSTATE_PIPELINED_POINTERS")
    constant_buffer = Field(0, 1, 1, flag, "CONSTANT_BUFFER")
    media_state = Field(0, 0, 0, flag, "MEDIA_STATE_POINTERS")
