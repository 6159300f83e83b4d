"""Copies of buffer objects on the GPU that threads run on, for their messages."""

from __future__ import annotations

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.files.capture import BufferObject

_ALIGNMENT_B = 64


class DeviceCopies:
    """Of every buffer object the host's bytes are current, or a copy's, or both.

    A buffer object is copied to the device when a message first asks for it, and back when the host asks for what
    messages have written since. What the host writes makes the copy useless. A copy is aligned as its address is.
    """

    def __init__(self) -> None:
        self._held: dict[int, tuple[Device, int, Array]] = {}
        self._ahead: set[int] = set()

    def of(self, device: Device, buffer: BufferObject, image: bytearray) -> Array:
        """The bytes of a buffer object on the device, to read and to write (`wrote` afterwards)."""
        held, phase = self._held.get(buffer.handle), buffer.address % _ALIGNMENT_B
        if held is None or held[:2] != (device, phase):
            self.bring_back(buffer.handle, image)
            padded = np.frombuffer(bytes(phase) + image if phase else image, np.uint8)
            held = self._held[buffer.handle] = device, phase, device.upload(padded)[phase:]
        return held[2]

    def wrote(self, handle: int) -> None:
        """The device has written to its copy."""
        self._ahead.add(handle)

    def bring_back(self, handle: int, image: bytearray) -> None:
        """Let the host have what the device wrote, if it did."""
        if handle in self._ahead:
            self._ahead.remove(handle)
            device, _, copy = self._held[handle]
            np.frombuffer(image, np.uint8)[:] = device.download(copy)

    def drop(self, handle: int) -> None:
        """The host has written, to bytes that were current."""
        assert handle not in self._ahead
        self._held.pop(handle, None)
