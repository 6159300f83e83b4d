"""Running a kernel on the emulator and on the scalar reference, from the same registers."""

from dataclasses import dataclass

import numpy as np
from oracle.eu import Thread, run

from texsamp.emulator.context.budget import Budget
from texsamp.emulator.eu.execute import Program
from texsamp.emulator.eu.isa.assembler import assemble
from texsamp.emulator.eu.registers.threads import ARCHITECTURE_PLACES, GENERAL_B, Threads

END = "send (8) null:ud r127.0<8;8,1>:ud spawner 0x02000010:ud {EOT}"


@dataclass
class Registers:
    """Registers of some threads, one row each: r, a0, acc0 and acc1, f0 and f1, as bytes."""

    general: np.ndarray
    address: np.ndarray
    accumulator: np.ndarray
    flags: np.ndarray

    @classmethod
    def zeros(cls, count):
        return cls(*(np.zeros((count, size), np.uint8) for size in (GENERAL_B, 16, 64, 8)))

    @classmethod
    def random(cls, rng, count):
        return cls(*(rng.integers(0, 256, (count, size), np.uint8) for size in (GENERAL_B, 16, 64, 8)))

    def difference(self, other):
        """First byte that differs, for people."""
        for (name, ours), theirs in zip(vars(self).items(), vars(other).values(), strict=True):
            where = np.argwhere(ours != theirs)
            if len(where):
                thread, byte = where[0]
                return f"{name} of thread {thread}, byte {byte}: {ours[thread, byte]:#x} and {theirs[thread, byte]:#x}"
        return "none"


class Collect:
    """Shared functions that only note down what was sent."""

    def __init__(self):
        self.messages = []

    def send(self, message):
        self.messages.append((message.shared_function, message.descriptor, message.rows.tolist(), message.payload()))


_PLACES = {"address": 0x10, "accumulator": 0x20, "flags": 0x30}


def emulate(text, registers, functions=None, steps=100_000, device=None, single=False):
    """Registers after a kernel, as text or assembled, in the emulator."""
    threads = Threads(len(registers.general), device=device)
    threads.registers[:, :GENERAL_B] = threads.upload(registers.general)
    for name, place in _PLACES.items():
        data = getattr(registers, name)
        at = GENERAL_B + ARCHITECTURE_PLACES[place][0]
        threads.registers[:, at : at + data.shape[1]] = threads.upload(data)
    code = text if isinstance(text, bytes) else assemble(text)
    Program(code, single).run(threads, functions or Collect(), Budget(steps))
    after = threads.download(threads.registers)
    parts = [after[:, :GENERAL_B]]
    for name, place in _PLACES.items():
        at = GENERAL_B + ARCHITECTURE_PLACES[place][0]
        parts.append(after[:, at : at + getattr(registers, name).shape[1]])
    return Registers(*(part.copy() for part in parts))


def reference(text, registers, single=False):
    """Registers after a kernel, by the scalar reference."""
    code, rows = assemble(text), []
    for general, address, accumulator, flags in zip(*vars(registers).values(), strict=True):
        thread = Thread(general.tobytes())
        for name, data in (("a", address), ("acc", accumulator), ("f", flags)):
            thread.files[name][:] = data.tobytes()
        with np.errstate(all="ignore"):
            run(code, thread, single=single)
        rows.append([np.frombuffer(thread.files[name], np.uint8) for name in ("r", "a", "acc", "f")])
    return Registers(*(np.stack(column) for column in zip(*rows, strict=True)))


def hold(text, registers, single=False):
    """Assert that emulator and reference agree on a kernel, and return the registers."""
    ours, theirs = emulate(text, registers, single=single), reference(text, registers, single)
    assert ours.difference(theirs) == "none", text
    return ours
