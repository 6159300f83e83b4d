"""Defaults and bit places of the bigger states against the dwords the manual prints and drivers write."""

import numpy as np
import pytest

from texsamp.errors import StateError
from texsamp.state import (
    BindingTableState,
    ColorProcessingState,
    DeinterlaceSamplerState,
    RenderSurfaceState,
    SamplerState,
    SurfaceType,
    preset,
    preset_names,
    presets,
)
from texsamp.state.registry import STRUCTURES

# Seed 003:7119-8116: the printed default dwords of the seven parts.
PRINTED_COLOR_DWORDS = {
    0: 0x9A6E39F0, 3: 0xFE2F2E00, 7: 0x8285ECEC, 15: 0x0, 29: 0x68, 30: 0x4C382410, 31: 0x9C887460, 32: 0xEBD8C4B0,
    33: 0x604C3824, 34: 0xB09C8874, 35: 0xD8C4, 42: 0xDCDCDC00, 43: 0xDCDCDC00, 44: 0x1E34CC91, 45: 0x3E3CCE91,
    46: 0x02E80195, 47: 0x0197046B, 48: 0x01790174, 49: 0x00096000, 50: 0, 51: 0x03030000, 52: 0x009201C0,
    54: 0x01000000, 55: 0x00002000, 56: 0, 57: 0x400, 58: 0, 60: 0, 61: 0, 62: 0, 64: 0x0CD2911F, 65: 0x30000334,
    66: 0x8A800000,
}  # fmt: skip


def test_color_processing_defaults_are_the_printed_dwords():
    dwords = ColorProcessingState().to_dwords()
    printed = {i: value for i, value in PRINTED_COLOR_DWORDS.items() if i != 15}
    assert {i: dwords[i] for i in printed} == printed


def test_color_processing_defaults_the_manual_gives_in_words_only():
    state = ColorProcessingState()
    assert (state.cos_alpha, state.sin_alpha, state.diamond_alpha) == (79 / 128, 101 / 128, 100 / 64)
    assert state.upper_slopes == (1.0, 113 / 256, -179 / 256, 0.0)
    assert (state.contrast, state.csc_coefficients) == (1.0, (1, 0, 0, 0, 1, 0, 0, 0, 1))


@pytest.mark.parametrize("skin", [0, 1])
@pytest.mark.parametrize(("curve", "maximum"), [("sat", 31), ("hue", 14)])
def test_default_skin_curves_are_continuous(curve, maximum, skin):
    state = ColorProcessingState()
    points = (-maximum, *getattr(state, f"{curve}_points")[skin])
    biases = (-maximum, *getattr(state, f"{curve}_biases")[skin])
    slopes = getattr(state, f"{curve}_slopes")[skin]
    for i in range(3):
        assert biases[i] + slopes[i] * (points[i + 1] - points[i]) == pytest.approx(biases[i + 1], abs=0.06)


def test_skin_curve_rows_repeat_seven_dwords_later():
    state = ColorProcessingState(sat_points=((1, 2, 3), (4, 5, 6)), hue_slopes=((0, 0, 0, 0), (0, 0, 0, 7)))
    dwords = state.to_dwords()
    assert dwords[15] & 0x1FFFFF == 1 | 2 << 7 | 3 << 14
    assert dwords[22] & 0x1FFFFF == 4 | 5 << 7 | 6 << 14
    assert dwords[28] == 7 * 256 << 11
    assert dwords[21] == 0


def test_total_color_control_and_matrix_rows_sit_at_the_printed_bits():
    state = ColorProcessingState(
        sat_factors=[1 / 128, 2 / 128, 3 / 128, 4 / 128, 5 / 128, 6 / 128], csc_coefficients=np.arange(9) / 1024
    )
    dwords = state.to_dwords()
    assert dwords[42:44] == (0x03020100, 0x06050400)
    assert dwords[55] == 1 << 16
    assert dwords[56:60] == (3 << 13 | 2, 5 << 13 | 4, 7 << 13 | 6, 8)


def test_deinterlace_driver_presets_are_the_dwords_in_driver_command_buffers():
    # Dword 6 carries the picture's field order and mode, dword 7 31:23 its width.
    assert preset(DeinterlaceSamplerState, "i965").to_dwords() == (
        0x8CC00726, 0x00004126, 0x0C950114, 0x407D1E96, 0x76D56405, 0x326425AF, 0x10640212, 0x005064A5,
    )  # fmt: skip
    assert preset(DeinterlaceSamplerState, "i965-dn").to_dwords() == (
        0x00800800, 0x10080040, 0x0495010F, 0x40000280, 0x00078008, 0x00000000, 0x20202079, 0x005166A5,
    )  # fmt: skip


def test_deinterlace_limits():
    for values in ({"max_history": 127}, {"asd_threshold": 64}, {"moving_pixel_threshold": 17}, {"stmm_shift_up": 3}):
        with pytest.raises(StateError, match=r"DEINTERLACE_SAMPLER_STATE\.\w+ \(DW\d \d+:\d+\)"):
            DeinterlaceSamplerState(**values)
    assert DeinterlaceSamplerState(stmm_shift_down=3).stmm_shift_down.note.endswith("acts as shift 4")
    assert DeinterlaceSamplerState(stmm_c2=8).code("stmm_c2") == 7


def test_every_preset_builds_a_legal_state_and_names_its_sources():
    assert {name for name, _ in presets()} == {
        "DEINTERLACE_SAMPLER_STATE",
        "SAMPLER_STATE_8x8",
        "SAMPLER_8x8_STATE",
        "COLOR_PROCESSING_STATE",
    }
    for (name, preset_name), fields in presets().items():
        structure = STRUCTURES[name]
        state = preset(structure, preset_name)
        assert structure.unpack(state.pack()) == state
        assert all(entry.source for entry in fields.values())
    assert preset_names(DeinterlaceSamplerState) == ("doc", "i965", "i965-dn", "hsw", "ihd")


def test_preset_with_fields_over_it_and_unknown_presets():
    assert preset(DeinterlaceSamplerState, "hsw", dn_enable=True).dn_enable
    with pytest.raises(StateError, match="DEINTERLACE_SAMPLER_STATE has no preset 'x'; presets: doc, i965"):
        preset(DeinterlaceSamplerState, "x")
    with pytest.raises(StateError, match="presets: none"):
        preset(BindingTableState, "doc")


def test_render_surface_places_the_parts_of_a_buffer_size():
    entries = 0x0ABCDEF1
    state = RenderSurfaceState(surface_type="SURFTYPE_BUFFER", format="RAW", entries=entries, pitch=1)
    dwords, code = state.to_dwords(), entries - 1
    assert dwords[2] == (code >> 7 & 0x3FFF) << 16 | code & 0x7F
    assert dwords[3] == code >> 21 << 21
    assert RenderSurfaceState.from_dwords(dwords).entries == entries
    with pytest.raises(StateError, match=r"width \(DW2 13:0\): does not exist here; legal: not SURFTYPE_BUFFER"):
        RenderSurfaceState(surface_type="SURFTYPE_BUFFER", width=4)


def test_render_surface_reads_the_dwords_of_a_driver():
    state = RenderSurfaceState.from_dwords((0x24206000, 0x172B000, 0x8F0057, 0x17F, 0, 0, 0, 0))
    assert (state.surface_type, state.format.name, state.tiled, state.tile_walk.name) == (
        SurfaceType.SURFTYPE_2D,
        "R8G8_SINT",
        True,
        "YMAJOR",
    )
    assert (state.width, state.height, state.pitch, state.base_address) == (88, 144, 384, 0x172B000)


def test_render_surface_dword_6_has_three_meanings():
    assert RenderSurfaceState(format="PLANAR_420_8", x_offset_uv=2, y_offset_uv=4).to_dwords()[6] == 0x20004
    mcs = RenderSurfaceState(format="R8_UNORM", mcs_enable=True, mcs_base_address=0x5000, mcs_pitch=3)
    assert mcs.to_dwords()[6] == 0x5000 | 2 << 3 | 1
    counter = RenderSurfaceState(format="R8_UNORM", append_counter_address=0x40, append_counter_enable=True)
    assert counter.to_dwords()[6] == 0x42
    with pytest.raises(StateError, match="mcs_enable set"):
        RenderSurfaceState(format="R8_UNORM", mcs_pitch=3)


def test_channel_selects_exist_from_haswell_on():
    assert RenderSurfaceState(generation=7.5).to_dwords()[7] == 4 << 25 | 5 << 22 | 6 << 19 | 7 << 16
    with pytest.raises(StateError, match="reserved bits must be zero"):
        RenderSurfaceState.from_dwords((0x20000000, 0, 0, 0, 0, 0, 0, 1 << 16))


def test_sampler_state_values_and_limits():
    state = SamplerState(lod_bias=-1.5, min_lod=0.5, max_lod=14, min_filter="ANISOTROPIC", address_u="HALF_BORDER")
    assert state.to_dwords() == (2 << 14 | (-384 & 0x1FFF) << 1, 128 << 20 | 14 << 16, 0, 6 << 6)
    with pytest.raises(StateError, match=r"max_lod .* out of range; legal: 0\.0\.\.14\.0"):
        SamplerState(max_lod=14.5)
    with pytest.raises(StateError, match=r"SAMPLER_STATE exists on generations 7 to 7\.5, not on generation 9"):
        SamplerState(generation=9)


@pytest.mark.parametrize(
    ("name", "values", "dwords"),
    [
        ("BINDING_TABLE_STATE", {"surface_state_pointer": 0xFFFFFFE0}, (0xFFFFFFE0,)),
        ("MEMORY_OBJECT_CONTROL_STATE", {"graphics_data_type": True, "cacheability": "LLC"}, (0b0110,)),
        ("BINDING_TABLE_STATE_GEN9", {"surface_state_pointer": 0xFFFFFFC0}, (0xFFFFFFC0,)),
        ("SUBSLICE_POOL", {"subslices": (1, 2, 3, 4)}, (0x04030201,)),
        ("SAMPLER_BORDER_COLOR_STATE_DX9", {"color_unorm8": (1, 2, 3, 4)}, (0x04030201, 0, 0, 0)),
        ("SAMPLER_BORDER_COLOR_STATE", {"color": (1.0, 0.5, 0.0, -2.0)}, (0x3F800000, 0x3F000000, 0, 0xC0000000)),
        (
            "SAMPLER_BORDER_COLOR_STATE_GEN6",
            {
                "unorm8": (1, 2, 3, 4),
                "float32": (1.0, 0.0, 0.0, 0.5),
                "float16": (1.0, 0.5, 0.0, 2.0),
                "unorm16": (1, 2, 3, 4),
                "snorm16": (-1, 2, 3, 4),
                "snorm8": (-1, 2, 3, -4),
            },
            (
                0x04030201,
                0x3F800000,
                0,
                0,
                0x3F000000,
                0x38003C00,
                0x40000000,
                0x20001,
                0x40003,
                0x2FFFF,
                0x40003,
                0xFC0302FF,
            ),
        ),
        (
            "SAMPLER_STATE_8x8",
            {
                "disable_8x8": True,
                "ief_bypass": True,
                "chroma_key_enable": True,
                "chroma_key_index": 2,
                "global_noise_estimation": 7,
                "sampler_8x8_state_pointer": 0x20,
                "ief_smooth": True,
            },
            (0xA0060007, 0x20, 0x0D090801, 0xF21A03C6),
        ),
        (
            "SAMPLER_MEDIA_PAYLOAD",
            {"group_id": 7, "ddu": 6.0, "dv": 0.5, "du": 0.25, "v": 1.0, "u": 2.0, "vertical_block": 3},
            (0, 3, 0x40000000, 0x3F800000, 0x3E800000, 0x3F000000, 0x40C00000, 7),
        ),
        (
            "DATA_PORT_HEADER",
            {"buffer_base": 0x400, "dispatch_id": 5, "per_thread_scratch": 11, "global_offset": 9},
            (0, 0, 9, 11, 0, 0x405, 0, 0),
        ),
        ("SURFACE_MESSAGE_HEADER", {"pixel_mask": 0xF00F, "buffer_base": 0x400}, (0, 0, 0, 0, 0, 0x400, 0, 0xF00F)),
        (
            "OPEN_GATEWAY_PAYLOAD",
            {"register_base": 3, "gateway_size": 7, "dispatch_id": 1},
            (0, 0, 0, 0, 0, 3 << 21 | 7 << 8 | 1, 0, 0),
        ),
        (
            "SAMPLER_STATE_GEN9",
            {
                "disable": True,
                "border_color_mode": "DX9",
                "lod_preclamp": "OGL",
                "coarse_lod_quality": 1,
                "mip_filter": "LINEAR",
                "mag_filter": "MONO",
                "min_filter": "ANISOTROPIC",
                "lod_bias": -1,
                "lod_algorithm": "EWA",
                "min_lod": 1,
                "max_lod": 2,
                "chroma_key_enable": True,
                "chroma_key_index": 3,
                "chroma_key_mode": "REPLACE_BLACK",
                "shadow_function": "GEQUAL",
                "cube_control": "OVERRIDE",
                "indirect_state_pointer": 0x40,
                "lod_clamp_magnification": "MIPFILTER",
                "reduction_type": "MAXIMUM",
                "max_anisotropy": "RATIO_16",
                "round_u_mag": True,
                "round_r_min": True,
                "trilinear_quality": "LOW",
                "non_normalized": True,
                "reduction_enable": True,
                "address_u": "MIRROR",
                "address_v": "CLAMP",
                "address_r": "CUBE",
            },
            (
                1 << 31 | 1 << 29 | 2 << 27 | 1 << 22 | 3 << 20 | 6 << 17 | 2 << 14 | 0x1F00 << 1 | 1,
                0x100 << 20 | 0x200 << 8 | 1 << 7 | 3 << 5 | 1 << 4 | 7 << 1 | 1,
                0x41,
                3 << 22 | 7 << 19 | 1 << 18 | 1 << 13 | 3 << 11 | 1 << 10 | 1 << 9 | 1 << 6 | 2 << 3 | 3,
            ),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_fields_sit_at_the_printed_bits(name, values, dwords):
    state = STRUCTURES[name](**values)
    assert state.to_dwords() == dwords
    assert STRUCTURES[name].from_dwords(dwords) == state
