"""What ``pytest --quick`` takes: a fifth of every folder's tests, and next to no compiling."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import pytest

VARIABLE = "TEXSAMP_QUICK"
"""Of the environment: the run is a quick one."""
SHARE = 5
COMPILING = {"compiler", "gcc", "wheel", "installed"}
"""Fixtures of tests that compile C++."""
LONG = ("sweep", "slow")
"""Marks of tests that are left to others of their folder."""
MODULE = "packed10.cu"
"""The only kernel file that NVRTC compiles; tests of others are skipped unless they were compiled before."""


def share(items: Iterable[pytest.Item]) -> set[str]:
    """Names of the tests: those of each folder whose hashes come first, one at least."""
    folders: dict[str, list[str]] = {}
    for item in items:
        compiles = COMPILING & set(getattr(item, "fixturenames", ()))
        if not compiles and not any(item.get_closest_marker(mark) for mark in LONG):
            folders.setdefault(item.path.parent.name, []).append(item.nodeid)
    chosen = set()
    for names in folders.values():
        names.sort(key=lambda name: hashlib.sha256(name.encode()).digest())
        chosen.update(names[: -(-len(names) // SHARE)])
    return chosen
