"""Executes the PTX of kernels without a GPU, and says what a sanitizer would."""

from support.ptx.device import Counted, Fault, Module
from support.ptx.memory import Allocation, Memory

__all__ = ["Allocation", "Counted", "Fault", "Memory", "Module"]
