"""Programs for the execution units run from Python: arrays in, a kernel in our assembler's text, arrays out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from texsamp.device import Device, get_device
from texsamp.emulator.commands.streamer import CommandStreamer
from texsamp.emulator.context.budget import check_times
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.dispatch.engines import Engines
from texsamp.emulator.dispatch.runner import Dispatch
from texsamp.emulator.drawing import Draw
from texsamp.emulator.eu.isa.assembler import assemble
from texsamp.emulator.eu.registers.threads import REGISTER_B
from texsamp.emulator.files.capture import Capture
from texsamp.emulator.files.writer import BufferContents, Submission
from texsamp.emulator.submission_parts import (
    FIRST_SURFACE,
    FREE_AT,
    MOST_SAMPLERS,
    MOST_SURFACES,
    SAMPLERS_AT,
    TABLE_AT,
    addresses_of,
    bytes_of,
    given_back,
    put,
    put_tables,
    state_of,
)
from texsamp.errors import StateError
from texsamp.sampler.sampler import Sampler
from texsamp.state.command import Command
from texsamp.state.commands_common import PipelineSelect, StateBaseAddress
from texsamp.state.commands_media import (
    GpgpuWalker,
    InterfaceDescriptor,
    MediaCurbeLoad,
    MediaInterfaceDescriptorLoad,
    MediaVfeState,
)
from texsamp.state.commands_mi import MiBatchBufferEnd
from texsamp.state.pixel_state import BlendState, DepthStencilState
from texsamp.surface.surface import Surface

_END = """
    mov (8) r127.0<1>:ud r0.0<8;8,1>:ud {NoMask}
    send (8) null:ud r127.0<8;8,1>:ud spawner 0x02000010:ud {EOT}
"""
_SHARED_UNIT_B = 4 << 10
_SIMD = (8, 16, 32)
_MOST_PIXELS = 16384
_HANDLES = {"batch": 1, "kernel": 2, "states": 3}
_DESCRIPTOR_AT, _CURBE_AT = FREE_AT, FREE_AT + 0x40


@dataclass(frozen=True)
class Dispatched:
    """What a dispatch came to.

    surfaces: those that were given, as they are now, in their order: arrays for arrays, `Surface` for `Surface`.
    threads: how many ran. steps: instructions, of each batch of threads those of the one with the most.
    """

    surfaces: tuple[Any, ...]
    threads: int
    steps: int


@dataclass(frozen=True)
class Drawn:
    """What a draw came to.

    picture: (height, width, 4) uint8, R, G, B and A, the first row on top; or the target that was given, as it is now.
    surfaces: those that were given, as `Dispatched` has them. threads: of pixels, how many ran. steps: the same.
    """

    picture: Any
    surfaces: tuple[Any, ...]
    threads: int
    steps: int


class Gpu:
    """A graphics processor that runs compute kernels and draws."""

    def __init__(self, device: Device | str = "cpu", work: int = 1) -> None:
        """device: where registers are and instructions are carried out. work: as `Case.replay` has it, of each call."""
        check_times(work)
        self._work = work
        self._device = None if device == "cpu" else get_device(device)

    def dispatch(
        self,
        kernel: str,
        *,
        groups: int | Sequence[int],
        threads: int = 1,
        simd: int = 16,
        surfaces: Sequence[NDArray[Any] | Surface] = (),
        samplers: Sequence[Sampler] = (),
        constants: ArrayLike = (),
        shared_memory_B: int = 0,  # noqa: N803 - the unit
    ) -> Dispatched:
        """Run a kernel in every thread of a grid of groups, as GPGPU_WALKER does, and return what it wrote.

        kernel: text for `texsamp.emulator.eu.isa.assembler`; the end of the thread is put behind it if it has none.
        groups: in X, or in X, Y and Z; a thread finds its group in R0.1, R0.6 and R0.7. threads: of a group, which
        share a barrier and `shared_memory_B` bytes, whole units of 4096 up to 65536. simd: channels that are enabled,
        8, 16 or 32.
        surfaces: binding table index 0, 1, ...: arrays as RAW buffers, `Surface` as it is laid out. samplers: sampler
        index 0, 1, ....
        constants: 32-bit numbers that every thread has from R1 on, shape (n,), or of its own, shape (threads, n).

        The arguments are not changed. Raises StateError for what does not fit, naming the line of the kernel or the
        limit, and CaptureError for whatever the kernel does wrong.
        """
        submission = self.submission(
            kernel, groups=groups, threads=threads, simd=simd, surfaces=surfaces, samplers=samplers,
            constants=constants, shared_memory_B=shared_memory_B,
        )  # fmt: skip
        memory, done = self._run(submission)
        found = [given_back(surface, bytes(memory.image(FIRST_SURFACE + n))) for n, surface in enumerate(surfaces)]
        return Dispatched(tuple(found), done.threads, done.steps)

    def _run(self, submission: Submission) -> tuple[CaseMemory, Dispatch]:
        """Memory after a submission of at most one command that starts threads, and what that came to."""
        capture = Capture.from_bytes(submission.to_bytes(), submission.case)
        memory = CaseMemory()
        memory.enter(capture)
        streamer = CommandStreamer(Engines(memory, self._device), LogicalContext())
        done = [
            executed.dispatch for executed in streamer.run(capture, work=self._work) if executed.dispatch is not None
        ]
        return memory, done[0] if done else Dispatch(0, 0)  # a filter of topologies may drop a draw

    def draw(
        self,
        kernel: str,
        attributes: Sequence[ArrayLike],
        *,
        size: tuple[int, int] | None = None,
        target: Surface | None = None,
        vertex_kernel: str | None = None,
        topology: str = "TRILIST",
        indices: ArrayLike | None = None,
        instances: int = 1,
        simd: int = 16,
        surfaces: Sequence[NDArray[Any] | Surface] = (),
        samplers: Sequence[Sampler] = (),
        constants: ArrayLike = (),
        flat: Sequence[int] = (),
        blend: BlendState | None = None,
        depth: DepthStencilState | None = None,
        state: Sequence[Command] = (),
    ) -> Drawn:
        """Draw primitives, as 3DPRIMITIVE does, and return the picture.

        kernel: text for `texsamp.emulator.eu.isa.assembler` of the pixel shader, which ends with a render target write;
        what its registers hold at first is in docs/emulator-drawing.md. simd: its pixels, 8, 16 or 32.
        attributes: a row for each vertex, shape (vertices, 1 to 4), float32; missing components are 0, 0, 0, 1. The
        first are positions in clip space: x to the right and y up from -w to w, z from 0 to w, which is nearest at 0;
        the others are interpolated; those whose numbers are in `flat` are the first vertex's of each primitive.
        vertex_kernel: text of a vertex shader (SIMD4x2), which makes of `attributes` what is described above and
        writes it to the URB, behind an empty header; without one they are that already.
        size: width and height of a picture of R8G8B8A8_UNORM, black and transparent; or target: a surface to draw to,
        to its first level (`Surface.view` names others); what is returned may be laid out in another way.
        topology: a name of `texsamp.state.commands_3d.Topology`. indices: of vertices, in the order they are drawn.
        surfaces: binding table index 1, 2, ...; samplers: sampler index 0, 1, ...; as `dispatch` has them.
        constants: 32-bit numbers, shape (n,), that every pixel thread has before its attributes.
        blend: how colors are stored; over the old ones if None. depth: the test on a D32_FLOAT buffer that holds 1
        everywhere; none if None. state: any 3DSTATE commands, which replace those that this method makes.

        The arguments are not changed. Raises StateError for what does not fit, naming the line of the kernel or the
        limit, and CaptureError for whatever is illegal, and whatever the kernel does wrong.
        """
        if (size is None) == (target is None):
            raise StateError("a draw has a size or a target")
        if target is None:
            width, height = _size(size)
            target = Surface.from_array(
                np.zeros((height, width, 4), np.uint8), "R8G8B8A8_UNORM", tiling="Y", device="cpu"
            )
        draw = Draw(
            kernel, target, attributes, vertex_kernel, topology, indices, instances, simd, surfaces, samplers,
            constants, flat, blend or BlendState(), depth, state,
        )  # fmt: skip
        memory, done = self._run(draw.submission())
        drawn, *others = (
            given_back(surface, bytes(memory.image(FIRST_SURFACE + n)))
            for n, surface in enumerate([draw.drawn_to, *surfaces])
        )
        picture = drawn.to_array() if size is not None and isinstance(drawn, Surface) else drawn
        return Drawn(picture, tuple(others), done.threads, done.steps)

    def submission(
        self,
        kernel: str,
        *,
        groups: int | Sequence[int],
        threads: int = 1,
        simd: int = 16,
        surfaces: Sequence[NDArray[Any] | Surface] = (),
        samplers: Sequence[Sampler] = (),
        constants: ArrayLike = (),
        shared_memory_B: int = 0,  # noqa: N803 - the unit
    ) -> Submission:
        """The commands and buffer objects of a dispatch, to be saved as a capture file; arguments as `dispatch` has."""
        counts = _counts(groups)
        _check(threads, simd, surfaces, samplers, shared_memory_B)
        code = assemble(kernel if re.search(r"\bEOT\b", kernel) else kernel + _END)
        pushed = _constants(constants, threads)
        parts = [bytes_of(surface) for surface in surfaces]
        addresses = addresses_of([len(part) for part in parts])
        batch, kernel_at, states_at, *places = addresses
        descriptor = InterfaceDescriptor(
            sampler_state_pointer=SAMPLERS_AT, binding_table_pointer=TABLE_AT, barrier=True, group_threads=threads,
            constant_read_length=pushed.shape[1] // REGISTER_B, shared_memory=shared_memory_B // _SHARED_UNIT_B,
        )  # fmt: skip
        states = bytearray(_CURBE_AT + pushed.size)
        states_of = [
            state_of(surface, len(part), place) for surface, part, place in zip(surfaces, parts, places, strict=True)
        ]
        put_tables(states, states_of, samplers)
        put(states, _DESCRIPTOR_AT, descriptor.pack())
        put(states, _CURBE_AT, pushed.tobytes())
        commands = _commands(counts, threads, simd, (kernel_at, states_at), pushed.size)
        buffers = [
            BufferContents(_HANDLES["batch"], batch, b"".join(command.pack() for command in commands), "commands"),
            BufferContents(_HANDLES["kernel"], kernel_at, code, "kernel"),
            BufferContents(_HANDLES["states"], states_at, bytes(states), "states"),
        ]
        for number, (part, place) in enumerate(zip(parts, places, strict=True)):
            buffers.append(BufferContents(FIRST_SURFACE + number, place, part, f"surface {number}", written=True))
        return Submission("dispatch", buffers)


def _size(size: Any) -> tuple[int, int]:
    width, height = size
    if not all(isinstance(side, int | np.integer) and 1 <= side <= _MOST_PIXELS for side in (width, height)):
        raise StateError(f"size must be two numbers from 1 to {_MOST_PIXELS}, found {size!r}")
    return int(width), int(height)


def _counts(groups: int | Sequence[int]) -> tuple[int, int, int]:
    listed = (groups,) if isinstance(groups, int | np.integer) else tuple(groups)
    if not 1 <= len(listed) <= 3 or not all(isinstance(n, int | np.integer) and n >= 1 for n in listed):
        raise StateError(f"groups must be one to three counts of 1 or more, found {groups!r}")
    x, y, z = (*(int(n) for n in listed), 1, 1)[:3]
    return x, y, z


def _check(threads: int, simd: int, surfaces: Sequence[Any], samplers: Sequence[Any], shared_B: int) -> None:  # noqa: N803
    if simd not in _SIMD:
        raise StateError(f"simd must be one of {', '.join(map(str, _SIMD))}, found {simd!r}")
    if not isinstance(threads, int | np.integer) or not 1 <= threads <= 64:
        raise StateError(f"threads of a group must be from 1 to 64, found {threads!r}")
    if len(surfaces) > MOST_SURFACES or len(samplers) > MOST_SAMPLERS:
        raise StateError(
            f"at most {MOST_SURFACES} surfaces and {MOST_SAMPLERS} samplers, found {len(surfaces)} and {len(samplers)}"
        )
    if shared_B % _SHARED_UNIT_B or not 0 <= shared_B <= 16 * _SHARED_UNIT_B:
        raise StateError(f"shared_memory_B must be a multiple of {_SHARED_UNIT_B} up to 65536, found {shared_B}")


def _constants(constants: ArrayLike, threads: int) -> NDArray[np.uint8]:
    """Bytes of every thread's registers, (threads, 32 * registers)."""
    values = np.asarray(constants)
    if not values.size:
        return np.zeros((threads, 0), np.uint8)
    values = values.astype({"f": np.float32, "i": np.int32, "u": np.uint32}.get(values.dtype.kind, object))
    if values.dtype == object or values.ndim > 2 or (values.ndim == 2 and len(values) != threads):
        raise StateError(
            f"constants must be numbers, {threads} rows of them or one for all threads, found shape {values.shape}"
        )
    rows = np.broadcast_to(values.reshape(-1, values.shape[-1]), (threads, values.shape[-1]))
    data = np.zeros((threads, -(-4 * rows.shape[1] // REGISTER_B) * REGISTER_B), np.uint8)
    data[:, : 4 * rows.shape[1]] = np.ascontiguousarray(rows).view(np.uint8)
    return data


def _commands(
    counts: tuple[int, int, int],
    threads: int,
    simd: int,
    bases: tuple[int, int],
    constants_B: int,  # noqa: N803 - the unit
) -> list[Command]:
    kernel, states = bases
    mask = (1 << simd) - 1
    load = [MediaCurbeLoad(data_length=constants_B, data_start=_CURBE_AT)] if constants_B else []
    return [
        PipelineSelect(selection="GPGPU"),
        StateBaseAddress(
            surface_state_base=states, surface_state_modify=True, dynamic_state_base=states, dynamic_state_modify=True,
            instruction_base=kernel, instruction_modify=True, general_state_modify=True, indirect_object_modify=True,
        ),
        MediaVfeState(
            max_threads=64, urb_entries=1, urb_entry_size=1, curbe_size=constants_B // REGISTER_B, gpgpu_mode=True
        ),
        *load,
        MediaInterfaceDescriptorLoad(data_length=32, data_start=_DESCRIPTOR_AT),
        GpgpuWalker(
            simd_size=f"SIMD{simd}", threads_x=threads, threads_y=1, threads_z=1, right_mask=mask, bottom_mask=mask,
            end_x=counts[0], end_y=counts[1], end_z=counts[2],
        ),
        MiBatchBufferEnd(),
    ]  # fmt: skip
