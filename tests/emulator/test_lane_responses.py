"""Lanes of messages taken from registers and answered into them, by kernels."""

import numpy as np
import pytest

from texsamp.emulator.eu.registers.threads import GENERAL_B, Threads
from texsamp.emulator.eu.sends.lanes import BlockPlaces
from texsamp.emulator.eu.sends.messages import Message
from texsamp.errors import CaptureError

THREADS, AT, SENT = 70, 10, 2
ROWS = {"all": np.arange(THREADS), "some": np.array([0, 3, 4, 65, 69])}


def message_of(lanes, channels, rows="all", share=1.0, length=4):
    threads = Threads(THREADS)
    rng = np.random.default_rng(lanes + channels)
    threads.registers[:, :GENERAL_B] = rng.integers(0, 256, (THREADS, GENERAL_B))
    registers = channels * lanes // 8
    mask = rng.random((len(ROWS[rows]), lanes)) < share
    return Message(threads, ROWS[rows], mask, 2, registers << 20 | length << 25, SENT, AT, False), rng


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("share", [1.0, 0.6])
@pytest.mark.parametrize("channels", [[0, 1, 2, 3], [0, 2], [3]])
@pytest.mark.parametrize("lanes", [8, 16])
def test_enabled_lanes_have_their_channels_and_all_else_is_kept(lanes, channels, share, rows):
    message, rng = message_of(lanes, len(channels), rows, share)
    values = rng.random((len(message.rows), lanes, 4), np.float32)
    expected = message.threads.registers.copy()
    for row, lane in np.argwhere(message.mask):
        for place, channel in enumerate(channels):
            at = 32 * AT + 4 * (place * lanes + lane)
            expected[message.rows[row], at : at + 4] = values[row, lane, channel : channel + 1].view(np.uint8)
    assert message.answer(values, channels)
    assert np.array_equal(message.threads.registers, expected)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("lanes", [8, 16])
def test_lanes_are_taken_from_any_registers_of_the_payload(lanes, rows):
    message, _ = message_of(lanes, 4, rows)
    found = message.take([3, 0, 1], lanes)
    for place, each in zip([3, 0, 1], found, strict=True):
        begin = 32 * (SENT + place)
        sent = message.threads.registers[message.rows, begin : begin + 4 * lanes]
        assert np.array_equal(each, np.ascontiguousarray(sent).view(np.uint32))


def test_registers_that_are_not_there_are_refused():
    message, rng = message_of(16, 4)
    behind = Message(message.threads, message.rows, message.mask, 2, message.descriptor, 125, 124, False)
    with pytest.raises(CaptureError, match="registers r125 to r128"):
        behind.take([0, 2], 16)
    with pytest.raises(CaptureError, match="registers r124 to r131"):
        behind.answer(rng.random((THREADS, 16, 4), np.float32), [0, 1, 2, 3])


def test_other_messages_are_left_to_whole_responses():
    values = np.ones((THREADS, 8, 4), np.float32)
    longer, _ = message_of(8, 4)
    wide, _ = message_of(8, 2)
    before = longer.threads.registers.copy()
    assert not longer.answer(values, [0, 1])
    assert not longer.answer(values[:, :4], [0, 1, 2, 3])
    assert not wide.answer(values.astype(np.float64), [0, 1])
    assert np.array_equal(longer.threads.registers, before)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("side_by_side", [True, False])
def test_threads_have_their_blocks_of_a_plane(rows, side_by_side):
    message, rng = message_of(16, 4, rows)
    samples = rng.integers(0, 1 << 16, (24, 90), np.uint16)[:, :80]
    column, row = (rng.integers(0, count, THREADS, np.int32) for count in (5, 6))
    across, down = rng.integers(0, 80, (5, 16), np.int32), rng.integers(0, 24, (6, 4), np.int32)
    some = None if rows == "all" else np.array([0, 2, 4])
    threads = message.rows if some is None else message.rows[some]
    places = BlockPlaces(
        column[: len(threads)], row[: len(threads)], *((None, None) if side_by_side else (across, down))
    )
    if side_by_side:
        across, down = np.arange(80).reshape(5, 16), np.arange(24).reshape(6, 4)
    expected = message.threads.registers.copy()
    for n, thread in enumerate(threads):
        block = samples[down[row[n]]][:, across[column[n]]]
        expected[thread, 32 * (AT + 2) : 32 * (AT + 6)] = block.reshape(-1).view(np.uint8)
    assert message.respond_blocks(samples, places, 2, some)
    assert np.array_equal(message.threads.registers, expected)
    assert not message.respond_blocks(samples, places, 5, some)  # of a response of eight registers
    assert np.array_equal(message.threads.registers, expected)
