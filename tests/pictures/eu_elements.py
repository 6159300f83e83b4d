"""Elements of buffers and shared memory that messages of threads load, store and exchange."""

from __future__ import annotations

import numpy as np

from pictures.cases import Arrays, Case
from texsamp.device.base import Array, Device
from texsamp.emulator.eu.registers.threads import Threads
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.shared.data_port import element_forms as forms
from texsamp.emulator.shared.data_port.atomics import SOURCES
from texsamp.emulator.shared.data_port.elements_on_device import Elements, Target
from texsamp.errors import CaptureError
from texsamp.state.data_port import AtomicOperation

_THREADS = 67
_RETURNS = {"has_header": True, "returns": True}


class _OneBuffer:
    """Memory with one buffer object, whose address is that of its first byte."""

    def __init__(self, dwords: Array, address: int) -> None:
        self.data, self.address, self.size = dwords.view(np.uint8), address, 4 * len(dwords)

    def find(self, address: int, size: int = 1) -> _OneBuffer:
        if not self.address <= address <= self.address + self.size - size:
            raise CaptureError(f"{size} bytes at {address:#x} are not mapped")
        return self

    def extent(self, address: int) -> int:
        return self.address + self.size - address

    def bytes_on(self, device: Device, address: int) -> Array:
        return self.data[address - self.address :]

    def touch(self, buffer: _OneBuffer, device: Device) -> None:
        """Nobody else looks."""


def _elements(device: Device) -> Arrays:
    """Loads, stores and all atomic operations on buffers and on blocks of shared memory, of elements that meet."""
    random, made = np.random.default_rng(7), []
    threads = Threads(_THREADS, device=device)
    registers = random.integers(0, 256, threads.registers.shape, np.uint8)
    words = registers[:, : 128 * 32].view("<u4").reshape(_THREADS, 128, 8)
    words[:, 0, 2] = random.integers(0, 5, _THREADS)
    words[:, 0, 5] = 0x400 * random.integers(0, 2, _THREADS)
    words[:, 1:3] = 8 * random.integers(0, 35, (_THREADS, 2, 8))
    bases = (80 * (np.arange(_THREADS) % 3)).astype(np.int64)
    some = device.upload(random.integers(0, 3, (_THREADS, 16)) == 0)
    exchanges = [
        (forms.exchanged(slots, 1, 4 if operation else 8, SOURCES[AtomicOperation(operation)], **_RETURNS), operation)
        for operation, slots in zip(range(16), (8, 16) * 8, strict=True)
    ]
    stored = [
        forms.scattered(16, 2, 1, 1, has_header=True, stores=True),
        forms.block(16, 0, 16, stores=True),
        forms.dual(4, has_header=True, stores=True),
        forms.scratch(4, 96, by_oword=False, stores=True),
        forms.untyped(8, 1, (0, 1), 2, has_header=True, stores=True),
    ]
    loaded = [
        forms.scattered(8, 4, 4, 4, has_header=True, stores=False),
        forms.block(4, 4, 1, stores=False),
        forms.dual(1, has_header=False, stores=False),
        forms.scratch(2, 32, by_oword=True, stores=False),
        forms.untyped(16, 2, (0, 2, 3), 0, has_header=True, stores=False),
        forms.untyped_pair((1, 3), has_header=False),
    ]
    operations = [*((form, None) for form in (*stored, *loaded)), *exchanges]
    for number, (form, operation) in enumerate(operations):
        mask = (None, some)[number % 2]
        there = random.integers(0, 1 << 32, 1024, np.uint32)
        for kind in range(4):
            threads.registers = device.upload(registers.copy())
            memory = _OneBuffer(device.upload(there.copy()), 0x1000)
            target = (
                Target(0x1000, 250),
                Target(0x1000, stateless=True),
                Target(0x1000, pitch_B=24, entries=9),
                Target(shared=memory.data, bases=bases, block_B=80),
            )[kind]
            destination = 20 if form.response or operation is not None else None
            message = Unasked(threads, 16, 10, 1 << 19 | 3 << 25, 0, destination, False, lambda mask=mask: mask)
            found = Elements(message, form, target, memory)
            made.append(np.array([found.are_legal(stores=form in stored)], "u1"))
            if not made[-1]:
                continue
            if operation is not None:
                found.atomic(operation)
            elif form in stored:
                found.store()
            else:
                found.load()
            made += [device.download(threads.registers).copy(), device.download(memory.data).copy()]
    return made


EU_ELEMENTS_CASES = (Case("eu-elements", _elements),)
