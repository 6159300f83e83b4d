"""The compiler's interface, on the real NVRTC."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from support import nvrtc as shared_nvrtc

from cupy.cuda._errors import NVRTCError

_COMPILATION = 6


@dataclass
class _Program:
    source: str
    name: str
    made: shared_nvrtc.Compiled | None = None


_programs: dict[int, _Program] = {}
_numbers = itertools.count(1)


def getVersion() -> tuple[int, int]:  # noqa: N802 - CuPy's name
    """Major and minor."""
    return shared_nvrtc.version()


def getSupportedArchs() -> tuple[int, ...]:  # noqa: N802 - CuPy's name
    """Compute capabilities, such as 75."""
    return shared_nvrtc.architectures()


def createProgram(src: str, name: str, headers: Sequence[str], include_names: Sequence[str]) -> int:  # noqa: N802
    """A program to be compiled; headers are not supported here."""
    assert not headers
    assert not include_names
    number = next(_numbers)
    _programs[number] = _Program(src, name)
    return number


def destroyProgram(prog: int) -> None:  # noqa: N802
    """Forget it."""
    del _programs[prog]


def compileProgram(prog: int, options: Sequence[str]) -> None:  # noqa: N802
    """Raises NVRTCError."""
    program = _programs[prog]
    program.made = shared_nvrtc.compiled(program.source, program.name, tuple(options))
    if program.made.error:
        raise NVRTCError(_COMPILATION)


def _made(prog: int) -> shared_nvrtc.Compiled:
    made = _programs[prog].made
    if made is None:
        raise NVRTCError(_COMPILATION)
    return made


def getProgramLog(prog: int) -> str:  # noqa: N802
    """What the compiler said."""
    return _made(prog).log


def getPTX(prog: int) -> bytes:  # noqa: N802
    """Its PTX."""
    return _made(prog).ptx.encode()


def getCUBIN(prog: int) -> bytes:  # noqa: N802
    """Its binary."""
    return _made(prog).cubin
