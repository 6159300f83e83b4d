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
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.dispatch.engines import Engines
from texsamp.emulator.eu.assembler import assemble
from texsamp.emulator.eu.threads import REGISTER_B
from texsamp.emulator.files.capture import Capture
from texsamp.emulator.files.writer import BufferContents, Submission
from texsamp.errors import FormatError, StateError
from texsamp.sampler.sampler import Sampler
from texsamp.state import BindingTableState, RenderSurfaceState
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
from texsamp.state.sampler import BorderColorMode, BorderColorState, BorderColorStateDx9
from texsamp.surface.surface import Surface

MOST_SURFACES, MOST_SAMPLERS = 240, 16
_END = """
    mov (8) r127.0<1>:ud r0.0<8;8,1>:ud {NoMask}
    send (8) null:ud r127.0<8;8,1>:ud spawner 0x02000010:ud {EOT}
"""
_FIRST, _ALIGNMENT_B = 0x100000, 1 << 16
_SHARED_UNIT_B = 4 << 10
_SIMD = (8, 16, 32)
_HANDLES = {"batch": 1, "kernel": 2, "states": 3}
_FIRST_SURFACE = 16
_TABLE_AT, _SURFACES_AT, _SAMPLERS_AT, _BORDERS_AT, _DESCRIPTOR_AT, _CURBE_AT = 0, 0x400, 0x2400, 0x2600, 0x2800, 0x2840
"""Bytes of the states: 256 entries of the binding table, as many surfaces, 16 samplers and border colors."""


@dataclass(frozen=True)
class Dispatched:
    """What a dispatch came to.

    surfaces: those that were given, as they are now, in their order: arrays for arrays, `Surface` for `Surface`.
    threads: how many ran. steps: instructions, those of threads in lockstep counted once.
    """

    surfaces: tuple[Any, ...]
    threads: int
    steps: int


class Gpu:
    """A graphics processor that runs compute kernels."""

    def __init__(self, device: Device | str = "cpu") -> None:
        """device: where registers are and instructions are carried out."""
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

        kernel: text for `texsamp.emulator.eu.assembler`; the end of the thread is put behind it if it has none.
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
        capture = Capture.from_bytes(submission.to_bytes(), submission.case)
        memory = CaseMemory()
        memory.enter(capture)
        streamer = CommandStreamer(Engines(memory, self._device), LogicalContext())
        (done,) = [executed.dispatch for executed in streamer.run(capture) if executed.dispatch is not None]
        found = [_back(surface, bytes(memory.image(_FIRST_SURFACE + n))) for n, surface in enumerate(surfaces)]
        return Dispatched(tuple(found), done.threads, done.steps)

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
        parts = [_bytes_of(surface) for surface in surfaces]
        addresses = _addresses([len(part) for part in parts])
        batch, kernel_at, states_at, *places = addresses
        descriptor = InterfaceDescriptor(
            sampler_state_pointer=_SAMPLERS_AT, binding_table_pointer=_TABLE_AT, barrier=True, group_threads=threads,
            constant_read_length=pushed.shape[1] // REGISTER_B, shared_memory=shared_memory_B // _SHARED_UNIT_B,
        )  # fmt: skip
        states = bytearray(_CURBE_AT + pushed.size)
        for number, (surface, part, place) in enumerate(zip(surfaces, parts, places, strict=True)):
            at = _SURFACES_AT + 32 * number
            _put(states, _TABLE_AT + 4 * number, BindingTableState(surface_state_pointer=at).pack())
            _put(states, at, _state_of(surface, len(part), place).pack())
        for number, sampler in enumerate(samplers):
            at = _BORDERS_AT + 32 * number
            _put(states, at, _border_of(sampler))
            _put(states, _SAMPLERS_AT + 16 * number, sampler.state.replace(border_color_pointer=at).pack())
        _put(states, _DESCRIPTOR_AT, descriptor.pack())
        _put(states, _CURBE_AT, pushed.tobytes())
        commands = _commands(counts, threads, simd, (kernel_at, states_at), pushed.size)
        buffers = [
            BufferContents(_HANDLES["batch"], batch, b"".join(command.pack() for command in commands), "commands"),
            BufferContents(_HANDLES["kernel"], kernel_at, code, "kernel"),
            BufferContents(_HANDLES["states"], states_at, bytes(states), "states"),
        ]
        for number, (part, place) in enumerate(zip(parts, places, strict=True)):
            buffers.append(BufferContents(_FIRST_SURFACE + number, place, part, f"surface {number}", written=True))
        return Submission("dispatch", buffers)


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


def _bytes_of(surface: NDArray[Any] | Surface) -> bytes:
    if isinstance(surface, Surface):
        return bytes(surface.device.download(surface.data).tobytes())
    if not isinstance(surface, np.ndarray) or surface.dtype.hasobject or not surface.nbytes:
        raise FormatError(f"surfaces are arrays that are not empty, or Surface, found {type(surface).__name__}")
    return surface.tobytes() + bytes(-surface.nbytes % 4)


def _addresses(sizes: Sequence[int]) -> list[int]:
    """Where batch, kernel, states and surfaces begin; the first three have room for what they can be."""
    found, at = [], _FIRST
    for size in (_ALIGNMENT_B, 1 << 24, 1 << 24, *sizes):
        found.append(at)
        at += -(-size // _ALIGNMENT_B) * _ALIGNMENT_B
    if at > 1 << 32:
        raise StateError(f"surfaces of {sum(sizes)} bytes do not fit into 32 bits of addresses")
    return found


def _state_of(surface: NDArray[Any] | Surface, size_B: int, address: int) -> RenderSurfaceState:  # noqa: N803 - the unit
    if isinstance(surface, Surface):
        return surface.state.replace(base_address=address)
    return RenderSurfaceState(
        surface_type="SURFTYPE_BUFFER", format="RAW", entries=size_B, pitch=1, base_address=address
    )


def _border_of(sampler: Sampler) -> bytes:
    if sampler.state.border_color_mode == BorderColorMode.DX9:
        return BorderColorStateDx9(color_unorm8=[round(255 * value) for value in sampler.border]).pack()
    return BorderColorState(color=sampler.border).pack()


def _put(states: bytearray, at: int, data: bytes) -> None:
    states[at : at + len(data)] = data


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


def _back(surface: NDArray[Any] | Surface, data: bytes) -> NDArray[Any] | Surface:
    """What was given, of the bytes that are in memory now."""
    if isinstance(surface, Surface):
        memory = surface.device.upload(np.frombuffer(bytearray(data), np.uint8))
        return Surface(surface.surface_view, memory, surface.device)
    return np.frombuffer(bytearray(data), surface.dtype, surface.size).reshape(surface.shape)
