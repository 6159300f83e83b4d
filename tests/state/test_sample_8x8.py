"""SAMPLER_8x8_STATE and the sample_8x8 form of SAMPLER_STATE."""

import numpy as np
import pytest

from texsamp.errors import StateError
from texsamp.state import Sample8x8SamplerState, Sampler8x8State


def _tables(rng):
    """Legal random codes of the four tables."""
    limits = np.array([16, 32, 64, 128, 128, 64, 32, 16])
    eight = [rng.integers(-limits, limits, (17, 8)) for _ in range(2)]
    four = [rng.integers([-64, 0, 0, -64], [64, 128, 128, 64], (17, 4)) for _ in range(2)]
    return [*eight, *four]


def test_default_dwords_are_the_documented_ones():
    assert Sample8x8SamplerState().to_dwords() == (0x00000000, 0x00000000, 0x0D090801, 0x721A03C6)
    assert Sampler8x8State().pack() == bytes(138 * 4)


def test_coefficients_sit_where_the_manual_puts_them():
    tables = _tables(np.random.default_rng(1))
    state = Sampler8x8State.from_coefficients(*tables, adaptive_all_channels=True, bypass_y=True, max_derivative_8=20)
    raw = np.frombuffer(state.pack(), np.int8)
    blocks = raw[: 136 * 4].reshape(17, 32)
    np.testing.assert_array_equal(blocks[:, 0:8], tables[0])
    np.testing.assert_array_equal(blocks[:, 8:16], tables[1])
    np.testing.assert_array_equal(blocks[:, 18:22], tables[2])
    np.testing.assert_array_equal(blocks[:, 26:30], tables[3])
    assert blocks[0, 17].view(np.uint8) == 0x80
    assert not blocks[1:, 16:18].any()
    assert state.to_dwords()[136:] == (20 << 8, 1 << 21)
    for name, table in zip(("0x", "0y", "1X", "1Y"), tables, strict=True):
        np.testing.assert_array_equal(state.coefficients(name), table)


def test_strict_unpacking_takes_what_the_builder_makes():
    state = Sampler8x8State.from_coefficients(*_tables(np.random.default_rng(2)))
    assert Sampler8x8State.unpack(state.pack()) == state


def test_expanded_phases_mirror_the_stored_ones():
    tables = _tables(np.random.default_rng(3))
    state = Sampler8x8State.from_coefficients(*tables)
    for name, table in zip(("0x", "0y", "1x", "1y"), tables, strict=True):
        rows = state.expanded(name)
        assert rows.shape == (32, table.shape[1])
        for phase in range(32):
            expected = table[phase] if phase <= 16 else table[32 - phase][::-1]
            np.testing.assert_array_equal(rows[phase], expected)


@pytest.mark.parametrize(("tap", "code"), [(0, 16), (0, -17), (1, 32), (2, -65), (3, 128), (5, 64), (6, -33), (7, 16)])
def test_each_tap_has_its_own_range(tap, code):
    tables = _tables(np.random.default_rng(4))
    tables[0][5, tap] = code
    with pytest.raises(StateError, match=rf"table_0x \(\[5, {tap}\] DW4[01]"):
        Sampler8x8State.from_coefficients(*tables)


@pytest.mark.parametrize(("tap", "code"), [(0, 64), (1, -1), (2, -1), (3, -65)])
def test_center_taps_of_the_short_tables_are_not_negative(tap, code):
    tables = _tables(np.random.default_rng(5))
    tables[3][16, tap] = code
    with pytest.raises(StateError, match=rf"table_1y \(\[16, {tap}\] DW13[45]"):
        Sampler8x8State.from_coefficients(*tables)


def test_builder_refuses_wrong_shapes_floats_and_tables():
    tables = _tables(np.random.default_rng(6))
    with pytest.raises(StateError, match="17 x 8 elements"):
        Sampler8x8State.from_coefficients(tables[0].T, *tables[1:])
    with pytest.raises(StateError, match=r"integer S1\.6 codes, found float64"):
        Sampler8x8State.from_coefficients(tables[0] / 64, *tables[1:])
    with pytest.raises(StateError, match="tables 0x, 0y, 1x and 1y, not '2x'"):
        Sampler8x8State().coefficients("2x")


def test_detail_coefficients_are_thirty_seconds():
    state = Sample8x8SamplerState()
    assert [state.code(name) for name in ("r5c", "r5cx", "r5x", "r3c", "r3x")] == [3, 8, 9, 15, 6]
    assert state.r5cx == 0.25
    assert (state.strong_edge_weight, state.regular_weight, state.non_edge_weight, state.gain) == (7, 2, 1, 40)
