"""Writebacks of the deinterlace message against the manual's tables, both ways."""

from itertools import product

import numpy as np
import pytest
from oracle import sampler_messages as manual

from texsamp.errors import StateError, UndefinedBehavior
from texsamp.sampler.messages.deinterlace import DeinterlaceForm, decode_deinterlace, encode_deinterlace
from texsamp.state.base import Array
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.state.media_surface import MediaSurfaceState

THREADS = 2
FORMS = [
    (di, dn, packed, generation)
    for di, dn, packed, generation in product((False, True), (False, True), (False, True), (5, 6, 7))
    if di or dn
]
LENGTHS = {(1, 1, 1): 12, (1, 1, 0): 11, (1, 0, 1): 10, (1, 0, 0): 10, (0, 1, 1): 9, (0, 1, 0): 5}


def statistics_table(di, generation):
    if generation == 5:
        return manual.STATISTICS["before 6"]
    return manual.STATISTICS[f"{generation} {'di' if di else 'dn'}"]


def random_values(form, rng):
    shapes = {name: shape for name, shape in form.arrays if name != "statistics"}
    values = {name: rng.integers(0, 256, (THREADS, *shape), np.uint8) for name, shape in shapes.items()}
    statistics = {}
    for name, row in form.statistics.rows.items():
        shape = row.shape if isinstance(row, Array) else ()
        statistics[name] = rng.integers(0, 1 << row.width, (THREADS, *shape), np.uint32)
    return values, statistics


def expected_word(name, first_row, values, statistics, table, thread):
    """One register as an integer, byte by byte from the manual's tables."""
    word = 0
    if name == "statistics":
        for field, index, dword, high, low in table:
            value = statistics[field][thread] if index is None else statistics[field][thread][index]
            assert value < 1 << (high - low + 1)
            word |= int(value) << (32 * dword + low)
    elif name.endswith("luma"):
        for y, x in product(range(2), range(16)):
            word |= int(values[name][thread, first_row + y, x]) << manual.luma_bit(x, y)
    elif name.endswith("chroma"):
        for y, x, channel in product(range(2), range(0, 16, 2), ("Cr", "Cb")):
            value = values[name][thread, first_row + y, x // 2, ("Cr", "Cb").index(channel)]
            word |= int(value) << manual.chroma_bit(channel, x, y)
    else:
        for y, x in product(range(4), range(0, 16, 2)):
            word |= int(values[name][thread, y, x // 2]) << manual.stmm_bit(x, y)
    return word


@pytest.mark.parametrize(("di", "dn", "packed", "generation"), FORMS)
def test_every_byte_lies_where_the_manual_puts_it(di, dn, packed, generation):
    form = DeinterlaceForm(di, dn, packed, generation)
    rng = np.random.default_rng([di, dn, packed, generation])
    values, statistics = random_values(form, rng)
    response = encode_deinterlace(form, values, statistics)
    layout = manual.deinterlace_registers(di, dn, packed)
    assert response.registers.shape == (THREADS, len(layout), 8)
    assert form.response_length == len(layout) == LENGTHS[di, dn, packed]
    assert response.written.all()
    table = statistics_table(di, generation)
    assert {field for field, *_ in table} == set(statistics)
    for thread in range(THREADS):
        for number, (name, first_row) in enumerate(layout):
            word = int.from_bytes(response.registers[thread, number].tobytes(), "little")
            assert word == expected_word(name, first_row, values, statistics, table, thread), name
    read_values, read_statistics = decode_deinterlace(form, response.registers)
    for name, array in values.items():
        np.testing.assert_array_equal(read_values[name], array)
    for name, array in statistics.items():
        np.testing.assert_array_equal(read_statistics[name], array)
    again = encode_deinterlace(form, read_values, read_statistics)
    np.testing.assert_array_equal(again.registers, response.registers)


def test_random_registers_keep_all_but_reserved_bits():
    for di, dn, packed, generation in FORMS:
        form = DeinterlaceForm(di, dn, packed, generation)
        registers = np.random.default_rng(generation).integers(0, 1 << 32, (3, form.response_length, 8), np.uint32)
        back = encode_deinterlace(form, *decode_deinterlace(form, registers)).registers
        place = [name for name, _ in manual.deinterlace_registers(di, dn, packed)].index("statistics")
        owned = np.zeros(8, np.uint32)
        for _, _, dword, high, low in statistics_table(di, generation):
            owned[dword] |= ((1 << (high - low + 1)) - 1) << low
        expected = registers.copy()
        expected[:, place] &= owned
        np.testing.assert_array_equal(back, expected)


def test_states_choose_the_form():
    packed = MediaSurfaceState(format="YCRCB_NORMAL")
    planar = MediaSurfaceState(format="PLANAR_420_8")
    both = DeinterlaceSamplerState(di_enable=True, dn_enable=True)
    assert DeinterlaceForm.of(both, packed).response_length == 12
    assert DeinterlaceForm.of(both, planar).response_length == 11
    assert DeinterlaceForm.of(DeinterlaceSamplerState(di_enable=True), packed).response_length == 10
    assert DeinterlaceForm.of(DeinterlaceSamplerState(dn_enable=True), packed).response_length == 9
    assert DeinterlaceForm.of(DeinterlaceSamplerState(dn_enable=True), planar).response_length == 5
    with pytest.raises(UndefinedBehavior, match="DI Partial is set"):
        DeinterlaceForm.of(DeinterlaceSamplerState(di_enable=True, di_partial=True), planar)
    with pytest.raises(UndefinedBehavior, match="DI Enable and DN Enable are both off"):
        DeinterlaceForm.of(DeinterlaceSamplerState(), planar)


def test_wrong_arrays_are_refused():
    form = DeinterlaceForm(False, True, False)
    luma = np.zeros((1, 8, 16), np.uint8)
    with pytest.raises(StateError, match="arrays luma are needed, found chroma, luma"):
        encode_deinterlace(form, {"luma": luma, "chroma": luma}, {})
    with pytest.raises(StateError, match=r"luma \(1, 8, 16\) of uint8 is needed, found \(1, 4, 16\)"):
        encode_deinterlace(form, {"luma": luma[:, :4]}, {})
    with pytest.raises(StateError, match=r"of uint8 is needed, found .* of int64"):
        encode_deinterlace(form, {"luma": luma.astype(np.int64)}, {})
    with pytest.raises(StateError, match=r"DENOISE_STATISTICS\.x .* 65536 is out of range; legal: 0\.\.65535"):
        encode_deinterlace(form, {"luma": luma}, {"x": [65536]})
    with pytest.raises(StateError, match="DENOISE_STATISTICS has no field tearing_count"):
        encode_deinterlace(form, {"luma": luma}, {"tearing_count": [0]})
    with pytest.raises(StateError, match=r"stad: an array \(3,\) where \(1, 2\) is needed"):
        encode_deinterlace(form, {"luma": luma}, {"stad": [0, 0, 0]})
    with pytest.raises(StateError, match="holds integers, found float64"):
        encode_deinterlace(form, {"luma": luma}, {"x": [0.5]})
    with pytest.raises(StateError, match="5 registers of uint32 are needed"):
        decode_deinterlace(form, np.zeros((1, 10, 8), np.uint32))
