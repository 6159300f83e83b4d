"""Every message and every command is executed by a program of ours in a test that is named here, or refused."""

import re
from pathlib import Path

import pytest
from support.programs import BASES, SET_UP, Program, objects

from texsamp.emulator.commands.streamer import HANDLERS
from texsamp.errors import CaptureError
from texsamp.state.data_port import ConstantCacheMessage, DataCacheMessage, RenderCacheMessage, SamplerCacheMessage
from texsamp.state.sampler_messages import BlockMessage, SamplerMessage
from texsamp.state.thread_messages import GatewayFunction, InterpolatorMessage, UrbOpcode

FOLDER = Path(__file__).parent
BLOCKS, MEDIA, UNTYPED, TYPED = "test_data_blocks.py", "test_media_block.py", "test_untyped.py", "test_typed.py"
TEXTURING, URB, ROUTER = "test_texturing.py", "test_urb.py", "test_router.py"
INTERPOLATOR = "test_pixel_interpolator.py"
STREAMER, MEDIA_STATE = "test_streamer.py", "test_media.py"
GATHERS = {
    "GATHER4": "test_gathers", "GATHER4_C": "test_gathers_compare",
    "GATHER4_PO": "test_gathers_with_an_offset_for_every_lane",
    "GATHER4_PO_C": "test_gathers_compare_with_an_offset_for_every_lane",
}  # fmt: skip
MESSAGES = {
    SamplerCacheMessage: {
        "UNALIGNED_OWORD_BLOCK_READ": (BLOCKS, "test_unaligned_reads_count_bytes"),
        "MEDIA_BLOCK_READ": (MEDIA, "test_reads_repeat_the_nearest_pixel"),
    },
    RenderCacheMessage: {
        "MEDIA_BLOCK_READ": (MEDIA, "test_reads_repeat_the_nearest_pixel"),
        "MEDIA_BLOCK_WRITE": (MEDIA, "test_writes_are_clipped_at_the_surface_and_later_threads_win"),
        "TYPED_SURFACE_READ": (TYPED, "test_reads"),
        "TYPED_SURFACE_WRITE": (TYPED, "test_writes_convert_and_go_one_after_the_other"),
        "TYPED_ATOMIC": (TYPED, "test_atomic_additions_happen_in_order"),
        "MEMORY_FENCE": (ROUTER, "test_fences_change_nothing"),
        "RENDER_TARGET_WRITE": ("test_render_target.py", "test_slots_get_what_the_tables_say"),
    },
    ConstantCacheMessage: {
        "OWORD_BLOCK_READ": (BLOCKS, "test_oword_block_reads"),
        "UNALIGNED_OWORD_BLOCK_READ": (BLOCKS, "test_unaligned_reads_count_bytes"),
        "OWORD_DUAL_BLOCK_READ": (BLOCKS, "test_dual_blocks"),
        "DWORD_SCATTERED_READ": (BLOCKS, "test_scattered_dwords"),
    },
    DataCacheMessage: {
        "OWORD_BLOCK_READ": (BLOCKS, "test_oword_block_reads"),
        "UNALIGNED_OWORD_BLOCK_READ": (BLOCKS, "test_unaligned_reads_count_bytes"),
        "OWORD_DUAL_BLOCK_READ": (BLOCKS, "test_dual_blocks"),
        "DWORD_SCATTERED_READ": (BLOCKS, "test_scattered_dwords"),
        "BYTE_SCATTERED_READ": (BLOCKS, "test_scattered_bytes"),
        "UNTYPED_SURFACE_READ": (UNTYPED, "test_reads"),
        "UNTYPED_ATOMIC": (UNTYPED, "test_atomic_operations_happen_in_order"),
        "MEMORY_FENCE": (ROUTER, "test_fences_change_nothing"),
        "OWORD_BLOCK_WRITE": (BLOCKS, "test_writes_drop_what_is_outside_or_disabled"),
        "OWORD_DUAL_BLOCK_WRITE": (BLOCKS, "test_dual_blocks"),
        "DWORD_SCATTERED_WRITE": (BLOCKS, "test_scattered_dwords"),
        "BYTE_SCATTERED_WRITE": (BLOCKS, "test_scattered_bytes"),
        "UNTYPED_SURFACE_WRITE": (UNTYPED, "test_writes_go_one_after_the_other"),
    },
    SamplerMessage: {
        **dict.fromkeys(("SAMPLE", "SAMPLE_B"), (TEXTURING, "test_sample_takes_the_lod_of_four_lanes")),
        **dict.fromkeys(("SAMPLE_L", "SAMPLE_D"), (TEXTURING, "test_sample_at_given_lods_and_gradients")),
        **dict.fromkeys(("SAMPLE_C", "SAMPLE_B_C", "SAMPLE_L_C"), (TEXTURING, "test_comparisons")),
        **{name: (TEXTURING, test) for name, test in GATHERS.items()},
        **dict.fromkeys(("LOD", "RESINFO"), (TEXTURING, "test_what_a_surface_says_about_itself")),
        "LD": (TEXTURING, "test_loads"),
        "SAMPLEINFO": (TEXTURING, "test_sampleinfo_counts_samples"),
        "SAMPLE_KILLPIX": (TEXTURING, "test_chroma_keys_kill_and_replace"),
        "LD_MCS": (TEXTURING, "test_loads_of_the_control_surface"),
        **dict.fromkeys(("LD2DMS", "LD2DSS"), (TEXTURING, "test_loads_by_sample_and_by_slice")),
    },
    BlockMessage: {
        **dict.fromkeys(("SAMPLE_UNORM", "SAMPLE_UNORM_MEDIA"), (TEXTURING, "test_blocks_of_evenly_spaced_texels")),
        "SAMPLE_UNORM_KILLPIX": (TEXTURING, "test_blocks_return_what_is_killed"),
        "SAMPLE_UNORM_KILLPIX_MEDIA": (TEXTURING, "test_blocks_of_evenly_spaced_texels"),
        "SAMPLE_8X8": ("test_sample_8x8.py", "test_blocks_anywhere"),
        "SAMPLE_8X8_PS": "sampler 0x02063000",
        "DEINTERLACE": ("test_deinterlace.py", "test_writebacks"),
        "CACHE_FLUSH": (TEXTURING, "test_a_cache_flush_changes_nothing"),
    },
    UrbOpcode: {
        **dict.fromkeys(
            ("URB_WRITE_HWORD", "URB_WRITE_OWORD", "URB_READ_HWORD", "URB_READ_OWORD"),
            (URB, "test_what_is_written_is_read"),
        ),
        **dict.fromkeys(
            ("URB_ATOMIC_MOV", "URB_ATOMIC_INC"), (URB, "test_atomic_messages_change_one_dword_in_the_order_of_threads")
        ),
    },
    InterpolatorMessage: {
        "PER_MESSAGE_OFFSET": (INTERPOLATOR, "test_an_offset_for_all_slots_counts_from_the_pixel"),
        **dict.fromkeys(("SAMPLE_POSITION", "CENTROID"), (INTERPOLATOR, "test_samples_and_centroids")),
        "PER_SLOT_OFFSET": (INTERPOLATOR, "test_offsets_of_each_slot_are_four_bits_with_a_sign"),
    },
    GatewayFunction: {
        **dict.fromkeys(("OPEN_GATEWAY", "CLOSE_GATEWAY"), (ROUTER, "test_the_gateway_acknowledges_in_one_dword")),
        "BARRIER_MSG": ("test_compute.py", "test_groups_meet_at_their_barrier_and_share_memory"),
        "FORWARD_MSG": ("test_gateway.py", "test_a_thread_writes_a_register_of_another"),
        "GET_TIMESTAMP": ("test_gateway.py", "test_clocks"),
        "UPDATE_GATEWAY_STATE": ("test_router.py", "test_message_errors"),
        "MMIO_READ_WRITE": ("test_gateway.py", "test_registers_are_read_and_written"),
    },
}  # fmt: skip
"""Messages by name: the test that executes them, or the function and descriptor with which they are refused."""
OPERANDS = "test_blitter_operands.py"
COMMANDS = {
    **dict.fromkeys(("StateBaseAddress",), (STREAMER, "test_bases_change_only_where_the_modify_bit_is_set")),
    **dict.fromkeys(
        (
            "MiNoop",
            "StateSip",
            "MediaStateFlush",
            "MiBatchBufferStart",
            "MiBatchBufferEnd",
            "MiFlush",
            "MiUserInterrupt",
            "MiArbCheck",
            "MiArbOnOff",
            "MiSuspendFlush",
            "MiWaitForEvent",
            "MiDisplayFlip",
            "MiClflush",
            "MiUpdateGtt",
        ),
        (STREAMER, "test_commands_without_effect_and_chains"),
    ),
    "MiFlushDw": (STREAMER, "test_flushes_of_the_blitter_write_behind_what_came_before"),
    **dict.fromkeys(
        ("MiLoadRegisterImm", "MiLoadRegisterMem", "MiStoreRegisterMem"),
        (STREAMER, "test_registers_go_to_and_come_from_memory"),
    ),
    "SwTessBaseAddress": ("test_tessellation.py", "test_points_of_software_tessellation_come_from_memory"),
    "MiLoadRegisterReg": (STREAMER, "test_a_register_is_copied_to_another"),
    "MiConditionalBatchBufferEnd": (STREAMER, "test_a_conditional_end_compares_memory"),
    "MiUrbClear": (STREAMER, "test_a_part_of_the_urb_is_cleared"),
    "MiSetContext": ("test_contexts.py", "test_registers_belong_to_their_context"),
    "MiReportPerfCount": (STREAMER, "test_reports_of_performance_counters_have_their_number_and_the_time"),
    "MiSemaphoreMbox": (STREAMER, "test_semaphores"),
    "MiStoreDataIndex": (STREAMER, "test_data_is_stored_into_the_status_page"),
    "MiTopologyFilter": ("test_gpu_draw.py", "test_draws_of_another_topology_than_the_filter_names_are_dropped"),
    "MiStoreDataImm": (STREAMER, "test_data_is_stored_as_one_or_two_dwords"),
    "MiPredicate": (STREAMER, "test_predicate"),
    "PipeControl": (STREAMER, "test_pipe_control_writes_its_immediate"),
    "Primitive": (STREAMER, "test_draws_of_nothing_are_no_draws"),
    "XyColorBlt": ("test_blitter.py", "test_fills_with_every_operation_depth_tiling_mask_and_clip"),
    **dict.fromkeys(
        ("ColorBlt", "SrcCopyBlt"), (OPERANDS, "test_rows_of_memory_are_filled_and_copied_in_both_directions")
    ),
    **dict.fromkeys(
        ("XySetupBlt", "XySetupMonoPatternSlBlt", "XyPixelBlt", "XyScanlinesBlt", "XyTextBlt", "XyTextImmediateBlt"),
        (OPERANDS, "test_what_has_been_set_up_draws_pixels_scan_lines_and_text"),
    ),
    **dict.fromkeys(
        (
            "XyPatBltImmediate",
            "XyPatChromaBlt",
            "XyPatChromaBltImmediate",
            "XyMonoPatBlt",
            "XyMonoPatFixedBlt",
            "XySrcCopyChromaBlt",
            "XyMonoSrcCopyBlt",
            "XyMonoSrcCopyImmediateBlt",
            "XyFullBlt",
            "XyFullImmediatePatternBlt",
            "XyFullMonoSrcBlt",
            "XyFullMonoSrcImmediatePatternBlt",
            "XyFullMonoPatternBlt",
            "XyFullMonoPatternMonoSrcBlt",
        ),
        (OPERANDS, "test_rectangles_of_patterns_and_sources"),
    ),
    "XyPatBlt": ("test_blitter.py", "test_patterns_of_eight_rows_repeat_from_their_seeds"),
    "XySetupClipBlt": ("test_blitter.py", "test_fills_with_every_operation_depth_tiling_mask_and_clip"),
    "XySrcCopyBlt": ("test_blitter.py", "test_copies_of_another_surface_and_of_the_same"),
    "ChromaKey": (TEXTURING, "test_chroma_keys_kill_and_replace"),
    **dict.fromkeys(("PaletteLoad0", "PaletteLoad1"), (TEXTURING, "test_palettes_are_loaded")),
    "MonofilterSize": (TEXTURING, "test_monochrome_filter_has_the_size_that_was_loaded"),
    "PipelineSelect": (MEDIA_STATE, "test_the_pipeline_must_be_set_up"),
    **dict.fromkeys(
        ("MediaVfeState", "MediaCurbeLoad", "MediaInterfaceDescriptorLoad", "MediaObject"),
        (MEDIA_STATE, "test_payload_is_header_constants_inline_and_indirect_data"),
    ),
    "MediaObjectPrt": (MEDIA_STATE, "test_a_persistent_root_thread_is_given_its_twelve_dwords"),
    "MediaObjectWalker": ("test_walker.py", "test_drivers_walks_come_to_every_place_once"),
    "GpgpuWalker": ("test_compute.py", "test_threads_know_their_group_and_have_constants_of_their_own"),
}
"""Commands that have a handler, by class."""
ENTRIES = {(kind.__name__, name): entry for kind, entries in MESSAGES.items() for name, entry in entries.items()}
REFUSED = [name for name, entry in ENTRIES.items() if isinstance(entry, str)]


def _exists(file, test):
    return re.search(rf"^def {test}\(", (FOLDER / file).read_text(), re.MULTILINE)


def test_every_message_of_gen7_is_executed_in_a_test_or_refused():
    for kind, entries in MESSAGES.items():
        wanted = {member.name for member in kind if getattr(member, "since", 7) <= 7}
        assert wanted == set(entries), kind.__name__


def test_every_command_with_a_handler_is_executed_in_a_test():
    assert {kind.__name__ for kind in HANDLERS} == set(COMMANDS)


@pytest.mark.parametrize("name", [*(n for n in ENTRIES if n not in REFUSED), *((n,) for n in COMMANDS)], ids="-".join)
def test_the_named_test_exists(name):
    assert _exists(*(COMMANDS[name[0]] if len(name) == 1 else ENTRIES[name]))


@pytest.mark.parametrize("name", REFUSED, ids="-".join)
def test_the_others_are_refused(name):
    line = f"send (8) null:ud r1.0<8;8,1>:ud {ENTRIES[name]}:ud"
    with pytest.raises(CaptureError, match=r"EU offset 0x0, send .* message .*(not executed|not legal|a header)"):
        Program([*SET_UP, BASES, *objects([[0] * 8])], line).run()
