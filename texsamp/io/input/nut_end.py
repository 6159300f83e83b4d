"""The end of a NUT file: whether its last packet is all there (NUT Open Container Format, 20130327)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import BinaryIO

_MAIN, _SYNC = b"NM\x7a\x56\x1f\x5f\x04\xad", b"NK\xe4\xad\xee\xca\x45\x69"
_FILE_ID_B = len(b"nut/multimedia container\0")
_STARTCODE_B, _CHECKSUM_B, _CHECKED_B = 8, 4, 4096
"""Packets that are longer than the last have a checksum in their header."""
_NAME = ord("N")
"""The first byte of a startcode, which no frame begins with."""
_MOST_ROWS = 256
_LARGEST_MAIN_B, _SEARCHED_B = 1 << 16, 8 << 20
_CODED_PTS, _STREAM_ID, _SIZE_MSB, _CHECKSUM, _RESERVED = 8, 16, 32, 64, 128
_HEADER_IDX, _MATCH_TIME, _CODED, _INVALID = 1024, 2048, 4096, 8192


class _Numbers:
    """Numbers of seven bits a byte. Raises IndexError where they leave the data."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def next(self) -> int:
        value = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                return value

    def skip(self, count: int) -> None:
        for _ in range(count):
            self.next()


@dataclass(frozen=True)
class _Code:
    """What the first byte of a frame says."""

    flags: int
    multiple: int
    size_B: int  # noqa: N815 - the unit
    reserved: int
    header: int


def nut_end(file: BinaryIO) -> str | None:
    """In words, what is missing of the last packet; None if nothing is, or that cannot be told."""
    size_B = file.seek(0, os.SEEK_END)
    file.seek(0)
    head = file.read(_LARGEST_MAIN_B)
    start = max(0, size_B - _SEARCHED_B)
    file.seek(start)
    tail = file.read(_SEARCHED_B)
    try:
        codes, elided_B = _main_header(head)
    except (IndexError, ValueError):
        return None
    at = tail.rfind(_SYNC)
    if at < 0:
        return None
    try:
        while at < len(tail):
            begin, at = at, _after(tail, at, codes, elided_B)
    except IndexError:
        return "its last packet has no whole header"
    except ValueError:
        return None
    return None if at == len(tail) else f"its last packet has {len(tail) - begin} of {at - begin} bytes"


def _after(data: bytes, at: int, codes: list[_Code], elided_B: list[int]) -> int:  # noqa: N803 - the unit
    """Where a packet or frame ends. Raises ValueError for what is neither."""
    if data[at] == _NAME:
        return _after_packet(data, at)[1]
    code, numbers = codes[data[at]], _Numbers(data, at + 1)
    flags = code.flags ^ numbers.next() if code.flags & _CODED else code.flags
    if code.flags & _INVALID:
        raise ValueError(data[at])
    numbers.skip(bool(flags & _STREAM_ID) + bool(flags & _CODED_PTS))
    size_B = code.size_B + (code.multiple * numbers.next() if flags & _SIZE_MSB else 0)
    numbers.skip(bool(flags & _MATCH_TIME))
    header = numbers.next() if flags & _HEADER_IDX else code.header
    numbers.skip(numbers.next() if flags & _RESERVED else code.reserved)
    if header >= len(elided_B) or size_B < elided_B[header]:
        raise ValueError(header)
    return numbers.at + (_CHECKSUM_B if flags & _CHECKSUM else 0) + size_B - elided_B[header]


def _after_packet(data: bytes, at: int) -> tuple[int, int]:
    """Where the contents of a packet with a startcode begin, and where it ends."""
    numbers = _Numbers(data, at + _STARTCODE_B)
    size_B = numbers.next()
    begin = numbers.at + (_CHECKSUM_B if size_B > _CHECKED_B else 0)
    return begin, begin + size_B


def _main_header(head: bytes) -> tuple[list[_Code], list[int]]:
    """What each first byte of a frame says, and how many bytes each header has that frames leave out."""
    if head[_FILE_ID_B : _FILE_ID_B + _STARTCODE_B] != _MAIN:
        raise ValueError("no NUT file")
    numbers = _Numbers(head, _after_packet(head, _FILE_ID_B)[0])
    version = numbers.next()
    numbers.skip(2 + (version > 3))  # a minor version, streams, distance of syncpoints
    numbers.skip(2 * numbers.next())  # time bases
    codes: list[_Code] = []
    multiple, header = 1, 0
    while len(codes) < 256:
        flags, fields = numbers.next(), numbers.next()
        row = [numbers.next() for _ in range(fields)]
        multiple, header = (*row[1:2], multiple)[0], (*row[7:8], header)[0]
        size_B, reserved = (*row[3:4], 0)[0], (*row[4:5], 0)[0]
        count = (*row[5:6], multiple - size_B)[0]
        if not 1 <= count <= _MOST_ROWS:  # a lie would take all memory
            raise ValueError("a table of frames has other rows")
        for step in range(count):
            if len(codes) == _NAME:
                codes.append(_Code(_INVALID, 1, 0, 0, 0))
            codes.append(_Code(flags, multiple, size_B + step, reserved, header))
    elided_B = [0]
    for _ in range(numbers.next()):
        elided_B.append(length := numbers.next())
        numbers.at += length
    return codes, elided_B
