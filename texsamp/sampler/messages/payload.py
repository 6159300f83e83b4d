"""The payload of a sampler message: registers to a request and back (seed 003:4443-5052)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from texsamp.errors import StateError, UndefinedBehavior
from texsamp.sampler.messages.groups import INTEGER
from texsamp.sampler.messages.lengths import check_response_length, expected_response_length
from texsamp.sampler.messages.parameters import (
    BLOCK_PAYLOADS,
    DOUBLE_PARAMETERS,
    LANES,
    parameter_names,
    parameter_type,
)
from texsamp.sampler.messages.request import Message, MessageHeader, SamplerRequest
from texsamp.sampler.messages.rows import REGISTER_DWORDS, read_row, write_rows
from texsamp.sampler.messages.rules import check_request
from texsamp.state.sampler_messages import (
    BlockMessage,
    SamplerMessage,
    SamplerMessageDescriptor,
    SimdMode,
    message_length,
)

END_OF_THREAD = 1 << 31
"""Bit of the send instruction's descriptor dword."""

_REGISTERS_PER_SLOT = {SimdMode.SIMD8: 1, SimdMode.SIMD16: 2}
_SLOTS_PER_SIMD4X2_REGISTER = 4


def decode_request(
    descriptor: SamplerMessageDescriptor | int,
    registers: NDArray[np.uint32],
    execution_mask: ArrayLike | None = None,
    *,
    strict: bool = True,
    double_coordinates: bool = False,
    generation: float = 7,
) -> SamplerRequest:
    """Read a message.

    registers: (threads, message length, 8) uint32, the header, if the descriptor says that there is one, first.
    execution_mask: (threads, channels) bool; channels it does not have are disabled. None: all are enabled.
    double_coordinates: a SIMD8D payload; no bit of the descriptor says so.
    generation: before 7 the descriptor is read as that of generation 7, the only one the manual has.
    strict: refuse what the manual forbids (`rules.check_request`) and a response length that cannot be.

    Raises StateError for lengths that do not fit the message, which the hardware discards, and UndefinedBehavior for
    messages that do not exist and, if strict, for forbidden ones.
    """
    if not isinstance(descriptor, SamplerMessageDescriptor):
        if descriptor & END_OF_THREAD:
            raise UndefinedBehavior("a message to the sampling engine cannot end the thread (seed 003:4429)")
        descriptor = SamplerMessageDescriptor.from_dwords(
            [descriptor], generation=max(generation, SamplerMessageDescriptor.since)
        )
    message, simd, header_present = message_of(descriptor), descriptor.simd_mode, descriptor.header_present
    length = descriptor.message_length
    if registers.dtype != np.uint32 or registers.ndim != 3 or registers.shape[1:] != (length, REGISTER_DWORDS):
        raise StateError(
            f"{message.name}: (threads, {length}, {REGISTER_DWORDS}) of uint32 is needed, "
            f"found {registers.shape} of {registers.dtype}"
        )
    if length <= header_present - 1 or length < 1:
        raise StateError(f"{message.name}: a message of {length} registers; at least 1 is needed")
    names = parameter_names(message, simd, generation)
    data = registers[:, header_present:]
    if isinstance(message, BlockMessage):
        parameters = _block_parameters(message, data)
    else:
        parameters = _pixel_parameters(message, simd, names, data, double_coordinates)
    request = SamplerRequest(
        message,
        simd,
        parameters,
        active_lanes(simd, execution_mask, len(registers)),
        MessageHeader(registers[:, 0]) if header_present else None,
        descriptor.binding_table_index,
        descriptor.sampler_index,
        descriptor.response_length,
        double_coordinates,
        generation,
    )
    if strict:
        check_response_length(request)
        check_request(request)
    return request


def encode_request(
    request: SamplerRequest, response_length: int | None = None
) -> tuple[SamplerMessageDescriptor, NDArray[np.uint32]]:
    """Write a message: its descriptor and its registers, (threads, message length, 8) uint32; unused bits are 0.

    response_length: by default the request's own, else the one its channel mask asks for; deinterlace needs it said.
    Raises StateError for more registers than a message may have.
    """
    message, simd = request.message, request.simd
    if isinstance(message, BlockMessage):
        data = _block_registers(request)
        slots = data.shape[1]
    else:
        data, slots = _pixel_registers(request)
    if message is not BlockMessage.CACHE_FLUSH:
        message_length(simd, header=request.header is not None, parameters=slots)
    parts = [data] if request.header is None else [request.header.registers[:, None], data]
    registers = np.concatenate(parts, axis=1)
    if not registers.shape[1]:
        raise StateError(f"{message.name}: without header and parameters a message has no registers; 1 is needed")
    if response_length is None:
        response_length = request.response_length
    if response_length is None:
        response_length = expected_response_length(request)
    kind = {"block_message_type" if isinstance(message, BlockMessage) else "message_type": message}
    descriptor = SamplerMessageDescriptor(
        generation=max(request.generation, SamplerMessageDescriptor.since),
        message_length=registers.shape[1],
        response_length=response_length,
        header_present=request.header is not None,
        simd_mode=simd,
        sampler_index=request.sampler_index,
        binding_table_index=request.binding_table_index,
        **kind,
    )
    return descriptor, registers


def message_of(descriptor: SamplerMessageDescriptor) -> Message:
    """Message type of a descriptor; UndefinedBehavior for a code that no message has."""
    block = descriptor.simd_mode == SimdMode.SIMD32_64
    message: Message = descriptor.block_message_type if block else descriptor.message_type
    if not isinstance(message, SamplerMessage | BlockMessage):
        raise UndefinedBehavior(f"message type {message:#04x} of {descriptor.simd_mode.name} is reserved")
    return message


def active_lanes(simd: SimdMode, execution_mask: ArrayLike | None, threads: int) -> NDArray[np.bool_]:
    """Lanes of a message that the execution mask enables, (threads, lanes) (seed 003:4433-4441).

    Raises StateError for a mask of another shape.
    """
    lanes = LANES[simd]
    if execution_mask is None or simd == SimdMode.SIMD32_64:
        return np.ones((threads, lanes), np.bool_)
    channels = lanes * 4 if simd == SimdMode.SIMD4X2 else lanes
    given = np.asarray(execution_mask, np.bool_)
    if given.ndim != 2 or len(given) != threads:
        raise StateError(f"execution mask: (threads, channels) with {threads} threads is needed, found {given.shape}")
    mask = np.zeros((threads, channels), np.bool_)
    mask[:, : given.shape[1]] = given[:, :channels]
    return np.asarray(mask.reshape(threads, lanes, channels // lanes).any(axis=2))


def _slots(message: Message, names: tuple[str, ...], double_coordinates: bool) -> list[tuple[str, int]]:
    """Parameters in payload order, each with the number of slots it takes."""
    if double_coordinates and message.name in INTEGER:
        raise UndefinedBehavior(f"{message.name} has integer parameters; SIMD8D payloads are of sample* messages")
    wide = DOUBLE_PARAMETERS if double_coordinates else ()
    return [(name, 2 if name in wide else 1) for name in names]


def _pixel_parameters(
    message: SamplerMessage,
    simd: SimdMode,
    names: tuple[str, ...],
    data: NDArray[np.uint32],
    double_coordinates: bool,
) -> dict[str, NDArray[Any]]:
    if double_coordinates and simd != SimdMode.SIMD8:
        raise UndefinedBehavior(f"double-precision coordinates exist in SIMD8, found {simd.name}")
    threads, count, _ = data.shape
    if simd == SimdMode.SIMD4X2:
        # (threads, register, sample, slot of 4) -> (threads, sample, all slots)
        fours = data.reshape(threads, count, 2, _SLOTS_PER_SIMD4X2_REGISTER).transpose(0, 2, 1, 3)
        slots = fours.reshape(threads, 2, count * _SLOTS_PER_SIMD4X2_REGISTER)
        sent = names[: slots.shape[2]]
        if count != -(-len(sent) // _SLOTS_PER_SIMD4X2_REGISTER):
            raise _too_many(message, simd, count, len(names))
        return {name: slots[:, :, i].copy().view(parameter_type(message, name)) for i, name in enumerate(sent)}
    per_slot = _REGISTERS_PER_SLOT[simd]
    parameters: dict[str, NDArray[Any]] = {}
    first = 0
    for name, width in _slots(message, names, double_coordinates):
        if first == count:
            break
        last = first + width * per_slot
        if last > count:
            raise StateError(
                f"{message.name} ({simd.name}): {count} registers of parameters end within parameter {name}, "
                f"which takes {width * per_slot}"
            )
        kind = np.dtype(np.float64) if width == 2 else parameter_type(message, name)
        parameters[name] = data[:, first:last].copy().reshape(threads, (last - first) * REGISTER_DWORDS).view(kind)
        first = last
    if first < count:
        raise _too_many(message, simd, count, len(names))
    return parameters


def _too_many(message: SamplerMessage, simd: SimdMode, count: int, parameters: int) -> StateError:
    return StateError(
        f"{message.name} ({simd.name}): {count} registers of parameters, more than its {parameters} parameters take"
    )


def _pixel_registers(request: SamplerRequest) -> tuple[NDArray[np.uint32], int]:
    """Registers without the header, and the number of slots they hold."""
    assert isinstance(request.message, SamplerMessage)
    names = parameter_names(request.message, request.simd, request.generation)
    if tuple(request.parameters) != names[: len(request.parameters)]:
        raise StateError(
            f"{request.message.name} ({request.simd.name}): parameters {', '.join(request.parameters)} are not the "
            f"first ones of {', '.join(names)}"
        )
    _slots(request.message, names, request.double_coordinates)
    threads = request.threads
    words = [np.ascontiguousarray(value).view(np.uint32) for value in request.parameters.values()]
    if request.simd == SimdMode.SIMD4X2:
        count = -(-len(words) // _SLOTS_PER_SIMD4X2_REGISTER)
        slots = np.zeros((threads, 2, count * _SLOTS_PER_SIMD4X2_REGISTER), np.uint32)
        for i, word in enumerate(words):
            slots[:, :, i] = word
        fours = slots.reshape(threads, 2, count, _SLOTS_PER_SIMD4X2_REGISTER).transpose(0, 2, 1, 3)
        return fours.reshape(threads, count, REGISTER_DWORDS), len(words)
    flat = np.concatenate([np.zeros((threads, 0), np.uint32), *words], axis=1)
    count = flat.shape[1] // REGISTER_DWORDS
    return flat.reshape(threads, count, REGISTER_DWORDS), count // _REGISTERS_PER_SLOT[request.simd]


def _block_parameters(message: BlockMessage, data: NDArray[np.uint32]) -> dict[str, NDArray[Any]]:
    needed = message is not BlockMessage.CACHE_FLUSH
    count = data.shape[1]
    if count != needed and not (message is BlockMessage.CACHE_FLUSH and count == 1):
        raise StateError(f"{message.name}: {count} registers of parameters, {int(needed)} is needed")
    if not needed:
        return {}
    structure, names = BLOCK_PAYLOADS[message]
    return {
        name: read_row(structure.rows[name], data[:, 0]).view(parameter_type(message, name))[:, None] for name in names
    }


def _block_registers(request: SamplerRequest) -> NDArray[np.uint32]:
    assert isinstance(request.message, BlockMessage)
    if request.message not in BLOCK_PAYLOADS:
        # cache_flush: one register, the header if there is one (seed 003:4629)
        return np.zeros((request.threads, int(request.header is None), REGISTER_DWORDS), np.uint32)
    structure, _ = BLOCK_PAYLOADS[request.message]
    values: dict[str, Any] = {}
    for name, value in request.parameters.items():
        kind = structure.rows[name].kind.label
        words = np.ascontiguousarray(value[:, 0])
        values[name] = words.view(np.float32) if kind == "float32" else words.view(np.uint32)
    return write_rows(structure, values, request.threads)[:, None]
