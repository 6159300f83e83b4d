"""PIPE_CONTROL, MI_FLUSH_DW: writes behind everything that came before; there is nothing to flush (002:345-441)."""

from __future__ import annotations

from texsamp.emulator.commands import pipe_control_rules as rules
from texsamp.emulator.commands.packet import Handlers, Packet, no_effect
from texsamp.emulator.context.registers import PS_DEPTH_COUNT, STATUS_PAGE_B, TIMESTAMP
from texsamp.errors import CaptureError
from texsamp.state.commands_common import PipeControl, PostSyncOperation
from texsamp.state.commands_media import MediaStateFlush
from texsamp.state.commands_mi import (
    FlushOperation,
    MiArbCheck,
    MiArbOnOff,
    MiClflush,
    MiDisplayFlip,
    MiFlush,
    MiFlushDw,
    MiSemaphoreMbox,
    MiSuspendFlush,
    MiUpdateGtt,
    MiUserInterrupt,
    MiWaitForEvent,
)

_COUNTERS = {
    PostSyncOperation.WRITE_TIMESTAMP: TIMESTAMP,
    PostSyncOperation.WRITE_PS_DEPTH_COUNT: PS_DEPTH_COUNT,
}
"""Registers that PIPE_CONTROL writes (seed 002:351-358)."""
_STORES_OF_RECIPE = 8


def _pipe_control(packet: Packet, command: PipeControl) -> None:
    packet.execution.warnings.extend(rules.violations(command))
    packet.execution.notes.extend(rules.kinds(command))
    if command.media_state_clear:
        packet.context.forget_media()
    if command.indirect_state_disable:
        packet.context.forget_constants()
    if rules.flushes_for_reading(command) and not command.tlb_invalidate:
        packet.context.stores_to_come = _STORES_OF_RECIPE
    if command.lri_post_sync:
        packet.context.registers.write(command.address, command.immediate)
        return
    if command.post_sync == PostSyncOperation.NO_WRITE:
        return
    address = _address(packet, command)
    counter = _COUNTERS.get(command.post_sync)
    if counter is None:
        value = command.immediate | (command.tail[0] if command.tail else 0) << 32
    else:
        value = packet.context.registers.read_wide(counter)
    packet.memory.write(address, value.to_bytes(8, "little"))


def _flush(packet: Packet, command: MiFlushDw) -> None:
    if command.post_sync == FlushOperation.WRITE_IMMEDIATE_DATA:
        data = b"".join(d.to_bytes(4, "little") for d in (command.immediate, *command.tail))
        packet.memory.write(_address(packet, command), data)
    elif command.post_sync == FlushOperation.WRITE_TIMESTAMP:
        time = packet.context.registers.read_wide(TIMESTAMP)
        packet.memory.write(_address(packet, command), time.to_bytes(8, "little"))


def _address(packet: Packet, command: PipeControl | MiFlushDw) -> int:
    """Where a command writes to."""
    if command.store_data_index:
        return packet.context.registers.status_page + command.address % STATUS_PAGE_B
    return command.address


def _semaphore(packet: Packet, command: MiSemaphoreMbox) -> None:
    """Of other engines' registers all that came before is done; nobody else writes to memory meanwhile."""
    if command.compare and not command.compare_register:
        found = int.from_bytes(packet.memory.read(command.semaphore_address, 4), "little")
        if found <= command.data:
            raise CaptureError(
                f"{command.name} waits for more than {command.data} at {command.semaphore_address:#x}, which holds "
                f"{found}: nobody changes it"
            )
    if command.update:
        packet.memory.write(command.semaphore_address, command.data.to_bytes(4, "little"))


def _of_displays(packet: Packet, _: MiWaitForEvent | MiDisplayFlip) -> None:
    packet.execution.notes.append("there is no display")


def _page_table(packet: Packet, command: MiUpdateGtt) -> None:
    """Buffer objects of a capture are where it says, whatever pages are behind them."""
    packet.execution.warnings.append("MI_UPDATE_GTT is privileged")
    packet.execution.notes.append("pages stay where they are")


HANDLERS: Handlers = {
    PipeControl: _pipe_control,
    MediaStateFlush: no_effect,
    MiFlushDw: _flush,
    MiFlush: no_effect,
    MiUserInterrupt: no_effect,
    MiArbCheck: no_effect,
    MiArbOnOff: no_effect,
    MiSuspendFlush: no_effect,
    MiClflush: no_effect,
    MiUpdateGtt: _page_table,
    MiSemaphoreMbox: _semaphore,
    MiWaitForEvent: _of_displays,
    MiDisplayFlip: _of_displays,
}
