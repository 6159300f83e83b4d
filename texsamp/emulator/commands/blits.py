"""Commands of the blitter."""

from __future__ import annotations

from texsamp.emulator.commands.blitter import blit
from texsamp.emulator.commands.packet import Handlers, Packet
from texsamp.state.commands_mi import XyColorBlt, XyPatBlt, XySetupClipBlt, XySrcCopyBlt


def _blit(packet: Packet, command: XyColorBlt | XyPatBlt | XySrcCopyBlt) -> None:
    blit(packet.memory, command, packet.context.blitter_clip, packet.execution.budget)


def _clip(packet: Packet, command: XySetupClipBlt) -> None:
    packet.context.blitter_clip = command


HANDLERS: Handlers = {XyColorBlt: _blit, XyPatBlt: _blit, XySrcCopyBlt: _blit, XySetupClipBlt: _clip}
