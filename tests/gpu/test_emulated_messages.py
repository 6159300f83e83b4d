"""What tests/emulator holds messages to, of threads on a GPU."""

from __future__ import annotations

from importlib import import_module

import pytest
from support import programs

from texsamp import get_device

pytestmark = pytest.mark.gpu

MODULES = """data_blocks gateway media_block media_block_modes media_color sample_8x8 sampler_tables scratch
    shared_memory texturing typed untyped urb""".split()

SYNCHRONIZED = {
    name: test for name, test in vars(import_module("emulator.test_spawner")).items() if "ynchronized" in name
}
globals().update(SYNCHRONIZED)
"""Others of that module start thousands of threads."""

for module in MODULES:
    tests = vars(import_module(f"emulator.test_{module}"))
    # What crosses over is counted on `StrictDevice`.
    names = [name for name in tests if name.startswith("test_") and not name.endswith("_registers_are")]
    globals().update({f"{name}_{module}": tests[name] for name in names})


@pytest.fixture(autouse=True)
def each_place(monkeypatch):
    """Threads of `Program` run there."""
    monkeypatch.setattr(programs, "where_threads_run", get_device("cuda"))
