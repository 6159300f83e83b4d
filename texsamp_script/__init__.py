"""The `texsamp` script, outside the package because importing that takes a moment, in which Ctrl-C may come."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

_INTERRUPTED = 130  # as texsamp.cli.main has it


@contextmanager
def quiet_interrupts() -> Iterator[None]:
    """Imports, in which Ctrl-C ends the process without a word: modules half imported have no way to say it."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # the shell has it ignored, in the background
        yield
        return
    signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(_INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def main() -> None:
    """Run the command."""
    with quiet_interrupts():
        from texsamp.cli.main import main as run
    run()
