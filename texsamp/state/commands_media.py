"""Media and GPGPU commands and the interface descriptor (as Gen7 command buffers hold them; names in seed 002:772)."""

from texsamp.state.base import Array, Field, Struct
from texsamp.state.command import Command
from texsamp.state.fields import Axis
from texsamp.state.kinds import Codes, address, enum, flag, minus_one, signed, unsigned


class FloatingPointMode(Codes):
    """Floating point rules of a thread."""

    IEEE_754 = 0
    ALTERNATE = 1


class RoundingMode(Codes):
    """Rounding of a thread."""

    RTNE = 0, "to nearest even"
    RU = 1, "up"
    RD = 2, "down"
    RTZ = 3, "towards zero"


class HalfSlice(Codes):
    """Half-slice a thread is sent to."""

    EITHER = 0
    HALF_SLICE_0 = 1
    HALF_SLICE_1 = 2


class PrtFence(Codes):
    """What MEDIA_OBJECT_PRT waits for."""

    ROOT_THREAD_QUEUE = 0
    VFE_STATE_FLUSH = 1


class WalkerSimd(Codes):
    """Channels per thread of a walker."""

    SIMD8 = 0
    SIMD16 = 1
    SIMD32 = 2


class InterfaceDescriptor(Struct, name="INTERFACE_DESCRIPTOR_DATA", dwords=8, source="002:772-777"):
    """What a media or GPGPU thread starts with."""

    kernel_start = Field(0, 31, 6, address, "kernel, from Instruction Base")
    single_program_flow = Field(1, 18, 18, flag, "one flow of control for all channels")
    high_priority = Field(1, 17, 17, flag, "thread priority")
    floating_point_mode = Field(1, 16, 16, enum(FloatingPointMode), "floating point rules")
    illegal_opcode_exception = Field(1, 13, 13, flag, "exception")
    mask_stack_exception = Field(1, 11, 11, flag, "exception")
    software_exception = Field(1, 7, 7, flag, "exception")
    sampler_state_pointer = Field(2, 31, 5, address, "sampler table, from Dynamic State Base")
    sampler_count = Field(2, 4, 2, unsigned, "groups of 4 samplers to prefetch", legal=(0, 4))
    binding_table_pointer = Field(3, 15, 5, address, "binding table, from Surface State Base")
    binding_table_entries = Field(3, 4, 0, unsigned, "entries to prefetch")
    constant_read_length = Field(4, 31, 16, unsigned, "registers of constants")
    constant_read_offset = Field(4, 15, 0, unsigned, "first register of constants")
    rounding_mode = Field(5, 23, 22, enum(RoundingMode), "rounding")
    barrier = Field(5, 21, 21, flag, "the group uses a barrier")
    shared_memory = Field(5, 20, 16, unsigned, "shared local memory, 4 KB units")
    group_threads = Field(5, 7, 0, unsigned, "threads of a group")


class MediaVfeState(Command, name="MEDIA_VFE_STATE", header=0x70000000, dwords=8, source="002:772"):
    """Set up the fixed function that starts media and GPGPU threads."""

    scratch_base = Field(1, 31, 10, address, "scratch space, from General State Base")
    per_thread_scratch = Field(1, 3, 0, unsigned, "n + 1 KB", legal=(0, 11))
    max_threads = Field(2, 31, 16, minus_one, "threads at once")
    urb_entries = Field(2, 15, 8, unsigned, "URB entries")
    reset_gateway_timer = Field(2, 7, 7, flag, "reset the gateway's timer")
    bypass_gateway = Field(2, 6, 6, flag, "messages skip the gateway's checks")
    gateway_mmio_access = Field(2, 4, 3, unsigned, "registers the gateway may access")
    gpgpu_mode = Field(2, 2, 2, flag, "GPGPU, not media")
    urb_entry_size = Field(4, 31, 16, unsigned, "URB entry, 256-bit units")
    curbe_size = Field(4, 15, 0, unsigned, "constants, 256-bit units")
    scoreboard = Field(5, 31, 31, flag, "scoreboard on")
    scoreboard_type = Field(5, 30, 30, unsigned, "0: stalling, 1: not")
    scoreboard_mask = Field(5, 7, 0, unsigned, "dependencies in use")
    delta_x = Array(6, 3, 0, signed, "column distance of dependency 0 to 7", (Axis(8, 8),))
    delta_y = Array(6, 7, 4, signed, "row distance of dependency 0 to 7", (Axis(8, 8),))


class MediaCurbeLoad(Command, name="MEDIA_CURBE_LOAD", header=0x70010000, dwords=4, source="002:773"):
    """Load constants."""

    data_length = Field(2, 16, 0, unsigned, "bytes, a multiple of 32")
    data_start = Field(3, 31, 0, unsigned, "from Dynamic State Base")


class MediaInterfaceDescriptorLoad(
    Command, name="MEDIA_INTERFACE_DESCRIPTOR_LOAD", header=0x70020000, dwords=4, source="002:774"
):
    """Load interface descriptors."""

    data_length = Field(2, 16, 0, unsigned, "bytes, 32 per descriptor")
    data_start = Field(3, 31, 0, unsigned, "from Dynamic State Base")


class MediaStateFlush(Command, name="MEDIA_STATE_FLUSH", header=0x70040000, dwords=2, source="002:776"):
    """Wait for the threads so far."""

    watermark_required = Field(1, 6, 6, flag, "wait for room for a group of the descriptor")
    interface_descriptor = Field(1, 5, 0, unsigned, "descriptor")


class MediaObject(
    Command, name="MEDIA_OBJECT", header=0x71000000, dwords=6, source="001:854", tail=1, tail_count=(0, 65529)
):
    """Start one thread; the tail is its inline data."""

    interface_descriptor = Field(1, 4, 0, unsigned, "descriptor")
    children_present = Field(2, 31, 31, flag, "the thread starts threads")
    thread_synchronization = Field(2, 24, 24, flag, "wait for the message gateway")
    use_scoreboard = Field(2, 21, 21, flag, "wait for dependencies")
    half_slice = Field(2, 18, 17, enum(HalfSlice), "where the thread runs")
    indirect_length = Field(2, 16, 0, unsigned, "bytes of indirect data")
    indirect_start = Field(3, 31, 0, unsigned, "indirect data, from Indirect Object Base")
    scoreboard_y = Field(4, 24, 16, unsigned, "row in the scoreboard")
    scoreboard_x = Field(4, 8, 0, unsigned, "column in the scoreboard")
    scoreboard_color = Field(5, 19, 16, unsigned, "color in the scoreboard")
    scoreboard_mask = Field(5, 7, 0, unsigned, "dependencies of the thread")


class MediaObjectPrt(Command, name="MEDIA_OBJECT_PRT", header=0x71020000, dwords=16, source="002:775"):
    """Start one thread that may stay: a persistent root thread."""

    interface_descriptor = Field(1, 4, 0, unsigned, "descriptor")
    children_present = Field(2, 31, 31, flag, "the thread starts threads")
    fence = Field(2, 23, 23, flag, "wait first")
    fence_type = Field(2, 22, 22, enum(PrtFence), "what the fence waits for")
    inline_data = Array(4, 31, 0, unsigned, "inline data", (Axis(12, 32),))


class MediaObjectWalker(
    Command, name="MEDIA_OBJECT_WALKER", header=0x71030000, dwords=17, source="002:1833", tail=1, tail_count=(0, 65518)
):
    """Start a thread per block of a walk with a local and a global loop; the tail is inline data of all of them."""

    interface_descriptor = Field(1, 4, 0, unsigned, "descriptor")
    children_present = Field(2, 31, 31, flag, "the threads start threads")
    thread_synchronization = Field(2, 24, 24, flag, "wait for the message gateway")
    use_scoreboard = Field(2, 21, 21, flag, "wait for dependencies")
    indirect_length = Field(2, 16, 0, unsigned, "bytes of indirect data")
    indirect_start = Field(3, 31, 0, unsigned, "indirect data, from Indirect Object Base")
    scoreboard_mask = Field(5, 7, 0, unsigned, "dependencies")
    dual_mode = Field(6, 31, 31, flag, "two walkers")
    repel = Field(6, 30, 30, flag, "the two walk apart")
    colors = Field(6, 27, 24, minus_one, "threads per block")
    middle_loop_extra_steps = Field(6, 20, 16, unsigned, "extra steps of the middle loop")
    middle_loop_unit_y = Field(6, 13, 12, signed, "step of the middle loop, rows")
    middle_loop_unit_x = Field(6, 9, 8, signed, "step of the middle loop, columns")
    global_loop_count = Field(7, 25, 16, minus_one, "most steps of the global outer loop")
    local_loop_count = Field(7, 9, 0, minus_one, "most steps of the local outer loop")
    block_resolution_y = Field(8, 24, 16, unsigned, "block, rows")
    block_resolution_x = Field(8, 8, 0, unsigned, "block, columns")
    local_start_y = Field(9, 24, 16, unsigned, "local loop start, rows")
    local_start_x = Field(9, 8, 0, unsigned, "local loop start, columns")
    local_end_y = Field(10, 24, 16, unsigned, "end of the first local inner loop, rows: where a second walker starts")
    local_end_x = Field(10, 8, 0, unsigned, "end of the first local inner loop, columns")
    local_outer_stride_y = Field(11, 25, 16, signed, "local outer loop step, rows")
    local_outer_stride_x = Field(11, 9, 0, signed, "local outer loop step, columns")
    local_inner_unit_y = Field(12, 25, 16, signed, "local inner loop step, rows")
    local_inner_unit_x = Field(12, 9, 0, signed, "local inner loop step, columns")
    global_resolution_y = Field(13, 24, 16, unsigned, "frame, rows")
    global_resolution_x = Field(13, 8, 0, unsigned, "frame, columns")
    global_start_y = Field(14, 25, 16, signed, "global loop start, rows")
    global_start_x = Field(14, 9, 0, signed, "global loop start, columns")
    global_outer_stride_y = Field(15, 25, 16, signed, "global outer loop step, rows")
    global_outer_stride_x = Field(15, 9, 0, signed, "global outer loop step, columns")
    global_inner_unit_y = Field(16, 25, 16, signed, "global inner loop step, rows")
    global_inner_unit_x = Field(16, 9, 0, signed, "global inner loop step, columns")


class GpgpuWalker(Command, name="GPGPU_WALKER", header=0x71050000, dwords=11, source="002:107-135", length_bits=8):
    """Start the threads of a grid of groups."""

    indirect_parameter = Field(0, 10, 10, flag, "group counts come from GPGPU_DISPATCHDIMX to Z")
    predicate_enable = Field(0, 8, 8, flag, "dropped if the predicate is clear")
    interface_descriptor = Field(1, 4, 0, unsigned, "descriptor")
    simd_size = Field(2, 31, 30, enum(WalkerSimd), "channels per thread")
    threads_z = Field(2, 21, 16, minus_one, "threads of a group in depth")
    threads_y = Field(2, 13, 8, minus_one, "threads of a group in height")
    threads_x = Field(2, 5, 0, minus_one, "threads of a group in width")
    start_x = Field(3, 31, 0, unsigned, "first group in X")
    end_x = Field(4, 31, 0, unsigned, "group behind the last in X")
    start_y = Field(5, 31, 0, unsigned, "first group in Y")
    end_y = Field(6, 31, 0, unsigned, "group behind the last in Y")
    start_z = Field(7, 31, 0, unsigned, "first group in Z")
    end_z = Field(8, 31, 0, unsigned, "group behind the last in Z")
    right_mask = Field(9, 31, 0, unsigned, "channels of the last thread of a row")
    bottom_mask = Field(10, 31, 0, unsigned, "channels of the last row of threads")
