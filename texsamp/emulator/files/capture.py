"""Captured submissions (`.g7cap`): reading them, the memory they describe, and the walk through their commands.

A file holds one submission: a JSON header and the contents of every buffer object before execution. Submissions of
one case share memory through the handles of their buffer objects (`CaseMemory`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from texsamp.device.whole_file import read_at_most
from texsamp.emulator.files.header import Entries
from texsamp.emulator.files.inflating import inflated, inflated_array
from texsamp.errors import CaptureError, StateError
from texsamp.state.command import Command
from texsamp.state.commands_media import MediaObject
from texsamp.state.commands_mi import MiBatchBufferEnd, MiBatchBufferStart
from texsamp.state.decode import RawCommand, command_header, decode_command

MAGIC = b"G7CAP\x00\x00\x01"
PREFIX = struct.Struct("<8sII")
LARGEST_FILE_B = 256 << 20
"""A capture file; real ones stay below 256 KiB."""
LARGEST_HEADER_B = 4 << 20
"""Inflated header; those of real captures stay below 64 KiB."""
LARGEST_MEMORY_B = 256 << 20
"""All buffer objects of a submission, inflated; those of real captures stay below 16 MiB."""
MOST_COMMANDS = 1 << 17
"""Commands of a submission; real captures stay below 4096."""
LARGEST_COMMANDS_B = 16 << 20
"""Bytes of the commands of a submission, chained batches read twice counted twice."""
_HALF_SLICE = np.uint32(0x00060000)
"""Where a MEDIA_OBJECT runs, in its third dword."""
_FIRST_LOOK = 16
"""Commands; a run of equal ones is looked for in steps that double, so that what is read is little longer than it."""


class Memory(Protocol):
    """Graphics memory: bytes at 32-bit addresses."""

    def read(self, address: int, size: int) -> bytes:
        """Return `size` bytes at `address`; CaptureError if they are not all mapped."""
        ...

    def extent(self, address: int) -> int:
        """Return how many bytes are mapped from `address` on; CaptureError if none is."""
        ...


@dataclass(frozen=True, slots=True)
class Relocation:
    """A dword of a buffer object that holds the address of another one; already applied to the contents."""

    offset: int
    target_handle: int
    delta: int
    read_domains: int
    write_domain: int


@dataclass(frozen=True, slots=True)
class BufferObject:
    """One buffer object of a submission: place in graphics memory and in the file.

    stride: bytes from row to row of a tiled buffer. written: the client said that the submission writes it.
    """

    index: int
    handle: int
    name: str
    address: int
    size: int
    tiling: str
    stride: int
    written: bool
    crc32: int
    relocations: tuple[Relocation, ...]
    data_offset: int
    data_length: int

    def holds(self, address: int, size: int = 1) -> bool:
        """Whether all of `size` bytes at `address` lie in the buffer object."""
        return self.address <= address and address + size <= self.address + self.size


def read_capture_file(path: str | PathLike[str]) -> bytes:
    """Bytes of a capture file of any kind; CaptureError if it cannot be read or is too large."""
    try:
        with Path(path).open("rb") as file:
            data = read_at_most(file, LARGEST_FILE_B)
    except OSError as error:
        raise CaptureError(f"{path}: {error.strerror}") from None
    if data is None:
        raise CaptureError(f"{path}: more bytes than a capture file may have, {LARGEST_FILE_B}")
    return bytes(data)


@dataclass(frozen=True)
class Capture:
    """One submission. `meta` is what the client noted down; batch_length may cover the first-level batch only."""

    name: str
    device: str
    pci_id: str
    sequence: int
    case: str
    meta: dict[str, Any]
    ring: str
    context: int
    batch_index: int
    batch_offset: int
    batch_length: int
    swizzle: str
    buffers: tuple[BufferObject, ...]
    _data: bytes

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Self:
        """Read a capture file; CaptureError if it cannot be read or is malformed."""
        return cls.from_bytes(read_capture_file(path), Path(path).name)

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "capture") -> Self:
        """Read a capture from the bytes of a file; CaptureError if they are malformed."""
        header, base = _header(data, name)
        buffers = tuple(_buffer(entry, base, len(data), name) for entry in header.objects("bos"))
        capture = cls(
            name=name,
            device=header.text("device"),
            pci_id=header.text("pci_id"),
            sequence=header.integer("seq"),
            case=header.text("tag"),
            meta=header.mapping("meta"),
            ring=header.text("ring"),
            context=header.integer("context"),
            batch_index=header.integer("batch_bo"),
            batch_offset=header.integer("batch_start"),
            batch_length=header.integer("batch_len"),
            swizzle=header.text("swizzle"),
            buffers=buffers,
            _data=data,
        )
        if not 0 <= capture.batch_index < len(buffers):
            raise CaptureError(f"{name}: batch buffer object {capture.batch_index} of {len(buffers)}")
        _check_buffers(buffers, name)
        return capture

    @property
    def batch_address(self) -> int:
        """Graphics address of the first command."""
        return self.buffers[self.batch_index].address + self.batch_offset

    def contents(self, buffer: BufferObject) -> bytes:
        """Inflate one buffer object; CaptureError if size or checksum are wrong."""
        contents, crc = inflated(self._packed(buffer), buffer.size, self._named(buffer))
        self._check(buffer, crc)
        return contents

    def array(self, buffer: BufferObject) -> NDArray[np.uint8]:
        """`contents` as an array, not to be written; bytes that are all the same take no memory."""
        contents, crc = inflated_array(self._packed(buffer), buffer.size, self._named(buffer))
        self._check(buffer, crc)
        return contents

    def _named(self, buffer: BufferObject) -> str:
        return f"{self.name}: buffer object {buffer.index}"

    def _check(self, buffer: BufferObject, crc: int) -> None:
        if crc != buffer.crc32:
            raise CaptureError(f"{self._named(buffer)} has CRC {crc:#010x}, the header says {buffer.crc32:#010x}")

    def updates(self, since: Capture | None) -> Iterator[tuple[BufferObject, int, NDArray[np.uint8]]]:
        """Everything that may differ from capture `since`, all of it if None: buffer object, offset and bytes."""
        held = {} if since is None else {buffer.handle: buffer for buffer in since.buffers}
        for buffer in self.buffers:
            before = held.get(buffer.handle)
            if since is None or before is None or not self._is_packed_alike(buffer, since, before):
                yield buffer, 0, self.array(buffer)

    def _packed(self, buffer: BufferObject) -> bytes:
        return self._data[buffer.data_offset : buffer.data_offset + buffer.data_length]

    def _is_packed_alike(self, buffer: BufferObject, other: Capture, others: BufferObject) -> bool:
        """Whether another capture has the same bytes in its file, so that they need not be inflated to be compared."""
        alike = (buffer.size, buffer.crc32, buffer.data_length) == (others.size, others.crc32, others.data_length)
        return alike and self._packed(buffer) == other._packed(others)


def _header(data: bytes, name: str) -> tuple[Entries, int]:
    if len(data) < PREFIX.size or data[: len(MAGIC)] != MAGIC:
        found = f"begins with {data[: len(MAGIC)].hex(' ')}" if data else "is empty"
        raise CaptureError(f"{name}: no G7CAP file of version 1 (it {found})")
    _, packed_length, length = PREFIX.unpack_from(data)
    if length > LARGEST_HEADER_B or PREFIX.size + packed_length > len(data):
        raise CaptureError(
            f"{name}: a header of {packed_length} bytes in a file of {len(data)}, "
            f"{length} inflated where the limit is {LARGEST_HEADER_B}"
        )
    base = PREFIX.size + packed_length
    text, _ = inflated(data[PREFIX.size : base], length, f"{name}: the header")
    return Entries.parse(text, name), base


def _buffer(entry: Entries, base: int, file_size: int, name: str) -> BufferObject:
    buffer = BufferObject(
        index=entry.integer("index"),
        handle=entry.integer("handle"),
        name=entry.text("name"),
        address=entry.integer("gpu_offset"),
        size=entry.integer("size"),
        tiling=entry.text("tiling"),
        stride=entry.integer("stride"),
        written=entry.truth("write"),
        crc32=entry.integer("crc32"),
        relocations=tuple(Relocation(*row) for row in entry.integer_rows("relocs", len(fields(Relocation)))),
        data_offset=base + entry.integer("data_off"),
        data_length=entry.integer("data_len"),
    )
    if not 0 < buffer.size <= 1 << 32 or not 0 <= buffer.address <= (1 << 32) - buffer.size:
        raise CaptureError(f"{name}: buffer object {buffer.index} of {buffer.size} bytes at {buffer.address:#x}")
    if not base <= buffer.data_offset <= buffer.data_offset + buffer.data_length <= file_size:
        raise CaptureError(f"{name}: the contents of buffer object {buffer.index} lie outside the file")
    return buffer


def _check_buffers(buffers: Sequence[BufferObject], name: str) -> None:
    total = sum(buffer.size for buffer in buffers)
    if total > LARGEST_MEMORY_B:
        raise CaptureError(f"{name}: the buffer objects hold {total} bytes, the limit is {LARGEST_MEMORY_B}")
    ordered = sorted(buffers, key=lambda buffer: buffer.address)
    for left, right in pairwise(ordered):
        if left.address + left.size > right.address:
            raise CaptureError(f"{name}: buffer objects {left.index} and {right.index} overlap at {right.address:#x}")
    if len({buffer.handle for buffer in buffers}) != len(buffers):
        raise CaptureError(f"{name}: two buffer objects have one handle")


@dataclass(frozen=True, slots=True)
class LocatedCommand:
    """A command and the graphics address it was read from.

    count: how many commands in a row differ from it at most in tails and half-slices, itself included; 1 unless `walk`
    was asked.
    """

    address: int
    command: Command | RawCommand
    count: int = 1


def walk(
    memory: Memory, address: int, *, length: int = 0, strict: bool = True, generation: float = 7, runs: bool = False
) -> Iterator[LocatedCommand]:
    """Yield commands from `address` to MI_BATCH_BUFFER_END, following MI_BATCH_BUFFER_START.

    length: bytes of the first-level batch; 0: not known. runs: yield MEDIA_OBJECTs in a row that differ only in their
    inline data and half-slices as one. Raises CaptureError, with the address, for unknown or (strict)
    illegal commands, unmapped memory, a batch that runs past its length, endless chains, and more than MOST_COMMANDS
    commands or LARGEST_COMMANDS_B bytes of them.
    """
    starts = {address}
    end = address + length if length else None
    count = size = 0
    while True:
        try:
            header = command_header(int.from_bytes(memory.read(address, 4), "little"), generation)
            count, size = count + 1, size + header.dwords * 4
            _check_walk(address, header.dwords * 4, end, count, size)
            data = memory.read(address, header.dwords * 4)
            command = decode_command(data, strict=strict, generation=generation)
        except StateError as error:
            raise CaptureError(f"command at {address:#x}: {error}") from None
        repeats = 0
        if runs and isinstance(command, MediaObject):
            room = MOST_COMMANDS - count, (LARGEST_COMMANDS_B - size) // len(data)
            repeats = _repeats(memory, address + len(data), command, end, min(room))
            count, size = count + repeats, size + repeats * len(data)
        yield LocatedCommand(address, command, 1 + repeats)
        if isinstance(command, MiBatchBufferEnd):
            return
        if isinstance(command, MiBatchBufferStart):
            address, end = command.start_address, None
            if address in starts:
                raise CaptureError(f"the batch buffers run in a circle: {address:#x} starts twice")
            starts.add(address)
        else:
            address += (1 + repeats) * len(data)


def _repeats(memory: Memory, address: int, command: MediaObject, end: int | None, room: int) -> int:
    """How many commands from `address` on, at most `room`, equal a command but for its tail and half-slice."""
    fixed = np.array(command.to_dwords()[: MediaObject.dwords], np.uint32)
    dwords = len(fixed) + len(command.tail)
    try:
        mapped = memory.extent(address)
    except CaptureError:
        return 0
    available = mapped if end is None else min(mapped, end - address)
    most, count, step = max(min(available // (4 * dwords), room), 0), 0, _FIRST_LOOK
    while count < most:
        step = min(2 * step, most - count)
        data = memory.read(address + count * dwords * 4, step * dwords * 4)
        rows = np.frombuffer(data, "<u4").reshape(step, dwords)
        bits = rows[:, : len(fixed)] ^ fixed
        bits[:, 2] &= ~_HALF_SLICE
        # 3 is no half-slice: strictly decoded, such a command is refused.
        different = np.flatnonzero(bits.any(axis=1) | ((rows[:, 2] & _HALF_SLICE) == _HALF_SLICE))
        if len(different):
            return count + int(different[0])
        count += step
    return count


def _check_walk(address: int, command_B: int, end: int | None, count: int, size: int) -> None:  # noqa: N803
    if end is not None and address + command_B > end:
        raise CaptureError(f"command at {address:#x}: {command_B} bytes, but the batch ends at {end:#x}")
    if count > MOST_COMMANDS:
        raise CaptureError(f"command at {address:#x} is number {count}, the limit is {MOST_COMMANDS}")
    if size > LARGEST_COMMANDS_B:
        raise CaptureError(f"commands up to {address:#x} hold {size} bytes, the limit is {LARGEST_COMMANDS_B}")
