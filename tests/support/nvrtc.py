"""NVRTC's results, compiled once for every test that asks: by process, and on disk for the processes beside."""

from __future__ import annotations

import fcntl
import hashlib
import os
import pickle
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

nvrtc = pytest.importorskip("cuda.bindings.nvrtc")


@dataclass(frozen=True)
class Compiled:
    """What NVRTC made; ``error`` is its word for a failure, else empty."""

    ptx: str
    cubin: bytes
    log: str
    error: str = ""


class CompileError(Exception):
    """NVRTC refused a source; the text is its log."""


@cache
def version() -> tuple[int, int]:
    """Of NVRTC."""
    result, major, minor = nvrtc.nvrtcVersion()
    assert result == nvrtc.nvrtcResult.NVRTC_SUCCESS
    return major, minor


@cache
def architectures() -> tuple[int, ...]:
    """Compute capabilities that it compiles for, such as 75."""
    result, known = nvrtc.nvrtcGetSupportedArchs()
    assert result == nvrtc.nvrtcResult.NVRTC_SUCCESS
    return tuple(known)


@cache
def _folder() -> Path:
    made = Path(tempfile.gettempdir()) / f"texsamp-nvrtc-{os.getuid()}"
    made.mkdir(mode=0o700, exist_ok=True)
    return made


def _check(result: nvrtc.nvrtcResult) -> None:
    assert result == nvrtc.nvrtcResult.NVRTC_SUCCESS, nvrtc.nvrtcGetErrorString(result)


def _text(program: nvrtc.nvrtcProgram, size_of, get) -> bytes:
    result, size = size_of(program)
    _check(result)
    text = b" " * (size + 1)  # NVRTC writes into it: one byte alone would be the one that all of Python shares
    _check(get(program, text)[0])
    return text[:size]


def _compile(source: str, name: str, options: Sequence[str]) -> Compiled:
    result, program = nvrtc.nvrtcCreateProgram(source.encode(), name.encode(), 0, [], [])
    _check(result)
    (result,) = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
    log = _text(program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog).decode().strip("\0 \n")
    if result != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        return Compiled("", b"", log, result.name)
    ptx = _text(program, nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX).decode().rstrip("\0")
    cubin = b""
    if any("=sm_" in option for option in options):
        cubin = _text(program, nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN)
    return Compiled(ptx, cubin, log)


@cache
def compiled(source: str, name: str, options: tuple[str, ...]) -> Compiled:
    """What NVRTC makes of a source with options."""
    key = hashlib.sha256(repr((source, name, options, version())).encode()).hexdigest()[:32]
    path = _folder() / f"{key}.pickle"
    with open(_folder() / f"{key}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of two processes that want it, one compiles
        if not path.exists():
            made = _compile(source, name, options)
            beside = path.with_suffix(".new")
            beside.write_bytes(pickle.dumps(made))
            beside.replace(path)
            if made.cubin:
                of_cubin(made.cubin).write_text(path.name)
            return made
    return pickle.loads(path.read_bytes())


def of_cubin(cubin: bytes) -> Path:
    """Where it is noted what a binary was compiled together with."""
    return _folder() / f"{hashlib.sha256(cubin).hexdigest()[:32]}.cubin"


def ptx_of(cubin: bytes) -> str:
    """The PTX that a binary was made from. Raises KeyError for one that was not made by `compiled`."""
    noted = of_cubin(cubin)
    if not noted.exists():
        raise KeyError("a binary that these tests did not compile")
    return pickle.loads((_folder() / noted.read_text()).read_bytes()).ptx
