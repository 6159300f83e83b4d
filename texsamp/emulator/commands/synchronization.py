"""PIPE_CONTROL: writes behind everything that came before; there is nothing to flush (seed 002:345-396)."""

from __future__ import annotations

from texsamp.emulator.commands.packet import Handlers, Packet, no_effect
from texsamp.emulator.context.registers import PS_DEPTH_COUNT, TIMESTAMP
from texsamp.errors import CaptureError
from texsamp.state.commands_common import PipeControl, PostSyncOperation
from texsamp.state.commands_media import MediaStateFlush

_COUNTERS = {
    PostSyncOperation.WRITE_TIMESTAMP: TIMESTAMP,
    PostSyncOperation.WRITE_PS_DEPTH_COUNT: PS_DEPTH_COUNT,
}
"""Registers that PIPE_CONTROL writes (seed 002:351-358). As nothing is drawn, no pixels are counted."""


def _pipe_control(packet: Packet, command: PipeControl) -> None:
    if command.post_sync == PostSyncOperation.NO_WRITE:
        return
    if command.lri_post_sync or command.store_data_index:
        raise CaptureError("post-sync writes to registers and the status page are not executed")
    counter = _COUNTERS.get(command.post_sync)
    if counter is None:
        value = command.immediate | (command.tail[0] if command.tail else 0) << 32
    else:
        value = packet.context.registers.read_wide(counter)
    packet.memory.write(command.address, value.to_bytes(8, "little"))


HANDLERS: Handlers = {PipeControl: _pipe_control, MediaStateFlush: no_effect}
