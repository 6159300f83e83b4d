"""A message of some threads as one of all, of which the others do not send."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.messages import Message


def of_all(message: Message) -> Unasked:
    """The same, whose mask is where threads are."""
    threads, width = message.threads, message.exec_size
    sent = Unasked(
        threads, width, message.shared_function, message.descriptor, message.source, message.destination,
        message.end_of_thread, lambda: None,
    )  # fmt: skip
    if len(message.rows) == threads.count and message.is_whole:
        return replace(sent.part(threads.arrays.ones((threads.count, width), np.bool_)), enabled=lambda: None)
    mask = np.zeros((threads.count, width), np.bool_)
    mask[message.rows] = message.mask
    return sent.part(threads.upload(mask))
