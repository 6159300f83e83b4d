"""Message gateway: threads open and close theirs; messages from thread to thread are not executed (seed 002:10376)."""

from __future__ import annotations

import numpy as np

from texsamp.emulator.eu.messages import Message
from texsamp.errors import CaptureError
from texsamp.state.thread_messages import GatewayDescriptor, GatewayFunction, GatewayWriteback


def send_to_gateway(message: Message) -> None:
    """Open or close the gateway of every thread, and acknowledge if asked to; CaptureError for all else."""
    descriptor = GatewayDescriptor.from_dwords([message.descriptor & 0x7FFFF])
    function = GatewayFunction(descriptor.function)
    if message.has_header or message.length != 1:
        raise CaptureError("a gateway message is one register without a header")
    if message.end_of_thread and descriptor.acknowledge:
        raise CaptureError("a gateway message that ends its thread is not acknowledged")
    if message.response_length != descriptor.acknowledge:
        raise CaptureError(
            f"a gateway message returns {int(descriptor.acknowledge)} registers, not {message.response_length}"
        )
    if function not in (GatewayFunction.OPEN_GATEWAY, GatewayFunction.CLOSE_GATEWAY):
        raise CaptureError(f"gateway function {function.name} is not executed")
    if descriptor.acknowledge:
        answer = np.frombuffer(GatewayWriteback().pack(), np.uint8)
        message.respond(np.broadcast_to(answer, (len(message.rows), len(answer))))
