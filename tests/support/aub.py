"""AUB files as `intel_dump_gpu` writes them for Gen7, packet by packet."""

import struct


def dwords(*values):
    return struct.pack(f"<{len(values)}I", *values)


def header(comment=b"PCI-ID=0x166", name=b"client"):
    text = comment.ljust(-(-len(comment) // 4) * 4, b"\0")
    length = 13 + len(text) // 4 - 2
    return dwords(0xE0850000 | length, 4 << 24) + name.ljust(32, b"\0") + dwords(0, 0, len(comment)) + text


def block(operation, kind, space, address, data, length=3):
    padded = bytes(data).ljust(-(-len(data) // 4) * 4, b"\0")
    high = dwords(address >> 32) if length == 4 else b""
    start = dwords(0xE0C10000 | length, operation | kind << 8 | space << 16, 0, address & 0xFFFFFFFF, len(data))
    return start + high + padded


def page_table():
    """What opens every file: one entry in the other style, then the table."""
    entry = dwords(0xF7060000 | 6, 0, 0, 4 << 28, 8, 1, 0)
    return entry + block(1, 0, 4, 0, b"".join(dwords(0x00200003 + 0x1000 * i) for i in range(64)))


def write(address, data, cut=32768):
    return b"".join(block(1, 0, 0, address + at, data[at : at + cut]) for at in range(0, len(data), cut))


def submission(batch, ring=2, address=0x7000000):
    return block(2, ring, 0, address, dwords(0x18800000, batch))
