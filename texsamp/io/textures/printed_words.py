"""What another package prints on this thread, kept from standard output: that is for results, and often a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, get_ident
from typing import Any

_ONE = Lock()
"""Held by the one that stands in for standard output."""


class _Listener:
    """Standard output to all threads but one, whose lines it keeps."""

    def __init__(self, output: Any, lines: list[str]) -> None:
        self._output, self._lines, self._thread = output, lines, get_ident()

    def write(self, text: str) -> int:
        """As any text file."""
        if get_ident() != self._thread:
            return int(self._output.write(text))
        if text.strip():
            self._lines.append(text.strip())
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._output, name)


@contextmanager
def printed_words() -> Iterator[list[str]]:
    """The lines that this thread prints by Python's standard output while the block runs."""
    lines: list[str] = []
    with _ONE:
        before = sys.stdout
        sys.stdout = _Listener(before, lines)
        try:
            yield lines
        finally:
            sys.stdout = before
