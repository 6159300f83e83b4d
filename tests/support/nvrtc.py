"""NVRTC's results, compiled once for every test that asks: by process, and on disk for the processes beside."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from support import quick
from support.kept import folder, kept, key_of

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
    path = folder("nvrtc") / f"{key_of(source, name, options, version())}.pickle"
    if quick.VARIABLE in os.environ and name != quick.MODULE and not path.exists():
        pytest.skip(f"--quick compiles {quick.MODULE} alone")

    def make(target: Path) -> None:
        made = _compile(source, name, options)
        target.write_bytes(pickle.dumps(made))
        if made.cubin:
            of_cubin(made.cubin).write_text(path.name)

    kept(path, make)
    return pickle.loads(path.read_bytes())


def of_cubin(cubin: bytes) -> Path:
    """Where it is noted what a binary was compiled together with."""
    return folder("nvrtc") / f"{hashlib.sha256(cubin).hexdigest()[:32]}.cubin"


def ptx_of(cubin: bytes) -> str:
    """The PTX that a binary was made from. Raises KeyError for one that was not made by `compiled`."""
    noted = of_cubin(cubin)
    if not noted.exists():
        raise KeyError("a binary that these tests did not compile")
    return pickle.loads((folder("nvrtc") / noted.read_text()).read_bytes()).ptx
