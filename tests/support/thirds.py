"""Checks that compile modules look at a third of them, and at another third after each change of a kernel."""

from collections.abc import Iterable

from support.filter_cases import sweep
from texsamp.device.sources import kernel_digest


def third_of(modules: Iterable[str]) -> list[str]:
    """The modules to look at: with TEXSAMP_SWEEP=3 all."""
    ordered = sorted(set(modules))
    return ordered if sweep(1) >= 3 else ordered[int(kernel_digest(), 16) % 3 :: 3]
