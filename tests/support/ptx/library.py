"""The machine's C++ sources, compiled once and loaded: which operations it has, and how it is told what to run."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

SOURCES = Path(__file__).with_name("machine")
OPTIONS = ("-std=c++20", "-O2", "-march=native", "-ffp-contract=off", "-fPIC", "-shared")

Instruction = np.dtype(
    [
        ("op", "i4"),
        ("line", "i4"),
        ("space", "i4"),
        ("count", "i4"),
        ("rows", "6i4"),
        ("immediate", "i8"),
        ("used", "u8"),
    ],
    align=True,
)
Constant = np.dtype([("row", "i4"), ("size", "i4"), ("bits", "u8")], align=True)
AllocationRow = np.dtype([(name, "u8") for name in ("low", "high", "bytes", "known", "writable", "touched")])
Counts = np.dtype(
    [
        (name, "u8")
        for name in ("warps", "threads", "sectors", "least_sectors", "first_sectors", "passes", "least_passes")
    ]
)


class CProgram(ctypes.Structure):
    """`Program` of run.cpp."""

    _fields_ = (
        ("code", ctypes.c_void_p),
        ("entry", ctypes.c_int32),
        ("register_B", ctypes.c_int32),
        ("constants", ctypes.c_void_p),
        ("constant_count", ctypes.c_int64),
        ("shared_B", ctypes.c_int32),
        ("local_B", ctypes.c_int32),
        ("shared_marks", ctypes.c_void_p),
        ("local_marks", ctypes.c_void_p),
        ("specials", ctypes.c_int32 * 10),
    )


class CLaunch(ctypes.Structure):
    """`Launch` of run.cpp."""

    _fields_ = (
        ("grid", ctypes.c_int32 * 3),
        ("block_x", ctypes.c_int32),
        ("block_y", ctypes.c_int32),
        ("params", ctypes.c_void_p),
        ("params_B", ctypes.c_uint64),
        ("allocations", ctypes.c_void_p),
        ("allocation_count", ctypes.c_int64),
        ("counts", ctypes.c_void_p),
        ("reached", ctypes.c_void_p),
    )


class CFault(ctypes.Structure):
    """`Fault` of machine.h."""

    _fields_ = (
        *((name, ctypes.c_int32) for name in ("kind", "line", "lane", "other")),
        ("block", ctypes.c_int32 * 3),
        *((name, ctypes.c_int32) for name in ("size", "space")),
        ("address", ctypes.c_uint64),
    )


@dataclass(frozen=True)
class Operation:
    """The machine's number of an operation, and the bytes of its operands, the result first."""

    number: int
    sizes: tuple[int, ...]


@cache
def library() -> ctypes.CDLL:
    """The machine, compiled on first use; processes that need it at once make it each, and the last one's stays."""
    sources = sorted(SOURCES.iterdir())
    compiler = os.environ.get("CXX") or shutil.which("g++") or "c++"
    key = hashlib.sha256("".join([compiler, *OPTIONS, *(each.read_text() for each in sources)]).encode()).hexdigest()
    made = Path(tempfile.gettempdir()) / f"texsamp-ptx-{os.getuid()}" / f"{key[:24]}.so"
    if not made.exists():
        made.parent.mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=made.parent) as folder:
            ours = Path(folder) / made.name
            files = [str(each) for each in sources if each.suffix == ".cpp"]
            subprocess.run([compiler, *OPTIONS, *files, "-o", str(ours)], check=True)
            ours.replace(made)
    return ctypes.CDLL(str(made))


@cache
def operation(name: str) -> Operation:
    """An operation by name. Raises NotImplementedError for one that the machine does not have."""
    sizes = (ctypes.c_uint8 * 6)()
    number = library().find_operation(name.encode(), sizes)
    if number < 0:
        raise NotImplementedError(f"the PTX instruction {name}")
    return Operation(number, tuple(size for size in sizes if size))
