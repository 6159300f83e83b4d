"""The image of a logical context in memory: commands that bring its state back (seed 002:558-802).

The manual lists what an image holds, registers and commands, and calls it opaque. This one holds them in the order in
which they came, behind an MI_NOOP that says whose it is.
"""

from __future__ import annotations

from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.state.command import Command
from texsamp.state.commands_common import StateBaseAddress
from texsamp.state.commands_mi import MiBatchBufferEnd, MiLoadRegisterImm, MiNoop
from texsamp.state.decode import RawCommand

MARK = MiNoop(write_identification=True, identification=0x17C0DE)
"""The first command of an image."""
_MOST_PAIRS = 1 + MiLoadRegisterImm.tail_count[1]


def image_of(context: LogicalContext) -> bytes:
    """Commands that restore a context, as bytes: base addresses and registers, then the last command of each class."""
    bases = context.bases
    commands: list[Command | RawCommand] = [
        MARK,
        StateBaseAddress(
            general_state_base=bases.general, general_state_modify=True,
            surface_state_base=bases.surface, surface_state_modify=True,
            dynamic_state_base=bases.dynamic, dynamic_state_modify=True,
            indirect_object_base=bases.indirect, indirect_object_modify=True,
            instruction_base=bases.instruction, instruction_modify=True,
        ),
    ]  # fmt: skip
    pairs = list(context.registers.saved().items())
    for first in range(0, len(pairs), _MOST_PAIRS):
        (offset, value), *others = pairs[first : first + _MOST_PAIRS]
        tail = [dword for pair in others for dword in pair]
        commands.append(MiLoadRegisterImm(register_offset=offset, data=value, tail=tail))
    commands += [*context.last.values(), MiBatchBufferEnd()]
    return b"".join(command.pack() for command in commands)
