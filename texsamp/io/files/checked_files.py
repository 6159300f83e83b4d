"""Files of a muxer that opens several by itself, and forgets whether they could be written."""

from __future__ import annotations

from io import BufferedWriter

_WRITES = 2
"""FFmpeg's AVIO_FLAG_WRITE."""


class CheckedFiles:
    """Opens files for PyAV's ``io_open``; ``failure`` is the first error of writing or closing one."""

    def __init__(self) -> None:
        self.failure: OSError | None = None

    def open(self, url: str, flags: int, options: dict[str, str]) -> _CheckedFile:
        """Open a file that FFmpeg wants to write. Raises OSError."""
        if not flags & _WRITES:
            raise OSError(f"{url} is not to be read")
        return _CheckedFile(self, open(url.removeprefix("file:"), "wb"))


class _CheckedFile:
    def __init__(self, files: CheckedFiles, file: BufferedWriter) -> None:
        self._files, self._file = files, file
        self.seek, self.tell = file.seek, file.tell

    def write(self, data: bytes) -> int:
        try:
            return self._file.write(data)
        except OSError as error:
            self._fail(error)
            return len(data)

    def close(self) -> None:
        try:
            self._file.close()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        """Raise the first failure of all files only: PyAV would print the others with a traceback."""
        if self._files.failure is None:
            self._files.failure = error
            raise error
