"""State of draws for tests of the vertex side: vertex buffers, shaders, their constants and URB."""

from dataclasses import replace

import numpy as np

from support.captures import buffer, capture_bytes
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.dispatch.geometry import GeometryPipeline
from texsamp.emulator.dispatch.runner import Runner
from texsamp.emulator.eu.isa.assembler import assemble
from texsamp.emulator.files.capture import Capture
from texsamp.state.commands_3d import (
    Primitive,
    VertexBuffers,
    VertexBufferState,
    VertexElements,
    VertexElementState,
)
from texsamp.state.registry import structure

KERNELS, VERTICES, INDICES, CONSTANTS, OUTPUT = 0x100000, 0x200000, 0x300000, 0x400000, 0x500000
KERNEL_STEP, OUTPUT_B = 0x4000, 0x4000
STAGES = {"VS": 0, "HS": 1, "DS": 2, "GS": 3}
HEADER = """
    mov (8) r112.0<1>:ud r0.0<8;8,1>:ud {NoMask}
    mov (1) r112.5<1>:ud 0xff00:ud {NoMask}
"""


def stage_command(name, stage, **fields):
    """A command that there is one of for every stage."""
    return structure(f"{name}_{stage}")(**fields)


def write_slots(count, *, first=0, end=True):
    """A write of `count` registers behind r112 to the entries of both vertices, from a pair of slots on."""
    word = (1 + count) << 25 | 0x8C000 | first << 3
    return f"send (8) null<1>.xyzw:f r112.0<4>.xyzw:f urb {word:#010x}:ud {{align16{', EOT' if end else ''}}}\n"


class Draw:
    """A context with kernels by stage, vertices of float4 elements, and what a test sets beside them."""

    def __init__(self, elements, kernels=None, *, indices=None, constants=None, settings=(), **counts):
        """elements: (vertices, elements, 4), 32 bits each. settings: more state commands."""
        elements = np.ascontiguousarray(elements)
        code = bytearray(len(STAGES) * KERNEL_STEP)
        for stage, text in (kernels or {}).items():
            assembled = assemble(text)
            code[STAGES[stage] * KERNEL_STEP : STAGES[stage] * KERNEL_STEP + len(assembled)] = assembled
        pitch = elements[0].nbytes
        parts = [
            buffer(1, KERNELS, bytes(code)),
            buffer(2, VERTICES, elements.tobytes()),
            buffer(3, OUTPUT, bytes(OUTPUT_B)),
        ]
        if indices is not None:
            parts.append(buffer(4, INDICES, np.ascontiguousarray(indices).tobytes()))
        if constants is not None:
            parts.append(buffer(5, CONSTANTS, np.ascontiguousarray(constants).tobytes()))
        self.memory, self.context = CaseMemory(), LogicalContext()
        self.memory.enter(Capture.from_bytes(capture_bytes(*parts), "a draw"))
        self.context.bases.instruction = KERNELS
        self.context.bases.dynamic = CONSTANTS
        self.set(
            VertexBuffers(
                tail=[
                    VertexBufferState(
                        address_modify=True, pitch=pitch, start_address=VERTICES,
                        end_address=VERTICES + elements.nbytes - 1,
                    )
                ]
            ),
            VertexElements(
                tail=[
                    VertexElementState(
                        valid=True, format="R32G32B32A32_UINT", offset=16 * n, component_0=1, component_1=1,
                        component_2=1, component_3=1,
                    )
                    for n in range(elements.shape[1])
                ]
            ),
            *settings,
        )  # fmt: skip
        self.command = Primitive(**{"vertex_count": len(elements), "instance_count": 1, **counts})

    def set(self, *commands):
        for command in commands:
            self.context.keep(command)

    def run(self, budget=100_000):
        execution = Execution(self.context, Budget(budget), "a draw")
        made = GeometryPipeline(Runner(self.memory)).run(execution, self.command)
        if made.primitives is None:
            return made
        vertices = made.primitives.device.download(made.primitives.vertices)
        return replace(made, primitives=replace(made.primitives, vertices=vertices))

    def output(self, dwords):
        return np.frombuffer(self.memory.read(OUTPUT, 4 * dwords), "<u4")
