"""Media SURFACE_STATE: the repaired bit places and both meanings of formats 5 to 7."""

import pytest

from texsamp.errors import StateError
from texsamp.state import MediaSurfaceFormat, MediaSurfaceState


def test_fields_sit_at_the_repaired_bits():
    state = MediaSurfaceState(
        base_address=0x1000, height=576, width=720, picture_structure="BOTTOM_FIELD", chroma_v_offset=0.25,
        format="PLANAR_420_8", interleave_chroma=True, memory_object_control=5, pitch=768, tile_mode="Y",
        x_offset_u=4, y_offset_u=0x7FFE, x_offset_v=2, y_offset_v=6,
    )  # fmt: skip
    assert state.to_dwords() == (
        0x1000,
        575 << 18 | 719 << 4 | 2 << 2 | 1,
        4 << 28 | 1 << 27 | 5 << 22 | 767 << 3 | 3,
        4 << 16 | 0x7FFE,
        2 << 16 | 6,
        0,
        0,
        0,
    )


def test_codes_5_to_7_have_both_names():
    for ivy_bridge, haswell in (
        ("PLANAR_411_8", "Y8_UNORM_VA"),
        ("PLANAR_422_8", "Y16_SNORM"),
        ("STMM_DN_STATISTICS", "Y16_UNORM"),
    ):
        assert MediaSurfaceState(format=haswell) == MediaSurfaceState(format=ivy_bridge)
        assert MediaSurfaceFormat[haswell].name == ivy_bridge


def test_haswell_formats_need_haswell():
    with pytest.raises(StateError, match=r"A8Y8U8V8_UNORM .* needs generation 7\.5"):
        MediaSurfaceState(format="A8Y8U8V8_UNORM")
    assert MediaSurfaceState(generation=7.5, format="A8Y8U8V8_UNORM").code("format") == 13


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"width": 16385}, r"MEDIA_SURFACE_STATE\.width \(DW1 17:4\): 16385 cannot be stored; legal: 1\.\.16384"),
        ({"pitch": 262145}, r"pitch \(DW2 20:3\): 262145 cannot be stored; legal: 1\.\.262144"),
        ({"tile_mode": 1}, r"tile_mode \(DW2 1:0\): 1 cannot be stored; legal: 0 LINEAR, 2 X, 3 Y"),
    ],
)
def test_limits(values, message):
    with pytest.raises(StateError, match=message):
        MediaSurfaceState(**values)
