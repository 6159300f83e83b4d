"""Commands of the blitter."""

from __future__ import annotations

from texsamp.emulator.commands.blitter import color_fill
from texsamp.emulator.commands.packet import Handlers, Packet
from texsamp.state.commands_mi import XyColorBlt


def _color_fill(packet: Packet, command: XyColorBlt) -> None:
    color_fill(packet.memory, command, packet.execution.budget)


HANDLERS: Handlers = {XyColorBlt: _color_fill}
