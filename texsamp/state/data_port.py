"""Data port messages: descriptors of the four caches and the message headers (seed 003:8214-10445, hole P1)."""

from texsamp.state.base import Array, Field, Struct
from texsamp.state.fields import Axis, When
from texsamp.state.kinds import Codes, address, enum, flag, minus_one, signed, unsigned
from texsamp.state.sampler_messages import MessageDescriptor


class SamplerCacheMessage(Codes):
    """Messages to the sampler cache data port."""

    UNALIGNED_OWORD_BLOCK_READ = 1
    MEDIA_BLOCK_READ = 4


class RenderCacheMessage(Codes):
    """Messages to the render cache data port."""

    MEDIA_BLOCK_READ = 4
    TYPED_SURFACE_READ = 5
    TYPED_ATOMIC = 6
    MEMORY_FENCE = 7
    MEDIA_BLOCK_WRITE = 10
    RENDER_TARGET_WRITE = 12
    TYPED_SURFACE_WRITE = 13


class ConstantCacheMessage(Codes):
    """Messages to the constant cache data port."""

    OWORD_BLOCK_READ = 0
    UNALIGNED_OWORD_BLOCK_READ = 1
    OWORD_DUAL_BLOCK_READ = 2
    DWORD_SCATTERED_READ = 3


class DataCacheMessage(Codes):
    """Messages to the data cache data port, category 0."""

    OWORD_BLOCK_READ = 0
    UNALIGNED_OWORD_BLOCK_READ = 1
    OWORD_DUAL_BLOCK_READ = 2
    DWORD_SCATTERED_READ = 3
    BYTE_SCATTERED_READ = 4
    UNTYPED_SURFACE_READ = 5
    UNTYPED_ATOMIC = 6
    MEMORY_FENCE = 7
    OWORD_BLOCK_WRITE = 8
    OWORD_DUAL_BLOCK_WRITE = 10
    DWORD_SCATTERED_WRITE = 11
    BYTE_SCATTERED_WRITE = 12
    UNTYPED_SURFACE_WRITE = 13


class OWordBlockSize(Codes):
    """OWords of a block message; one OWord uses the low or the high half of the register."""

    OWORD_1_LOW = 0
    OWORD_1_HIGH = 1
    OWORDS_2 = 2
    OWORDS_4 = 3
    OWORDS_8 = 4


class DualBlockSize(Codes):
    """OWords at each of the two offsets."""

    OWORD_1 = 0
    OWORDS_4 = 2


class ScatterSize(Codes):
    """DWords of a scattered message."""

    DWORDS_8 = 2
    DWORDS_16 = 3


class ByteCount(Codes):
    """Bytes per slot of a byte scattered message."""

    BYTE_1 = 0
    BYTES_2 = 1
    BYTES_4 = 2


class UntypedSimd(Codes):
    """SIMD mode of untyped surface messages."""

    SIMD4X2 = 0
    SIMD16 = 1
    SIMD8 = 2


class AtomicOperation(Codes):
    """AOP_*."""

    CMPWR8B = 0, "untyped only"
    AND = 1
    OR = 2
    XOR = 3
    MOV = 4
    INC = 5
    DEC = 6
    ADD = 7
    SUB = 8
    REVSUB = 9
    IMAX = 10
    IMIN = 11
    UMAX = 12
    UMIN = 13
    CMPWR = 14
    PREDEC = 15, "returns the new value"


class ScratchBlockSize(Codes):
    """Registers of a scratch block message."""

    REGISTER_1 = 0
    REGISTERS_2 = 1
    REGISTERS_4 = 3


class RenderTargetMessage(Codes):
    """Forms of the render target write (hole P12)."""

    SIMD16 = 0
    SIMD16_REPDATA = 1
    SIMD8_DUALSRC_LO = 2
    SIMD8_DUALSRC_HI = 3
    SIMD8_LO = 4
    SIMD8_IMAGE_WRITE = 7


class MediaMessageMode(Codes):
    """What M0.2 of a media block message holds."""

    NORMAL = 0
    PIXEL_MASK = 1


class MediaMessageFormat(Codes):
    """Payload of a media block write with color processing."""

    YUV422_8 = 0
    YUV444_8 = 1
    YUV422_16 = 2
    YUV444_16 = 3


def _only(kind: type[Codes], *names: str) -> When:
    codes = [kind[name] for name in names]
    return When(" and ".join(names).lower(), lambda s: s.message_type in codes)


def _legacy(*names: str) -> When:
    codes = [DataCacheMessage[name] for name in names]
    return When(" and ".join(names).lower(), lambda s: not s.scratch and s.message_type in codes)


class _DataPortDescriptor(MessageDescriptor):
    """Rows every data port descriptor has."""

    header_present = Field(0, 19, 19, flag, "the first register is the header")


_R, _C = RenderCacheMessage, ConstantCacheMessage
_MEDIA = ("MEDIA_BLOCK_READ", "MEDIA_BLOCK_WRITE")
_TYPED = ("TYPED_SURFACE_READ", "TYPED_SURFACE_WRITE")
_UNTYPED = ("UNTYPED_SURFACE_READ", "UNTYPED_SURFACE_WRITE")
_BLOCKS = ("OWORD_BLOCK_READ", "UNALIGNED_OWORD_BLOCK_READ")
_BYTE = ("BYTE_SCATTERED_READ", "BYTE_SCATTERED_WRITE")
_SCRATCH = When("scratch messages", lambda s: s.scratch)
_LEGACY = When("not scratch messages", lambda s: not s.scratch)


class SamplerCacheDescriptor(
    _DataPortDescriptor, name="SAMPLER_CACHE_DESCRIPTOR", dwords=1, source="003:8214-8242", ignores_rest=True
):
    """Descriptor of a message to the sampler cache data port."""

    message_type = Field(0, 17, 14, enum(SamplerCacheMessage), "message", "MEDIA_BLOCK_READ")
    invalidate = Field(
        0,
        13,
        13,
        flag,
        "invalidate lines after the read",
        when=_only(SamplerCacheMessage, "UNALIGNED_OWORD_BLOCK_READ"),
    )
    block_size = Field(
        0, 10, 8, enum(OWordBlockSize), "block", when=_only(SamplerCacheMessage, "UNALIGNED_OWORD_BLOCK_READ")
    )
    override_stride = Field(
        0, 10, 10, flag, "vertical line stride from here", when=_only(SamplerCacheMessage, "MEDIA_BLOCK_READ")
    )
    stride = Field(0, 9, 9, unsigned, "vertical line stride", when=_only(SamplerCacheMessage, "MEDIA_BLOCK_READ"))
    stride_offset = Field(0, 8, 8, unsigned, "first row", when=_only(SamplerCacheMessage, "MEDIA_BLOCK_READ"))
    binding_table_index = Field(0, 7, 0, unsigned, "surface")


class RenderCacheDescriptor(
    _DataPortDescriptor, name="RENDER_CACHE_DESCRIPTOR", dwords=1, source="003:8214-8242", ignores_rest=True
):
    """Descriptor of a message to the render cache data port."""

    message_type = Field(0, 17, 14, enum(RenderCacheMessage), "message", "MEDIA_BLOCK_READ")
    override_stride = Field(0, 10, 10, flag, "vertical line stride from here", when=_only(_R, *_MEDIA))
    stride = Field(0, 9, 9, unsigned, "vertical line stride", when=_only(_R, *_MEDIA))
    stride_offset = Field(0, 8, 8, unsigned, "first row", when=_only(_R, *_MEDIA))
    slot_group = Field(0, 13, 13, unsigned, "0: low 8 slots, 1: high 8", when=_only(_R, *_TYPED))
    masked_channels = Array(
        0, 8, 8, flag, "red, green, blue, alpha is left out", (Axis(4, 1),), when=_only(_R, *_TYPED)
    )
    return_data = Field(0, 13, 13, flag, "return the result", when=_only(_R, "TYPED_ATOMIC"))
    atomic_slot_group = Field(0, 12, 12, unsigned, "0: low 8 slots, 1: high 8", when=_only(_R, "TYPED_ATOMIC"))
    operation = Field(
        0, 11, 8, enum(AtomicOperation), "operation", "AND", legal=(1, 15), when=_only(_R, "TYPED_ATOMIC")
    )
    commit = Field(0, 13, 13, flag, "return when the fence has passed", when=_only(_R, "MEMORY_FENCE"))
    last_render_target = Field(0, 12, 12, flag, "last write of the pixels", when=_only(_R, "RENDER_TARGET_WRITE"))
    rt_slot_group = Field(0, 11, 11, unsigned, "0: slots 15:0, 1: 31:16", when=_only(_R, "RENDER_TARGET_WRITE"))
    rt_message = Field(0, 10, 8, enum(RenderTargetMessage), "form of the write", when=_only(_R, "RENDER_TARGET_WRITE"))
    binding_table_index = Field(0, 7, 0, unsigned, "surface")


class ConstantCacheDescriptor(
    _DataPortDescriptor, name="CONSTANT_CACHE_DESCRIPTOR", dwords=1, source="003:8244-8303", ignores_rest=True
):
    """Descriptor of a message to the constant cache data port."""

    message_type = Field(0, 17, 14, enum(ConstantCacheMessage), "message")
    invalidate = Field(0, 13, 13, flag, "invalidate lines after the read", when=_only(_C, *_BLOCKS))
    block_size = Field(0, 10, 8, enum(OWordBlockSize), "block", when=_only(_C, *_BLOCKS))
    dual_size = Field(0, 9, 8, enum(DualBlockSize), "blocks", when=_only(_C, "OWORD_DUAL_BLOCK_READ"))
    scatter_size = Field(0, 9, 8, enum(ScatterSize), "dwords", "DWORDS_8", when=_only(_C, "DWORD_SCATTERED_READ"))
    binding_table_index = Field(0, 7, 0, unsigned, "surface; 255 stateless")


class DataCacheDescriptor(
    _DataPortDescriptor, name="DATA_CACHE_DESCRIPTOR", dwords=1, source="003:8244-8303", ignores_rest=True
):
    """Descriptor of a message to the data cache data port, scratch block messages included."""

    scratch = Field(0, 18, 18, flag, "scratch block message")
    message_type = Field(0, 17, 14, enum(DataCacheMessage), "message", when=_LEGACY)
    invalidate = Field(0, 13, 13, flag, "invalidate lines after the read", when=_legacy(*_BLOCKS))
    block_size = Field(0, 10, 8, enum(OWordBlockSize), "block", when=_legacy(*_BLOCKS, "OWORD_BLOCK_WRITE"))
    dual_size = Field(
        0, 9, 8, enum(DualBlockSize), "blocks", when=_legacy("OWORD_DUAL_BLOCK_READ", "OWORD_DUAL_BLOCK_WRITE")
    )
    scatter_size = Field(
        0, 9, 8, enum(ScatterSize), "dwords", "DWORDS_8", when=_legacy("DWORD_SCATTERED_READ", "DWORD_SCATTERED_WRITE")
    )
    byte_count = Field(0, 11, 10, enum(ByteCount), "bytes per slot", when=_legacy(*_BYTE))
    byte_simd16 = Field(0, 8, 8, flag, "16 slots, not 8", when=_legacy(*_BYTE))
    simd_mode = Field(0, 13, 12, enum(UntypedSimd), "SIMD mode", when=_legacy(*_UNTYPED))
    masked_channels = Array(
        0, 8, 8, flag, "red, green, blue, alpha is left out", (Axis(4, 1),), when=_legacy(*_UNTYPED)
    )
    return_data = Field(0, 13, 13, flag, "return the result", when=_legacy("UNTYPED_ATOMIC"))
    atomic_simd8 = Field(0, 12, 12, flag, "SIMD8, not SIMD16", when=_legacy("UNTYPED_ATOMIC"))
    operation = Field(0, 11, 8, enum(AtomicOperation), "operation", when=_legacy("UNTYPED_ATOMIC"))
    commit = Field(0, 13, 13, flag, "return when the fence has passed", when=_legacy("MEMORY_FENCE"))
    binding_table_index = Field(0, 7, 0, unsigned, "surface; 254 shared local memory, 255 stateless", when=_LEGACY)
    scratch_write = Field(0, 17, 17, flag, "write, not read", when=_SCRATCH)
    scratch_dword_mode = Field(0, 16, 16, flag, "execution mask enables dwords, not blocks", when=_SCRATCH)
    scratch_invalidate = Field(0, 15, 15, flag, "invalidate the line after the read", when=_SCRATCH)
    scratch_size = Field(0, 13, 12, enum(ScratchBlockSize), "registers", when=_SCRATCH)
    scratch_offset = Field(0, 11, 0, unsigned, "offset in 32-byte units", when=_SCRATCH)


class DataPortHeader(Struct, name="DATA_PORT_HEADER", dwords=8, source="003:8305-8349", ignores_rest=True):
    """Header of block, scattered and scratch messages (hole P3)."""

    buffer_base = Field(5, 31, 10, address, "stateless: base, from General State Base")
    dispatch_id = Field(5, 7, 0, unsigned, "thread")
    per_thread_scratch = Field(3, 3, 0, unsigned, "scratch space of a thread: 2 ** n KB", legal=(0, 11))
    global_offset = Field(2, 31, 0, unsigned, "offset in the message's units")


class SurfaceMessageHeader(Struct, name="SURFACE_MESSAGE_HEADER", dwords=8, source="003:9497-9511", ignores_rest=True):
    """Header of typed and untyped surface messages."""

    pixel_mask = Field(7, 15, 0, unsigned, "pixels (samples) still alive")
    buffer_base = Field(5, 31, 10, address, "stateless: base, from General State Base")


_NORMAL = When("message_mode NORMAL", lambda s: s.message_mode == MediaMessageMode.NORMAL)
_MASK = When("message_mode PIXEL_MASK", lambda s: s.message_mode == MediaMessageMode.PIXEL_MASK)


class MediaBlockHeader(Struct, name="MEDIA_BLOCK_HEADER", dwords=8, source="003:8706-8790", ignores_rest=True):
    """Header of media block reads and writes (hole P7)."""

    fftid = Field(5, 7, 0, unsigned, "thread")
    color_processing_pointer = Field(3, 31, 5, address, "COLOR_PROCESSING_STATE, from General State Base")
    message_mode = Field(3, 4, 4, enum(MediaMessageMode), "what dword 2 holds")
    message_format = Field(3, 3, 2, enum(MediaMessageFormat), "payload, with color processing")
    area_of_interest = Field(3, 1, 1, flag, "luma counts in the ACE histogram")
    color_processing_enable = Field(3, 0, 0, flag, "write through the color pipe")
    sub_register_offset = Field(2, 28, 24, unsigned, "reads: first byte of the register", legal=(0, 28), when=_NORMAL)
    block_height = Field(2, 21, 16, minus_one, "rows", when=_NORMAL)
    register_pitch_control = Field(2, 9, 8, unsigned, "reads: register pitch, 1 to 4 base pitches", when=_NORMAL)
    block_width = Field(2, 5, 0, minus_one, "bytes; 4 bits on Ivy Bridge, 5 on Bay Trail", when=_NORMAL)
    pixel_mask = Field(2, 31, 0, unsigned, "dwords to write, in subspan order", when=_MASK)
    y = Field(1, 31, 0, signed, "row of the block")
    x = Field(0, 31, 0, signed, "byte column of the block")


class RenderTargetWriteHeader(
    Struct, name="RENDER_TARGET_WRITE_HEADER", dwords=16, source="003:10357-10445", ignores_rest=True
):
    """Header M0 and M1 of a render target write; without it the values of the thread's dispatch apply."""

    fftid = Field(5, 7, 0, unsigned, "thread")
    render_target_index = Field(2, 2, 0, unsigned, "selects the blend state")
    color_calc_state_pointer = Field(1, 31, 6, address, "color calculator state, from General State Base")
    viewport_index = Field(0, 30, 27, unsigned, "viewport")
    array_index = Field(0, 26, 16, unsigned, "slice, depth or face of the render target")
    back_facing = Field(0, 15, 15, flag, "the polygon is back-facing")
    source_depth = Field(0, 13, 13, flag, "the payload holds depth")
    omask = Field(0, 12, 12, flag, "the payload holds a sample mask")
    source0_alpha = Field(0, 11, 11, flag, "the payload holds source 0 alpha")
    sample_pair = Field(0, 8, 6, unsigned, "first sample pair of the dispatch", legal=(0, 3))
    dispatched_mask = Field(15, 31, 16, unsigned, "pixels (samples) the thread was started for")
    pixel_mask = Field(15, 15, 0, unsigned, "pixels (samples) still alive")
    x = Array(10, 15, 0, unsigned, "column of the upper left pixel of subspan 0 to 3", (Axis(4, 32),))
    y = Array(10, 31, 16, unsigned, "row of the upper left pixel of subspan 0 to 3", (Axis(4, 32),))
