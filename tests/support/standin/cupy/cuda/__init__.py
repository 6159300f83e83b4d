"""As much of `cupy.cuda` as texsamp uses."""

from cupy._memory import MemoryPointer, PinnedMemoryPointer, UnownedMemory, alloc_pinned_memory
from cupy.cuda import compiler, driver, memory, nvrtc, runtime
from cupy.cuda._streams import Device, Event, Stream, get_current_stream

from cupy.cuda import function  # isort: skip - it needs the errors above

__all__ = [
    "Device",
    "Event",
    "MemoryPointer",
    "PinnedMemoryPointer",
    "Stream",
    "UnownedMemory",
    "alloc_pinned_memory",
    "compiler",
    "driver",
    "function",
    "get_current_stream",
    "memory",
    "nvrtc",
    "runtime",
]
