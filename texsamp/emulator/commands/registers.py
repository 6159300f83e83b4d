"""Commands that move dwords between registers, memory and the batch buffer, and what depends on such dwords."""

from __future__ import annotations

from texsamp.device import get_device
from texsamp.emulator.commands.packet import Flow, Handlers, Packet, no_effect
from texsamp.emulator.context.registers import DISPATCH_DIMENSIONS, OACONTROL, TIMESTAMP
from texsamp.errors import CaptureError
from texsamp.state.commands_mi import (
    MiBatchBufferEnd,
    MiBatchBufferStart,
    MiConditionalBatchBufferEnd,
    MiLoadRegisterImm,
    MiLoadRegisterMem,
    MiLoadRegisterReg,
    MiNoop,
    MiPredicate,
    MiReportPerfCount,
    MiStoreDataImm,
    MiStoreDataIndex,
    MiStoreRegisterMem,
    MiUrbClear,
)

_URB_UNIT_B = 32
_RESERVED_B = 64
"""Of the status page."""
_REPORT_DWORDS = (16, 32, 32, 16, 16, 64, 32, 16)
"""Of a report, by counter select of OACONTROL (4:2): number, time, context, then counters A, B and C."""


def _write(packet: Packet, offset: int, value: int, byte_write_disables: int = 0) -> None:
    packet.context.registers.write(offset, value, byte_write_disables)
    if offset in DISPATCH_DIMENSIONS and not value:  # volume 1 part 3, page 114
        packet.execution.warnings.append(f"GPGPU_DISPATCHDIM{'XYZ'[DISPATCH_DIMENSIONS.index(offset)]} must not be 0")


def _load_immediate(packet: Packet, command: MiLoadRegisterImm) -> None:
    for offset, value in command.writes:
        _write(packet, offset, value, command.byte_write_disables)


def _load_memory(packet: Packet, command: MiLoadRegisterMem) -> None:
    value = int.from_bytes(packet.memory.read(command.memory_address, 4), "little")
    _write(packet, command.register_offset, value)


def _load_register(packet: Packet, command: MiLoadRegisterReg) -> None:
    _write(packet, command.register_offset, packet.context.registers.read(command.source_register))


def _store_register(packet: Packet, command: MiStoreRegisterMem) -> None:
    value = packet.context.registers.read(command.register_offset)
    packet.memory.write(command.memory_address, value.to_bytes(4, "little"))


def _report(packet: Packet, command: MiReportPerfCount) -> None:
    """Number and time; counters are 0, as none of them counts anything that is here."""
    registers = packet.context.registers
    counters = bytes(4 * (_REPORT_DWORDS[registers.read(OACONTROL) >> 2 & 7] - 2))
    told = command.report_id, registers.read(TIMESTAMP)
    packet.memory.write(command.memory_address, b"".join(d.to_bytes(4, "little") for d in told) + counters)


def _store_data(packet: Packet, command: MiStoreDataImm) -> None:
    packet.memory.write(command.address, b"".join(d.to_bytes(4, "little") for d in (command.data, *command.tail)))
    packet.context.stores_to_come -= 1
    if not packet.context.stores_to_come:
        packet.execution.notes.append("read-back synchronization by eight stores")


def _store_indexed(packet: Packet, command: MiStoreDataIndex) -> None:
    """Into the status page; two dwords take a multiple of 8 bytes (volume 1 part 3, page 188)."""
    if command.offset < _RESERVED_B:
        raise CaptureError(f"MI_STORE_DATA_INDEX at {command.offset}: the first {_RESERVED_B} bytes are reserved")
    if command.tail and command.offset % 8:
        raise CaptureError(f"MI_STORE_DATA_INDEX of two dwords at {command.offset}, which is no multiple of 8")
    data = b"".join(d.to_bytes(4, "little") for d in (command.data, *command.tail))
    packet.memory.write(packet.context.registers.status_page + command.offset, data)


def _predicate(packet: Packet, command: MiPredicate) -> None:
    packet.context.registers.set_predicate(command)


def _end_if(packet: Packet, command: MiConditionalBatchBufferEnd) -> Flow | None:
    """End unless memory exceeds the command's dword (volume 1 part 3, page 169)."""
    if not command.compare:
        return None
    found = int.from_bytes(packet.memory.read(command.compare_address, 4), "little")
    return None if found > command.data else Flow.END


def _clear_urb(packet: Packet, command: MiUrbClear) -> None:
    """Zeros; what lies beyond the buffer does not exist."""
    first = command.urb_address * _URB_UNIT_B
    packet.context.urb.on(get_device("cpu"))[first : first + command.clear_length * _URB_UNIT_B] = 0


HANDLERS: Handlers = {
    MiNoop: no_effect,
    MiBatchBufferStart: no_effect,
    MiBatchBufferEnd: no_effect,
    MiLoadRegisterImm: _load_immediate,
    MiConditionalBatchBufferEnd: _end_if,
    MiLoadRegisterMem: _load_memory,
    MiLoadRegisterReg: _load_register,
    MiStoreRegisterMem: _store_register,
    MiReportPerfCount: _report,
    MiStoreDataImm: _store_data,
    MiStoreDataIndex: _store_indexed,
    MiPredicate: _predicate,
    MiUrbClear: _clear_urb,
}
