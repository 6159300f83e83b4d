"""Random legal instructions as text, and registers for them."""

import numpy as np

from support.eu import Registers

INTEGERS = ("ud", "d", "uw", "w", "ub", "b")
SIZE = {"ud": 4, "d": 4, "uw": 2, "w": 2, "ub": 1, "b": 1, "f": 4}
CONDITIONS = ("z", "nz", "g", "ge", "l", "le")
OF_RESULTS = (*CONDITIONS, "o", "u")
PREDICATES = ("", ".anyv", ".allv", ".any2h", ".all2h", ".any4h", ".all4h", ".any8h", ".all8h", ".any16h", ".all16h")

ONE_INTEGER = ("mov", "not")
TWO_INTEGERS = ("and", "or", "xor", "shr", "shl", "asr", "add", "mul", "avg", "cmp", "cmpn", "sel")
ONE_DWORD = ("lzd", "fbh", "fbl", "cbit", "bfrev")
FLOATS = ("mov", "add", "mul", "cmp", "cmpn", "sel", "mac", "frc", "rndu", "rndd", "rnde", "rndz")
UNMODIFIED = ("bfrev", "bfi1", "addc", "subb", "fbh", "fbl", "cbit")
LOGIC = ("not", "and", "or", "xor")


class Writer:
    """Random legal instructions as text."""

    def __init__(self, rng):
        self.rng = rng

    def pick(self, values):
        return values[int(self.rng.integers(len(values)))]

    def chance(self, share):
        return self.rng.random() < share

    def header(self, size):
        """Predicate, and the quarter that goes with an execution size."""
        quarter = int(self.rng.integers(32 // max(size, 8))) if size >= 8 else int(self.rng.integers(4))
        if size == 16:
            quarter = self.pick((0, 2))
        half = self.pick((0, 1)) if quarter < 2 else 0
        if size == 32:
            half = 0
        flag = f"f{self.pick((0, 1))}.{half}"
        names = PREDICATES if half == 0 and 8 * quarter + size <= 16 else PREDICATES[:1]
        predicate = f"({self.pick('+-')}{flag}{self.pick(names)}) " if self.chance(0.4) else ""
        options = [f"Q{quarter + 1}"] * (quarter > 0) + ["NoMask"] * self.chance(0.2)
        return predicate, flag, options

    def source(self, kind, size, register, modifiers):
        """A source of `size` channels that touches at most two registers."""
        width = self.pick([w for w in (1, 2, 4, 8, 16) if w <= size])
        across = self.pick((0, 1, 2)) if width > 1 else 0
        down = width * across if width == size and across else self.pick((0, 1, 2, 4, 8, 16, 32))
        span = ((size // width - 1) * down + (width - 1) * across + 1) * SIZE[kind]
        if span > 64 or down not in (0, 1, 2, 4, 8, 16, 32):
            width, across, down, span = 1, 0, 0, SIZE[kind]
        room = (64 - span) // SIZE[kind]
        within = int(self.rng.integers(room + 1)) % (32 // SIZE[kind])
        sign = self.pick(("", "-", "abs ", "-abs ")) if modifiers else ""
        region = f"<{down};{width},{across}>:{kind}"
        if self.chance(0.25):
            offset = 32 * register + within * SIZE[kind] - 1024
            return f"{sign}r[a0.{self.pick((0, 2))}, {offset % 1024 - 512}]{region}"
        return f"{sign}r{register}.{within}{region}"

    def destination(self, kind, size, register):
        strides = [s for s in (1, 2, 4) if ((size - 1) * s + 1) * SIZE[kind] <= 64]
        stride = self.pick(strides)
        if self.chance(0.1):
            return f"null:{kind}"
        if self.chance(0.2):
            return f"r[a0.{self.pick((0, 2))}, {32 * self.pick((-6, -2, 3, 8))}]<{stride}>:{kind}"
        return f"r{register}.0<{stride}>:{kind}"


def written_registers(rng, count, floats=False):
    """Random contents; a0.0 and a0.1 are the same in all threads, a0.2 and a0.3 differ."""
    registers = Registers.random(rng, count)
    if floats:
        values = rng.choice([0.0, 1.0, 0.5, -2.75, 3.4e7, -1e-3, 255.4, 65535.9, -70000.5, 1e-39, 1e38], (count, 1024))
        registers.general[...] = (values * rng.integers(1, 5, values.shape)).astype(np.float32).view(np.uint8)
        registers.accumulator[...] = rng.normal(size=(count, 16)).astype(np.float32).view(np.uint8)
    addresses = registers.address.view(np.uint16)
    addresses[:, :2] = 2048, 2144
    addresses[:, 2:4] = 1024 + 32 * rng.integers(0, 40, (count, 2))
    return registers


def _size(kinds, rng):
    most = 64 // max(SIZE[kind] for kind in kinds)
    return int(rng.choice([size for size in (1, 2, 4, 8, 16, 32) if size <= most]))


def instruction(writer, name, kinds, result):
    """One random instruction: kinds are those of the sources."""
    size = _size([*kinds, result], writer.rng)
    if name in ("cmp", "cmpn", "sel"):
        size = min(size, 16)
    predicate, flag, options = writer.header(size)
    modifiers = name not in UNMODIFIED
    sat = ".sat" * (modifiers and name not in ("cmp", "cmpn", *LOGIC) and writer.chance(0.3))
    condition = ""
    if name in ("cmp", "cmpn"):
        condition = f".{writer.pick(CONDITIONS)}.{flag}"
    elif (name == "lzd" or name not in ("bfi1", "sel", *ONE_DWORD)) and size < 32 and writer.chance(0.3):
        condition = f".{writer.pick(CONDITIONS if name in LOGIC else OF_RESULTS)}.{flag}"
    if name == "sel":
        condition = "" if predicate else f".{writer.pick(CONDITIONS)}.{flag}"
    if name in ("addc", "subb"):
        options.append("AccWrEn")
    target = writer.destination(result, size, 10)
    if name in ("mac", "addc", "subb"):
        target = f"r10.0<1>:{result}"
    sources = [writer.source(kind, size, 20 + 4 * i, modifiers) for i, kind in enumerate(kinds)]
    tail = f" {{{', '.join(options)}}}" if options else ""
    return f"{predicate}{name}{sat}{condition} ({size}) {target} {' '.join(sources)}{tail}"
