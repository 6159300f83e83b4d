"""Commands that set what later ones use: bases, the pipeline, constants, descriptors, tables, how blits are drawn."""

from __future__ import annotations

from texsamp.emulator.commands.packet import Handlers, Packet, no_effect
from texsamp.emulator.context.registers import TIMESTAMP
from texsamp.emulator.context.urb_space import UrbHandles
from texsamp.state.command import Command
from texsamp.state.commands_blitter import XySetupBlt, XySetupClipBlt, XySetupMonoPatternSlBlt
from texsamp.state.commands_common import PipelineSelect, StateBaseAddress, StateSip, SwTessBaseAddress
from texsamp.state.commands_media import MediaCurbeLoad, MediaInterfaceDescriptorLoad, MediaVfeState
from texsamp.state.commands_mi import MiTopologyFilter
from texsamp.state.commands_sampler import ChromaKey, MonofilterSize, PaletteLoad, PaletteLoad0, PaletteLoad1
from texsamp.state.decode import RawCommand


def _bases(packet: Packet, command: StateBaseAddress) -> None:
    packet.context.bases.take(command)


def _pipeline(packet: Packet, command: PipelineSelect) -> None:
    packet.context.pipeline = command.selection


def _vfe(packet: Packet, command: MediaVfeState) -> None:
    packet.context.vfe = command
    packet.context.urb_handles = UrbHandles(command)
    if command.reset_gateway_timer:
        packet.context.gateway_reset_at = packet.context.registers.read_wide(TIMESTAMP)


def _curbe(packet: Packet, command: MediaCurbeLoad) -> None:
    start = packet.context.bases.dynamic + command.data_start
    packet.context.curbe = packet.memory.read(start, command.data_length)


def _descriptors(packet: Packet, command: MediaInterfaceDescriptorLoad) -> None:
    start = packet.context.bases.dynamic + command.data_start
    packet.context.descriptors = packet.memory.read(start, command.data_length)
    packet.context.descriptors_at = command.data_start


def _chroma_key(packet: Packet, command: ChromaKey) -> None:
    packet.context.sampler_settings.take_key(command)


def _palette(packet: Packet, command: PaletteLoad) -> None:
    packet.context.sampler_settings.take_palette(command)


def _mono_size(packet: Packet, command: MonofilterSize) -> None:
    packet.context.sampler_settings.take_mono_size(command)


def _blitter(packet: Packet, command: XySetupBlt | XySetupMonoPatternSlBlt) -> None:
    packet.context.blitter_setup = packet.context.blitter_clip = command


def _blitter_clip(packet: Packet, command: XySetupClipBlt) -> None:
    packet.context.blitter_clip = command


STATE_OF_DRAWS = "3DSTATE_"


def is_state(command: Command | RawCommand) -> bool:
    """Whether a command only sets what later ones use."""
    return command.name.startswith(STATE_OF_DRAWS) or type(command) in HANDLERS


HANDLERS: Handlers = {
    StateBaseAddress: _bases,
    PipelineSelect: _pipeline,
    StateSip: no_effect,
    SwTessBaseAddress: no_effect,
    MediaVfeState: _vfe,
    MediaCurbeLoad: _curbe,
    MediaInterfaceDescriptorLoad: _descriptors,
    ChromaKey: _chroma_key,
    PaletteLoad0: _palette,
    PaletteLoad1: _palette,
    MonofilterSize: _mono_size,
    MiTopologyFilter: no_effect,
    XySetupBlt: _blitter,
    XySetupMonoPatternSlBlt: _blitter,
    XySetupClipBlt: _blitter_clip,
}
