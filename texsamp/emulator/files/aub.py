"""AUB files: traces of memory writes and submissions, as `intel_dump_gpu` writes them for Gen7 (docs/emulator.md).

A file is a row of packets of dwords. Data writes say what lies at a graphics address from then on; a command write
submits. Buffer objects are not told apart: what is written without a gap is one.
"""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from re import search

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.files.capture import LARGEST_MEMORY_B, BufferObject, Capture
from texsamp.errors import CaptureError, StateError
from texsamp.state.commands_mi import MiBatchBufferStart, MiNoop
from texsamp.state.decode import command_header, decode_command

MOST_SUBMISSIONS = 1024
MOST_RANGES = 16384
"""Pieces of memory without gaps; a driver's buffer objects are some hundreds."""
_PACKET, _CLASSIC, _MEMTRACE = 7, 0x01, 0x2E
_CLASSIC_HEADER, _TRACE_BLOCK = 0x05, 0x41
_MEMORY_WRITE, _REGISTER_WRITE, _MEMTRACE_HEADER = 0x06, 0x03, 0x0E
_DATA_WRITE, _COMMAND_WRITE = 1, 2
_GRAPHICS, _PAGE_TABLE = 0, 4
_RINGS = {1: "blt", 2: "render", 3: "bsd", 4: "blt"}
_DWORD_B = 4
_COMMENT_AT = 13
_GEN7 = {
    0x0152: "ivb_gt1", 0x0156: "ivb_gt1", 0x015A: "ivb_gt1", 0x0162: "ivb_gt2", 0x0166: "ivb_gt2", 0x016A: "ivb_gt2",
    0x0F30: "byt", 0x0F31: "byt", 0x0F32: "byt", 0x0F33: "byt", 0x0155: "byt", 0x0157: "byt",
}  # fmt: skip
"""PCI identifiers of Ivy Bridge and Bay Trail."""


def is_aub(data: bytes) -> bool:
    """Whether bytes of a file begin as a file of either style does."""
    if len(data) < _DWORD_B:
        return False
    dword = int.from_bytes(data[:_DWORD_B], "little")
    return dword >> 16 in (_packet(_CLASSIC, _CLASSIC_HEADER), _packet(_MEMTRACE, _MEMTRACE_HEADER))


def _packet(opcode: int, sub_opcode: int) -> int:
    return _PACKET << 13 | opcode << 7 | sub_opcode


@dataclass(frozen=True)
class _Write:
    """Bytes at a graphics address from submission `sequence` on."""

    sequence: int
    address: int
    data: memoryview

    @property
    def end(self) -> int:
        return self.address + len(self.data)


@dataclass
class _Trace:
    """What the packets of a file come to. submissions: ring and address of the first command."""

    name: str
    pci_id: int | None = None
    writes: list[_Write] = field(default_factory=list)
    submissions: list[tuple[int, int]] = field(default_factory=list)

    def write(self, address: int, data: memoryview) -> None:
        if address + len(data) > 1 << 32:
            raise CaptureError(f"{self.name}: {len(data)} bytes at {address:#x}, Gen7 has 32-bit addresses")
        if data:
            self.writes.append(_Write(len(self.submissions), address, data))

    def submit(self, ring: int, commands: memoryview) -> None:
        if ring not in _RINGS:
            raise CaptureError(f"{self.name}: commands for ring {ring}")
        if len(self.submissions) == MOST_SUBMISSIONS:
            raise CaptureError(f"{self.name}: more than {MOST_SUBMISSIONS} submissions")
        self.submissions.append((ring, _batch_of(commands, self.name)))


def _batch_of(commands: memoryview, name: str) -> int:
    """Address of the batch that ring contents start."""
    while commands:
        try:
            size = command_header(int.from_bytes(commands[:_DWORD_B], "little"), 7).dwords * _DWORD_B
            command = decode_command(bytes(commands[:size]))
        except StateError as error:
            raise CaptureError(f"{name}: submission: {error}") from None
        if isinstance(command, MiBatchBufferStart):
            return command.start_address
        if not isinstance(command, MiNoop):
            break
        commands = commands[size:]
    raise CaptureError(f"{name}: a submission that does not begin with MI_BATCH_BUFFER_START")


class _Image:
    """Memory over the submissions of a file, in ranges that are the same for all of them."""

    def __init__(self, trace: _Trace) -> None:
        self.ranges = _ranges(trace)
        """First address and size of each."""
        starts = [start for start, _ in self.ranges]
        self._writes: list[list[_Write]] = [[] for _ in starts]
        self._written: list[list[int]] = [[] for _ in trace.submissions]
        for write in trace.writes:
            owner = bisect_right(starts, write.address) - 1
            self._writes[owner].append(write)
            if write.sequence < len(self._written):
                self._written[write.sequence].append(owner)

    def contents(self, number: int, sequence: int) -> bytes:
        """A range as it was when a submission was made."""
        start, size = self.ranges[number]
        image = bytearray(size)
        for write in self._between(number, -1, sequence):
            image[write.address - start : write.end - start] = write.data
        return bytes(image)

    def changes(self, since: int, sequence: int) -> Iterator[tuple[int, int, bytes]]:
        """What was written after submission `since` up to submission `sequence`: range, offset and bytes in the end."""
        written = {number for later in self._written[since + 1 : sequence + 1] for number in later}
        for number in sorted(written):
            writes = self._between(number, since, sequence)
            pieces = _union(writes)
            data = [bytearray(end - start) for start, end in pieces]
            starts = [start for start, _ in pieces]
            for write in writes:
                owner = bisect_right(starts, write.address) - 1
                at = write.address - starts[owner]
                data[owner][at : at + len(write.data)] = write.data
            first = self.ranges[number][0]
            yield from ((number, at - first, bytes(piece)) for at, piece in zip(starts, data, strict=True))

    def _between(self, number: int, since: int, sequence: int) -> list[_Write]:
        """Writes to a range after one submission up to another, as the file has them."""
        writes = self._writes[number]
        low, high = (bisect_right(writes, at, key=lambda write: write.sequence) for at in (since, sequence))
        return writes[low:high]


def _union(writes: Sequence[_Write]) -> list[tuple[int, int]]:
    """Starts and ends of what writes cover, in pieces without gaps."""
    found: list[list[int]] = []
    for write in sorted(writes, key=lambda write: write.address):
        if found and write.address <= found[-1][1]:
            found[-1][1] = max(found[-1][1], write.end)
        else:
            found.append([write.address, write.end])
    return [(start, end) for start, end in found]


def _ranges(trace: _Trace) -> list[tuple[int, int]]:
    """First address and size of what is ever written, in pieces without gaps."""
    found = _union(trace.writes)
    total = sum(end - start for start, end in found)
    if total > LARGEST_MEMORY_B:
        raise CaptureError(f"{trace.name}: {total} bytes are written, the limit is {LARGEST_MEMORY_B}")
    if len(found) > MOST_RANGES:
        raise CaptureError(f"{trace.name}: {len(found)} ranges are written, the limit is {MOST_RANGES}")
    return [(start, end - start) for start, end in found]


@dataclass(frozen=True)
class AubCapture(Capture):
    """One submission of an AUB file."""

    image: _Image

    def contents(self, buffer: BufferObject) -> bytes:
        """See Capture."""
        return self.image.contents(buffer.index, self.sequence)

    def array(self, buffer: BufferObject) -> NDArray[np.uint8]:
        """See Capture."""
        return np.frombuffer(self.contents(buffer), np.uint8)

    def updates(self, since: Capture | None) -> Iterator[tuple[BufferObject, int, NDArray[np.uint8]]]:
        """See Capture; after an earlier submission of the file only what was written in between."""
        if not isinstance(since, AubCapture) or since.image is not self.image or since.sequence > self.sequence:
            yield from super().updates(since)
            return
        for number, offset, data in self.image.changes(since.sequence, self.sequence):
            yield self.buffers[number], offset, np.frombuffer(data, np.uint8)


def aub_captures(data: bytes, name: str) -> list[Capture]:
    """The submissions of an AUB file; CaptureError if it is malformed or of another generation."""
    trace = _Trace(name)
    for packet in _packets(data, name):
        _read(trace, packet)
    if trace.pci_id is not None and trace.pci_id not in _GEN7:
        raise CaptureError(f"{name}: PCI identifier {trace.pci_id:#06x} is no Ivy Bridge or Bay Trail")
    if not trace.submissions:
        raise CaptureError(f"{name}: memory is written, but nothing is submitted")
    image = _Image(trace)
    buffers = tuple(_buffer(number, start, size) for number, (start, size) in enumerate(image.ranges))
    return [_capture(trace, number, buffers, image) for number in range(len(trace.submissions))]


def _buffer(number: int, address: int, size: int) -> BufferObject:
    return BufferObject(number, number, "", address, size, "linear", 0, False, zlib.crc32(b""), (), 0, 0)


def _capture(trace: _Trace, number: int, buffers: tuple[BufferObject, ...], image: _Image) -> AubCapture:
    ring, batch = trace.submissions[number]
    holder = next((buffer for buffer in buffers if buffer.holds(batch)), None)
    if holder is None:
        raise CaptureError(f"{trace.name}: submission {number} begins at {batch:#x}, where nothing is")
    return AubCapture(
        name=f"{trace.name}:{number}",
        device=_GEN7.get(trace.pci_id or 0, "unknown"),
        pci_id=f"{trace.pci_id:#06x}" if trace.pci_id is not None else "",
        sequence=number,
        case=trace.name,
        meta={},
        ring=_RINGS[ring],
        context=ring,  # the file does not say: one for each ring
        batch_index=holder.index,
        batch_offset=batch - holder.address,
        batch_length=0,
        swizzle="none",
        buffers=buffers,
        _data=b"",
        image=image,
    )


def _packets(data: bytes, name: str) -> Iterator[memoryview]:
    """Packets in order, each with its header."""
    if not is_aub(data):
        raise CaptureError(f"{name}: no AUB file (it begins with {data[:4].hex(' ')})")
    view, at = memoryview(data), 0
    while at < len(data):
        if len(data) - at < _DWORD_B:
            raise CaptureError(f"{name}: {len(data) - at} bytes are left at {at:#x}, a packet begins with a dword")
        (dword,) = struct.unpack_from("<I", data, at)
        opcode, length = dword >> 23 & 0x3F, dword & 0xFFFF
        if dword >> 29 != _PACKET or opcode not in (_CLASSIC, _MEMTRACE):
            raise CaptureError(f"{name}: unknown packet {dword:#010x} at {at:#x}")
        size = (length + (2 if opcode == _CLASSIC else 1)) * _DWORD_B
        if opcode == _CLASSIC and dword >> 16 & 0x7F == _TRACE_BLOCK:
            if size < 5 * _DWORD_B or at + size > len(data):
                raise CaptureError(f"{name}: trace block at {at:#x} has {size} bytes")
            (payload,) = struct.unpack_from("<I", data, at + 16)
            size += -(-payload // _DWORD_B) * _DWORD_B
        if at + size > len(data):
            raise CaptureError(f"{name}: packet {dword:#010x} at {at:#x} has {size} bytes, the file ends before")
        yield view[at : at + size]
        at += size


def _read(trace: _Trace, packet: memoryview) -> None:
    """Take in one packet; what says nothing about memory or commands is skipped."""
    (dword,) = struct.unpack_from("<I", packet)
    kind = dword >> 16
    if kind == _packet(_CLASSIC, _CLASSIC_HEADER):
        _read_comment(trace, bytes(packet[_COMMENT_AT * _DWORD_B :]))
    elif kind == _packet(_MEMTRACE, _MEMTRACE_HEADER):
        _read_comment(trace, bytes(packet[5 * _DWORD_B :]))
    elif kind == _packet(_CLASSIC, _TRACE_BLOCK):
        _read_block(trace, packet, dword & 0xFFFF)
    elif kind == _packet(_MEMTRACE, _MEMORY_WRITE):
        _read_memory_write(trace, packet)
    elif kind == _packet(_MEMTRACE, _REGISTER_WRITE):
        raise CaptureError(f"{trace.name}: submissions through registers are those of Gen8 and later")


def _read_comment(trace: _Trace, comment: bytes) -> None:
    found = search(rb"PCI-ID=(0[xX][0-9a-fA-F]{1,8}|[0-9]{1,9})", comment)
    if found:
        trace.pci_id = int(found.group(1), 0) if found.group(1)[:2].lower() == b"0x" else int(found.group(1))


def _read_block(trace: _Trace, packet: memoryview, length: int) -> None:
    fields = struct.unpack_from("<4I", packet, _DWORD_B)
    operation, kind, space = fields[0] & 0xFF, fields[0] >> 8 & 0xFF, fields[0] >> 16 & 0xFF
    address, size = fields[2], fields[3]
    start = (length + 2) * _DWORD_B
    if length > 3:
        address |= struct.unpack_from("<I", packet, 5 * _DWORD_B)[0] << 32
    if operation == _COMMAND_WRITE:
        trace.submit(kind, packet[start : start + size])
    elif operation == _DATA_WRITE and space == _GRAPHICS:
        trace.write(address, packet[start : start + size])
    elif operation == _DATA_WRITE and space != _PAGE_TABLE:
        raise CaptureError(f"{trace.name}: a write to address space {space}")


def _read_memory_write(trace: _Trace, packet: memoryview) -> None:
    if len(packet) < 5 * _DWORD_B:
        raise CaptureError(f"{trace.name}: a memory write of {len(packet)} bytes")
    low, high, space, size = struct.unpack_from("<4I", packet, _DWORD_B)
    data = packet[5 * _DWORD_B :]
    if size > len(data):
        raise CaptureError(f"{trace.name}: a memory write of {size} bytes holds {len(data)}")
    if space >> 28 == _GRAPHICS:
        trace.write(low | high << 32, data[:size])
    elif space >> 28 != _PAGE_TABLE:
        raise CaptureError(f"{trace.name}: a write to address space {space >> 28}")
