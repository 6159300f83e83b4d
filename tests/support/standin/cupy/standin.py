"""What the real package has no form of: the devices that are pretended, and the log of what they were asked."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from support.ptx import Counted, Fault, Memory, Module

from cupy import _work

deferring = _work.deferring
"""Entered with a seed, it puts the work of streams off."""
COMPUTE = (7, 5)
"""The oldest architecture that texsamp compiles for."""
NAME = "stand-in"
MAX_GRID = (2**31 - 1, 65535, 65535)


@dataclass(frozen=True)
class Entry:
    """Something a device was asked: "launch", "upload", "download", "copy", "synchronize", "record" or "wait"."""

    what: str
    stream: Any
    detail: Any = None
    thread: int = field(default_factory=threading.get_ident)


@dataclass
class PretendedDevice:
    """A device: its memory, and all modules that were loaded into it."""

    ordinal: int
    memory: Memory
    modules: list[Module] = field(default_factory=list)


devices = [PretendedDevice(0, Memory()), PretendedDevice(1, Memory(first=0x7E0000000000))]
log: list[Entry] = []
launched: set[str] = set()
"""Names of all kernels that ran."""
counted: list[Counted] | None = None
"""Where a list is put here, launches are counted into it."""
current = threading.local()
"""Of each thread: ``device``, an ordinal, and ``streams``, those entered."""


def current_device() -> PretendedDevice:
    """The calling thread's."""
    return devices[getattr(current, "device", 0)]


def note(what: str, stream: Any = None, detail: Any = None) -> None:
    """Record in `log`; the current stream if none is named."""
    streams = getattr(current, "streams", [])
    log.append(Entry(what, stream if stream is not None else streams[-1] if streams else None, detail))


def owner(address: int) -> PretendedDevice:
    """The device whose memory holds an address. Raises Fault."""
    for device in devices:
        if device.memory.find(address) is not None:
            return device
    raise Fault(f"no device has memory at {address:#x}")
