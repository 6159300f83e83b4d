"""Kernel files compiled by NVRTC, and kept on disk.

CuPy's own compilation appends ``-ftz=true``, which makes zeros of denormals: the results would not be the CPU's.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from texsamp.device.sources import kernel_source
from texsamp.errors import DeviceError

NVRTC_OPTIONS = ("--std=c++17", "--fmad=false", "--diag-suppress=177")
"""No contraction, so that floats agree with the CPU bit for bit; 177 is "unused helper"."""


@cache
def load_nvrtc() -> Any:
    """CuPy's binding of NVRTC; a library that pip has installed is found too. Raises DeviceError if there is none."""
    from cupy.cuda import nvrtc

    try:
        nvrtc.getVersion()
    except Exception as error:
        try:
            from cuda.pathfinder import load_nvidia_dynamic_lib

            load_nvidia_dynamic_lib("nvrtc")
            nvrtc.getVersion()
        except Exception:
            raise DeviceError(
                f"NVRTC, which compiles the kernels, is not found (pip install 'texsamp[cuda12]' or 'texsamp[cuda13]' "
                f"brings it): {str(error).strip()}"
            ) from None
    return nvrtc


def compiler_options(architecture: str) -> tuple[str, ...]:
    """All options that kernels are compiled with."""
    return (*NVRTC_OPTIONS, f"--gpu-architecture={architecture}")


def cache_directory() -> Path:
    """Where compiled kernels are kept: TEXSAMP_CACHE_DIR, else ``texsamp`` in the user's folder for caches."""
    named = os.environ.get("TEXSAMP_CACHE_DIR")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "texsamp"


def compiled_kernels(module: str, capability: str) -> bytes:
    """CUBIN of a kernel file for a compute capability such as "90"; PTX if NVRTC is older than the device.

    It is taken from disk if it was made of the same text, with the same options, by the same NVRTC. Raises DeviceError.
    """
    nvrtc, source = load_nvrtc(), kernel_source(module)
    architecture = _architecture(nvrtc, capability)
    made_of = (source, *compiler_options(architecture), str(nvrtc.getVersion()))
    path = cache_directory() / f"{module}-{architecture}-{hashlib.sha256(chr(0).join(made_of).encode()).hexdigest()}"
    kept = _read(path)
    if kept is not None:
        return kept
    binary = _compile(nvrtc, source, module, architecture)
    _write(path, binary)
    return binary


def _architecture(nvrtc: Any, capability: str) -> str:
    known = nvrtc.getSupportedArchs()
    if int(capability) in known:
        return f"sm_{capability}"
    older = [each for each in known if each < int(capability)]
    if not older:
        raise DeviceError(f"NVRTC compiles for compute capability {min(known)} and newer, found {capability}")
    return f"compute_{max(older)}"


def _compile(nvrtc: Any, source: str, module: str, architecture: str) -> bytes:
    program = nvrtc.createProgram(source, f"{module}.cu", (), ())
    try:
        nvrtc.compileProgram(program, compiler_options(architecture))
        get = nvrtc.getCUBIN if architecture.startswith("sm_") else nvrtc.getPTX
        return bytes(get(program))
    except nvrtc.NVRTCError as error:
        raise DeviceError(f"NVRTC refuses {module}.cu for {architecture}: {nvrtc.getProgramLog(program)}") from error
    finally:
        nvrtc.destroyProgram(program)


def _read(path: Path) -> bytes | None:
    """What `_write` has kept; None for nothing or a damaged file."""
    try:
        text = path.read_bytes()
    except OSError:
        return None
    digest, binary = text[:32], text[32:]
    return binary if hashlib.sha256(binary).digest() == digest else None


def _write(path: Path, binary: bytes) -> None:
    """Keep it, whole or not at all; a disk that cannot be written to only costs time."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as out:
                out.write(hashlib.sha256(binary).digest() + binary)
            os.replace(name, path)
        except OSError:
            os.unlink(name)
            raise
