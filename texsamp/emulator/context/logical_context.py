"""What commands set and later ones use: base addresses, the pipeline, the state of media pipeline and sampler."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from texsamp.emulator.context.deinterlace_walker import DeinterlaceWalker
from texsamp.emulator.context.kept_commands import combined, number_of
from texsamp.emulator.context.registers import Registers
from texsamp.emulator.context.sampler_settings import SamplerSettings
from texsamp.emulator.context.shared_memory import SharedBytes
from texsamp.emulator.context.sizes import HALF_SLICES, SHARED_MEMORY_B, URB_B
from texsamp.emulator.context.spawned_roots import SpawnedRoots
from texsamp.emulator.context.urb_space import L3CNTLREG2, L3CNTLREG2_DEFAULT, UrbHandles, urb_size_B
from texsamp.state.command import Command
from texsamp.state.commands_3d import (
    BindingTablePointers,
    Constants,
    PushConstantAlloc,
    SamplerStatePointers,
    UrbAlloc,
)
from texsamp.state.commands_blitter import XySetupBlt, XySetupClipBlt, XySetupMonoPatternSlBlt
from texsamp.state.commands_common import Pipeline, StateBaseAddress
from texsamp.state.commands_media import MediaVfeState
from texsamp.state.decode import RawCommand
from texsamp.state.generation import Generation

_Command = TypeVar("_Command", bound=Command)
_OfStage = TypeVar("_OfStage", BindingTablePointers, SamplerStatePointers, Constants, PushConstantAlloc, UrbAlloc)
_SEVENTH = Generation.of(7)
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
    """State of one logical context. curbe, descriptors: bytes as they were when they were loaded.

    device: the graphics processor, as captures name it. generation: by whose structures commands are read.
    descriptors_at: where the descriptors came from, behind the dynamic base. gateway_reset_at: the time when the
    gateway's relative clock was reset. spawned_roots: what threads have sent to synchronized root threads.
    last: of every class of commands that set state the last one, in the order they came, with what it leaves of earlier
    ones; of chroma keys and stream-out buffers the last one of each, of palettes the last one of each length.
    stores_to_come: stores to memory after which the first recipe of read-back synchronization is done (seed
    002:311-343).
    """

    bases: Bases = field(default_factory=Bases)
    registers: Registers = field(default_factory=Registers)
    sampler_settings: SamplerSettings = field(default_factory=SamplerSettings)
    deinterlace_walker: DeinterlaceWalker = field(default_factory=DeinterlaceWalker)
    urb: SharedBytes = field(default_factory=lambda: SharedBytes(URB_B))
    shared_memory: SharedBytes = field(default_factory=lambda: SharedBytes(HALF_SLICES * SHARED_MEMORY_B))
    pipeline: Pipeline = Pipeline.PIPELINE_3D
    vfe: MediaVfeState | None = None
    curbe: bytes = b""
    descriptors: bytes = b""
    descriptors_at: int = 0
    device: str = ""
    generation: Generation = _SEVENTH
    gateway_reset_at: int = 0
    urb_handles: UrbHandles = field(default_factory=UrbHandles)
    blitter_setup: XySetupBlt | XySetupMonoPatternSlBlt | None = None
    blitter_clip: XySetupBlt | XySetupMonoPatternSlBlt | XySetupClipBlt | None = None
    spawned_roots: SpawnedRoots = field(default_factory=SpawnedRoots)
    stores_to_come: int = 0
    last: dict[tuple[str, int], Command | RawCommand] = field(default_factory=dict)

    @property
    def urb_size_B(self) -> int:  # noqa: N802 - the unit
        """Bytes of `urb` that are there."""
        return urb_size_B(self.device, self.registers.read(L3CNTLREG2, L3CNTLREG2_DEFAULT))

    def keep(self, command: Command | RawCommand) -> None:
        """Remember a command that sets state."""
        key = command.name, number_of(command)
        self.last[key] = combined(self.last.pop(key, None), command)

    def latest(self, kind: type[_Command]) -> _Command:
        """The last command of a class; one with its default fields if there was none."""
        command = self.last.get((kind.name, 0))
        return command if isinstance(command, kind) else kind()

    def of_stage(self, kind: type[_OfStage], stage: str) -> _OfStage | None:
        """The last of the commands that are one class for every stage, such as `Constants`; None if there was none."""
        found = (command for command in self.last.values() if isinstance(command, kind))
        return next((command for command in found if command.stage == stage), None)

    def forget_media(self) -> None:
        """Generic Media State Clear: what is invalid is not saved with the context, either (seed 002:403-441)."""
        self.vfe, self.curbe, self.descriptors = None, b"", b""
        self._drop("MEDIA_")

    def forget_constants(self) -> None:
        """Indirect State Pointers Disable: packets of constant buffers are not restored (seed 002:422-430)."""
        self._drop("3DSTATE_CONSTANT_")

    def _drop(self, prefix: str) -> None:
        self.last = {key: command for key, command in self.last.items() if not key[0].startswith(prefix)}

    def forget(self) -> None:
        """Begin anew, but for registers that belong to no context and the memories on the chip."""
        fresh = LogicalContext(
            registers=self.registers,
            urb=self.urb,
            shared_memory=self.shared_memory,
            device=self.device,
            generation=self.generation,
        )
        fresh.registers.restore({})
        vars(self).update(vars(fresh))
