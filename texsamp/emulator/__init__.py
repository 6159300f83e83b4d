"""The emulator: captured command buffers, read, understood and executed."""

from texsamp.emulator.capture import (
    BufferObject,
    Capture,
    LocatedCommand,
    Memory,
    Relocation,
    walk,
)
from texsamp.emulator.case import Case
from texsamp.emulator.files import open_captures
from texsamp.emulator.memory import CaseMemory
from texsamp.emulator.pictures import Picture
from texsamp.emulator.references import StateReference, referenced_states

__all__ = [
    "BufferObject",
    "Capture",
    "Case",
    "CaseMemory",
    "LocatedCommand",
    "Memory",
    "Picture",
    "Relocation",
    "StateReference",
    "open_captures",
    "referenced_states",
    "walk",
]
