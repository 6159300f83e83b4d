"""Values of a Gen7 execution unit's channels: types, conversions, conditions, and what opcodes compute.

Written from the manuals' tables, without the emulator's code.
"""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import numpy as np

UD, D, UW, W, UB, B, DF, F = range(8)
SIZE = {UD: 4, D: 4, UW: 2, W: 2, UB: 1, B: 1, F: 4}
RANGE = {
    UD: (0, 2**32 - 1), D: (-(2**31), 2**31 - 1), UW: (0, 2**16 - 1), W: (-(2**15), 2**15 - 1), UB: (0, 255),
    B: (-128, 127),
}  # fmt: skip


def bits(word: int, high: int, low: int) -> int:
    """The field high:low, unsigned."""
    return word >> low & (2 ** (high - low + 1) - 1)


def twos(value: int, width: int) -> int:
    """Two's complement."""
    return value - 2**width if value >= 2 ** (width - 1) else value


def to_float(value: int) -> np.float32:
    """Bits as a float, denormals as zero."""
    number = np.frombuffer(struct.pack("<I", value), np.float32)[0]
    return flush(number)


def flush(number: np.float32) -> np.float32:
    """Zero of the same sign for a denormal."""
    return np.float32(math.copysign(0.0, number)) if 0 < abs(number) < np.float32(2.0**-126) else number


def in_direction(exact: Fraction, mode: int) -> np.float32:
    """The float next to an exact value: mode 1 up, 2 down, 3 toward zero (cr0.0 bits 5:4, p. 48)."""
    near = np.float32(float(exact))
    while np.isinf(near) or Fraction(float(near)) > exact:
        near = np.nextafter(near, np.float32(-np.inf)) if near > 0 or not np.isinf(near) else near
        if np.isinf(near) and near < 0:
            break
    up = np.nextafter(near, np.float32(np.inf))
    while not np.isinf(up) and Fraction(float(up)) <= exact:
        near, up = up, np.nextafter(up, np.float32(np.inf))
    if not np.isinf(near) and Fraction(float(near)) == exact:
        return near
    return up if mode == 1 or (mode == 3 and exact < 0) else near


def rounded(control: int, opcode: int, a: np.float32, b: np.float32) -> np.float32:
    """Sum (64) or product (65) of floats as cr0.0 wants it."""
    mode = control >> 4 & 3
    result = a + b if opcode == 64 else a * b
    if mode and np.isfinite(a) and np.isfinite(b):
        x, y = Fraction(float(a)), Fraction(float(b))
        exact = x + y if opcode == 64 else x * y
        if exact:
            result = in_direction(exact, mode)
    if control & 1 and np.isinf(result):  # the alternative mode has no infinities (p. 25)
        result = np.copysign(np.finfo(np.float32).max, result)
    return flush(result)


def number(raw: int, kind: int) -> int | np.float32:
    """Value of raw bits."""
    if kind == F:
        return to_float(raw)
    return raw if kind in (UD, UW, UB) else twos(raw, 8 * SIZE[kind])


def condition_holds(code: int, a: int | np.float32, b: int | np.float32) -> bool:
    """Condition modifier, a against b."""
    return {1: a == b, 2: a != b, 3: a > b, 4: a >= b, 5: a < b, 6: a <= b}[code]


def comparison(opcode: int, code: int, a: int | np.float32, b: int | np.float32) -> bool:
    """cmp (16) and cmpn (17), where a NaN second source decides alone (volume 4 part 3, p. 22)."""
    if opcode == 17 and math.isnan(b):
        return code != 2
    return condition_holds(code, a, b)


def smaller_or_larger(code: int, a: int | np.float32, b: int | np.float32) -> int | np.float32:
    """What sel with a condition modifier takes (p. 25, 214)."""
    if code in (4, 5) and math.isnan(a):
        return b
    return a if comparison(17 if code in (4, 5) else 16, code, a, b) else b


def result_flag(code: int, exact, stored, kind: int, sources) -> bool:
    """A condition about a result: after its conversion and saturation (p. 77-79). stored: raw."""
    if code == 8:
        if kind == F:
            return bool(np.isinf(number(converted(exact, kind, False), kind))) and all(
                np.isfinite(s) for s in sources if s is not None
            )
        return bool(exact < RANGE[kind][0] or exact > RANGE[kind][1])
    if code == 9:
        return math.isnan(exact)
    return condition_holds(code, number(stored, kind), 0)


def converted(value: int | np.float32, kind: int, saturate: bool) -> int:
    """Raw bits of a result in the destination's type."""
    if kind == F:
        result = np.float32(value)
        if saturate:
            result = np.float32(0) if np.isnan(result) else min(max(result, np.float32(0)), np.float32(1))
        return struct.unpack("<I", struct.pack("<f", result))[0]
    low, high = RANGE[kind]
    if isinstance(value, np.floating):
        value = 0 if np.isnan(value) else low if value <= low else high if value >= high else int(value)
    elif saturate:
        value = min(max(value, low), high)
    return value % 2 ** (8 * SIZE[kind])


def compute(name: int, a, b, kinds, control: int = 0):
    """Result of an opcode with one or two sources on channel values."""
    count = int(b) & 31 if b is not None and not isinstance(b, np.floating) else 0
    is_float = kinds[0] == F
    if name == 1:
        return a
    if name == 4:
        return ~a
    if name in (5, 6, 7):
        return {5: a & b, 6: a | b, 7: a ^ b}[name]
    if name == 8:
        return (a % 2 ** (8 * SIZE[kinds[0]])) >> count
    if name == 9:
        return a << count
    if name == 12:
        return a >> count
    if name == 64:
        return rounded(control, 64, a, b) if is_float else a + b
    if name == 65:
        return rounded(control, 65, a, b) if is_float else a * b
    if name == 66:
        return (a + b + 1) >> 1
    if name == 25:
        return ((1 << (a & 31)) - 1) << (b & 31)
    if name == 23:
        return int(f"{a % 2**32:032b}"[::-1], 2)
    if name == 67:
        return flush(a - np.floor(a))
    if name in (68, 69, 70, 71):
        return {68: np.ceil, 69: np.floor, 70: np.rint, 71: np.trunc}[name](a)
    if name == 74:
        return 32 - (a % 2**32).bit_length()
    if name == 75:
        rest = ~a if a < 0 else a
        return 0xFFFFFFFF if rest == 0 else 32 - rest.bit_length()
    if name == 76:
        return 0xFFFFFFFF if a == 0 else next(i for i in range(32) if a >> i & 1)
    if name == 77:
        return (a % 2**32).bit_count()
    raise AssertionError(name)
