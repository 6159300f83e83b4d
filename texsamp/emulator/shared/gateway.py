"""Message gateway: threads write each other's registers, meet at barriers, read clocks and registers.

Volume 4 part 2, pages 5-16. Keys are ignored, as page 10 prints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.registers import TIMESTAMP, Registers
from texsamp.emulator.eu.registers.threads import GENERAL_REGISTERS, PITCH_B, REGISTER_B, Threads
from texsamp.emulator.eu.sends.all_threads import of_all
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.barriers import Barriers
from texsamp.emulator.shared.data_port.buffers import last_of_each
from texsamp.emulator.shared.gateway_on_device import (
    COUNTERS,
    SIZES_B,
    WRITEBACKS,
    access_registers,
    acknowledge,
    close_gateways,
    forward,
    open_gateways,
    tell_time,
)
from texsamp.emulator.shared.recipients import THREADS_OF_A_UNIT, Recipients
from texsamp.errors import CaptureError
from texsamp.state.commands_media import MediaVfeState
from texsamp.state.thread_messages import (
    ForwardPayload,
    GatewayDescriptor,
    GatewayError,
    GatewayFunction,
    GatewayNotify,
    MmioPayload,
    OpenGatewayPayload,
    TimestampPayload,
)

_DWORD_B, _MOST_B = 4, 16
_ANY_REGISTER = 2
"""Value of MEDIA_VFE_STATE's gateway MMIO access."""
_WRITES = ((3, 1),)
"""What the host asks of messages to registers of the device: whether they write."""
_QUARTERS_OF_A_TICK = 320
"""Quarters of a nanosecond in the 80 that TIMESTAMP counts."""
_LOW_BITS, _LOW_AT = 12, 20
_HALF = 4
_UNASKED: Mapping[int, Callable[[Unasked, GatewayDescriptor, Recipients], bool]] = {
    GatewayFunction.OPEN_GATEWAY: open_gateways,
    GatewayFunction.CLOSE_GATEWAY: close_gateways,
    GatewayFunction.FORWARD_MSG: forward,
}


class Gateway:
    """The gateway as the threads of one batch see it. barriers: None where threads have no groups.

    recipients: threads that run at the same time. reset_at: what TIMESTAMP was when the relative clock was reset.
    """

    def __init__(
        self,
        recipients: Recipients,
        registers: Registers,
        vfe: MediaVfeState | None,
        reset_at: int = 0,
        barriers: Barriers | None = None,
    ) -> None:
        self._recipients, self._registers, self._vfe = recipients, registers, vfe
        self._reset_at, self._barriers = reset_at, barriers
        self._functions: dict[int, Callable[[Message, GatewayDescriptor], None]] = {
            GatewayFunction.OPEN_GATEWAY: self._open,
            GatewayFunction.CLOSE_GATEWAY: self._close,
            GatewayFunction.FORWARD_MSG: self._forward,
            GatewayFunction.GET_TIMESTAMP: self._time,
            GatewayFunction.BARRIER_MSG: self._barrier,
            GatewayFunction.MMIO_READ_WRITE: self._register,
        }

    def send(self, message: Message) -> None:
        """Carry a message out, and acknowledge it if asked to; CaptureError for what is illegal or not executed."""
        descriptor = GatewayDescriptor.from_dwords([message.descriptor & 0x7FFFF])
        function = GatewayFunction(descriptor.function)
        if message.has_header or message.length != 1:
            raise CaptureError("a gateway message is one register without a header")
        if message.end_of_thread and descriptor.acknowledge:
            raise CaptureError("a gateway message that ends its thread is not acknowledged")
        if function is not GatewayFunction.MMIO_READ_WRITE and message.response_length != descriptor.acknowledge:
            raise CaptureError(
                f"a gateway message returns {int(descriptor.acknowledge)} registers, not {message.response_length}"
            )
        if function not in self._functions:
            raise CaptureError(f"gateway function {function.name}: pages 5 and 6 print no payload")
        self._functions[function](message, descriptor)

    def send_unasked(self, message: Unasked) -> bool:
        """Carry a message out without bringing more than numbers; False of others."""
        descriptor = GatewayDescriptor.from_dwords([message.descriptor & 0x7FFFF])
        acknowledges = int(descriptor.acknowledge)
        if descriptor.function == GatewayFunction.MMIO_READ_WRITE:
            return self._register_unasked(message, descriptor)
        is_plain = not message.has_header and message.length == 1 and message.response_length == acknowledges
        if not is_plain or not message.has_registers or (message.end_of_thread and acknowledges):
            return False
        function = descriptor.function
        if function == GatewayFunction.BARRIER_MSG:
            if self._barriers is not None:
                self._barriers.arrive_unasked(message)
            elif not acknowledges:
                return False
            acknowledge(message, descriptor, self._at_barrier)
            return True
        if function == GatewayFunction.GET_TIMESTAMP:
            return bool(acknowledges) and tell_time(message, self._clocks())
        carry_out = _UNASKED.get(function)
        return carry_out is not None and carry_out(message, descriptor, self._recipients)

    def _open(self, message: Message, descriptor: GatewayDescriptor) -> None:
        """One that ends its thread closes the gateway instead (page 7)."""
        if message.end_of_thread:
            self._recipients.close(message.threads, message.rows)
        else:
            sent = message.dwords(0, 1)
            base, size = (
                each.codes(sent) for each in (OpenGatewayPayload.register_base, OpenGatewayPayload.gateway_size)
            )
            self._recipients.open(message.threads, message.rows, base, size)
        _acknowledge(message, descriptor, np.full(len(message.rows), GatewayError.SUCCESSFUL))

    def _close(self, message: Message, descriptor: GatewayDescriptor) -> None:
        self._recipients.close(message.threads, message.rows)
        _acknowledge(message, descriptor, np.full(len(message.rows), GatewayError.SUCCESSFUL))

    def _forward(self, message: Message, descriptor: GatewayDescriptor) -> None:
        """Write registers of other threads, in the order of the senders; errors are only told to who asks."""
        sent = message.dwords(0, 1)
        length, unit, thread, offset = (
            field.codes(sent)
            for field in (
                ForwardPayload.length, ForwardPayload.unit, ForwardPayload.thread, ForwardPayload.register_offset,
            )
        )  # fmt: skip
        size_B, found = SIZES_B[length], self._recipients.find(unit * THREADS_OF_A_UNIT + thread)
        errors = np.where(found.batch < 0, GatewayError.GATEWAY_CLOSED, GatewayError.SUCCESSFUL)
        errors[size_B == 0] = GatewayError.INVALID_SIZE
        within = ForwardPayload.dword_offset.codes(sent) * _DWORD_B + ForwardPayload.byte_offset.codes(sent)
        register = found.base + offset
        good = errors == GatewayError.SUCCESSFUL
        for bad in np.flatnonzero(good & ((within % np.maximum(size_B, 1) != 0) | (offset >= found.size)))[:1]:
            raise CaptureError(
                f"{size_B[bad]} bytes at byte {within[bad]} of register {offset[bad]} of {found.size[bad]}: aligned "
                "ones inside the gateway are defined (pages 7, 10)"
            )
        for bad in np.flatnonzero(good & ((register <= 0) | (register >= GENERAL_REGISTERS)))[:1]:
            raise CaptureError(f"a message is forwarded to r{register[bad]}: r0 and what is none is illegal (page 10)")
        data, bytes_of = sent.view(np.uint8)[:, :_MOST_B], np.arange(_MOST_B)
        places = found.row * PITCH_B + register * REGISTER_B + within
        notify = GatewayNotify(descriptor.notify)
        for number, threads in enumerate(found.threads):
            to = np.flatnonzero(good & (found.batch == number))
            if not len(to):
                continue
            chosen = bytes_of < size_B[to, None]
            _put(threads, (places[to, None] + bytes_of)[chosen], data[to][chosen])
            if notify in COUNTERS:
                threads.notify(found.row[to], COUNTERS[notify])
        _acknowledge(message, descriptor, errors)

    def _time(self, message: Message, descriptor: GatewayDescriptor) -> None:
        """The context's clock and the one that MEDIA_VFE_STATE resets, in half a register (pages 11-13)."""
        if not descriptor.acknowledge:
            raise CaptureError("GET_TIMESTAMP without an acknowledgment (page 12 demands one)")
        answer = message.held(1)
        halves = answer.reshape(len(answer), 2, _HALF)
        halves[np.arange(len(answer)), TimestampPayload.high_half.codes(message.dwords(0, 1))] = self._clocks()
        message.respond(answer.view(np.uint8))

    def _clocks(self) -> list[int]:
        """Dwords of both."""
        now = self._registers.read_wide(TIMESTAMP)
        dwords = []
        for ticks in (now, now - self._reset_at):
            quarters = ticks * _QUARTERS_OF_A_TICK
            dwords += [(quarters & (1 << _LOW_BITS) - 1) << _LOW_AT, quarters >> _LOW_BITS & 0xFFFFFFFF]
        return dwords

    def _barrier(self, message: Message, descriptor: GatewayDescriptor) -> None:
        if self._barriers is None and not descriptor.acknowledge:
            raise CaptureError("BARRIER_MSG of threads whose interface descriptor has no barrier")
        if self._barriers is not None:
            self._barriers.arrive(message)
        _acknowledge(message, descriptor, np.full(len(message.rows), self._at_barrier))

    @property
    def _at_barrier(self) -> GatewayError:
        """What those that come to one are told."""
        return GatewayError.BARRIER_INACTIVE if self._barriers is None else GatewayError.SUCCESSFUL

    def _register(self, message: Message, descriptor: GatewayDescriptor) -> None:
        """Read or write memory-mapped registers, where MEDIA_VFE_STATE lets threads (pages 15-16 and 52)."""
        if self._vfe is None or self._vfe.gateway_mmio_access != _ANY_REGISTER:
            raise CaptureError("MEDIA_VFE_STATE.gateway_mmio_access allows threads no registers")
        sent = message.dwords(0, 1)
        writes = MmioPayload.write.codes(sent) != 0
        returned = ~writes | bool(descriptor.acknowledge)
        if (returned != message.response_length).any():
            raise CaptureError(f"MMIO_READ_WRITE returns {returned.max():d} registers, not {message.response_length}")
        access_registers(of_all(message), self._registers.on(message.threads.device))

    def _register_unasked(self, message: Unasked, descriptor: GatewayDescriptor) -> bool:
        """The same where threads are; False for what is illegal."""
        is_allowed = self._vfe is not None and self._vfe.gateway_mmio_access == _ANY_REGISTER
        is_ended = message.end_of_thread and descriptor.acknowledge
        if not is_allowed or is_ended or message.has_header or message.length != 1 or not message.has_registers:
            return False
        expected = [1, 1] if descriptor.acknowledge else [1 - int(each) for each in message.ranges(_WRITES)[0]]
        if any(each != message.response_length for each in expected):
            return False
        access_registers(message, self._registers.on(message.threads.device))
        return True


def _put(threads: Threads, places: NDArray[np.int64], values: NDArray[np.uint8]) -> None:
    """Bytes to places in the registers of threads, of several at one place the last."""
    last = last_of_each(places)
    if last is not None:
        places, values = places[last], values[last]
    threads.registers.reshape(-1)[threads.upload(places)] = threads.upload(values)


def _acknowledge(message: Message, descriptor: GatewayDescriptor, errors: NDArray[np.int64]) -> None:
    if descriptor.acknowledge:
        message.respond(WRITEBACKS[errors][:, None].view(np.uint8))
