"""Temporary files and folders beside outputs: locked while their run lives, removed by a later one if it was killed."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

_NAME = re.compile(r"\..*\.texsamp-\d+-\d+(\.[^.]+)?", re.DOTALL)
_LONGEST_STEM_B = 150
"""Of the output's name in that of the temporary file: a name has at most 255 bytes."""

_NUMBERS = 1000

_living: set[TemporaryFile] = set()


class TemporaryFile:
    """An empty file beside ``final``, with its extension and a name no one else has. Raises OSError.

    Its lock tells other runs that it is in use; the kernel takes the lock away however this run ends.
    """

    def __init__(self, final: Path) -> None:
        remove_stale(final.parent)
        self._descriptor: int | None = None
        stem = final.stem.encode(errors="surrogateescape")[:_LONGEST_STEM_B].decode(errors="ignore")
        for number in range(_NUMBERS):
            path = final.with_name(f".{stem}.texsamp-{os.getpid()}-{number}{final.suffix}")
            self.path = str(path)
            _living.add(self)  # before there is a file: a signal may end the run at any moment
            try:
                self._descriptor = self._make(path)
            except FileExistsError:
                continue
            except OSError:
                _living.discard(self)
                raise
            if _is_locked(self._descriptor) and path.exists():  # a run that removes stale files may have been faster
                return
            os.close(self._descriptor)
            self._descriptor = None
        _living.discard(self)
        raise OSError(f"no free name for a temporary file after {_NUMBERS} attempts")

    def _make(self, path: Path) -> int:
        """Create it; gives a descriptor to lock. Raises FileExistsError."""
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)

    def release(self) -> None:
        """Let go of the file, which has another name now."""
        if self in _living:
            _living.discard(self)
            if self._descriptor is not None:
                os.close(self._descriptor)

    def remove(self) -> None:
        """Remove the file, if it has not been let go of."""
        if self in _living:
            if self._descriptor is None:  # interrupted while it was made, if it was: nobody else's is locked
                _remove_if_stale(self.path)
            else:
                _delete(self.path)
            self.release()


class TemporaryFolder(TemporaryFile):
    """An empty folder in the same way, removed with all that is in it."""

    def _make(self, path: Path) -> int:
        path.mkdir()
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY)


def _delete(path: str) -> None:
    if os.path.isdir(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        Path(path).unlink(missing_ok=True)


def _is_locked(descriptor: int) -> bool:
    """Lock a file; False if another run has it. File systems without locks lock nothing, and nothing is stale there."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def remove_stale(folder: Path) -> None:
    """Remove the temporary files and folders of runs that were killed from a folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name) and not entry.is_symlink() and (entry.is_file() or entry.is_dir()):
                _remove_if_stale(entry.path)


def _remove_if_stale(path: str) -> None:
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _delete(path)
        finally:
            os.close(descriptor)


def remove_living() -> None:
    """Remove all temporary files of this process, which is about to end without further ado."""
    for file in tuple(_living):
        with suppress(OSError):
            file.remove()
