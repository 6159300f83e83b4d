"""Graphics memory: buffer objects in a 32-bit address space, over all submissions of a case.

Nothing is mapped between and behind buffer objects, so whatever runs out of one is caught.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device, get_device
from texsamp.device.base import Array
from texsamp.emulator.context.device_copies import DeviceCopies
from texsamp.emulator.files.capture import LARGEST_MEMORY_B, BufferObject, Capture
from texsamp.errors import CaptureError

LARGEST_CASE_B = 2 * LARGEST_MEMORY_B
"""All buffer objects a case has ever shown; those of real cases stay below 128 MiB."""


@dataclass
class Watch:
    """A byte of a buffer object, and what last gave it another value."""

    handle: int
    offset: int
    writer: str = "nothing that was executed"
    value: int | None = None
    thread: int | None = None
    """The last thread whose media block held the byte, of the message that is carried out."""


class CaseMemory:
    """Graphics memory over the submissions of one case, per handle.

    `enter` brings in a submission: buffer objects seen for the first time as they are; of the others only those bytes
    that the capture holds differently from the previous capture with the handle, for the CPU wrote them; all others
    keep what execution wrote. Only the submission's own buffer objects are mapped.

    Where threads run on a GPU, their messages ask for its copy of a buffer object, and all others for the host's.
    """

    def __init__(self) -> None:
        self._images: dict[int, bytearray] = {}
        self._held_B = 0
        self._captured: dict[int, NDArray[np.uint8]] = {}
        self._entered: Capture | None = None
        self._versions: dict[int, int] = {}
        self._mapped: list[BufferObject] = []
        self._starts: list[int] = []
        self._copies = DeviceCopies()
        self.watch: Watch | None = None

    def enter(self, capture: Capture) -> None:
        """Map the buffer objects of a submission and bring their contents up to date.

        CaptureError if one has another size than before, if its contents are damaged, and beyond LARGEST_CASE_B.
        """
        for buffer in capture.buffers:
            held = self._captured.get(buffer.handle)
            if held is not None and len(held) != buffer.size:
                raise CaptureError(f"{capture.name}: handle {buffer.handle} had {len(held)} bytes, now {buffer.size}")
        for buffer, offset, contents in capture.updates(self._entered):
            if buffer.handle not in self._captured:
                self._count(buffer.size, capture.name)
                self._images[buffer.handle], self._captured[buffer.handle] = _image(contents), contents
                self.touch(buffer)
            elif span := self._take(buffer.handle, offset, contents):
                self._touch_some(buffer, *span)
        self._entered = capture
        self._mapped = sorted(capture.buffers, key=lambda buffer: buffer.address)
        self._starts = [buffer.address for buffer in self._mapped]
        self.attribute(f"the CPU, before {capture.name}")

    def _take(self, handle: int, offset: int, contents: NDArray[np.uint8]) -> tuple[int, int] | None:
        """Store what the CPU wrote, the bytes that were captured otherwise before; from the first to behind the last.

        None if there are none.
        """
        captured, place = self._captured[handle], slice(offset, offset + len(contents))
        changed = contents != captured[place]
        is_changed = bool(changed.any())
        if is_changed:
            image = np.frombuffer(self._current(handle), np.uint8)
            np.copyto(image[place], contents, where=changed)
        if len(contents) == len(captured):
            self._captured[handle] = contents
        elif is_changed:  # of an AUB file
            if not captured.flags.writeable:
                self._captured[handle] = captured = captured.copy()
            captured[place] = contents
        if not is_changed:
            return None
        return offset + int(changed.argmax()), offset + len(changed) - int(changed[::-1].argmax())

    def _count(self, size_B: int, name: str) -> None:  # noqa: N803 - the unit
        self._held_B += size_B
        if self._held_B > LARGEST_CASE_B:
            raise CaptureError(f"{name}: the case holds {self._held_B} bytes so far, the limit is {LARGEST_CASE_B}")

    def attribute(self, writer: str) -> None:
        """Name whatever was done since the last call the writer of the watched byte, if that has changed."""
        watch = self.watch
        if watch is None or watch.handle not in self._images:
            return
        value = self._current(watch.handle)[watch.offset]
        if value != watch.value:
            watch.value, watch.writer = value, writer

    def find(self, address: int, size: int = 1) -> BufferObject:
        """Buffer object that holds `size` bytes at `address`; CaptureError if none does."""
        position = bisect_right(self._starts, address) - 1
        if position < 0 or not self._mapped[position].holds(address, size):
            raise CaptureError(f"{size} bytes at {address:#x} are not mapped")
        return self._mapped[position]

    def image(self, handle: int) -> bytearray:
        """Contents of a buffer object now, to read and write in place; CaptureError if the case has shown none."""
        if handle not in self._images:
            raise CaptureError(f"no submission so far has a buffer object with handle {handle}")
        return self._current(handle)

    def where(self, handle: int) -> tuple[Device, Array]:
        """Contents of a buffer object now, to be read where they are; CaptureError if the case has shown none."""
        there = self._copies.ahead(handle)
        return (get_device("cpu"), np.frombuffer(self.image(handle), np.uint8)) if there is None else there

    def _current(self, handle: int) -> bytearray:
        """The host's contents of a buffer object, with what was written on a GPU."""
        image = self._images[handle]
        self._copies.bring_back(handle, image)
        return image

    def extent(self, address: int) -> int:
        """Mapped bytes from `address` to the end of its buffer object."""
        buffer = self.find(address)
        return buffer.address + buffer.size - address

    def read(self, address: int, size: int) -> bytes:
        """See Memory."""
        buffer = self.find(address, size)
        offset = address - buffer.address
        handle, image = buffer.handle, self._images[buffer.handle]
        found = self._copies.look(handle, image, offset, offset + size)
        return bytes(memoryview(self._current(handle))[offset : offset + size]) if found is None else found

    def bytes_from(self, address: int) -> NDArray[np.uint8]:
        """All bytes from `address` to the end of its buffer object, to read and write in place (`touch` afterwards)."""
        buffer = self.find(address)
        return np.frombuffer(self._current(buffer.handle), np.uint8)[address - buffer.address :]

    def bytes_on(self, device: Device, address: int) -> Array:
        """The same where a device's arrays are (`touch` afterwards with the device)."""
        if device.arrays is np:
            return self.bytes_from(address)
        buffer = self.find(address)
        return self._copies.of(device, buffer, self._images[buffer.handle])[address - buffer.address :]

    def write(self, address: int, data: bytes) -> None:
        """Store bytes; CaptureError, storing none, if they are not all mapped."""
        buffer = self.find(address, len(data))
        offset = address - buffer.address
        self._images[buffer.handle][offset : offset + len(data)] = data
        self._touch_some(buffer, offset, offset + len(data))

    def _touch_some(self, buffer: BufferObject, begin: int, end: int) -> None:
        """`touch` for bytes that the host has written, which alone are brought where the others are."""
        self._versions[buffer.handle] = self._versions.get(buffer.handle, 0) + 1
        self._copies.host_wrote(buffer.handle, self._images[buffer.handle], begin, end)

    def touch(self, buffer: BufferObject, device: Device | None = None) -> None:
        """Note down that a buffer object has been written, where a device's arrays are, or by the host."""
        self._versions[buffer.handle] = self._versions.get(buffer.handle, 0) + 1
        if device is None or device.arrays is np:
            self._copies.drop(buffer.handle)
        else:
            self._copies.wrote(buffer.handle)

    def version(self, address: int) -> tuple[int, int]:
        """Handle of the buffer object at `address`, and a number that grows whenever it is written."""
        handle = self.find(address).handle
        return handle, self._versions[handle]


def _image(contents: NDArray[np.uint8]) -> bytearray:
    """A copy to be written; one of zeros takes memory where it is written only."""
    made = bytearray(len(contents))
    if contents.strides != (0,) or contents[:1].any():
        np.frombuffer(made, np.uint8)[:] = contents
    return made
