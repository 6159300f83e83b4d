"""A Gen7 execution unit, one thread, one channel at a time: bit positions and rules as the manuals list them.

Covers align1 instructions of one and two sources, bfe and bfi2, jumps and structured control flow. Written from the
instruction tables (seed 004:3952-4656 for add to brd) without the emulator's code.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from oracle import eu_double
from oracle.eu_values import (
    RANGE,
    SIZE,
    UD,
    UW,
    F,
    W,
    bits,
    comparison,
    compute,
    converted,
    number,
    result_flag,
    rounded,
    smaller_or_larger,
    twos,
)

CHANNELS = 32
ENDED = 1 << 40


class Thread:
    """Registers of one thread: general ones as bytes, a0, acc0 with acc1 behind it, f0 and f1."""

    def __init__(self, general: bytes = b"") -> None:
        self.files = {
            "r": bytearray(general.ljust(4096, b"\0")), "a": bytearray(16), "acc": bytearray(64), "f": bytearray(8),
            "sr": bytearray(16), "cr": bytearray(12), "n": bytearray(12), "ip": bytearray(4), "tdr": bytearray(16),
            "tm": bytearray(32),
        }  # fmt: skip
        self.calls: list[tuple[list[int], set[int]]] = []  # where all channels go on, and those still in the routine
        self.ips = [0] * CHANNELS
        self.alone = ENDED  # where the thread is, if none of its channels is there
        self.executed = 0  # instructions, which tm0 shows
        self.wide: dict[tuple[int, int], int] = {}  # integers of acc0 by size and byte offset: 33 or 64 bits

    def place(self, word: int, base: int, file: int, half: int = 0) -> tuple[str, int]:
        """File and first byte of an operand whose fields begin at bit `base`; half: which address it has (p. 71)."""
        if bits(word, base + 15, base + 15):
            address = int.from_bytes(self.files["a"][2 * (bits(word, base + 12, base + 10) + half) :][:2], "little")
            return "r", address + twos(bits(word, base + 9, base), 10)
        number, within = bits(word, base + 12, base + 5), bits(word, base + 4, base)
        if file == 1:
            return "r", 32 * number + within
        state = {0x70: "sr", 0x80: "cr", 0x90: "n", 0xA0: "ip", 0xB0: "tdr", 0xC0: "tm"}
        if number in state:
            return state[number], within
        return {0x10: ("a", within), 0x20: ("acc", within), 0x21: ("acc", 32 + within), 0x30: ("f", within),
                0x31: ("f", 4 + within), 0x00: ("null", 0)}[number]  # fmt: skip

    def load(self, place: tuple[str, int], kind: int) -> int:
        """Raw bits of an element."""
        return int.from_bytes(self.files[place[0]][place[1] :][: SIZE[kind]], "little")

    def store(self, place: tuple[str, int], kind: int, raw: int) -> None:
        """Raw bits into an element."""
        if place[0] != "null":
            self.files[place[0]][place[1] : place[1] + SIZE[kind]] = raw.to_bytes(SIZE[kind], "little")
        if place[0] == "a":  # a0.2 to a0.7 have 12 bits (p. 41)
            for word in range(2, 8):
                self.files["a"][2 * word + 1] &= 0x0F

    def accumulate(self, at: int, kind: int, value: int, width: int) -> None:
        """An integer, or something that is none (width 0), goes to acc0: the register shows its low bits (p. 43)."""
        for other in [key for key in self.wide if key[0] != SIZE[kind] or not width]:
            del self.wide[other]
        if width and at < 32:
            self.wide[SIZE[kind], at] = twos(value % 2**width, width)

    def accumulated(self, at: int, kind: int) -> int | np.float32:
        """An element of acc0 with all its bits."""
        shown = number(self.load(("acc", at), kind), kind)
        return shown if kind == F else self.wide.get((SIZE[kind], at), shown)

    def flag(self, register: int, bit: int) -> bool:
        """One bit of f0 or f1."""
        return bool(self.files["f"][4 * register + bit // 8] >> bit % 8 & 1)

    def set_flag(self, register: int, bit: int, value: bool) -> None:
        """Change one bit of f0 or f1."""
        at, mask = 4 * register + bit // 8, 1 << bit % 8
        self.files["f"][at] = self.files["f"][at] & ~mask | mask * value


def immediate(word: int, kind: int, n: int) -> tuple[int | np.float32, int]:
    """Value and type of channel n of the immediate."""
    raw = bits(word, 127, 96)
    if kind == 4:
        return raw >> 4 * (n % 8) & 15, UW
    if kind == 6:
        return twos(raw >> 4 * (n % 8) & 15, 4), W
    if kind == 5:
        code = raw >> 8 * (n % 4) & 255
        size = 0.0 if code & 127 == 0 else 2.0 ** ((code >> 4 & 7) - 3) * (1 + (code & 15) / 16)
        return np.float32(-size if code & 128 else size), F
    return number(raw & (2 ** (8 * SIZE[kind]) - 1), kind), kind


@lru_cache(1 << 12)
def two_registers(word: int) -> bool:
    """Whether the destination takes two registers."""
    stride = [0, 1, 2, 4][bits(word, 62, 61)] * SIZE[bits(word, 36, 34)]
    return 2 ** bits(word, 23, 21) * stride > 32


@lru_cache(1 << 12)
def region(word: int, base: int, kind: int) -> tuple[int | None, int, int, bool]:
    """Bytes from row to row, log2 of a row's elements, bytes between those, and whether all channels have one."""
    vertical, width, horizontal = (
        bits(word, base + 24, base + 21),
        bits(word, base + 20, base + 18),
        bits(word, base + 17, base + 16),
    )
    across = [0, 1, 2, 4][horizontal] * SIZE[kind]
    if vertical == 15:
        return None, width, across, False
    down = [0, 1, 2, 4, 8, 16, 32][vertical] * SIZE[kind]
    places = (i // 2**width * down + i % 2**width * across for i in range(2 ** bits(word, 23, 21)))
    return down, width, across, not any(places)


def source(thread: Thread, word: int, index: int, n: int) -> tuple[int | np.float32, int, int]:
    """Value of channel n of source 0 or 1 with its modifiers, its type, and its raw bits."""
    file = bits(word, 38, 37) if index == 0 else bits(word, 43, 42)
    kind = bits(word, 41, 39) if index == 0 else bits(word, 46, 44)
    if file == 3:
        value, element = immediate(word, kind, n)
        raw = (
            bits(word, 127, 96)
            if kind == F
            else struct.unpack("<I", struct.pack("<f", value))[0]
            if element == F
            else value
        )
        return value, element, raw
    base = 64 if index == 0 else 96
    down, width, across, scalar = region(word, base, kind)
    row, column = divmod(n, 2**width)
    if down is None:  # every row has an address of its own
        sub = bits(word, base + 12, base + 10) + row
        address = int.from_bytes(thread.files["a"][2 * sub :][:2], "little")
        place = ("r", address + twos(bits(word, base + 9, base), 10) + column * across)
    else:
        size = 2 ** bits(word, 23, 21)
        half = int(two_registers(word) and not scalar and n >= size // 2)
        file_name, start = thread.place(word, base, file, half)
        if bits(word, base + 15, base + 15) and half:
            row, column = divmod(n - size // 2, 2**width)
        place = (file_name, start + row * down + column * across)
    raw = thread.load(place, kind)
    value = thread.accumulated(place[1], kind) if place[0] == "acc" else number(raw, kind)
    if bits(word, base + 13, base + 13):
        value = abs(value)
    if bits(word, base + 14, base + 14):
        value = -value
    return value, kind, raw


def denormal_too(word: int, index: int, raw: int) -> np.float32:
    """A float source with its modifiers, denormals as they are."""
    base, file = (64, bits(word, 38, 37)) if index == 0 else (96, bits(word, 43, 42))
    if file != 3 and bits(word, base + 13, base + 13):
        raw &= 0x7FFFFFFF
    if file != 3 and bits(word, base + 14, base + 14):
        raw ^= 0x80000000
    return np.frombuffer(struct.pack("<I", raw), np.float32)[0]


def predicate(thread: Thread, word: int, n: int, first: int, size: int) -> bool:
    """Whether channel n may work."""
    low = 33 if bits(word, 6, 0) in (24, 26) else 89  # three sources leave no room up there
    control, register, half = bits(word, 19, 16), bits(word, low + 1, low + 1), bits(word, low, low)
    bit = 16 * half + first + n
    if control == 0:
        return True
    if control == 1:
        chosen = thread.flag(register, bit)
    elif control in (2, 3):
        pair = [thread.flag(register, first + n), thread.flag(register, 16 + first + n)]
        chosen = any(pair) if control == 2 else all(pair)
    else:
        group = 2 ** (control // 2 - 1)
        run = [thread.flag(register, i) for i in range(bit // group * group, bit // group * group + group)]
        chosen = any(run) if control % 2 == 0 else all(run)
    return chosen != bool(bits(word, 20, 20))


def three_sources(thread: Thread, word: int, n: int) -> None:
    """bfe (24) and bfi2 (26) on channel n."""
    values = []
    for base in (64, 85, 106):
        dword = (
            0 if bits(word, base, base) else 4 * (n // 4) + bits(word, base + 2 + 2 * (n % 4), base + 1 + 2 * (n % 4))
        )
        at = 32 * bits(word, base + 19, base + 12) + 4 * bits(word, base + 11, base + 9) + 4 * dword
        values.append(thread.load(("r", at), UD))
    a, b, c = values
    if bits(word, 6, 0) == 24:
        width, offset = a & 31, b & 31
        signed = bits(word, 43, 42) == 1
        if width == 0:
            result = 0
        elif width + offset < 32:
            result = c << (32 - width - offset) & 0xFFFFFFFF
            result = (twos(result, 32) if signed else result) >> (32 - width)
        else:
            result = (twos(c, 32) if signed else c) >> offset
    else:
        shift = 0 if a == 0 else next(i for i in range(32) if a >> i & 1)
        result = (b << shift & a) | (c & ~a)
    if bits(word, 52, 49) >> n % 4 & 1:
        at = 32 * bits(word, 63, 56) + 4 * bits(word, 55, 53) + 4 * n
        thread.store(("r", at), UD, result % 2**32)


def step(thread: Thread, word: int, active: list[bool], first: int) -> None:
    """One instruction that computes, on the active channels (numbers count from `first`)."""
    opcode, condition, saturate = bits(word, 6, 0), bits(word, 27, 24), bool(bits(word, 31, 31))
    size = 2 ** bits(word, 23, 21)
    if eu_double.names_doubles(word):
        chosen = [predicate(thread, word, n, first, size // 2) for n in range(size // 2)]
        eu_double.step(thread, word, active, chosen, first)
        return
    if opcode in (24, 26):
        before = bytes(thread.files["r"])
        written = Thread(before)
        for n in range(size):
            if active[n] and predicate(thread, word, n, first, size):
                reading = Thread(before)
                three_sources(reading, word, n)
                at = 32 * bits(word, 63, 56) + 4 * bits(word, 55, 53) + 4 * n
                written.files["r"][at : at + 4] = reading.files["r"][at : at + 4]
        thread.files["r"] = written.files["r"]
        return
    kind = bits(word, 36, 34)
    destination = thread.place(word, 48, bits(word, 33, 32))
    stride = [0, 1, 2, 4][bits(word, 62, 61)] * SIZE[kind]
    control = int.from_bytes(thread.files["cr"][:4], "little")
    one_source = opcode in (1, 4, 23, 67, 68, 69, 70, 71, 74, 75, 76, 77)
    writes, flags, carries, kept = [], [], [], []
    # floats of Q2 and Q4 use acc1 (p. 42)
    implicit = bits(word, 52, 48) + 32 * (first // 8 % 2 if bits(word, 41, 39) == F else 0)
    for n in range(size):
        a, kind_a, raw = source(thread, word, 0, n)
        b, kind_b, raw_b = (None, None, 0) if one_source else source(thread, word, 1, n)
        chosen = predicate(thread, word, n, first, size)
        if opcode == 2 and not condition:
            result, works = (a if chosen else b), active[n]
            if kind_a == F:
                result = denormal_too(word, 0 if chosen else 1, raw if chosen else raw_b)
        else:
            works = active[n] and chosen
            if opcode == 2:
                result = smaller_or_larger(condition, a, b)
            elif opcode in (16, 17):
                result = None
            elif opcode == 72:
                held = thread.accumulated(implicit + SIZE[kind] * n, kind)
                result = a * b + held if kind_a != F else rounded(control, 64, rounded(control, 65, a, b), held)
            elif opcode == 78:
                result = a + b
                carries.append((n, (a + b) >> 32, works))
            elif opcode == 79:
                result = a - b
                carries.append((n, int(a < b), works))
            else:
                result = compute(opcode, a, b, (kind_a, kind_b), control)
        if not works:
            continue
        if result is None:
            outcome = comparison(opcode, condition, a, b)
            flags.append((n, outcome))
            writes.append((n, 2 ** (8 * SIZE[kind]) - 1 if outcome else 0))
            continue
        modified = opcode == 1 and bits(word, 38, 37) != 3 and bits(word, 78, 77)
        if opcode == 1 and kind_a == kind and not (modified or saturate):
            writes.append((n, raw))
        else:
            writes.append((n, converted(result, kind, saturate)))
        writes_acc = bits(word, 28, 28) and not control & 2  # cr0.0 can disable it (p. 48)
        if opcode not in (78, 79) and (destination[0] == "acc" or writes_acc):
            floats = F in (kind, kind_a)
            exact = result if not saturate or floats else min(max(result, RANGE[kind][0]), RANGE[kind][1])
            width = 64 if opcode in (65, 72) and 4 in (SIZE[kind_a], SIZE[kind_b]) else 33
            kept.append((n, 0 if floats else exact, 0 if kind == F else width, writes[-1][1]))
        if condition and opcode != 2:
            flags.append((n, result_flag(condition, result, converted(result, kind, saturate), kind, (a, b))))
    for n, value in writes:
        if bits(word, 63, 63) and two_registers(word) and n >= size // 2:
            second = thread.place(word, 48, bits(word, 33, 32), half=1)
            at = (second[0], second[1] + (n - size // 2) * stride)
        else:
            at = (destination[0], destination[1] + n * stride)
        thread.store(at, kind, value % 2 ** (8 * SIZE[kind]))
    for n, exact, width, shown in kept:
        at = destination[1] + n * stride if destination[0] == "acc" else implicit + n * SIZE[kind]
        thread.accumulate(at, kind, exact, width)
        if bits(word, 28, 28):
            thread.store(("acc", at), kind, shown)
    for n, value, works in carries:
        if works and not control & 2:
            thread.accumulate(bits(word, 52, 48) + 4 * n, UD, value, 33)
            at = bits(word, 52, 48) + 4 * n
            thread.files["acc"][at : at + 4] = value.to_bytes(4, "little")
    for n, outcome in flags:
        thread.set_flag(bits(word, 90, 90), 16 * bits(word, 89, 89) + first + n, outcome)


def move_indexed(thread: Thread, word: int, active: list[bool], first: int) -> None:
    """movi, byte by byte of the destination register as p. 197 lists them: all from the register of a0.0."""
    kind, size, offset = bits(word, 36, 34), 2 ** bits(word, 23, 21), twos(bits(word, 73, 64), 10)
    indices = struct.unpack("<8H", thread.files["a"])
    name, start = thread.place(word, 48, bits(word, 33, 32))
    register = (indices[0] + offset) // 32 * 32
    low, width = start % 32 if not bits(word, 63, 63) else 0, SIZE[kind]
    data = bytes(
        thread.files["r"][register + ((indices[j // width] + offset) % 32 // width * width | j % width)]
        for j in range(8 * width)
    )
    for n in range(size):
        if active[n] and predicate(thread, word, n, first, size):
            at = low + n * width
            thread.files[name][start + n * width : start + (n + 1) * width] = data[at : at + width]


def call(thread: Thread, word: int, ip: int, here: list[bool]) -> None:
    """call and ret (p. 160, 204): the predicate is one of all channels; others wait until the called have returned."""
    last = CHANNELS - 16 * bits(word, 89, 89) if bits(word, 19, 16) else CHANNELS  # flag bits there are
    chosen = [n for n in range(last) if here[n] and predicate(thread, word, n, 0, CHANNELS)]
    for n in range(CHANNELS):
        thread.ips[n] = ip + 16 if here[n] else thread.ips[n]
    if bits(word, 6, 0) == 44:
        if chosen:
            thread.calls.append((list(thread.ips), set(chosen)))
            target = ip + 8 * twos(bits(word, 111, 96), 16)
            thread.ips = [target if n in chosen else ENDED for n in range(CHANNELS)]
            at = thread.place(word, 48, bits(word, 33, 32))
            thread.store(at, UD, ip + 16)
            thread.store((at[0], at[1] + 4), UD, sum(1 << n for n in chosen))
        return
    target = thread.load(thread.place(word, 64, bits(word, 38, 37)), UD)
    if not thread.calls:
        thread.ips = [target if n in chosen else thread.ips[n] for n in range(CHANNELS)]
        return
    for n in chosen:
        thread.calls[-1][0][n], thread.ips[n] = target, ENDED
        thread.calls[-1][1].discard(n)
    if not thread.calls[-1][1]:
        thread.ips = thread.calls.pop()[0]


def respond(thread: Thread, word: int, answer: Callable[[int], bytes]) -> None:
    """Fill the response registers of a send: `answer` gives that many bytes."""
    descriptor = bits(word, 124, 96)
    if bits(word, 43, 42) != 3:
        descriptor = int.from_bytes(thread.files["a"][:4], "little")
    size = 32 * bits(descriptor, 24, 20)
    if bits(word, 33, 32) == 1 and size:
        at = 32 * bits(word, 60, 53)
        thread.files["r"][at : at + size] = answer(size)


def alone(word: int, ip: int, uip_B: int, jumps: bool) -> int:
    """Where a branch sends a thread in single program flow (p. 160, 180-181). jumps: the first channel's predicate."""
    opcode, jip, uip = bits(word, 6, 0), ip + 8 * twos(bits(word, 111, 96), 16), ip + 8 * twos(bits(word, 127, 112), 16)
    if opcode == 37:
        return ip + 16
    if opcode == 36:
        return jip
    if opcode == 34:
        return ip + 16 if jumps else uip
    target = {33: jip, 39: jip, 40: uip + uip_B}.get(opcode, uip)
    return target if jumps else ip + 16


def goes_alone(thread: Thread, word: int, ip: int, before: list[bool], jumps: bool) -> int:
    """Where a thread goes whose channels have moved already: to JIP if none is behind a branch (p. 156-182, 223).

    before: channels that were here. jumps: of jmpi, its predicate.
    """
    opcode, jip, follows = bits(word, 6, 0), ip + 8 * twos(bits(word, 111, 96), 16), ip + 16
    if opcode == 32:
        return ip + 16 + 8 * twos(bits(word, 127, 96), 32) if jumps else follows
    if opcode == 33:
        return jip if jip in thread.ips else follows
    if opcode == 37:
        return follows if any(before) else jip
    if opcode in (34, 35, 36, 40, 41, 42):
        return follows if follows in thread.ips else jip
    return follows


def run(
    code: bytes,
    thread: Thread,
    most_steps: int = 10_000,
    answer: Callable[[int], bytes] | None = None,
    single: bool = False,
) -> Thread:
    """Execute 128-bit instructions up to a send with end of thread, or to any send if nothing answers them.

    single: in single program flow.
    """
    for _ in range(most_steps):
        if thread.alone >= min(thread.ips):
            thread.alone = ENDED
        ip = min(*thread.ips, thread.alone)
        if ip == ENDED:
            return thread
        word = int.from_bytes(code[ip : ip + 16], "little")
        opcode, size = bits(word, 6, 0), 2 ** bits(word, 23, 21)
        simd4 = size <= 4 or (size == 8 and eu_double.names_doubles(word))  # p. 109
        first = 8 * bits(word, 13, 12) + (4 * bits(word, 47, 47) if simd4 else 0)
        here = [channel_ip == ip for channel_ip in thread.ips]
        thread.executed += opcode != 39 or any(here)  # all channels may have broken
        masks = here[:16] * 2 if size == 32 else here[first:]  # the low half serves both (p. 72)
        active = [bool(bits(word, 9, 9)) or masks[n] for n in range(size)]
        targets = {channel: ip + 16 for channel in range(CHANNELS) if here[channel]}
        if opcode == 49 and answer is not None and not bits(word, 127, 127):
            if any(active):
                respond(thread, word, answer)
        elif opcode == 49:
            targets = dict.fromkeys(targets, ENDED)
            if not any(here):
                return thread
        elif opcode == 32:
            if predicate(thread, word, 0, first, size):
                targets = dict.fromkeys(targets, ip + 16 + 8 * twos(bits(word, 127, 96), 32))
        elif opcode in (44, 45):
            call(thread, word, ip, here)
            thread.alone = ip + 16 if thread.alone == ip else thread.alone
            continue
        elif opcode == 3:
            move_indexed(thread, word, active, first)
        elif single and opcode in (33, 34, 36, 37, 39, 40, 41, 42):
            targets = dict.fromkeys(targets, alone(word, ip, 16, predicate(thread, word, 0, first, size)))
        elif opcode in (33, 34, 35, 36, 37, 39, 40, 41, 42):
            jip, uip = ip + 8 * twos(bits(word, 111, 96), 16), ip + 8 * twos(bits(word, 127, 112), 16)
            for channel in targets:
                inside = first <= channel < first + size
                true = inside and predicate(thread, word, channel - first, first, size)
                if opcode == 34:
                    targets[channel] = ip + 16 if true else jip
                elif opcode == 36:
                    targets[channel] = jip
                elif opcode == 39:
                    targets[channel] = jip if true else ip + 16
                elif opcode in (40, 41, 42, 35):
                    away = uip + 16 if opcode == 40 else uip
                    targets[channel] = away if true else ip + 16 if inside else max(away, ip + 16)
                elif opcode == 33:
                    targets[channel] = jip if true else ip + 16 if inside else max(jip, ip + 16)
            named = [target for channel, target in targets.items() if first <= channel < first + size]
            if named:  # the others go with those that are farthest ahead
                targets.update((c, max(named)) for c in targets if not first <= c < first + size)
        elif opcode != 126:
            thread.files["ip"][:] = ip.to_bytes(4, "little")
            thread.files["tm"][:8] = (thread.executed - 1).to_bytes(8, "little")
            step(thread, word, active, first)
            if bits(word, 33, 32) == 0 and bits(word, 60, 53) == 0xA0:
                written = int.from_bytes(thread.files["ip"], "little") & ~7
                works = any(active) and predicate(thread, word, 0, first, size)
                targets = dict.fromkeys(targets, written if works else ip + 16)
                thread.alone = written if works and thread.alone == ip else thread.alone
        for channel, target in targets.items():
            thread.ips[channel] = target
        if thread.alone == ip or (opcode in (35, 40, 41, 42) and not single):
            thread.alone = goes_alone(thread, word, ip, here, predicate(thread, word, 0, first, size))
    raise AssertionError("the program does not end")
