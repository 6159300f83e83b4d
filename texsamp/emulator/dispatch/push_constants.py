"""Push constants as a stage's threads get them: registers of up to four buffers, one behind the other."""

from __future__ import annotations

from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.eu.threads import REGISTER_B
from texsamp.state.commands_3d import Constants


def push_constants(memory: CaseMemory, context: LogicalContext, command: Constants) -> bytes:
    """Bytes of the buffers of a 3DSTATE_CONSTANT command, without gaps, 32 for each register.

    Buffer 0 counts from Dynamic State Base unless INSTPM says that it is an address (volume 1 part 3, page 70); the
    others are addresses. CaptureError for what is not mapped.
    """
    found = bytearray()
    for number, (length, start) in enumerate(zip(command.read_lengths, command.buffers, strict=True)):
        offset = number == 0 and not context.registers.absolute_constants
        if length:
            found += memory.read(start + (context.bases.dynamic if offset else 0), length * REGISTER_B)
    return bytes(found)
