"""Scratch block messages: whole registers at an offset the descriptor holds (seed 003:10052-10156)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.surfaces import STATELESS
from texsamp.emulator.eu.registers.threads import REGISTER_B
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.data_port.buffers import DWORD_B, Buffers, channel_mask, read_header, respond_enabled
from texsamp.state.data_port import DataCacheDescriptor, ScratchBlockSize

REGISTERS = {ScratchBlockSize.REGISTER_1: 1, ScratchBlockSize.REGISTERS_2: 2, ScratchBlockSize.REGISTERS_4: 4}
_REGISTER_DWORDS = 8
_OWORD_DWORDS = 4


@dataclass
class Scratch:
    """Executes scratch block messages; their memory begins at the header's buffer base."""

    buffers: Buffers

    def send(self, message: Message, descriptor: DataCacheDescriptor) -> None:
        """Move one, two or four registers; dwords that are not enabled keep what they hold."""
        registers = REGISTERS[ScratchBlockSize(descriptor.scratch_size)]
        header = read_header(message, required=True)
        buffer = self.buffers.find(header, STATELESS, 1)
        first_B = descriptor.scratch_offset * REGISTER_B
        enabled = _enabled(message, registers, by_oword=not descriptor.scratch_dword_mode)
        places = np.broadcast_to(first_B + DWORD_B * np.arange(registers * _REGISTER_DWORDS), enabled.shape)
        if descriptor.scratch_write:
            self.buffers.store(buffer, places, message.dwords_on_device(1, registers), enabled)
        else:
            respond_enabled(message, self.buffers.load(buffer, places, enabled), enabled)


def _enabled(message: Message, registers: int, *, by_oword: bool) -> NDArray[np.bool_]:
    """Enabled dwords: the low half of the execution mask for even registers, the high half for odd ones."""
    mask = channel_mask(message)
    if by_oword:
        mask = np.repeat(mask.reshape(-1, 4, _OWORD_DWORDS).any(axis=2), _OWORD_DWORDS, axis=1)
    halves = mask.reshape(-1, 2, _REGISTER_DWORDS)
    return np.asarray(halves[:, np.arange(registers) % 2].reshape(len(mask), -1))
