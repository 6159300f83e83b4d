"""Rows, kinds and error messages of the structure descriptors, on small structures made for it."""

import math

import pytest

from texsamp.errors import StateError
from texsamp.state.base import Array, Field, Struct
from texsamp.state.fields import Axis, When
from texsamp.state.kinds import (
    Codes,
    address,
    biased,
    enum,
    fixed,
    flag,
    float16,
    float32,
    minus_one,
    multiple_of,
    signed,
    unsigned,
)


class Color(Codes):
    RED = 1, "a note"
    GREEN = 2
    BLUE = 5, "later", 7.5
    ROUGE = 1


IS_GREEN = When("green only", lambda s: s.color == Color.GREEN)
NOT_GREEN = When("not green", lambda s: s.color != Color.GREEN)


class Sample(Struct, name="TEST_SAMPLE", dwords=4, source="none"):
    """A structure for these tests."""

    number = Field(0, 7, 0, unsigned, "unsigned", 3, (0, 200))
    offset = Field(0, 11, 8, signed, "signed")
    color = Field(0, 14, 12, enum(Color), "enum", "RED")
    on = Field(0, 15, 15, flag, "flag")
    rows_px = Field(0, 29, 16, minus_one, "minus one")
    pointer = Field(1, 31, 6, address, "address")
    step = Field(1, 3, 2, multiple_of(4), "scaled", legal=frozenset({0, 8}))
    bias = Field(2, 12, 0, fixed("S4.8"), "fixed")
    green_half = Field(2, 31, 16, float16, "half", when=IS_GREEN)
    other_count = Field(2, 23, 16, biased(2), "biased", when=NOT_GREEN)
    late = Field(2, 15, 15, flag, "late", since=7.5)
    torn = Field(3, 3, 0, unsigned, "torn", more=((3, 31, 30),))
    taps = Array(3, 9, 8, unsigned, "array", (Axis(2, 8), Axis(3, 2)), legal=[(0, 1), None, (1, 3)], default=1)


class Wide(Struct, name="TEST_WIDE", dwords=3, source="none"):
    """Fields over dword borders."""

    base = Field(0, 47, 12, address, "48-bit address")
    value = Field(2, 31, 0, float32, "float")


def test_pack_places_every_field():
    state = Sample(number=0x21, offset=-2, color="GREEN", on=True, rows_px=9, pointer=0xFC0, step=8, bias=-1.5)
    assert state.to_dwords()[:3] == (0x0008_AE21, 0xFC8, 0x1E80)
    assert (state.number, state.offset, state.color, state.on, state.rows_px) == (0x21, -2, Color.GREEN, True, 9)
    assert (state.pointer, state.step, state.bias) == (0xFC0, 8, -1.5)


def test_torn_field_joins_its_pieces_low_first():
    state = Sample(torn=0b100111)
    assert state.to_dwords()[3] & 0xC000000F == 0b10 << 30 | 0b0111
    assert state.torn == 0b100111


def test_array_reads_and_writes_nested_rows():
    state = Sample(taps=[[0, 2, 3], [1, 3, 1]])
    assert state.taps == ((0, 2, 3), (1, 3, 1))
    assert state.to_dwords()[3] == 0b011101_00_111000 << 8
    assert Sample(taps="0,2,3,1,3,1") == state


def test_wide_fields_cross_dwords_and_floats_keep_nan_payloads():
    state = Wide(base=0xABCD_1234_5000, value=1.5)
    assert state.to_dwords() == (0x1234_5000, 0xABCD, 0x3FC00000)
    nan = Wide.from_dwords((0, 0, 0xFFC12345), strict=True)
    assert math.isnan(nan.value)
    assert nan.to_dwords()[2] == 0xFFC12345


def test_fixed_point_rounds_to_nearest_away_from_zero():
    assert Sample(bias=1 / 512).code("bias") == 1
    assert Sample(bias=-1 / 512).code("bias") == 0x1FFF
    assert Sample(bias="-3/4").bias == -0.75


def test_enum_accepts_member_name_alias_and_code():
    assert {Sample(color=c).color for c in (Color.RED, "red", "ROUGE", 1)} == {Color.RED}
    assert Color.RED.note == "a note"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"number": 201}, r"TEST_SAMPLE\.number \(DW0 7:0\): 201 \(code 0xc9\) is out of range; legal: 0\.\.200"),
        ({"number": 256}, r"number \(DW0 7:0\): 256 cannot be stored; legal: 0\.\.200"),
        ({"number": "x"}, r"'x' cannot be stored"),
        ({"number": 1.5}, r"1\.5 cannot be stored"),
        ({"offset": 8}, r"8 cannot be stored; legal: -8\.\.7"),
        ({"color": "PINK"}, r"color \(DW0 14:12\): 'PINK' cannot be stored; legal: 1 RED, 2 GREEN, 5 BLUE"),
        ({"color": 3}, r"3 cannot be stored"),
        ({"color": "BLUE"}, r"BLUE \(5\) needs generation 7\.5"),
        ({"on": 2}, r"2 cannot be stored; legal: 0 or 1"),
        ({"on": "maybe"}, r"'maybe' cannot be stored"),
        ({"rows_px": 0}, r"0 cannot be stored; legal: 1\.\.16384"),
        ({"pointer": 32}, r"32 cannot be stored; legal: .* a multiple of 64"),
        ({"step": 4}, r"4 \(code 0x1\) is out of range; legal: one of 0, 8"),
        ({"bias": 16}, r"16 cannot be stored; legal: -16\.\.15\.9961 in steps of 1/256"),
        ({"bias": math.nan}, r"nan cannot be stored"),
        ({"color": "GREEN", "green_half": 1e6}, r"1000000\.0 cannot be stored; legal: any float16"),
        ({"green_half": 1.0}, r"green_half \(DW2 31:16\): does not exist here; legal: green only"),
        ({"late": True}, r"late \(DW2 15\): does not exist here; legal: generation 7\.5 to 99"),
        ({"nope": 1}, r"TEST_SAMPLE has no field nope; fields: number, offset"),
        (
            {"taps": [[0, 0, 0], [0, 0, 1]]},
            r"taps \(\[0, 2\] DW3 13:12\): 0 \(code 0x0\) is out of range; legal: 1\.\.3",
        ),
        ({"taps": [[0, 0], [1, 1], [1, 1]]}, r"holds 2 x 3 elements, found 3 where 2 are needed"),
        ({"taps": 1}, r"found 0 where 2 are needed"),
        ({"taps": "1,2"}, r"found 2 where 6 are needed"),
    ],
)
def test_illegal_values_name_structure_field_bits_and_range(values, message):
    with pytest.raises(StateError, match=message):
        Sample(**values)


@pytest.mark.parametrize(
    ("dwords", "message"),
    [
        ((0xC0001003, 0, 0, 0x151500), r"TEST_SAMPLE\.reserved \(DW0 31:30\): holds 0x3 .* reserved bits must be zero"),
        ((0x00003003, 0, 0, 0x151500), r"color \(DW0 14:12\): code 3 is reserved; legal: 1 RED"),
        ((0x000010FF, 0, 0, 0), r"number \(DW0 7:0\): 255 \(code 0xff\) is out of range; legal: 0\.\.200"),
        ((0x00001003, 0, 0x8000, 0x151500), r"reserved \(DW2 15:15\): holds 0x1"),
        ((0x00001003, 0, 0, 0x001500), r"taps \(\[1, 2\] DW3 21:20\): 0 \(code 0x0\)"),
        ((0x100001003, 0, 0, 0), r"TEST_SAMPLE DW0: 0x100001003 is no 32-bit value"),
        ((0, 0, 0), r"TEST_SAMPLE has 4 dwords \(16 bytes\), found 12 bytes"),
    ],
)
def test_strict_unpacking_names_what_is_wrong(dwords, message):
    with pytest.raises(StateError, match=message):
        Sample.from_dwords(dwords)


def test_generation_opens_later_fields_and_codes():
    state = Sample(generation=7.5, late=True, color="BLUE")
    assert Sample.from_dwords(state.to_dwords(), generation=7.5) == state
    with pytest.raises(StateError, match="needs generation"):
        Sample.from_dwords(state.to_dwords())
    with pytest.raises(StateError, match="TEST_SAMPLE exists on generation 7 and later, not on generation 6"):
        Sample(generation=6)


def test_conditional_fields_share_bits():
    assert Sample(color="GREEN", green_half=1.0).to_dwords()[2] == 0x3C000000
    assert Sample(other_count=5).to_dwords()[2] == 0x00030000
    with pytest.raises(StateError, match="does not exist here"):
        Sample(color="GREEN").other_count  # noqa: B018


def test_lenient_codes_without_a_name_stay_numbers():
    state = Sample.from_dwords((0x3000, 0, 0, 0), strict=False)
    assert state.color == 3
    assert repr(state).startswith("Sample.from_dwords([0x00003000")


def test_replace_keeps_reserved_bits_and_values_are_immutable():
    state = Sample.from_dwords((0xC0001003, 0, 0, 0x151500), strict=False)
    assert state.replace(on=True).to_dwords()[0] == 0xC0009003
    with pytest.raises(StateError, match="no field nope"):
        state.replace(nope=1)
    with pytest.raises(AttributeError, match="immutable"):
        state.number = 4


def test_fields_of_a_state_that_was_read_are_decoded_once(monkeypatch):
    read = Sample.from_dwords(Sample(number=7, color="GREEN", green_half=1.0).to_dwords())
    assert (read.number, read.color, read.green_half) == (7, Color.GREEN, 1.0)
    monkeypatch.setattr(Field, "value", None)
    assert (read.number, read.color, read.green_half) == (7, Color.GREEN, 1.0)
    monkeypatch.undo()
    other = read.replace(number=9, color="RED", other_count=5)
    assert (other.number, other.color, other.other_count, read.number) == (9, Color.RED, 5, 7)
    with pytest.raises(StateError, match="does not exist here"):
        other.green_half  # noqa: B018


def test_equality_hash_and_diff():
    a, b = Sample(number=1), Sample(number=2)
    assert a == Sample(number=1)
    assert hash(a) == hash(Sample(number=1))
    assert a != b
    assert a != 1
    assert a.diff(b) == {"number": (1, 2)}
    assert Sample(color="GREEN").diff(Sample()) == {
        "color": (Color.GREEN, Color.RED),
        "green_half": (0.0, None),
        "other_count": (None, 2),
    }


def test_code_gives_raw_bits_of_single_fields_only():
    assert Sample(offset=-1).code("offset") == 15
    with pytest.raises(StateError, match="no single field taps"):
        Sample().code("taps")


def test_description_names_bits_kind_limits_and_conditions():
    lines = {line[1]: line for line in Sample.describe()}
    assert lines["rows_px"] == ("DW0 29:16", "rows_px", "U, value-1", "1..16384", "minus one")
    assert lines["late"][4] == "late (generation 7.5 and later)"
    assert lines["green_half"][4] == "half (green only)"
    assert lines["torn"][0] == "DW3 31:30 + DW3 3:0"
    assert Sample.rows["number"] is Sample.number


def test_a_row_table_with_mistakes_does_not_import():
    with pytest.raises(TypeError, match="overlaps"):
        type(
            "Bad",
            (Struct,),
            {"a": Field(0, 3, 0, unsigned, ""), "b": Field(0, 4, 3, unsigned, "")},
            name="TEST_A",
            dwords=1,
        )
    with pytest.raises(TypeError, match="outside 1 dwords"):
        type("Bad", (Struct,), {"a": Field(1, 3, 0, unsigned, "")}, name="TEST_B", dwords=1)
    with pytest.raises(StateError, match="out of range"):
        type("Bad", (Struct,), {"a": Field(0, 3, 0, unsigned, "", legal=(1, 2))}, name="TEST_C", dwords=1)
    with pytest.raises(TypeError, match="two structures"):
        type("Bad", (Struct,), {}, name="TEST_SAMPLE", dwords=1)
    for kind in (fixed("S1.6"), flag, float32):
        with pytest.raises(TypeError, match="bit"):
            type("Bad", (Struct,), {"a": Field(0, 8, 0, kind, "")}, name="TEST_D", dwords=1)
    with pytest.raises(TypeError, match="does not fit"):
        type("Bad", (Struct,), {"a": Field(0, 1, 0, enum(Color), "")}, name="TEST_E", dwords=1)
    with pytest.raises(TypeError, match="notation"):
        fixed("4.8")
