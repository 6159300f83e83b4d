"""Commands that move dwords between registers, memory and the batch buffer, and the predicate."""

from __future__ import annotations

from texsamp.emulator.commands.packet import Handlers, Packet, no_effect
from texsamp.state.commands_mi import (
    MiBatchBufferEnd,
    MiBatchBufferStart,
    MiLoadRegisterImm,
    MiLoadRegisterMem,
    MiNoop,
    MiPredicate,
    MiStoreDataImm,
    MiStoreRegisterMem,
)


def _load_immediate(packet: Packet, command: MiLoadRegisterImm) -> None:
    for offset, value in command.writes:
        packet.context.registers.write(offset, value, command.byte_write_disables)


def _load_memory(packet: Packet, command: MiLoadRegisterMem) -> None:
    value = int.from_bytes(packet.memory.read(command.memory_address, 4), "little")
    packet.context.registers.write(command.register_offset, value)


def _store_register(packet: Packet, command: MiStoreRegisterMem) -> None:
    value = packet.context.registers.read(command.register_offset)
    packet.memory.write(command.memory_address, value.to_bytes(4, "little"))


def _store_data(packet: Packet, command: MiStoreDataImm) -> None:
    packet.memory.write(command.address, b"".join(d.to_bytes(4, "little") for d in (command.data, *command.tail)))


def _predicate(packet: Packet, command: MiPredicate) -> None:
    packet.context.registers.set_predicate(command)


HANDLERS: Handlers = {
    MiNoop: no_effect,
    MiBatchBufferStart: no_effect,
    MiBatchBufferEnd: no_effect,
    MiLoadRegisterImm: _load_immediate,
    MiLoadRegisterMem: _load_memory,
    MiStoreRegisterMem: _store_register,
    MiStoreDataImm: _store_data,
    MiPredicate: _predicate,
}
