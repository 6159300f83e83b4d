"""Kernels that the commands of a submission start: where they begin, and their instructions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.eu.isa.codec import Located, kernel
from texsamp.emulator.files.capture import LocatedCommand
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import Primitive, VertexShader
from texsamp.state.commands_common import StateBaseAddress
from texsamp.state.commands_media import (
    GpgpuWalker,
    InterfaceDescriptor,
    MediaInterfaceDescriptorLoad,
    MediaObject,
    MediaObjectPrt,
    MediaObjectWalker,
)
from texsamp.state.commands_raster import PixelShader, Windower

_THREADS = (MediaObject, MediaObjectPrt, MediaObjectWalker, GpgpuWalker)


@dataclass(frozen=True, slots=True)
class StartedKernel:
    """A kernel and what starts it; offsets of its instructions count from its address."""

    address: int
    role: str
    instructions: tuple[Located, ...]


@dataclass
class _Finder:
    memory: CaseMemory
    instruction_base: int = 0
    dynamic_base: int = 0
    descriptors: int = 0
    vertex: VertexShader | None = None
    pixel: PixelShader | None = None
    pixels_run: bool = False

    def starts(self, command: object) -> list[tuple[int, str]]:
        """Addresses and roles of the kernels a command starts; other commands are taken note of."""
        if isinstance(command, StateBaseAddress):
            if command.instruction_modify:
                self.instruction_base = command.instruction_base
            if command.dynamic_state_modify:
                self.dynamic_base = command.dynamic_state_base
        elif isinstance(command, MediaInterfaceDescriptorLoad):
            self.descriptors = self.dynamic_base + command.data_start
        elif isinstance(command, VertexShader):
            self.vertex = command
        elif isinstance(command, PixelShader):
            self.pixel = command
        elif isinstance(command, Windower):
            self.pixels_run = command.thread_dispatch
        elif isinstance(command, _THREADS):
            return [self.thread(command.interface_descriptor)]
        elif isinstance(command, Primitive) and command.vertex_count:
            return self.draw()
        return []

    def thread(self, number: int) -> tuple[int, str]:
        """Kernel of an interface descriptor."""
        size = InterfaceDescriptor.dwords * 4
        data = self.memory.read(self.descriptors + number * size, size)
        descriptor = InterfaceDescriptor.unpack(data, strict=False)
        return self.instruction_base + descriptor.kernel_start, f"interface descriptor {number}"

    def draw(self) -> list[tuple[int, str]]:
        """Kernels of the shaders of a draw."""
        found = []
        if self.vertex is not None and self.vertex.enable:
            found.append((self.instruction_base + self.vertex.kernel_start, "vertex shader"))
        if self.pixel is not None and self.pixels_run:
            found += [(self.instruction_base + start, role) for start, role in _pixel_kernels(self.pixel)]
        return found


def _pixel_kernels(shader: PixelShader) -> list[tuple[int, str]]:
    """Start offsets of the kernels in use: an only one is kernel 0, else 8, 32 and 16 pixels have 0, 1 and 2."""
    starts = (shader.kernel_start_0, shader.kernel_start_1, shader.kernel_start_2)
    sizes = ((shader.dispatch_8, "8"), (shader.dispatch_32, "32"), (shader.dispatch_16, "16"))
    used = [(start, size) for start, (enabled, size) in zip(starts, sizes, strict=True) if enabled]
    if len(used) == 1:
        used = [(starts[0], used[0][1])]
    return [(start, f"pixel shader, {size} pixels") for start, size in used]


def kernels_of_commands(
    memory: CaseMemory, commands: Iterable[LocatedCommand]
) -> Iterator[tuple[LocatedCommand, list[tuple[int, str]]]]:
    """Every command with address and role of the kernels that it starts."""
    finder = _Finder(memory)
    for located in commands:
        yield located, finder.starts(located.command)


def started_kernels(memory: CaseMemory, commands: list[LocatedCommand]) -> list[StartedKernel]:
    """Every kernel the commands start, once, in the order of use; CaptureError, with the address, if one is illegal."""
    found = dict[int, StartedKernel]()
    for _, starts in kernels_of_commands(memory, commands):
        for address, role in starts:
            if address not in found:
                found[address] = StartedKernel(address, role, read_kernel(memory, address))
    return list(found.values())


def read_kernel(memory: CaseMemory, address: int) -> tuple[Located, ...]:
    """Decode the kernel at an address; CaptureError, with the address, if it is illegal or not mapped."""
    buffer = memory.find(address)
    image = memoryview(memory.image(buffer.handle))
    try:
        return tuple(kernel(image[address - buffer.address :]))
    except CaptureError as error:
        raise CaptureError(f"kernel at {address:#x}: {error}") from None
