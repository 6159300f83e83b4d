"""Small pictures that drive every kernel: the same list for thread counts, instruction sets, sanitizers and GPUs."""

from pictures.cases import CASES, Case
from pictures.devices import ExactDevice

__all__ = ["CASES", "Case", "ExactDevice"]
