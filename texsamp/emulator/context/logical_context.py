"""What commands set and later ones use: base addresses, the pipeline, the state of media pipeline and sampler."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.deinterlace_walker import DeinterlaceWalker
from texsamp.emulator.context.registers import Registers
from texsamp.emulator.context.sampler_settings import SamplerSettings
from texsamp.emulator.context.sizes import HALF_SLICES, SHARED_MEMORY_B, URB_B
from texsamp.state.commands_common import Pipeline, StateBaseAddress
from texsamp.state.commands_media import MediaVfeState

_BASES = {
    "general": ("general_state_base", "general_state_modify"),
    "surface": ("surface_state_base", "surface_state_modify"),
    "dynamic": ("dynamic_state_base", "dynamic_state_modify"),
    "indirect": ("indirect_object_base", "indirect_object_modify"),
    "instruction": ("instruction_base", "instruction_modify"),
}


@dataclass
class Bases:
    """Base addresses; each changes only where STATE_BASE_ADDRESS sets its modify bit."""

    general: int = 0
    surface: int = 0
    dynamic: int = 0
    indirect: int = 0
    instruction: int = 0

    def take(self, command: StateBaseAddress) -> None:
        """Take over what the command modifies."""
        for name, (base, modify) in _BASES.items():
            if getattr(command, modify):
                setattr(self, name, getattr(command, base))


@dataclass
class LogicalContext:
    """State of one logical context. curbe, descriptors: bytes as they were when they were loaded."""

    bases: Bases = field(default_factory=Bases)
    registers: Registers = field(default_factory=Registers)
    sampler_settings: SamplerSettings = field(default_factory=SamplerSettings)
    deinterlace_walker: DeinterlaceWalker = field(default_factory=DeinterlaceWalker)
    urb: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(URB_B, np.uint8))
    shared_memory: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(HALF_SLICES * SHARED_MEMORY_B, np.uint8))
    pipeline: Pipeline = Pipeline.PIPELINE_3D
    vfe: MediaVfeState | None = None
    curbe: bytes = b""
    descriptors: bytes = b""
