"""Commands that start threads."""

from __future__ import annotations

import numpy as np

from texsamp.emulator.commands.packet import Handlers, Packet
from texsamp.emulator.context.registers import DISPATCH_DIMENSIONS
from texsamp.emulator.dispatch.runner import Dispatch
from texsamp.state.commands_media import GpgpuWalker, MediaObject, MediaObjectPrt, MediaObjectWalker


def _objects(packet: Packet, command: MediaObject) -> Dispatch:
    """A run of MEDIA_OBJECTs that differ only in their inline data and half-slices."""
    located = packet.located
    dwords = MediaObject.dwords + len(command.tail)
    data = packet.memory.read(located.address, 4 * dwords * located.count)
    rows = np.frombuffer(data, "<u4").reshape(located.count, dwords)
    halves = (rows[:, 2] >> 17 & 3).astype(np.int64)
    return packet.engines.media.objects(packet.execution, command, rows[:, MediaObject.dwords :], halves)


def _persistent(packet: Packet, command: MediaObjectPrt) -> Dispatch:
    return packet.engines.media.persistent(packet.execution, command)


def _media_walk(packet: Packet, command: MediaObjectWalker) -> Dispatch:
    return packet.engines.media.walk(packet.execution, command)


def _groups(packet: Packet, command: GpgpuWalker) -> Dispatch | None:
    """Groups as the command or, if it is indirect, registers count them; None if the predicate drops them."""
    registers = packet.context.registers
    if command.predicate_enable and not registers.predicate:
        return None
    counts = (command.end_x, command.end_y, command.end_z)
    if command.indirect_parameter:
        x, y, z = (registers.read(offset) for offset in DISPATCH_DIMENSIONS)
        counts = (x, y, z)
    return packet.engines.compute.walk(packet.execution, command, counts)


HANDLERS: Handlers = {
    MediaObject: _objects,
    MediaObjectPrt: _persistent,
    MediaObjectWalker: _media_walk,
    GpgpuWalker: _groups,
}
