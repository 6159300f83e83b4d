"""Memory interface commands (seed 001:713 for the opcodes; bodies as Gen7 command buffers hold them)."""

from texsamp.state.base import Field
from texsamp.state.command import Command
from texsamp.state.kinds import Codes, address, enum, flag, unsigned


class AddressSpace(Codes):
    """Page table a command's address goes through."""

    GGTT = 0, "global"
    PPGTT = 1, "per process"


class LoadOperation(Codes):
    """What MI_PREDICATE does with the predicate first."""

    KEEP = 0
    LOAD = 2
    LOADINV = 3, "load the inverted comparison"


class CombineOperation(Codes):
    """How MI_PREDICATE combines the comparison with the predicate."""

    SET = 0
    AND = 1
    OR = 2
    XOR = 3


class CompareOperation(Codes):
    """Comparison of MI_PREDICATE."""

    TRUE = 0
    FALSE = 1
    SRCS_EQUAL = 2
    DELTAS_EQUAL = 3


class MiNoop(Command, name="MI_NOOP", header=0x00000000, source="001:713"):
    """No operation."""

    write_identification = Field(0, 22, 22, flag, "store the identification number")
    identification = Field(0, 21, 0, unsigned, "identification number")


class MiUserInterrupt(Command, name="MI_USER_INTERRUPT", header=0x01000000, source="001:713-770"):
    """Interrupt, if it is enabled."""


class MiFlush(Command, name="MI_FLUSH", header=0x02000000, source="001:713-770"):
    """Flush (before PIPE_CONTROL). Bits that choose caches are not told apart."""

    options = Field(0, 22, 0, unsigned, "which caches")


class MiArbCheck(Command, name="MI_ARB_CHECK", header=0x02800000, source="volume 1 part 3, page 167"):
    """A place where another ring may take over."""


class MiArbOnOff(Command, name="MI_ARB_ON_OFF", header=0x04000000, source="volume 1 part 3, page 168", since=5):
    """Whether other rings may take over."""

    enable = Field(0, 0, 0, flag, "they may", True)


class MiSuspendFlush(Command, name="MI_SUSPEND_FLUSH", header=0x05800000, source="001:713-770", since=5):
    """Whether flushes wait for others."""

    suspend = Field(0, 0, 0, flag, "they do not")


class MiWaitForEvent(
    Command, name="MI_WAIT_FOR_EVENT", header=0x01800000, source="volume 1 part 3, pages 193-196", since=7
):
    """Pause until the display comes to where one bit says: a scan line, a blank, a flip that is done."""

    events = Field(0, 22, 0, unsigned, "what is waited for; 19:16: the condition code that must be cleared")


class MiDisplayFlip(
    Command, name="MI_DISPLAY_FLIP", header=0x0A000000, dwords=3, source="volume 1 part 3, pages 174-176", since=7
):
    """Show another buffer from the next blank on, or as soon as may be."""

    asynchronous = Field(0, 22, 22, flag, "do not wait for a blank")
    plane = Field(0, 21, 19, unsigned, "plane: A, B, sprites A and B, C, sprite C")
    pitch = Field(1, 15, 6, unsigned, "pitch in units of 64 bytes")
    tiled = Field(1, 0, 0, flag, "X tiles")
    buffer_address = Field(2, 31, 12, address, "byte address of the buffer")
    flip_type = Field(2, 1, 0, unsigned, "1: asynchronous")


class MiSemaphoreMbox(
    Command, name="MI_SEMAPHORE_MBOX", header=0x0B000000, dwords=3, source="volume 1 part 3, pages 181-183", since=7
):
    """Wait until a semaphore is greater than a number, signal one, or both."""

    use_global_gtt = Field(0, 22, 22, flag, "global page table")
    update = Field(0, 21, 21, flag, "write the number to memory")
    compare = Field(0, 20, 20, flag, "wait")
    compare_register = Field(0, 18, 18, flag, "for a register, not memory")
    register_select = Field(0, 17, 16, unsigned, "0: of the video engine, 2: of the blitter, 3: any")
    data = Field(1, 31, 0, unsigned, "number")
    semaphore_address = Field(2, 31, 2, address, "byte address of the semaphore, or of the register")


class FlushOperation(Codes):
    """What MI_FLUSH_DW writes when everything before it is done."""

    NO_WRITE = 0
    WRITE_IMMEDIATE_DATA = 1
    WRITE_TIMESTAMP = 3


class MiFlushDw(
    Command,
    name="MI_FLUSH_DW",
    header=0x13000000,
    dwords=3,
    tail=1,
    tail_count=(0, 1),
    source="volume 1 part 4, pages 137-139",
    since=6,
):
    """Flush of the blitter, and a write; the optional fourth dword is the high immediate."""

    store_data_index = Field(0, 21, 21, flag, "the address is an index into the status page")
    tlb_invalidate = Field(0, 18, 18, flag, "invalidate the TLB")
    sync_gfdt = Field(0, 17, 17, flag, "flush lines with the graphics data type bit")
    post_sync = Field(0, 15, 14, enum(FlushOperation), "write")
    notify = Field(0, 8, 8, flag, "interrupt")
    address = Field(1, 31, 3, address, "byte address of the write")
    address_space = Field(1, 2, 2, unsigned, "0 per process, 1 global")
    immediate = Field(2, 31, 0, unsigned, "low dword of the immediate")


class MiBatchBufferEnd(Command, name="MI_BATCH_BUFFER_END", header=0x05000000, source="001:726"):
    """End of the command buffer."""


class MiPredicate(Command, name="MI_PREDICATE", header=0x06000000, source="002:225-246"):
    """Set the predicate that conditional draws and dispatches obey: they run if it is set."""

    load_operation = Field(0, 7, 6, enum(LoadOperation), "first step")
    combine_operation = Field(0, 4, 3, enum(CombineOperation), "second step")
    compare_operation = Field(0, 1, 0, enum(CompareOperation), "comparison of MI_PREDICATE_SRC0 with SRC1")


class MiStoreDataIndex(
    Command,
    name="MI_STORE_DATA_INDEX",
    header=0x10800000,
    dwords=3,
    tail=1,
    tail_count=(0, 1),
    source="volume 1 part 3, pages 187-189",
):
    """Store one or two dwords into the hardware status page."""

    offset = Field(1, 11, 2, address, "byte offset; the first 64 bytes are reserved")
    data = Field(2, 31, 0, unsigned, "low dword")


class MiTopologyFilter(Command, name="MI_TOPOLOGY_FILTER", header=0x06800000, source="volume 1 part 3, pages 201-202"):
    """Drop draws of other topologies."""

    topology = Field(0, 5, 0, unsigned, "topology that is drawn, as in 3DPRIMITIVE; 0: all are")


class MiSetContext(
    Command, name="MI_SET_CONTEXT", header=0x0C000000, dwords=2, source="volume 1 part 3, pages 184-186"
):
    """Go on with another logical context: the present one is saved where it came from, the new one restored."""

    context_address = Field(1, 31, 12, address, "byte address of the context's image")
    reserved_one = Field(1, 8, 8, unsigned, "must be 1", 1, legal=frozenset({1}))
    extended_save = Field(1, 3, 3, flag, "save the extended state when this context is left")
    extended_restore = Field(1, 2, 2, flag, "restore the extended state")
    force_restore = Field(1, 1, 1, flag, "restore even if this is the present context")
    restore_inhibit = Field(1, 0, 0, flag, "restore nothing: the image has not been saved yet")


class MiUrbClear(Command, name="MI_URB_CLEAR", header=0x0C800000, dwords=2, source="volume 1 part 3, page 198"):
    """Write zeros into a part of the URB."""

    clear_length = Field(1, 28, 16, unsigned, "units of 32 bytes")
    urb_address = Field(1, 13, 0, unsigned, "first unit of 32 bytes")


class MiStoreDataImm(
    Command, name="MI_STORE_DATA_IMM", header=0x10000000, dwords=4, source="001:755", tail=1, tail_count=(0, 1)
):
    """Store one dword, or two with the optional fifth dword."""

    use_global_gtt = Field(0, 22, 22, flag, "global page table")
    address = Field(2, 31, 2, address, "byte address")
    core_mode = Field(2, 0, 0, flag, "core mode")
    data = Field(3, 31, 0, unsigned, "low dword; the high one is the tail")


class MiLoadRegisterImm(
    Command, name="MI_LOAD_REGISTER_IMM", header=0x11000000, dwords=3, source="001:757", length_bits=8, tail=2,
    tail_count=(0, 126),
):  # fmt: skip
    """Write registers; the tail holds further pairs of offset and value."""

    byte_write_disables = Field(0, 11, 8, unsigned, "bytes left alone")
    register_offset = Field(1, 22, 2, address, "register")
    data = Field(2, 31, 0, unsigned, "value")

    @property
    def writes(self) -> tuple[tuple[int, int], ...]:
        """All (register offset, value) pairs in order."""
        pairs = self.to_dwords()[1:]
        return tuple((pairs[i] & 0x7FFFFC, pairs[i + 1]) for i in range(0, len(pairs), 2))


class MiStoreRegisterMem(Command, name="MI_STORE_REGISTER_MEM", header=0x12000000, dwords=3, source="001:759"):
    """Store a register."""

    use_global_gtt = Field(0, 22, 22, flag, "global page table")
    register_offset = Field(1, 22, 2, address, "register")
    memory_address = Field(2, 31, 2, address, "byte address")


class MiLoadRegisterMem(Command, name="MI_LOAD_REGISTER_MEM", header=0x14800000, dwords=3, source="002:66"):
    """Load a register."""

    use_global_gtt = Field(0, 22, 22, flag, "global page table")
    async_mode = Field(0, 21, 21, flag, "do not wait for the load")
    register_offset = Field(1, 22, 2, address, "register")
    memory_address = Field(2, 31, 2, address, "byte address")


class MiReportPerfCount(
    Command,
    name="MI_REPORT_PERF_COUNT",
    header=0x14000000,
    dwords=3,
    source="001:713-770 for the opcode, Mesa for the operands",
    since=6,
):
    """Write what performance counters hold, with a number that tells the report from others."""

    memory_address = Field(1, 31, 6, address, "byte address of the report")
    core_mode = Field(1, 4, 4, flag, "core mode")
    use_global_gtt = Field(1, 0, 0, flag, "global page table")
    report_id = Field(2, 31, 0, unsigned, "first dword of the report")


class MiUpdateGtt(
    Command,
    name="MI_UPDATE_GTT",
    header=0x11800000,
    dwords=3,
    tail=1,
    tail_count=(0, 253),
    source="volume 1 part 3, pages 191-192",
    since=7,
):
    """Change entries of the global page table; privileged."""

    use_global_gtt = Field(0, 22, 22, flag, "must be set", True)
    entry_address = Field(1, 31, 12, address, "page of the first entry")
    entry = Field(2, 31, 0, unsigned, "first entry; others are the tail")


class MiClflush(
    Command,
    name="MI_CLFLUSH",
    header=0x13800000,
    dwords=3,
    length_bits=10,
    tail=1,
    tail_count=(0, 1022),
    source="volume 1 part 3, pages 173-174",
    since=7,
):
    """Flush cache lines of a page to memory."""

    use_global_gtt = Field(0, 22, 22, flag, "global page table")
    page_address = Field(1, 31, 12, address, "byte address of the page")
    first_line = Field(1, 11, 6, unsigned, "first line of it")
    page_address_high = Field(2, 15, 0, unsigned, "high bits of the address; the tail has a dword for every half line")


class MiLoadRegisterReg(Command, name="MI_LOAD_REGISTER_REG", header=0x15000000, dwords=3, source="002:66"):
    """Copy a register."""

    source_register = Field(1, 22, 2, address, "register read")
    register_offset = Field(2, 22, 2, address, "register written")


class MiBatchBufferStart(Command, name="MI_BATCH_BUFFER_START", header=0x18800000, dwords=2, source="001:768"):
    """Continue at another command buffer; nothing returns on Gen7."""

    clear_command_buffer = Field(0, 11, 11, flag, "clear command buffer")
    address_space = Field(0, 8, 8, enum(AddressSpace), "page table")
    start_address = Field(1, 31, 2, address, "byte address of the next command")


class MiConditionalBatchBufferEnd(
    Command,
    name="MI_CONDITIONAL_BATCH_BUFFER_END",
    header=0x1B000000,
    dwords=3,
    source="volume 1 part 3, page 168",
):
    """End of the command buffer unless the dword in memory is greater than the command's."""

    use_global_gtt = Field(0, 22, 22, flag, "global page table")
    compare = Field(0, 21, 21, flag, "compare; else the command does nothing")
    data = Field(1, 31, 0, unsigned, "dword that memory must exceed")
    compare_address = Field(2, 31, 3, address, "byte address of the dword in memory")
