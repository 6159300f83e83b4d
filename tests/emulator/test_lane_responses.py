"""Channels of lanes written straight to registers."""

import numpy as np
import pytest

from texsamp.emulator.eu.messages import Message
from texsamp.emulator.eu.threads import GENERAL_B, Threads

THREADS, AT = 5, 10


def message_of(lanes, channels, rows=THREADS):
    threads = Threads(THREADS)
    rng = np.random.default_rng(lanes + channels)
    threads.registers[:, :GENERAL_B] = rng.integers(0, 256, (THREADS, GENERAL_B))
    registers = channels * lanes // 8
    mask = np.ones((rows, lanes), np.bool_)
    return Message(threads, np.arange(rows), mask, 2, registers << 20, 2, AT, False), rng


@pytest.mark.parametrize("share", [1.0, 0.6])
@pytest.mark.parametrize("channels", [[0, 1, 2, 3], [0, 2], [3]])
@pytest.mark.parametrize("lanes", [8, 16])
def test_enabled_lanes_have_their_channels_and_all_else_is_kept(lanes, channels, share):
    message, rng = message_of(lanes, len(channels))
    values = rng.random((THREADS, lanes, 4), np.float32)
    enabled = rng.random((THREADS, lanes)) < share
    expected = message.threads.registers.copy()
    for thread, lane in np.argwhere(enabled):
        for place, channel in enumerate(channels):
            at = 32 * AT + 4 * (place * lanes + lane)
            expected[thread, at : at + 4] = values[thread, lane, channel : channel + 1].view(np.uint8)
    assert message.respond_lanes(values, channels, enabled)
    assert np.array_equal(message.threads.registers, expected)


def test_other_messages_are_left_to_whole_responses():
    values, enabled = np.ones((THREADS, 8, 4), np.float32), np.ones((THREADS, 8), np.bool_)
    some, _ = message_of(8, 4, rows=3)
    longer, _ = message_of(8, 4)
    wide, _ = message_of(8, 2)
    before = longer.threads.registers.copy()
    assert not some.respond_lanes(values[:3], [0, 1, 2, 3], enabled[:3])
    assert not longer.respond_lanes(values, [0, 1], enabled)
    assert not wide.respond_lanes(values.astype(np.float64), [0, 1], enabled)
    assert np.array_equal(longer.threads.registers, before)
