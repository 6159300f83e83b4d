"""MI_SET_CONTEXT: the present context is saved to memory, another one restored (volume 1 part 3, pages 184-186)."""

from __future__ import annotations

from texsamp.emulator.commands import state
from texsamp.emulator.commands.packet import Handlers, Packet, no_effect
from texsamp.emulator.context.image import MARK, image_of
from texsamp.emulator.context.registers import CCID
from texsamp.emulator.files.capture import walk
from texsamp.errors import CaptureError
from texsamp.state.commands_mi import MiBatchBufferEnd, MiLoadRegisterImm, MiNoop, MiSetContext

_ADDRESS = ~0xFFF & 0xFFFFFFFF
_VALID = 1
_FLAGS = 0b1100
"""Extended state save and restore, which the register keeps; here all state is saved and restored."""


def _set_context(packet: Packet, command: MiSetContext) -> None:
    if command.force_restore and command.restore_inhibit:
        raise CaptureError("MI_SET_CONTEXT cannot both force and inhibit the restore")
    packet.execution.warnings.append("MI_SET_CONTEXT is permitted only within a ring buffer")
    registers = packet.context.registers
    present, address = registers.read(CCID), command.context_address
    same = bool(present & _VALID) and present & _ADDRESS == address
    if same and not command.force_restore:
        return
    if present & _VALID and not same:
        packet.memory.write(present & _ADDRESS, image_of(packet.context))
    if not command.restore_inhibit:
        _restore(packet, address)
    registers.write(CCID, address | command.to_dwords()[1] & _FLAGS | _VALID)


def _restore(packet: Packet, address: int) -> None:
    if packet.memory.read(address, 4) != MARK.pack():
        raise CaptureError(f"no image of a context is at {address:#x}: those of hardware are opaque")
    packet.context.forget()
    saved: dict[int, int] = {}
    for located in walk(packet.memory, address, generation=packet.execution.context.generation.number):
        command = located.command
        if isinstance(command, MiLoadRegisterImm):
            saved.update(command.writes)
            continue
        if not state.is_state(command) and not isinstance(command, MiNoop | MiBatchBufferEnd):
            raise CaptureError(f"the image of a context at {address:#x} holds {command.name}")
        state.HANDLERS.get(type(command), no_effect)(packet, command)
        packet.context.keep(command)
    packet.context.registers.restore(saved)


HANDLERS: Handlers = {MiSetContext: _set_context}
