"""Answers of messages to the sampling engine where threads are, with masks that stay in registers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from texsamp.device.base import Array
from texsamp.emulator.eu.registers.threads import REGISTER_B
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.lanes import answer
from texsamp.sampler.messages import SamplerRequest
from texsamp.state.sampler_messages import SimdMode

_CHANNELS, _LANES_OF_A_REGISTER = 4, 8
_LAST_BIT = 31


def lanes_enabled(message: Unasked, simd: SimdMode, lanes: int) -> Any:
    """Lanes that are enabled, contiguous (threads, lanes); None for all. A block has one, which any channel enables."""
    if simd == SimdMode.SIMD32_64:
        return None if message.senders is None else message.senders[:, None].copy()
    wide = _CHANNELS * lanes if simd == SimdMode.SIMD4X2 else lanes
    mask = message.mask
    if mask is None and message.exec_size >= wide:
        return None
    enabled = message.threads.arrays.zeros((message.count, wide), np.bool_)
    sent = min(wide, message.exec_size)
    enabled[:, :sent] = True if mask is None else mask[:, :sent]
    if wide == lanes:
        return enabled
    return enabled.reshape(message.count, lanes, _CHANNELS).any(axis=2)


@dataclass(frozen=True)
class AnswerOnDevice:
    """What a message is answered: values (threads, lanes or pixels, 4) and which are killed, where threads are."""

    message: Unasked
    request: SamplerRequest
    values: Array
    killed: Array | None

    def write(self) -> None:
        """Into the registers of the response."""
        message, request = self.message, self.request
        if message.destination is None:
            return
        is_block = request.simd == SimdMode.SIMD32_64
        enabled = None if is_block else lanes_enabled(message, request.simd, request.lanes)
        if is_block:
            _answer_blocks(message, request, self.values)
        else:
            _answer_lanes(message, request, self.values, enabled)
        if self.killed is not None:
            _answer_killed(message, self.killed, enabled, from_last=is_block)


def _answer_lanes(message: Unasked, request: SamplerRequest, values: Array, enabled: Array | None) -> None:
    """Channels of lanes, (threads, lanes, 4) of 32 bits; those that headers mask keep what they held.

    In SIMD16 those behind masked channels close up (seed 003:5054).
    """
    assert message.destination is not None
    kept = [channel for channel in range(_CHANNELS) if not request.masked_channels[0, channel]]
    if request.simd == SimdMode.SIMD4X2:
        _answer_pairs(message, values, kept, enabled)
        return
    closes_up = request.simd == SimdMode.SIMD16
    registers = values.shape[1] // _LANES_OF_A_REGISTER
    for place, channels in [(0, kept)] if closes_up else _runs(kept):
        place_B = (message.destination + registers * place) * REGISTER_B
        answer(message.threads, None, place_B, values, channels, enabled)


def _runs(channels: list[int]) -> list[tuple[int, list[int]]]:
    """Channels that follow each other, with the first of them."""
    runs: list[tuple[int, list[int]]] = []
    for channel in channels:
        if runs and runs[-1][1][-1] == channel - 1:
            runs[-1][1].append(channel)
        else:
            runs.append((channel, [channel]))
    return runs


def _answer_pairs(message: Unasked, values: Array, kept: list[int], enabled: Array | None) -> None:
    """Two lanes of four channels each, in one register."""
    assert message.destination is not None
    held = message.threads.general(message.destination, 1).view("<u4").reshape(message.count, -1, _CHANNELS)
    words = values.view(np.uint32)
    for channel in kept:
        target = held[:, :, channel]
        if enabled is None:
            target[...] = words[:, :, channel]
        else:
            np.copyto(target, words[:, :, channel], where=enabled)


def _answer_blocks(message: Unasked, request: SamplerRequest, codes: Array) -> None:
    """Channels of pixels, (threads, pixels, 4) of 16 bits; those behind masked channels close up."""
    kept = [channel for channel in range(_CHANNELS) if not request.masked_channels[0, channel]]
    registers = codes.shape[1] * codes.itemsize // REGISTER_B
    for place, channel in enumerate(kept):
        message.respond(codes[:, :, channel].copy().view(np.uint8), registers * place)


def _answer_killed(message: Unasked, killed: Array, enabled: Array | None, *, from_last: bool) -> None:
    """A bit for each lane or pixel that is not killed, in the last register; of blocks from the last bit on."""
    bits = message.threads.arrays.arange(killed.shape[1], dtype=np.uint32)
    dead = killed if enabled is None else killed & enabled
    cleared = (dead.astype(np.uint32) << (_LAST_BIT - bits if from_last else bits)).sum(axis=1, dtype=np.uint32)
    message.respond((~cleared)[:, None].copy().view(np.uint8), message.response_length - 1)
