"""What the threads of a stage have in common when they start, whatever stage that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from texsamp.state.commands_media import FloatingPointMode, InterfaceDescriptor, RoundingMode

SPAWNER = 7
"""Fixed function that starts media and compute threads: its number as a shared function."""
NOT_PRINTED = 0
"""Number of a fixed function of the 3D pipeline, which the manual does not print (volume 4 part 3, page 45)."""


@dataclass(frozen=True)
class ThreadStart:
    """Kernel, tables and modes. kernel_start: from Instruction Base; tables: from Dynamic and Surface State Base.

    fixed_function: what sr0.0 says starts the threads; only the spawner's may start others.
    """

    kernel_start: int
    sampler_table: int = 0
    binding_table: int = 0
    fixed_function: int = NOT_PRINTED
    single_program_flow: bool = False
    alternative_floats: bool = False
    rounding_mode: RoundingMode = RoundingMode.RTNE
    software_exception: bool = False
    illegal_opcode_exception: bool = False
    mask_stack_exception: bool = False

    @classmethod
    def of_descriptor(cls, descriptor: InterfaceDescriptor) -> Self:
        """What an interface descriptor says of media and compute threads."""
        return cls(
            kernel_start=descriptor.kernel_start,
            sampler_table=descriptor.sampler_state_pointer,
            binding_table=descriptor.binding_table_pointer,
            fixed_function=SPAWNER,
            single_program_flow=bool(descriptor.single_program_flow),
            alternative_floats=descriptor.floating_point_mode != FloatingPointMode.IEEE_754,
            rounding_mode=RoundingMode(descriptor.rounding_mode),
            software_exception=bool(descriptor.software_exception),
            illegal_opcode_exception=bool(descriptor.illegal_opcode_exception),
            mask_stack_exception=bool(descriptor.mask_stack_exception),
        )
