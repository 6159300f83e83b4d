"""Messages of the sampling engine: descriptor, header, opcodes and parameters (seed 003:4425-5052)."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from texsamp.errors import StateError
from texsamp.state.base import Array, Field, Struct
from texsamp.state.fields import Axis, Row, When
from texsamp.state.kinds import Codes, address, enum, flag, float32, signed, unsigned

MAX_MESSAGE_LENGTH = 11
"""Registers a sampler message may have (seed 003:4540)."""


class SimdMode(Codes):
    """SIMD mode of a sampler message."""

    SIMD4X2 = 0
    SIMD8 = 1
    SIMD16 = 2
    SIMD32_64 = 3


class SamplerMessage(Codes):
    """Message types in SIMD4x2, SIMD8 and SIMD16."""

    SAMPLE = 0x00
    SAMPLE_B = 0x01
    SAMPLE_L = 0x02
    SAMPLE_C = 0x03
    SAMPLE_D = 0x04
    SAMPLE_B_C = 0x05
    SAMPLE_L_C = 0x06
    LD = 0x07
    GATHER4 = 0x08
    LOD = 0x09
    RESINFO = 0x0A
    SAMPLEINFO = 0x0B
    SAMPLE_KILLPIX = 0x0C
    GATHER4_C = 0x10
    GATHER4_PO = 0x11
    GATHER4_PO_C = 0x12
    SAMPLE_D_C = 0x14, "", 7.5
    SAMPLE_MIN = 0x16, "", 9
    SAMPLE_MAX = 0x17, "", 9
    SAMPLE_LZ = 0x18, "", 9
    SAMPLE_C_LZ = 0x19, "", 9
    LD_LZ = 0x1A, "", 9
    LD2DMS_W = 0x1C, "", 9
    LD_MCS = 0x1D
    LD2DMS = 0x1E
    LD2DSS = 0x1F


class BlockMessage(Codes):
    """Message types in SIMD32/64: one header's worth of parameters for a block of pixels."""

    SAMPLE_UNORM = 0x00, "8x4 block, pixel shader payload"
    SAMPLE_UNORM_KILLPIX = 0x02, "pixel shader payload"
    SAMPLE_8X8_PS = 0x03, "16x4 block, pixel shader payload"
    DEINTERLACE = 0x08
    SAMPLE_UNORM_KILLPIX_MEDIA = 0x0A, "media payload"
    SAMPLE_8X8 = 0x0B, "16x4 block, media payload"
    SAMPLE_UNORM_MEDIA = 0x0C, "media payload"
    CACHE_FLUSH = 0x1F


class OutputFormat(Codes):
    """Writeback of SIMD32/64 messages before Gen7; Gen7 always returns 16 bits per channel."""

    FULL_16 = 0
    CHROMA_DOWNSAMPLED_16 = 1
    FULL_8 = 2
    CHROMA_DOWNSAMPLED_8 = 3


class GatherChannel(Codes):
    """Surface channel of gather4 messages."""

    RED = 0
    GREEN = 1
    BLUE = 2
    ALPHA = 3


_BLOCK = When("SIMD32/64", lambda s: s.simd_mode == SimdMode.SIMD32_64)
_PIXELS = When("SIMD4x2, SIMD8, SIMD16", lambda s: s.simd_mode != SimdMode.SIMD32_64)


class MessageDescriptor(Struct):
    """Rows every message descriptor has: the lengths, in registers, that the send instruction carries."""

    message_length = Field(0, 28, 25, unsigned, "registers sent")
    response_length = Field(0, 24, 20, unsigned, "registers returned")


class SamplerMessageDescriptor(MessageDescriptor, name="SAMPLER_MESSAGE_DESCRIPTOR", dwords=1, source="003:4443-4468"):
    """Descriptor of a message to the sampling engine."""

    header_present = Field(0, 19, 19, flag, "the first register is the header")
    simd_mode = Field(0, 18, 17, enum(SimdMode), "SIMD mode")
    message_type = Field(0, 16, 12, enum(SamplerMessage), "message type", when=_PIXELS)
    block_message_type = Field(0, 16, 12, enum(BlockMessage), "message type", when=_BLOCK)
    sampler_index = Field(0, 11, 8, unsigned, "16-byte unit of the sampler table; sample_8x8: 4n, deinterlace: 2n")
    binding_table_index = Field(0, 7, 0, unsigned, "surface")


class SamplerMessageHeader(Struct, name="SAMPLER_MESSAGE_HEADER", dwords=8, source="003:4472-4530", ignores_rest=True):
    """Optional header M0 of a sampler message (hole S24: bit 16 is the gather channel or force LOD to zero)."""

    sampler_state_pointer = Field(3, 31, 5, address, "sampler table, from Dynamic State Base (hole S25)")
    output_format = Field(2, 19, 18, enum(OutputFormat), "SIMD32/64 writeback; ignored since Gen7")
    gather_channel = Field(2, 17, 16, enum(GatherChannel), "gather4: channel; other messages: bit 16 forces LOD 0")
    masked_channels = Array(2, 12, 12, flag, "red, green, blue, alpha is not returned", (Axis(4, 1),))
    u_offset = Field(2, 11, 8, signed, "texel offset of u")
    v_offset = Field(2, 7, 4, signed, "texel offset of v")
    r_offset = Field(2, 3, 0, signed, "texel offset of r")


class MediaSamplePayload(Struct, name="SAMPLER_MEDIA_PAYLOAD", dwords=8, source="003:4996-5052", ignores_rest=True):
    """Payload M1 of sample_8x8 and sample_unorm with media payload."""

    group_id = Field(7, 31, 0, unsigned, "group of messages sharing a cache line walk")
    ddu = Field(6, 31, 0, float32, "second derivative of U")
    dv = Field(5, 31, 0, float32, "step of V per row")
    du = Field(4, 31, 0, float32, "step of U per pixel")
    v = Field(3, 31, 0, float32, "V of the first pixel")
    u = Field(2, 31, 0, float32, "U of the first pixel")
    vertical_block = Field(1, 31, 0, unsigned, "which 16x4 block of the column: rows start at 4n (hole A8)")


class PixelShaderSamplePayload(
    Struct, name="SAMPLER_PIXEL_SHADER_PAYLOAD", dwords=8, source="003:4958-4994", ignores_rest=True
):
    """Payload M1 of SIMD32/64 messages with pixel shader payload: where setup leaves the coefficients of U and V."""

    v = Field(6, 31, 0, float32, "V of the first pixel; deinterlace: an integer")
    dv = Field(5, 31, 0, float32, "step of V per row")
    u = Field(2, 31, 0, float32, "U of the first pixel; deinterlace: an integer")
    ddu = Field(1, 31, 0, float32, "second derivative of U")
    du = Field(0, 31, 0, float32, "step of U per pixel")


@dataclass(frozen=True, slots=True)
class SamplerParameters:
    """Parameters of one message type in one group of SIMD modes and of generations, in payload order."""

    message: SamplerMessage
    simd: tuple[SimdMode, ...]
    parameters: tuple[str, ...]
    since: float
    until: float


@cache
def sampler_parameters() -> tuple[SamplerParameters, ...]:
    """Return the parameter tables (seed 003:4563-4620) in the manual's order; starred forms are generation 9's."""
    with files("texsamp.state").joinpath("data", "sampler_parameters.csv").open(encoding="utf-8") as file:
        return tuple(
            SamplerParameters(
                SamplerMessage[row["message"]],
                tuple(SimdMode[mode] for mode in row["simd"].split()),
                tuple(row["parameters"].split()),
                float(row["since"] or 0),
                float(row["until"] or Row.FOREVER),
            )
            for row in csv.DictReader(file)
        )


def message_length(simd: SimdMode, *, header: bool, parameters: int) -> int:
    """Registers of a message with `parameters` parameters; StateError beyond `MAX_MESSAGE_LENGTH`."""
    per_parameter = {SimdMode.SIMD8: parameters, SimdMode.SIMD16: 2 * parameters, SimdMode.SIMD4X2: -(-parameters // 4)}
    length = header + per_parameter.get(simd, 1)
    if length > MAX_MESSAGE_LENGTH:
        raise StateError(
            f"SAMPLER_MESSAGE_DESCRIPTOR.message_length: {simd.name} with {parameters} parameters needs {length} "
            f"registers; legal: 1..{MAX_MESSAGE_LENGTH}"
        )
    return length


def response_length(simd: SimdMode, message: SamplerMessage | BlockMessage, masked_channels: int = 0) -> int:
    """Registers a message returns; deinterlace is not here, its length depends on the state (seed 003:5794)."""
    if isinstance(message, BlockMessage):
        if message is BlockMessage.DEINTERLACE:
            raise StateError("the response length of deinterlace depends on DEINTERLACE_SAMPLER_STATE")
        full, per_channel = _BLOCK_RESPONSES[message]
        return full - per_channel * masked_channels
    if simd == SimdMode.SIMD16:
        return 8 - 2 * masked_channels
    if simd == SimdMode.SIMD8:
        return 5 if message is SamplerMessage.SAMPLE_KILLPIX else 4
    return 1


_BLOCK_RESPONSES = {
    BlockMessage.SAMPLE_UNORM: (8, 2),
    BlockMessage.SAMPLE_UNORM_MEDIA: (8, 2),
    BlockMessage.SAMPLE_UNORM_KILLPIX: (9, 2),
    BlockMessage.SAMPLE_UNORM_KILLPIX_MEDIA: (9, 2),
    BlockMessage.SAMPLE_8X8: (16, 4),
    BlockMessage.SAMPLE_8X8_PS: (16, 4),
    BlockMessage.CACHE_FLUSH: (1, 0),
}
