"""States the commands of a submission refer to, followed through base addresses, descriptors and binding tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.context.surfaces import read_state
from texsamp.emulator.files.capture import Capture, LocatedCommand
from texsamp.errors import CaptureError, StateError
from texsamp.state import (
    BindingTableState,
    BorderColorState,
    BorderColorStateDx9,
    DeinterlaceSamplerState,
    MediaSurfaceState,
    RenderSurfaceState,
    Sample8x8SamplerState,
    Sampler8x8State,
    SamplerState,
    Struct,
)
from texsamp.state.command import Command
from texsamp.state.commands_3d import BindingTablePointers, Primitive, SamplerStatePointers, VertexShader
from texsamp.state.commands_common import Pipeline as PipelineName
from texsamp.state.commands_common import PipelineSelect, StateBaseAddress
from texsamp.state.commands_media import (
    GpgpuWalker,
    InterfaceDescriptor,
    MediaInterfaceDescriptorLoad,
    MediaObject,
    MediaObjectPrt,
    MediaObjectWalker,
)
from texsamp.state.pixel_state import (
    BlendState,
    BlendStatePointers,
    CcViewport,
    CcViewportPointers,
    ColorCalcState,
    ColorCalcStatePointers,
    DepthStencilState,
    DepthStencilStatePointers,
    ScissorPointers,
    ScissorRect,
    SfClipViewport,
    SfClipViewportPointers,
)
from texsamp.state.sampler import BorderColorMode

BINDING_TABLE_SLOTS = 256
SAMPLER_TABLE_LENGTH = 16
_SAMPLER_STRIDE_B = 16
_SAMPLERS_8X8 = (4, 8, 12)
"""Sampler indices, in 16-byte units, at which sample_8x8 can find its state besides 0."""

_PIXEL_POINTERS: dict[type[Struct], type[Struct]] = {
    BlendStatePointers: BlendState,
    CcViewportPointers: CcViewport,
    ColorCalcStatePointers: ColorCalcState,
    DepthStencilStatePointers: DepthStencilState,
    ScissorPointers: ScissorRect,
    SfClipViewportPointers: SfClipViewport,
}


@dataclass(frozen=True, slots=True)
class StateReference:
    """A state in memory: where it is, what refers to it, its leniently read contents, and what is illegal about it.

    A problem is no error by itself: slots that no kernel uses hold stale bytes.
    """

    address: int
    role: str
    state: Struct
    problem: str | None


@dataclass
class _Bases:
    surface: int = 0
    dynamic: int = 0
    instruction: int = 0

    def take(self, command: StateBaseAddress) -> None:
        if command.surface_state_modify:
            self.surface = command.surface_state_base
        if command.dynamic_state_modify:
            self.dynamic = command.dynamic_state_base
        if command.instruction_modify:
            self.instruction = command.instruction_base


@dataclass
class _Collector:
    capture: Capture
    memory: CaseMemory
    bases: _Bases = field(default_factory=_Bases)
    pipeline: PipelineName = PipelineName.PIPELINE_3D
    descriptors: tuple[int, int] = (0, 0)
    pointers: dict[str, int] = field(default_factory=dict)
    vertex_shader: bool = False
    pixel_states: dict[type[Struct], int] = field(default_factory=dict)
    found: dict[tuple[int, type[Struct]], StateReference] = field(default_factory=dict)
    relocated: set[int] = field(default_factory=set)
    followed: set[tuple[str, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.relocated = {
            buffer.address + relocation.offset for buffer in self.capture.buffers for relocation in buffer.relocations
        }

    def add(self, address: int, structure: type[Struct], role: str) -> Struct | None:
        """Note the state at `address` down, once, and return it; None if it is not in memory."""
        known = self.found.get((address, structure))
        if known is not None:
            return known.state
        try:
            state = structure.unpack(self.memory.read(address, structure.dwords * 4), strict=False)
        except CaptureError:
            return None
        problem = None
        try:
            state.check()
        except StateError as error:
            problem = str(error)
        self.found[address, structure] = StateReference(address, role, state, problem)
        return state

    def command(self, located: LocatedCommand) -> None:
        """Follow what one command refers to."""
        command = located.command
        if isinstance(command, StateBaseAddress):
            self.bases.take(command)
        elif isinstance(command, PipelineSelect):
            self.pipeline = command.selection
        elif isinstance(command, MediaInterfaceDescriptorLoad):
            self.descriptors = (self.bases.dynamic + command.data_start, command.data_length)
        elif isinstance(command, MediaObject | MediaObjectPrt | MediaObjectWalker | GpgpuWalker):
            self.thread(command.interface_descriptor)
        elif isinstance(command, BindingTablePointers):
            self.pointers[f"{command.stage} binding table"] = command.pointer
        elif isinstance(command, SamplerStatePointers):
            self.pointers[f"{command.stage} samplers"] = command.pointer
        elif isinstance(command, VertexShader):
            self.vertex_shader = command.enable
        elif isinstance(command, Primitive):
            self.draw(command)
        elif isinstance(command, Command) and type(command) in _PIXEL_POINTERS:
            self.pixel_states[_PIXEL_POINTERS[type(command)]] = command.values()["pointer"]

    def first_time(self, what: str, address: int) -> bool:
        """Whether this is the first use of a table or descriptor."""
        known = (what, address) in self.followed
        self.followed.add((what, address))
        return not known

    def thread(self, number: int) -> None:
        """Follow the interface descriptor a thread starts with."""
        start, length = self.descriptors
        size = InterfaceDescriptor.dwords * 4
        if (number + 1) * size > length:
            raise CaptureError(f"interface descriptor {number} of {length // size} is used")
        if not self.first_time("descriptor", start + number * size):
            return
        role = f"interface descriptor {number}"
        descriptor = self.add(start + number * size, InterfaceDescriptor, role)
        if not isinstance(descriptor, InterfaceDescriptor):
            raise CaptureError(f"{role} at {start + number * size:#x} is not mapped")
        self.surfaces(descriptor.binding_table_pointer, role)
        samplers = self.bases.dynamic + descriptor.sampler_state_pointer
        if self.pipeline == PipelineName.MEDIA:
            self.media_samplers(samplers, role)
        else:
            self.samplers(samplers, role)

    def draw(self, primitive: Primitive) -> None:
        """Follow what a draw uses of the vertex and pixel stages; draws without vertices use nothing."""
        if not primitive.vertex_count:
            return
        for stage in ("VS", "PS") if self.vertex_shader else ("PS",):
            if f"{stage} binding table" in self.pointers:
                self.surfaces(self.pointers[f"{stage} binding table"], stage)
            if f"{stage} samplers" in self.pointers:
                self.samplers(self.bases.dynamic + self.pointers[f"{stage} samplers"], stage)
        for structure, pointer in self.pixel_states.items():
            self.add(self.bases.dynamic + pointer, structure, "draw")

    def surfaces(self, pointer: int, role: str) -> None:
        """Follow a binding table; a slot counts if its surface has an applied relocation.

        In captures without relocations, such as AUB files, those of the 3D pipeline and of GPGPU count as long as they
        are legal and their memory is there.
        """
        table = self.bases.surface + pointer
        if not self.first_time("binding table", table):
            return
        for slot in range(BINDING_TABLE_SLOTS):
            try:
                entry = BindingTableState.unpack(self.memory.read(table + 4 * slot, 4), strict=False)
            except CaptureError:
                return
            address = self.bases.surface + entry.surface_state_pointer
            name = f"{role} surface {slot}"
            if address in self.relocated:
                self.add(address, MediaSurfaceState, name)
            elif address + 4 in self.relocated:
                self.add(address, RenderSurfaceState, name)
            elif not self.relocated:
                if self.pipeline == PipelineName.MEDIA or not self.looks_like_surface(address):
                    return
                self.add(address, RenderSurfaceState, name)

    def looks_like_surface(self, address: int) -> bool:
        """Whether there is a legal surface state whose memory is there."""
        try:
            state = read_state(self.memory, RenderSurfaceState, address)
            self.memory.find(state.base_address)
        except CaptureError:
            return False
        return True

    def samplers(self, address: int, role: str) -> None:
        """Follow a table of 3D samplers, as long as they look like samplers, and their border colors.

        No state says how many there are; the prefetch counts are hints that drivers leave at 0 or round up.
        """
        for number in range(SAMPLER_TABLE_LENGTH):
            name = f"{role} sampler {number}"
            sampler = self.add(address + number * _SAMPLER_STRIDE_B, SamplerState, name)
            if not isinstance(sampler, SamplerState):
                return
            if number and (self.found[address + number * _SAMPLER_STRIDE_B, SamplerState].problem or not sampler.image):
                del self.found[address + number * _SAMPLER_STRIDE_B, SamplerState]
                return
            if sampler.border_color_pointer:
                dx9 = sampler.border_color_mode == BorderColorMode.DX9
                border = BorderColorStateDx9 if dx9 else BorderColorState
                self.add(self.bases.dynamic + sampler.border_color_pointer, border, f"{name} border color")

    def media_samplers(self, address: int, role: str) -> None:
        """Follow the samplers of a media thread: sample_8x8 ones point to coefficients, else it is a deinterlacer's."""
        indices = [i for i in (0, *_SAMPLERS_8X8) if address + i * _SAMPLER_STRIDE_B + 4 in self.relocated]
        if not indices:
            self.add(address, DeinterlaceSamplerState, f"{role} deinterlace sampler")
        for index in indices:
            name = f"{role} sampler {index}"
            sampler = self.add(address + index * _SAMPLER_STRIDE_B, Sample8x8SamplerState, name)
            if isinstance(sampler, Sample8x8SamplerState):
                pointer = self.bases.dynamic + sampler.sampler_8x8_state_pointer
                self.add(pointer, Sampler8x8State, f"{name} coefficients")


def states_of_commands(
    capture: Capture, memory: CaseMemory, commands: Iterable[LocatedCommand]
) -> Iterator[tuple[LocatedCommand, list[StateReference]]]:
    """Every command with the states that it uses, found as in `referenced_states`; of draws and threads all of them."""
    collector = _Collector(capture, memory)
    for located in commands:
        collector.found, collector.followed = {}, set()
        collector.command(located)
        yield located, list(collector.found.values())


def referenced_states(capture: Capture, memory: CaseMemory, commands: list[LocatedCommand]) -> list[StateReference]:
    """Return every state the commands refer to, in the order of use; CaptureError if a descriptor is missing.

    Binding table slots count if their surface state holds an applied relocation, and as long as they look like surfaces
    where there are no relocations at all; sampler tables are followed as long as their elements are legal and not all
    zero.
    """
    collector = _Collector(capture, memory)
    for located in commands:
        collector.command(located)
    return list(collector.found.values())
