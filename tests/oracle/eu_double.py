"""Double precision of a Gen7 execution unit, one number at a time with exact fractions (ISA p. 13, 22-28, 48, 71).

Regions count floats: number i has float 2i (its low dword) and 2i + 1 (its high one). It is channel i of masks, flags
and align16 enables.
"""

import math
import struct
from fractions import Fraction

from oracle.eu_values import SIZE, bits, twos

UD, D, UW, W, DF, F = 0, 1, 2, 3, 6, 7
MAD = 91
LEAST, MOST, FRACTION = -1022, 1023, 52


def names_doubles(word):
    """Whether an operand of the instruction is a double."""
    if bits(word, 6, 0) == MAD:
        return bits(word, 43, 42) == 3
    kinds = [bits(word, 36, 34), bits(word, 41, 39) if bits(word, 38, 37) != 3 else F]
    if bits(word, 6, 0) != 1 and bits(word, 43, 42) != 3:
        kinds.append(bits(word, 46, 44))
    return DF in kinds


def double(low, high):
    """Two dwords as a number."""
    return struct.unpack("<d", struct.pack("<II", low, high))[0]


def rounded(value, mode, least=LEAST, fraction=FRACTION, most=MOST):
    """A fraction that is not 0 as the nearest number (0), above (1), below (2) or toward zero (3)."""
    exponent = abs(value).numerator.bit_length() - value.denominator.bit_length()
    if abs(value) < Fraction(2) ** exponent:
        exponent -= 1
    step = Fraction(2) ** (max(exponent, least) - fraction)
    steps = value / step
    down = math.floor(steps)
    rest = steps - down
    if mode == 0:
        up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and down % 2)
    else:
        up = bool(rest) and (mode == 1 or (mode == 3 and value < 0))
    result = (down + up) * step
    if abs(result) >= Fraction(2) ** (most + 1):  # beyond the largest number
        away = mode == 0 or (mode == 1 and value > 0) or (mode == 2 and value < 0)
        limit = Fraction(2) ** most * (2 - Fraction(2) ** -fraction)
        return math.copysign(math.inf if away else float(limit), 1 if value > 0 else -1)
    return math.copysign(float(result), 1 if value > 0 else -1)


def operated(name, a, b, mode):
    """A sum or product."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return a + b if name == "add" else a * b
    exact = Fraction(a) + Fraction(b) if name == "add" else Fraction(a) * Fraction(b)
    if exact == 0:
        return a + b if name == "add" else a * b
    return rounded(exact, mode)


def flushed(value, keeps):
    """Denormals as zeros of their sign."""
    return math.copysign(0.0, value) if not keeps and value != 0 and abs(value) < 2.0**LEAST else value


def compared(condition, a, b):
    """A comparison."""
    return {1: a == b, 2: a != b, 3: a > b, 4: a >= b, 5: a < b, 6: a <= b}[condition]


def compared_numbers(condition, a, b):
    """cmpn (p. 22)."""
    if math.isnan(b):
        return condition != 2
    return compared(condition, a, b)


def source(thread, word, index, i, size):
    """Number i of a source with its modifiers, its type, and the dwords it has."""
    if bits(word, 6, 0) == MAD:
        base = (64, 85, 106)[index]
        dwords = []
        for n in (2 * i, 2 * i + 1):
            at = 4 * (n // 4) + bits(word, base + 2 + 2 * (n % 4), base + 1 + 2 * (n % 4))
            at = 32 * bits(word, base + 19, base + 12) + 4 * bits(word, base + 11, base + 9) + 4 * at
            dwords.append(thread.load(("r", at), UD))
        value = double(*dwords)
        value = abs(value) if bits(word, 36 + 2 * index, 36 + 2 * index) else value
        return -value if bits(word, 37 + 2 * index, 37 + 2 * index) else value, DF, dwords
    file, kind = (bits(word, 38, 37), bits(word, 41, 39)) if index == 0 else (bits(word, 43, 42), bits(word, 46, 44))
    if file == 3:
        raw = bits(word, 127, 96)
        value = struct.unpack("<f", struct.pack("<I", raw))[0] if kind == F else twos(raw, 32) if kind == D else raw
        return float(value), kind, []
    base, element = 64 if index == 0 else 96, 4 if kind == DF else SIZE[kind]
    dwords = []
    for n in (2 * i, 2 * i + 1):
        if bits(word, 8, 8):  # align16: .x picks the low half
            swizzle = bits(word, base + 3, base) | bits(word, base + 19, base + 16) << 4
            down = [0, 1, 2, 4, 8, 16, 32][bits(word, base + 24, base + 21)]
            offset = 4 * (n // 4 * down + (swizzle >> 2 * (n % 4) & 3))
            dwords.append(
                thread.load(
                    ("r", 32 * bits(word, base + 12, base + 5) + 16 * bits(word, base + 4, base + 4) + offset), UD
                )
            )
            continue
        name, start = thread.place(word, base, file)
        row, column = divmod(n, 2 ** bits(word, base + 20, base + 18))
        down = [0, 1, 2, 4, 8, 16, 32][bits(word, base + 24, base + 21)]
        across = [0, 1, 2, 4][bits(word, base + 17, base + 16)]
        dwords.append(thread.load((name, start + (row * down + column * across) * element), UD if kind == DF else kind))
    if kind == DF:
        value = double(*dwords)
    elif kind == F:
        value = struct.unpack("<f", struct.pack("<I", dwords[0]))[0]
    else:
        value = float(twos(dwords[0], 8 * element) if kind in (D, W) else dwords[0])
    value = abs(value) if bits(word, base + 13, base + 13) else value
    return -value if bits(word, base + 14, base + 14) else value, kind, dwords


def converted(value, kind, saturate):
    """Elements of the destination that a number becomes, two of them."""
    if saturate and kind in (DF, F):
        value = 0.0 if math.isnan(value) else min(max(value, 0.0), 1.0)
    if kind == DF:
        return struct.unpack("<II", struct.pack("<d", value))
    if kind == F:  # toward zero (p. 27)
        finite = math.isfinite(value) and value != 0
        value = rounded(Fraction(value), 3, -126, 23, 127) if finite else value
        return struct.unpack("<I", struct.pack("<f", value))[0], 0
    low, high = {UD: (0, 2**32 - 1), D: (-(2**31), 2**31 - 1), UW: (0, 2**16 - 1), W: (-(2**15), 2**15 - 1)}[kind]
    whole = 0 if math.isnan(value) else int(min(max(value, low), high))
    return whole % 2 ** (8 * SIZE[kind]), 0


def step(thread, word, active, chosen, first):
    """One instruction on doubles. active: channels at it; chosen: what the predicate says of each."""
    opcode, condition, saturate = bits(word, 6, 0), bits(word, 27, 24), bool(bits(word, 31, 31))
    size, control = 2 ** bits(word, 23, 21), int.from_bytes(thread.files["cr"][:4], "little")
    keeps, mode = bool(control >> 6 & 1), control >> 4 & 3
    mad, kind = opcode == MAD, bits(word, 36, 34)
    kind = DF if mad else kind
    count = 3 if mad else 1 if opcode == 1 else 2
    writes, kept, flags = [], [], []
    for i in range(size // 2):
        read = [source(thread, word, index, i, size) for index in range(count)]
        values = [value if opcode == 1 and of != kind else flushed(value, keeps) for value, of, _ in read]
        pair = (2 * i, 2 * i + 1)
        enabled = bits(word, 52, 49) if mad else bits(word, 51, 48) if bits(word, 8, 8) else 15
        works = active[i] and enabled >> i % 4 & 1 and (chosen[i] or (opcode == 2 and not condition))
        outcome, overflow = None, False
        raw = opcode == 1 and read[0][1] == DF == kind and not (saturate or bits(word, 78, 77))
        if opcode == 2 and not condition:
            parts = struct.unpack("<II", struct.pack("<d", read[0 if chosen[i] else 1][0]))
        elif opcode == 2:
            a, b = values
            picks = compared_numbers(condition, a, b) if condition in (4, 5) else compared(condition, a, b)
            picks = picks and not (condition in (4, 5) and math.isnan(a))
            parts = converted(a if picks else b, kind, saturate)
        elif opcode in (16, 17):
            outcome = (compared if opcode == 16 else compared_numbers)(condition, *values)
            parts = [2**32 - 1 if outcome else 0] * 2
        elif raw:
            parts, result = read[0][2], values[0]
        else:
            if opcode == 1:
                result = values[0]
            elif opcode == 64:
                result = flushed(operated("add", *values, mode), keeps)
            else:
                a, b = values[-2:]
                result = flushed(operated("mul", a, b, mode), keeps)
                if opcode == 72:
                    at = bits(word, 52, 48) + 8 * i
                    held = double(thread.load(("acc", at), UD), thread.load(("acc", at + 4), UD))
                    result = flushed(operated("add", result, flushed(held, keeps), mode), keeps)
                if mad:
                    result = flushed(operated("add", result, values[0], mode), keeps)
            parts = converted(result, kind, saturate)
        if condition and opcode not in (2, 16, 17):
            limited = 0.0 if math.isnan(result) else min(max(result, 0.0), 1.0)
            final = limited if saturate and kind in (DF, F) else result
            overflow = math.isinf(result) and all(math.isfinite(value) for value in values)
            outcome = (
                overflow if condition == 8 else math.isnan(result) if condition == 9 else compared(condition, final, 0)
            )
        element = 4 if kind == DF else SIZE[kind]
        if not works:
            continue
        if outcome is not None:
            flags.append((i, outcome))
        for n, part in zip(pair, parts, strict=True):
            if mad or bits(word, 8, 8):
                start = (
                    32 * bits(word, 63, 56) + 4 * bits(word, 55, 53)
                    if mad
                    else 32 * bits(word, 60, 53) + 16 * bits(word, 52, 52)
                )
                place = ("r", start + 4 * n)
            else:
                name, start = thread.place(word, 48, bits(word, 33, 32))
                place = (name, start + n * [0, 1, 2, 4][bits(word, 62, 61)] * element)
            writes.append((place, UD if kind == DF else kind, part))
            if bits(word, 28, 28) and not control & 2:
                kept.append((bits(word, 52, 48) + 4 * n, part))
    for place, of, part in writes:
        thread.store(place, of, part)
    for at, part in kept:
        thread.store(("acc", at), UD, part)
    register = bits(word, 34, 34) if mad else bits(word, 90, 90)
    half = bits(word, 33, 33) if mad else bits(word, 89, 89)
    for n, outcome in flags:
        thread.set_flag(register, 16 * half + first + n, outcome)
