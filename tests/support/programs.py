"""Submissions made of commands, states and assembled kernels, for tests."""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from support.captures import buffer, capture_bytes
from texsamp.emulator import Capture, CaseMemory
from texsamp.emulator.commands.streamer import CommandStreamer
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.dispatch.engines import Engines
from texsamp.emulator.eu.isa.assembler import assemble
from texsamp.state import BindingTableState, RenderSurfaceState, Struct
from texsamp.state.command import Command
from texsamp.state.commands_common import PipelineSelect, StateBaseAddress
from texsamp.state.commands_media import (
    InterfaceDescriptor,
    MediaCurbeLoad,
    MediaInterfaceDescriptorLoad,
    MediaObject,
    MediaVfeState,
)
from texsamp.state.commands_mi import MiBatchBufferEnd

BATCH, STATES, KERNELS, INDIRECT, DATA = 0x10000, 0x200000, 0x300000, 0x400000, 0x1000000
DATA_STEP = 0x100000
CURBE_AT, DESCRIPTORS_AT, TABLE_AT, SURFACES_AT, SAMPLERS_AT, COEFFICIENTS_AT = 0, 0x400, 0x800, 0xC00, 0x1800, 0x1C00
END = "send (8) null:ud r127.0<8;8,1>:ud spawner 0x02000010:ud {EOT}"
SELECT = PipelineSelect(selection="MEDIA")
VFE = MediaVfeState(max_threads=60, urb_entries=1, urb_entry_size=1, curbe_size=32)
BASES = StateBaseAddress(
    surface_state_base=STATES, surface_state_modify=True, dynamic_state_base=STATES, dynamic_state_modify=True,
    instruction_base=KERNELS, instruction_modify=True, indirect_object_base=INDIRECT, indirect_object_modify=True,
    general_state_base=DATA, general_state_modify=True,
)  # fmt: skip
CURBE = MediaCurbeLoad(data_length=256, data_start=CURBE_AT)
DESCRIPTORS = MediaInterfaceDescriptorLoad(data_length=64, data_start=DESCRIPTORS_AT)
where_threads_run = None
"""A device; the host if None."""
SET_UP = (SELECT, BASES, VFE, CURBE, DESCRIPTORS)


_assembled = cache(assemble)
"""Kernels of tests are the same on the host and on a device, and in most rows of a table."""


def data_address(number: int) -> int:
    """Graphics address of data buffer `number`."""
    return DATA + number * DATA_STEP


class Program:
    """A submission: commands, kernels, surfaces with binding table indices 0, 1, ..., and data buffers they use."""

    def __init__(
        self,
        commands: Iterable[Command],
        *kernels: str,
        surfaces: Sequence[Struct] = (),
        data: Sequence[bytes] = (),
        curbe: bytes = b"",
        indirect: bytes = b"",
        states: dict[int, bytes] | None = None,
        **descriptor: object,
    ) -> None:
        code = bytearray(0x10000)
        layout = bytearray(0x3000)
        for number, kernel in enumerate(kernels):
            assembled = _assembled(f"{kernel}\n{END}")
            code[number * 0x4000 : number * 0x4000 + len(assembled)] = assembled
            fields = {"kernel_start": number * 0x4000, "binding_table_pointer": TABLE_AT} | descriptor
            at = DESCRIPTORS_AT + 32 * number
            layout[at : at + 32] = InterfaceDescriptor(**fields).pack()
        layout[CURBE_AT : CURBE_AT + len(curbe)] = curbe
        for number, surface in enumerate(surfaces):
            at = SURFACES_AT + 32 * number
            layout[TABLE_AT + 4 * number : TABLE_AT + 4 * number + 4] = BindingTableState(
                surface_state_pointer=at
            ).pack()
            layout[at : at + 32] = surface.pack()
        for at, contents in (states or {}).items():
            layout[at : at + len(contents)] = contents
        batch = b"".join(command.pack() for command in (*commands, MiBatchBufferEnd()))
        parts = [buffer(1, BATCH, batch), buffer(2, STATES, bytes(layout)), buffer(3, KERNELS, bytes(code))]
        if indirect:
            parts.append(buffer(4, INDIRECT, indirect))
        parts += [buffer(10 + number, data_address(number), contents) for number, contents in enumerate(data)]
        self.contents = capture_bytes(*parts)
        self.capture = Capture.from_bytes(self.contents, "program")
        self.memory = CaseMemory()
        self.memory.enter(self.capture)
        self.context = LogicalContext()

    def run(self, steps: int = 100_000) -> list:
        """Execute; returns what was executed."""
        return list(
            CommandStreamer(Engines(self.memory, where_threads_run), self.context).run(self.capture, Budget(steps))
        )

    def data(self, number: int = 0) -> np.ndarray:
        """Bytes of a data buffer now."""
        return np.frombuffer(bytes(self.memory.image(10 + number)), np.uint8)


def objects(inline: np.ndarray, **fields: object) -> list[MediaObject]:
    """One MEDIA_OBJECT per row of dwords."""
    return [MediaObject(tail=[int(value) for value in row], **fields) for row in np.atleast_2d(inline)]


def buffer_surface(number: int, size_B: int) -> RenderSurfaceState:
    """Surface state of a data buffer seen as a buffer of 16-byte elements."""
    return RenderSurfaceState(
        surface_type="SURFTYPE_BUFFER", base_address=data_address(number), entries=size_B // 16, pitch=16
    )
