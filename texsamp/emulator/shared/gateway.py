"""Message gateway: threads write each other's registers, meet at barriers, read clocks and registers.

Volume 4 part 2, pages 5-16. Keys are ignored, as page 10 prints.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from texsamp.emulator.context.registers import TIMESTAMP, Registers
from texsamp.emulator.eu.messages import Message
from texsamp.emulator.eu.threads import GENERAL_REGISTERS
from texsamp.emulator.shared.barriers import Barriers
from texsamp.emulator.shared.recipients import THREADS_OF_A_UNIT, Recipients
from texsamp.errors import CaptureError
from texsamp.state.commands_media import MediaVfeState
from texsamp.state.thread_messages import (
    ForwardLength,
    ForwardPayload,
    GatewayDescriptor,
    GatewayError,
    GatewayFunction,
    GatewayNotify,
    GatewayWriteback,
    MmioPayload,
    OpenGatewayPayload,
    TimestampPayload,
)

_DWORD_B = 4
_SIZES_B = {
    ForwardLength.BYTE: 1,
    ForwardLength.WORD: 2,
    ForwardLength.DWORD: 4,
    ForwardLength.TWO_DWORDS: 8,
    ForwardLength.FOUR_DWORDS: 16,
}
_COUNTERS = {GatewayNotify.N0: 0, GatewayNotify.N2: 2}
_ANY_REGISTER = 2
"""Value of MEDIA_VFE_STATE's gateway MMIO access."""
_QUARTERS_OF_A_TICK = 320
"""Quarters of a nanosecond in the 80 that TIMESTAMP counts."""
_LOW_BITS, _LOW_AT = 12, 20
_HALF = 4


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
        _acknowledge(message, descriptor, [GatewayError.SUCCESSFUL] * len(message.rows))

    def _close(self, message: Message, descriptor: GatewayDescriptor) -> None:
        self._recipients.close(message.threads, message.rows)
        _acknowledge(message, descriptor, [GatewayError.SUCCESSFUL] * len(message.rows))

    def _forward(self, message: Message, descriptor: GatewayDescriptor) -> None:
        """Write registers of other threads, in the order of the senders; errors are only told to who asks."""
        notify = GatewayNotify(descriptor.notify)
        errors = []
        for words in message.dwords(0, 1).tolist():
            fields = ForwardPayload.from_dwords(words)
            if fields.length not in set(ForwardLength):
                errors.append(GatewayError.INVALID_SIZE)
                continue
            found = self._recipients.find(fields.unit * THREADS_OF_A_UNIT + fields.thread)
            if found is None:
                errors.append(GatewayError.GATEWAY_CLOSED)
                continue
            threads, row, base, registers = found
            size_B = _SIZES_B[ForwardLength(fields.length)]
            within = fields.dword_offset * _DWORD_B + fields.byte_offset
            if within % size_B or fields.register_offset >= registers:
                raise CaptureError(
                    f"{size_B} bytes at byte {within} of register {fields.register_offset} of {registers}: aligned "
                    "ones inside the gateway are defined (pages 7, 10)"
                )
            register = base + fields.register_offset
            if not 0 < register < GENERAL_REGISTERS:
                raise CaptureError(f"a message is forwarded to r{register}: r0 and what is none is illegal (page 10)")
            data = np.array(fields.data, "<u4").view(np.uint8)[:size_B]
            threads.general(register, 1)[row, within : within + size_B] = threads.upload(data)
            if notify in _COUNTERS:
                threads.notify(np.array([row]), _COUNTERS[notify])
            errors.append(GatewayError.SUCCESSFUL)
        _acknowledge(message, descriptor, errors)

    def _time(self, message: Message, descriptor: GatewayDescriptor) -> None:
        """The context's clock and the one that MEDIA_VFE_STATE resets, in half a register (pages 11-13)."""
        if not descriptor.acknowledge:
            raise CaptureError("GET_TIMESTAMP without an acknowledgment (page 12 demands one)")
        now = self._registers.read_wide(TIMESTAMP)
        dwords = []
        for ticks in (now, now - self._reset_at):
            quarters = ticks * _QUARTERS_OF_A_TICK
            dwords += [(quarters & (1 << _LOW_BITS) - 1) << _LOW_AT, quarters >> _LOW_BITS & 0xFFFFFFFF]
        answer = message.held(1)
        halves = answer.reshape(len(answer), 2, _HALF)
        halves[np.arange(len(answer)), TimestampPayload.high_half.codes(message.dwords(0, 1))] = dwords
        message.respond(answer.view(np.uint8))

    def _barrier(self, message: Message, descriptor: GatewayDescriptor) -> None:
        if self._barriers is None and not descriptor.acknowledge:
            raise CaptureError("BARRIER_MSG of threads whose interface descriptor has no barrier")
        error = GatewayError.BARRIER_INACTIVE if self._barriers is None else GatewayError.SUCCESSFUL
        if self._barriers is not None:
            self._barriers.arrive(message)
        _acknowledge(message, descriptor, [error] * len(message.rows))

    def _register(self, message: Message, descriptor: GatewayDescriptor) -> None:
        """Read or write memory-mapped registers, where MEDIA_VFE_STATE lets threads (pages 15-16 and 52)."""
        if self._vfe is None or self._vfe.gateway_mmio_access != _ANY_REGISTER:
            raise CaptureError("MEDIA_VFE_STATE.gateway_mmio_access allows threads no registers")
        payloads = [MmioPayload.from_dwords(words) for words in message.dwords(0, 1).tolist()]
        returned = {int(not fields.write or descriptor.acknowledge) for fields in payloads}
        if returned != {message.response_length}:
            raise CaptureError(f"MMIO_READ_WRITE returns {max(returned)} registers, not {message.response_length}")
        answers = np.zeros((len(payloads), 1), "<u4")
        for answer, fields in zip(answers, payloads, strict=True):
            if fields.write:
                self._registers.write(fields.register_offset, fields.data)
                answer[:] = np.frombuffer(GatewayWriteback().pack(), "<u4")
            else:
                answer[:] = self._registers.read(fields.register_offset)
        message.respond(answers.view(np.uint8))


def _acknowledge(message: Message, descriptor: GatewayDescriptor, errors: list[GatewayError]) -> None:
    if descriptor.acknowledge:
        packed = {error: GatewayWriteback(error=error).pack() for error in set(errors)}
        answers = b"".join(map(packed.__getitem__, errors))
        message.respond(np.frombuffer(answers, np.uint8).reshape(len(errors), -1))
