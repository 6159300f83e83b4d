"""The kernel sources as text: needed at run time by NVRTC, and by the tests that compile them without a GPU."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from pathlib import Path

_INCLUDE = re.compile(r'^#include "([^"]+)"\s*$', re.MULTILINE)
_PACKAGE = Path(__file__).resolve().parent.parent


def kernel_directory() -> Path:
    """Where the kernel sources are: inside an installed package, beside it in an editable install."""
    installed = _PACKAGE / "kernels"
    return installed if installed.is_dir() else _PACKAGE.parent / "kernels"


def kernel_modules() -> tuple[str, ...]:
    """Names of the kernel files (without .cu)."""
    return tuple(sorted(path.stem for path in kernel_directory().glob("*.cu")))


@cache
def kernel_headers() -> str:
    """The headers of the kernels, one after the other."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(kernel_directory().glob("*.h")))


@cache
def kernel_digest() -> str:
    """What the kernel sources are, as CMakeLists.txt computes it for the libraries built from them."""
    digests = sorted(sha256(path.read_bytes()).hexdigest() for path in kernel_directory().iterdir() if path.is_file())
    return sha256("".join(digests).encode()).hexdigest()


def _expand(name: str, seen: set[str]) -> str:
    if name in seen:
        return ""
    seen.add(name)
    text = (kernel_directory() / name).read_text(encoding="utf-8").replace("#pragma once\n", "")
    return _INCLUDE.sub(lambda match: _expand(match.group(1), seen), text)


@cache
def kernel_source(module: str) -> str:
    """One self-contained translation unit: the headers are pasted in, so a cache keyed by this text cannot go stale."""
    return _expand(f"{module}.cu", set())


@cache
def kernels_by_name() -> dict[str, str]:
    """Kernel name to the module that defines it."""
    return {
        kernel: module
        for module in kernel_modules()
        for kernel in re.findall(r"^KERNEL(?:_OF_PLANES)?\((\w+),", kernel_source(module), re.MULTILINE)
    }


@cache
def kernels_of_planes() -> frozenset[str]:
    """Kernels whose launches that may run at once are one launch on a GPU."""
    sources = (kernel_source(module) for module in kernel_modules())
    return frozenset(name for text in sources for name in re.findall(r"^KERNEL_OF_PLANES\((\w+),", text, re.MULTILINE))
