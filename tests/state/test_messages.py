"""Message descriptors and headers, and the sampler's parameter and length tables."""

import pytest

from texsamp.errors import StateError
from texsamp.state.data_port import (
    DataCacheDescriptor,
    MediaBlockHeader,
    RenderCacheDescriptor,
    RenderTargetWriteHeader,
)
from texsamp.state.gen9 import BindingTableIndex, BindingTableIndexA32, RenderSurfaceStateGen9
from texsamp.state.registry import STRUCTURES
from texsamp.state.render_target import ImageWriteHeader, RenderTargetReadDescriptor, RenderTargetUnormHeader
from texsamp.state.sampler_messages import (
    BlockMessage,
    SamplerMessage,
    SamplerMessageDescriptor,
    SamplerMessageHeader,
    SimdMode,
    message_length,
    response_length,
    sampler_parameters,
)
from texsamp.state.thread_messages import (
    GatewayDescriptor,
    GatewayWriteback,
    InterpolatorDescriptor,
    InterpolatorOffsetsSimd16,
    UrbDescriptor,
)


def test_sampler_descriptor_reads_what_a_driver_sends():
    # sample_8x8 of the Ivy Bridge video kernels: 2 registers, one channel back, sampler 4, surface 0.
    descriptor = SamplerMessageDescriptor.from_dwords([0x044EB400])
    assert descriptor.block_message_type is BlockMessage.SAMPLE_8X8
    assert (descriptor.message_length, descriptor.response_length, descriptor.sampler_index) == (2, 4, 4)
    with pytest.raises(StateError, match=r"message_type .* does not exist here; legal: SIMD4x2, SIMD8, SIMD16"):
        descriptor.message_type  # noqa: B018


def test_later_messages_need_a_later_generation():
    with pytest.raises(StateError, match=r"SAMPLE_LZ \(24\) needs generation 9"):
        SamplerMessageDescriptor(simd_mode="SIMD8", message_type="SAMPLE_LZ")
    assert (
        SamplerMessageDescriptor(generation=9, simd_mode="SIMD8", message_type="SAMPLE_LZ").code("message_type") == 24
    )


def test_sampler_header_fields():
    header = SamplerMessageHeader(masked_channels=[0, 1, 1, 1], u_offset=-1, v_offset=7, gather_channel="BLUE")
    assert header.to_dwords()[2] == 0xE000 | 0xF00 | 0x70 | 2 << 16
    ignored = SamplerMessageHeader.from_dwords([0xFFFFFFFF] * 8)
    assert ignored.to_dwords() == (0xFFFFFFFF,) * 8


def test_every_sampler_message_has_a_parameter_row():
    rows = sampler_parameters()
    assert {row.message for row in rows} == set(SamplerMessage)
    for generation in (7, 9):
        forms = [(row.message, mode) for row in rows for mode in row.simd if row.since <= generation <= row.until]
        assert len(set(forms)) == len(forms) > 50
    ld = next(row for row in rows if row.message is SamplerMessage.LD and SimdMode.SIMD8 in row.simd)
    assert ld.parameters == ("u", "lod", "v", "r")


def test_message_lengths():
    assert message_length(SimdMode.SIMD16, header=True, parameters=5) == 11
    assert message_length(SimdMode.SIMD8, header=False, parameters=10) == 10
    assert message_length(SimdMode.SIMD4X2, header=True, parameters=5) == 3
    assert message_length(SimdMode.SIMD32_64, header=True, parameters=0) == 2
    with pytest.raises(StateError, match=r"SIMD16 with 6 parameters needs 12 registers; legal: 1\.\.11"):
        message_length(SimdMode.SIMD16, header=False, parameters=6)


def test_response_lengths():
    assert response_length(SimdMode.SIMD16, SamplerMessage.SAMPLE, masked_channels=1) == 6
    assert response_length(SimdMode.SIMD8, SamplerMessage.SAMPLE, masked_channels=1) == 4
    assert response_length(SimdMode.SIMD8, SamplerMessage.SAMPLE_KILLPIX) == 5
    assert response_length(SimdMode.SIMD4X2, SamplerMessage.LD) == 1
    assert response_length(SimdMode.SIMD32_64, BlockMessage.SAMPLE_8X8, masked_channels=3) == 4
    assert response_length(SimdMode.SIMD32_64, BlockMessage.SAMPLE_UNORM_KILLPIX, masked_channels=2) == 5
    with pytest.raises(StateError, match="deinterlace"):
        response_length(SimdMode.SIMD32_64, BlockMessage.DEINTERLACE)


def test_render_cache_descriptor_changes_meaning_with_the_message():
    media = RenderCacheDescriptor(message_type="MEDIA_BLOCK_WRITE", override_stride=True, stride=1, stride_offset=1)
    assert media.to_dwords()[0] == 10 << 14 | 7 << 8
    target = RenderCacheDescriptor(message_type="RENDER_TARGET_WRITE", last_render_target=True, rt_message="SIMD8_LO")
    assert target.to_dwords()[0] == 12 << 14 | 1 << 12 | 4 << 8
    with pytest.raises(StateError, match="legal: media_block_read and media_block_write"):
        target.stride  # noqa: B018
    with pytest.raises(StateError, match=r"operation .* out of range"):
        RenderCacheDescriptor(message_type="TYPED_ATOMIC", operation="CMPWR8B")


def test_data_cache_descriptor_has_a_scratch_form():
    scratch = DataCacheDescriptor(scratch=True, scratch_write=True, scratch_size="REGISTERS_4", scratch_offset=0x123)
    assert scratch.to_dwords()[0] == 1 << 18 | 1 << 17 | 3 << 12 | 0x123
    atomic = DataCacheDescriptor(
        message_type="UNTYPED_ATOMIC", return_data=True, operation="ADD", binding_table_index=254
    )
    assert atomic.to_dwords()[0] == 6 << 14 | 1 << 13 | 7 << 8 | 254


def test_media_block_header_forms():
    header = MediaBlockHeader(x=-4, y=2, block_width=16, block_height=8)
    assert header.to_dwords()[:3] == (0xFFFFFFFC, 2, 0x7000F)
    mask = MediaBlockHeader(message_mode="PIXEL_MASK", pixel_mask=0xF0F0F0F0, color_processing_pointer=0x1000)
    assert mask.to_dwords()[2:4] == (0xF0F0F0F0, 0x1010)


def test_render_target_header_subspans():
    header = RenderTargetWriteHeader(x=(1, 3, 5, 7), y=(2, 4, 6, 8), pixel_mask=0xFFFF)
    assert header.to_dwords()[10:] == (0x20001, 0x40003, 0x60005, 0x80007, 0, 0xFFFF)


def test_image_write_header_places_eight_pixels():
    header = ImageWriteHeader(x=range(8), y=range(8, 16), pixel_mask=0x81, array_index=3)
    assert header.to_dwords()[8:] == tuple((8 + i) << 16 | i for i in range(8))
    assert header.to_dwords()[0] == 3 << 16 | 0x81
    assert RenderTargetReadDescriptor(slot_group=1, message="SIMD8_LO", binding_table_index=4).to_dwords() == (0x904,)
    assert RenderTargetUnormHeader(x=8, y=-4, pixel_mask=0xF).to_dwords()[:3] == (8, 0xFFFFFFFC, 0xF)


def test_thread_message_descriptors():
    assert UrbDescriptor(swizzle="INTERLEAVED", global_offset=3).to_dwords()[0] == 1 << 19 | 1 << 14 | 3 << 3
    with pytest.raises(StateError, match="header_present"):
        UrbDescriptor(header_present=False)
    assert GatewayDescriptor(function="BARRIER_MSG").to_dwords() == (4,)
    assert InterpolatorDescriptor(x_offset=-8, y_offset=7).to_dwords()[0] == 0x78
    offsets = InterpolatorOffsetsSimd16(x=range(-8, 8), y=[-1] * 16)
    assert offsets.to_dwords()[:9] == (8, 9, 10, 11, 12, 13, 14, 15, 0)
    assert set(offsets.to_dwords()[16:]) == {15}
    assert GatewayWriteback.from_dwords([0xFFF3FFFD]).error.name == "OPCODE_ERROR"
    assert InterpolatorDescriptor(message_type="SAMPLE_POSITION", sample_index=5).to_dwords()[0] == 1 << 12 | 0x50


def test_gen9_binding_table_indices():
    assert BindingTableIndexA32(binding_table_index=0xFD).generation == 9
    for index in (0xF0, 0xFD, 0xFF):
        with pytest.raises(StateError, match=r"MDC_BTS\w*\.binding_table_index"):
            BindingTableIndex(binding_table_index=index)


def test_gen9_surface_tail_depends_on_the_format_and_compression():
    planar = RenderSurfaceStateGen9(format=0x1A5, separate_uv_planes=True, y_offset_v=8)
    assert planar.to_dwords()[6] == 1 << 31
    assert planar.to_dwords()[11] == 8
    plain = RenderSurfaceStateGen9(auxiliary_mode="AUX_CCS_E", auxiliary_address=0x1_0000_2000, quilt_width=4)
    assert plain.to_dwords()[10:12] == (0x2003, 1)
    with pytest.raises(StateError, match=r"auxiliary_address .* memory_compression_enable clear"):
        RenderSurfaceStateGen9(memory_compression_enable=True, auxiliary_address=0x1000)


def test_structures_know_their_generation():
    assert STRUCTURES["SAMPLER_BORDER_COLOR_STATE_GEN6"]().generation == 6
    assert STRUCTURES["SAMPLER_STATE_GEN9"]().generation == 9
