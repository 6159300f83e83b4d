"""URB, message gateway and pixel interpolator messages, and the thread header (seed 002:8435-10555)."""

from texsamp.state.base import Array, Field, Struct
from texsamp.state.fields import Axis, When
from texsamp.state.kinds import Codes, address, enum, flag, signed, unsigned
from texsamp.state.sampler_messages import MessageDescriptor


class UrbOpcode(Codes):
    """URB messages."""

    URB_WRITE_HWORD = 0
    URB_WRITE_OWORD = 1
    URB_READ_HWORD = 2
    URB_READ_OWORD = 3
    URB_ATOMIC_MOV = 4
    URB_ATOMIC_INC = 5


class UrbSwizzle(Codes):
    """Whether one or two URB entries are accessed."""

    NOSWIZZLE = 0
    INTERLEAVED = 1, "lower half handle 0, upper half handle 1"


class GatewayFunction(Codes):
    """Message gateway sub-functions."""

    OPEN_GATEWAY = 0
    CLOSE_GATEWAY = 1
    FORWARD_MSG = 2
    GET_TIMESTAMP = 3
    BARRIER_MSG = 4
    UPDATE_GATEWAY_STATE = 5
    MMIO_READ_WRITE = 6


class GatewayNotify(Codes):
    """Notification counter a forwarded message increments."""

    NONE = 0
    N0 = 1
    N2 = 2


class InterpolationMode(Codes):
    """Barycentric coordinates wanted."""

    PERSPECTIVE = 0
    LINEAR = 1


class InterpolatorMessage(Codes):
    """Pixel interpolator messages."""

    PER_MESSAGE_OFFSET = 0
    SAMPLE_POSITION = 1
    CENTROID = 2
    PER_SLOT_OFFSET = 3


class UrbDescriptor(
    MessageDescriptor, name="URB_MESSAGE_DESCRIPTOR", dwords=1, source="002:9348-9406", ignores_rest=True
):
    """Descriptor of a URB message."""

    header_present = Field(0, 19, 19, flag, "must be set", True, legal=frozenset({True}))
    per_slot_offset = Field(0, 16, 16, flag, "add the header's slot offsets")
    complete = Field(0, 15, 15, flag, "reads: the entry may be freed")
    swizzle = Field(0, 14, 14, enum(UrbSwizzle), "entries accessed")
    global_offset = Field(0, 13, 3, unsigned, "offset: 256-bit units, OWORD messages 128-bit, atomics 32-bit")
    opcode = Field(0, 2, 0, enum(UrbOpcode), "message")


class UrbHeader(Struct, name="URB_MESSAGE_HEADER", dwords=8, source="002:9408-9521", ignores_rest=True):
    """Header of a URB message."""

    high_oword = Field(5, 16, 16, flag, "OWORD messages without swizzle: the high half of the register")
    channel_mask = Array(5, 8, 8, flag, "dword 0 to 7 of each register is transferred", (Axis(8, 1),))
    slot_offset_1 = Field(4, 31, 0, unsigned, "per-slot offset of handle 1")
    slot_offset_0 = Field(3, 31, 0, unsigned, "per-slot offset of handle 0")
    gs_vertices = Array(2, 15, 0, unsigned, "geometry shader, end of thread: vertices of slot 0 and 1", (Axis(2, 16),))
    handle_id_1 = Field(1, 31, 16, unsigned, "fixed function entry of handle 1")
    handle_1 = Field(1, 15, 0, unsigned, "URB handle 1, 512-bit units")
    handle_id_0 = Field(0, 31, 16, unsigned, "fixed function entry of handle 0")
    handle_0 = Field(0, 15, 0, unsigned, "URB handle 0, 512-bit units")


class GatewayDescriptor(MessageDescriptor, name="GATEWAY_MESSAGE_DESCRIPTOR", dwords=1, source="002:10376-10423"):
    """Descriptor of a message gateway message."""

    notify = Field(0, 16, 15, enum(GatewayNotify), "ForwardMsg: notification counter")
    acknowledge = Field(0, 14, 14, flag, "an error code is written back")
    function = Field(0, 2, 0, enum(GatewayFunction), "sub-function")


class OpenGatewayPayload(Struct, name="OPEN_GATEWAY_PAYLOAD", dwords=8, source="002:10437-10510", ignores_rest=True):
    """Payload of OpenGateway."""

    register_base = Field(5, 28, 21, unsigned, "first register others may write", legal=(0, 127))
    gateway_size = Field(5, 10, 8, unsigned, "2 ** n registers")
    dispatch_id = Field(5, 7, 0, unsigned, "thread, with EOT")


class CloseGatewayPayload(Struct, name="CLOSE_GATEWAY_PAYLOAD", dwords=8, source="002:10533-10555", ignores_rest=True):
    """Payload of CloseGateway."""

    dispatch_id = Field(5, 7, 0, unsigned, "thread, with EOT")


class BarrierPayload(Struct, name="BARRIER_PAYLOAD", dwords=8, source="002:10376", ignores_rest=True):
    """Payload of BarrierMsg (volume 4 part 2, page 14)."""

    barrier_id = Field(2, 27, 24, unsigned, "barrier, as in R0.2")
    count_enable = Field(2, 15, 15, flag, "the count is the message's, not the group's")
    count = Field(2, 14, 9, unsigned, "threads that meet")


class ForwardLength(Codes):
    """Data of a forwarded message; other codes are answered with INVALID_SIZE."""

    BYTE = 0
    WORD = 1
    DWORD = 2
    TWO_DWORDS = 3
    FOUR_DWORDS = 4


class ForwardPayload(Struct, name="FORWARD_PAYLOAD", dwords=8, source="002:10376", ignores_rest=True):
    """Payload of ForwardMsg (volume 4 part 2, pages 9-11); the length is one of ForwardLength."""

    register_offset = Field(5, 28, 21, unsigned, "register, from the gateway's first one", legal=(0, 127))
    dword_offset = Field(5, 20, 18, unsigned, "dword of the register")
    byte_offset = Field(5, 17, 16, unsigned, "byte of the dword")
    length = Field(5, 10, 8, unsigned, "data")
    unit = Field(4, 27, 24, unsigned, "execution unit of the recipient (EUID)")
    thread = Field(4, 18, 16, unsigned, "thread of the execution unit (TID)")
    data = Array(0, 31, 0, unsigned, "data", (Axis(4, 32),))


class TimestampPayload(Struct, name="GET_TIMESTAMP_PAYLOAD", dwords=8, source="002:10376", ignores_rest=True):
    """Payload of GetTimeStamp (volume 4 part 2, page 12)."""

    high_half = Field(5, 31, 31, flag, "the answer is the register's upper half")


class MmioPayload(Struct, name="MMIO_PAYLOAD", dwords=8, source="002:10376", ignores_rest=True):
    """Payload of MMIOReadWrite (volume 4 part 2, page 15)."""

    write = Field(3, 0, 0, flag, "write, not read")
    register_offset = Field(2, 22, 2, address, "register")
    data = Field(0, 31, 0, unsigned, "what is written")


class GatewayError(Codes):
    """Outcome of a gateway message."""

    SUCCESSFUL = 0
    BARRIER_INACTIVE = 1
    GATEWAY_CLOSED = 2
    OPCODE_ERROR = 5
    INVALID_SIZE = 6


class SpawnerOpcode(Codes):
    """What a spawner message asks for."""

    DEREFERENCE = 0, "also the end of a thread"
    SPAWN = 1


class SpawnerRequester(Codes):
    """Which kind of thread a spawner message comes from."""

    ROOT = 0
    CHILD = 1


class SpawnerDescriptor(MessageDescriptor, name="SPAWNER_MESSAGE_DESCRIPTOR", dwords=1, source="003:215"):
    """Descriptor of a thread spawner message (volume 2 part 2, pages 48-49)."""

    resource_select = Field(0, 4, 4, flag, "spawn: a root, not a child; dereference: the URB handle is kept")
    requester = Field(0, 1, 1, enum(SpawnerRequester), "kind of thread")
    opcode = Field(0, 0, 0, enum(SpawnerOpcode), "operation")


class SpawnerPayload(Struct, name="SPAWNER_PAYLOAD", dwords=8, source="003:215", ignores_rest=True):
    """Payload of a thread spawner message (volume 2 part 2, pages 49-50)."""

    fftid = Field(5, 7, 0, unsigned, "fixed function thread, where a resource is dereferenced")
    urb_length = Field(4, 15, 10, unsigned, "registers of the payload")
    urb_offset = Field(4, 9, 0, unsigned, "where it begins behind the handle, 256-bit units")
    barrier_id = Field(2, 27, 24, unsigned, "barrier")
    interface_descriptor = Field(2, 9, 4, unsigned, "descriptor")
    scoreboard_color = Field(2, 3, 0, unsigned, "color in the scoreboard")
    shared_memory_index = Field(0, 27, 24, unsigned, "shared local memory, 4 KB units")
    urb_handle = Field(0, 15, 0, unsigned, "URB handle, 512-bit units")


class GatewayWriteback(Struct, name="GATEWAY_WRITEBACK", dwords=1, source="002:10510-10531", ignores_rest=True):
    """The one dword an acknowledged gateway message writes."""

    shared_function = Field(0, 19, 16, unsigned, "shared function number of the gateway", 3)
    error = Field(0, 2, 0, enum(GatewayError), "outcome")


_PER_MESSAGE = When("per message offset", lambda s: s.message_type == InterpolatorMessage.PER_MESSAGE_OFFSET)
_SAMPLE = When("sample position", lambda s: s.message_type == InterpolatorMessage.SAMPLE_POSITION)


class InterpolatorDescriptor(
    MessageDescriptor, name="PIXEL_INTERPOLATOR_DESCRIPTOR", dwords=1, source="002:8455-8560", ignores_rest=True
):
    """Descriptor of a pixel interpolator message."""

    header_present = Field(0, 19, 19, flag, "must be clear", legal=frozenset({False}))
    simd16 = Field(0, 16, 16, flag, "SIMD16, not SIMD8")
    interpolation = Field(0, 14, 14, enum(InterpolationMode), "coordinates")
    message_type = Field(0, 13, 12, enum(InterpolatorMessage), "message")
    slot_group = Field(0, 11, 11, unsigned, "0: slots 15:0, 1: 31:16")
    y_offset = Field(0, 7, 4, signed, "1/16 pixel", when=_PER_MESSAGE)
    x_offset = Field(0, 3, 0, signed, "1/16 pixel", when=_PER_MESSAGE)
    sample_index = Field(0, 7, 4, unsigned, "sample", legal=(0, 7), when=_SAMPLE)


class InterpolatorOffsetsSimd8(
    Struct, name="PIXEL_INTERPOLATOR_OFFSETS_SIMD8", dwords=16, source="002:8570-8700", ignores_rest=True
):
    """Payload of a SIMD8 per slot offset message, 1/16 pixel."""

    x = Array(0, 3, 0, signed, "slot 0 to 7", (Axis(8, 32),))
    y = Array(8, 3, 0, signed, "slot 0 to 7", (Axis(8, 32),))


class InterpolatorOffsetsSimd16(
    Struct, name="PIXEL_INTERPOLATOR_OFFSETS_SIMD16", dwords=32, source="002:8700-8900", ignores_rest=True
):
    """Payload of a SIMD16 per slot offset message, 1/16 pixel."""

    x = Array(0, 3, 0, signed, "slot 0 to 15", (Axis(16, 32),))
    y = Array(16, 3, 0, signed, "slot 0 to 15", (Axis(16, 32),))


class ThreadHeader(Struct, name="THREAD_HEADER", dwords=8, source="003:4472-4530", ignores_rest=True):
    """R0 of a media thread: what kernels pass on as message header."""

    thread_id = Field(6, 23, 0, unsigned, "thread")
    scratch_offset = Field(5, 31, 10, address, "scratch space, from General State Base")
    fftid = Field(5, 7, 0, unsigned, "fixed function thread")
    binding_table_pointer = Field(4, 31, 5, address, "binding table, from Surface State Base")
    sampler_state_pointer = Field(3, 31, 5, address, "sampler table, from Dynamic State Base")
    per_thread_scratch = Field(3, 3, 0, unsigned, "2 ** n KB", legal=(0, 11))
    scoreboard_color = Field(2, 3, 0, unsigned, "color in the scoreboard")
    scoreboard_y = Field(1, 24, 16, unsigned, "row in the scoreboard")
    scoreboard_x = Field(1, 8, 0, unsigned, "column in the scoreboard")
