"""What holds for every structure, whatever its rows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from texsamp.errors import StateError
from texsamp.state.base import Array, Field
from texsamp.state.kinds import Enumeration
from texsamp.state.registry import STRUCTURES

STRUCTS = list(STRUCTURES.values())
every_struct = pytest.mark.parametrize("cls", STRUCTS, ids=lambda cls: cls.name)


@every_struct
@settings(derandomize=True, deadline=None, max_examples=25)
@given(data=st.data())
def test_lenient_unpack_keeps_every_bit(cls, data):
    size = len(cls().pack())
    raw = data.draw(st.binary(min_size=size, max_size=size))
    state = cls.unpack(raw, strict=False)
    assert state.pack() == raw
    assert cls.from_dwords(state.to_dwords(), strict=False) == state
    assert eval(repr(state), {cls.__name__: cls}) == state


@every_struct
def test_default_is_legal_and_survives_strict_unpacking(cls):
    state = cls()
    assert cls.unpack(state.pack()) == state
    assert eval(repr(state), {cls.__name__: cls}) == state


@every_struct
def test_every_single_bit_is_legal_or_refused_with_its_place(cls):
    default = int.from_bytes(cls().pack(), "little")
    size = len(cls().pack())
    for bit in range(0, size * 8, 1 if size < 512 else 7):
        raw = (default ^ 1 << bit).to_bytes(size, "little")
        try:
            state = cls.unpack(raw)
        except StateError as error:
            assert cls.name in str(error)
            assert "DW" in str(error)
        else:
            assert state.pack() == raw


@every_struct
def test_fields_take_back_the_values_they_give(cls):
    state = cls()
    for name, value in state.values().items():
        assert state.replace(**{name: value}) == state


@every_struct
def test_wrong_size_is_refused(cls):
    size = len(cls().pack()) + 1
    with pytest.raises(StateError, match=rf"{cls.name} has {cls.dwords} dwords .*found {size} bytes"):
        cls.unpack(bytes(size))


@every_struct
def test_enum_codes_round_trip_by_name(cls):
    for row in cls.rows.values():
        if isinstance(row.kind, Enumeration) and isinstance(row, Field):
            for name, member in row.kind.codes.__members__.items():
                assert row.kind.encode(name, row.width, row.low) == member
                assert row.kind.encode(name.lower(), row.width, row.low) == member


@every_struct
def test_documentation_table_has_every_row(cls):
    table = cls.describe()
    assert [line[1] for line in table] == list(cls.rows)
    assert all(isinstance(row, Field | Array) and row.doc for row in cls.rows.values())
    assert cls.__doc__
    assert cls.source
