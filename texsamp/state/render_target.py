"""Render target messages that only seed 002 describes (7565-8019): reading, UNORM rectangles, image writes."""

from texsamp.state.base import Array, Field, Struct
from texsamp.state.fields import Axis
from texsamp.state.kinds import Codes, address, enum, signed, unsigned
from texsamp.state.sampler_messages import MessageDescriptor


class RenderTargetReadMessage(Codes):
    """Forms of the render target read."""

    SIMD16 = 0
    SIMD8_LO = 1


class RenderTargetReadDescriptor(
    MessageDescriptor, name="RENDER_TARGET_READ_DESCRIPTOR", dwords=1, source="002:7570-7600", ignores_rest=True
):
    """Message specific bits of a render target read."""

    slot_group = Field(0, 11, 11, unsigned, "0: slots 15:0, 1: 31:16")
    message = Field(0, 8, 8, enum(RenderTargetReadMessage), "form of the read")
    binding_table_index = Field(0, 7, 0, unsigned, "render target")


class RenderTargetUnormHeader(
    Struct, name="RENDER_TARGET_UNORM_HEADER", dwords=8, source="002:7600-7650", ignores_rest=True
):
    """Header of a message for an 8x4 rectangle of 32-bit pixels."""

    dispatch_id = Field(5, 7, 0, unsigned, "thread")
    pixel_mask = Field(2, 31, 0, unsigned, "pixels to write, in subspan order; reads return all")
    y = Field(1, 31, 0, signed, "first row, a multiple of 4")
    x = Field(0, 31, 0, signed, "first column, a multiple of 8")


class ImageWriteHeader(Struct, name="SIMD8_IMAGE_WRITE_HEADER", dwords=16, source="002:7850-8019", ignores_rest=True):
    """Header M0 and M1 of SIMD8_IMAGE_WRITE: eight pixels anywhere."""

    fftid = Field(5, 7, 0, unsigned, "thread")
    render_target_index = Field(2, 2, 0, unsigned, "selects the blend state")
    color_calc_state_pointer = Field(1, 31, 6, address, "color calculator state, from General State Base")
    viewport_index = Field(0, 30, 27, unsigned, "ignored by this message")
    array_index = Field(0, 26, 16, unsigned, "slice, depth or face")
    pixel_mask = Field(0, 7, 0, unsigned, "pixels to write")
    x = Array(8, 15, 0, unsigned, "columns", (Axis(8, 32),))
    y = Array(8, 31, 16, unsigned, "rows", (Axis(8, 32),))
