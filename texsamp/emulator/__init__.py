"""The emulator: captured command buffers, read and understood."""

from texsamp.emulator.capture import (
    BufferObject,
    Capture,
    LocatedCommand,
    Memory,
    Relocation,
    walk,
)
from texsamp.emulator.memory import CaseMemory
from texsamp.emulator.references import StateReference, referenced_states

__all__ = [
    "BufferObject",
    "Capture",
    "CaseMemory",
    "LocatedCommand",
    "Memory",
    "Relocation",
    "StateReference",
    "referenced_states",
    "walk",
]
