"""ASTC's integer sequences and their unquantization, from the Khronos Data Format Specification, chapter "ASTC
Compressed Texture Image Formats": "Integer Sequence Encoding", "Endpoint Unquantization", "Weight Unquantization".

A stream of bits is a Python integer; bit i of the stream is bit i of the integer.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


class Range(NamedTuple):
    """Values 0 to `levels` - 1, each with at most one trit or quint above its bits."""

    levels: int
    trits: int
    quints: int
    bits: int


WEIGHT_RANGES = {
    # (precision bit, R2..0): table "weight range encodings"
    (0, 2): Range(2, 0, 0, 1),
    (0, 3): Range(3, 1, 0, 0),
    (0, 4): Range(4, 0, 0, 2),
    (0, 5): Range(5, 0, 1, 0),
    (0, 6): Range(6, 1, 0, 1),
    (0, 7): Range(8, 0, 0, 3),
    (1, 2): Range(10, 0, 1, 1),
    (1, 3): Range(12, 1, 0, 2),
    (1, 4): Range(16, 0, 0, 4),
    (1, 5): Range(20, 0, 1, 2),
    (1, 6): Range(24, 1, 0, 3),
    (1, 7): Range(32, 0, 0, 5),
}
COLOR_RANGES = (
    Range(6, 1, 0, 1),
    Range(8, 0, 0, 3),
    Range(10, 0, 1, 1),
    Range(12, 1, 0, 2),
    Range(16, 0, 0, 4),
    Range(20, 0, 1, 2),
    Range(24, 1, 0, 3),
    Range(32, 0, 0, 5),
    Range(40, 0, 1, 3),
    Range(48, 1, 0, 4),
    Range(64, 0, 0, 6),
    Range(80, 0, 1, 4),
    Range(96, 1, 0, 5),
    Range(128, 0, 0, 7),
    Range(160, 0, 1, 5),
    Range(192, 1, 0, 6),
    Range(256, 0, 0, 8),
)


def field(stream: int, high: int, low: int) -> int:
    """Bits high..low."""
    return stream >> low & (1 << (high - low + 1)) - 1


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def sequence_bits(count: int, kind: Range) -> int:
    return ceil_div(count * 8 * kind.trits, 5) + ceil_div(count * 7 * kind.quints, 3) + count * kind.bits


@cache
def trits_of(T: int) -> tuple[int, ...]:
    if field(T, 4, 2) == 0b111:
        C = field(T, 7, 5) << 2 | field(T, 1, 0)
        t4 = t3 = 2
    else:
        C = field(T, 4, 0)
        if field(T, 6, 5) == 0b11:
            t4, t3 = 2, field(T, 7, 7)
        else:
            t4, t3 = field(T, 7, 7), field(T, 6, 5)
    if field(C, 1, 0) == 0b11:
        t2, t1 = 2, field(C, 4, 4)
        t0 = field(C, 3, 3) << 1 | (field(C, 2, 2) & ~field(C, 3, 3))
    elif field(C, 3, 2) == 0b11:
        t2, t1, t0 = 2, 2, field(C, 1, 0)
    else:
        t2, t1 = field(C, 4, 4), field(C, 3, 2)
        t0 = field(C, 1, 1) << 1 | (field(C, 0, 0) & ~field(C, 1, 1))
    return t0, t1, t2, t3, t4


@cache
def quints_of(Q: int) -> tuple[int, ...]:
    if field(Q, 2, 1) == 0b11 and field(Q, 6, 5) == 0b00:
        q2 = (Q & 1) << 2 | (field(Q, 4, 4) & ~(Q & 1)) << 1 | (field(Q, 3, 3) & ~(Q & 1))
        q1 = q0 = 4
    else:
        if field(Q, 2, 1) == 0b11:
            q2 = 4
            C = field(Q, 4, 3) << 3 | (3 - field(Q, 6, 5)) << 1 | Q & 1
        else:
            q2 = field(Q, 6, 5)
            C = field(Q, 4, 0)
        if field(C, 2, 0) == 0b101:
            q1, q0 = 4, field(C, 4, 3)
        else:
            q1, q0 = field(C, 4, 3), field(C, 2, 0)
    return q0, q1, q2


class Value(NamedTuple):
    """One value as it is stored: its trit or quint (0 if it has none) and its bits m."""

    digit: int
    m: int


def decode_sequence(stream: int, count: int, kind: Range) -> list[Value]:
    """`count` values from bit 0 of the stream; bits beyond the sequence's size are not read and count as 0."""
    stream &= (1 << sequence_bits(count, kind)) - 1
    n = kind.bits
    if kind.trits:
        # m4 T7, m3 T6 T5, ... : how many bits of T follow each value's m
        return _decode_groups(stream, count, n, (2, 2, 1, 2, 1), trits_of)
    if kind.quints:
        return _decode_groups(stream, count, n, (3, 2, 2), quints_of)
    return [Value(0, stream >> i * n & (1 << n) - 1) for i in range(count)]


def _decode_groups(stream, count, n, interleaved, digits_of):
    size = len(interleaved)
    values = []
    at = 0
    while len(values) < count:
        packed, have, ms = 0, 0, []
        for extra in interleaved:
            ms.append(stream >> at & (1 << n) - 1)
            at += n
            packed |= (stream >> at & (1 << extra) - 1) << have
            at += extra
            have += extra
        digits = digits_of(packed)
        values += [Value(digits[k], ms[k]) for k in range(size)]
    return values[:count]


def replicated(m: int, n: int, to: int) -> int:
    """Bit replication of an n-bit value from its most significant bit to `to` bits."""
    text = format(m, f"0{n}b")
    return int((text * to)[:to], 2)


def _letters(pattern: str, m: int) -> int:
    """The bits of m placed by letter: a is bit 0."""
    return int("".join("0" if letter == "0" else str(m >> ord(letter) - ord("a") & 1) for letter in pattern), 2)


COLOR_PARAMETERS = {
    # levels: (B, C)
    6: ("000000000", 204),
    10: ("000000000", 113),
    12: ("b000b0bb0", 93),
    20: ("b0000bb00", 54),
    24: ("cb000cbcb", 44),
    40: ("cb0000cbc", 26),
    48: ("dcb000dcb", 22),
    80: ("dcb0000dc", 13),
    96: ("edcb000ed", 11),
    160: ("edcb0000e", 6),
    192: ("fedcb000f", 5),
}
WEIGHT_PARAMETERS = {
    6: ("0000000", 50),
    10: ("0000000", 28),
    12: ("b000b0b", 23),
    20: ("b0000b0", 13),
    24: ("cb000cb", 11),
}
WEIGHTS_WITHOUT_BITS = {3: (0, 32, 63), 5: (0, 16, 32, 47, 63)}


def unquantize_color(value: Value, kind: Range) -> int:
    """0 to 255."""
    if not kind.trits and not kind.quints:
        return replicated(value.m, kind.bits, 8)
    pattern, C = COLOR_PARAMETERS[kind.levels]
    A = 0x1FF if value.m & 1 else 0
    unq = value.digit * C + _letters(pattern, value.m)
    unq ^= A
    return A & 0x80 | unq >> 2


def unquantize_weight(value: Value, kind: Range) -> int:
    """0 to 64."""
    if kind.bits == 0:
        unq = WEIGHTS_WITHOUT_BITS[kind.levels][value.digit]
    elif not kind.trits and not kind.quints:
        unq = replicated(value.m, kind.bits, 6)
    else:
        pattern, C = WEIGHT_PARAMETERS[kind.levels]
        A = 0x7F if value.m & 1 else 0
        unq = value.digit * C + _letters(pattern, value.m)
        unq ^= A
        unq = A & 0x20 | unq >> 2
    return unq + 1 if unq > 32 else unq
