"""`wait`: a thread takes a notification, or is suspended until another thread sends one (volume 4 part 3, page 222)."""

from __future__ import annotations

import numpy as np

from texsamp.emulator.eu.isa.instruction import Instruction
from texsamp.emulator.eu.isa.operands import RegisterFile, Source
from texsamp.emulator.eu.registers.threads import NOTIFICATIONS, Mask, Threads
from texsamp.errors import CaptureError

_NOTIFICATION = 0x90
_DWORD_B = 4
_HOST = 1


class Wait:
    """One `wait`. CaptureError for other operands than n0.0 and n0.2: nobody here is the host that n0.1 is for."""

    def __init__(self, instruction: Instruction, offset: int) -> None:
        source = instruction.sources[0]
        if (
            not isinstance(source, Source)
            or (source.file, source.number) != (RegisterFile.ARCHITECTURE, _NOTIFICATION)
            or instruction.exec_size != 1
        ):
            raise CaptureError("wait is a scalar instruction that takes a notification register")
        self._counter = source.subregister_B // _DWORD_B
        if self._counter >= NOTIFICATIONS or self._counter == _HOST:
            raise CaptureError(f"wait for n0.{self._counter}: threads notify n0.0 and n0.2")
        if instruction.predicate:
            raise CaptureError("wait takes no predicate")
        self._next = offset + instruction.size_B

    def run(self, threads: Threads, here: Mask) -> None:
        """Take a notification of every thread that is here."""
        rows = np.arange(threads.count)
        if here is not None:
            rows = rows[threads.download(threads.present(here))[:, 0]]
        threads.wait(self._counter, rows, self._next)
