"""Push constants as a stage's threads get them: registers of up to four buffers, one behind the other."""

from __future__ import annotations

from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.eu.registers.threads import REGISTER_B
from texsamp.state.commands_3d import STAGES, Constants, PushConstantAlloc

_KB = 1 << 10
_SPACE_KB = 16
"""Of the URB that push constants can have."""


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


def allocation_violations(context: LogicalContext) -> list[str]:
    """What the manual forbids about the stages' space in the URB and the constants they push (seed 004:507-902).

    A stage whose space no command has set is not judged.
    """
    found = []
    for stage in STAGES:
        space, constants = context.of_stage(PushConstantAlloc, stage), context.of_stage(Constants, stage)
        if space is None:
            continue
        if space.offset + space.size > _SPACE_KB:
            found.append(f"{space.name}: {space.offset} and {space.size} KB are beyond the {_SPACE_KB} KB there are")
        pushed = 0 if constants is None else sum(constants.read_lengths) * REGISTER_B
        if constants is not None and pushed > space.size * _KB:
            found.append(f"{constants.name} pushes {pushed} bytes, {space.name} has room for {space.size * _KB}")
    return found
