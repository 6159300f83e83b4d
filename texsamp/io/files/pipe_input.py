"""Inputs that can be read only once, from their beginning: standard input, named pipes, process substitutions."""

from __future__ import annotations

import os
import stat
import sys
from io import FileIO, RawIOBase
from typing import Any

STANDARD_INPUT = "standard input"


def is_pipe(path: str) -> bool:
    """Whether a path is one of those inputs."""
    if path == "-":
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def named_input(path: str) -> str:
    """The path that names an input: "-" has one if standard input is a file of which nothing has been read."""
    if path != "-" or sys.stdin is None:
        return path
    descriptor = sys.stdin.fileno()
    is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
    return "/dev/stdin" if is_file and not os.lseek(descriptor, 0, os.SEEK_CUR) else path


class PipeInput(RawIOBase):
    """Such an input as a file that cannot seek; "-" is standard input, which stays open.

    What ends `read` from outside (a signal's exception) is kept in ``interruption``: FFmpeg would swallow it.
    """

    def __init__(self, path: str) -> None:
        self.name = STANDARD_INPUT if path == "-" else path
        self.interruption: BaseException | None = None
        # Not sys.stdin.buffer: on exit Python waits for its lock, which a thread reading a silent pipe keeps.
        self._file = FileIO(sys.stdin.fileno(), closefd=False) if path == "-" else FileIO(path)
        self._head = b""

    def peek(self, size: int) -> bytes:
        """The first bytes, fewer than ``size`` only if there are no more; they will be read again."""
        while len(self._head) < size and (more := self._file.read(size - len(self._head))):
            self._head += more
        return self._head

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        """As any raw file; blocks until there is something to read."""
        target = memoryview(buffer).cast("B")
        if self._head:
            count = min(len(self._head), len(target))
            target[:count] = self._head[:count]
            self._head = self._head[count:]
            return count
        return self._file.readinto(target)

    def read(self, size: int = -1, /) -> bytes:
        """As any raw file, for FFmpeg: what interrupts it is kept, and looks like the end."""
        try:
            return super().read(size) or b""
        except Exception:
            raise
        except BaseException as interruption:
            self.interruption = interruption
            return b""

    def close(self) -> None:
        """Close the pipe, but not standard input."""
        self._file.close()
        super().close()
