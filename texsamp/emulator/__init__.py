"""The emulator: captured command buffers, read, understood and executed."""

from texsamp.emulator.case import Case
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.files.capture import (
    BufferObject,
    Capture,
    LocatedCommand,
    Memory,
    Relocation,
    walk,
)
from texsamp.emulator.files.opening import open_captures
from texsamp.emulator.gpu import Dispatched, Gpu
from texsamp.emulator.listing.references import StateReference, referenced_states
from texsamp.emulator.pictures import Picture

__all__ = [
    "BufferObject",
    "Capture",
    "Case",
    "CaseMemory",
    "Dispatched",
    "Gpu",
    "LocatedCommand",
    "Memory",
    "Picture",
    "Relocation",
    "StateReference",
    "open_captures",
    "referenced_states",
    "walk",
]
