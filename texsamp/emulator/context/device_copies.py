"""Copies of buffer objects on the GPU that threads run on, for their messages."""

from __future__ import annotations

from typing import Any

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.files.capture import BufferObject

_ALIGNMENT_B = 64
_PAGE_B = 4096
_MOST_SPANS = 64
"""Written by the host and not sent yet, of a buffer object."""
_LOOK_B, _MOST_LOOKS = 4096, 8
"""Bytes that are brought alone, and how often until all are."""


class DeviceCopies:
    """Of every buffer object the host's bytes are current, or a copy's, or both; or the host's where it wrote last.

    A buffer object is copied to the device when a message first asks for it, without the zeros before and behind what
    it holds, and back when the host asks for what messages have written since. Of what the host writes those bytes
    travel, if it says which they are; else the copy is useless. A copy is aligned as its address is.
    """

    def __init__(self) -> None:
        self._held: dict[int, tuple[Device, int, Array]] = {}
        self._ahead: set[int] = set()
        self._newer: dict[int, dict[tuple[int, int], None]] = {}
        self._looks: dict[int, int] = {}

    def of(self, device: Device, buffer: BufferObject, image: bytearray) -> Array:
        """The bytes of a buffer object on the device, to read and to write (`wrote` afterwards)."""
        held, phase = self._held.get(buffer.handle), buffer.address % _ALIGNMENT_B
        if held is None or held[:2] != (device, phase):
            self.bring_back(buffer.handle, image)
            self._newer.pop(buffer.handle, None)
            held = self._held[buffer.handle] = device, phase, _copied(device, phase, image)
        if newer := self._newer.pop(buffer.handle, None):
            host, copy = np.frombuffer(image, np.uint8), held[2]
            sent = device.upload_all([host[begin:end] for begin, end in newer])
            with device.current():
                for (begin, end), there in zip(newer, sent, strict=True):
                    copy[begin:end] = there
        return held[2]

    def wrote(self, handle: int) -> None:
        """The device has written to its copy."""
        self._ahead.add(handle)
        self._looks[handle] = 0

    def look(self, handle: int, image: bytearray, begin: int, end: int) -> bytes | None:
        """Some bytes of a copy that the host does not have; None where all or none are to be brought."""
        if handle not in self._ahead or end - begin > _LOOK_B or self._looks[handle] == _MOST_LOOKS:
            return None
        newer = self._newer.get(handle, {})
        if not any(first <= begin and end <= last for first, last in newer):
            self._looks[handle] += 1
            device, _, copy = self._held[handle]
            found = bytearray(device.download(copy[begin:end]))
            for first, last in newer:
                at, until = max(begin, first), min(end, last)
                if at < until:
                    found[at - begin : until - begin] = image[at:until]
            return bytes(found)
        return bytes(memoryview(image)[begin:end])

    def ahead(self, handle: int) -> tuple[Device, Array] | None:
        """The copy of a buffer object, if the host does not have all that is in it, and all the host has is there."""
        if handle not in self._ahead or handle in self._newer:
            return None
        device, _, copy = self._held[handle]
        return device, copy

    def bring_back(self, handle: int, image: bytearray) -> None:
        """Let the host have what the device wrote, if it did."""
        if handle in self._ahead:
            self._ahead.remove(handle)
            device, _, copy = self._held[handle]
            host = np.frombuffer(image, np.uint8)
            newer = [(begin, host[begin:end].copy()) for begin, end in self._newer.get(handle, ())]
            host[:] = device.download(copy)
            for begin, data in newer:
                host[begin : begin + len(data)] = data

    def drop(self, handle: int) -> None:
        """The host has written, to bytes that were current."""
        assert handle not in self._ahead
        self._held.pop(handle, None)
        self._newer.pop(handle, None)

    def host_wrote(self, handle: int, image: bytearray, begin: int, end: int) -> None:
        """The host has written some bytes, whatever the device has."""
        if handle in self._held:
            newer = self._newer.setdefault(handle, {})
            newer[begin, end] = None
            if len(newer) > _MOST_SPANS:
                self.bring_back(handle, image)
                self.drop(handle)


def _copied(device: Device, phase: int, image: bytearray) -> Array:
    """Bytes on a device; zeros before and behind all others are made there."""
    host = np.frombuffer(image, np.uint8)
    begin, end = _span(host)
    with device.current():
        made = device.empty((phase + len(host),), np.dtype(np.uint8))
        made[...] = 0
        made = made[phase:]
        if begin < end:
            made[begin:end] = device.upload(host[begin:end])
    return made


def _span(data: np.ndarray[Any, np.dtype[np.uint8]]) -> tuple[int, int]:
    """From the first to behind the last page that holds anything but zeros; two equal numbers if none does."""
    whole = len(data) // _PAGE_B * _PAGE_B
    pages = data[:whole].view(np.uint64).reshape(-1, _PAGE_B // 8).any(axis=1)
    held = np.flatnonzero(np.append(pages, data[whole:].any()))
    return (int(held[0]) * _PAGE_B, min((int(held[-1]) + 1) * _PAGE_B, len(data))) if len(held) else (0, 0)
