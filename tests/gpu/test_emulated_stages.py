"""What tests/emulator holds the stages between vertices and the clipper to, of threads on a GPU."""

from __future__ import annotations

from importlib import import_module

import pytest

from texsamp import get_device
from texsamp.emulator.dispatch import runner

pytestmark = pytest.mark.gpu

for module in ("geometry_stage", "tessellation", "tessellated_geometry"):
    tests = vars(import_module(f"emulator.test_{module}"))
    # What crosses over is counted on `StrictDevice`.
    names = [name for name in tests if name.startswith("test_") and not name.endswith("_alone")]
    globals().update({f"{name}_{module}": tests[name] for name in names})


@pytest.fixture(autouse=True)
def each_place(monkeypatch):
    """Threads of `Draw` run there."""
    monkeypatch.setattr(runner, "get_device", lambda _: get_device("cuda"))
