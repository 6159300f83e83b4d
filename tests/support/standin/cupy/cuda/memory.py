"""Memory of devices."""

from cupy._memory import Memory, MemoryPointer, OutOfMemoryError, UnownedMemory

__all__ = ["Memory", "MemoryPointer", "OutOfMemoryError", "UnownedMemory"]
