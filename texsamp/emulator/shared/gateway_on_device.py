"""Gateway messages of threads on a device: what they are about stays in registers, numbers come to the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from texsamp.device import Launch
from texsamp.device.params import constant, params_type
from texsamp.emulator.context.registers import CHANNELS_DISPATCHED, MASKED
from texsamp.emulator.context.registers_on_device import RegistersOnDevice
from texsamp.emulator.eu.registers.threads import GENERAL_REGISTERS, PITCH_B, REGISTER_B, Array, Threads
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.dword_ranges import Looks
from texsamp.emulator.shared.recipients import LARGEST_GATEWAY, THREADS_OF_A_UNIT, Recipients
from texsamp.state.fields import Field
from texsamp.state.thread_messages import (
    ForwardLength,
    ForwardPayload,
    GatewayDescriptor,
    GatewayError,
    GatewayNotify,
    GatewayWriteback,
    OpenGatewayPayload,
    TimestampPayload,
)

_DWORD_B, _MOST_B, _HALF = 4, 16, 4
_REGISTERS = params_type("EuRegistersParams")
_TILES = constant("EU_REGISTER_OWNERS") // constant("EU_REGISTER_THREADS")
SIZES_B = np.zeros(1 << ForwardPayload.length.width, np.int64)
"""Of the codes of lengths, 0 for those that are none."""
SIZES_B[list(ForwardLength)] = 1, 2, 4, 8, 16
WRITEBACKS = np.zeros(max(GatewayError) + 1, "<u4")
WRITEBACKS[list(GatewayError)] = [GatewayWriteback(error=error).to_dwords()[0] for error in GatewayError]
COUNTERS = {GatewayNotify.N0: 0, GatewayNotify.N2: 2}
_NUMBER_BITS = 20
"""Of the bytes of all senders."""
_OPENED = OpenGatewayPayload.gateway_size, OpenGatewayPayload.register_base


def _places(field: Field[Any]) -> tuple[int, int, int]:
    """Dword, bits in it, and the lowest of these."""
    (piece,) = field.pieces
    dword, low = divmod(piece.offset, 32)
    return dword, (1 << piece.width) - 1 << low, low


_LOOKS: Looks = tuple(_places(field)[:2] for field in _OPENED)
"""What the host asks of messages that open gateways: sizes and first registers."""


def open_gateways(message: Unasked, descriptor: GatewayDescriptor, recipients: Recipients) -> bool:
    """See `Gateway`; False for what is illegal."""
    if message.end_of_thread:
        return close_gateways(message, descriptor, recipients)
    found = message.ranges(_LOOKS).tolist()
    size, register = (value >> _places(field)[2] for (_, value), field in zip(found, _OPENED, strict=True))
    if size > LARGEST_GATEWAY or register >= GENERAL_REGISTERS:
        return False
    sent = message.dwords_on_device(0, 1)
    code, base = (field.codes(sent) for field in _OPENED)
    recipients.open_on_device(message.threads, message.senders, base, 1 << code)
    acknowledge(message, descriptor)
    return True


def close_gateways(message: Unasked, descriptor: GatewayDescriptor, recipients: Recipients) -> bool:
    """See `Gateway`."""
    recipients.close_on_device(message.threads, message.senders)
    acknowledge(message, descriptor)
    return True


def forward(message: Unasked, descriptor: GatewayDescriptor, recipients: Recipients) -> bool:
    """See `Gateway`; False for what is illegal. Whether something is, and who is woken, are numbers that come."""
    threads, sent = message.threads, message.dwords_on_device(0, 1).copy()
    length, unit, thread, offset, dword, byte = (
        field.codes(sent)
        for field in (
            ForwardPayload.length, ForwardPayload.unit, ForwardPayload.thread, ForwardPayload.register_offset,
            ForwardPayload.dword_offset, ForwardPayload.byte_offset,
        )
    )  # fmt: skip
    size_B, found = threads.constant(SIZES_B)[length], recipients.find_on_device(unit * THREADS_OF_A_UNIT + thread)
    errors = np.where(found.batch < 0, np.int64(GatewayError.GATEWAY_CLOSED), np.int64(GatewayError.SUCCESSFUL))
    errors = np.where(size_B == 0, np.int64(GatewayError.INVALID_SIZE), errors)
    within, register = dword * _DWORD_B + byte, found.base + offset
    good = errors == GatewayError.SUCCESSFUL
    is_outside = (offset >= found.size) | (register <= 0) | (register >= GENERAL_REGISTERS)
    refused = found.are_several | good & ((within % np.maximum(size_B, 1) != 0) | is_outside)
    if message.senders is not None:
        good, refused = good & message.senders, refused & message.senders
    to = [good & (found.batch == number) for number in range(len(found.threads))]
    counter = COUNTERS.get(GatewayNotify(descriptor.notify))
    woken: list[Array] = []
    if counter is not None:
        woken = [_counted(each, found.row, chosen) for chosen, each in zip(to, found.threads, strict=True)]
    is_refused, *counts = threads.bring([refused.any(), *woken])
    if is_refused:
        return False
    places = found.row * PITCH_B + register * REGISTER_B + within
    for chosen, each in zip(to, found.threads, strict=True):
        _put(each, places, np.where(chosen, size_B, 0), sent.view(np.uint8)[:, :_MOST_B])
    for each, count in zip(found.threads, counts, strict=False):
        assert counter is not None
        each.notify(np.repeat(np.arange(each.count), count), counter)
    if descriptor.acknowledge:
        message.respond(threads.constant(WRITEBACKS)[errors][:, None].copy().view(np.uint8))
    return True


def tell_time(message: Unasked, dwords: list[int]) -> bool:
    """Half a register of dwords, which one the message says."""
    if message.destination is not None:
        held = message.threads.general(message.destination, 1).view("<u4")
        (there,) = message.threads.kept(np.array(dwords, np.uint32))
        half = TimestampPayload.high_half.codes(message.dwords_on_device(0, 1))
        for number in range(2):
            chosen = half == number
            chosen = chosen if message.senders is None else chosen & message.senders
            np.copyto(held[:, number * _HALF : (number + 1) * _HALF], there, where=chosen[:, None])
    return True


def _counted(threads: Threads, rows: Array, chosen: Array) -> Array:
    """How many of the chosen have each row of threads, int32."""
    every = threads.arrays.arange(threads.count)
    ordered = np.sort(np.where(chosen, rows, threads.count))
    found: Array = np.searchsorted(ordered, every, "right") - np.searchsorted(ordered, every)
    return found.astype(np.int32)


def _put(threads: Threads, places: Array, sizes_B: Array, data: Array) -> None:  # noqa: N803 - the unit
    """Bytes (n, 16), as many as sizes say, to places in the registers of threads; of several at one place the last.

    What goes nowhere goes to the first byte, of R0, where nothing is forwarded to, and leaves it as it is. All that
    goes to one place is what the last one sends.
    """
    arrays, registers = threads.arrays, threads.registers.reshape(-1)
    within = arrays.arange(_MOST_B)
    at = np.where(within < sizes_B[:, None], places[:, None] + within, 0).reshape(-1)
    ordered = np.sort(at << _NUMBER_BITS | arrays.arange(len(at)))
    at = ordered >> _NUMBER_BITS
    last = ordered[np.searchsorted(ordered, (at + 1) << _NUMBER_BITS) - 1] & (1 << _NUMBER_BITS) - 1
    registers[at] = np.where(at == 0, registers[0], data.reshape(-1)[last])


def acknowledge(message: Unasked, descriptor: GatewayDescriptor, error: GatewayError = GatewayError.SUCCESSFUL) -> None:
    """Tell threads what came of their messages, if they ask."""
    if descriptor.acknowledge:
        done = message.threads.arrays.full((message.count, 1), WRITEBACKS[error], np.uint32)
        message.respond(done.view(np.uint8))


def access_registers(message: Unasked, there: RegistersOnDevice) -> None:
    """Read and write registers of the device, one thread after the other, and answer what comes back."""
    threads, device, mask = message.threads, message.threads.device, message.mask
    written = device.arrays.full(threads.count, -1, np.int32)
    params = _REGISTERS(
        registers=device.address(threads.registers),
        mask=0 if mask is None else device.address(mask),
        values=device.address(there.values),
        written=device.address(written),
        channels=message.exec_size,
        at=message.at(0),
        to=-1 if message.destination is None else message.destination * REGISTER_B,
        masked=[offset // _DWORD_B for offset in MASKED],
        reset=CHANNELS_DISPATCHED // _DWORD_B,
        writeback=int(WRITEBACKS[GatewayError.SUCCESSFUL]),
        threads=threads.count,
        pitch=PITCH_B,
    )
    held = (threads.registers, there.values, written, *(() if mask is None else (mask,)))
    device.launch(Launch("eu_registers", params, 1, _TILES, held))
    there.places.append(written)
