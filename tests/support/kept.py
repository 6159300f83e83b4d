"""What compilers made, kept on disk by everything it depends on: for the processes beside, and for the next run."""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path


@cache
def folder(name: str) -> Path:
    """Of one kind of things, for this user alone."""
    made = Path(tempfile.gettempdir()) / f"texsamp-{name}-{os.getuid()}"
    made.mkdir(mode=0o700, exist_ok=True)
    return made


def key_of(*parts: object) -> str:
    """A name for what depends on these."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


def kept(path: Path, make: Callable[[Path], object]) -> bool:
    """Have a file made, unless it is there: whether it was. Of two processes that want it, one makes it."""
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            return False
        beside = path.with_suffix(".new")
        make(beside)
        beside.replace(path)
        return True
